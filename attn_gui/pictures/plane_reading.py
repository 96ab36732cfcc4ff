"""Reads planes for maps: in blocks no larger than can be held, or as what an evaluation or a tile cache draws."""

from __future__ import annotations

from attn_gui.engine import Plane
from attn_gui.engine.evaluation.pooling import joined
from attn_gui.pictures import planes
from attn_gui.pictures.geometry import Span
from attn_gui.pictures.planes import Block, PlaneLike, pooled
from attn_gui.pictures.tile import KnownCells, SampledTile
from attn_gui.pictures.tile_cache import OVERVIEW, tile_cache_of


def bins_of(
    plane: PlaneLike,
    rows: Span,
    columns: Span,
    down: slice,
    right: slice,
    *,
    leads: bool = False,
    owner: object = None,
) -> KnownCells:
    """Return (values, allowed, known) of some bins, each pooled from its cells; `known` is None where all are.

    A map that `leads` may request a wider tile than exists; others use what they need. Of a long problem the `owner`
    gets what is known now; what is quickly computed, and shown cell by cell, is always known.
    """
    cache = tile_cache_of(plane)
    if cache is not None and owner is not None:
        if not _quick(plane, rows, columns, down, right):
            return cache.seen(owner, plane, rows, columns, down, right, leads=leads)
        cache.look(owner, plane)
    return (*_read(plane, rows, columns, down, right), None)


def numbers_of(plane: PlaneLike, *, sampled: bool, owner: object = None) -> Block | None:
    """Return the numbers of a plane; of a very long one those of its tile, or if `sampled` of rows at equal distances.

    None where nothing is known yet.
    """
    if (cache := tile_cache_of(plane)) is not None and owner is not None:
        tile = cache.ask(owner, SampledTile(plane)) if sampled else cache.overview(plane)
        return tile.part_known() if tile is not None and tile.known.any() else None
    rows, columns = plane.shape
    if rows * columns <= planes.AT_ONCE:
        return plane.block(slice(0, rows), slice(0, columns))
    return _sampled(plane) if sampled else overview_of(plane)


def overview_of(plane: PlaneLike) -> Block:
    """Return a picture of the whole plane, which tells how large its numbers are."""
    rows, columns = (Span(length, min(length, OVERVIEW)) for length in plane.shape)
    return _read(plane, rows, columns, slice(0, rows.bins), slice(0, columns.bins))


def _read(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice) -> Block:
    if not (rows.pooled or columns.pooled):
        return plane.block(rows.cells_of(down), columns.cells_of(right))
    if isinstance(plane, Plane) and plane.draws_pictures and not plane.transposed and rows.whole and columns.whole:
        return plane.pooled(rows.bins, columns.bins, (down, right))
    return pooled(plane, rows.cell_edges[down.start : down.stop + 1], columns.cell_edges[right.start : right.stop + 1])


def _quick(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice) -> bool:
    """Return whether some cells of a window, shown one by one, are known or need no map."""
    if rows.pooled or columns.pooled or (rows.whole and columns.whole) or not isinstance(plane, Plane):
        return False
    cells = rows.cells_of(down), columns.cells_of(right)
    lines, across = reversed(cells) if plane.transposed else cells
    evaluation = plane.evaluation
    if (lines.stop - lines.start) * (across.stop - across.start) > planes.AT_ONCE:
        return False
    return evaluation.ready(plane.stage, plane.batch, plane.head, lines)


def _sampled(plane: PlaneLike) -> Block:
    """Return rows at equal distances."""
    rows, columns = plane.shape
    step = -(-rows * columns // planes.AT_ONCE)
    blocks = [plane.block(slice(row, row + 1), slice(0, columns)) for row in range(0, rows, step)]
    return joined(blocks)
