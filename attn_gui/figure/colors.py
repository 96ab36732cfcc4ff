"""Palettes of maps; levels, the numbers at both ends of the colors: automatic, 0 … 1, 99 %, typed, locked; NaN, ±∞."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from attn_gui.document.edits import Refusal
from attn_gui.figure.design_tokens import SIGNED_STOPS, WEIGHTS_STOPS, Stops, Theme
from attn_gui.figure.text.number_formats import CellNumbers as CellNumbers
from attn_gui.figure.text.number_formats import Values as Values
from attn_gui.figure.text.number_formats import cell_decimals as cell_decimals
from attn_gui.figure.text.number_formats import cell_text as cell_text
from attn_gui.figure.text.number_formats import format_number as format_number
from attn_gui.languages import N_
from attn_gui.pictures.planes import Allowed as Allowed

# --- palettes -------------------------------------------------------------------------------------
LUT_SIZE = 512
LUT_ZERO = 256
"""Entry of a table that stands for the middle of the levels: exactly 0 when they are symmetric."""

BLACK = 0xFF000000
WHITE = 0xFFFFFFFF

Floats = npt.NDArray[np.float64]
Lut = npt.NDArray[np.uint32]


class Palette(NamedTuple):
    """A color map: its name in files and on the command line, its title, whether its middle stands for 0.

    `stops` are the program's own colors, for each theme; a map without any is pyqtgraph's of the name `source`, which
    runs backward in the themes of `turned`.
    """

    name: str
    title: str
    diverging: bool = False
    stops: Mapping[str, Stops] | None = None
    source: str = ""
    turned: tuple[str, ...] = ()


PALETTES: Mapping[str, Palette] = MappingProxyType(
    {
        palette.name: palette
        for palette in (
            Palette("signed", N_("Palettes", "Blue – orange"), diverging=True, stops=SIGNED_STOPS),
            Palette("weights", N_("Palettes", "Green – navy"), stops=WEIGHTS_STOPS),
            Palette("viridis", "Viridis", source="viridis"),
            Palette("cividis", "Cividis", source="cividis"),
            Palette("magma", "Magma", source="magma"),
            Palette("grey", N_("Palettes", "Gray"), source="CET-L1", turned=("light",)),
            Palette("CET-D1", N_("Palettes", "Blue – red (CET-D1)"), diverging=True, source="CET-D1"),
        )
    }
)
"""The maps to choose from, by their names."""


def sign_color(value: float, theme_name: str) -> QColor:
    """Return the color of a bar by its sign: one of the signed map."""
    return QColor(dict(SIGNED_STOPS[theme_name])[-0.6 if value < 0 else 0.6])


@cache
def lut(name: str, theme_name: str = "light") -> Lut:
    """Return color table of a map in a theme: 512 colors 0xffRRGGBB, read-only; KeyError for an unknown name.

    Entry 0 is the lower level, 511 the upper, 256 the middle. Own stops are interpolated in OKLab (Ottosson 2020).
    """
    palette = PALETTES[name]
    table = _interpolated(*_placed(palette, theme_name)) if palette.stops else _library(palette, theme_name)
    table.setflags(write=False)
    return table


def value_text_color(rgb: int) -> QColor:
    """Return black or white, whichever contrasts more with a color 0xRRGGBB (WCAG 2.2): at least 4.58 to 1."""
    return QColor(0, 0, 0) if _takes_dark_text(rgb) else QColor(255, 255, 255)


@lru_cache(4 * LUT_SIZE)  # a page of cells asks for the colors of one table again and again
def _takes_dark_text(rgb: int) -> bool:
    return bool(dark_text(np.array([rgb], dtype=np.uint32))[0])


def dark_text(colors: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return colors on which black text contrasts more than white, as booleans, of 0xffRRGGBB in any shape."""
    light = luminance(colors)
    # (Y + 0.05) / 0.05 against 1.05 / (Y + 0.05)
    return np.asarray((light + 0.05) ** 2 >= 0.05 * 1.05)


def even_color(hue: float, lightness: float, chroma: float) -> QColor:
    """Return a color of a hue (in turns) that looks as light as those of all other hues (OKLCh, Ottosson 2020)."""
    turn = 2 * np.pi * hue
    lab = np.array([[lightness, chroma * np.cos(turn), chroma * np.sin(turn)]])
    return QColor.fromRgb(int(_packed(np.rint(_encoded(_from_oklab(lab)) * 255).astype(np.uint32))[0]))


