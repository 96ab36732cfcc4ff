"""Spreadsheet formulas made of the formulas of cells: SUM, ranges, closed cells, squares; names and places of sheets.

Sums over cells that stand in one line become SUM and SUMPRODUCT of ranges, others are written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph import expressions
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import N_

CLOSED, LOWEST = "-1E+300", "-1E+299"
"""The number that stands for −∞, which spreadsheets lack, and one that every other is above."""
NO_NUMBER = N_("A spreadsheet holds finite numbers only; {field} has others.")
_MAPS = (Role.SCORE, Role.SCALE, Role.CAP, Role.BIAS, Role.CLOSE)
_ADDING = (Role.BIAS, Role.CLOSE, Role.WEIGHT)

NO_FORMULA = N_("There is no formula for a spreadsheet of {kind} yet.")
FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {name: name.upper() for name in ("exp", "tanh", "sqrt", "cos", "sin", "erfc", "abs")}
)
_PLACE = re.compile("\0([^\0]*)\0")

TOP, LEFT = 3, 2  # row of the first block's headings, and column of its first cells; both count from 1
LONGEST_NAME = 31

NOT_SQUARED = N_(
    "Numbers of {field} are too large or too small for a spreadsheet to square. Export them as NPZ instead.",
)


# --- cells of −∞ ----------------------------------------------------------------------------------
# Cells of −∞ in a workbook: the number for them, and the arrays in which it means the same.
#
# A large negative number is as good as −∞ where it is compared, or other numbers are added to it; times 0.001, or in
# a sum of products, it is a number like any other.
class ClosedCells:
    """The arrays that may hold −∞: maps before the softmax, what is added to them, and interventions on them."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        nodes = list(nodes)
        self._able = {node.name for node in nodes if node.stage.role in _MAPS}
        for node in nodes:
            if node.stage.role in _ADDING or isinstance(node, InterventionNode):
                self._able.update(node.fields)
        self._aware = {node.name for node in nodes if node.stage.role is Role.CLOSE}
        self.names: set[str] = set()
        """Those that do, and whose products must look for it; what a mask has closed looks for itself."""

    def check(self, name: str, cells: Array) -> None:
        """Remember whether an array holds −∞. Raises FormatError for numbers that no spreadsheet has."""
        numbers = np.asarray(cells, dtype=np.float64)
        closed = np.isneginf(numbers)
        if not (np.isfinite(numbers) | (closed & (name in self._able))).all():
            raise FormatError(NO_NUMBER, field=plain_name(name))
        if closed.any() and name not in self._aware:
            self.names.add(name)


def number(value: float) -> float:
    """Return a number as written in a workbook."""
    return float(CLOSED) if np.isneginf(value) else value


# --- formulas -------------------------------------------------------------------------------------
class SheetCell(NamedTuple):
    """A cell of a workbook; rows and columns are counted from 1."""

    sheet: str
    row: int
    column: int

    def letters(self) -> str:
        """Return the cell as in a formula: B3."""
        text, rest = "", self.column
        while rest:
            rest, digit = divmod(rest - 1, 26)
            text = chr(ord("A") + digit) + text
        return f"{text}{self.row}"


