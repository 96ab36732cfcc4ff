"""Readings of what a map shows: its levels, how its numbers are spread, and what its legend counts."""

from __future__ import annotations

import numpy as np

from attn_gui.figure.display import Levels, Values, flag_counts
from attn_gui.figure.levels import LevelRule, finite_open
from attn_gui.pictures.plane_reading import numbers_of, overview_of
from attn_gui.pictures.planes import PlaneLike, covers
from attn_gui.pictures.supply import supply_of

COUNTED = 1 << 21
"""Cells of the largest map whose legend counts them all."""

WRITTEN, FAINT = 1 << 12, 0.05
"""Cells of the largest map that can have numbers in all of them, and weights that one decimal cannot write."""

SAMPLED = 1 << 17
"""Numbers that are enough to show how they are spread."""


def levels_of_plane(plane: PlaneLike, rule: LevelRule, owner: object = None) -> Levels | None:
    """Levels of a plane by a rule that takes them from its numbers; None where nothing is known yet."""
    numbers = numbers_of(plane, sampled=rule.sampled, owner=owner)
    assert rule.take is not None
    return None if numbers is None else rule.take(*numbers, plane.signed, plane.shape[1])


def sample_of(plane: PlaneLike | None, owner: object = None) -> Values:
    """Some finite open numbers of a plane, about as many as can be counted at once; none where none is known."""
    numbers = numbers_of(plane, sampled=True, owner=owner) if plane is not None else None
    if numbers is None:
        return np.zeros(0)
    step = numbers[0].size // SAMPLED + 1
    values, allowed = (None if part is None else part[::step] for part in numbers)
    assert values is not None
    return finite_open(values, allowed)


def counts_of(plane: PlaneLike | None) -> dict[int, int]:
    """Number of cells with each flag of `figure.display` other than ALLOWED; 0 for "some" in maps too long to count."""
    if plane is None or covers(plane):
        return {}
    if (supply := supply_of(plane)) is not None:
        sheet = supply.overview(plane)
        return dict.fromkeys(flag_counts(*sheet.part_known()), 0) if sheet is not None else {}
    rows, columns = plane.shape
    if rows * columns <= COUNTED:
        return flag_counts(*plane.block(slice(0, rows), slice(0, columns)))
    return dict.fromkeys(flag_counts(*overview_of(plane)), 0)


def has_faint(plane: PlaneLike | None) -> bool:
    """Whether open weights are so small that a cell may not write them out; asked of maps small enough for numbers."""
    rows, columns = plane.shape if plane is not None else (0, 0)
    if plane is None or plane.signed or rows * columns > WRITTEN:
        return False
    values, allowed = plane.block(slice(0, rows), slice(0, columns))
    faint = values < FAINT
    return bool((faint if allowed is None else faint & allowed).any())
