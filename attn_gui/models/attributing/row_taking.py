"""Rows of one run for another: cells of a stage, read where they stand in the other text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.checks import Record
from attn_gui.engine.errors import FieldError, StageError
from attn_gui.engine.interventions import Intervention, Set
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.run import Run

ROW = -2  # the axis of the tokens
_NO_ROW = QT_TRANSLATE_NOOP("Sentences", "The other text has no row {got}; it has {count} tokens.")
UNEQUAL_ROWS = QT_TRANSLATE_NOOP(
    "Sentences",
    "A row of {stage} has {got} numbers in the other text and {expected} here; only rows of the same length can stand "
    "in for each other.",
)


def rows_taken(
    now: Run, other: Run, layer: int, stage: str, rows: slice | None = None, place: int = 0
) -> tuple[Box, Array]:
    """A box of a stage of a run, `rows` of it (all without them) over all heads, and the cells to stand there.

    These are another run's, from its row `place` on. Raises StageError where the layer has no such stage, FieldError
    where the other text has no such rows, or longer or shorter ones.
    """
    shape, given = now.stage(layer, stage).shape, other.stage(layer, stage)
    rows = slice(0, shape[ROW]) if rows is None else rows
    box = tuple(rows if axis == len(shape) + ROW else slice(0, length) for axis, length in enumerate(shape))
    if given.shape[-1] != shape[-1]:
        raise FieldError(UNEQUAL_ROWS, stage=stage, got=given.shape[-1], expected=shape[-1])
    last = place + rows.stop - rows.start - 1
    if last >= given.shape[ROW]:
        raise FieldError(_NO_ROW, got=last, count=given.shape[ROW])
    return box, np.ascontiguousarray(given[..., place : last + 1, :])


class Origin(NamedTuple):
    """The row of another run from which on its cells were taken, and for which they stand: axes left out are whole."""

    row: int
    at: Record


def origin_of(other: Run, layer: int, record: Intervention) -> Origin | None:
    """The rows of another run that are the cells that an intervention sets; None for cells that it has nowhere.

    Of several such rows the one at the intervention's own place, else the first.
    """
    values = record.cells
    if not isinstance(record, Set) or values.ndim != len(STAGE[record.stage].axes):
        return None
    try:
        given = other.stage(layer, record.stage)
    except StageError:
        return None
    axes = STAGE[record.stage].axes
    *outer, rows, columns = record.box(axes, given.shape)
    found = given[(*outer, slice(None), columns)]
    if found.shape[:ROW] + found.shape[-1:] != values.shape[:ROW] + values.shape[-1:]:
        return None
    count = values.shape[ROW]
    places = range(found.shape[ROW] - count + 1)
    same = [place for place in places if np.array_equal(found[..., place : place + count, :], values)]
    if not same:
        return None
    whole = {axis: (0, length) for axis, length in zip(axes, given.shape, strict=True)}
    at = Record({axis: place for axis, place in record.at.items() if place != whole[axis]})
    return Origin(min(same, key=lambda place: (place != rows.start, place)), at)
