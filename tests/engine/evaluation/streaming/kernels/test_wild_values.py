"""A NaN or infinity in a value costs no more than a number, says what the dense evaluation says, and can be undone."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.streaming.kernels.stage_kernel import StageKernel

from .wild_problems import M, N, problem_of

VARIANTS = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal"},)},
    "causal, ends with the last": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"})},
    "softcap": {"softcap": 3.0},
    "shared heads": {"num_kv_heads": 1},
    "float32": {"dtype": "float32"},
    "large": {"scale": 40.0},
    "so large that weights vanish": {"scale": 300.0},
}


def whole(evaluation, stage):
    return evaluation.box(stage, tuple(slice(0, length) for length in evaluation.shape(stage)))


@pytest.mark.family(9)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_wild_value_says_what_the_dense_evaluation_says_and_is_undone(name, value):
    arrays, more = problem_of(**VARIANTS[name])
    tolerance = 1e-4 if more.get("dtype") == "float32" else 1e-10
    evaluation = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64, chunk=100)
    evaluation.complete()
    for row, column in ((7, 2), (M - 1, 1), (7, 3)):
        old = arrays["value"][row, column]
        for number in (value, -value, old):
            arrays["value"][row, column] = number
            cell = slice(row, row + 1), slice(column, column + 1)
            evaluation.update(Problem.over({**arrays, **more}), {"value": [cell]})
            evaluation.complete()
            dense = Evaluation(Problem.over({**arrays, **more}))
            expected, found = whole(dense, "head_output"), whole(evaluation, "head_output")
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
            if number is value:
                fresh = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64, chunk=100)
                np.testing.assert_allclose(whole(fresh, "head_output"), expected, rtol=tolerance, atol=tolerance)
    evaluation.settle()
    fresh = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64, chunk=100)
    np.testing.assert_array_equal(whole(evaluation, "head_output"), whole(fresh, "head_output"))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["plain", "causal"])
def test_a_wild_value_needs_no_slow_pass(monkeypatch, name, value):
    """Neither when it is typed, nor when what was updated is settled, nor when it is undone."""
    arrays, more = problem_of(**VARIANTS[name])
    evaluation = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64)
    evaluation.complete()

    def slow(*_):
        raise AssertionError("rows go through the stages one by one")

    monkeypatch.setattr(StageKernel, "tile", slow)
    before = arrays["value"][7, 2]
    for number in (value, before):
        arrays["value"][7, 2] = number
        evaluation.update(Problem.over({**arrays, **more}), {"value": [(slice(7, 8), slice(2, 3))]})
        if number is value:
            assert evaluation.known(0, 0).all()  # no row is left to be computed again
        assert evaluation.complete()
        assert evaluation.settle()
        lost = ~np.isfinite(whole(evaluation, "head_output")[0, 0, :, 2])
        assert lost.tolist() == [number is value and (name == "plain" or row >= 7) for row in range(N)]


def test_wild_values_of_many_keys_are_right(rng):
    arrays, more = problem_of(**VARIANTS["causal"])
    arrays["value"][rng.integers(0, M, 40), rng.integers(0, 8, 40)] = np.nan
    arrays["value"][rng.integers(0, M, 4), rng.integers(0, 8, 4)] = np.inf
    problem = Problem.over({**arrays, **more})
    evaluation = StreamingEvaluation(problem, tile=64, chunk=100)
    np.testing.assert_allclose(whole(evaluation, "head_output"), whole(Evaluation(problem), "head_output"))
