"""What must hold whatever the numbers are: told to hold, told not to, and told not to apply."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.invariants import invariants, row_boxes
from attn_gui.engine.layout import contract
from attn_gui.engine.stage import Linear
from attn_gui.engine.stages.softmax import Softmax

NAMES = (
    "rows_sum_to_one", "closed_weights_are_zero", "concat_undoes_split", "order_of_keys_is_free",
    "future_has_no_influence",
)  # fmt: skip


def held(evaluation, **more):
    found = invariants(evaluation, **more)
    assert tuple(one.name for one in found) == NAMES
    assert all(str(one.note).endswith(".") for one in found)
    return {one.name: one.holds for one in found}


def test_they_hold_where_they_apply(problem_name, evaluations):
    problem = evaluations[problem_name].problem
    kinds = {layer.kind for layer in problem.mask if layer.enabled}
    placed = bool(kinds & {"causal", "window", "prefix", "alibi", "padding"}) or problem.rotary_theta is not None
    assert held(evaluations[problem_name]) == {
        "rows_sum_to_one": True,
        "closed_weights_are_zero": True if kinds - {"bias", "alibi"} else None,
        "concat_undoes_split": True,
        "order_of_keys_is_free": None if placed else True,
        "future_has_no_influence": True if "causal" in kinds else None,
    }


def test_keys_may_change_places_with_their_masks_and_biases(rng):
    """Also in self-attention, where the keys are the queries."""
    mask = (
        {"kind": "custom", "allowed": rng.random((7, 7)) > 0.3}, {"kind": "bias", "values": rng.normal(size=(2, 1, 7))},
        {"kind": "bias", "values": rng.normal(size=(7, 1))}, {"kind": "causal", "enabled": False},
    )  # fmt: skip
    arrays = {name: rng.normal(size=(5, 6)) for name in ("w_query", "w_key", "w_value")}
    problem = Problem(x=rng.normal(size=(3, 7, 5)), **arrays, num_heads=2, mask=mask)
    assert held(Evaluation(problem))["order_of_keys_is_free"] is True


def test_rows_without_a_key_and_rows_with_nan_are_no_failures(rng):
    bias = np.zeros((5, 7))
    bias[1], bias[2, 3] = -np.inf, np.nan
    arrays = {name: rng.normal(size=(rows, 4)) for name, rows in (("query", 5), ("key", 7), ("value", 7))}
    found = invariants(Evaluation(Problem(**arrays, mask=({"kind": "bias", "values": bias},))))[0]
    assert found.holds is True
    assert found.note.values["wild"] == 1


@pytest.mark.parametrize("seen", ["end", "window"])
def test_a_causal_layer_without_a_future_has_nothing_to_hold(seen, rng):
    arrays = {name: rng.normal(size=(rows, 4)) for name, rows in (("query", 5), ("key", 1), ("value", 1))}
    layers = {"end": {"kind": "causal", "align": "start"}, "window": {"kind": "window", "left": 1}}
    assert held(Evaluation(Problem(**arrays, mask=(layers[seen],))))["future_has_no_influence"] is None


@pytest.mark.parametrize(("n", "m", "align"), [(300, 300, "start"), (290, 310, "end"), (310, 290, "end")])
def test_the_future_has_no_influence_where_sums_are_left_to_blas(n, m, align, rng):
    arrays = {name: rng.normal(size=(rows, 36)) for name, rows in (("query", n), ("key", m), ("value", m))}
    evaluation = Evaluation(Problem(**arrays, num_heads=3, mask=({"kind": "causal", "align": align},)))
    assert held(evaluation, chosen={0: [0, 5, 140, 141, 142]})["future_has_no_influence"] is True


# --- told not to hold ----------------------------------------------------------------------------
def test_rows_that_do_not_sum_to_one(evaluations, makers):
    evaluation = Evaluation(makers["plain"]())
    evaluation._arrays["weights"][1, 4, 3, 2] += 1e-13
    assert held(evaluation)["rows_sum_to_one"] is False
    evaluation._arrays["weights"][1, 4, 3, 2] = np.nan
    assert held(evaluation)["rows_sum_to_one"] is False


def test_weights_that_are_almost_zero(makers):
    evaluation = Evaluation(makers["window"]())
    evaluation._arrays["weights"][0, 0, 0, 10] = 1e-300
    assert held(evaluation)["closed_weights_are_zero"] is False


def test_heads_in_another_order(makers):
    evaluation = Evaluation(makers["plain"]())
    evaluation._arrays["head_output"] = evaluation._arrays["head_output"][:, ::-1]
    assert held(evaluation)["concat_undoes_split"] is False


def test_keys_that_know_their_place(makers, monkeypatch):
    old = Softmax.forward
    monkeypatch.setattr(Softmax, "forward", lambda self, logits, heat: old(self, logits + 1e-9 * np.arange(11), heat))
    assert held(Evaluation(makers["plain"]()))["order_of_keys_is_free"] is False


def test_a_future_that_leaks_through_zero_weights(makers, monkeypatch):
    monkeypatch.setattr(Linear, "_product", lambda self, group, axes: contract(*group, axes=axes, ordered=True))
    assert held(Evaluation(makers["block"]()))["future_has_no_influence"] is False


def test_runs_of_rows_become_boxes():
    boxes = row_boxes((2, 3, 9, 4), 1, [0, 1, 2, 5, 7, 8])
    assert [(box[2].start, box[2].stop) for box in boxes] == [(0, 3), (5, 6), (7, 9)]
    assert all(box[:2] == (slice(1, 2), slice(0, 3)) and box[3] == slice(0, 4) for box in boxes)
    assert row_boxes((1, 4, 4), 0, []) == []