class CellFormulas:
    """Writes formulas: `place` gives the place of a cell, `named` the text for a part with a name.

    `closed` names the arrays that hold −∞.
    """

    def __init__(
        self,
        place: Callable[[expressions.Cell], SheetCell],
        named: Callable[[str, Callable[[], str]], str],
        closed: Collection[str] = (),
    ) -> None:
        self._place, self._named, self._closed, self._parts = place, named, closed, 0
        self._writers: dict[type[expressions.Expression], Callable[[Any], str]] = {
            expressions.Number: lambda part: _number(part.value),
            expressions.Cell: lambda part: marked(self._place(part)),
            expressions.Sum: self._sum,
            expressions.Product: self._product,
            expressions.Negative: lambda part: f"-{self._inner(part.part)}",
            expressions.Quotient: self._quotient,
            expressions.Power: lambda part: f"{self._inner(part.base)}^{part.exponent}",
            expressions.Function: lambda part: f"{FUNCTIONS[part.name]}({self.marked_text(part.part)})",
            expressions.Evaluated: lambda part: self.marked_text(part.part),
            expressions.Named: self._part,
            expressions.Largest: self._largest,
            expressions.OpenOnly: lambda part: (
                f"IF({self._inner(part.condition)}=0,{CLOSED},{self.marked_text(part.part)})"
            ),
            expressions.UnlessClosed: lambda part: self._unless_closed(
                part.own, self.marked_text(part.part), part.closed
            ),
        }

    def marked_text(self, part: expressions.Expression) -> str:
        """Return the formula with marks for the cells; see `unmarked`. Raises FormatError for what has none."""
        if type(part) not in self._writers or (isinstance(part, expressions.Function) and part.name not in FUNCTIONS):
            raise FormatError(NO_FORMULA, kind=getattr(part, "name", type(part).__name__))
        return self._writers[type(part)](part)

    def _inner(self, part: expressions.Expression) -> str:
        text = self.marked_text(part)
        return text if re.fullmatch(r"\0[^\0]*\0|[\d.E+]+|[A-Z]+\([^()]*\)", text) else f"({text})"

    def _sum(self, total: expressions.Sum) -> str:
        texts = [self.marked_text(total.term(k)) for k in range(total.count)]
        if len(texts) == 1:
            return texts[0]
        for count in (len(texts), len(texts) - 1):  # the last may stand elsewhere, as a sink does
            if text := _over_ranges(texts[:count]):
                return "".join([text, *map(_signed, texts[count:])])
        return "".join(map(_signed, texts)).removeprefix("+") or "0"

    def _product(self, part: expressions.Product) -> str:
        """Return a product; where a factor is −∞ that itself: what stands for −∞ must stay that number."""
        text = "*".join(map(self._inner, part.parts))
        closed = next(filter(self._may_be_closed, part.parts), None)
        return text if closed is None else self._unless_closed(closed, text)

    def _may_be_closed(self, part: expressions.Expression) -> bool:
        if isinstance(part, expressions.Product):
            return any(map(self._may_be_closed, part.parts))
        return isinstance(part, expressions.Cell) and part.name in self._closed

    def _unless_closed(self, own: expressions.Expression, text: str, closed: float = -np.inf) -> str:
        value = _number(number(closed)).strip("()")
        return f"IF({self._inner(own)}<{LOWEST},{value},{text})"

    def _largest(self, part: expressions.Largest) -> str:
        texts = [self.marked_text(part.terms.term(k)) for k in range(part.terms.count)]
        for count in (len(texts), len(texts) - 1):  # spreadsheets take 255 of them: cells of a line are one, not a sink
            if cells := _in_a_line(texts[:count]):
                texts = [cells[1][0], *texts[count:]]
                break
        return f"MAX({','.join([LOWEST, *texts])})"

    def _quotient(self, part: expressions.Quotient) -> str:
        """Return top/bottom; where the bottom holds a part with a name, a total that may be 0, 0 if it is."""
        top, before = self._inner(part.top), self._parts
        bottom = self._inner(part.bottom)
        return f"IF({bottom}=0,0,{top}/{bottom})" if self._parts > before else f"{top}/{bottom}"

    def _part(self, part: expressions.Named) -> str:
        self._parts += 1
        return self._named(part.name, lambda: self.marked_text(part.part))


def marked(place: SheetCell, last: SheetCell | None = None) -> str:
    """Return a cell, or a range, as it is marked in an unfinished formula."""
    ends = [place] if last is None else [place, last]
    return "\0" + "\1".join([place.sheet, *(f"{end.row},{end.column}" for end in ends)]) + "\0"


