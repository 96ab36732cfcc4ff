from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_gui.figure.colors import LUT_SIZE, LUT_ZERO, lut
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.display import (
    ALLOWED,
    CLOSED,
    NAN,
    NEG_INF,
    POS_INF,
    Levels,
    argb,
    auto_levels,
    percentile_levels,
    to_display,
)
from tests.failing import each

WILD = st.floats(width=64) | st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, 0.0])
MATRICES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=7), elements=WILD)


@given(MATRICES, st.booleans(), st.data())
def test_anything_becomes_indices_within_the_table(values: np.ndarray, signed: bool, data: st.DataObject) -> None:
    allowed = data.draw(st.none() | hnp.arrays(np.bool_, values.shape))
    levels = auto_levels(values, allowed, signed=signed, keys=101)
    display = to_display(values, allowed, levels)
    assert display.shape == values.shape
    assert (display.indices < LUT_SIZE).all()
    shown = np.ones(values.shape, bool) if allowed is None else allowed
    assert (display.flags[~shown] == CLOSED).all()
    for flag, test in ((NAN, np.isnan), (POS_INF, np.isposinf), (NEG_INF, np.isneginf), (ALLOWED, np.isfinite)):
        assert ((display.flags == flag) == (shown & test(values))).all()
    assert (display.indices[shown & (values == levels.high)] == LUT_SIZE - 1).all()
    assert (display.indices[shown & np.isposinf(values)] == LUT_SIZE - 1).all()
    assert (display.indices[shown & np.isneginf(values)] == 0).all()
    if signed:
        assert (display.indices[shown & (values == 0)] == LUT_ZERO).all()


@each(
    "values",
    [
        np.zeros((0, 0)),
        np.zeros((3, 0)),
        np.zeros((2, 3)),
        np.full((2, 3), np.nan),
        np.full((2, 3), np.inf),
        np.array([[-np.inf, np.nan]]),
        np.array([[5e-324]]),
        np.array([[1e308, -1e308]]),
        [[1, 2], [3, 4]],
        np.float16([[60000, -np.inf]]),
        np.array([[1, 2.5]], dtype=object),
    ],
)
@each("signed", [False, True])
def test_levels_are_never_degenerate(values: object, signed: bool) -> None:
    for levels in (auto_levels(values, signed=signed, keys=65), percentile_levels(values, signed=signed)):
        assert np.isfinite([levels.low, levels.high]).all()
        assert levels.low < levels.high
        to_display(values, None, levels)


def test_signed_levels_are_symmetric_and_ignore_what_is_closed_or_not_finite() -> None:
    values = np.array([[1.0, -7.0, np.inf], [900.0, np.nan, -np.inf]])
    allowed = np.array([[True, True, True], [False, True, True]])
    assert auto_levels(values, allowed, signed=True, keys=3) == Levels(-7.0, 7.0)


@each(("keys", "high"), [(2, 1.0), (64, 1.0), (65, 0.25)])
def test_weights_are_colored_up_to_1_for_up_to_64_keys(keys: int, high: float) -> None:
    assert auto_levels(np.array([[0.25, 0.01]]), signed=False, keys=keys) == Levels(0.0, high)


def test_weights_too_small_to_be_seen_on_0_to_1_are_colored_up_to_the_largest() -> None:
    assert auto_levels(np.full((50, 50), 0.081), signed=False, keys=50) == Levels(0.0, 0.081)


def test_percentile_levels_leave_an_outlier_out() -> None:
    values = np.ones((20, 10))
    values[3, 4] = -1000.0
    assert percentile_levels(values, signed=True) == Levels(-1.0, 1.0)
    spike = np.zeros((100, 100))
    spike[3, 4] = 5.0  # 99 % are exactly 0: levels from 0 to 0 would be none
    assert percentile_levels(spike, signed=False) == Levels(0.0, 5.0)


@each(("low", "high"), [(1, 1), (2, 1), (0, np.inf), (np.nan, 1)])
def test_levels_that_mean_nothing_are_refused_with_a_sentence(low: float, high: float) -> None:
    with pytest.raises(ValueError, match=r"level.*\.$|Levels.*\.$"):
        Levels(low, high)


@each("scale", [1.0, 0.3, 1e-320, 1e300, 1e308])
def test_colors_follow_the_value_at_every_scale(scale: float) -> None:
    values = np.array([[-1.0, -0.5, 0.0, 0.5, 1.0, 1.5]]) * scale
    low, quarter, zero, upper, high, beyond = to_display(values, None, Levels(-scale, scale)).indices[0].tolist()
    assert (low, zero, high, beyond) == (0, LUT_ZERO, LUT_SIZE - 1, LUT_SIZE - 1)
    assert 127 <= quarter <= 129
    assert 382 <= upper <= 384


def test_a_small_difference_far_from_zero_is_seen_in_single_precision() -> None:
    values = np.array([[1000.0, 1000.5, 1001.0]], dtype=np.float32)
    assert to_display(values, None, Levels(1000.0, 1001.0)).indices.tolist() == [[0, 256, 511]]


@each("theme", THEMES)
def test_pixels_take_the_colors_of_the_table_and_of_the_theme(theme: str) -> None:
    values = np.array([[-2.0, 0.0, 2.0], [np.nan, np.inf, 1.0]])
    allowed = np.array([[True, True, True], [True, True, False]])
    table = lut("signed", theme)
    pixels = argb(to_display(values, allowed, Levels(-2, 2)), table, THEMES[theme])
    nan, closed = THEMES[theme].nan.rgb(), THEMES[theme].masked.rgb()
    assert pixels.tolist() == [[table[0], table[LUT_ZERO], table[-1]], [nan, table[-1], closed]]
    assert pixels.flags.c_contiguous


def test_a_mask_wins_over_nan_and_is_counted_apart() -> None:
    display = to_display(np.array([[np.nan, np.nan, -np.inf]]), np.array([[False, True, False]]), Levels(0, 1))
    assert display.counts() == {CLOSED: 2, NAN: 1}
