"""Exact gradients, and contributions of heads, against differences, closed formulas and sums by loops."""

import sys

import numpy as np
import pytest

from attn_gui.engine import (
    DenseEvaluation,
    FieldError,
    Problem,
    ShapeError,
    arrays,
    compute,
    sensitivity,
)
from attn_gui.engine.analysis.sensitivity import (
    Gradient,
    all_gradients,
    contributions,
    finite_difference,
    gradients,
    part_block,
    step_gradients,
    strongest,
)
from attn_gui.engine.analysis.sensitivity import gradient as gradient_by
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph import indices
from tests.costs import taking
from tests.engine.conftest import COMPUTED
from tests.engine.evaluation.working import with_value
from tests.failing import each


def changed(problem, name, index, step):
    if name in problem.scalars():
        return with_value(problem, name, problem.scalars()[name] + step)
    value = np.array(problem.arrays()[name])
    value[index] += step
    return with_value(problem, name, value)


@each("name", COMPUTED, one_of=4)
def test_gradients_of_a_weighted_sum_are_its_derivatives(makers, name, rng):
    problem, h = makers[name](), 1e-5
    trace = compute(problem)
    stage = trace.stages[-1]
    cotangent = rng.normal(size=trace[stage].shape)
    found = sensitivity(trace, stage, cotangent=cotangent)
    floats = {name for name, array in problem.arrays().items() if array.dtype != bool}
    assert set(found) == floats | set(problem.scalars())
    for field, gradient in found.items():
        index = tuple(int(rng.integers(length)) for length in gradient.shape)
        up, down = (compute(changed(problem, field, index, s))[stage] for s in (h, -h))
        slope = ((up - down) * cotangent).sum() / 2 / h
        assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-6), (field, index)


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
@each(("name", "dtype"), [("all", "float64"), ("pre", "float32"), ("gaussian", "float64")], one_of=3)
def test_a_streaming_evaluation_has_the_gradients_of_the_dense_one(makers, name, dtype, rng):
    problem, close = makers[name]().replace(dtype=dtype), {"float64": 1e-10, "float32": 1e-5}[dtype]
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=5)
    for stage in dense.stages:
        index = tuple(int(rng.integers(length)) for length in dense.shape(stage))
        right, found = sensitivity(dense, stage, index), sensitivity(streaming, stage, index)
        assert found.keys() == right.keys()
        size = max(1.0, *(np.abs(gradient).max() for gradient in right.values()))
        for field, gradient in right.items():
            np.testing.assert_allclose(found[field], gradient, rtol=0, atol=close * size, err_msg=f"{stage} {field}")


TILED = (
    {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"}), "rotary_theta": 50.0, "dtype": "float32"},
    {"num_kv_heads": 1, "softcap": 2.0, "temperature": 0.7},
    {"score": "gaussian", "batch": 3},
)


@each("stage", ["scores", "weights", "output", "value"], one_of=2)
@each("more", TILED)
def test_gradients_by_tiles_are_those_of_the_whole(monkeypatch, more, stage):
    """A sum of n terms in another order: apart by no more than n · ε times the sum of their sizes."""
    given, rng = dict(more), np.random.default_rng(4)
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
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["attn_gui.engine.analysis.sensitivity"], "AT_ONCE", 5 * 41 * 2)
        tiled = sensitivity(trace, stage, cotangent=cotangent)
    assert whole.keys() == tiled.keys()
    for field, gradient in whole.items():
        size = max(1.0, np.abs(gradient).max())
        np.testing.assert_allclose(tiled[field], gradient, rtol=0, atol=50 * n * np.finfo(float).eps * size)


@each("take", ["cell", "sum", "with steps", "field", "face"])
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
    with monkeypatch.context() as patch:
        patch.setattr(arrays, "available", lambda: 1_000_000)
        with taking(100_000), pytest.raises(FieldError, match=r"of new numbers; at most 250\.0 kB"):
            ways[take]()


# --- finite differences against exact gradients ---------------------------------------------------
@pytest.fixture
def by_hand():
    random = np.random.default_rng(6).standard_normal
    return Problem(
        x=random((4, 3)),
        **{name: random((3, 4)) for name in ("w_query", "w_key", "w_value")},
        b_query=random(4),
        w_output=random((4, 3)),
        num_heads=2,
        temperature=1.5,
        score="gaussian",
        mask=({"kind": "causal"}, {"kind": "bias", "values": random((4, 4))}),
        interventions=(
            {"kind": "set", "stage": "weights", "at": {"query": 1, "key": 0}, "values": 0.3},
            {"kind": "scale", "stage": "value", "at": {"row": 2}, "factor": 1.5},
            {"kind": "set", "stage": "scores", "at": {"query": 3}, "values": random(4)},
        ),
        block={"ln_weight": random(3), "ln_bias": random(3), "w_linear": random((3, 3)), "b_linear": random(3)},
    )


