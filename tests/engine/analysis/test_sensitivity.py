"""Exact gradients of the whole chain against central differences."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from attn_gui.engine import (
    DenseEvaluation,
    FieldError,
    Problem,
    ShapeError,
    compute,
    layer_from_mapping,
    memory,
    new_problem,
    sensitivity,
)
from attn_gui.engine.analysis.gradient_evaluation import Gradient
from attn_gui.engine.analysis.sensitivity import all_gradients, gradients, strongest
from attn_gui.engine.analysis.sensitivity import gradient as gradient_by
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.streaming import StreamingEvaluation


def changed(problem, name, index, step):
    if name in problem.scalars():
        value, (head, *tail) = problem.scalars()[name] + step, name.split(".")
    else:
        value = np.array(problem.arrays()[name])
        value[index] += step
        head, *tail = name.split(".")
    if head == "mask":
        layers = list(problem.mask)
        layers[int(tail[0])] = layer_from_mapping(layers[int(tail[0])].to_mapping() | {tail[1]: value})
        return problem.replace(mask=tuple(layers))
    return problem.replace(**{head: {**getattr(problem, head), tail[0]: value} if tail else value})


@pytest.mark.family(3)
def test_gradients_of_a_weighted_sum_are_its_derivatives(makers, problem_name, rng):
    problem, h = makers[problem_name](), 1e-5
    trace = compute(problem)
    stage = trace.stages[-1]
    cotangent = rng.normal(size=trace[stage].shape)
    found = sensitivity(trace, stage, cotangent=cotangent)
    floats = {name for name, array in problem.arrays().items() if array.dtype != bool}
    assert set(found) == floats | set(problem.scalars())
    for name, gradient in found.items():
        for _ in range(3):
            index = tuple(int(rng.integers(length)) for length in gradient.shape)
            up, down = (compute(changed(problem, name, index, s))[stage] for s in (h, -h))
            slope = ((up - down) * cotangent).sum() / 2 / h
            assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-6), (name, index)


def test_what_is_asked_must_be_clear(makers):
    trace = compute(makers["plain"]())
    with pytest.raises(FieldError, match="neither"):
        sensitivity(trace, "weights")
    with pytest.raises(FieldError, match="both"):
        sensitivity(trace, "weights", (0, 0, 0, 0), cotangent=trace["weights"])
    with pytest.raises(ShapeError, match="cotangent"):
        sensitivity(trace, "weights", cotangent=np.ones(3))
    with pytest.raises(KeyError, match="masked"):
        sensitivity(trace, "masked", (0, 0, 0, 0))
    with pytest.raises(IndexError, match="weights takes an index of 4"):
        sensitivity(trace, "weights", (0, 0, 99, 0))


def test_the_strongest_are_named_by_field_and_place_without_zeros():
    query, value = np.array([[0.0, -3, 2], [1, 0, 0]]), np.array([[np.nan, 0.5]])
    gradients = {"query": query, "value": value, "scale": np.array(-2.5)}
    assert strongest(gradients, 4)[1:] == [("query", (0, 1), -3.0), ("scale", (), -2.5), ("query", (0, 2), 2.0)]
    assert strongest(gradients, 4)[0][:2] == ("value", (0, 0))
    assert len(strongest(gradients, 50)) == 6
    assert strongest({"query": np.zeros((2, 3))}, 3) == []


# --- long sequences ------------------------------------------------------------------------------
@pytest.mark.family(2)
def test_a_streaming_evaluation_has_the_gradients_of_the_dense_one(makers, problem_name, rng):
    for dtype, close in (("float64", 1e-10), ("float32", 1e-5)):
        problem = makers[problem_name]().replace(dtype=dtype)
        dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=5)
        for stage in dense.stages:
            index = tuple(int(rng.integers(length)) for length in dense.shape(stage))
            right, found = sensitivity(dense, stage, index), sensitivity(streaming, stage, index)
            assert found.keys() == right.keys()
            size = max(1.0, *(np.abs(gradient).max() for gradient in right.values()))
            for field, gradient in right.items():
                np.testing.assert_allclose(
                    found[field], gradient, rtol=0, atol=close * size, err_msg=f"{stage} {field}"
                )


def test_gradients_at_4096_tokens_follow_an_edit_and_hold_no_map():
    problem = new_problem("self", n=4096, num_heads=8, d_k=8, d_v=8).replace(
        rotary_theta=100.0, mask=({"kind": "causal"}, {"kind": "alibi"})
    )
    query, x = 37, np.array(problem.x)
    live = Problem.over(problem.fields() | {"x": x})
    streaming = StreamingEvaluation(live)
    sensitivity(streaming, "output", (0, query, 3))
    x[5, 7] += 2.0
    streaming.update(live, {"x": [(slice(5, 6), slice(7, 8))]})
    tracemalloc.start()
    found = sensitivity(streaming, "output", (0, query, 3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096 * 4096 * 8  # not even one map of one head in float64
    short = live.replace(x=x[: query + 1])  # the causal mask closes all later keys
    right = sensitivity(DenseEvaluation(short), "output", (0, query, 3))
    np.testing.assert_allclose(found["x"][: query + 1], right["x"], rtol=0, atol=1e-10)
    assert not found["x"][query + 1 :].any()
    for field in ("w_query", "w_key", "w_value", "scale", "rotary_theta"):
        np.testing.assert_allclose(found[field], right[field], rtol=0, atol=1e-9, err_msg=field)


TILED = {
    "direct": {},
    "float32": {"dtype": "float32"},
    "masks": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"})},
    "shared heads": {"num_kv_heads": 1},
    "softcap, temperature": {"softcap": 2.0, "temperature": 0.7},
    "rotary": {"rotary_theta": 50.0},
    "gaussian": {"score": "gaussian"},
    "batch": {"batch": 3},
}


@pytest.mark.parametrize("stage", ["scores", "weights", "head_output", "output", "value"])
@pytest.mark.parametrize("name", TILED)
def test_gradients_by_tiles_are_those_of_the_whole(monkeypatch, name, stage):
    """A sum of n terms in another order: apart by no more than n · ε times the sum of their sizes."""
    import sys

    given, rng = dict(TILED[name]), np.random.default_rng(4)
    lead, n = (given.pop("batch"),) if "batch" in given else (), 37
    kv_heads = given.get("num_kv_heads", 2)
    problem = Problem(
        query=rng.normal(size=(*lead, n, 8)),
        key=rng.normal(size=(*lead, 41, 4 * kv_heads)),
        value=rng.normal(size=(*lead, 41, 3 * kv_heads)),
        w_output=rng.normal(size=(6, 5)),
        num_heads=2,
        **given,
    )
    trace = compute(problem)
    cotangent = rng.normal(size=trace[stage].shape)
    whole = sensitivity(trace, stage, cotangent=cotangent)
    monkeypatch.setattr(sys.modules["attn_gui.engine.analysis.sensitivity"], "AT_ONCE", 5 * 41 * 2)
    tiled = sensitivity(trace, stage, cotangent=cotangent)
    assert whole.keys() == tiled.keys()
    for field, gradient in whole.items():
        size = max(1.0, np.abs(gradient).max())
        np.testing.assert_allclose(tiled[field], gradient, rtol=0, atol=50 * n * np.finfo(float).eps * size)


def test_a_long_cotangent_takes_little_memory():
    import tracemalloc

    n, rng = 2048, np.random.default_rng(4)
    problem = Problem(**{k: rng.normal(size=(n, 16)) for k in ("query", "key", "value")}, num_heads=2, dtype="float32")
    trace, cotangent = compute(problem), np.ones((1, n, 16))
    tracemalloc.start()
    try:
        sensitivity(trace, "output", cotangent=cotangent)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 120_000_000  # one map of all heads alone is 67 MB in float64, and ten of them were held


def test_gradients_that_cannot_be_held_and_cotangents_of_no_numbers_are_refused_in_words(monkeypatch):
    from attn_gui.engine import FieldTypeError

    trace = compute(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]))
    with pytest.raises(FieldTypeError, match="cotangent must hold real numbers, got a text"):
        sensitivity(trace, "output", cotangent=[[["x"]]])
    monkeypatch.setattr(memory, "available", lambda: 10)
    with pytest.raises(FieldError, match="of memory are free"):
        sensitivity(trace, "output", cotangent=np.ones((1, 1, 1)))


@pytest.mark.parametrize("take", ["cell", "sum", "with steps", "field", "face"])
def test_gradients_by_tables_that_cannot_be_held_are_refused_before_any_is_taken(take, monkeypatch):
    """Of one cell, too: it may depend on little, but each field has a gradient of its own shape."""
    x, w = np.ones((2, 400)), np.ones((400, 400))
    evaluation = evaluation_of(Problem(x=x, w_query=w, w_key=w, w_value=w))
    box, weights = tuple(slice(0, 1) for _ in range(4)), np.ones((1, 1, 1, 1))
    ways = {
        "cell": lambda: sensitivity(evaluation, "weights", (0, 0, 0, 0)),
        "sum": lambda: gradients(evaluation, "weights", box, weights),
        "with steps": lambda: all_gradients(evaluation, "weights", box, weights),
        "field": lambda: gradient_by(evaluation, "weights", box, weights, "w_query"),
        "face": lambda: Gradient(evaluation, "weights", box, weights),
    }
    monkeypatch.setattr(memory, "available", lambda: 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(FieldError, match=r"of new numbers; at most 250\.0 kB"):
            ways[take]()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def test_the_gradient_by_a_switch_takes_no_memory():
    layer = {"kind": "custom", "allowed": np.ones((500, 500), bool)}
    cells = np.ones((500, 2))
    evaluation = evaluation_of(Problem(cells, cells, cells, mask=[layer]))
    box, weights = tuple(slice(0, 1) for _ in range(4)), np.ones((1, 1, 1, 1))
    found = Gradient(evaluation, "weights", box, weights)
    tracemalloc.start()
    try:
        block = found.field_block("mask.0.allowed", 0, slice(0, 3), slice(0, 2))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.isnan(block).all()
    assert block.shape == (3, 2)
    assert peak < 100_000
