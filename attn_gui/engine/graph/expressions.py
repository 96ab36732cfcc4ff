"""Formulas of a cell as trees: value, LaTeX, parts with a name (Z, the maximum), long sums cut short, = or ≈. Its
leaves are cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.printed_digits import PrintedNumbers, Style, short_number

SHOWN = 4  # a sum of more terms is shortened where it is typeset

ROUGHLY = r"\approx "

SQUARED = 2.0**-500, 2.0**500
"""Magnitudes of the largest of many numbers whose squares, added up, neither vanish nor overflow."""


# --- expressions ----------------------------------------------------------------------------------
class Expression:
    """A formula made of `parts`; `rank` tells how tightly it binds."""

    rank = 9
    parts: tuple[Expression, ...] = ()

    def __init__(self, *parts: Expression) -> None:
        self.parts = parts

    def with_parts(self, *parts: Expression) -> Expression:
        """Return the same formula of other parts."""
        return type(self)(*parts)

    @property
    def value(self) -> float:
        raise NotImplementedError

    def write(self, style: Style) -> str:
        raise NotImplementedError

    def cells(self) -> Iterator[Cell]:
        """Yield every source cell, in reading order."""
        for part in self.parts:
            yield from part.cells()

    @property
    def kinds(self) -> tuple[Expression, ...]:
        """The parts, of those that are made alike the first one."""
        return self.parts

    def inner(self, part: Expression, style: Style) -> str:
        """Return a part, in brackets where it does not bind more tightly than this."""
        text = part.write(style)
        if part.binds(style) > self.rank:
            return text
        return rf"\left({text}\right)" if style in ("latex", "symbols") else f"({text})"

    def binds(self, style: Style) -> int:
        return self.rank

    def signed(self, style: Style) -> tuple[str, str]:
        """Return a minus in front, or nothing, and the rest: a sum writes `a - b` and not `a + (-b)`."""
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
        return "-" if negative else "", self.text_of(-self.number if negative else abs(self.number), style)

    def _negative(self, style: Style) -> bool:
        """Return whether a minus is written: before a zero only in text, which keeps every bit; never for NaN."""
        signed = math.copysign(1.0, self.number) < 0 and not math.isnan(self.number)
        return signed and (style == "text" or self.number != 0)

    def text_of(self, size: float, style: Style) -> str:
        """Return the number without its sign."""
        return str(size) if style == "text" else latex_number(short_number(size))


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

    def __repr__(self) -> str:
        return f"Cell({self.name!r}, {self.index}, {self.number!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cell):
            return NotImplemented
        return (self.name, self.index) == (other.name, other.index)

    def __hash__(self) -> int:
        return hash((self.name, self.index))


def joined(sign: str, text: str, style: Style) -> str:
    """Return a sign and what follows it; braces keep TeX from taking the sign for an operator."""
    return text if not sign else f"{sign}{text}" if style == "text" else f"{{{sign}{text}}}"


def latex_number(text: str) -> str:
    """Return a printed number in LaTeX."""
    mantissa, _, power = text.partition("e")
    number = {"nan": r"\mathrm{NaN}", "inf": r"\infty"}.get(mantissa, mantissa)
    return number + (rf" \cdot 10^{{{power}}}" if power else "")


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
    def parts(self) -> tuple[Expression, ...]:  # type: ignore[override]  # nothing sets them here
        return tuple(self.term(k) for k in range(self.count))

    def with_parts(self, *parts: Expression) -> Expression:
        return add(*parts)

    def with_terms(self, change: Callable[[Expression], Expression]) -> Sum:
        """Return the sum of changed terms, of which those that are not written are not made."""
        return Sum(self.count, lambda k: change(self.term(k)), self.values, self.symbols)

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
        return 2 if style == "symbols" and self.is_long and self.symbols and r"\sum" not in self.symbols else self.rank

    @property
    def is_long(self) -> bool:
        """Whether it is typeset with dots in place of most of its terms."""
        return self.count > SHOWN

    def write(self, style: Style) -> str:
        if self.count == 0:
            return "0"
        if style == "symbols" and self.is_long and self.symbols:
            return self.symbols
        shown = range(self.count) if style == "text" or not self.is_long else (0, 1, self.count - 1)
        first, *rest = (self.term(k).signed(style) for k in shown)
        pieces = [joined(*first, style), *(f"{sign or '+'} {text}" for sign, text in rest)]
        if len(pieces) < self.count:
            pieces.insert(2, r"+ \cdots")
        return " ".join(pieces)


class Product(Expression):
    rank = 2

    @property
    def value(self) -> float:
        return math.prod(part.value for part in self.parts)

    def write(self, style: Style) -> str:
        return joined(*self.signed(style), style)

    def signed(self, style: Style) -> tuple[str, str]:
        first, *rest = self.parts
        sign, text = first.signed(style) if first.binds(style) == 0 else ("", self.inner(first, style))
        times = {"text": "*", "latex": r" \cdot ", "symbols": r"\,"}[style]
        return sign, times.join([text, *(self.inner(part, style) for part in rest)])


class Negative(Expression):
    rank = 1

    def __init__(self, part: Expression) -> None:
        super().__init__(part)
        self.part = part

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
    """Return the sum of a few parts."""
    return Sum(len(parts), parts.__getitem__)


# --- conditions -----------------------------------------------------------------------------------
# Parts of formulas that depend on the numbers: the largest of some, a number or −∞. Spreadsheets need them.
class Largest(Expression):
    """The largest of the terms of a sum."""

    def __init__(self, terms: Sum) -> None:
        super().__init__(terms)
        self.terms = terms

    @property
    def value(self) -> float:
        return float(max(self.terms.values, default=-math.inf))


class OpenOnly(Expression):
    """A part where the condition is not 0, else −∞."""

    def __init__(self, condition: Expression, part: Expression) -> None:
        super().__init__(condition, part)
        self.condition, self.part = condition, part

    @property
    def value(self) -> float:
        return self.part.value if self.condition.value else -math.inf


class UnlessClosed(Expression):
    """A part, but −∞, or another number, where what it is made of is −∞."""

    def __init__(self, own: Expression, part: Expression, closed: float = -math.inf) -> None:
        super().__init__(own, part)
        self.own, self.part, self.closed = own, part, closed

    def with_parts(self, *parts: Expression) -> Expression:
        own, part = parts
        return UnlessClosed(own, part, self.closed)

    @property
    def value(self) -> float:
        return self.closed if self.own.value == -math.inf else self.part.value


# --- functions ------------------------------------------------------------------------------------
class Quotient(Expression):
    """A fraction; 0 / 0 is 0, which is the weight in a row that sees no key."""

    rank = 2

    def __init__(self, top: Expression, bottom: Expression, *, inline: bool = False) -> None:
        super().__init__(top, bottom)
        self.top, self.bottom, self.inline = top, bottom, inline

    def with_parts(self, *parts: Expression) -> Expression:
        return Quotient(*parts, inline=self.inline)

    @property
    def value(self) -> float:
        top, bottom = self.top.value, self.bottom.value
        return top / bottom if bottom else 0.0

    def binds(self, style: Style) -> int:
        return self.rank if self.inline or style == "text" else 9

    def write(self, style: Style) -> str:
        if self.inline or style == "text":
            return f"{self.inner(self.top, style)} / {self.inner(self.bottom, style)}"
        return rf"\frac{{{self.top.write(style)}}}{{{self.bottom.write(style)}}}"


class Power(Expression):
    rank = 3

    def __init__(self, base: Expression, exponent: int) -> None:
        super().__init__(base)
        self.base, self.exponent = base, exponent

    def with_parts(self, *parts: Expression) -> Expression:
        return Power(parts[0], self.exponent)

    @property
    def value(self) -> float:
        with np.errstate(all="ignore"):  # infinite where it is too large, as the stages have it
            return float(np.power(self.base.value, self.exponent))

    def write(self, style: Style) -> str:
        base = self.inner(self.base, style)
        if style in ("latex", "symbols"):
            plain = isinstance(self.base, Cell) and self.base.binds(style) > self.rank
            raised = plain and "^" in base  # TeX takes no second exponent at one letter
            return rf"\left({base}\right)^{{{self.exponent}}}" if raised else f"{base}^{{{self.exponent}}}"
        if np.isinf(self.value) and np.isfinite(self.base.value):  # ** of Python raises what * lets be infinite
            return f"({'*'.join([base] * self.exponent)})"
        return f"{base}**{self.exponent}"


class Function(Expression):
    """exp, tanh, sqrt, cos, sin or erfc of a part."""

    rank = 4

    def __init__(self, name: str, part: Expression) -> None:
        super().__init__(part)
        self.name, self.part = name, part

    def with_parts(self, *parts: Expression) -> Expression:
        return Function(self.name, *parts)

    @property
    def value(self) -> float:
        if self.name == "erfc":  # which NumPy does not have
            return math.erfc(self.part.value)
        with np.errstate(all="ignore"):
            return float(getattr(np, self.name)(self.part.value))

    def write(self, style: Style) -> str:
        inside = self.part.write(style)
        if style not in ("latex", "symbols"):
            return f"{self.name}({inside})"
        if self.name == "exp":
            return f"e^{{{inside}}}"
        if self.name == "sqrt":
            return rf"\sqrt{{{inside}}}"
        letters = r"\mathrm{erfc}" if self.name == "erfc" else rf"\{self.name}"
        return rf"{letters}\left({inside}\right)"


class NamedPart(Expression):
    """A part that stands in formulas as one number, or under a name."""

    def __init__(self, part: Expression, symbols: str) -> None:
        super().__init__(part)
        self.part, self.symbols = part, symbols

    def with_parts(self, *parts: Expression) -> Expression:
        (part,) = parts
        return NamedPart(part, self.symbols)

    @property
    def value(self) -> float:
        return self.part.value

    def binds(self, style: Style) -> int:
        return self.number().binds(style) if style == "latex" else 9

    def signed(self, style: Style) -> tuple[str, str]:
        return self.number().signed(style) if style == "latex" else ("", self.write(style))

    def write(self, style: Style) -> str:
        return self.number().write(style) if style == "latex" else self.symbols

    @property
    def has_number(self) -> bool:
        """Whether it is typeset as a number."""
        return True

    def number(self) -> Number:
        """Return it as a number: a maximum is a cell, and keeps the name of one."""
        return self.part if isinstance(self.part, Number) else Number(self.value)


class Evaluated(NamedPart):
    """A part shown as one number, since its own terms are listed elsewhere."""

    def binds(self, style: Style) -> int:
        return {"symbols": 2, "text": self.part.binds(style)}.get(style, super().binds(style))

    def write(self, style: Style) -> str:
        return self.part.write(style) if style == "text" else super().write(style)


class Named(NamedPart):
    """A part that has a name of its own (a maximum, a total); what it stands for is said once, after the formula."""

    def __init__(self, name: str, symbols: str, part: Expression) -> None:
        super().__init__(part, symbols)
        self.name = name

    def write(self, style: Style) -> str:
        return self.name if style == "text" else super().write(style)

    def equation(self, printed: PrintedNumbers) -> str:
        """Return `Z = … = 1.637` in LaTeX."""
        sides = [self.symbols, *([] if isinstance(self.part, Number) else [self.part.write("symbols")])]
        return " = ".join([*sides, formula_latex(self.number(), printed)])


def named_parts(expression: Expression) -> dict[str, Named]:
    """Return the parts of a formula that have a name of their own, outer ones first."""
    found = {expression.name: expression} if isinstance(expression, Named) else {}
    for part in expression.kinds:
        found |= {name: named for name, named in named_parts(part).items() if name not in found}
    return found


# --- as printed -----------------------------------------------------------------------------------
def with_sign(side: str) -> str:
    """Return a side of an equation behind its sign: = but where it has ≈ of its own."""
    return side if side.startswith(ROUGHLY) else f"= {side}"


def chain_of(sides: Iterable[str]) -> str:
    """Return the sides of an equation in one line of LaTeX; empty ones are left out."""
    first, *rest = filter(None, sides)
    return " ".join([first, *map(with_sign, rest)])


class Printed(Number):
    """A number as it is typeset."""

    def __init__(self, number: float, printed: PrintedNumbers) -> None:
        super().__init__(number)
        self._typeset = latex_number(printed.text(self.number).lstrip("-"))

    def text_of(self, size: float, style: Style) -> str:
        return self._typeset


def add_formula(printed: PrintedNumbers, expression: Expression, result: float) -> None:
    """Let a formula give its result as printed; cells of one matrix get the same digits."""
    numbers = typeset_numbers(expression)
    if numbers is not None:
        printed.add(result, partial(_computed, expression), [one.number for one in numbers])
        for one in numbers:
            if isinstance(one, Cell):
                printed.alike((one.number,), one.name)


def formula_latex(expression: Expression, printed: PrintedNumbers) -> str:
    """Return a formula in LaTeX, its numbers as they are printed."""
    return _with_numbers(expression, lambda number: Printed(number.number, printed)).write("latex")


def equal_sides(expression: Expression, result: float, printed: PrintedNumbers) -> tuple[str, str]:
    """Return a formula and its result in LaTeX, behind ≈ where the printed numbers do not give it."""
    value = Printed(result, printed).write("latex")
    return formula_latex(expression, printed), value if is_true(expression, result, printed) else ROUGHLY + value


def is_true(expression: Expression, result: float, printed: PrintedNumbers) -> bool:
    """Return whether the printed numbers of a formula give its printed result, which of dots nobody can tell."""
    numbers = typeset_numbers(expression) or []
    return not numbers or printed.holds(result, partial(_computed, expression), [one.number for one in numbers])


def typeset_numbers(expression: Expression) -> list[Number] | None:
    """Return the numbers that LaTeX of a formula shows; None where dots stand for some."""
    if isinstance(expression, Number):
        return [expression]
    if isinstance(expression, NamedPart):
        return [expression.number()] if expression.has_number else None
    if isinstance(expression, Sum) and expression.is_long:
        return None
    found: list[Number] = []
    for part in expression.parts:
        numbers = typeset_numbers(part)
        if numbers is None:
            return None
        found += numbers
    return found


def _with_numbers(expression: Expression, change: Callable[[Number], Number]) -> Expression:
    """Return a formula with others in place of the numbers that LaTeX of it shows."""
    if isinstance(expression, Number):
        return change(expression)
    if isinstance(expression, NamedPart):
        return change(expression.number()) if expression.has_number else expression
    if isinstance(expression, Sum) and expression.is_long:
        return expression.with_terms(lambda part: _with_numbers(part, change))
    return expression.with_parts(*(_with_numbers(part, change) for part in expression.parts))


def _computed(expression: Expression, numbers: Sequence[float]) -> float:
    """Return what a formula comes to with others in place of its numbers."""
    following = iter(numbers)
    with np.errstate(all="ignore"):
        return _with_numbers(expression, lambda _: Number(next(following))).value


# --- leaves ---------------------------------------------------------------------------------------
class Leaves:
    """The cells of one input that a single result reads: `values` laid out by the letters that it runs through."""

    def __init__(self, values: Array, make: Callable[[tuple[int, ...]], Cell], latex: str) -> None:
        self.values, self.make = values, make
        self.latex = latex  # the symbol with letters where it runs: a_{10,j}

    def __getitem__(self, index: Sequence[int]) -> Cell:
        return self.make(tuple(0 if length == 1 else k for k, length in zip(index, self.values.shape, strict=True)))

    def __iter__(self) -> Iterator[Cell]:
        """Return the cells one after the other, for an input that runs through one letter."""
        return (self.make(index) for index in np.ndindex(self.values.shape))

    @property
    def row_latex(self) -> str:
        """The symbol of the row that the cells stand in: a_{10}."""
        return self.latex.split(",")[0] + "}"

    @property
    def one(self) -> Cell:
        return self.make((0,) * self.values.ndim)


class Shares:
    """Cells over the largest magnitude among them, which has a name: of any numbers squares can be added up."""

    def __init__(self, leaves: Leaves, name: str) -> None:
        index = np.unravel_index(np.abs(leaves.values).argmax(), leaves.values.shape)
        cell = leaves[[int(k) for k in index]]
        symbols = rf"\max\left|{leaves.row_latex}\right|"
        self.leaves, self.largest = leaves, Named(name, symbols, cell if cell.value > 0 else Negative(cell))
        self.values = np.asarray(leaves.values / self.largest.value)
        self.latex, self.row_latex = (rf"\left({one} / {symbols}\right)" for one in (leaves.latex, leaves.row_latex))

    def __getitem__(self, index: Sequence[int]) -> Expression:
        return self.over(self.leaves[index])

    def over(self, part: Expression) -> Expression:
        """Return a part of the formula over the largest magnitude."""
        return Quotient(part, self.largest, inline=True)


def squarable(leaves: Leaves, name: str, mild: tuple[float, float] = SQUARED) -> Leaves | Shares:
    """Return the cells; where the largest magnitude is not a mild one, over it, which is then called `name` in the
    formula.

    Cells without a finite largest one, and those that are all zeros, stay as they are.
    """
    largest = float(np.abs(leaves.values).max())
    return leaves if mild[0] <= largest <= mild[1] or not 0 < largest < np.inf else Shares(leaves, name)


def squares(cells: Leaves | Shares) -> Sum:
    """Return the squares of cells, added up."""
    shape, flat = cells.values.shape, cells.values.reshape(-1)

    def square(position: int) -> Expression:
        return Power(cells[[int(k) for k in np.unravel_index(position, shape)]], 2)

    return Sum(flat.size, square, flat**2, rf"\sum_c {cells.latex}^{{2}}")


class Addends:
    """Terms of a one-hop formula: their values, and the inputs whose cells make one of them."""

    def __init__(self, values: Array, factors: Sequence[Leaves]) -> None:
        self.values, self.factors = values, factors

    def cells(self, position: int) -> tuple[Cell, ...]:
        index = np.unravel_index(position, self.values.shape)
        return tuple(leaves[[int(k) for k in index]] for leaves in self.factors)


class Signs(NamedTuple):
    """The signs of one way to write a formula."""

    cell: Callable[[str, str], str]  # a name, and its indices
    number: Callable[[float], str]
    brackets: str
    length: str  # ‖…‖
    dot: str
    times: str
    minus: str
    tanh: str
    root: str
    square: str

    def inside(self, text: str) -> str:
        return self.brackets % text
