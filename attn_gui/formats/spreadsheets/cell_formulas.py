"""Formulas of spreadsheet cells, made from the expressions that explain a problem's cells. Imports engine expressions.

Sums over cells that stand in one line become SUM and SUMPRODUCT of ranges, others are written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from attn_gui.engine.graph.expressions import (
    Cell,
    Evaluated,
    Expression,
    Function,
    Largest,
    Named,
    Negative,
    Number,
    OpenOnly,
    Power,
    Product,
    Quotient,
    Sum,
    UnlessClosed,
)
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError

from .closed_cells import CLOSED, LOWEST

NO_FORMULA = QT_TRANSLATE_NOOP("Sentences", "There is no formula for a spreadsheet of {kind} yet.")
FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {name: name.upper() for name in ("exp", "tanh", "sqrt", "cos", "sin", "erfc", "abs")}
)
_PLACE = re.compile("\0([^\0]*)\0")


class Place(NamedTuple):
    """A cell of a workbook, rows and columns counted from 1."""

    sheet: str
    row: int
    column: int

    def letters(self) -> str:
        """B3."""
        text, rest = "", self.column
        while rest:
            rest, digit = divmod(rest - 1, 26)
            text = chr(ord("A") + digit) + text
        return f"{text}{self.row}"


class CellFormulas:
    """Writes formulas: `place` tells where a cell stands, `named` what is written for a part with a name of its own.

    `closed` names the arrays that hold −∞.
    """

    def __init__(
        self,
        place: Callable[[Cell], Place],
        named: Callable[[str, Callable[[], str]], str],
        closed: Collection[str] = (),
    ) -> None:
        self._place, self._named, self._closed, self._parts = place, named, closed, 0
        self._writers: dict[type[Expression], Callable[[Any], str]] = {
            Number: lambda part: _number(part.value),
            Cell: lambda part: marked(self._place(part)),
            Sum: self._sum,
            Product: self._product,
            Negative: lambda part: f"-{self._inner(part.part)}",
            Quotient: self._quotient,
            Power: lambda part: f"{self._inner(part.base)}^{part.exponent}",
            Function: lambda part: f"{FUNCTIONS[part.name]}({self.marked_text(part.part)})",
            Evaluated: lambda part: self.marked_text(part.part),
            Named: self._part,
            Largest: self._largest,
            OpenOnly: lambda part: f"IF({self._inner(part.condition)}=0,{CLOSED},{self.marked_text(part.part)})",
            UnlessClosed: lambda part: self._unless_closed(part.own, self.marked_text(part.part)),
        }

    def marked_text(self, part: Expression) -> str:
        """The formula with marks for the cells; see `unmarked`. Raises FormatError for what has none."""
        if type(part) not in self._writers or (isinstance(part, Function) and part.name not in FUNCTIONS):
            raise FormatError(NO_FORMULA, kind=getattr(part, "name", type(part).__name__))
        return self._writers[type(part)](part)

    def _inner(self, part: Expression) -> str:
        text = self.marked_text(part)
        return text if re.fullmatch(r"\0[^\0]*\0|[\d.E+]+|[A-Z]+\([^()]*\)", text) else f"({text})"

    def _sum(self, total: Sum) -> str:
        texts = [self.marked_text(total.term(k)) for k in range(total.count)]
        if len(texts) == 1:
            return texts[0]
        for count in (len(texts), len(texts) - 1):  # the last may stand elsewhere, as a sink does
            if text := _over_ranges(texts[:count]):
                return "".join([text, *map(_signed, texts[count:])])
        return "".join(map(_signed, texts)).removeprefix("+") or "0"

    def _product(self, part: Product) -> str:
        """A product with −∞ is −∞: the number that stands for it would become another one."""
        text = "*".join(map(self._inner, part.factors))
        closed = next(filter(self._may_be_closed, part.factors), None)
        return text if closed is None else self._unless_closed(closed, text)

    def _may_be_closed(self, part: Expression) -> bool:
        if isinstance(part, Product):
            return any(map(self._may_be_closed, part.factors))
        return isinstance(part, Cell) and part.name in self._closed

    def _unless_closed(self, own: Expression, text: str) -> str:
        return f"IF({self._inner(own)}<{LOWEST},{CLOSED},{text})"

    def _largest(self, part: Largest) -> str:
        texts = [self.marked_text(part.terms.term(k)) for k in range(part.terms.count)]
        for count in (len(texts), len(texts) - 1):  # spreadsheets take 255 of them: cells of a line are one, not a sink
            if cells := _in_a_line(texts[:count]):
                texts = [cells[1][0], *texts[count:]]
                break
        return f"MAX({','.join([LOWEST, *texts])})"

    def _quotient(self, part: Quotient) -> str:
        """A total that may be 0 makes its shares 0."""
        top, before = self._inner(part.top), self._parts
        bottom = self._inner(part.bottom)
        return f"IF({bottom}=0,0,{top}/{bottom})" if self._parts > before else f"{top}/{bottom}"

    def _part(self, part: Named) -> str:
        self._parts += 1
        return self._named(part.name, lambda: self.marked_text(part.part))


def marked(place: Place, last: Place | None = None) -> str:
    """A cell, or the range up to another, as it stands in a formula that is not finished."""
    ends = [place] if last is None else [place, last]
    return "\0" + "\1".join([place.sheet, *(f"{end.row},{end.column}" for end in ends)]) + "\0"


def unmarked(text: str, sheet: str) -> str:
    """The finished formula for a cell of a sheet."""

    def written(match: re.Match[str]) -> str:
        name, *ends = match[1].split("\1")
        letters = ":".join(Place(name, *map(int, end.split(","))).letters() for end in ends)
        quoted = name if re.fullmatch(r"[A-Za-z_]{4,}", name) else "'" + name.replace("'", "''") + "'"
        return letters if name == sheet else f"{quoted}!{letters}"

    return _PLACE.sub(written, text)


def _over_ranges(texts: Sequence[str]) -> str:
    """A sum of terms that differ only in cells of one line; empty where they are no such terms."""
    found = _in_a_line(texts)
    if found is None or "IF(" in found[0]:
        return ""
    skeleton, ranges = found
    inside = re.sub("\2", lambda _: ranges.pop(0), skeleton)
    return f"SUM({inside})" if skeleton == "\2" else f"SUMPRODUCT({inside})"


def _in_a_line(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    """The text that all terms share, with a gap for each cell, and what goes into the gaps: a cell or a range."""
    skeletons = {_PLACE.sub("\2", text) for text in texts}
    if len(skeletons) > 1:
        return None
    slots = list(zip(*(_PLACE.findall(text) for text in texts), strict=True))
    steps = {step for slot in slots if (step := _step(slot)) != (0, 0)}
    if len(steps) != 1 or None in steps:
        return None
    ranges = []
    for slot in slots:
        places = [_parsed(end) for end in (slot[0], slot[-1])]
        ranges.append(f"\0{slot[0]}\0" if slot[0] == slot[-1] or None in places else marked(*places))  # type: ignore[arg-type]  # no None among them
    return skeletons.pop(), ranges


def _step(slot: Sequence[str]) -> tuple[int, int] | None:
    """Distance of the cells of a slot, (1, 0) or (0, 1); (0, 0) for one and the same, None for no line."""
    if len(set(slot)) == 1:
        return 0, 0
    places = [_parsed(text) for text in slot]
    steps = {
        None if a is None or b is None or a.sheet != b.sheet else (b.row - a.row, b.column - a.column)
        for a, b in pairwise(places)
    }
    step = steps.pop() if len(steps) == 1 else None
    return step if step in ((1, 0), (0, 1)) else None


def _parsed(text: str) -> Place | None:
    """A single cell; None for a range."""
    sheet, *ends = text.split("\1")
    return Place(sheet, *map(int, ends[0].split(","))) if len(ends) == 1 else None


def _signed(text: str) -> str:
    """A term of a sum with the sign before it."""
    if text.startswith("-"):
        return text
    return f"+({text})" if re.search(r"[+-]", _PLACE.sub("", text)) else f"+{text}"


def _number(value: float) -> str:
    text = repr(value).upper().removesuffix(".0")
    return f"({text})" if value < 0 else text
