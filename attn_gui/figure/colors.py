"""Color maps as tables of 512 colors, and the color of text upon them."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from attn_gui.figure.tokens import SIGNED_STOPS, WEIGHTS_STOPS, Stops

LUT_SIZE = 512
LUT_ZERO = 256
"""Entry of a table that stands for the middle of the levels: exactly 0 when they are symmetric."""

BLACK = 0xFF000000
WHITE = 0xFFFFFFFF

Floats = npt.NDArray[np.float64]
Lut = npt.NDArray[np.uint32]

# Sampled from the published tables: viridis and cividis every 1/16, RdBu its eleven colors (ColorBrewer 2.0).
_VIRIDIS = (
    "#440154", "#48186A", "#472D7B", "#424086", "#3B528B", "#33638D", "#2C728E", "#26818E", "#21908C",
    "#1F9F88", "#28AE80", "#3EBC74", "#5DC963", "#82D34C", "#ABDC32", "#D5E21A", "#FDE725",
)
_CIVIDIS = (
    "#00204D", "#002C68", "#05366E", "#2C426C", "#414D6B", "#52596C", "#61646F", "#6F7073", "#7C7B78",
    "#8C8879", "#9C9477", "#ACA174", "#BDAF6F", "#CEBD68", "#E0CB5E", "#F2DA50", "#FFEA46",
)
_GREY = ("#FFFFFF", "#000000")
_RDBU = (
    "#053061", "#2166AC", "#4393C3", "#92C5DE", "#D1E5F0", "#F7F7F7",
    "#FDDBC7", "#F4A582", "#D6604D", "#B2182B", "#67001F",
)

LUT_NAMES: tuple[str, ...] = ("signed", "weights", "viridis", "cividis", "grey", "RdBu")
"""The maps to choose from, as `lut` takes them."""


@cache
def lut(name: str, theme_name: str = "light") -> Lut:
    """Color table of a map in a theme: 512 colors 0xffRRGGBB, read-only; KeyError for an unknown name.

    Entry 0 is the lower level, 511 the upper, 256 the middle. Interpolated in OKLab (Ottosson 2020).
    """
    positions, colors = _stops(name, theme_name)
    table = _interpolated(positions, colors)
    table.setflags(write=False)
    return table


def value_text_color(rgb: int) -> QColor:
    """Black or white, whichever contrasts more with a color 0xRRGGBB (WCAG 2.2): at least 4.58 to 1."""
    return QColor(0, 0, 0) if bool(dark_text(np.array([rgb], dtype=np.uint32))[0]) else QColor(255, 255, 255)


def dark_text(colors: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Where black text contrasts more than white, for colors 0xffRRGGBB of any shape."""
    light = luminance(colors)
    # (Y + 0.05) / 0.05 against 1.05 / (Y + 0.05)
    return np.asarray((light + 0.05) ** 2 >= 0.05 * 1.05)


def luminance(colors: npt.NDArray[np.uint32]) -> Floats:
    """Relative luminance (WCAG 2.2) of colors 0xffRRGGBB of any shape."""
    linear = _linear(_channels(colors))
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]), dtype=np.float64)


def lightness(colors: npt.NDArray[np.uint32]) -> Floats:
    """OKLab lightness, 0 … 1, of colors 0xffRRGGBB of any shape."""
    return np.asarray(_oklab(_linear(_channels(colors)))[..., 0], dtype=np.float64)


def _stops(name: str, theme_name: str) -> tuple[Floats, npt.NDArray[np.uint32]]:
    if name == "signed":
        return _token_stops(SIGNED_STOPS[theme_name], zero_in_the_middle=True)
    if name == "weights":
        return _token_stops(WEIGHTS_STOPS[theme_name], zero_in_the_middle=False)
    anchors = {"viridis": _VIRIDIS, "cividis": _CIVIDIS, "grey": _GREY, "RdBu": _RDBU}[name]
    if name == "grey" and theme_name == "dark":
        anchors = anchors[::-1]
    stops = tuple((i / (len(anchors) - 1), color) for i, color in enumerate(anchors))
    if name == "RdBu":
        return _token_stops(tuple((2 * at - 1, color) for at, color in stops), zero_in_the_middle=True)
    return _token_stops(stops, zero_in_the_middle=False)


def _token_stops(stops: Stops, *, zero_in_the_middle: bool) -> tuple[Floats, npt.NDArray[np.uint32]]:
    at = np.array([position for position, _ in stops], dtype=np.float64)
    colors = np.array([int(color[1:], 16) for _, color in stops], dtype=np.uint32)
    if zero_in_the_middle:
        # 512 entries have no middle: the half below zero has 256 steps, the half above 255
        return np.where(at < 0, LUT_ZERO + LUT_ZERO * at, LUT_ZERO + (LUT_SIZE - 1 - LUT_ZERO) * at), colors
    return at * (LUT_SIZE - 1), colors


def _interpolated(positions: Floats, colors: npt.NDArray[np.uint32]) -> Lut:
    stops = _oklab(_linear(_channels(colors)))
    entries = np.arange(LUT_SIZE)
    lab = np.stack([np.interp(entries, positions, stops[:, axis]) for axis in range(3)], axis=-1)
    srgb = np.rint(_encoded(_from_oklab(lab)) * 255).astype(np.uint32)
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
_TO_LMS = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])
_TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])


def _oklab(linear: Floats) -> Floats:
    return np.asarray(np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T, dtype=np.float64)


def _from_oklab(lab: Floats) -> Floats:
    return np.asarray((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T, dtype=np.float64)