def test_the_difference_is_the_gradient_for_every_kind_of_number(by_hand):
    stage, place = "block_output", (0, 3, 1)
    exact = sensitivity(compute(by_hand), stage, place)
    random = np.random.default_rng(1)
    for field, gradient in exact.items():
        index = tuple(int(random.integers(length)) for length in gradient.shape)
        found = finite_difference(by_hand, stage, indices.cell(place), np.ones((1, 1, 1)), field, index)
        assert found == pytest.approx(float(gradient[index]), rel=1e-6, abs=1e-8), (field, index)


def test_gradients_by_the_steps_are_those_of_the_formulas():
    """∂a/∂s′ = diag(a) − a aᵀ; ∂o/∂a = v; times the scale before it; times k before that."""
    random = np.random.default_rng(6).standard_normal
    by_hand = Problem(query=random((3, 4)), key=random((5, 4)), value=random((5, 2)))
    evaluation, trace = DenseEvaluation(by_hand), compute(by_hand)
    a, v = trace["weights"][0, 0, 1], by_hand.value[:, 1]
    found = step_gradients(evaluation, "head_output", indices.cell((0, 0, 1, 1)), np.ones((1, 1, 1, 1)))
    assert list(found) == ["query", "key", "value", "scores", "scaled", "weights"]
    box, cells = found["weights"]
    assert box == (slice(0, 1), slice(0, 1), slice(1, 2), slice(0, 5))
    assert cells[0, 0, 0] == pytest.approx(v, abs=1e-15)
    before = (np.diag(a) - np.outer(a, a)) @ v
    assert found["scaled"][1][0, 0, 0] == pytest.approx(before, abs=1e-14)
    assert found["scores"][1][0, 0, 0] == pytest.approx(before / 2, abs=1e-14)
    assert found["query"][1][0, 0] == pytest.approx(before / 2 @ by_hand.key, abs=1e-14)
    assert found["key"][1][0] == pytest.approx(np.outer(before / 2, by_hand.query[1]), abs=1e-14)
    assert found["value"][1][0, :, 0] == pytest.approx(a, abs=1e-15)


# --- the gradient as an evaluation ----------------------------------------------------------------
@pytest.fixture
def batched():
    random = np.random.default_rng(3).standard_normal
    return Problem(
        query=random((2, 3, 4)),
        key=random((2, 5, 4)),
        value=random((2, 5, 6)),
        num_heads=2,
        batch_axis=True,
        mask=[{"kind": "causal", "align": "end"}],
    )


def test_every_table_and_every_step_has_its_gradient(batched):
    evaluation, place = DenseEvaluation(batched), (1, 2, 4)
    found = Gradient(evaluation, "output", indices.cell(place), np.ones((1, 1, 1)))
    exact = sensitivity(compute(batched), "output", place)
    for field in ("query", "key", "value"):
        assert np.array_equal(found.field(field), exact[field])
        assert np.array_equal(found.box(field, indices.whole(found.shape(field))), exact[field])
        assert np.array_equal(found.field_block(field, 1, slice(1, 3), slice(0, 2)), exact[field][1, 1:3, :2])
    by = found.box("weights", indices.whole(found.shape("weights")))
    assert by[1, 0, 2] == pytest.approx(np.zeros(5))  # that column of the output is one of the other head's
    assert by[1, 1, 2] == pytest.approx(batched.value[1, :, 4])
    assert np.count_nonzero(by[0]) == np.count_nonzero(by[1, :, :2]) == 0


@each("mask", [(), ({"kind": "causal"},)])
def test_the_pictures_of_a_long_problem_have_the_largest_of_every_block(mask):
    random = np.random.default_rng(4).standard_normal
    fields = {name: random((70, 6)) for name in ("query", "key", "value")}
    evaluation = StreamingEvaluation(Problem(**fields, num_heads=2, mask=mask))
    found = Gradient(evaluation, "head_output", indices.cell((0, 1, 33, 2)), np.ones((1, 1, 1, 1)))
    for stage in ("scores", "weights", "head_output"):
        whole = found.box(stage, indices.whole(found.shape(stage)))[0, 1].copy()
        if mask and stage == "weights":
            whole = np.tril(whole)  # of open cells
        blocks = min(5, whole.shape[1])
        values, _ = found.pooled(stage, 0, 1, 7, blocks)
        across = np.arange(blocks + 1) * whole.shape[1] // blocks
        for row in range(7):
            for column in range(blocks):
                part = whole[row * 10 : row * 10 + 10, across[column] : across[column + 1]].ravel()
                assert values[row, column] == part[np.argmax(np.abs(part))]
    zeros, _ = found.pooled("weights", 0, 0, 7, 5)
    assert not zeros.any()


