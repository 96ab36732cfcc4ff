"""The number under a pixel of a long map: the one of largest magnitude among the open cells of a block."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from attn_gui.engine.arrays import Array

Picture = tuple[Array, Array | None]  # (values, allowed) of blocks of cells

SHORT, STEPS = 64, 32  # blocks up to so many rows, or columns, are reduced all at once, cell by cell

LARGE = 1 << 12  # cells of a block of whole rows that is worth a step of its own

NARROW = 4  # columns of an array whose blocks of rows NumPy reduces best by itself


def block_edges(cells: int, blocks: int) -> Array:
    """Return the edges of `blocks` nearly equal blocks of `cells` cells: blocks + 1 rising integers from 0 to cells.

    There are never more blocks than cells, so that none is empty.
    """
    blocks = max(0, min(blocks, cells))
    return np.arange(blocks + 1, dtype=np.intp) * cells // max(1, blocks)


def pool_parts(
    block: Callable[[slice, slice], Picture], row_edges: Array, column_edges: Array, at_once: int
) -> Picture:
    """Return `pool` over blocks with given edges, reading `block(rows, columns)` about `at_once` cells at a time."""
    columns = slice(int(column_edges[0]), int(column_edges[-1]))
    most, first, found = max(1, at_once // max(1, columns.stop - columns.start)), 0, []
    while first < len(row_edges) - 1:
        stop = int(np.searchsorted(row_edges, row_edges[first] + most, side="right")) - 1
        some = row_edges[first : max(stop, first + 1) + 1]
        values, allowed = block(slice(int(some[0]), int(some[-1])), columns)
        found.append(pool_blocks(values, allowed, some - some[0], column_edges - columns.start))
        first += len(some) - 1
    return joined(found)


def joined(parts: Sequence[Picture]) -> Picture:
    """Return one picture of several whose rows follow one another."""
    if len(parts) == 1:
        return parts[0]
    closing = [allowed for _, allowed in parts if allowed is not None]
    return np.concatenate([values for values, _ in parts]), np.concatenate(closing) if closing else None


def pool(values: Array, allowed: Array | None, rows: int, columns: int) -> Picture:
    """Return a (rows, columns) picture of a matrix: for each block its value of largest magnitude, sign kept.

    Only allowed cells count; a block without any is closed. NaN wins over everything, ±∞ over every number.
    """
    height, width = values.shape
    return pool_blocks(values, allowed, block_edges(height, rows), block_edges(width, columns))


def pool_blocks(values: Array, allowed: Array | None, row_edges: Array, column_edges: Array) -> Picture:
    """Return `pool` over blocks with given, strictly rising edges, so that part of a picture can be made alone."""
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
    if values.strides[0] < values.strides[1]:  # rows are reduced first, ten times as fast where each lies in one piece
        turned = pool_blocks(values.T, None if allowed is None else allowed.T, column_edges, row_edges)
        return turned[0].T, None if turned[1] is None else turned[1].T
    high, low = _row_extremes(values, allowed, row_edges)
    high = _reduced_across(np.maximum, high, column_edges)
    if not low.min() >= 0:  # nothing below 0 can be larger than what is above
        high = largest(high, _reduced_across(np.minimum, low, column_edges))
    return high, None if allowed is None else _any_open(allowed, row_edges, column_edges)


def largest(high: Array, low: Array) -> Array:
    """Return whichever of two arrays is larger in magnitude; NaN is in both, and fails the comparison."""
    return np.where(high >= -low, high, low)


def reduced(ufunc: np.ufunc, array: Array, edges: Array) -> Array:
    """Return `ufunc.reduceat` over blocks of rows with given edges; ten times as fast for short blocks of wide rows."""
    starts, lengths = edges[:-1], np.diff(edges)
    if array[0].size <= NARROW:
        return np.asarray(ufunc.reduceat(array[: edges[-1]], starts, axis=0))
    most = int(lengths.max())
    if most > min(SHORT, len(starts)) or most * array[0].size > LARGE:  # whichever takes fewer steps, or copies less
        found = np.empty((len(starts), *array.shape[1:]), array.dtype)
        for block, (low, high) in enumerate(itertools.pairwise(edges.tolist())):
            ufunc.reduce(array[low:high], axis=0, out=found[block])
        return found
    out = array[starts]
    for place in range(1, most):
        longer = lengths > place
        if longer.all():
            ufunc(out, array[starts + place], out=out)
        else:
            out[longer] = ufunc(out[longer], array[starts[longer] + place])
    return np.asarray(out)


def _row_extremes(values: Array, allowed: Array | None, edges: Array) -> tuple[Array, Array]:
    """Return the largest and the smallest of every block of rows, (blocks, columns) each; closed cells count as 0."""
    if int(np.diff(edges).max()) * values.shape[1] <= LARGE:
        counted = values if allowed is None else np.where(allowed, values, values.dtype.type(0))
        return reduced(np.maximum, counted, edges), reduced(np.minimum, counted, edges)
    high = np.empty((len(edges) - 1, values.shape[1]), values.dtype)
    low = np.empty_like(high)
    for block, (first, stop) in enumerate(itertools.pairwise(edges.tolist())):  # both while the rows are at hand
        tile = values[first:stop]
        if allowed is not None:
            tile = np.where(allowed[first:stop], tile, values.dtype.type(0))
        np.maximum.reduce(tile, axis=0, out=high[block])
        np.minimum.reduce(tile, axis=0, out=low[block])
    return high, low


def _any_open(allowed: Array, row_edges: Array, column_edges: Array) -> Array:
    """Return booleans (row blocks, column blocks): whether a block holds an allowed cell."""
    # as bytes: the largest of bytes is many times faster than the or of truth values
    rows = reduced(np.maximum, np.ascontiguousarray(allowed).view(np.uint8), row_edges)
    return np.asarray(_reduced_across(np.maximum, rows, column_edges).view(np.bool_))


def _reduced_across(extreme: np.ufunc, values: Array, edges: Array) -> Array:
    """Return `extreme` over every block of columns: (rows, blocks)."""
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
