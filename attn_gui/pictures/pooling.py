"""Pooling of a matrix into blocks: the value of largest magnitude of each, and planes pooled part by part."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from attn_gui.pictures.planes import Block, PlaneLike

Values = npt.NDArray[np.floating]
Allowed = npt.NDArray[np.bool_]
Edges = npt.NDArray[np.intp]

AT_ONCE = 1 << 20
"""Cells that are asked for in one block."""

STEPS = 32
"""Blocks of up to so many columns are reduced cell by cell."""


def pooled(plane: PlaneLike, row_edges: Edges, column_edges: Edges) -> Block:
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
    return joined(found)


def joined(blocks: list[Block]) -> Block:
    """Blocks below one another as one."""
    if len(blocks) == 1:
        return blocks[0]
    values = np.concatenate([values for values, _ in blocks])
    closing = [allowed for _, allowed in blocks if allowed is not None]
    return values, np.concatenate(closing) if closing else None


def block_edges(cells: int, blocks: int) -> Edges:
    """The edges of `blocks` nearly equal blocks over `cells` cells: blocks + 1 numbers, 0 to cells.

    Never more blocks than cells, so that no block is empty.
    """
    blocks = max(0, min(blocks, cells))
    if not blocks:
        return np.zeros(1, dtype=np.intp)
    return np.arange(blocks + 1, dtype=np.intp) * cells // blocks


def pool(values: Values, allowed: Allowed | None, rows: int, columns: int) -> tuple[Values, Allowed | None]:
    """A (rows, columns) picture of a matrix: of each block the value of largest magnitude, sign kept.

    Only allowed cells count; a block without any is closed. NaN wins over everything and ±∞ over every number.
    """
    height, width = values.shape
    return pool_blocks(values, allowed, block_edges(height, rows), block_edges(width, columns))


def pool_blocks(
    values: Values, allowed: Allowed | None, row_edges: Edges, column_edges: Edges
) -> tuple[Values, Allowed | None]:
    """`pool` over blocks of one's own: `*_edges` rise strictly, so that a part of a picture can be redone."""
    top, left = int(row_edges[0]), int(column_edges[0])
    values = values[top : int(row_edges[-1]), left : int(column_edges[-1])]
    row_edges, column_edges = row_edges - top, column_edges - left
    if allowed is not None:
        allowed = allowed[top : top + values.shape[0], left : left + values.shape[1]]
    rows, columns = len(row_edges) - 1, len(column_edges) - 1
    if (rows, columns) == values.shape:
        return values, allowed
    if not rows or not columns:
        return np.zeros((rows, columns), values.dtype), None if allowed is None else np.zeros((rows, columns), bool)
    if columns < rows:  # blocks of rows are walked one by one
        turned = pool_blocks(values.T, None if allowed is None else allowed.T, column_edges, row_edges)
        return turned[0].T, None if turned[1] is None else turned[1].T
    tiles = list(itertools.starmap(slice, itertools.pairwise(row_edges.tolist())))
    high, low = _row_extremes(values, allowed, tiles)
    high = _reduced(np.maximum, high, column_edges)
    if not low.min() >= 0:  # nothing below 0 can be larger than what is above
        low = _reduced(np.minimum, low, column_edges)
        # NaN comes through both extremes and fails the comparison, so it is taken from `low`
        high = np.where(high >= -low, high, low)
    return high, None if allowed is None else _any_open(allowed, tiles, column_edges)


def _row_extremes(values: Values, allowed: Allowed | None, tiles: list[slice]) -> tuple[Values, Values]:
    """Largest and smallest of every block of rows, closed cells counting as 0: (blocks, columns) each."""
    high = np.empty((len(tiles), values.shape[1]), dtype=values.dtype)
    low = np.empty_like(high)
    for block, rows in enumerate(tiles):
        tile = values[rows] if allowed is None else np.where(allowed[rows], values[rows], values.dtype.type(0))
        np.maximum.reduce(tile, axis=0, out=high[block])
        np.minimum.reduce(tile, axis=0, out=low[block])
    return high, low


def _any_open(allowed: Allowed, tiles: list[slice], column_edges: Edges) -> Allowed:
    """Blocks that hold an allowed cell: (blocks, blocks)."""
    # as bytes: the largest of bytes is many times faster than the or of truth values
    cells = np.ascontiguousarray(allowed).view(np.uint8)
    rows = np.empty((len(tiles), cells.shape[1]), dtype=np.uint8)
    for block, tile in enumerate(tiles):
        np.maximum.reduce(cells[tile], axis=0, out=rows[block])
    return np.asarray(_reduced(np.maximum, rows, column_edges).view(np.bool_))


def _reduced(extreme: np.ufunc, values: npt.NDArray[Any], edges: Edges) -> npt.NDArray[Any]:
    """`extreme` of every block of columns: (rows, blocks)."""
    if len(edges) - 1 == values.shape[1]:
        return values
    sizes = np.diff(edges)
    most = int(sizes.max())
    if most > STEPS:
        return np.asarray(extreme.reduceat(values, edges[:-1], axis=1))
    # cell by cell of all blocks at once: NumPy's own way costs several times as much for blocks of a few cells
    found = np.take(values, edges[:-1], axis=1)
    for step in range(1, most):
        extreme(found, np.take(values, edges[:-1] + np.minimum(step, sizes - 1), axis=1), out=found)
    return found
