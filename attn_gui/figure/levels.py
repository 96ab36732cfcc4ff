"""Levels: the values that the two ends of a color map stand for, and the rules by which they are found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attn_gui.document.edits import Refusal
from attn_gui.figure.colors import LUT_SIZE, LUT_ZERO, PALETTES, Lut, lut
from attn_gui.figure.text.number_formats import Values
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.pictures.planes import Allowed as Allowed

FIXED_WEIGHT_KEYS = 64
"""Weights are colored 0 … 1 up to this many keys, if that shows anything; 0 … largest above."""

VISIBLE_WEIGHT = 0.15
"""The first clear tint of the weights' colors on 0 … 1: where nothing reaches it, a map would be blank."""

PERCENT = 99.0
"""Of the magnitudes, those that are no outliers."""

AT_ONCE = 1 << 20
"""Cells of a large map that are looked at together, so that what is worked with beside it stays small."""

NONE_OF = QT_TRANSLATE_NOOP("Sentences", "{got} is not one of {known}.")


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


def _auto(values: Values, allowed: Allowed | None, signed: bool, keys: int) -> Levels:
    return auto_levels(values, allowed, signed=signed, keys=keys)


def _full(values: Values, allowed: Allowed | None, signed: bool, keys: int) -> Levels:
    return Levels(0.0, 1.0)


def _by_largest(values: Values, allowed: Allowed | None, signed: bool, keys: int) -> Levels:
    return largest_levels(values, allowed, signed=signed)


def _by_most(values: Values, allowed: Allowed | None, signed: bool, keys: int) -> Levels:
    return percentile_levels(values, allowed, signed=signed)


AUTO, FULL, LARGEST, MOST, TYPED, LOCKED = "auto", "full", "largest", "99", "typed", "locked"

_ = QT_TRANSLATE_NOOP
LEVEL_RULES: Mapping[str, LevelRule] = MappingProxyType(
    {
        rule.key: rule
        for rule in (
            LevelRule(
                AUTO,
                _("Levels", "Automatic"),
                _("Levels", "± the largest on show; of weights 0 … 1 where that can be seen, else 0 … the largest"),
                "",
                _auto,
            ),
            LevelRule(
                FULL,
                _("Levels", "0 … 1"),
                _("Levels", "All that a weight can be, so that maps can be compared by eye"),
                _("Levels", "0 … 1"),
                _full,
                weights_only=True,
            ),
            LevelRule(
                LARGEST,
                _("Levels", "0 … largest"),
                _("Levels", "The largest number on show has the strongest color"),
                _("Levels", "0 … largest"),
                _by_largest,
                weights_only=True,
            ),
            LevelRule(
                MOST,
                _("Levels", "Automatic for 99 % of the values"),
                _("Levels", "One number in a hundred, the largest, may lie outside and has the color of the end"),
                _("Levels", "99 %"),
                _by_most,
                sampled=True,
            ),
            LevelRule(
                TYPED,
                _("Levels", "From – to"),
                _("Levels", "Your own numbers at the two ends; what lies outside has the color of the nearer end"),
                _("Levels", "typed"),
            ),
            LevelRule(
                LOCKED,
                _("Levels", "Locked as they are"),
                _("Levels", "The present levels, whatever is computed next"),
                _("Levels", "locked"),
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
