"""The cells behind Comes from and Reaches, by name and number; numbers and columns as an explanation writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication

from attn_gui.engine import STAGE, Cell, Explanation
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.graph.printed_digits import short_number
from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.engine.problem import Problem
from attn_gui.figure.text.number_formats import MINUS, is_whole
from attn_gui.figure.text.rich_text import token_text
from attn_gui.views.names import letter

SMALL, LARGE = 1e-3, 1e6  # magnitudes that a column writes without a power of ten


class ReachedBoxes(NamedTuple):
    """The boxes of a stage that a cell reaches, and the lengths of the stage's axes."""

    stage: str
    boxes: Sequence[Box]
    shape: tuple[int, ...]


class OtherState(NamedTuple):
    """The explained cell in the state before: what the two states are called, its explanation there, its number (None
    behind a mask), and of weights its whole row."""

    names: tuple[str, str]
    explanation: Explanation
    value: float | None
    row: Array


class ExplainContext(NamedTuple):
    """The chosen cell as it is shown (row and column within the shown head), the tokens, the problem, its reach.

    `trail` holds (stage, row, column as shown) of the cells that led to it, the first one first; `before` is the cell
    in the state that stands beside the present one.
    """

    head: int
    row: int
    column: int
    query_tokens: Sequence[str] | None
    key_tokens: Sequence[str] | None
    problem: Problem
    reach: Sequence[ReachedBoxes] = ()
    trail: Sequence[tuple[str, int, int]] = ()
    before: OtherState | None = None

    def query_name(self, row: int) -> str:
        """Return the token of a query, or its number."""
        return _token(self.query_tokens, row)

    def key_name(self, row: int) -> str:
        """Return the token of a key, or its number."""
        return _token(self.key_tokens, row)

    def shown_name(self, stage: str, row: int, column: int) -> str:
        """Return `A[10, 13]`: columns of Q, K and V count over the whole matrix, others within the head."""
        if not STAGE[stage].input_side:
            return cell_name(stage, (row, column))
        return cell_name(stage, (row, column + self.head_of(stage) * self.head_width(stage)))

    def head_of(self, stage: str) -> int:
        """Return the shown head as Q, K or V count it: K and V may have fewer."""
        problem = self.problem
        return self.head // (problem.num_heads // problem.kv_heads) if STAGE[stage].by_key else self.head

    def head_width(self, stage: str) -> int:
        """Return the number of columns of Q, K or V of a head: keys may be wider than queries."""
        problem, entry = self.problem, STAGE[stage]
        if entry.target.name == "value":
            return problem.d_v
        return problem.d_key if entry.by_key else problem.d_k


def cell_name(name: str, index: Sequence[object]) -> str:
    """Return `A[10, 13]`: the symbol and the last two indices; a number without axes is its symbol alone."""
    places = ", ".join(str(place) for place in tuple(index)[-2:])
    return f"{letter(name)}[{places}]" if places else letter(name)


def running_name(first: Cell, last: Cell, letter: str, start: int) -> str:
    """Return `Q[10, c]`: the name of cells whose index runs from that of the first to that of the last; `Q[10, c − 2]`
    where it is 2 less than the letter, which runs from `start`."""

    def running(place: int) -> str:
        apart = place - start
        return f"{letter} {MINUS if apart < 0 else '+'} {abs(apart)}" if apart else letter

    places = zip(first.index, last.index, strict=True)
    return cell_name(first.name, [a if a == b else running(a) for a, b in places])


def role_of(name: str) -> str:
    """Return the role of the rows of Q, K and V; empty for other matrices."""
    if name not in STAGE or not STAGE[name].input_side:
        return ""
    return "key" if STAGE[name].by_key else "query"


def number(value: float, write: Callable[[float], str] = short_number) -> str:
    """Return a number in a sentence, in as many digits as formulas have it; `write` prints those that are not whole."""
    if is_whole(value) or not math.isfinite(value):
        return column_number(value, 0)
    return write(value).replace("-", MINUS)


def column_number(value: float, decimals: int) -> str:
    """Return a number in a column: fixed decimals also for small ones, so that points stand below one another."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+∞" if value > 0 else MINUS + "∞"
    if abs(value) >= LARGE:
        return _power_of_ten(value)
    text = f"{value:.{decimals}f}"
    return text.replace("-", MINUS if float(text) else "")


def column_writer(values: Iterable[float], decimals: int) -> Callable[[float], str]:
    """Return the number format of a column: powers of ten where the largest, or one of them, would lose its
    digits otherwise."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if 0 < largest < 10.0 ** (1 - decimals):
        return lambda value: number(value) if value == 0 or not math.isfinite(value) else _power_of_ten(value)
    return lambda value: _power_of_ten(value) if 0 < abs(value) < SMALL else column_number(value, decimals)


