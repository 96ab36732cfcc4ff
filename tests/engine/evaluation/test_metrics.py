"""Entropy of rows of weights."""

from __future__ import annotations

import math

import numpy as np

from attn_gui.engine.evaluation.evaluation import row_entropy


def test_known_rows() -> None:
    rows = [[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0] * 4, [np.nan, 0.5, 0.5, 0]]
    np.testing.assert_allclose(row_entropy(rows), [0, math.log(4), math.log(2), 0, np.nan], atol=1e-15)


def test_leading_axes_stay() -> None:
    assert row_entropy(np.full((2, 3, 5, 7), 1 / 7)).shape == (2, 3, 5)


def test_zero_is_never_negative() -> None:
    assert not np.signbit(row_entropy([[1.0, 0.0]])).any()


def test_numbers_set_by_hand_warn_of_nothing() -> None:
    rows = [[-np.inf, 0.5, 0.5], [-3.0, 1.0, 0.0], [np.inf, 0.0, 0.0]]
    np.testing.assert_allclose(row_entropy(rows), [math.log(2), 0, -np.inf])
