from __future__ import annotations

import numpy as np
import pytest

from attn_gui.figure.colors import LUT_SIZE, LUT_ZERO, PALETTES, luminance, lut, value_text_color
from attn_gui.figure.design_tokens import SIGNED_STOPS, THEMES, WEIGHTS_STOPS
from attn_gui.figure.display import Levels, to_display
from attn_gui.figure.levels import color_table
from tests.failing import each

EVERY = [(name, theme) for name in PALETTES for theme in THEMES]


def rgb(token: str) -> int:
    return 0xFF000000 | int(token[1:], 16)


def lightness(colors: np.ndarray) -> np.ndarray:
    """OKLab's L of colors 0xffRRGGBB (Ottosson, 2020), number by number."""
    channels = np.array([colors >> shift & 0xFF for shift in (16, 8, 0)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    long = 0.4122214708 * linear[0] + 0.5363325363 * linear[1] + 0.0514459929 * linear[2]
    middle = 0.2119034982 * linear[0] + 0.6806995451 * linear[1] + 0.1073969566 * linear[2]
    short = 0.0883024619 * linear[0] + 0.2817188376 * linear[1] + 0.6299787005 * linear[2]
    return 0.2104542553 * np.cbrt(long) + 0.7936177850 * np.cbrt(middle) - 0.0040720468 * np.cbrt(short)


@each(("name", "theme"), EVERY)
def test_values_can_be_read_on_every_color(name: str, theme: str) -> None:
    for color, light in zip(lut(name, theme).tolist(), luminance(lut(name, theme)), strict=True):
        text = 1.0 if value_text_color(color).red() == 255 else 0.0
        contrast = (max(text, light) + 0.05) / (min(text, light) + 0.05)
        assert contrast >= 4.5


@each(("name", "theme"), EVERY)
def test_a_table_is_opaque_and_cannot_be_changed(name: str, theme: str) -> None:
    table = lut(name, theme)
    assert table.dtype == np.uint32
    assert table.shape == (LUT_SIZE,)
    assert (table >> 24 == 0xFF).all()
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


@each("theme", THEMES)
def test_tokens_stand_at_zero_and_at_the_ends(theme: str) -> None:
    signed, weights = lut("signed", theme), lut("weights", theme)
    stops = dict(SIGNED_STOPS[theme])
    assert [signed[0], signed[LUT_ZERO], signed[-1]] == [rgb(stops[-1]), rgb(stops[0]), rgb(stops[1])]
    assert [weights[0], weights[-1]] == [rgb(WEIGHTS_STOPS[theme][0][1]), rgb(WEIGHTS_STOPS[theme][-1][1])]


@each("theme", THEMES)
def test_lightness_goes_one_way_from_the_paper_to_each_end(theme: str) -> None:
    away = 1 if theme == "dark" else -1
    up, down = lightness(lut("signed", theme)[LUT_ZERO:]), lightness(lut("signed", theme)[LUT_ZERO::-1])
    for half in (up, down, lightness(lut("weights", theme))):
        steps = away * np.diff(half)
        # two entries may share a color of 8 bits, none may turn back by more than such a color's own rounding
        assert steps.min() > -0.001
        assert away * (half[-1] - half[0]) > 0.5


def test_minus_and_plus_of_the_same_size_are_equally_far_from_the_paper() -> None:
    table = lut("signed", "light")
    assert abs(lightness(table[:1])[0] - lightness(table[-1:])[0]) < 0.06


@each("name", ["viridis", "cividis", "magma"])
def test_published_maps_are_those_of_the_library(name: str) -> None:
    from pyqtgraph import colormap

    published = colormap.get(name).getColors(mode="byte").astype(int)
    table = lut(name)
    mine = np.stack([(table >> shift) & 255 for shift in (16, 8, 0)], axis=-1).astype(int)
    nearest = mine[np.rint(np.arange(256) / 255 * 511).astype(int)]
    assert np.abs(nearest - published[:, :3]).max() <= 1


@each("name", [palette.name for palette in PALETTES.values() if palette.diverging])
@each(("low", "high"), [(-5.0, 20.0), (-20.0, 5.0), (-1e308, 1.7e308), (-5e-324, 1.0), (-3.0, 1e-9)])
def test_levels_that_are_not_symmetric_leave_zero_in_the_middle(name: str, low: float, high: float) -> None:
    levels, table = Levels(low, high), lut(name)
    colors = color_table(name, "light", levels)
    values = np.array([low, 0.0, high])
    found = colors[to_display(values, None, levels).indices]
    assert found[1] == table[LUT_ZERO]
    assert found[2 if high > -low else 0] == table[-1 if high > -low else 0]
    side = np.array([np.flatnonzero(table == color)[0] for color in colors.tolist()])
    assert (np.diff(side) >= 0).all()


def test_levels_of_one_sign_have_the_colors_of_that_sign_only() -> None:
    table = lut("signed")
    for levels, half in ((Levels(2.0, 20.0), table[LUT_ZERO:]), (Levels(-7.0, 0.0), table[: LUT_ZERO + 1])):
        colors = color_table("signed", "light", levels)
        assert np.isin(colors, half).all()
        assert {int(colors[0]), int(colors[-1])} == {int(half[0]), int(half[-1])}
