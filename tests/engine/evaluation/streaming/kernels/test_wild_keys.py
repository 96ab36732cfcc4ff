"""A NaN or infinity in a key costs no more than a number, says what the dense evaluation says, and can be undone."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.metrics import row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.streaming.kernels.stage_kernel import StageKernel

from .wild_problems import HEADS, M, N, problem_of

VARIANTS = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal"},)},
    "causal, ends with the last": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"})},
    "softcap": {"softcap": 3.0},
    "temperature": {"temperature": 0.3},
    "rotary": {"rotary_theta": 100.0},
    "shared heads": {"num_kv_heads": 1},
    "float32": {"dtype": "float32"},
    "large": {"scale": 40.0},
}


def same(evaluation, problem, tolerance):
    dense = Evaluation(problem)
    for stage in ("weights", "head_output", "output"):
        box = tuple(slice(0, length) for length in dense.shape(stage))
        np.testing.assert_allclose(evaluation.box(stage, box), dense.box(stage, box), rtol=tolerance, atol=tolerance)
    weights = dense.box("weights", tuple(slice(0, length) for length in dense.shape("weights")))
    for head in range(HEADS):
        expected = np.where((weights[0, head] != 0).any(axis=-1), row_entropy(weights[0, head]), -1.0)
        found = evaluation.entropies(0, head, slice(0, N))
        np.testing.assert_allclose(found, expected, rtol=100 * tolerance, atol=100 * tolerance)


@pytest.mark.family(9)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_wild_key_says_what_the_dense_evaluation_says_and_is_undone(name, value):
    arrays, more = problem_of(**VARIANTS[name])
    tolerance = 1e-5 if more.get("dtype") == "float32" else 1e-11
    evaluation = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64, chunk=100)
    evaluation.complete()
    for row, column in ((7, 2), (M - 1, 1), (7, 3)):
        old = arrays["key"][row, column]
        for number in (value, old):
            arrays["key"][row, column] = number
            cell = slice(row, row + 1), slice(column, column + 1)
            evaluation.update(Problem.over({**arrays, **more}), {"key": [cell]})
            evaluation.complete()
            same(evaluation, Problem.over({**arrays, **more}), tolerance)
    evaluation.settle()
    fresh = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64, chunk=100)
    for stage in ("weights", "head_output"):
        box = tuple(slice(0, length) for length in fresh.shape(stage))
        np.testing.assert_array_equal(evaluation.box(stage, box), fresh.box(stage, box))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_wild_key_needs_no_slow_pass(monkeypatch, value):
    arrays, more = problem_of()
    evaluation = StreamingEvaluation(Problem.over({**arrays, **more}), tile=64)
    evaluation.complete()

    def slow(*_):
        raise AssertionError("rows go through the stages one by one")

    monkeypatch.setattr(StageKernel, "tile", slow)
    monkeypatch.setattr(StreamingEvaluation, "block", slow)
    arrays["key"][7, 2] = value
    evaluation.update(Problem.over({**arrays, **more}), {"key": [(slice(7, 8), slice(2, 3))]})
    assert evaluation.complete()
    found = evaluation.entropies(0, 0, slice(0, N))
    lost = np.isnan(found)
    assert lost.all() if np.isnan(value) else 0 < lost.sum() < N