def _power_of_ten(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def _token(tokens: Sequence[str] | None, row: int) -> str:
    """Return a token as it is shown; one of blanks alone is its number."""
    return (token_text(tokens[row]).strip() if tokens and row < len(tokens) else "") or str(row)


RUNNING = "·"
MANY = 64  # terms of which the first and the last say as well as all which index runs


@dataclass(frozen=True)
class Neighbor:
    """The words of a link and the cell that it leads to."""

    text: str
    name: str
    index: tuple[int, ...]


def sources(explanation: Explanation) -> tuple[Neighbor, ...]:
    """Return one link a matrix: its cell with the value, or its row or column with a dot where the index runs.

    A link to a row or column leads to the cell in it whose term is the largest.
    """
    computed = explanation.computed
    if computed is not None:  # its own number first, then what it would have come from
        here = computed.stage, computed.index
        own = [cell for cell in explanation.some_sources(MANY) if (cell.name, cell.index) != here]
        return (*_linked(own, explanation), *sources(computed))
    return _linked(explanation.some_sources(MANY), explanation)


def _linked(found: Sequence[Cell], explanation: Explanation) -> tuple[Neighbor, ...]:
    order = {name: place for place, name in enumerate(dict.fromkeys(cell.name for cell in found))}
    cells = sorted(found, key=lambda cell: order[cell.name])
    return tuple(_source(list(group), explanation) for _, group in groupby(cells, key=lambda cell: cell.name))


def reaches(reach: Iterable[ReachedBoxes], head: int) -> tuple[Neighbor, ...]:
    """Return one link a stage, in order: `A[10, ·]`, of the shown head where that is reached."""
    return tuple(_reached(one, head) for one in reach)


def covered(boxes: Sequence[Box]) -> int:
    """Return the number of cells in any of the boxes, cells of several counted once; batch and heads left out."""
    edges = [sorted({edge for box in boxes for edge in (box[axis].start, box[axis].stop)}) for axis in (-2, -1)]
    grid = np.zeros([max(len(line) - 1, 0) for line in edges], bool)
    for box in boxes:
        grid[
            tuple(slice(line.index(cut.start), line.index(cut.stop)) for line, cut in zip(edges, box[-2:], strict=True))
        ] = True
    rows, columns = (np.diff(line) for line in edges)
    return int(rows @ grid @ columns)


def shown_boxes(boxes: Sequence[Box], head: int) -> tuple[Box, ...]:
    """Return the boxes of one head: the shown one where it is reached, else the first that is."""
    if len(boxes[0]) < 4:
        return tuple(boxes)
    mine = tuple(box for box in boxes if box[1].start <= head < box[1].stop)
    first = boxes[0][1].start
    return mine or tuple(box for box in boxes if box[1].start <= first < box[1].stop)


def _source(cells: list[Cell], explanation: Explanation) -> Neighbor:
    stage = STAGE[plain_name(explanation.stage)]
    own = next((cell for cell in cells if stage.shares and cell.index == explanation.index), None)
    if len(cells) == 1 or own is not None:  # a softmax reads its whole row; its own score says most
        cell = own or cells[0]
        text = f"{cell_name(cell.name, cell.index)} = {number(cell.value)}"
        # whichever head is on show, this one comes from one of them, unless it was set by hand
        if stage.wording == "joint" and len(cell.index) > len(explanation.index):
            text = QCoreApplication.translate("Relations", "{cell}, head {head}").format(cell=text, head=cell.index[1])
        return Neighbor(text, plain_name(cell.name), cell.index)
    axes = zip(*(cell.index for cell in cells), strict=True)
    chief = next((cell for cell in _largest_term(explanation) if cell.name == cells[0].name), cells[0])
    return Neighbor(cell_name(chief.name, [_one_or_dot(axis) for axis in axes]), chief.name, chief.index)


def _largest_term(explanation: Explanation) -> tuple[Cell, ...]:
    sizes = np.abs(explanation.terms.values)
    return explanation.terms[int(np.nan_to_num(sizes, nan=-1.0).argmax())].cells if sizes.size else ()


def _one_or_dot(places: Iterable[int]) -> object:
    distinct = set(places)
    return distinct.pop() if len(distinct) == 1 else RUNNING


def _reached(one: ReachedBoxes, head: int) -> Neighbor:
    boxes = shown_boxes(one.boxes, head)
    index = [cut.start for cut in boxes[0]]
    if len(index) == 4 and boxes[0][1].start <= head < boxes[0][1].stop:
        index[1] = head
    return Neighbor(_reached_text(one, boxes), one.stage, tuple(index))


def _reached_text(one: ReachedBoxes, boxes: Sequence[Box]) -> str:
    """Return a row or a column by its name, what is neither by its number of cells."""
    if len(boxes) > 1:
        words = QCoreApplication.translate("Relations", "{symbol}, {count} cells")
        return words.format(symbol=cell_name(one.stage, ()), count=covered(boxes))
    places = [_span(cut, length) for cut, length in zip(boxes[0], one.shape, strict=True)]
    return cell_name(one.stage, places)


def _span(cut: slice, length: int) -> str:
    if cut.stop - cut.start == 1:
        return str(cut.start)
    return RUNNING if cut.stop - cut.start == length else f"{cut.start} … {cut.stop - 1}"
