"""Targets of weights that are changed by hand: what the softmax gives is not what stands there."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, compute, solve
from tests.failing import each

PLACE = (0, 0, 1, 2)
rng = np.random.default_rng(3)
ARRAYS = {"query": rng.normal(size=(3, 5)), "key": rng.normal(size=(4, 5)), "value": rng.normal(size=(4, 2))}


def changed(**record):
    return Problem(**ARRAYS, interventions=[{"stage": "weights", "at": {"query": 1}, **record}])


@each("odds", ["free", None])
@each("by", ["query", "key", "bias"])
@each("record", [{"kind": "set", "values": 0.1}, {"kind": "scale", "factor": 0.0}])
def test_a_weight_that_nothing_moves_is_out_of_reach(record, by, odds):
    problem = changed(**record)
    found = solve(problem, "weights", PLACE, 0.4, by=by, odds=odds)
    assert not found.feasible
    assert found.reached == compute(problem)["weights"][PLACE]
    assert found.residual == pytest.approx(abs(found.reached - 0.4))


@pytest.mark.parametrize("by", ["query", "key", "bias"])
def test_a_weight_that_is_scaled_reaches_its_target_as_it_stands_there(by):
    found = solve(changed(kind="scale", factor=0.5), "weights", PLACE, 0.3, by=by)
    assert found.feasible
    assert found.reached == compute(found.problem)["weights"][PLACE]
    assert found.reached == pytest.approx(0.3, abs=1e-9)


@pytest.mark.parametrize("by", ["query", "key", "bias"])
def test_one_that_is_scaled_reaches_no_more_than_its_factor(by):
    found = solve(changed(kind="scale", factor=0.5), "weights", PLACE, 0.7, by=by)
    assert not found.feasible
    assert found.reached <= 0.5


@pytest.mark.parametrize("by", ["query", "key", "bias"])
def test_beside_a_change_by_hand_the_odds_go_free_and_are_not_said_to_be_kept(by):
    problem = changed(kind="scale", factor=0.5)
    assert solve(problem, "weights", PLACE, 0.3, by=by).odds == "free"
    with pytest.raises(FieldError, match="nothing keeps the odds among the other keys"):
        solve(problem, "weights", PLACE, 0.3, by=by, odds="kept")