def luminance(colors: npt.NDArray[np.uint32]) -> Floats:
    """Return the relative luminance (WCAG 2.2) of colors 0xffRRGGBB of any shape."""
    linear = _linear(_channels(colors))
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]), dtype=np.float64)


def _placed(palette: Palette, theme_name: str) -> tuple[Floats, npt.NDArray[np.uint32]]:
    """Return the entries at which the stops stand, and their colors."""
    assert palette.stops is not None
    stops = palette.stops[theme_name]
    at = np.array([position for position, _ in stops], dtype=np.float64)
    colors = np.array([int(color[1:], 16) for _, color in stops], dtype=np.uint32)
    if palette.diverging:
        # 512 entries have no middle: the half below zero has 256 steps, the half above 255
        return np.where(at < 0, LUT_ZERO + LUT_ZERO * at, LUT_ZERO + (LUT_SIZE - 1 - LUT_ZERO) * at), colors
    return at * (LUT_SIZE - 1), colors


def _library(palette: Palette, theme_name: str) -> Lut:
    """Return a map of pyqtgraph's, which takes a fifth of a second to import: only once one is asked for."""
    from pyqtgraph import colormap

    known = ((0, LUT_ZERO, LUT_SIZE - 1), (0.0, 0.5, 1.0)) if palette.diverging else ((0, LUT_SIZE - 1), (0.0, 1.0))
    position = np.interp(np.arange(LUT_SIZE), *known)
    colors = colormap.get(palette.source).map(position, mode="byte").astype(np.uint32)
    if theme_name in palette.turned:
        colors = colors[::-1]
    return _packed(colors)


def _interpolated(positions: Floats, colors: npt.NDArray[np.uint32]) -> Lut:
    stops = _oklab(_linear(_channels(colors)))
    entries = np.arange(LUT_SIZE)
    lab = np.stack([np.interp(entries, positions, stops[:, axis]) for axis in range(3)], axis=-1)
    return _packed(np.rint(_encoded(_from_oklab(lab)) * 255).astype(np.uint32))


def _packed(srgb: npt.NDArray[np.uint32]) -> Lut:
    return np.asarray(np.uint32(BLACK) | (srgb[:, 0] << 16) | (srgb[:, 1] << 8) | srgb[:, 2], dtype=np.uint32)


def _channels(colors: npt.NDArray[np.uint32]) -> Floats:
    return (np.asarray(colors, dtype=np.uint32)[..., None] >> np.array((16, 8, 0), np.uint32) & 255) / 255.0


def _linear(srgb: Floats) -> Floats:
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _encoded(linear: Floats) -> Floats:
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


# Ottosson, "A perceptual color space for image processing", 2020
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(linear: Floats) -> Floats:
    return np.asarray(np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T, dtype=np.float64)


