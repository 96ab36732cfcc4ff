"""Heads moved, doubled, averaged, switched off, scaled: told by their own weights and output, and what moves along."""

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.creation.heads import (
    with_equal_kv,
    with_head_deleted,
    with_head_duplicated,
    with_head_moved,
    with_heads_averaged,
)
from attn_gui.engine.creation.interventions import (
    off_heads,
    whole_heads,
    with_head_copied,
    with_head_scaled,
    with_heads_off,
)
from attn_gui.engine.errors import FieldError
from tests.failing import each

N, M, D, C, E = 5, 7, 4, 3, 11


def direct(heads: int = 4, kv: int | None = None, **more: Any) -> Problem:
    rng, kv = np.random.default_rng(1), kv or heads
    shapes = {"query": (2, N, heads * D), "key": (2, M, kv * D), "value": (2, M, kv * C)}
    fields: dict[str, Any] = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    fields["w_output"] = rng.normal(size=(heads * C, E))
    fields["mask"] = ({"kind": "bias", "values": rng.normal(size=(heads, 1, M))}, {"kind": "causal"})
    return Problem(**fields | {"num_heads": heads, "num_kv_heads": kv} | more)


def projected(heads: int = 4, kv: int | None = None) -> Problem:
    rng, kv = np.random.default_rng(2), kv or heads
    shapes = {
        "x": (N, E),
        "w_query": (E, heads * D),
        "w_key": (E, kv * D),
        "w_value": (E, kv * C),
        "b_query": (heads * D,),
        "b_value": (kv * C,),
    }
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return Problem(**arrays, num_heads=heads, num_kv_heads=kv)


def each_head(problem: Problem, stage: str = "head_output") -> np.ndarray[Any, Any]:
    """(head, batch, row, column)"""
    evaluation = DenseEvaluation(problem)
    whole = evaluation.box(stage, tuple(slice(0, k) for k in evaluation.shape(stage)))
    return np.moveaxis(np.array(whole), 1, 0)


def output(problem: Problem) -> np.ndarray[Any, Any]:
    evaluation = DenseEvaluation(problem)
    return np.array(evaluation.box("output", tuple(slice(0, k) for k in evaluation.shape("output"))))


@each("make", [direct, projected])
@each(("head", "place", "order"), [(0, 3, [1, 2, 3, 0]), (2, 1, [0, 2, 1, 3]), (1, 1, [0, 1, 2, 3])])
def test_a_moved_head_takes_everything_of_its_own_along(make, head, place, order):
    problem = make()
    after = problem.replace(**with_head_moved(problem, head, place).fields)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[order])
    np.testing.assert_array_equal(each_head(after, "weights"), each_head(problem, "weights")[order])
    if problem.w_output is not None:
        np.testing.assert_allclose(output(after), output(problem), rtol=0, atol=1e-12)  # another order of the sum


def test_heads_that_share_a_kv_head_stay_together():
    problem = direct(6, 2)
    after = problem.replace(**with_head_moved(problem, 3, 5).fields)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[[0, 1, 2, 4, 5, 3]])
    with pytest.raises(FieldError, match=r"in groups of 3: head 2 can only change places within its own group"):
        with_head_moved(problem, 2, 3)


@each("make", [direct, projected])
def test_a_second_head_is_like_the_first(make):
    problem = make(3)
    after = problem.replace(**with_head_duplicated(problem, 1).fields)
    assert (after.num_heads, after.num_kv_heads) == (4, 4)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[[0, 1, 1, 2]])
    if problem.w_output is not None:
        added = each_head(problem)[1] @ problem.w_output[C : 2 * C]
        np.testing.assert_allclose(output(after), output(problem) + added, rtol=0, atol=1e-12)
    multi = direct(3, 1)
    after = multi.replace(**with_head_duplicated(multi, 0).fields)
    assert (after.num_heads, after.num_kv_heads) == (4, 1)
    np.testing.assert_array_equal(each_head(after), each_head(multi)[[0, 0, 1, 2]])
    for change in (with_head_duplicated, with_head_deleted):
        with pytest.raises(FieldError, match="one head more or less would leave them uneven"):
            change(direct(4, 2), 0)


