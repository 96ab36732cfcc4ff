"""The row and column that a chosen cell marks in other maps: those that belong to it, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from attn_gui.engine import Evaluation
from attn_gui.engine.evaluation.readout import parts_of
from attn_gui.engine.graph.nodes import Part
from attn_gui.figure.operands import KEY, PLAIN, QUERY, stage_plane
from attn_gui.pictures.planes import PlaneLike

ROLES = {"i": QUERY, "j": KEY}


class Cell(Protocol):
    """A cell of a stage as its map shows it: row and column within the shown head."""

    @property
    def stage(self) -> str: ...
    @property
    def row(self) -> int: ...
    @property
    def column(self) -> int: ...


class StageCell(NamedTuple):
    """A cell of a stage as its map shows it."""

    stage: str
    row: int
    column: int


class Lines(NamedTuple):
    """The row and the column that are marked in one map, with their roles."""

    row: int | None = None
    column: int | None = None
    row_role: str = QUERY
    column_role: str = KEY


NOTHING = Lines()


def lines_of(
    evaluation: Evaluation | None, cell: Cell | None, item: int, head: int, planes: Mapping[str, PlaneLike | None]
) -> dict[str, Lines]:
    """The lines of a cell in every map that has any; of several parts of one matrix the first.

    A cell that the evaluation does not have, chosen in a document before this one, marks nothing.
    """
    found: dict[str, Lines] = {}
    if evaluation is None or cell is None or cell.stage not in evaluation.stages:
        return found
    own = stage_plane(evaluation, cell.stage, item, head)
    if cell.row >= own.shape[0] or cell.column >= own.shape[1]:
        return found
    for part in parts_of(evaluation, cell.stage, own.index(cell.row, cell.column)):
        plane = planes.get(part.name)
        if plane is not None and part.name not in found and (lines := _lines(part, plane)) is not None:
            found[part.name] = lines
    return found


def _lines(part: Part, plane: PlaneLike) -> Lines | None:
    cuts = plane.cells(part.box)
    if cuts is None:
        return None
    row, column = (cut.start if cut.stop - cut.start == 1 else None for cut in cuts)
    roles = [ROLES.get(part.owner(axis), PLAIN) for axis in (-2, -1)]
    if getattr(plane, "transposed", False):
        roles.reverse()
    return Lines(row, column, *roles)
