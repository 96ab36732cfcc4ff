"""Base of a beat of a walk (title, sentence, picture, arrow); its equations: terms of a long sum, factors, signs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

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
from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.figure.text.number_formats import cell_text
from attn_gui.figure.text.rich_text import raised, strong
from attn_gui.figure.walk.matrix_board import MatrixBoard
from attn_gui.figure.walk.walk_canvas import WalkCanvas, between, part
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.languages import N_

# --- equations ------------------------------------------------------------------------------------
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


# --- beats ----------------------------------------------------------------------------------------
LANDS = 0.82
"""Share of a beat after which its number is on its way to its cell."""
CHIP = 62.0, 32.0
"""Width and height of that number at the most; it is no larger than its cell, or it would cover others."""
GAP = 330.0
"""Middle of the gap beside the board; from farther the number would cross what it comes from."""


class Beat(ABC):
    """One step of a walk at a cell: what is said of it, and its picture.

    `stage` is the one that it makes (`made` tells it from what was edited in it), `seconds` its length. It is made
    before any number is printed, so that all equations of a walk agree; its texts are asked for afterward.
    """

    seconds = 1.0
    hurried: float | None = None
    """Its length in a walk of many beats, where it is another."""
    equation: WalkEquation
    """What it computes, where that is one equation."""
    heading = ""
    """What it does, in place of its usual title."""
    usual = ""
    """Its usual title, marked for translation in the context "Walk", where that is always the same."""

    def __init__(self, context: WalkContext, stage: str, index: Index) -> None:
        self.context, self.made, self.index = context, stage, index
        self.stage = plain_name(stage)

    @property
    def title(self) -> str:
        """What is done, in two or three words, as rich text."""
        return self.heading or self.context.words(self.usual)

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What is done, with the actual numbers, as rich text."""

    @property
    def result(self) -> str:
        """The equation in short, as rich text."""
        return str(self.equation)

    @cached_property
    def value(self) -> float:
        """The number that it comes to: by default that of its cell."""
        return self.context.value(self.made, self.index)

    @abstractmethod
    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        """Paint the stage at a progress of the beat, 0 to 1."""

    @cached_property
    def board(self) -> MatrixBoard:
        """The matrices at the left."""
        return self.context.board(self.made, self.index)

    def land(self, canvas: WalkCanvas, progress: float, height: float, fill: QColor) -> None:
        """Paint the board, and the number on its way to its cell, from the gap at a `height`; or an arrow instead."""
        start = QPointF(GAP, height)
        self.board.paint(canvas, landed=progress >= 1.0)
        place = self.board.cell
        if canvas.still:
            canvas.arrow(start, self.board.beside(start))
        elif progress > LANDS:
            chip = QRectF(0, 0, min(CHIP[0], place.width()), min(CHIP[1], place.height()))
            chip.moveCenter(between(start, place.center(), part(progress, LANDS, 1.0)))
            there = self.board.map  # and written as its cells are: all digits would be too small to be read
            text = strong(cell_text(self.value, there.numbers)) if there.numbers is not None else ""
            canvas.box(chip, text, fill, canvas.theme.ink, pixels=there.pixels)
