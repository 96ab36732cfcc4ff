"""Rows of shares with one of them set by hand, whatever number that is, and how evenly such rows are spread."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attn_gui.engine.creation.interventions import rescale_row
from attn_gui.engine.evaluation.evaluation import row_entropy
from tests.failing import each

ROW = np.array([0.5, 0.0, 0.3, 0.2])


@each("dtype", ["float32", "float64"])
@each("share", [0.1, 0.0, 1.0, -2.0, 1e200, -1e308, np.inf, -np.inf, np.nan])
def test_what_had_no_share_has_none_whatever_is_set(share, dtype):
    """A closed key became NaN with an infinite weight beside it; a warning of NumPy is an error here."""
    found = rescale_row(ROW.astype(dtype), 2, share)
    assert found[1] == 0
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found[2], np.dtype(dtype).type(share))
    if abs(share) <= 2:
        assert found.sum() == pytest.approx(1, abs=float(16 * np.finfo(dtype).eps) * max(1.0, abs(share)))
        assert found[0] == pytest.approx(2.5 * found[3])


@pytest.mark.parametrize("others", [(np.inf, -np.inf), (np.nan, 0.5), (0.5, -0.5)])
def test_others_without_a_sum_stay_as_they_are(others):
    """Infinities of both signs have none, and NumPy warned of it."""
    one, other = others
    found = rescale_row(np.array([one, 0.0, 0.25, other]), 2, 0.5)
    np.testing.assert_array_equal(found, (one, 0.0, 0.5, other))


def test_others_too_small_to_be_divided_by_are_scaled_all_the_same():
    np.testing.assert_array_equal(rescale_row(np.array([1.0, 1e-310, 0.0]), 0, 0.5), (0.5, 0.5, 0.0))


@pytest.mark.parametrize("large", [1e308, np.inf])
def test_weights_without_measure_are_no_even_spread(large):
    assert row_entropy([[0.5, 0.5], [large, -large], [np.nan, 1.0]])[0] == pytest.approx(np.log(2))
    assert not np.isfinite(row_entropy([[large, 0.0], [large, large]])).any()


# --- entropy of rows -----------------------------------------------------------------------------
def test_known_rows() -> None:
    rows = [[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0] * 4, [np.nan, 0.5, 0.5, 0]]
    np.testing.assert_allclose(row_entropy(rows), [0, math.log(4), math.log(2), 0, np.nan], atol=1e-15)


def test_zero_is_never_negative() -> None:
    assert not np.signbit(row_entropy([[1.0, 0.0]])).any()


def test_numbers_set_by_hand_warn_of_nothing() -> None:
    rows = [[-np.inf, 0.5, 0.5], [-3.0, 1.0, 0.0], [np.inf, 0.0, 0.0]]
    np.testing.assert_allclose(row_entropy(rows), [math.log(2), 0, -np.inf])
