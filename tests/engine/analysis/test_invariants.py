"""Invariants: told to hold, told not to, and told not to apply."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis import verification as judged
from attn_gui.engine.analysis.verification import invariants
from attn_gui.engine.graph.indices import contract
from attn_gui.engine.graph.stage import LinearStage
from attn_gui.engine.normalizers import NORMALIZERS, Softmax

NAMES = (
    "rows_sum_to_one",
    "closed_weights_are_zero",
    "concat_undoes_split",
    "order_of_keys_is_free",
    "future_has_no_influence",
)


def held(evaluation, **more):
    found = invariants(evaluation, **more)
    assert tuple(one.name for one in found) == NAMES
    assert all(str(one.note).endswith(".") for one in found)
    return {one.name: one.holds for one in found}


def test_they_hold_where_they_apply(problem_name, evaluations):
    problem = evaluations[problem_name].problem
    kinds = {layer.kind for layer in problem.mask if layer.enabled}
    shares = problem.compares and NORMALIZERS[problem.normalize].shares
    computed = True if shares else None  # weights that are given, or no shares, have nothing to hold
    mixed = True if problem.mixes else None
    placed = bool(kinds & {"causal", "window", "prefix", "alibi", "padding"}) or problem.rotary_theta is not None
    assert held(evaluations[problem_name]) == {
        "rows_sum_to_one": computed,
        "closed_weights_are_zero": True if kinds - {"bias", "alibi"} else None,
        "concat_undoes_split": mixed,
        "order_of_keys_is_free": None if placed else mixed,
        "future_has_no_influence": True if "causal" in kinds else None,
    }


def test_keys_may_change_places_with_their_masks_and_biases(rng):
    """Also in self-attention, where the keys are the queries."""
    mask = (
        {"kind": "custom", "allowed": rng.random((7, 7)) > 0.3},
        {"kind": "bias", "values": rng.normal(size=(2, 1, 7))},
        {"kind": "bias", "values": rng.normal(size=(7, 1))},
        {"kind": "causal", "enabled": False},
    )
    arrays = {name: rng.normal(size=(5, 6)) for name in ("w_query", "w_key", "w_value")}
    problem = Problem(x=rng.normal(size=(3, 7, 5)), **arrays, num_heads=2, mask=mask)
    assert held(DenseEvaluation(problem))["order_of_keys_is_free"] is True


@pytest.mark.parametrize("sink", [None, (0.4,)])
def test_rows_without_a_key_and_rows_with_nan_are_no_failures(rng, sink):
    bias = np.zeros((5, 7))
    bias[1], bias[2, 3] = -np.inf, np.nan
    arrays = {name: rng.normal(size=(rows, 4)) for name, rows in (("query", 5), ("key", 7), ("value", 7))}
    found = invariants(DenseEvaluation(Problem(**arrays, mask=({"kind": "bias", "values": bias},), sink=sink)))[0]
    assert found.holds is True
    assert found.note.values["wild"] == 1


@pytest.mark.parametrize(("n", "m", "align"), [(300, 300, "start"), (290, 310, "end"), (310, 290, "end")])
def test_the_future_has_no_influence_where_sums_are_left_to_blas(n, m, align, rng):
    arrays = {name: rng.normal(size=(rows, 36)) for name, rows in (("query", n), ("key", m), ("value", m))}
    evaluation = DenseEvaluation(Problem(**arrays, num_heads=3, mask=({"kind": "causal", "align": align},)))
    assert held(evaluation, chosen={0: [0, 5, 140, 141, 142]})["future_has_no_influence"] is True


# --- told not to hold ----------------------------------------------------------------------------
def test_rows_that_do_not_sum_to_one(evaluations, makers):
    evaluation = DenseEvaluation(makers["plain"]())
    evaluation._arrays["weights"][1, 4, 3, 2] += 1e-13
    assert held(evaluation)["rows_sum_to_one"] is False
    evaluation._arrays["weights"][1, 4, 3, 2] = np.nan
    assert held(evaluation)["rows_sum_to_one"] is False


def test_weights_that_are_almost_zero(makers):
    evaluation = DenseEvaluation(makers["window"]())
    evaluation._arrays["weights"][0, 0, 0, 10] = 1e-300
    assert held(evaluation)["closed_weights_are_zero"] is False


def test_heads_in_another_order(makers):
    evaluation = DenseEvaluation(makers["plain"]())
    evaluation._arrays["head_output"] = evaluation._arrays["head_output"][:, ::-1]
    assert held(evaluation)["concat_undoes_split"] is False


def test_keys_that_know_their_place(makers, monkeypatch):
    old = Softmax.forward
    monkeypatch.setattr(Softmax, "forward", lambda self, logits, *more: old(self, logits + 1e-9 * np.arange(11), *more))
    assert held(DenseEvaluation(makers["plain"]()))["order_of_keys_is_free"] is False


def test_a_future_that_leaks_through_zero_weights(makers, monkeypatch):
    monkeypatch.setattr(LinearStage, "_product", lambda self, group, axes: contract(*group, axes=axes, ordered=True))
    assert held(DenseEvaluation(makers["block"]()))["future_has_no_influence"] is False


# --- samples -------------------------------------------------------------------------------------
@pytest.fixture
def small_samples(monkeypatch):
    """Maps of more than 700 cells are looked at in part: in tiles of 22 cells, 2 rows of 11 keys."""
    monkeypatch.setattr(judged, "SCANNED", 700)
    monkeypatch.setattr(judged, "TILE", 22)


def tiles_of(problem, seed=0):
    return list(judged._tiles(problem, seed))


def weights_looked_at(evaluation, **more):
    return invariants(evaluation, **more)[:2]


def test_of_large_maps_a_seeded_sample_of_rows_is_looked_at(makers, small_samples):
    problem = makers["window"]()
    tiles = tiles_of(problem)
    rows = sum(box[2].stop - box[2].start for box in tiles)
    every = np.prod(problem.map_shape[:3])
    assert every * problem.m > 700 >= rows * problem.m  # the work is bounded
    assert len({str(box) for box in tiles}) == len(tiles)
    assert tiles == tiles_of(problem)
    assert tiles != tiles_of(problem, seed=1)
    assert {box[1].start for box in tiles} == set(range(problem.num_heads))  # spread over the heads
    said = [str(one.note) for one in weights_looked_at(DenseEvaluation(problem))]
    assert all(text.endswith(f". A sample: {rows} of {every} rows of weights were looked at.") for text in said)


@pytest.mark.parametrize("fault", ["sum", "zero"])
def test_a_fault_in_a_row_of_the_sample_is_seen_and_one_beside_it_is_not(fault, makers, small_samples):
    problem = makers["window"]()
    inside = {
        (*(cut.start for cut in box[:2]), row) for box in tiles_of(problem) for row in range(box[2].start, box[2].stop)
    }
    outside = set(np.ndindex(problem.map_shape[:3])) - inside
    for places, caught in ((inside, True), (outside, False)):
        for place in places:
            evaluation = DenseEvaluation(problem)
            hidden = ~evaluation.fetch("allowed", tuple(slice(None) for _ in range(4)))[place]
            if fault == "zero":
                evaluation._arrays["weights"][(*place, np.argmax(hidden))] = 1e-300
            else:
                evaluation._arrays["weights"][(*place, np.argmin(hidden))] += 1e-9
            held_now = [one.holds for one in weights_looked_at(evaluation)]
            assert held_now == [not (caught and fault == "sum"), not (caught and fault == "zero")]
