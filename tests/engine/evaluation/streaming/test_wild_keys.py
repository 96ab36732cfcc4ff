"""A NaN or infinity in a key costs no more than a number, says what the dense evaluation says, and can be undone."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.streaming_kernels import StageKernel
from attn_gui.engine.graph import indices

from .wild_problems import CHUNK, HEADS, TILE, VARIANTS, M, N, problem_of
from .working import Working

OF_KEYS = VARIANTS | {"temperature": {"temperature": 0.3}, "rotary": {"rotary_theta": 100.0}}


def same(evaluation, problem, tolerance):
    dense = DenseEvaluation(problem)
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
@pytest.mark.parametrize("name", OF_KEYS)
def test_a_wild_key_says_what_the_dense_evaluation_says_and_is_undone(name, value):
    working = Working(problem_of(**OF_KEYS[name]), TILE, CHUNK)
    tolerance = 1e-5 if name == "float32" else 1e-11
    working.evaluation.complete()
    for place in ((7, 2), (M - 1, 1), (7, 3)):
        for number in (value, working.arrays["key"][place]):
            working.write("key", indices.cell(place), number)
            working.evaluation.complete()
            same(working.evaluation, working.problem(), tolerance)
    working.evaluation.settle()
    fresh = working.fresh()
    for stage in ("weights", "head_output"):
        box = tuple(slice(0, length) for length in fresh.shape(stage))
        np.testing.assert_array_equal(working.evaluation.box(stage, box), fresh.box(stage, box))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_wild_key_needs_no_slow_pass(monkeypatch, value):
    working = Working(problem_of(), TILE, None)
    working.evaluation.complete()

    def slow(*_):
        raise AssertionError("rows go through the stages one by one")

    monkeypatch.setattr(StageKernel, "tile", slow)
    monkeypatch.setattr(StreamingEvaluation, "block", slow)
    working.write("key", indices.cell((7, 2)), value)
    assert working.evaluation.complete()
    found = working.evaluation.entropies(0, 0, slice(0, N))
    lost = np.isnan(found)
    assert lost.all() if np.isnan(value) else 0 < lost.sum() < N
