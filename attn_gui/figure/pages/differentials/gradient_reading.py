"""Contents of the page of gradients: the sum that is differentiated, maps of gradients, the largest checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.differentiation import finite_difference
from attn_gui.engine.analysis.sensitivity import gradients, step_gradients, strongest
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.progress import Tell
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.differentials.differentiated import differentiated
from attn_gui.figure.products.operands import stage_plane
from attn_gui.formats.rows import has_items
from attn_gui.pictures.planes import MADE_BY

LISTED = 5
SIDE = 128
"""Blocks of a map at most, by side."""
STEPS, TABLES = "steps", "tables"


@dataclass(frozen=True, eq=False)
class GradientMap:
    """Gradients by a part of a stage or of a field, as (row, column) in blocks: `shape` of what they stand for.

    `first` is the row and the column, as shown, of its first cell; `moves` tells whether any of all gradients by the
    stage or the field, of whatever item and head, is other than 0.
    """

    name: str
    cells: Array
    shape: tuple[int, int]
    first: tuple[int, int]
    largest: float
    is_stage: bool
    moves: bool


@dataclass(frozen=True)
class Checked:
    """A number of the problem with the exact gradient by it, and the finite difference."""

    field: str
    index: tuple[int, ...]
    exact: float
    by_difference: float

    @property
    def apart(self) -> float:
        """The distance of the two as a share of the larger one."""
        largest = max(abs(self.exact), abs(self.by_difference))
        return abs(self.exact - self.by_difference) / largest if largest != 0 else 0.0  # a NaN stays one


@dataclass(frozen=True, eq=False)
class Gradients:
    """The sum that was differentiated, in words, with its value; its maps, and the largest gradients."""

    name: str
    value: float
    maps: tuple[GradientMap, ...]
    checked: tuple[Checked, ...]
    common: bool
    head: int
    heads: int


def read_gradients(evaluation: Evaluation, aim: Aim, tell: Tell) -> Gradients:
    """Take the gradients that a page shows, then compute the finite differences one after the other."""
    box, weights, name, value = differentiated(
        stage_plane(evaluation, aim.stage, aim.batch, aim.head), *(aim.cell or (0, 0)), aim.knobs["of"]
    )
    by_field = gradients(evaluation, aim.stage, box, weights)
    if aim.knobs["by"] == STEPS:
        steps = step_gradients(evaluation, aim.stage, box, weights)
        maps = [_of_step(evaluation, aim, step, *found) for step, found in steps.items()]
    else:
        maps = list(_of_fields(evaluation, aim, by_field))
    checked = []
    largest = strongest(by_field, LISTED)
    for number, (field, index, exact) in enumerate(largest):
        tell((number + 1) / (len(largest) + 1))
        beside = finite_difference(evaluation.problem, aim.stage, box, weights, field, index)
        checked.append(Checked(field, index, exact, beside))
    tell(1.0)
    common = aim.knobs["bar"] == "common"
    return Gradients(name, value, tuple(maps), tuple(checked), common, aim.head, evaluation.problem.num_heads)


def _of_step(evaluation: Evaluation, aim: Aim, stage: str, box: Box, found: Array) -> GradientMap:
    """The gradient by the part of a stage that the sum reads, of the item and the head on show."""
    cells, batch, *head = found, box[0], *box[1:-2]
    cells = cells[min(max(aim.batch - batch.start, 0), len(cells) - 1)]
    for axis in head:
        cells = cells[min(max(aim.head - axis.start, 0), len(cells) - 1)]
    rows, columns = box[-2].start, box[-1].start
    if not head and not evaluation.node(stage).stage.joined:
        mine = evaluation.head_columns(stage, aim.head)
        low, high = max(mine.start, box[-1].start), min(mine.stop, box[-1].stop)
        if low < high:
            cells, columns = cells[:, low - box[-1].start : high - box[-1].start], low - mine.start
    return _map(stage, cells, (rows, columns), is_stage=True, moves=bool(np.any(found)))


def _of_fields(evaluation: Evaluation, aim: Aim, found: dict[str, Array]) -> Iterator[GradientMap]:
    """The gradient by every table of the problem: of the item on show, and of its head where columns have heads."""
    for field, each in found.items():
        if not each.ndim:
            continue
        cells = each[None] if each.ndim == 1 else each
        places = (aim.batch, aim.head) if has_items(evaluation.problem, field) else (aim.head,)
        for place in places[: cells.ndim - 2]:
            cells = cells[min(place, len(cells) - 1)]
        stage, is_stage = MADE_BY.get(field, field if field in MADE_BY.values() else ""), field in evaluation.stages
        mine = evaluation.head_columns(stage, aim.head) if stage else slice(0, cells.shape[1])
        first = 0 if is_stage else mine.start  # a stage counts the columns of its head, a table all
        yield _map(field, cells[:, mine], (0, first), is_stage=is_stage, moves=bool(np.any(each)))


def _map(name: str, cells: Array, first: tuple[int, int], *, is_stage: bool, moves: bool) -> GradientMap:
    shape = int(cells.shape[0]), int(cells.shape[1])
    largest = float(np.max(np.abs(np.nan_to_num(cells, nan=0.0, posinf=np.inf)), initial=0.0))
    blocks = pool(cells, None, min(SIDE, shape[0]), min(SIDE, shape[1]))[0]
    return GradientMap(name, np.asarray(blocks, dtype=np.float64), shape, first, largest, is_stage, moves)
