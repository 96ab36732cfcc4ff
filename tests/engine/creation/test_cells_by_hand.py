"""Interventions made cell by cell: freed cells are as computed again, and nothing else moves; what is done to the same
cells again is one entry; one done to all heads is done to each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui import load, save
from attn_gui.engine import FieldError, Problem, compute
from attn_gui.engine.creation.interventions import (
    for_all_heads,
    with_cells_free,
    with_cells_scaled,
    with_cells_set,
    with_cells_taken,
)
from attn_gui.engine.stages import STAGE
from tests.failing import each

SHAPE, AXES = (2, 3, 5, 7), STAGE["scores"].axes
RNG = np.random.default_rng(1)
PROBLEM = Problem(
    query=RNG.normal(size=(2, 5, 6)), key=RNG.normal(size=(2, 7, 6)), value=RNG.normal(size=(2, 7, 6)), num_heads=3
)
PLAIN = compute(PROBLEM)["scores"]


@st.composite
def boxes(draw):
    cuts = []
    for length in SHAPE:
        start = draw(st.integers(0, length - 1))
        cuts.append(slice(start, draw(st.integers(start + 1, length))))
    return tuple(cuts)


@st.composite
def changes(draw):
    box, kind = draw(boxes()), draw(st.sampled_from(["set", "row", "scale", "take"]))
    if kind == "scale":
        return lambda known: with_cells_scaled(known, "scores", AXES, box, 0.5)
    if kind == "take":
        return lambda known: with_cells_taken(known, "scores", AXES, box, {"query": 4})
    values = np.arange(box[-1].stop - box[-1].start, dtype=float) if kind == "row" else np.asarray(3.0)
    return lambda known: with_cells_set(known, "scores", AXES, box, values)


def scores(records):
    return compute(PROBLEM.replace(interventions=records))["scores"]


@settings(deadline=None, max_examples=60, database=None)
@given(made=st.lists(changes(), min_size=1, max_size=4), hole=boxes())
def test_freed_cells_are_as_computed_and_all_others_stay(made, hole):
    records = ()
    for change in made:
        records = change(records)
    before, after = scores(records), scores(with_cells_free(records, "scores", AXES, SHAPE, hole))
    expected = before.copy()
    expected[hole] = PLAIN[hole]
    np.testing.assert_array_equal(after, expected)


def test_what_is_switched_off_is_not_lost_where_cells_are_freed():
    box = tuple(slice(0, 2) for _ in SHAPE)
    (record,) = with_cells_scaled((), "scores", AXES, box, 0.5)
    off = record.changed(enabled=False)
    assert with_cells_free((off, record), "scores", AXES, SHAPE, box) == (off,)


@settings(deadline=None, max_examples=25, database=None)
@given(change=changes())
def test_the_same_cells_again_make_no_second_entry(change):
    once = change(())
    assert len(change(once)) == len(once) == 1


def test_the_last_number_and_the_product_of_factors_count():
    box = tuple(slice(0, 1) for _ in SHAPE)
    twice = with_cells_set(
        with_cells_set((), "scores", AXES, box, np.asarray(1.0)), "scores", AXES, box, np.asarray(2.0)
    )
    assert scores(twice)[0, 0, 0, 0] == 2
    (halved,) = with_cells_scaled(with_cells_scaled((), "scores", AXES, box, 0.5), "scores", AXES, box, -3.0)
    assert halved.factor == -1.5


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_factors_whose_product_is_no_number_stay_two(factor, tmp_path):
    box = tuple(slice(0, 1) for _ in SHAPE)
    twice = with_cells_scaled(with_cells_scaled((), "scores", AXES, box, factor), "scores", AXES, box, factor)
    assert [record.factor for record in twice] == [factor, factor]
    path = tmp_path / "twice.attn"
    save(PROBLEM.replace(interventions=twice), path)
    assert load(path).interventions == twice
    with pytest.raises(FieldError, match=r"interventions\.0\.factor"):
        PROBLEM.replace(interventions=[twice[0].changed(factor=np.inf)])


@each(
    ("record", "expected"),
    [
        ({"kind": "set", "at": {"head": 1, "query": 2}, "values": np.arange(7.0)}, lambda plain: np.arange(7.0)),
        (
            {"kind": "set", "at": {"head": (1, 3), "query": 2}, "values": np.ones((2, 1, 1)) * [[[4]], [[5]]]},
            lambda plain: 4,
        ),
        ({"kind": "scale", "at": {"head": 0, "query": 2}, "factor": 2.0}, lambda plain: plain[:, :, 2] * 2),
        ({"kind": "copy", "at": {"head": 0, "query": 2}, "source": {"head": 1}}, lambda plain: plain[:, 1:2, 2]),
    ],
)
def test_one_is_done_to_all_heads(record, expected):
    problem = PROBLEM.replace(interventions=[{"stage": "scores", **record}])
    found = compute(problem.replace(**for_all_heads(problem, 0)))["scores"]
    np.testing.assert_array_equal(found[:, :, 2], np.broadcast_to(expected(PLAIN), found[:, :, 2].shape))
    np.testing.assert_array_equal(np.delete(found, 2, 2), np.delete(PLAIN, 2, 2))
