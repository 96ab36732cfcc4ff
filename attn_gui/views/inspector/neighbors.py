"""The neighbors of a cell, named: what it comes from, and everything on that it reaches, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from PySide6.QtCore import QCoreApplication

from attn_gui.engine import STAGE, Cell, Explanation
from attn_gui.engine.arrays import Box
from attn_gui.engine.graph.nodes import plain_name
from attn_gui.views.inspector.context import Reached, cell_name, number

RUNNING = "·"
MANY = 64  # terms of which the first and the last say as well as all which index runs


@dataclass(frozen=True)
class Neighbor:
    """The words of a link and the cell that it leads to."""

    text: str
    name: str
    index: tuple[int, ...]


def sources(explanation: Explanation) -> tuple[Neighbor, ...]:
    """One link a matrix: its cell with the value, or its row or column with a dot where the index runs.

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


def reaches(reach: Iterable[Reached], head: int) -> tuple[Neighbor, ...]:
    """One link a stage, in order: `A[10, ·]`, of the shown head where that is reached."""
    return tuple(_reached(one, head) for one in reach)


def covered(boxes: Sequence[Box]) -> int:
    """The number of cells in any of the boxes, cells of several counted once; batch and heads left out."""
    edges = [sorted({edge for box in boxes for edge in (box[axis].start, box[axis].stop)}) for axis in (-2, -1)]
    grid = np.zeros([max(len(line) - 1, 0) for line in edges], bool)
    for box in boxes:
        grid[
            tuple(slice(line.index(cut.start), line.index(cut.stop)) for line, cut in zip(edges, box[-2:], strict=True))
        ] = True
    rows, columns = (np.diff(line) for line in edges)
    return int(rows @ grid @ columns)


def shown_boxes(boxes: Sequence[Box], head: int) -> tuple[Box, ...]:
    """The boxes of one head: the shown one where it is reached, else the first that is."""
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
        text = f"{cell_name(cell.name, cell.index)} = {number(cell.value, 3)}"
        # whichever head is on show, this one comes from one of them, unless it was set by hand
        if stage.told == "joint" and len(cell.index) > len(explanation.index):
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


def _reached(one: Reached, head: int) -> Neighbor:
    boxes = shown_boxes(one.boxes, head)
    index = [cut.start for cut in boxes[0]]
    if len(index) == 4 and boxes[0][1].start <= head < boxes[0][1].stop:
        index[1] = head
    return Neighbor(_reached_text(one, boxes), one.stage, tuple(index))


def _reached_text(one: Reached, boxes: Sequence[Box]) -> str:
    """A row or a column by its name, what is neither by its number of cells."""
    if len(boxes) > 1:
        words = QCoreApplication.translate("Relations", "{symbol}, {count} cells")
        return words.format(symbol=cell_name(one.stage, ()), count=covered(boxes))
    places = [_span(cut, length) for cut, length in zip(boxes[0], one.shape, strict=True)]
    return cell_name(one.stage, places)


def _span(cut: slice, length: int) -> str:
    if cut.stop - cut.start == 1:
        return str(cut.start)
    return RUNNING if cut.stop - cut.start == length else f"{cut.start} … {cut.stop - 1}"
