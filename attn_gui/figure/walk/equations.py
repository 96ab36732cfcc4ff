"""Equations in a walk: terms shown of a long sum, factors and signs as rich text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import (
    Expression,
    Function,
    NamedPart,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    add_formula,
    is_true,
)
from attn_gui.figure.text.rich_text import raised, strong
from attn_gui.figure.walk.walk_context import WalkContext
from attn_gui.languages import N_

FEW, LARGEST = 5, 3
"""So many addends of a sum are written each; of more the largest ones, and the others as one number."""

SUM, PRODUCT, TIGHT = 1, 2, 9
"""How tightly a formula binds."""


class WalkEquation:
    """A formula and what it comes to, in numbers that every equation of the walk agrees on.

    Named parts are numbers in it. Its texts are asked for once all equations are made.
    """

    def __init__(self, context: WalkContext, formula: Expression, value: float) -> None:
        self._context, self.formula, self.value = context, formula, value
        add_formula(context.printed, formula, value)

    @property
    def left(self) -> str:
        """The formula, as rich text."""
        return written(self._context, self.formula)

    @property
    def right(self) -> str:
        """` = 2`; ≈ where the printed numbers do not give the printed result."""
        return f" {self._sign} {self._context.number(self.value)}"

    @cached_property
    def _sign(self) -> str:
        return "=" if is_true(self.formula, self.value, self._context.printed) else "≈"

    def __str__(self) -> str:
        return f"{self.left} {self._sign} {strong(self._context.number(self.value))}"


@dataclass(frozen=True)
class Addend:
    """An addend of a sum as it is shown: one of its terms at a `place`, or the `count` others as one number."""

    value: float
    formula: Expression
    place: int = -1
    count: int = 1


class OmittedTerms(Number):
    """What is left of a long sum, of so many terms."""

    def __init__(self, value: float, count: int) -> None:
        super().__init__(value)
        self.count = count


class ShownSum(Sum):
    """A sum of which every addend is written."""

    is_long = False


def addends(total: Sum, sizes: Array | None = None, always: int | None = None) -> list[Addend]:
    """Return the terms of a sum in order; of many the largest ones and one `always`, then what is left of it.

    They are the largest by their `sizes`, by default by their own.
    """
    values = np.asarray(total.values, np.float64).reshape(-1)
    if total.count <= FEW:
        return [Addend(float(values[k]), total.term(k), k) for k in range(total.count)]
    order = np.argsort(-np.abs(np.nan_to_num(values if sizes is None else sizes, nan=np.inf)), kind="stable")
    shown = sorted({*order[:LARGEST].tolist()} | ({always} if always is not None else set()))
    others = order[~np.isin(order, shown)]
    with np.errstate(all="ignore"):
        rest = float(np.sum(values[others]))
    terms = (Addend(float(values[k]), total.term(k), k) for k in shown)
    return [*terms, Addend(rest, OmittedTerms(rest, len(others)), count=len(others))]


def sum_of(parts: Sequence[Expression]) -> Sum:
    """Return a sum of which every addend is written."""
    return ShownSum(len(parts), parts.__getitem__)


def shortened(expression: Expression) -> Expression:
    """Return a formula whose long sums are shortened."""
    if isinstance(expression, Sum) and expression.count:
        return sum_of([shortened(one.formula) for one in addends(expression)])
    if isinstance(expression, NamedPart) or not expression.parts:
        return expression
    return expression.with_parts(*map(shortened, expression.parts))


def written(context: WalkContext, expression: Expression) -> str:
    """Return a formula as rich text."""
    return _written(context, expression)[0]


def joined(texts: Sequence[str]) -> str:
    """Return texts of addends with + between them, or the − of their own."""
    first, *others = texts
    return "".join([first, *(f" − {text[1:]}" if text.startswith("−") else f" + {text}" for text in others)])


def _written(context: WalkContext, expression: Expression) -> tuple[str, int]:
    """Return the rich text of a formula, and how tightly it binds."""

    def inside(part: Expression, rank: int) -> str:
        text, own = _written(context, part)
        return text if own > rank and not text.startswith("−") else f"({text})"

    match expression:
        case Sum(count=1):
            return _written(context, expression.term(0))
        case Sum() if expression.count:
            return joined([written(context, part) for part in expression.parts]), SUM
        case Product() | Quotient():
            first, *others = expression.parts
            text, rank = _written(context, first)
            start = text if rank > SUM else f"({text})"
            if not others:
                return text, rank
            sign = "·" if isinstance(expression, Product) else " ÷ "
            return sign.join([start, *(inside(part, PRODUCT) for part in others)]), PRODUCT
        case Negative():
            return f"−{inside(expression.part, PRODUCT - 1)}", SUM
        case Power():
            return f"{inside(expression.base, TIGHT - 1)}{raised(str(expression.exponent))}", TIGHT
        case Function(name="exp"):
            return f"e{raised(written(context, expression.part))}", TIGHT
        case Function(name="sqrt"):
            return f"√{inside(expression.part, TIGHT - 1)}", TIGHT
        case Function():
            return f"{expression.name}({written(context, expression.part)})", TIGHT
        case OmittedTerms():
            text = N_("Walk", "{value} (the other {count})")
            return context.words(text, value=context.number(expression.value), count=expression.count), TIGHT
    return context.number(expression.value), TIGHT


def main_sum(expression: Expression) -> Sum | None:
    """Return the sum that a cell is made of: the expression itself, or what it is behind a factor or a divisor."""
    if isinstance(expression, Sum) and expression.count > 1:
        return expression
    if isinstance(expression, Quotient):
        return main_sum(expression.top)
    if isinstance(expression, NamedPart | Negative):
        return main_sum(expression.part)
    if isinstance(expression, Product):
        return next((found for one in expression.parts if (found := main_sum(one)) is not None), None)
    return None


def with_number(expression: Expression, total: Sum) -> Expression:
    """Return an expression in which one of its sums is a number."""
    if expression is total:
        return Number(total.value)
    if isinstance(expression, NamedPart):
        return Number(total.value) if expression.part is total else expression
    if isinstance(expression, Quotient):
        return Quotient(with_number(expression.top, total), expression.bottom)
    if isinstance(expression, Negative | Product):
        return expression.with_parts(*(with_number(one, total) for one in expression.parts))
    return expression
