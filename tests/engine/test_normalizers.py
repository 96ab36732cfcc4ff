"""The four normalizations against NumPy written out once more, on random problems: masks, heads, rows without a key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem, compute, explain, solve, verify
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.normalizers import NORMALIZERS

OTHERS = [key for key in NORMALIZERS if key != "softmax"]


def expected(problem: Problem) -> np.ndarray:
    """The weights (batch, head, query, key)."""
    batch, heads, n, m = problem.map_shape
    query = problem.query.astype(float).reshape(batch, n, heads, -1).transpose(0, 2, 1, 3)
    key = problem.key.astype(float).reshape(batch, m, problem.num_kv_heads, -1).transpose(0, 2, 3, 1)
    scores = query @ key.repeat(heads // problem.num_kv_heads, axis=1) / np.sqrt(query.shape[-1])
    if problem.softcap is not None:
        scores = problem.softcap * np.tanh(scores / problem.softcap)
    closed = np.zeros(problem.map_shape, bool)
    for layer in problem.mask:
        if layer.kind == "bias":
            scores = scores + layer.values
        else:
            closed |= ~layer.allowed
    if problem.normalize == "none":
        return np.where(closed, 0, scores)
    if problem.normalize == "sigmoid":
        return np.where(closed, 0, 1 / (1 + np.exp(-scores / (problem.temperature or 1))))
    elu = np.where(scores > 0, scores, np.expm1(np.minimum(scores, 0)))
    phi = np.where(closed, 0, elu + 1)
    total = phi.sum(-1, keepdims=True)
    return np.divide(phi, total, out=np.zeros_like(phi), where=total != 0)


@st.composite
def problems(draw: st.DrawFn, **fixed: Any) -> Problem:
    groups, shared, n, m, d = (draw(st.integers(1, most)) for most in (2, 2, 5, 7, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    key = draw(st.sampled_from(OTHERS))
    heads, batch = groups * shared, draw(st.integers(1, 2))
    arrays = {
        "query": rng.normal(scale=3, size=(batch, n, heads * d)),
        "key": rng.normal(size=(batch, m, groups * d)),
        "value": rng.normal(size=(batch, m, groups * 2)),
    }
    fields: dict[str, Any] = {"normalize": key, "num_heads": heads, "num_kv_heads": groups} | fixed
    if draw(st.booleans()):
        allowed = rng.random((batch, heads, n, m)) > draw(st.sampled_from([0.3, 0.9]))  # often rows without a key
        fields["mask"] = ({"kind": "custom", "allowed": allowed}, {"kind": "bias", "values": rng.normal(size=(n, m))})
    if draw(st.booleans()):
        fields["softcap"] = 2.0
    if draw(st.booleans()) and "temperature" in NORMALIZERS[key].reads:
        fields["temperature"] = 0.7
    return Problem(**arrays, **fields, batch_axis=True)


@given(problems())
@settings(max_examples=60, deadline=None)
def test_the_weights_are_those_of_numpy_dense_and_streaming(problem):
    right = expected(problem)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=2, chunk=3)
    whole = tuple(slice(0, length) for length in right.shape)
    np.testing.assert_allclose(dense.box("weights", whole), right, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(streaming.box("weights", whole), right, rtol=1e-12, atol=1e-13)
    narrow = (*whole[:3], slice(whole[3].stop - 1, whole[3].stop))
    np.testing.assert_allclose(streaming.box("weights", narrow), right[..., -1:], rtol=1e-12, atol=1e-13)
    rows = tuple(slice(0, length) for length in dense.shape("output"))
    np.testing.assert_allclose(streaming.box("output", rows), dense.box("output", rows), rtol=1e-11, atol=1e-12)
    assert verify(problem).ok


@pytest.mark.parametrize("key", OTHERS)
def test_a_temperature_and_sinks_are_refused_where_no_formula_reads_them(key):
    arrays = {"query": [[1, 0]], "key": [[1, 1]], "value": [[2, 3]]}
    with pytest.raises(FieldError, match="sink has no part in the weights where normalize is"):
        Problem(**arrays, normalize=key, sink=[0.5])
    if "temperature" not in NORMALIZERS[key].reads:
        with pytest.raises(FieldError, match=r"temperature has no part .*: choose softmax, sigmoid, or leave it out"):
            Problem(**arrays, normalize=key, temperature=2)


@pytest.mark.parametrize(("key", "target"), [("none", 3.5), ("sum", 0.3), ("sigmoid", 0.9)])
def test_a_target_is_reached_by_the_query(key, target, rng):
    arrays = {name: rng.normal(size=(4, 3)) for name in ("query", "key", "value")}
    found = solve(Problem(**arrays, normalize=key), "weights", (0, 0, 1, 2), target)
    assert found.feasible
    assert found.reached == pytest.approx(target, abs=1e-9)


def test_huge_scores_stay_numbers():
    arrays = {"query": [[1.0]], "key": [[800.0], [-800.0], [0.0]], "value": [[1.0], [2.0], [3.0]]}
    assert compute(Problem(**arrays, normalize="sigmoid"))["weights"][0, 0, 0].tolist() == [1.0, 0.0, 0.5]
    assert compute(Problem(**arrays, normalize="sum"))["weights"][0, 0, 0] == pytest.approx([801 / 802, 0, 1 / 802])


@pytest.mark.parametrize("wild", [np.nan, np.inf])
@pytest.mark.parametrize("key", OTHERS)
def test_a_number_that_is_none_is_one_for_the_reference_too(key, wild):
    assert verify(Problem(query=[[wild], [1]], key=[[1], [2]], value=[[1], [2]], normalize=key)).ok


def test_a_sum_that_overflows_is_no_row_of_zeros():
    problem = Problem(query=[[1.0]], key=[[1e308]] * 5, value=np.ones((5, 1)), normalize="sum", scale=1.0)
    assert np.isnan(compute(problem)["weights"]).all()
    assert np.isnan(StreamingEvaluation(problem).box("weights", (slice(None),) * 4)).all()
    assert verify(problem).ok


def test_a_row_whose_sum_is_0_is_explained_as_0():
    problem = Problem(query=[[1.0]], key=[[-900.0]] * 2, value=np.ones((2, 1)), normalize="sum", scale=1.0)
    found = explain(compute(problem), "weights", (0, 0, 0, 0))
    assert found.value == 0
    assert "/" not in found.text
