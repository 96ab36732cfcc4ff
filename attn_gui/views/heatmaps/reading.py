"""How maps read planes: in blocks no larger than can be held, or as a picture where the evaluation draws one itself."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from attn_gui.engine import Evaluation, Plane
from attn_gui.figure.display import (
    Allowed,
    Levels,
    Values,
    auto_levels,
    block_edges,
    percentile_levels,
    pool_blocks,
    to_display,
)
from attn_gui.views.heatmaps.geometry import Span
from attn_gui.views.heatmaps.planes import Block, PlaneLike

AT_ONCE = 1 << 20
"""Cells that are asked for in one block."""

PICTURE = 512
"""Blocks of each axis of a picture that says how large the numbers of a long map are."""

COUNTED = 1 << 21
"""Cells of the largest map whose legend counts them all."""

Seen = tuple[Values, Allowed | None, Allowed | None]

_widest: WeakKeyDictionary[Evaluation, int] = WeakKeyDictionary()
"""Columns of the widest picture that was asked of an evaluation: it keeps one, of which smaller ones are made."""


def bins_of(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice, *, leads: bool = False) -> Seen:
    """(values, allowed, known) of some bins, the cells of each pooled into one; `known` None where all are.

    A map that `leads` may ask for a wider picture than there was before; the others make do with what it needs.
    """
    return (*_read(plane, rows, columns, down, right, leads), None)


def _read(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice, leads: bool) -> Block:
    if not (rows.pooled or columns.pooled):
        return plane.block(rows.cells_of(down), columns.cells_of(right))
    if isinstance(plane, Plane) and plane.draws_pictures and not plane.transposed and rows.whole and columns.whole:
        return _from_picture(plane, rows, columns, down, right, leads)
    return _pooled(plane, rows.cell_edges[down.start : down.stop + 1], columns.cell_edges[right.start : right.stop + 1])


def levels_of_plane(plane: PlaneLike, *, most: bool) -> Levels:
    """Levels from all numbers of a plane or, with `most`, from 99 % of them; of a very long one from its picture."""
    rows, columns = plane.shape
    if rows * columns <= AT_ONCE:
        values, allowed = plane.block(slice(0, rows), slice(0, columns))
    elif most:
        values, allowed = _sampled(plane)
    else:
        values, allowed = _picture(plane)
    if most:
        return percentile_levels(values, allowed, signed=plane.signed)
    return auto_levels(values, allowed, signed=plane.signed, keys=columns)


def counts_of(plane: PlaneLike) -> dict[int, int]:
    """How many cells carry each flag of `figure.display` other than ALLOWED; 0 for "some" in maps too long to count."""
    rows, columns = plane.shape
    if rows * columns <= COUNTED:
        return _counted(*plane.block(slice(0, rows), slice(0, columns)))
    return dict.fromkeys(_counted(*_picture(plane)), 0)


def _counted(values: Values, allowed: Allowed | None) -> dict[int, int]:
    if allowed is None and bool(np.isfinite(values).all()):
        return {}
    return to_display(values, allowed, Levels(0.0, 1.0)).counts()


def _picture(plane: PlaneLike) -> Block:
    rows, columns = (Span(length, min(length, PICTURE)) for length in plane.shape)
    return _read(plane, rows, columns, slice(0, rows.bins), slice(0, columns.bins), False)


def _sampled(plane: PlaneLike) -> Block:
    """Rows at equal distances."""
    rows, columns = plane.shape
    step = -(-rows * columns // AT_ONCE)
    blocks = [plane.block(slice(row, row + 1), slice(0, columns)) for row in range(0, rows, step)]
    return _joined(blocks)


def _pooled(plane: PlaneLike, row_edges: np.ndarray, column_edges: np.ndarray) -> Block:
    """Blocks with these edges, some rows of them at a time."""
    cut = slice(int(column_edges[0]), int(column_edges[-1]))
    most = max(1, AT_ONCE // max(1, cut.stop - cut.start))
    found, first = [], 0
    while first < len(row_edges) - 1:
        stop = int(np.searchsorted(row_edges, row_edges[first] + most, side="right")) - 1
        some = row_edges[first : max(stop, first + 1) + 1]
        values, allowed = plane.block(slice(int(some[0]), int(some[-1])), cut)
        found.append(pool_blocks(values, allowed, some - some[0], column_edges - cut.start))
        first += len(some) - 1
    return _joined(found)


def _joined(blocks: list[Block]) -> Block:
    """Blocks below one another as one."""
    if len(blocks) == 1:
        return blocks[0]
    values = np.concatenate([values for values, _ in blocks])
    closing = [allowed for _, allowed in blocks if allowed is not None]
    return values, np.concatenate(closing) if closing else None


def _from_picture(plane: Plane, rows: Span, columns: Span, down: slice, right: slice, leads: bool) -> Block:
    wide = _widest.get(plane.evaluation, PICTURE)
    wide = _widest[plane.evaluation] = max(wide, columns.bins) if leads else wide
    wide = min(wide, columns.count)
    if wide <= columns.bins:
        return plane.pooled(rows.bins, columns.bins, (down, right))
    edges = np.searchsorted(block_edges(columns.count, wide), columns.cell_edges[right.start : right.stop + 1])
    part = slice(int(edges[0]), int(edges[-1]))
    values, allowed = plane.pooled(rows.bins, wide, (down, part))
    return pool_blocks(values, allowed, np.arange(len(values) + 1), edges - part.start)