@each(("make", "kv"), [(direct, 3), (projected, 3), (direct, 1)])
def test_a_deleted_head_takes_everything_of_its_own_away(make, kv):
    problem = make(3, kv)
    after = problem.replace(**with_head_deleted(problem, 1).fields)
    assert (after.num_heads, after.num_kv_heads, after.d_k) == (2, min(kv, 2), problem.d_k)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[[0, 2]])
    if problem.w_output is not None:
        gone = each_head(problem)[1] @ problem.w_output[C : 2 * C]
        np.testing.assert_allclose(output(after), output(problem) - gone, rtol=0, atol=1e-12)
    only = after.replace(**with_head_deleted(after, 0).fields)
    np.testing.assert_array_equal(each_head(only), each_head(problem)[[2]])
    with pytest.raises(FieldError, match="One head has to stay"):
        with_head_deleted(only, 0)


def test_what_is_set_by_hand_stays_with_the_heads_that_stay():
    problem = direct(3)
    problem = problem.replace(**with_head_scaled(problem, 2, 5.0))
    problem = problem.replace(**with_head_copied(problem, 0, 1))
    after = problem.replace(**with_head_deleted(problem, 1).fields)
    assert {head: record.factor for head, record in whole_heads(after).items()} == {1: 5.0}


@each(("make", "kv"), [(direct, None), (projected, 2)])
def test_averaged_heads_are_one_head_and_the_others_are_left_alone(make, kv):
    problem = make(4, kv)
    after = problem.replace(**with_heads_averaged(problem, (0, 1)).fields)
    before, now = each_head(problem, "scaled"), each_head(after, "scaled")
    np.testing.assert_array_equal(now[0], now[1])
    np.testing.assert_array_equal(now[2:], before[2:])
    name = "w_query" if problem.projected else "query"
    old, new = (np.asarray(getattr(one, name)) for one in (problem, after))
    np.testing.assert_allclose(new[..., :D], (old[..., :D] + old[..., D : 2 * D]) / 2, rtol=1e-15)
    if kv is None:  # else both read one K/V head, which is its own mean
        name = "w_value" if problem.projected else "value"
        old, new = (np.asarray(getattr(one, name)) for one in (problem, after))
        np.testing.assert_allclose(new[..., :C], (old[..., :C] + old[..., C : 2 * C]) / 2, rtol=1e-15)


def test_an_average_says_what_it_cannot_be_taken_of():
    with pytest.raises(FieldError, match="two heads or more"):
        with_heads_averaged(direct(), (1, 1))
    with pytest.raises(FieldError, match="Head 2 reads the same K/V head"):
        with_heads_averaged(direct(6, 2), (0, 1))
    with pytest.raises(FieldError, match="There is no head 4; there are 4"):
        with_heads_averaged(direct(), (0, 4))


