"""Palettes of maps as tables of colors, and black or white for a number upon a color."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from attn_gui.figure.design_tokens import SIGNED_STOPS, WEIGHTS_STOPS, Stops
from attn_gui.languages import N_

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
    colors = np.asarray(colors, dtype=np.uint32)
    return np.stack([(colors >> shift) & 255 for shift in (16, 8, 0)], axis=-1) / 255.0


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
