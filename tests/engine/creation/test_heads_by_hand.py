"""Heads switched off, scaled, copied: what the result and the output become, and what moves with a head."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.creation.heads import with_head_duplicated, with_head_moved
from attn_gui.engine.creation.interventions import (
    off_heads,
    whole_heads,
    with_head_copied,
    with_head_scaled,
    with_heads_off,
)

H, N, M, D, C, E = 4, 5, 7, 3, 2, 11


def problem_of(**more: Any) -> Problem:
    rng = np.random.default_rng(8)
    shapes = {"query": (N, H * D), "key": (M, H * D), "value": (M, H * C), "w_output": (H * C, E)}
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()} | {"num_heads": H} | more)


def whole(problem: Problem, stage: str) -> np.ndarray[Any, Any]:
    evaluation = DenseEvaluation(problem)
    return np.array(evaluation.box(stage, tuple(slice(0, k) for k in evaluation.shape(stage))))[0]


def test_the_output_is_that_of_the_other_heads():
    problem = problem_of()
    heads = whole(problem, "head_output")
    after = problem.replace(**with_heads_off(problem, {1, 3}))
    assert off_heads(after) == {1, 3}
    expected = sum(heads[h] @ problem.w_output[h * C : (h + 1) * C] for h in (0, 2))
    np.testing.assert_allclose(whole(after, "output"), expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(whole(after, "weights"), whole(problem, "weights"))


def test_switching_names_all_that_are_off_and_leaves_the_rest_by_hand():
    cell = {"kind": "set", "stage": "scores", "at": {"head": 1, "query": 0, "key": 0}, "values": 2.0}
    problem = problem_of(interventions=(cell,))
    only = problem.replace(**with_heads_off(problem, {0, 1, 3}))
    assert off_heads(only) == {0, 1, 3}
    assert len(only.interventions) == 4
    back = only.replace(**with_heads_off(only, set()))
    assert back == problem
    again = only.replace(**with_heads_off(only, {0, 1, 2}))
    assert off_heads(again) == {0, 1, 2}


@pytest.mark.parametrize(
    "change",
    [
        lambda given: with_heads_off(given, {1}),
        lambda given: with_head_scaled(given, 1, 0.5),
        lambda given: with_head_copied(given, 1, 0),
    ],
)
def test_what_is_switched_off_is_not_lost_where_its_head_is_changed_and_freed(change):
    values = np.random.default_rng(4).normal(size=(N, C))
    own = {"kind": "set", "stage": "head_output", "at": {"head": 1}, "values": values, "enabled": False}
    problem = problem_of(interventions=(own,))
    after = problem.replace(**change(problem))
    assert after.interventions[0] == problem.interventions[0]
    assert after.replace(**with_head_scaled(after, 1, 1)) == problem


def test_a_head_stays_off_whatever_factor_follows():
    off = {"kind": "scale", "stage": "head_output", "at": {"head": 1}, "factor": 0.0}
    half = off | {"factor": 0.5}
    assert off_heads(problem_of(interventions=(off, half))) == {1}
    copied_later = {"kind": "copy", "stage": "head_output", "at": {"head": 1}, "source": {"head": 0}}
    assert off_heads(problem_of(interventions=(off, copied_later))) == set()


def test_a_factor_and_a_copy_take_the_place_of_one_another():
    problem = problem_of()
    heads = whole(problem, "head_output")
    half = problem.replace(**with_head_scaled(problem, 2, 0.5))
    np.testing.assert_array_equal(whole(half, "head_output")[2], heads[2] * 0.5)
    other = half.replace(**with_head_copied(half, 2, 0))
    np.testing.assert_array_equal(whole(other, "head_output"), heads[[0, 1, 0, 3]])
    assert list(whole_heads(other)) == [2]
    assert other.replace(**with_head_copied(other, 2, 2)) == problem
    assert half.replace(**with_head_scaled(half, 2, 1)) == problem


def test_a_head_taken_out_of_a_stretch_leaves_the_others_with_their_own_numbers():
    values = np.arange(3.0)[:, None, None] * np.ones((3, 1, C))
    stretch = {"kind": "set", "stage": "head_output", "at": {"head": (1, 4)}, "values": values}
    problem = problem_of(interventions=(stretch,))
    after = problem.replace(**with_heads_off(problem, {2}))
    result = whole(after, "head_output")
    np.testing.assert_array_equal(result[1:], np.array([0, 0, 2.0])[:, None, None] * np.ones((3, N, C)))
    assert (result[1] == values[0]).all()


@pytest.mark.parametrize(("head", "place"), [(0, 2), (3, 0), (1, 2)])
def test_what_is_done_to_a_head_goes_along_with_it(head, place):
    values = np.random.default_rng(3).normal(size=(2, 1, M))
    problem = problem_of(
        interventions=(
            {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.5},
            {"kind": "set", "stage": "scores", "at": {"head": (1, 3), "query": 1}, "values": values},
            {"kind": "copy", "stage": "weights", "at": {"head": 3}, "source": {"head": 1}},
            {"kind": "scale", "stage": "weights", "at": {"query": 2}, "factor": 2.0},
        )
    )
    order = list(range(H))
    order.insert(place, order.pop(head))
    after = problem.replace(**with_head_moved(problem, head, place).fields)
    for stage in ("scores", "weights", "head_output"):
        np.testing.assert_array_equal(whole(after, stage), whole(problem, stage)[order])
    back = after.replace(**with_head_moved(after, place, head).fields)
    for stage in ("scores", "weights", "head_output"):
        np.testing.assert_array_equal(whole(back, stage), whole(problem, stage))


@pytest.mark.parametrize(("head", "place"), [(0, 2), (3, 0), (1, 2)])
def test_what_is_done_to_columns_in_which_heads_lie_goes_along_with_them(head, place):
    random = np.random.default_rng(5)
    problem = problem_of(
        w_output=random.normal(size=(H * C, 3)),
        interventions=(
            {"kind": "set", "stage": "query", "at": {"column": 0}, "values": 2.0},
            {"kind": "set", "stage": "weights", "at": {}, "values": random.normal(size=(H, N, M))},
            {"kind": "scale", "stage": "value", "at": {"column": (C - 1, C + 1)}, "factor": 0.5},
            {"kind": "scale", "stage": "concat", "at": {"column": (0, 2 * C)}, "factor": 0.25},
            {"kind": "scale", "stage": "output", "at": {"column": 2}, "factor": 3.0},
        ),
    )
    after = problem.replace(**with_head_moved(problem, head, place).fields)
    wanted = compute(problem)["output"]
    np.testing.assert_allclose(compute(after)["output"], wanted, rtol=1e-12, atol=1e-12)
    back = after.replace(**with_head_moved(after, place, head).fields)
    np.testing.assert_array_equal(compute(back)["output"], wanted)


@pytest.mark.parametrize(
    "change", [lambda given: with_head_moved(given, 0, 2), lambda given: with_head_duplicated(given, 0)]
)
def test_what_is_done_to_the_output_goes_with_its_head_where_nothing_mixes_the_heads(change):
    def after(stage: str) -> list[dict[str, Any]]:
        records = ({"kind": "set", "stage": stage, "at": {"query": 0, "column": (1, 4)}, "values": [1.0, 2.0, 3.0]},)
        found = change(problem_of(w_output=None, interventions=records)).fields["interventions"]
        return [(dict(record.at), record.values.tolist()) for record in found]

    assert after("output") == after("concat")


def test_a_second_head_is_off_as_the_first_is():
    problem = problem_of()
    off = problem.replace(**with_heads_off(problem, {1}))
    after = off.replace(**with_head_duplicated(off, 1).fields)
    assert off_heads(after) == {1, 2}
    np.testing.assert_array_equal(whole(after, "head_output"), whole(off, "head_output")[[0, 1, 1, 2, 3]])
