"""Activations: exact where it is hard, their slopes, and what they do with numbers that are no numbers."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine.blocks import ACTIVATIONS
from tests.failing import each

EPS = np.finfo(float).eps


def exact_gelu(x: float) -> Decimal:
    """x Φ(x) by the series of erf in 60 digits."""
    getcontext().prec = 60
    z = Decimal(x) / Decimal(2).sqrt()
    term = total = z
    for k in range(1, 400):
        term = -term * z * z / k
        total += term / (2 * k + 1)
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
    return Decimal(x) * (1 + 2 * total / pi.sqrt()) / 2


@each("x", [-6.5, -4.0, -2.25, -1.0, -0.46875, -1e-3, 0.0, 1e-8, 0.3, 1.0, 2.5, 6.0])
def test_gelu_keeps_its_digits_far_below_zero(x):
    found, expected = float(ACTIVATIONS["gelu"].bend(np.array([x]))[0]), float(exact_gelu(x))
    assert abs(found - expected) <= (4 + 2 * x * x) * EPS * abs(expected)


@given(st.floats(-30, 30))
def test_slopes_are_those_of_finite_differences(x):
    h = 1e-6
    for activation in ACTIVATIONS.values():
        if activation.key == "relu" and abs(x) < 2 * h:
            continue
        ends = activation.bend(np.array([x + h, x - h]))
        assert activation.slope(np.array([x]))[0] == pytest.approx((ends[0] - ends[1]) / 2 / h, rel=1e-5, abs=1e-8)
        assert abs(activation.slope(np.array([x]))[0]) <= activation.steepest


@each("key", ACTIVATIONS)
def test_large_numbers_neither_overflow_nor_turn_into_nan(key):
    activation = ACTIVATIONS[key]
    with np.errstate(all="ignore"):
        found = activation.bend(np.array([1e200, 1e5, -1e5, -1e200]))
        slopes = activation.slope(np.array([1e200, 1e5, -1e5, -1e200]))
    assert found.tolist() == [1e200, 1e5, 0.0, 0.0]
    assert slopes.tolist() == [1, 1, 0, 0]
    assert math.isnan(activation.bend(np.array([np.nan]))[0])
