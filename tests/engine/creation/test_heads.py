"""Heads moved, doubled, averaged: what each head computes, told by its own weights and output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.creation.heads import with_equal_kv, with_head_duplicated, with_head_moved, with_heads_averaged
from attn_gui.engine.errors import FieldError
from attn_gui.engine.memory import weigh
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


def test_heads_that_share_a_kv_head_stay_together():
    problem = direct(6, 2)
    after = problem.replace(**with_head_moved(problem, 3, 5).fields)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[[0, 1, 2, 4, 5, 3]])
    with pytest.raises(FieldError, match=r"in groups of 3: head 2 can only change places within its own group"):
        with_head_moved(problem, 2, 3)


@pytest.mark.parametrize("make", [direct, projected])
def test_a_second_head_is_like_the_first(make):
    problem = make(3)
    after = problem.replace(**with_head_duplicated(problem, 1).fields)
    assert (after.num_heads, after.num_kv_heads) == (4, 4)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[[0, 1, 1, 2]])


def test_one_head_and_heads_of_one_kv_head_can_be_doubled_and_groups_cannot():
    problem = direct(1, query_tokens=tuple("abcde"))
    after = problem.replace(**with_head_duplicated(problem, 0).fields)
    np.testing.assert_array_equal(each_head(after), each_head(problem)[[0, 0]])
    multi = direct(3, 1)
    after = multi.replace(**with_head_duplicated(multi, 0).fields)
    assert (after.num_heads, after.num_kv_heads) == (4, 1)
    np.testing.assert_array_equal(each_head(after), each_head(multi)[[0, 0, 1, 2]])
    with pytest.raises(FieldError, match="one head more would leave them uneven"):
        with_head_duplicated(direct(4, 2), 0)


@pytest.mark.parametrize(("make", "kv"), [(direct, None), (projected, None), (projected, 2)])
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


@pytest.mark.parametrize(("make", "kv"), [(direct, 4), (direct, 2), (projected, 2)])
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


@pytest.mark.parametrize("heads", [1, 3])
def test_slopes_that_go_by_the_number_of_heads_are_told(heads, rng):
    arrays = {name: rng.normal(size=(4, 2 * heads)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=heads, mask=({"kind": "alibi"},))
    found = with_head_duplicated(problem, 0)
    assert [str(note) for note in found.notes] == [
        "The slopes of ALiBi follow from the number of heads and the place of each: they are worked out anew."
    ]
    before, after = compute(problem)["weights"], compute(problem.replace(**found.fields))["weights"]
    assert not np.allclose(before[0, 0], after[0, 0])  # no head keeps its slope


@pytest.mark.parametrize(
    "change",
    [
        lambda p: with_head_moved(p, 0, 1),
        lambda p: with_head_duplicated(p, 1),
        lambda p: with_heads_averaged(p, (0, 1)),
    ],
)
def test_everything_new_is_weighed_before_it_is_made(change):
    problem = direct(dtype="float32")
    arrays = problem.replace(**change(problem).fields).arrays()
    before = problem.arrays()
    new = [array for name, array in arrays.items() if array.tobytes() != before[name].tobytes()]
    assert weigh(lambda: change(problem)) >= sum(array.nbytes for array in new) > 0
