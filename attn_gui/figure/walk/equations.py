"""Equations of a walk: expressions of the engine as rich text, in numbers from which the result can be computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

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
)
from attn_gui.figure.walk.context import WalkContext
from attn_gui.figure.walk.rich_text import raised
from attn_gui.languages import QT_TRANSLATE_NOOP

FEW, LARGEST = 5, 3
"""So many addends of a sum are written each; of more the largest ones, and the others as one number."""

SUM, PRODUCT, TIGHT = 1, 2, 9

Compute = Callable[[Iterator[float]], float]


@dataclass(frozen=True)
class Side:
    """One side of an equation: `write` gives its rich text, `compute` its number from its `numbers`, as printed."""

    write: Callable[[], str]
    numbers: tuple[float, ...]
    compute: Compute
    rank: int = TIGHT
    negative: bool = False

    def computed(self, numbers: Sequence[float]) -> float:
        """Return its number, of these in place of its own."""
        return self.compute(iter(numbers))

    def inside(self, rank: int) -> str:
        """Return its text, in brackets where it does not bind more tightly."""
        text = self.write()
        return text if self.rank > rank and not text.startswith("−") else f"({text})"


@dataclass(frozen=True)
class Addend:
    """An addend of a sum as it is shown: one of its terms at a `place`, or the `count` others as one number."""

    value: float
    expression: Expression | None = None
    place: int = -1
    count: int = 1


def addends(total: Sum, always: int | None = None) -> list[Addend]:
    """Return the terms of a sum in order; of many the largest ones and one `always`, then what is left of it."""
    values = np.asarray(total.values, np.float64).reshape(-1)
    if total.count <= FEW:
        return [Addend(float(values[k]), total.term(k), k) for k in range(total.count)]
    order = np.argsort(-np.abs(np.nan_to_num(values, nan=np.inf)), kind="stable")
    shown = sorted({*order[:LARGEST].tolist()} | ({always} if always is not None else set()))
    others = order[~np.isin(order, shown)]
    with np.errstate(all="ignore"):
        rest = float(np.sum(values[others]))
    return [*(Addend(float(values[k]), total.term(k), k) for k in shown), Addend(rest, count=len(others))]


def side_of(context: WalkContext, expression: Expression) -> Side:
    """Return an expression as a side of an equation; named parts are numbers in it."""
    if isinstance(expression, Sum) and expression.count:
        return sum_side(context, addends(expression))
    if isinstance(expression, Product):
        return _joined(context, expression.parts, "·", math.prod)
    if isinstance(expression, Quotient):
        return _joined(context, expression.parts, " ÷ ", lambda sides: sides[0] / sides[1])
    if isinstance(expression, Negative):
        inner = side_of(context, expression.part)
        return Side(lambda: f"−{inner.inside(PRODUCT - 1)}", inner.numbers, lambda n: -inner.compute(n), SUM, True)
    if isinstance(expression, Power):
        base, exponent = side_of(context, expression.base), expression.exponent
        return Side(
            lambda: f"{base.inside(TIGHT - 1)}{raised(str(exponent))}",
            base.numbers,
            lambda n: base.compute(n) ** exponent,
        )
    if isinstance(expression, Function):
        return _function(context, expression)
    return number_side(context, expression.value)


def number_side(context: WalkContext, value: float) -> Side:
    """Return a number as a side of an equation."""
    return Side(lambda: context.number(value), (value,), next)


def addend_side(context: WalkContext, one: Addend) -> Side:
    """Return an addend as a side; what is left of a long sum is a number with words."""
    if one.expression is not None:
        return side_of(context, one.expression)
    return Side(lambda: others_text(context, one), (one.value,), next)


def others_text(context: WalkContext, one: Addend) -> str:
    """Return what is left of a long sum as a number, and how many terms that are."""
    return context.words(
        QT_TRANSLATE_NOOP("Walk", "{value} (the other {count})"), value=context.number(one.value), count=one.count
    )


def check(context: WalkContext, side: Side, value: float) -> None:
    """Let an equation with a side and a number hold as printed."""
    context.printed.add(value, side.computed, side.numbers)


def sum_side(context: WalkContext, found: Sequence[Addend]) -> Side:
    """Return the sum of addends as a side; there is one at least."""
    sides = [addend_side(context, one) for one in found]

    def write() -> str:
        texts = [side.write() for side in sides]
        pieces = [texts[0]]
        for text in texts[1:]:
            minus = text.startswith("−")
            pieces.append(f" − {text[1:]}" if minus else f" + {text}")
        return "".join(pieces)

    numbers = tuple(number for side in sides for number in side.numbers)
    return Side(
        write,
        numbers,
        lambda n: math.fsum([side.compute(n) for side in sides]),
        SUM if len(sides) > 1 else sides[0].rank,
    )


def _joined(
    context: WalkContext, parts: Sequence[Expression], sign: str, combine: Callable[[list[float]], float]
) -> Side:
    sides = [side_of(context, one) for one in parts]
    if len(sides) == 1:
        return sides[0]

    def write() -> str:
        first = sides[0].write()
        first = first if sides[0].rank > SUM else f"({first})"
        return sign.join([first, *(side.inside(PRODUCT) for side in sides[1:])])

    numbers = tuple(number for side in sides for number in side.numbers)
    return Side(write, numbers, lambda n: combine([side.compute(n) for side in sides]), PRODUCT)


def _function(context: WalkContext, function: Function) -> Side:
    inner, name = side_of(context, function.part), function.name

    def compute(numbers: Iterator[float]) -> float:
        return Function(name, Number(inner.compute(numbers))).value

    def write() -> str:
        if name == "exp":
            return f"e{raised(inner.write())}"
        return f"√{inner.inside(TIGHT - 1)}" if name == "sqrt" else f"{name}({inner.write()})"

    return Side(write, inner.numbers, compute)


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
    if isinstance(expression, Quotient):
        return Quotient(with_number(expression.top, total), expression.bottom)
    if isinstance(expression, Negative):
        return Negative(with_number(expression.part, total))
    if isinstance(expression, NamedPart):
        return Number(total.value) if expression.part is total else expression
    if isinstance(expression, Product):
        return Product(*(with_number(one, total) for one in expression.parts))
    return expression