def unmarked(text: str, sheet: str) -> str:
    """Return the finished formula for a cell of a sheet."""

    def written(match: re.Match[str]) -> str:
        name, *ends = match[1].split("\1")
        letters = ":".join(SheetCell(name, *map(int, end.split(","))).letters() for end in ends)
        quoted = name if re.fullmatch(r"[A-Za-z_]{4,}", name) else "'" + name.replace("'", "''") + "'"
        return letters if name == sheet else f"{quoted}!{letters}"

    return _PLACE.sub(written, text)


def _over_ranges(texts: Sequence[str]) -> str:
    """Return a sum of terms that differ only in cells of one line as a formula of ranges; "" for other sums."""
    found = _in_a_line(texts)
    if found is None or "IF(" in found[0]:
        return ""
    skeleton, ranges = found
    inside = re.sub("\2", lambda _: ranges.pop(0), skeleton)
    return f"SUM({inside})" if skeleton == "\2" else f"SUMPRODUCT({inside})"


def _in_a_line(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return (text that all terms share, with gaps, the cell or range that goes into each gap)."""
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
    """Return the step between the cells of a gap, (1, 0) or (0, 1); (0, 0) for the same cell, None for no line."""
    if len(set(slot)) == 1:
        return 0, 0
    places = [_parsed(text) for text in slot]
    steps = {
        None if a is None or b is None or a.sheet != b.sheet else (b.row - a.row, b.column - a.column)
        for a, b in pairwise(places)
    }
    step = steps.pop() if len(steps) == 1 else None
    return step if step in ((1, 0), (0, 1)) else None


def _parsed(text: str) -> SheetCell | None:
    """Return a single cell; None for a range."""
    sheet, *ends = text.split("\1")
    return SheetCell(sheet, *map(int, ends[0].split(","))) if len(ends) == 1 else None


def _signed(text: str) -> str:
    """Return a term of a sum with its sign in front."""
    if text.startswith("-"):
        return text
    return f"+({text})" if re.search(r"[+-]", _PLACE.sub("", text)) else f"+{text}"


def _number(value: float) -> str:
    text = repr(value).upper().removesuffix(".0")
    return f"({text})" if value < 0 else text


# --- boards ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ArraySheet:
    """The sheet of one array: a block for each item and head, one below the other."""

    sheet: str
    shape: tuple[int, ...]

    @cached_property
    def size(self) -> tuple[int, int]:
        """(rows, columns) of a block."""
        rows, columns = (1, 1, *self.shape)[-2:]
        return rows, columns

    @property
    def blocks(self) -> Iterator[tuple[int, ...]]:
        """The (item, head) of each block."""
        return np.ndindex(*self.shape[:-2])

    def place(self, index: tuple[int, ...]) -> SheetCell:
        """Return the cell of the workbook for a cell of the array."""
        row, column = (0, 0, *index)[-2:]
        return SheetCell(self.sheet, self.head(index[:-2]) + 1 + row, LEFT + column)

    def head(self, block: tuple[int, ...]) -> int:
        """Return the row of the headings of a block."""
        number = int(np.ravel_multi_index(block, self.shape[:-2])) if block else 0
        return TOP + number * (self.size[0] + 2)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return prod(self.shape)


def sheet_name(name: str, taken: set[str]) -> str:
    """Return a valid sheet name that is not taken."""
    plain, number = name[:LONGEST_NAME], 2
    while plain in taken:
        end = f" {number}"
        plain, number = name[: LONGEST_NAME - len(end)] + end, number + 1
    taken.add(plain)
    return plain


# Squares in a workbook: the engine adds them up at a level of their own, a spreadsheet as they are.
def check_squares(node: Node, whole: Callable[[str], Array]) -> None:
    """Raise FormatError for numbers (`whole`, all that a stage reads) whose squares no spreadsheet has."""
    for place, (least, most) in node.stage.squares.items():
        name = node.inputs[place].name
        sizes = np.abs(whole(name))
        if ((sizes > most) | ((sizes > 0) & (sizes < least))).any():
            raise FormatError(NOT_SQUARED, field=plain_name(name))
