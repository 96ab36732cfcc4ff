"""Quick answers to a moving target: the cell is where it was wanted, as the engine computes it from the row that is
given, by a change that is next to the shortest."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute, solve
from attn_gui.engine.analysis.target_solvers import quick_row
from tests.failing import each

PLACE = (0, 1, 4, 17)
MORE = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal", "align": "end"},)},
    "biased": {"mask": ({"kind": "alibi"},), "temperature": 0.7, "scale": 0.4},
    "turned": {"rotary_theta": 100.0},
    "gaussian": {"score": "gaussian", "score_params": {"w": 0.5}},
    "shared": {"num_kv_heads": 1},
}


def problem_of(name):
    rng = np.random.default_rng(11)
    kv = 1 if name == "shared" else 2
    arrays = {"query": (9, 8), "key": (23, 4 * kv), "value": (23, 3 * kv)}
    return Problem(**{field: rng.normal(size=shape) for field, shape in arrays.items()}, num_heads=2, **MORE[name])


def moved(problem, quick, target):
    numbers, reached = quick.at(target)
    query = np.array(problem.query)
    query[quick.box] = numbers
    return problem.replace(query=query), reached


@each("name", MORE)
@each(("stage", "target"), [("weights", 0.3), ("weights", 1e-3), ("scores", 2.5), ("scaled", -1.0)])
def test_the_target_is_reached_and_told(name, stage, target):
    problem = problem_of(name)
    quick = quick_row(problem, stage, PLACE)
    if name == "gaussian" and stage != "weights":
        assert quick is None
        return
    after, reached = moved(problem, quick, target)
    assert compute(after)[stage][PLACE] == pytest.approx(reached, rel=1e-9, abs=1e-12)
    shortest = solve(problem, stage, PLACE, target, odds="free")
    wanted, tolerance = (target, 1e-7) if shortest.feasible else (shortest.reached, 0.15)  # near the largest there is
    assert reached == pytest.approx(wanted, rel=tolerance, abs=1e-9)
    changed = np.argwhere((after.query != problem.query).any(axis=1))
    assert changed.tolist() == [[PLACE[2]]]


def test_the_shortest_change_is_next_to_it_for_a_small_step_and_never_longer():
    problem = problem_of("plain")
    quick, value = quick_row(problem, "weights", PLACE), compute(problem)["weights"][PLACE]
    for target, most in ((value * 1.02, 1.001), (0.3, 1.05)):
        after, _ = moved(problem, quick, target)
        length = float(np.linalg.norm(after.query - problem.query))
        shortest = solve(problem, "weights", PLACE, target, odds="free").norm
        assert shortest * (1 - 1e-6) <= length <= shortest * most


@each(
    "more",
    [
        {"softcap": 3.0},
        {"score": "cosine"},
        {"interventions": [{"kind": "set", "stage": "weights", "at": {"query": 4, "key": 2}, "values": 0.5}]},
        {"mask": ({"kind": "custom", "allowed": np.arange(23) != PLACE[3]},)},
        {"mask": ({"kind": "window", "left": 1, "right": 2},)},
    ],
)
def test_rows_without_a_quick_answer_say_so(more):
    assert quick_row(problem_of("plain").replace(**more), "weights", PLACE) is None
