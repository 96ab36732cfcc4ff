"""Derived maps against plain loops, in both evaluations: read, explained hop by hop, differentiated, and no stage."""

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Plane, Problem, StageError, compute, explain, sensitivity
from attn_gui.engine.evaluation.proxies import derived_maps, with_derived
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from tests.failing import each

N, M, HEADS, GROUPS, D_K, D_V, OUT = 5, 7, 4, 2, 3, 2, 11
OVER_HEADS = {"mean_weights": np.mean, "largest_weights": np.max}
DERIVED = ("moved_value", "value_weighted", "mean_weights", "largest_weights", "head_contribution")
INDEX = {
    "moved_value": (1, 3, 4, 6),
    "value_weighted": (1, 3, 2, 4),
    "mean_weights": (1, 3, 2),
    "largest_weights": (1, 3, 2),
    "head_contribution": (1, 3, 2, 6),
}
HOPS = {
    "moved_value": {"moved_value", "value"},
    "value_weighted": {"value_weighted", "moved_norm", "moved_value", "value"},
    "mean_weights": {"mean_weights", "weights", "masked", "scaled"},
    "largest_weights": {"largest_weights", "weights", "masked", "scaled"},
    "head_contribution": {"head_contribution", "head_output", "value"},
}


def made(projected=True, **more):
    rng = np.random.default_rng(23)
    fields = {
        "query": rng.normal(size=(2, N, HEADS * D_K)),
        "key": rng.normal(size=(2, M, GROUPS * D_K)),
        "value": rng.normal(size=(2, M, GROUPS * D_V)),
        "num_heads": HEADS,
        "num_kv_heads": GROUPS,
        "mask": [{"kind": "causal"}],
        **({"w_output": rng.normal(size=(HEADS * D_V, OUT)), "b_output": rng.normal(size=OUT)} if projected else {}),
    }
    return Problem(**(fields | more))


def by_loops(problem, trace, name, batch, *place):
    if name in OVER_HEADS:
        return OVER_HEADS[name]([trace["weights"][batch, head][place] for head in range(HEADS)])
    head, row, column = place
    group = head * GROUPS // HEADS
    rows_of_w = [head * D_V + c for c in range(D_V)]
    if name == "head_contribution":
        mixed = trace["head_output"][batch, head, row]
        return sum(mixed[c] * problem.w_output[rows_of_w[c], column] for c in range(D_V))
    key = row if name == "moved_value" else column
    values = [problem.value[batch, key, group * D_V + c] for c in range(D_V)]
    if problem.w_output is None:
        moved = values
    else:
        moved = [sum(values[c] * problem.w_output[rows_of_w[c], o] for c in range(D_V)) for o in range(OUT)]
    if name == "moved_value":
        return moved[column]
    return trace["weights"][batch, head, row, column] * sum(number**2 for number in moved) ** 0.5


@each("name", DERIVED)
def test_every_cell_is_that_of_plain_loops_in_both_evaluations(name):
    problem = made()
    trace = compute(problem)
    whole = trace[name]
    wanted = np.empty(whole.shape)
    for place in np.ndindex(*whole.shape):
        wanted[place] = by_loops(problem, trace, name, *place)
    assert whole == pytest.approx(wanted, rel=1e-12, abs=1e-13)
    long = with_derived(StreamingEvaluation(problem))
    assert long.box(name, tuple(slice(0, k) for k in whole.shape)) == pytest.approx(wanted, rel=1e-12, abs=1e-13)
    head, place = (None, (1,)) if name in OVER_HEADS else (3, (1, 3))
    part = trace.block(name, 1, head, slice(1, 4), slice(2, 5))
    assert part.tolist() == whole[*place, 1:4, 2:5].tolist()


def test_without_w_o_the_value_itself_moves_the_output():
    problem = made(projected=False)
    trace = compute(problem)
    assert set(derived_maps(trace.evaluation)) == {"moved_value", "value_weighted", *OVER_HEADS}
    for place in ((0, 0, 3, 1), (1, 2, 4, 4), (1, 3, 0, 6)):
        assert trace["value_weighted"][place] == pytest.approx(
            by_loops(problem, trace, "value_weighted", *place), rel=1e-13
        )
    with pytest.raises(StageError):
        trace["head_contribution"]


