"""Rows of one run for another: cells of a stage, read where they stand in the other text."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.problem.errors import FieldError
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.run import Run

ROW = -2  # the axis of the tokens
_NO_ROW = QT_TRANSLATE_NOOP("Sentences", "The other text has no row {got}; it has {count} tokens.")
_LENGTHS = QT_TRANSLATE_NOOP(
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
        raise FieldError(_LENGTHS, stage=stage, got=given.shape[-1], expected=shape[-1])
    last = place + rows.stop - rows.start - 1
    if last >= given.shape[ROW]:
        raise FieldError(_NO_ROW, got=last, count=given.shape[ROW])
    return box, np.ascontiguousarray(given[..., place : last + 1, :])
