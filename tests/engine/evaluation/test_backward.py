"""The backward direction against the forward one: a cell comes from exactly the cells that reach it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, PlaceError, Problem, new_problem
from attn_gui.engine.analysis.sensitivity import sensitivity
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

CLOSED = ("masked", "weights")


def everything(spread, evaluation, stage):
    """All found cells of a stage as one array of booleans."""
    shape = evaluation.shape(stage)
    found = np.zeros(shape, bool)
    for place in np.ndindex(shape[:-2]):
        head = place[1] if len(place) == 2 else None
        found[place] = spread.cells(stage, place[0], head, slice(None), slice(None))
    return found


def in_boxes(spread, name, shape):
    found = np.zeros(shape, bool)
    for box in spread.boxes(name):
        found[box] = True
    return found


def own(problem, name, box):
    """Q, K and V that are given are asked for as the fields that they are."""
    arrays = problem.arrays()
    return box[-arrays[name].ndim :] if name in arrays else box


def closed(evaluation, stage, index):
    """Whether a mask closes a cell of a map."""
    masked = stage in CLOSED and "masked" in evaluation.stages
    return masked and not evaluation.fetch("allowed", indices.cell(index)).any()


def some(rng, shape):
    return tuple(int(rng.integers(length)) for length in shape)


@pytest.mark.family(6)
@pytest.mark.parametrize("streaming", [False, True], ids=["dense", "streaming"])
def test_a_cell_comes_from_exactly_the_cells_that_reach_it(makers, problem_name, streaming, rng):
    problem = makers[problem_name]()
    evaluation = StreamingEvaluation(problem, tile=3, chunk=5) if streaming else DenseEvaluation(problem)
    for last in evaluation.stages:
        cell = some(rng, evaluation.shape(last))
        shut = closed(evaluation, last, cell)
        backward = evaluation.backward({last: [own(problem, last, indices.cell(cell))]})
        for stage in evaluation.stages[: evaluation.stages.index(last)]:
            told = everything(backward, evaluation, stage)
            for index in [some(rng, told.shape) for _ in range(4)] + np.argwhere(told)[:3].tolist():
                if stage == "weights" and closed(evaluation, stage, index):
                    assert not told[tuple(index)]
                    continue
                if stage == "masked" and shut:
                    continue
                box = own(problem, stage, indices.cell(index))
                place = evaluation.forward({stage: [box]}).cells(
                    last,
                    cell[0],
                    cell[1] if len(cell) == 4 else None,
                    slice(cell[-2], cell[-2] + 1),
                    slice(cell[-1], cell[-1] + 1),
                )
                assert told[tuple(index)] == place[0, 0], f"{stage}{index} → {last}{cell}"


@pytest.mark.parametrize("stage", ["key", "value"])
@pytest.mark.parametrize("streaming", [False, True], ids=["dense", "streaming"])
def test_a_row_that_another_was_copied_from_is_told_whatever_the_mask_says_of_it(stage, streaming, rng):
    arrays = {"x": rng.normal(size=(6, 4))} | {
        f"w_{name}": rng.normal(size=(4, 4)) for name in ("query", "key", "value")
    }
    copied = {"kind": "copy", "stage": stage, "at": {"row": 1}, "source": {"row": 4}}
    problem = Problem(**arrays, num_heads=2, mask=[{"kind": "causal"}], interventions=[copied])
    evaluation = StreamingEvaluation(problem) if streaming else DenseEvaluation(problem)
    gradient = sensitivity(evaluation, "head_output", (0, 0, 2, 0))["x"]
    told = evaluation.backward({"head_output": [indices.cell((0, 0, 2, 0))]})
    np.testing.assert_array_equal(in_boxes(told, "x", problem.x.shape), gradient != 0)
    assert gradient[4].any()
    parts = everything(told, evaluation, stage)
    assert parts[0, :, :2].any(axis=1).tolist() == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]  # the copied row, not its source


@pytest.mark.parametrize("streaming", [False, True], ids=["dense", "streaming"])
def test_it_leads_back_to_the_fields(makers, problem_name, streaming, rng):
    problem = makers[problem_name]()
    evaluation = StreamingEvaluation(problem, tile=3, chunk=5) if streaming else DenseEvaluation(problem)
    last = evaluation.stages[-1]
    cell = some(rng, evaluation.shape(last))
    backward = evaluation.backward({last: [own(problem, last, indices.cell(cell))]})
    for name, array in problem.arrays().items():
        told = in_boxes(backward, name, array.shape)
        for index in [some(rng, array.shape) for _ in range(4)] + np.argwhere(told)[:3].tolist():
            place = evaluation.forward({name: [indices.cell(index)]}).cells(
                last,
                cell[0],
                cell[1] if len(cell) == 4 else None,
                slice(cell[-2], cell[-2] + 1),
                slice(cell[-1], cell[-1] + 1),
            )
            assert told[tuple(index)] == place[0, 0] or array.dtype == bool, f"{name}{index} → {last}{cell}"


def test_behind_a_mask_every_cell_of_a_row_says_which_keys_count_and_a_closed_one_comes_from_the_mask_alone():
    problem = new_problem("direct", n=5, m=5, d_k=2).replace(mask=({"kind": "causal"},))
    evaluation, whole = DenseEvaluation(problem), (slice(None), slice(None))
    backward = evaluation.backward({"head_output": [indices.cell((0, 0, 2, 1))]})
    assert np.argwhere(backward.cells("masked", 0, 0, *whole)).tolist() == [[2, key] for key in range(5)]
    shut = evaluation.backward({"weights": [indices.cell((0, 0, 1, 3))]})
    assert shut.stages == ("masked", "weights")
    assert all(np.argwhere(shut.cells(stage, 0, 0, *whole)).tolist() == [[1, 3]] for stage in shut.stages)


def test_a_cell_at_4096_tokens_is_told_at_once():
    problem = new_problem("self", n=4096, num_heads=8, d_k=4, d_v=4).replace(mask=({"kind": "causal"},))
    evaluation = StreamingEvaluation(problem)
    tracemalloc.start()
    backward = evaluation.backward({"output": [indices.cell((0, 3000, 5))]})
    keys = np.arange(4096) <= 3000
    np.testing.assert_array_equal(backward.cells("weights", 0, 1, slice(3000, 3001), slice(None))[0], keys)
    np.testing.assert_array_equal(backward.cells("key", 0, 1, slice(None), slice(None))[:, 2], keys)
    np.testing.assert_array_equal(in_boxes(backward, "x", (4096, 32)).all(axis=1), keys)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096**2 / 8  # a byte for each cell of one head is eight times that


def test_a_box_outside_is_refused(makers):
    with pytest.raises(PlaceError):
        DenseEvaluation(makers["plain"]()).backward({"query": [indices.cell((0, 99, 0))]})
