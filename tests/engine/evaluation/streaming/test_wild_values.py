"""A NaN or infinity in a value costs no more than a number, says what the dense evaluation says, and can be undone."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation
from attn_gui.engine.evaluation.streaming_kernels import StageKernel
from attn_gui.engine.graph import indices
from tests.failing import each

from .wild_problems import CHUNK, TILE, VARIANTS, M, N, problem_of
from .working import Working, whole

OF_VALUES = VARIANTS | {"so large that weights vanish": {"scale": 300.0}}


@pytest.mark.family(9)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", OF_VALUES)
def test_a_wild_value_says_what_the_dense_evaluation_says_and_is_undone(name, value):
    working = Working(problem_of(**OF_VALUES[name]), TILE, CHUNK)
    tolerance = 1e-4 if name == "float32" else 1e-10
    working.evaluation.complete()
    for place in ((7, 2), (M - 1, 1), (7, 3)):
        for number in (value, -value, working.arrays["value"][place]):
            working.write("value", indices.cell(place), number)
            working.evaluation.complete()
            expected, found = whole(DenseEvaluation(working.problem()), "head_output"), working.stage("head_output")
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
            if number is value:
                fresh = whole(working.fresh(), "head_output")
                np.testing.assert_allclose(fresh, expected, rtol=tolerance, atol=tolerance)
    working.evaluation.settle()
    np.testing.assert_array_equal(working.stage("head_output"), whole(working.fresh(), "head_output"))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["plain", "causal"])
def test_a_wild_value_needs_no_slow_pass(monkeypatch, name, value):
    """Neither when it is typed, nor when what was updated is settled, nor when it is undone."""
    working = Working(problem_of(**VARIANTS[name]), TILE, None)
    working.evaluation.complete()

    def slow(*_):
        raise AssertionError("rows go through the stages one by one")

    monkeypatch.setattr(StageKernel, "tile", slow)
    for number in (value, working.arrays["value"][7, 2]):
        working.write("value", indices.cell((7, 2)), number)
        if number is value:
            assert working.evaluation.known(0, 0).all()  # no row is left to be computed again
        assert working.evaluation.complete()
        assert working.evaluation.settle()
        lost = ~np.isfinite(working.stage("head_output")[0, 0, :, 2])
        assert lost.tolist() == [number is value and (name == "plain" or row >= 7) for row in range(N)]


def test_wild_values_of_many_keys_are_right(rng):
    working = Working(problem_of(**VARIANTS["causal"]), TILE, CHUNK)
    working.arrays["value"][rng.integers(0, M, 40), rng.integers(0, 8, 40)] = np.nan
    working.arrays["value"][rng.integers(0, M, 4), rng.integers(0, 8, 4)] = np.inf
    expected = whole(DenseEvaluation(working.problem()), "head_output")
    np.testing.assert_allclose(whole(working.fresh(), "head_output"), expected)


@each("value", [np.inf, np.nan, 1.7e308, 1.0])
@each("added", [-1e4, -3e38])
def test_a_picture_of_weights_beside_a_wild_value_shows_them(value, added):
    """Z must not be lost in the maximum that is taken off, which is so large that log Z is no digit of it."""
    working = Working(problem_of(mask=({"kind": "bias", "values": np.full((1, M), added)},)), TILE, CHUNK)
    working.arrays["value"][7, 2] = value
    evaluation = working.fresh()
    evaluation.complete()
    picture, _ = evaluation.pooled("weights", 0, 0, N, M)
    np.testing.assert_allclose(picture, working.fresh().block("weights", 0, 0, slice(0, N), slice(0, M)), rtol=1e-10)
    np.testing.assert_allclose(picture.sum(axis=1), 1.0)


@pytest.mark.parametrize(("dtype", "huge"), [("float64", 1e308), ("float32", 2e38)])
def test_a_mean_is_a_number_where_the_sum_is_too_large_for_one(dtype, huge):
    working = Working(problem_of(dtype=dtype, mask=({"kind": "causal"},)), TILE, CHUNK)
    working.arrays["value"][TILE + 9 :, 2] = huge
    found, dense = whole(working.fresh(), "head_output"), whole(DenseEvaluation(working.problem()), "head_output")
    assert np.isfinite(found).all()
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, dense, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("dtype", "huge"), [("float64", 1e308), ("float32", 2e38)])
def test_a_mean_stays_a_number_where_an_edit_makes_the_sum_too_large_for_one(dtype, huge):
    problem = problem_of(dtype=dtype)
    working = Working(problem.replace(query=np.ones_like(problem.query)), TILE, CHUNK)
    working.evaluation.complete()
    working.write("key", (slice(0, 1), slice(0, problem.key.shape[1])), 5.0)  # far above what was taken off before
    working.write("value", (slice(0, 1), slice(2, 3)), huge)
    found, dense = working.stage("head_output"), whole(DenseEvaluation(working.problem()), "head_output")
    assert np.isfinite(dense).all()
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, dense, rtol=tolerance, atol=tolerance)
