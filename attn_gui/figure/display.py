"""The one gateway from numbers to pixels: levels, flags, pooling, and indices into a color table.

Nothing else may turn an array into colors: what comes out of here is finite, whatever went in.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attn_gui.figure.colors import LUT_SIZE, LUT_ZERO, Lut

# the rules of levels and numbers belong to the gateway's face: whoever shows values takes all from here
from attn_gui.figure.levels import AT_ONCE as AT_ONCE
from attn_gui.figure.levels import Allowed as Allowed
from attn_gui.figure.levels import Levels as Levels
from attn_gui.figure.levels import auto_levels as auto_levels
from attn_gui.figure.levels import floating
from attn_gui.figure.levels import percentile_levels as percentile_levels
from attn_gui.figure.numbers import CellNumbers as CellNumbers
from attn_gui.figure.numbers import Values as Values
from attn_gui.figure.numbers import cell_decimals as cell_decimals
from attn_gui.figure.numbers import cell_text as cell_text
from attn_gui.figure.numbers import format_number as format_number
from attn_gui.figure.tokens import Theme

ALLOWED, NAN, POS_INF, NEG_INF, CLOSED, UNKNOWN = range(6)
"""What a cell holds: a finite number, NaN, +∞, −∞, nothing because a mask closes it (which wins), or a number that is
not computed yet."""

STEPS = 32
"""Blocks of up to so many columns are reduced cell by cell."""

Edges = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Display:
    """An array ready to be painted: `indices` (uint16 into a color table) and `flags` (uint8), of one shape."""

    indices: npt.NDArray[np.uint16]
    flags: npt.NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that it shows."""
        return self.flags.shape

    def counts(self) -> dict[int, int]:
        """The number of cells with each flag other than ALLOWED, those that do not occur left out."""
        found = np.bincount(self.flags.ravel(), minlength=UNKNOWN + 1)
        return {flag: int(found[flag]) for flag in (CLOSED, NAN, POS_INF, NEG_INF) if found[flag]}


def flag_counts(values: Values, allowed: Allowed | None) -> dict[int, int]:
    """The number of cells with each flag other than ALLOWED, those that do not occur left out."""
    if allowed is None and bool(np.isfinite(values).all()):
        return {}
    return to_display(values, allowed, Levels(0.0, 1.0)).counts()


def to_display(
    values: npt.ArrayLike, allowed: Allowed | None, levels: Levels, known: Allowed | None = None
) -> Display:
    """Table indices and flags for an array of any shape; never raises on NaN, ±∞ or an empty array.

    Values beyond the levels take the end color. `allowed` None means that nothing is closed, `known` None that all
    is known.
    """
    values = floating(values)
    flags = np.zeros(values.shape, dtype=np.uint8)
    finite = bool(np.isfinite(values).all())
    if not finite:
        flags[np.isnan(values)] = NAN
        flags[np.isposinf(values)] = POS_INF
        flags[np.isneginf(values)] = NEG_INF
    if allowed is not None:
        flags[~np.broadcast_to(allowed, values.shape)] = CLOSED
    if known is not None:
        flags[~np.broadcast_to(known, values.shape)] = UNKNOWN
    return Display(_indices(values, levels, finite), flags)


def argb(display: Display, table: Lut, theme: Theme) -> npt.NDArray[np.uint32]:
    """Pixels 0xffRRGGBB, C-contiguous, of the shape of the display: one a cell, NaN and closed cells in the theme's."""
    pixels = np.ascontiguousarray(table[display.indices])
    if display.flags.any():
        pixels[display.flags == NAN] = theme.nan.rgb()
        pixels[display.flags == CLOSED] = theme.masked.rgb()
        pixels[display.flags == UNKNOWN] = theme.sunken.rgb()
    return pixels


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
    values = values[top:int(row_edges[-1]), left:int(column_edges[-1])]
    row_edges, column_edges = row_edges - top, column_edges - left
    if allowed is not None:
        allowed = allowed[top:top + values.shape[0], left:left + values.shape[1]]
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


def _indices(values: Values, levels: Levels, finite: bool) -> npt.NDArray[np.uint16]:
    """floor((v − low) / (high − low) · 511 + ½), clipped; the middle of the levels falls on entry 256."""
    low, high = levels.low, levels.high
    scale = max(abs(low), abs(high))
    with np.errstate(invalid="ignore", over="ignore"):
        if not 1e-30 < (high - low) < 1e30 or scale > 1e30:
            # outside the range where single precision, and the difference itself, can be trusted
            exponent = -math.frexp(scale)[1]
            values = np.ldexp(values.astype(np.float64), exponent)
            low, high = math.ldexp(low, exponent), math.ldexp(high, exponent)
        # from the middle, so that 0 meets its entry exactly when the levels are symmetric
        position = values - values.dtype.type((low + high) / 2)
        position *= values.dtype.type((LUT_SIZE - 1) / (high - low))
        position += values.dtype.type(LUT_ZERO)
    if not finite:
        position[np.isnan(position)] = 0.0
    np.clip(position, 0, LUT_SIZE - 1, out=position)
    return position.astype(np.uint16)


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