@each(("make", "kv"), [(direct, 4), (projected, 2)])
def test_equal_keys_and_values_for_all(make, kv):
    problem = make(4, kv)
    after = problem.replace(**with_equal_kv(problem, 2).fields)
    kv_after = each_head_of_inputs(after, "key"), each_head_of_inputs(after, "value")
    for now, before in zip(kv_after, (each_head_of_inputs(problem, part) for part in ("key", "value")), strict=True):
        np.testing.assert_array_equal(now, before[[2 * kv // 4] * kv])
    np.testing.assert_array_equal(each_head_of_inputs(after, "query"), each_head_of_inputs(problem, "query"))


def each_head_of_inputs(problem: Problem, part: str) -> np.ndarray[Any, Any]:
    evaluation = DenseEvaluation(problem)
    whole = np.array(evaluation.box(part, tuple(slice(0, k) for k in evaluation.shape(part))))
    count = problem.num_heads if part == "query" else problem.num_kv_heads
    return np.moveaxis(whole.reshape(*whole.shape[:2], count, -1), 2, 0)


def test_slopes_that_go_by_the_number_of_heads_are_told():
    problem = direct(3, mask=({"kind": "alibi"},))
    assert [str(note) for note in with_head_moved(problem, 0, 2).notes] == [
        "The slopes of ALiBi belong to the places of the heads and stay there."
    ]
    found = with_head_duplicated(problem, 0)
    assert [str(note) for note in found.notes] == [
        "The slopes of ALiBi follow from the number of heads and the place of each: they are worked out anew."
    ]
    before, after = compute(problem)["weights"], compute(problem.replace(**found.fields))["weights"]
    assert not np.allclose(before[0, 0], after[0, 0])  # no head keeps its slope


# --- heads switched off ---------------------------------------------------------------------------
HEADS, ROWS, KEYS, D_K, D_V, D_OUT = 4, 5, 7, 3, 2, 11


def problem_of(**more: Any) -> Problem:
    rng = np.random.default_rng(8)
    shapes = {
        "query": (ROWS, HEADS * D_K),
        "key": (KEYS, HEADS * D_K),
        "value": (KEYS, HEADS * D_V),
        "w_output": (HEADS * D_V, D_OUT),
    }
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()} | {"num_heads": HEADS} | more)


def whole(problem: Problem, stage: str) -> np.ndarray[Any, Any]:
    evaluation = DenseEvaluation(problem)
    return np.array(evaluation.box(stage, tuple(slice(0, k) for k in evaluation.shape(stage))))[0]


def test_the_output_is_that_of_the_other_heads():
    problem = problem_of()
    heads = whole(problem, "head_output")
    after = problem.replace(**with_heads_off(problem, {1, 3}))
    assert off_heads(after) == {1, 3}
    expected = sum(heads[h] @ problem.w_output[h * D_V : (h + 1) * D_V] for h in (0, 2))
    np.testing.assert_allclose(whole(after, "output"), expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(whole(after, "weights"), whole(problem, "weights"))


def test_switching_names_all_that_are_off_and_leaves_the_rest_by_hand():
    cell = {"kind": "set", "stage": "scores", "at": {"head": 1, "query": 0, "key": 0}, "values": 2.0}
    problem = problem_of(interventions=(cell,))
    only = problem.replace(**with_heads_off(problem, {0, 1, 3}))
    assert off_heads(only) == {0, 1, 3}
    assert len(only.interventions) == 4
    assert only.replace(**with_heads_off(only, set())) == problem


def test_a_head_stays_off_whatever_factor_follows():
    off = {"kind": "scale", "stage": "head_output", "at": {"head": 1}, "factor": 0.0}
    assert off_heads(problem_of(interventions=(off, off | {"factor": 0.5}))) == {1}
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


@each(("head", "place"), [(0, 2), (3, 0)])
def test_what_is_done_to_a_head_goes_along_with_it(head, place):
    values = np.random.default_rng(3).normal(size=(2, 1, KEYS))
    problem = problem_of(
        interventions=(
            {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.5},
            {"kind": "set", "stage": "scores", "at": {"head": (1, 3), "query": 1}, "values": values},
            {"kind": "copy", "stage": "weights", "at": {"head": 3}, "source": {"head": 1}},
            {"kind": "scale", "stage": "weights", "at": {"query": 2}, "factor": 2.0},
        )
    )
    order = list(range(HEADS))
    order.insert(place, order.pop(head))
    after = problem.replace(**with_head_moved(problem, head, place).fields)
    for stage in ("scores", "weights", "head_output"):
        np.testing.assert_array_equal(whole(after, stage), whole(problem, stage)[order])
    back = after.replace(**with_head_moved(after, place, head).fields)
    for stage in ("scores", "weights", "head_output"):
        np.testing.assert_array_equal(whole(back, stage), whole(problem, stage))
