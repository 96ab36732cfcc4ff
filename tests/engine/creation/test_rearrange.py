"""Rows and columns put in or taken out anywhere: what was there keeps its numbers, and what is new has no effect."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, FieldError, Problem, compute, resize
from attn_gui.engine.creation.rows_and_columns import (
    fields_with_places,
    parts_by_hand,
    places_with,
    places_without,
)
from tests.failing import each

N, M, D_K, D_V, HEADS = 5, 7, 3, 2, 2


def inserted(problem, size, at, count=1):
    return fields_with_places(problem, size, places_with(getattr(problem, size), at, count))


def deleted(problem, size, at, count=1):
    return fields_with_places(problem, size, places_without(getattr(problem, size), at, count))


def direct(**more):
    rng = np.random.default_rng(3)
    arrays = {
        "query": rng.normal(size=(N, HEADS * D_K)),
        "key": rng.normal(size=(M, HEADS * D_K)),
        "value": rng.normal(size=(M, HEADS * D_V)),
    }
    return Problem(**arrays, num_heads=HEADS, **more)


def projected(**more):
    rng = np.random.default_rng(4)
    d_model = 4
    widths = {"query": D_K, "key": D_K, "value": D_V}
    weights = {f"w_{name}": rng.normal(size=(d_model, HEADS * width)) for name, width in widths.items()}
    return Problem(x=rng.normal(size=(N, d_model)), **weights, num_heads=HEADS, **more)


def stage(problem, name, head=None):
    evaluation = DenseEvaluation(problem)
    rows, columns = (slice(0, length) for length in evaluation.shape(name)[-2:])
    return evaluation.block(name, 0, head, rows, columns)


@given(at=st.integers(0, N), count=st.integers(1, 3))
def test_new_queries_leave_the_rows_of_the_others_alone(at, count):
    before = direct(query_tokens=tuple("abcde"), mask=[{"kind": "custom", "allowed": np.eye(N, M, dtype=bool)}])
    after = before.replace(**inserted(before, "n", at, count))
    kept = np.delete(np.arange(N + count), slice(at, at + count))
    assert after.n == N + count
    assert np.array_equal(stage(after, "weights", 1)[kept], stage(before, "weights", 1))
    assert tuple(after.query_tokens[place] for place in kept) == before.query_tokens
    assert after.query_tokens[at : at + count] == ("_1", "_2", "_3")[:count]  # no number that another row has
    assert np.all(after.query[at : at + count] == 0)
    assert after.mask[0].cells[..., at : at + count, :].all()  # new ones may see all


@given(places=st.lists(st.integers(-1, M - 1), min_size=1, max_size=9).filter(lambda places: len(places) != M))
def test_keys_that_come_and_go_at_once_keep_their_numbers(places):
    allowed = np.random.default_rng(5).random((N, M)) < 0.7
    before = direct(key_tokens=tuple("abcdefg"), mask=[{"kind": "custom", "allowed": allowed}])
    after = before.replace(**fields_with_places(before, "m", np.array(places)))
    for name in ("key", "value"):
        rows = np.vstack([getattr(before, name), np.zeros((1, getattr(before, name).shape[1]))])
        assert np.array_equal(getattr(after, name), rows[places])  # −1 is the last one
    old = [k for k in places if k >= 0]
    assert [token for token, k in zip(after.key_tokens, places, strict=True) if k >= 0] == ["abcdefg"[k] for k in old]
    kept = np.array(places) >= 0
    assert np.array_equal(after.mask[0].cells[..., kept].reshape(N, -1), allowed[:, old])
    assert after.mask[0].cells[..., ~kept].all()
    assert np.array_equal(after.query, before.query)


@given(at=st.integers(0, M - 2), count=st.integers(1, 2))
def test_a_key_that_goes_is_as_a_key_that_was_masked(at, count):
    before = direct(key_tokens=tuple("abcdefg"))
    after = before.replace(**deleted(before, "m", at, count))
    closed = np.ones((N, M), bool)
    closed[:, at : at + count] = False
    masked = before.replace(mask=[{"kind": "custom", "allowed": closed}])
    np.testing.assert_allclose(stage(after, "head_output", 1), stage(masked, "head_output", 1), rtol=1e-13)
    assert after.key_tokens == tuple(letter for k, letter in enumerate("abcdefg") if not at <= k < at + count)


@given(st.data())
def test_what_was_put_in_can_be_taken_out_again(data):
    problem = data.draw(st.sampled_from([direct(), projected(mask=[{"kind": "padding", "lengths": (3,)}])]))
    sizes = ("n", "m", "d_k", "d_v") if not problem.projected else ("n", "d_k", "d_v", "d_model")
    size = data.draw(st.sampled_from(sizes))
    at, count = data.draw(st.integers(0, getattr(problem, size))), data.draw(st.integers(1, 3))
    longer = problem.replace(**inserted(problem, size, at, count))
    assert getattr(longer, size) == getattr(problem, size) + count
    assert longer.replace(**deleted(longer, size, at, count)) == problem


@pytest.mark.parametrize("size", ["d_k", "d_model"])
def test_a_column_of_zeros_changes_no_score(size):
    before = projected(scale=0.5)
    after = before.replace(**inserted(before, size, 1))
    np.testing.assert_allclose(stage(after, "scaled", 1), stage(before, "scaled", 1), rtol=1e-13)
    np.testing.assert_allclose(stage(after, "concat"), stage(before, "concat"), rtol=1e-13)


@each(("length", "at", "expected"), [(4, 2, 6), (4, 5, 4), (7, 7, 9), (4, 4, 6), (0, 3, 0)])
def test_the_length_of_a_padding_follows_its_keys(length, at, expected):
    before = direct(mask=[{"kind": "padding", "lengths": (length,)}])
    after = before.replace(**inserted(before, "m", at, 2))
    assert after.mask[0].lengths == (expected,)


def test_what_is_changed_by_hand_stays_with_its_cells():
    values = np.arange(1.0, 5.0)[:, None]
    records = (
        {"kind": "set", "stage": "scaled", "at": {"head": 1, "query": (1, 5)}, "values": values},
        {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0},
        {"kind": "copy", "stage": "scaled", "at": {"query": 2}, "source": {"query": 4}},
    )
    before = direct(interventions=records)
    after = before.replace(**inserted(before, "n", 3, 2))
    kept = np.array([0, 1, 2, 5, 6])
    assert np.array_equal(stage(after, "scaled", 1)[kept], stage(before, "scaled", 1))
    assert np.array_equal(stage(after, "concat")[kept], stage(before, "concat"))
    assert not stage(after, "head_output", 0).any()  # the whole head, new rows too
    without = before.replace(**deleted(before, "n", 4))
    assert [record.kind for record in without.interventions] == ["set", "scale"]  # what the copy took is gone
    assert np.array_equal(stage(without, "scaled", 1)[[0, 1, 3]], stage(before, "scaled", 1)[[0, 1, 3]])


def test_what_was_changed_by_hand_and_goes_with_its_row_is_told():
    records = (
        {"kind": "scale", "stage": "scaled", "at": {"query": (1, 5)}, "factor": 2.0},  # is torn into two
        {"kind": "scale", "stage": "scaled", "at": {"query": 2}, "factor": 3.0},
        {"kind": "copy", "stage": "scaled", "at": {"query": 0}, "source": {"query": 2}},
    )
    before = direct(interventions=records)
    assert [record.kind for record in before.replace(**deleted(before, "n", 2)).interventions] == ["scale", "scale"]
    for places, parts in ((places_without, [2, 0, 0]), (places_with, [2, 1, 1])):
        found = places(N, 2)
        assert parts_by_hand(before, fields_with_places(before, "n", found), found) == parts
    found = places_without(N, 3)
    assert parts_by_hand(before, fields_with_places(before, "n", found), found) == [2, 1, 1]


@each(("name", "size"), [("query", "d_k"), ("key", "d_k"), ("value", "d_v"), ("concat", "d_v"), ("output", "d_v")])
@each("step", [-1, 2])
def test_what_is_changed_by_hand_stays_in_its_head_at_another_width(name, size, step):
    rows = compute(direct())[name]
    heads, width = 2, rows.shape[-1] // 2
    axis = "query" if name in ("concat", "output") else "row"
    values = np.arange(2.0 * heads * width).reshape(2, -1)
    records = ({"kind": "set", "stage": name, "at": {axis: (0, 2), "column": (0, heads * width)}, "values": values},)
    before = direct(interventions=records)
    after = before.replace(**resize(before, **{size: width + step}).fields)
    found = compute(after)[name][0].reshape(-1, heads, width + step)
    kept = min(width, width + step)
    np.testing.assert_array_equal(found[:2, :, :kept], values.reshape(2, heads, width)[..., :kept])
    assert not found[:2, :, kept:].any()


def test_a_place_outside_and_the_last_row_are_refused():
    problem = direct()
    with pytest.raises(FieldError, match="no place 8"):
        inserted(problem, "m", 8)
    with pytest.raises(FieldError, match="no place 6"):
        deleted(problem, "n", 4, 2)
    with pytest.raises(ValueError, match="n"):
        deleted(problem, "n", 0, N)


def test_columns_come_and_go_beside_half_as_many_frequencies():
    rng = np.random.default_rng(7)
    problem = Problem(
        **{name: rng.normal(size=(3, 4)) for name in ("query", "key", "value")}, rotary_frequencies=(1, 0.5)
    )
    wider = problem.replace(**inserted(problem, "d_k", 1, 2))
    assert (wider.d_k, wider.rotary_frequencies.shape) == (6, (3,))
    np.testing.assert_array_equal(wider.rotary_frequencies[:2], problem.rotary_frequencies)
    narrower = problem.replace(**deleted(problem, "d_k", 0, 2))
    assert (narrower.d_k, narrower.rotary_frequencies.tolist()) == (2, [1.0])