# --- gradients where NaN and infinity stand behind a mask -----------------------------------------
N, M, D, WIDE, HEADS = 3, 5, 4, 7, 2
CLOSED = 3
"""Keys from here on are behind the mask."""
drawn = np.random.default_rng(11)
ADDITIVE = {
    "w_score_query": drawn.normal(size=(D, 3)),
    "w_score_key": drawn.normal(size=(D, 3)),
    "w_score": drawn.normal(size=3),
}
NORMS = {"query_norm": drawn.normal(size=D), "key_norm": drawn.normal(size=D)}
VARIANTS = {
    "dot": {},
    "cosine": {"score": "cosine"},
    "gaussian": {"score": "gaussian", "score_params": {"w": 0.7, "key_norm": 0.6}},
    "additive": {"score": "additive", "score_params": ADDITIVE},
    "softcap": {"softcap": 1.5, "temperature": 0.8, "sink": [0.3, -0.2]},
    "rotary": {"rotary_theta": 100.0},
    "frequencies": {"rotary_frequencies": [0.5, 0.1]},
    "norms": NORMS,
    "all": {**NORMS, "rotary_theta": 50.0, "softcap": 2.0, "temperature": 1.5, "w_output": drawn.normal(size=(14, 6))},
}
MASKS = {
    "padding": {"kind": "padding", "lengths": CLOSED},
    "custom": {"kind": "custom", "allowed": np.arange(M) < CLOSED},
}
WILD = {"NaN": np.nan, "infinity": np.inf}


def problem_of(variant, mask, **arrays):
    numbers = np.random.default_rng(7)
    shapes = {"query": (N, HEADS * D), "key": (M, HEADS * D), "value": (M, HEADS * WIDE)}
    made = {name: numbers.normal(size=shape) for name, shape in shapes.items()}
    for name, (rows, number) in arrays.items():
        made[name][rows] = number
    return Problem(**made, **VARIANTS[variant], num_heads=HEADS, mask=[MASKS[mask]])


def assert_alike(found, wanted):
    """Equal but for rounding: of sums of at most 50 products of numbers of size 10, after some ten steps."""
    assert found.keys() == wanted.keys()
    for name in wanted:
        assert found[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-10), name


@each("variant", VARIANTS, one_of=2)
@each(("wild", "mask"), [("NaN", "padding"), ("infinity", "custom")])
def test_a_wild_key_behind_a_mask_leaves_every_gradient_as_with_any_other_key(variant, wild, mask):
    hidden = {name: (slice(CLOSED, None), WILD[wild]) for name in ("key", "value")}
    trace, tame = compute(problem_of(variant, mask, **hidden)), compute(problem_of(variant, mask))
    cotangent = np.random.default_rng(3).normal(size=trace["output"].shape)
    for asked in ({"index": (0, 1, 2)}, {"cotangent": cotangent}):
        found = sensitivity(trace, "output", **asked)
        assert not found["key"][CLOSED:].any()
        assert_alike(found, sensitivity(tame, "output", **asked))


# --- contributions of the heads -------------------------------------------------------------------
ROWS, KEYS, THREE, D_K, D_V, OUT = 5, 7, 3, 2, 4, 11


def made(rng, dtype="float64", **more):
    return Problem(
        query=rng.normal(size=(2, ROWS, THREE * D_K)),
        key=rng.normal(size=(2, KEYS, THREE * D_K)),
        value=rng.normal(size=(2, KEYS, THREE * D_V)),
        num_heads=THREE,
        dtype=dtype,
        **more,
    )


@each(("kind", "bias"), [("dense", True), ("streaming", False)])
def test_each_head_adds_its_columns_times_its_rows_of_w_o(rng, kind, bias):
    more = {"b_output": rng.normal(size=OUT)} if bias else {}
    problem = made(rng, w_output=rng.normal(size=(THREE * D_V, OUT)), **more)
    trace = compute(problem)
    evaluation = trace.evaluation if kind == "dense" else StreamingEvaluation(problem)
    found = contributions(evaluation, 1, slice(2, 4))
    for head in range(THREE):
        for row in (2, 3):
            wanted = np.zeros(OUT)
            for c in range(D_V):
                wanted += trace["head_output"][1, head, row, c] * problem.w_output[head * D_V + c]
            assert found.parts[head, row - 2] == pytest.approx(wanted, rel=1e-12, abs=1e-14)
            assert part_block(evaluation, 1, head, slice(row, row + 1), slice(3, 9))[0] == pytest.approx(wanted[3:9])
    assert found.total == pytest.approx(trace["output"][1, 2:4], rel=1e-12, abs=1e-13)
    assert found.difference == np.abs(found.total - found.output).max() < 1e-13
    assert found.shares().sum(axis=0) == pytest.approx([1.0, 1.0])
    assert len(found.norms()) == THREE + bias
    assert found.norms()[1] == pytest.approx(np.linalg.norm(found.parts[1], axis=-1))
