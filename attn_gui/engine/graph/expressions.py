"""The formula of one cell: a tree that knows its value, its text and its LaTeX. Its leaves are cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal

import numpy as np

from attn_gui.engine.arrays import Array

# "text": every digit and every term; "latex": short numbers; "symbols": LaTeX with names instead of numbers
Style = Literal["text", "latex", "symbols"]

EXACT = 5  # a constant of so few characters is written as it is: 0.5 and not 0.5000
SHOWN = 4  # a sum of more terms is shortened where it is typeset


def number_text(value: float, style: Style, decimals: int = 4) -> str:
    if math.isnan(value):
        return r"\mathrm{NaN}" if style in ("latex", "symbols") else "nan"
    if math.isinf(value):
        return ("-" if value < 0 else "") + (r"\infty" if style in ("latex", "symbols") else "inf")
    return repr(value) if style == "text" else short_number(value, decimals)


def short_number(value: float, decimals: int) -> str:
    """Whole numbers as they are, others with fixed decimals; very small and very large ones as a power of ten."""
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 0.5 * 10.0**-decimals <= abs(value) < 1e6:
        return f"{value:.{decimals}f}" if abs(value) < 1000 else f"{value:.7g}"
    mantissa, exponent = f"{value:.3e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


class Expression:
    """A part of a formula; `rank` tells how tightly it binds."""

    rank = 9

    @property
    def parts(self) -> tuple[Expression, ...]:
        return ()

    @property
    def value(self) -> float:
        raise NotImplementedError

    def write(self, style: Style) -> str:
        raise NotImplementedError

    def cells(self) -> Iterator[Cell]:
        """Every source cell, in reading order."""
        for part in self.parts:
            yield from part.cells()

    @property
    def kinds(self) -> tuple[Expression, ...]:
        """The parts, of those that are made alike the first one."""
        return self.parts

    def inner(self, part: Expression, style: Style) -> str:
        """A part, in brackets where it does not bind more tightly than this."""
        text = part.write(style)
        if part.binds(style) > self.rank:
            return text
        return rf"\left({text}\right)" if style in ("latex", "symbols") else f"({text})"

    def binds(self, style: Style) -> int:
        return self.rank

    def signed(self, style: Style) -> tuple[str, str]:
        """A minus in front, or nothing, and the rest: a sum writes `a - b` and not `a + (-b)`."""
        return "", self.write(style)

    def __str__(self) -> str:
        return self.write("text")

    def __mul__(self, other: Expression) -> Expression:
        return Product(self, other)

    def __add__(self, other: Expression) -> Expression:
        return add(self, other)


class Number(Expression):
    def __init__(self, value: float) -> None:
        self.number = float(value)

    @property
    def value(self) -> float:
        return self.number

    def binds(self, style: Style) -> int:
        if self._negative(style):
            return 0
        return 2 if r"\cdot" in self.write(style) else 9

    def write(self, style: Style) -> str:
        return joined(*self.signed(style), style)

    def signed(self, style: Style) -> tuple[str, str]:
        negative = self._negative(style)
        return "-" if negative else "", self._text(-self.number if negative else abs(self.number), style)

    def _negative(self, style: Style) -> bool:
        """Whether a minus is written: before a zero only in text, which keeps every bit, and never before NaN."""
        signed = math.copysign(1.0, self.number) < 0 and not math.isnan(self.number)
        return signed and (style == "text" or self.number != 0)

    def _text(self, size: float, style: Style) -> str:
        exact = repr(size)
        short = len(exact) <= EXACT and "." in exact and not exact.endswith(".0")
        return exact if short else number_text(size, style)


class Cell(Number):
    """One cell of a stage or a matrix: `name`, its full `index` there, its value, and its `letter` in LaTeX."""

    def __init__(
        self, name: str, index: tuple[int, ...], value: float, letter: str, shown: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(value)
        self.name, self.index, self.letter = name, index, letter
        self.shown = index if shown is None else shown

    def cells(self) -> Iterator[Cell]:
        yield self

    def binds(self, style: Style) -> int:
        return 9 if style == "symbols" else super().binds(style)

    def write(self, style: Style) -> str:
        return self.signed(style)[1] if style == "symbols" else super().write(style)

    def signed(self, style: Style) -> tuple[str, str]:
        if style == "symbols":
            return "", subscripted(self.letter, [str(k) for k in self.shown])
        return super().signed(style)

    def _text(self, size: float, style: Style) -> str:
        return number_text(size, style, decimals=3)

    def __repr__(self) -> str:
        return f"Cell({self.name!r}, {self.index}, {self.number!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cell):
            return NotImplemented
        return (self.name, self.index) == (other.name, other.index)

    def __hash__(self) -> int:
        return hash((self.name, self.index))


def joined(sign: str, text: str, style: Style) -> str:
    """A sign and what follows it; braces keep TeX from taking the sign for an operator."""
    return text if not sign else f"{sign}{text}" if style == "text" else f"{{{sign}{text}}}"


def subscripted(base: str, indices: list[str]) -> str:
    return f"{base}_{{{','.join(indices)}}}" if indices else base


class Sum(Expression):
    """Terms added up. They may be made one by one when asked for, since there can be thousands."""

    rank = 1

    def __init__(
        self, count: int, term: Callable[[int], Expression], values: Array | None = None, symbols: str | None = None
    ) -> None:
        self.count, self.term, self._values = count, term, values
        self.symbols = symbols  # how a long sum reads with a summation sign

    @cached_property
    def parts(self) -> tuple[Expression, ...]:
        return tuple(self.term(k) for k in range(self.count))

    @cached_property
    def values(self) -> Array:
        return np.array([part.value for part in self.parts]) if self._values is None else self._values

    @cached_property
    def value(self) -> float:
        try:
            return math.fsum(self.values)
        except (OverflowError, ValueError):  # too large on the way, or ∞ − ∞: as ordinary addition has it
            with np.errstate(all="ignore"):
                return float(np.sum(self.values))

    @property
    def kinds(self) -> tuple[Expression, ...]:
        """The terms; of those that are made one by one, which are alike, the first one."""
        return self.parts if self._values is None or not self.count else (self.term(0),)

    def binds(self, style: Style) -> int:
        if self.count == 1:
            return self.term(0).binds(style)
        return 2 if style == "symbols" and self._long and self.symbols and r"\sum" not in self.symbols else self.rank

    @property
    def _long(self) -> bool:
        return self.count > SHOWN

    def write(self, style: Style) -> str:
        if self.count == 0:
            return "0"
        if style == "symbols" and self._long and self.symbols:
            return self.symbols
        shown = range(self.count) if style == "text" or not self._long else (0, 1, self.count - 1)
        first, *rest = (self.term(k).signed(style) for k in shown)
        pieces = [joined(*first, style), *(f"{sign or '+'} {text}" for sign, text in rest)]
        if len(pieces) < self.count:
            pieces.insert(2, r"+ \cdots")
        return " ".join(pieces)


class Product(Expression):
    rank = 2

    def __init__(self, *factors: Expression) -> None:
        self.factors = factors

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.factors

    @property
    def value(self) -> float:
        return math.prod(part.value for part in self.factors)

    def write(self, style: Style) -> str:
        return joined(*self.signed(style), style)

    def signed(self, style: Style) -> tuple[str, str]:
        first, *rest = self.factors
        sign, text = first.signed(style) if first.binds(style) == 0 else ("", self.inner(first, style))
        times = {"text": "*", "latex": r" \cdot ", "symbols": r"\,"}[style]
        return sign, times.join([text, *(self.inner(part, style) for part in rest)])


class Negative(Expression):
    rank = 1

    def __init__(self, part: Expression) -> None:
        self.part = part

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.part,)

    @property
    def value(self) -> float:
        return -self.part.value

    def binds(self, style: Style) -> int:
        return 0

    def write(self, style: Style) -> str:
        return joined(*self.signed(style), style)

    def signed(self, style: Style) -> tuple[str, str]:
        return "-", self.inner(self.part, style)


def add(*parts: Expression) -> Sum:
    """The sum of a few parts."""
    return Sum(len(parts), parts.__getitem__)
