"""Reads maps for figures: whole, or for long problems as pictures with one block a pixel, in strips."""

from __future__ import annotations

import numpy as np

from attn_gui.engine import Plane
from attn_gui.engine.evaluation.choice import is_long
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.memory import check
from attn_gui.engine.progress import Progress, silent, within
from attn_gui.figure.numbers_to_pixels import Allowed, Values

STRIP = 1 << 21
"""Blocks of a picture, or cells of a map, that are worked with at a time."""


def picture(plane: Plane, rows: int, columns: int, progress: Progress = silent) -> tuple[Values, Allowed | None]:
    """Return (values, allowed) of a plane of a long problem in rows × columns blocks, at most as many as it has cells.

    Of each block the cell of largest magnitude over allowed cells, sign kept; NaN wins. Raises FieldError where so many
    blocks are more than a share of the free memory.
    """
    height, width = plane.shape
    rows, columns = min(rows, height), min(columns, width)
    check(rows * columns * (np.dtype(plane.evaluation.problem.dtype).itemsize + 1))  # and whether each is allowed
    _prepare(plane, within(progress, 0, 2))
    values = np.empty((rows, columns), plane.evaluation.problem.dtype)
    allowed: Allowed | None = None
    step = max(1, STRIP // (columns * -(-height // rows)))
    for low in range(0, rows, step):
        part = slice(low, min(low + step, rows))
        exact = (rows, columns) == (height, width)
        values[part], opened = plane.block(part, slice(0, width)) if exact else plane.pooled_once(rows, columns, part)
        if opened is not None:
            allowed = np.empty((rows, columns), bool) if allowed is None else allowed
            allowed[part] = opened
        progress((1 + part.stop / rows) / 2)
    return values, allowed


def pooled_map(plane: Plane, side: int, progress: Progress = silent) -> tuple[Values, Allowed | None]:
    """Return (values, allowed) of a plane of any problem in at most so many blocks a side, pooled as `picture` says."""
    rows, columns = (min(side, cells) for cells in plane.shape)
    if is_long(plane.evaluation.problem):
        return picture(plane, rows, columns, progress)
    found = pool(*plane.block(slice(0, plane.shape[0]), slice(0, plane.shape[1])), rows, columns)
    progress(1.0)
    return found


def _prepare(plane: Plane, progress: Progress) -> None:
    """Have the rows of weights computed that the stage is made of."""
    evaluation, stage = plane.evaluation, plane.stage
    entry = evaluation.node(stage).stage
    if entry.input_side or (entry.square and not entry.shares):
        return
    heads = range(evaluation.problem.num_heads)
    if entry.per_head:
        heads = range(plane.head or 0, (plane.head or 0) + 1)
    evaluation.complete([(plane.batch, head) for head in heads], progress=lambda done, all_: progress(done / all_))
