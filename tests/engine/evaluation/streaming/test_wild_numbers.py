"""A NaN or infinity in a key or value costs no more than a number, says what the dense evaluation says, is undone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.streaming_kernels import StageKernel
from attn_gui.engine.graph import indices
from tests.failing import each

from .working import Working, whole

N, M, HEADS = 300, 320, 2
TILE, CHUNK = 64, 100
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal"},)},
    "causal, ends with the last": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"})},
    "softcap": {"softcap": 3.0},
    "shared heads": {"num_kv_heads": 1},
    "float32": {"dtype": "float32"},
    "large": {"scale": 40.0},
    "so large that weights vanish": {"scale": 300.0},
    "temperature": {"temperature": 0.3},
    "rotary": {"rotary_theta": 100.0},
}


def problem_of(**more: Any) -> Problem:
    random = np.random.default_rng(5).normal
    kv_heads = more.get("num_kv_heads", HEADS)
    return Problem(
        query=random(size=(N, 6 * HEADS)),
        key=random(size=(M, 6 * kv_heads)),
        value=random(size=(M, 4 * kv_heads)),
        **{"num_heads": HEADS, **more},
    )


def same(evaluation, problem, tolerance):
    dense = DenseEvaluation(problem)
    for stage in ("weights", "head_output", "output"):
        np.testing.assert_allclose(whole(evaluation, stage), whole(dense, stage), rtol=tolerance, atol=tolerance)
    weights = whole(dense, "weights")[0]
    for head in range(HEADS):
        expected = np.where((weights[head] != 0).any(axis=-1), row_entropy(weights[head]), -1.0)
        found = evaluation.entropies(0, head, slice(0, N))
        np.testing.assert_allclose(found, expected, rtol=100 * tolerance, atol=100 * tolerance)


@pytest.mark.family(5)
@pytest.mark.parametrize("field", ["key", "value"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_wild_number_says_what_the_dense_evaluation_says_and_is_undone(name, field):
    working = Working(problem_of(**VARIANTS[name]), TILE, CHUNK)
    tolerance = 1e-4 if name == "float32" else 1e-10
    working.evaluation.complete()
    for place, wild in (((7, 2), np.nan), ((M - 1, 1), np.inf), ((7, 3), -np.inf)):
        for number in (wild, -wild, working.arrays[field][place]):
            working.write(field, indices.cell(place), number)
            working.evaluation.complete()
            same(working.evaluation, working.problem(), tolerance)
    working.evaluation.settle()
    for stage in ("weights", "head_output"):
        np.testing.assert_array_equal(working.stage(stage), whole(working.fresh(), stage))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(("field", "name"), [("key", "plain"), ("value", "plain"), ("value", "causal")])
def test_a_wild_number_needs_no_slow_pass(monkeypatch, field, name, value):
    """Neither when it is typed, nor when what was updated is settled, nor when it is undone."""
    working = Working(problem_of(**VARIANTS[name]), TILE, None)
    working.evaluation.complete()

    def slow(*_):
        raise AssertionError("rows go through the stages one by one")

    monkeypatch.setattr(StageKernel, "tile", slow)
    if field == "key":
        monkeypatch.setattr(StreamingEvaluation, "block", slow)
        working.write("key", indices.cell((7, 2)), value)
        assert working.evaluation.complete()
        lost = np.isnan(working.evaluation.entropies(0, 0, slice(0, N)))
        assert lost.all() if np.isnan(value) else 0 < lost.sum() < N
        return
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