def _from_oklab(lab: Floats) -> Floats:
    return np.asarray((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T, dtype=np.float64)


# --- levels ---------------------------------------------------------------------------------------
# these are handed on: what shows cells needs their numbers with their colors

FIXED_WEIGHT_KEYS = 64
"""Weights are colored 0 … 1 up to this many keys, if that shows anything; 0 … largest above."""

VISIBLE_WEIGHT = 0.15
"""The first clear tint of the weights' colors on 0 … 1: where nothing reaches it, a map would be blank."""

PERCENT = 99.0
"""Of the magnitudes, those that are no outliers."""

AT_ONCE = 1 << 20
"""Cells of a large map that are looked at together, so that what is worked with beside it stays small."""

NONE_OF = N_("{got} is not one of {known}.")


@dataclass(frozen=True)
class Levels:
    """The values that the two ends of a color table stand for. Raises ValueError unless finite and low < high."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"Levels are finite numbers, got {self.low} and {self.high}.")
        if not self.low < self.high:
            raise ValueError(f"The lower level is below the upper one, got {self.low} and {self.high}.")

    @property
    def symmetric(self) -> bool:
        """Whether 0 is exactly in the middle."""
        return self.low == -self.high

    def dragged(self, value: float, *, upper: bool) -> Levels:
        """Return levels with another upper or lower end, as fine as a hand is: to three digits of half their
        distance. Symmetric ones stay so. Raises ValueError where the ends would meet."""
        end = round(value, 2 - math.floor(math.log10(self.high / 2 - self.low / 2)))
        other = -end if self.symmetric else self.low if upper else self.high
        return Levels(other, end) if upper else Levels(end, other)


UNIT = Levels(0.0, 1.0)
"""Those of weights."""


def auto_levels(values: npt.ArrayLike, allowed: Allowed | None = None, *, signed: bool, keys: int) -> Levels:
    """Return levels for an array, over its finite allowed cells; never degenerate, whatever it holds.

    Signed: ± the largest magnitude. Weights: 0 … 1 up to 64 keys if the largest can be seen on that, else 0 …
    largest.
    """
    found = largest_levels(values, allowed, signed=signed)
    whole = not signed and keys <= FIXED_WEIGHT_KEYS and found.high >= VISIBLE_WEIGHT
    return Levels(0.0, 1.0) if whole else found


def largest_levels(values: npt.ArrayLike, allowed: Allowed | None = None, *, signed: bool) -> Levels:
    """Return 0 … the largest finite allowed number, or ± the largest magnitude of signed ones."""
    return _levels_to(_largest(floating(values), allowed), signed)


def percentile_levels(values: npt.ArrayLike, allowed: Allowed | None = None, *, signed: bool) -> Levels:
    """Return levels that most of the finite allowed magnitudes stay within, so that outliers do not darken."""
    magnitudes = np.abs(finite_open(values, allowed))
    if not magnitudes.size:
        return _levels_to(0.0, signed)
    bound = float(np.percentile(magnitudes, PERCENT))
    return _levels_to(bound or float(magnitudes.max()), signed)


def finite_open(values: npt.ArrayLike, allowed: Allowed | None) -> Values:
    """Return the finite allowed numbers of an array, in one row."""
    values = floating(values)
    shown = np.isfinite(values) if allowed is None else np.isfinite(values) & allowed
    return values[shown]


def floating(values: npt.ArrayLike) -> Values:
    """Return an array of numbers as one of 32 or 64 bits."""
    array = np.asarray(values)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


# --- rules ---------------------------------------------------------------------------------------
Taken = Callable[[Values, "Allowed | None", bool, int], Levels]
"""Levels from values, allowed, whether they are signed, and the number of keys."""


class LevelRule(NamedTuple):
    """A way to find levels: its title, what it does, what the color bar says of it, and `take`, which reads them from
    the numbers; None where they are given. `sampled` rules make do with some rows of a long map, `weights_only` ones
    mean nothing for signed numbers.
    """

    key: str
    title: str
    about: str
    said: str
    take: Taken | None = None
    sampled: bool = False
    weights_only: bool = False


AUTO, FULL, LARGEST, MOST, TYPED, LOCKED = "auto", "full", "largest", "99", "typed", "locked"

LEVEL_RULES: Mapping[str, LevelRule] = MappingProxyType(
    {
        rule.key: rule
        for rule in (
            LevelRule(
                AUTO,
                N_("Levels", "Automatic"),
                N_("Levels", "± the largest on show; of weights 0 … 1 where that can be seen, else 0 … the largest"),
                "",
                lambda values, allowed, signed, keys: auto_levels(values, allowed, signed=signed, keys=keys),
            ),
            LevelRule(
                FULL,
                N_("Levels", "0 … 1"),
                N_("Levels", "All that a weight can be, so that maps can be compared by eye"),
                N_("Levels", "0 … 1"),
                lambda *_: Levels(0.0, 1.0),
                weights_only=True,
            ),
            LevelRule(
                LARGEST,
                N_("Levels", "0 … largest"),
                N_("Levels", "The largest number on show has the strongest color"),
                N_("Levels", "0 … largest"),
                lambda values, allowed, signed, _keys: largest_levels(values, allowed, signed=signed),
                weights_only=True,
            ),
            LevelRule(
                MOST,
                N_("Levels", "Automatic for 99 % of the values"),
                N_("Levels", "One number in a hundred, the largest, may lie outside and has the color of the end"),
                N_("Levels", "99 %"),
                lambda values, allowed, signed, _keys: percentile_levels(values, allowed, signed=signed),
                sampled=True,
            ),
            LevelRule(
                TYPED,
                N_("Levels", "From – to"),
                N_("Levels", "Your own numbers at the two ends; what lies outside has the color of the nearer end"),
                N_("Levels", "typed"),
            ),
            LevelRule(
                LOCKED,
                N_("Levels", "Locked as they are"),
                N_("Levels", "The present levels, whatever is computed next"),
                N_("Levels", "locked"),
            ),
        )
    }
)
"""The rules by their keys, in the order in which they are offered."""


@dataclass(frozen=True)
class ColorScale:
    """The coloring of a matrix: the rule of its levels, the levels where they are given, a color map (None: the one
    that fits its numbers). Raises ValueError for names that are none, and for a rule with levels too few or too
    many."""

    rule: str = AUTO
    levels: Levels | None = None
    palette: str | None = None

    def __post_init__(self) -> None:
        for name, known in ((self.rule, LEVEL_RULES), (self.palette, PALETTES)):
            if name is not None and name not in known:
                raise Refusal(NONE_OF, got=repr(name), known=", ".join(known))
        if (self.levels is None) != (LEVEL_RULES[self.rule].take is not None):
            raise ValueError(f"Levels go with typed and locked ones alone, got {self.levels} for {self.rule!r}.")

    def levels_of(self, values: Values, allowed: Allowed | None, *, signed: bool, keys: int) -> Levels:
        """Return the levels for some numbers."""
        take = LEVEL_RULES[self.rule].take
        if take is not None:
            return take(values, allowed, signed, keys)
        assert self.levels is not None
        return self.levels

    def palette_for(self, signed: bool) -> str:
        """Return the name of the color map for numbers that are signed, or weights."""
        return self.palette or ("signed" if signed else "weights")


PLAIN = ColorScale()
"""The coloring of what no other was chosen for."""


def color_scale_from(levels: Sequence[float] | None, colormap: str | None) -> ColorScale:
    """Return the color scale of typed levels (low, high), None for those of the numbers, and the name of a color map.

    Raises ValueError with a sentence for others.
    """
    if levels is None:
        return ColorScale(palette=colormap)
    try:
        low, high = (float(level) for level in levels if not isinstance(levels, str))
    except (TypeError, ValueError):
        raise ValueError(f"Levels are two numbers, the lower and the upper one, got {levels!r}.") from None
    return ColorScale(TYPED, Levels(low, high), colormap)


@lru_cache(maxsize=256)
def color_table(palette: str, theme_name: str, levels: Levels) -> Lut:
    """Return the colors of a map between its levels: 512, of which entry 0 stands for the lower level.

    In a diverging map 0 keeps the middle color whatever the levels: both sides reach as far as the larger level.
    With levels on one side of 0 that side's colors are spread over them.
    """
    table = lut(palette, theme_name)
    if not PALETTES[palette].diverging or levels.symmetric:
        return table
    middle = np.arange(LUT_SIZE) - LUT_ZERO + 0.5
    unit = max(abs(levels.low), abs(levels.high))  # so that neither end nor difference can overflow
    low, high = levels.low / unit, levels.high / unit
    if low >= 0:
        position = (middle / (LUT_SIZE - 1) + 0.5).clip(0, 1)
    elif high <= 0:
        position = (middle / (LUT_SIZE - 1) - 0.5).clip(-1, 0)
    else:
        position = ((low + high) / 2 + middle * ((high - low) / (LUT_SIZE - 1))).clip(low, high)
    entries = np.rint(np.where(position < 0, position * LUT_ZERO, position * (LUT_SIZE - 1 - LUT_ZERO)))
    found = table[(LUT_ZERO + entries).astype(np.intp)]
    found.setflags(write=False)
    return found


def _largest(values: Values, allowed: Allowed | None) -> float:
    """Return the largest finite magnitude over the allowed cells, 0.0 when there is none."""
    if values.size == 0:
        return 0.0
    if values.ndim == 2 and values.size > AT_ONCE and len(values) > 1:
        halves = slice(len(values) // 2), slice(len(values) // 2, None)
        return max(_largest(values[rows], None if allowed is None else allowed[rows]) for rows in halves)
    if allowed is None:
        bound = max(float(values.max()), -float(values.min()))
        if math.isfinite(bound):
            return bound
    shown = np.isfinite(values) if allowed is None else np.isfinite(values) & allowed
    return float(np.max(np.abs(values), where=shown, initial=0.0))


def _levels_to(bound: float, signed: bool) -> Levels:
    if bound <= 0.0:
        bound = 1.0
    return Levels(-bound if signed else 0.0, bound)


# --- the one gateway from numbers to pixels: flags, and indices into a color table -----------------
#
# Nothing else may turn an array into colors: what comes out of here is finite, whatever went in.

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
