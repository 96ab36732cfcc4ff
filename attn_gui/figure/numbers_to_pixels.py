"""The one gateway from numbers to pixels: levels, flags, and indices into a color table.

Nothing else may turn an array into colors: what comes out of here is finite, whatever went in.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attn_gui.figure.colors import LUT_SIZE, LUT_ZERO, Lut
from attn_gui.figure.design_tokens import Theme

# the rules of levels and numbers belong to the gateway's face: whoever shows values takes all from here
from attn_gui.figure.levels import AT_ONCE as AT_ONCE
from attn_gui.figure.levels import Allowed as Allowed
from attn_gui.figure.levels import Levels as Levels
from attn_gui.figure.levels import auto_levels as auto_levels
from attn_gui.figure.levels import floating
from attn_gui.figure.levels import percentile_levels as percentile_levels
from attn_gui.figure.text.number_formats import CellNumbers as CellNumbers
from attn_gui.figure.text.number_formats import Values as Values
from attn_gui.figure.text.number_formats import cell_decimals as cell_decimals
from attn_gui.figure.text.number_formats import cell_text as cell_text
from attn_gui.figure.text.number_formats import format_number as format_number

ALLOWED, NAN, POS_INF, NEG_INF, CLOSED, UNKNOWN = range(6)
"""Contents of a cell: a finite number, NaN, +∞, −∞, nothing because a mask closes it (which wins), or a number that is
not computed yet."""

FLAGGED = {NAN: math.nan, POS_INF: math.inf, NEG_INF: -math.inf}
"""The number in a cell with a flag, where it is always the same."""


class Display(NamedTuple):
    """An array ready to be painted: `indices` (uint16 into a color table) and `flags` (uint8), of one shape."""

    indices: npt.NDArray[np.uint16]
    flags: npt.NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that it shows."""
        return self.flags.shape

    def counts(self) -> dict[int, int]:
        """Return the number of cells with each flag other than ALLOWED, those that do not occur left out."""
        found = np.bincount(self.flags.ravel(), minlength=UNKNOWN + 1)
        return {flag: int(found[flag]) for flag in (CLOSED, NAN, POS_INF, NEG_INF) if found[flag]}


def flag_counts(values: Values, allowed: Allowed | None) -> dict[int, int]:
    """Return the number of cells with each flag other than ALLOWED, those that do not occur left out."""
    if allowed is None and bool(np.isfinite(values).all()):
        return {}
    return to_display(values, allowed, Levels(0.0, 1.0)).counts()


def to_display(values: npt.ArrayLike, allowed: Allowed | None, levels: Levels, known: Allowed | None = None) -> Display:
    """Return table indices and flags for an array of any shape; never raises on NaN, ±∞ or an empty array.

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
    """Return 0xffRRGGBB, C-contiguous, of the shape of the display: one a cell, NaN and closed cells in the theme's."""
    pixels = np.ascontiguousarray(table[display.indices])
    if display.flags.any():
        pixels[display.flags == NAN] = theme.nan.rgb()
        pixels[display.flags == CLOSED] = theme.masked.rgb()
        pixels[display.flags == UNKNOWN] = theme.sunken.rgb()
    return pixels


def _indices(values: Values, levels: Levels, finite: bool) -> npt.NDArray[np.uint16]:
    """Return floor((v − low) / (high − low) · 511 + ½), clipped; the middle of the levels falls on entry 256."""
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
    return position.clip(0, LUT_SIZE - 1).astype(np.uint16)
