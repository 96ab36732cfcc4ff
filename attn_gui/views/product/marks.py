"""The row and column that a chosen cell marks in other maps: those that belong to it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attn_gui.engine.evaluation.parts import Part
from attn_gui.figure.products.operands import KEY, PLAIN, QUERY
from attn_gui.pictures.planes import PlaneLike

ROLES = {"i": QUERY, "j": KEY}


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


def lines_of(parts: Iterable[Part], planes: Mapping[str, PlaneLike | None]) -> dict[str, Lines]:
    """The lines of every map that has any; of several parts of one matrix the first."""
    found: dict[str, Lines] = {}
    for part in parts:
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
