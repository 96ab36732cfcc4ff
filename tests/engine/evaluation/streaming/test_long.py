"""Long problems from Python: what is read whole, what in parts, and that large boxes are put together of tiles."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, compute
from attn_gui.engine.evaluation.streaming import StreamingEvaluation

LONG = 65536


@pytest.fixture(scope="module")
def trace():
    random = np.random.default_rng(1)
    arrays = {name: random.normal(size=(LONG, 8)).astype("f4") for name in ("query", "key", "value")}
    return compute(Problem(**arrays, num_heads=2, dtype="float32", mask=({"kind": "causal"},)))


def test_rows_of_a_long_problem_are_right(trace):
    rows = slice(LONG - 6, LONG - 3)
    found = trace.block("weights", 0, 1, rows, slice(0, LONG))
    q, k = (getattr(trace.problem, name)[:, 4:].astype("f8") for name in ("query", "key"))
    scores = np.where(np.arange(LONG) <= np.arange(LONG)[rows, None], q[rows] @ k.T / 2, -np.inf)
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-12)


def test_what_cannot_be_held_is_refused_with_the_way_out(trace):
    for asked in (lambda: trace["weights"], lambda: trace.allowed):
        with pytest.raises(FieldError, match=r"^\w+ would take \d+\.\d GB: read it in parts with trace\.block\.$"):
            asked()
    assert trace["query"].shape == (1, LONG, 8)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_large_box_is_put_together_of_tiles(monkeypatch, makers, dtype):
    evaluation = StreamingEvaluation(makers["all"]().replace(dtype=dtype))
    shape = evaluation.shape("weights")
    box = tuple(slice(length > 1, length) for length in shape)
    whole = {stage: evaluation.box(stage, box) for stage in ("scores", "masked", "weights")}
    monkeypatch.setattr("attn_gui.engine.evaluation.streaming.AT_ONCE", 5)
    for stage, expected in whole.items():
        found = evaluation.box(stage, box)
        assert found.dtype == dtype
        assert not found.flags.writeable
        np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "float32" else 1e-14, atol=1e-30)
