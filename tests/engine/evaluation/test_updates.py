"""Edits in place: what is recomputed, how exactly, and how little."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pytest

from attn_gui.engine import PlaceError, Problem
from attn_gui.engine.graph import indices

from .streaming.working import Working as LiveProblem
from .streaming.working import random_box

Working = partial(LiveProblem, dense=True)


def random_values(array, box, rng, whole_numbers):
    if array.dtype == bool:
        return rng.random(indices.shape_of(box)) < 0.6
    if whole_numbers:
        return rng.integers(-3, 4, indices.shape_of(box))
    return rng.normal(size=indices.shape_of(box)) * (10 if rng.random() < 0.1 else 1)


def large(rng, whole_numbers, **more):
    make = (lambda *s: rng.integers(-3, 4, s)) if whole_numbers else (lambda *s: rng.normal(size=s))
    return Problem(query=make(64, 128), key=make(64, 128), value=make(64, 128), num_heads=8, **more)


@pytest.mark.family(2)
@pytest.mark.parametrize("whole_numbers", [False, True], ids=["normal", "integers"])
@pytest.mark.parametrize("masked", [False, True], ids=["open", "causal"])
def test_a_thousand_edits_equal_a_fresh_computation(whole_numbers, masked, rng):
    mask = ({"kind": "causal"}, {"kind": "custom", "allowed": rng.random((64, 64)) > 0.1}) if masked else ()
    working = Working(large(rng, whole_numbers, mask=mask))
    names = list(working.arrays)
    for _ in range(1000):
        name = names[int(rng.integers(len(names)))]
        box = random_box(working.arrays[name].shape, rng)
        working.write(name, box, random_values(working.arrays[name], box, rng, whole_numbers))
    assert working.worst() == 0 if whole_numbers else working.worst() < 1e-13


@pytest.mark.family(6)
def test_edits_of_every_field_of_every_problem(makers, problem_name, rng):
    working = Working(makers[problem_name]())
    names = list(working.arrays)
    for _ in range(120):
        name = names[int(rng.integers(len(names)))]
        box = random_box(working.arrays[name].shape, rng)
        working.write(name, box, random_values(working.arrays[name], box, rng, False))
    assert working.worst() < 1e-13


def test_what_is_reported_is_exactly_what_changed(makers, problem_name, rng):
    """Brute force: no changed cell outside the boxes, none inside that stayed, closed cells aside."""
    working = Working(makers[problem_name]())
    for name, array in working.arrays.items():
        for _ in range(3 if name != "b_key" else 0):  # adds the same to a whole row of scores: no weight moves
            box = indices.cell([int(rng.integers(length)) for length in array.shape])
            before = {stage: working.stage(stage) for stage in working.evaluation.stages}
            values = ~array[box] if array.dtype == bool else array[box] + 0.25
            reported = working.write(name, box, values).boxes
            assert set(reported) <= set(working.evaluation.stages)
            for stage, old in before.items():
                compare(working.evaluation, stage, old, working.stage(stage), reported.get(stage, []), (name, box))


def compare(evaluation, stage, before, after, boxes, where):
    claimed = np.zeros(before.shape, bool)
    for box in boxes:
        claimed[box] = True
    changed = before != after
    assert not (changed & ~claimed).any(), (stage, where)
    excused = np.zeros(before.shape, bool)
    if stage in ("masked", "weights") and "masked" in evaluation.stages:
        allowed = evaluation.fetch("allowed", indices.whole(before.shape))
        excused |= ~allowed | (allowed.sum(axis=-1, keepdims=True) == 1)
    if stage.startswith("rotated"):
        excused[:, 0] = True
    if where[0] == "rotary_frequencies":  # a query and a key at the same position turn by the same angle
        excused[:] = True
    rows_of_one_key = evaluation.stages.index(stage) > evaluation.stages.index("weights")
    if rows_of_one_key and "masked" in evaluation.stages:  # their weight is 1 whatever the score
        excused |= single_key_rows(evaluation, before.ndim)
    assert not (claimed & ~changed & ~excused).any(), (stage, where)


def single_key_rows(evaluation, axes):
    allowed = evaluation.fetch("allowed", indices.whole(evaluation.shape("weights"))).sum(axis=-1, keepdims=True) == 1
    return allowed if axes == 4 else allowed.any(axis=1)


def test_one_query_cell_costs_one_row_of_one_head(rng):
    working = Working(large(rng, False))
    done = working.write("query", indices.cell((10, 3 * 16 + 5)), 0.5)
    assert done.cells["scores"] == done.cells["scaled"] == done.cells["weights"] == 64
    assert done.cells["head_output"] == done.cells["concat"] == 16
    assert done.boxes["scores"] == [(slice(0, 1), slice(3, 4), slice(10, 11), slice(0, 64))]
    assert done.boxes["head_output"] == [(slice(0, 1), slice(3, 4), slice(10, 11), slice(0, 16))]
    assert done.boxes["query"] == [(slice(0, 1), slice(10, 11), slice(53, 54))]
    assert done.boxes["output"] == [(slice(0, 1), slice(10, 11), slice(48, 64))]
    assert 0 < done.seconds < 1


def test_one_x_cell_costs_one_row_and_one_column_of_every_head(rng):
    weights = {f"w_{part}": rng.normal(size=(6, 6)) for part in ("query", "key", "value")}
    working = Working(Problem(x=rng.normal(size=(7, 6)), **weights, num_heads=3))
    done = working.write("x", indices.cell((4, 2)), 0.5)
    row, column = (
        (slice(0, 1), slice(0, 3), slice(4, 5), slice(0, 7)),
        (slice(0, 1), slice(0, 3), slice(0, 7), slice(4, 5)),
    )
    assert sorted(map(str, done.boxes["scores"])) == sorted(map(str, [row, column]))
    assert done.cells["scores"] == 3 * (7 + 7)


def test_a_mask_stops_changes():
    rng = np.random.default_rng(2)
    working = Working(large(rng, False, mask=({"kind": "causal"}, {"kind": "padding", "lengths": 60})))
    done = working.write("key", indices.cell((50, 0)), 1.5)
    assert done.boxes["weights"] == [(slice(0, 1), slice(0, 1), slice(50, 64), slice(0, 64))]
    assert working.write("value", indices.cell((40, 0)), 1.5).boxes["head_output"][0][2] == slice(40, 64)
    hidden = working.write("key", indices.cell((62, 0)), np.nan)
    assert set(hidden.boxes) == {"key", "scores", "scaled"}
    assert np.isfinite(working.stage("output")).all()


def test_a_cell_that_another_layer_closes_changes_nothing(rng):
    mask = ({"kind": "causal"}, {"kind": "custom", "allowed": np.ones((64, 64), bool)})
    working = Working(large(rng, False, mask=mask))
    assert working.write("mask.1.allowed", indices.cell((3, 9)), False).boxes == {}
    done = working.write("mask.1.allowed", indices.cell((9, 3)), False)
    assert done.boxes["weights"] == [(slice(0, 1), slice(0, 8), slice(9, 10), slice(0, 64))]
    assert (working.stage("weights")[0, :, 9, 3] == 0).all()
    working.write("mask.1.allowed", indices.cell((9, 3)), True)
    assert working.worst() == 0


def test_disabled_layers_are_not_computed(rng):
    mask = ({"kind": "bias", "values": np.zeros((64, 64)), "enabled": False},)
    working = Working(large(rng, False, mask=mask))
    assert "biased" not in working.evaluation.stages
    assert working.write("mask.0.values", indices.cell((9, 3)), 4.0).boxes == {}


@pytest.mark.parametrize(
    ("name", "value"), [("scale", 0.3), ("softcap", 0.9), ("temperature", 2.0), ("rotary_theta", 7.0)]
)
def test_numbers_are_edited_like_cells(makers, name, value):
    working = Working(makers["all"]())
    working.rest[name] = value
    done = working.evaluation.update(working.problem(), {name: [()]})
    assert done.boxes["weights"] == [indices.whole(working.evaluation.shape("weights"))]
    assert ("scores" in done.boxes) == (name == "rotary_theta")
    assert working.worst() == 0


def test_another_structure_is_computed_anew(makers):
    working = Working(makers["all"]())
    working.rest |= {"softcap": None, "num_heads": 2, "num_kv_heads": 2, "mask": ()}
    working.arrays = {name: array for name, array in working.arrays.items() if not name.startswith("mask")}
    working.arrays["key"] = np.array(working.arrays["query"][:, :5])
    working.arrays["value"] = np.array(working.arrays["query"][:, :5])
    done = working.evaluation.update(working.problem(), {"softcap": [()]})
    assert set(done.boxes) == set(working.evaluation.stages)
    assert "capped" not in working.evaluation.stages
    assert working.worst() == 0


def test_nothing_of_the_problem_is_copied(rng):
    working = Working(
        Problem(
            query=rng.normal(size=(4096, 64)), key=rng.normal(size=(3, 64)), value=rng.normal(size=(3, 64)), num_heads=4
        )
    )
    evaluation = working.evaluation
    assert np.shares_memory(
        evaluation.fetch("query", indices.whole(evaluation.shape("query"))), working.arrays["query"]
    )
    tracemalloc.start()
    working.write("query", indices.cell((9, 3)), 4.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * 8 * 100


def test_a_box_outside_is_refused(rng):
    working = Working(large(rng, False))
    for box in [(slice(0, 1),), (slice(0, 65), slice(0, 1)), (slice(-1, 1), slice(0, 1))]:
        with pytest.raises(PlaceError, match="query"):
            working.evaluation.update(working.problem(), {"query": [box]})
