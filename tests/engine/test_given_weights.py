"""Attention weights that are given: one stage whose source is a field, and all that follows from it."""

import numpy as np
import pytest

from attn_gui import Problem, compare, compute, explain, solve, verify
from attn_gui.engine import DenseEvaluation, resize
from attn_gui.engine.evaluation.dense import GivenEvaluation
from attn_gui.engine.evaluation.trace import evaluation_of

B, H, N, M, C = 2, 3, 5, 7, 4


@pytest.fixture
def weights(rng: np.random.Generator) -> np.ndarray:
    return rng.dirichlet(np.ones(M), size=(B, H, N))


@pytest.fixture
def value(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(B, M, H * C))


# --- what is taken ----------------------------------------------------------------------------------
@pytest.mark.parametrize("axes", [2, 3, 4])
def test_the_weights_are_those_given(weights, axes):
    given = weights[(0,) * (4 - axes)]
    trace = compute(Problem.from_weights(given, tokens=None))
    assert trace.stages == ("weights",)
    assert trace["weights"].shape == (1, 1, 1, 1)[: 4 - axes] + given.shape
    assert np.array_equal(trace["weights"].reshape(given.shape), given)
    turned = given.swapaxes(-1, -2)
    with pytest.warns(UserWarning, match=f"not add up to 1 along their last axis but along axis {axes - 2}") as said:
        taken = Problem.from_weights(turned).weights
    assert np.array_equal(taken.reshape(turned.shape), turned)
    assert said[0].filename == __file__


def test_with_values_the_output_follows(weights, value, rng):
    out = rng.normal(size=(H * C, 6))
    trace = compute(Problem.from_weights(weights, value=value).replace(w_output=out))
    assert trace.stages == ("value", "weights", "head_output", "concat", "output")
    mixed = np.einsum("bhij,bjhc->bihc", weights, value.reshape(B, M, H, C)).reshape(B, N, H * C)
    assert np.allclose(trace["concat"], mixed, atol=1e-14)
    assert np.allclose(trace["output"], mixed @ out, atol=1e-13)
    heads = rng.normal(size=(B, 1, M, C))  # one for all, as multi-query attention has it
    shared = Problem.from_weights(weights, value=heads)
    assert shared.num_kv_heads == 1
    assert np.allclose(compute(shared)["head_output"], weights @ heads)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda w: Problem.from_weights(w[0, 0, 0]), "must have the axes"),
        (lambda w: Problem.from_weights(w, value=np.ones((M + 1, H))), "as many rows as"),
        (lambda w: Problem.from_weights(w, value=np.ones((M, H + 1))), "cannot share evenly"),
        (lambda w: Problem.from_weights(np.ones((2, 2, N, M)), value=np.ones((2, M, 4))), "2 heads or 2 batch items"),
        (lambda w: Problem(weights=w), "one matrix for each head: expected 1, got 3"),
        (lambda w: Problem(weights=w, num_heads=H, query=np.ones((N, 3))), "weights and query exclude each other"),
        (lambda w: Problem(weights=w, num_heads=H, mask=[{"kind": "causal"}]), "weights and mask exclude each other"),
        (lambda w: Problem(weights=w, num_heads=H, w_output=np.ones((3, 3))), "w_output needs value"),
        (lambda w: solve(Problem.from_weights(w), "weights", (0, 0, 0, 0), 0.5), "The weights are given here"),
        (lambda w: resize(Problem.from_weights(w), d_v=4), "no values"),
    ],
)
def test_what_cannot_be_is_one_sentence(weights, call, words):
    with pytest.raises(ValueError, match=r"\.$") as refusal:
        call(weights)
    assert words in str(refusal.value)


# --- why, and what moves it -------------------------------------------------------------------------
def test_a_given_weight_is_a_source_and_an_output_is_explained_by_it(weights, value):
    trace = compute(Problem.from_weights(weights, value=value))
    own = explain(trace, "weights", (1, 2, 3, 4))
    assert (own.value, own.sources, len(own.terms)) == (weights[1, 2, 3, 4], (), 0)
    assert {stage for stage, _ in own.reaches} == {"head_output"}
    mixed = explain(trace, "head_output", (1, 2, 3, 1))
    assert [cell.name for cell in mixed.terms[0].cells] == ["weights", "value"]
    assert len(mixed.terms) == M
    assert mixed.expression.value == pytest.approx(mixed.value)
    assert mixed.per_query is None  # there are no scores to begin at


def test_a_change_by_hand_stands_over_what_is_given(weights, value):
    problem = Problem.from_weights(weights, value=value)
    by_hand = problem.replace(interventions=[{"kind": "set", "stage": "weights", "at": {"head": 1}, "values": 0.25}])
    trace = compute(by_hand)
    assert (trace["weights"][:, 1] == 0.25).all()
    assert np.array_equal(trace.computed("weights"), weights)
    assert verify(by_hand).ok
    boxes = compare(problem, by_hand).moved("output")
    assert [box[-1] for box in boxes] == [slice(C, 2 * C)]


def test_weights_of_any_kind_are_told_and_not_refused(weights, value):
    weights[0, 0, 0, 0], weights[1, 2, 1, 3], weights[0, 1] = -2.0, np.nan, 0.0
    value[0, 3] = np.nan  # behind weights of 0 in head 1
    report = verify(Problem.from_weights(weights, value=value))
    assert report.ok
    note = str(next(one.note for one in report.invariants if one.name == "rows_sum_to_one"))
    assert "6 of 30 rows miss the sum 1" in note
    assert "negative weights: 1, not finite: 1" in note
    assert (compute(Problem.from_weights(weights, value=value))["head_output"][0, 1] == 0).all()


# --- sizes and heads --------------------------------------------------------------------------------
def test_sizes_change_with_what_goes_along(weights, value):
    problem = Problem.from_weights(weights, value=value, key_tokens=[str(k) for k in range(M)])
    longer = problem.replace(**resize(problem, m=M + 2).fields)
    assert (longer.weights.shape, longer.value.shape) == ((B, H, N, M + 2), (B, M + 2, H * C))
    assert len(longer.key_tokens) == M + 2
    assert np.array_equal(compute(longer)["output"], compute(problem)["output"])
    for size, count in (("n", 3), ("num_heads", 5), ("batch_size", 4), ("d_v", 2), ("num_kv_heads", 1)):
        changed = problem.replace(**resize(problem, **{size: count}).fields)
        assert getattr(changed, size) == count
        assert verify(changed).ok


# --- long maps --------------------------------------------------------------------------------------
def test_long_maps_are_read_where_they_lie(rng):
    weights = rng.random((2, 1100, 1000), dtype=np.float32)
    problem = Problem.from_weights(weights, value=rng.normal(size=(1000, 6)).astype(np.float32))
    long, dense = evaluation_of(problem), DenseEvaluation(problem)
    assert isinstance(long, GivenEvaluation)
    assert np.shares_memory(long.held("weights"), problem.weights)
    for stage in dense.stages:
        whole = tuple(slice(0, length) for length in dense.shape(stage))
        assert np.allclose(long.box(stage, whole), dense.box(stage, whole), rtol=1e-6)
    picture, _ = long.pooled("weights", 0, 1, 40, 30)
    assert picture.max() == weights[1].max()
    assert long.entropies(0, 1, slice(3, 5)).shape == (2,)