@each("name", DERIVED)
def test_a_cell_is_explained_hop_by_hop_down_to_the_problem(name):
    trace, index = compute(made()), INDEX[name]
    found = explain(trace, name, index)
    assert found.value == trace[name][index]
    seen = set()
    while found is not None:
        assert found.expression.value == pytest.approx(found.value, rel=1e-13)
        assert found.text
        assert found.latex
        seen.add(found.stage)
        inner = [cell for term in found.terms for cell in term.cells]
        hops = [found.expand(cell) for cell in reversed(inner)]
        found = next((hop for hop in hops if hop is not None and hop.stage not in seen), None)
    assert seen >= HOPS[name]


@each("name", DERIVED)
@each("field", ["query", "value", "w_output"])
def test_the_gradient_is_the_one_that_small_steps_find(name, field, rng):
    problem, index, step = made(), INDEX[name], 1e-6
    gradient = sensitivity(compute(problem), name, index)[field]
    moving = [tuple(place) for place in np.argwhere(gradient)]
    for place in (*rng.permutation(moving)[:3], [0] * gradient.ndim):
        place = tuple(place)
        moved = np.array(getattr(problem, field))
        moved[place] += step
        up = compute(problem.replace(**{field: moved}))[name][index]
        moved[place] -= 2 * step
        down = compute(problem.replace(**{field: moved}))[name][index]
        assert gradient[place] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-7)


def test_what_a_zero_weight_holds_back_is_explained_as_zero_and_moves_nothing():
    value = np.zeros((2, M, GROUPS * D_V))
    value[1, 4] = np.nan
    trace, cell = compute(made(value=value)), (1, 3, 2, 4)
    assert trace["value_weighted"][cell] == 0.0
    assert np.isnan(trace["value_weighted"][1, 3, 4, 4])
    found = explain(trace, "value_weighted", cell)
    assert found.expression.value == 0.0
    assert found.text.startswith("G[1, 3, 2, 4] = 0.0")
    assert found.terms.values.tolist() == [0.0]
    gradient = sensitivity(trace, "value_weighted", cell)
    assert not any(gradient[name].any() for name in ("query", "key", "value"))


def test_a_key_that_every_head_has_closed_is_closed_in_their_mean():
    allowed = np.ones((HEADS, N, M), bool)
    allowed[:, 2, 3] = False
    allowed[1, 2, 4] = False
    problem = made(mask=[{"kind": "custom", "allowed": allowed}])
    for kind in (DenseEvaluation, StreamingEvaluation):
        seen = with_derived(kind(problem))
        _, opened = Plane(seen, "mean_weights", 0, None).block(slice(0, N), slice(0, M))
        assert np.argwhere(~opened).tolist() == [[2, 3]]
        assert [explain(seen, "mean_weights", (0, 2, key)).closed_by for key in (3, 4)] == [0, None]
    _, drawn = seen.pooled("mean_weights", 0, None, N, M)
    assert np.argwhere(~drawn).tolist() == [[2, 3]]


@each(("name", "head"), [("mean_weights", None), ("largest_weights", None), ("value_weighted", 1)])
def test_pictures_of_a_long_problem_hold_the_largest_cell_of_every_block(name, head):
    rng = np.random.default_rng(3)
    arrays = {side: rng.normal(size=(64, 8)) for side in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=2, w_output=rng.normal(size=(8, 5)), mask=[{"kind": "causal"}])
    exact = compute(problem)[name][0]
    values, allowed = with_derived(StreamingEvaluation(problem)).pooled(name, 0, head, 8, 16)
    exact = exact if head is None else exact[head]
    assert values == pytest.approx(exact.reshape(8, 8, 16, 4).max(axis=(1, 3)), rel=1e-12)
    opened = np.tril(np.ones((64, 64), bool)).reshape(8, 8, 16, 4).any(axis=(1, 3))
    assert allowed.tolist() == opened.tolist()
