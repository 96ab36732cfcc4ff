from __future__ import annotations

import numpy as np
import pytest

from attn_gui.figure.colors import LUT_NAMES, LUT_SIZE, LUT_ZERO, lightness, luminance, lut, value_text_color
from attn_gui.figure.tokens import SIGNED_STOPS, THEMES, WEIGHTS_STOPS

EVERY = [(name, theme) for name in LUT_NAMES for theme in THEMES]


def rgb(token: str) -> int:
    return 0xFF000000 | int(token[1:], 16)


@pytest.mark.parametrize(("name", "theme"), EVERY)
def test_values_can_be_read_on_every_color(name: str, theme: str) -> None:
    for color, light in zip(lut(name, theme).tolist(), luminance(lut(name, theme)), strict=True):
        text = 1.0 if value_text_color(color).red() == 255 else 0.0
        contrast = (max(text, light) + 0.05) / (min(text, light) + 0.05)
        assert contrast >= 4.5


@pytest.mark.parametrize(("name", "theme"), EVERY)
def test_a_table_is_opaque_and_cannot_be_changed(name: str, theme: str) -> None:
    table = lut(name, theme)
    assert table.dtype == np.uint32
    assert table.shape == (LUT_SIZE,)
    assert (table >> 24 == 0xFF).all()
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


@pytest.mark.parametrize("theme", THEMES)
def test_tokens_stand_at_zero_and_at_the_ends(theme: str) -> None:
    signed, weights = lut("signed", theme), lut("weights", theme)
    stops = dict(SIGNED_STOPS[theme])
    assert [signed[0], signed[LUT_ZERO], signed[-1]] == [rgb(stops[-1]), rgb(stops[0]), rgb(stops[1])]
    assert [weights[0], weights[-1]] == [rgb(WEIGHTS_STOPS[theme][0][1]), rgb(WEIGHTS_STOPS[theme][-1][1])]


@pytest.mark.parametrize("theme", THEMES)
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


def test_an_unknown_map_is_an_error() -> None:
    with pytest.raises(KeyError):
        lut("rainbow", "light")
