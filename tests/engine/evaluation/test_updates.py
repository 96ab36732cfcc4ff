"""Edits in place: what is recomputed, how exactly, how little; which cells reach which, forward and backward."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, PlaceError, Problem, compute
from attn_gui.engine.analysis.sensitivity import sensitivity
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import contract
from tests.costs import taking
from tests.engine.conftest import COMPUTED
from tests.failing import each, examples

from .working import Working as LiveProblem
from .working import random_box, random_values, with_value

Working = partial(LiveProblem, dense=True)


def large(rng, **more):
    return Problem(**{name: rng.normal(size=(64, 128)) for name in ("query", "key", "value")}, num_heads=8, **more)


@each("kind", COMPUTED, one_of=4)
def test_edits_of_every_field_of_every_problem(makers, kind, rng):
    working = Working(makers[kind]())
    names = list(working.arrays)
    for _ in range(examples(40)):
        name = names[int(rng.integers(len(names)))]
        box = random_box(working.arrays[name].shape, rng)
        working.write(name, box, random_values(working.arrays[name], box, rng))
    assert working.worst() < 1e-13


@pytest.mark.parametrize("name", ["query", "key", "mask.0.allowed"])
def test_an_edit_of_cells_far_apart_recomputes_what_each_of_them_reaches(name, rng):
    """As a paste with gaps, or an undo, does: too many boxes for one each, too far apart for one around them."""
    working = Working(large(rng, mask=[{"kind": "custom", "allowed": np.ones((64, 64), bool)}]))
    apart = working.arrays[name].shape[1] // 8
    boxes = [indices.cell((9 * place, apart * place)) for place in range(8)]
    for box in boxes:
        working.arrays[name][box] = False if name.startswith("mask") else 3.0
    working.evaluation.update(working.problem(), {name: boxes})
    assert working.worst() < 1e-13


@each("kind", COMPUTED, one_of=3)
def test_what_is_reported_is_exactly_what_changed(makers, kind, rng):
    """Brute force: no changed cell outside the boxes, none inside that stayed, closed cells aside."""
    working = Working(makers[kind]())
    for name, array in working.arrays.items():
        if name == "b_key":  # adds the same to a whole row of scores: no weight moves
            continue
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


def test_a_cell_where_a_row_and_a_column_cross_is_counted_once(rng):
    """The status bar said 26 scores of 13 tokens, where a row and a column have 25 cells."""
    arrays = {"x": (13, 8), "w_query": (8, 8), "w_key": (8, 8), "w_value": (8, 8)}
    problem = Problem(**{name: rng.normal(size=shape) for name, shape in arrays.items()})
    done = Working(problem).write("x", indices.cell((11, 0)), 2.5)
    assert (done.cells["scores"], done.cells["weights"], done.cells["head_output"]) == (25, 169, 104)


def test_one_query_cell_costs_one_row_of_one_head(rng):
    done = Working(large(rng)).write("query", indices.cell((10, 3 * 16 + 5)), 0.5)
    assert done.cells["scores"] == done.cells["scaled"] == done.cells["weights"] == 64
    assert done.cells["head_output"] == done.cells["concat"] == 16
    assert done.boxes["scores"] == [(slice(0, 1), slice(3, 4), slice(10, 11), slice(0, 64))]
    assert done.boxes["head_output"] == [(slice(0, 1), slice(3, 4), slice(10, 11), slice(0, 16))]
    assert done.boxes["query"] == [(slice(0, 1), slice(10, 11), slice(53, 54))]
    assert done.boxes["output"] == [(slice(0, 1), slice(10, 11), slice(48, 64))]
    assert 0 < done.seconds < 1


def test_a_mask_stops_changes():
    rng = np.random.default_rng(2)
    working = Working(large(rng, mask=({"kind": "causal"}, {"kind": "padding", "lengths": 60})))
    done = working.write("key", indices.cell((50, 0)), 1.5)
    assert done.boxes["weights"] == [(slice(0, 1), slice(0, 1), slice(50, 64), slice(0, 64))]
    assert working.write("value", indices.cell((40, 0)), 1.5).boxes["head_output"][0][2] == slice(40, 64)
    assert set(working.write("key", indices.cell((62, 0)), np.nan).boxes) == {"key", "scores", "scaled"}
    assert np.isfinite(working.stage("output")).all()


@each(("name", "value"), [("scale", 0.3), ("softcap", 0.9), ("temperature", 2.0), ("rotary_theta", 7.0)])
def test_numbers_are_edited_like_cells(makers, name, value):
    working = Working(makers["all"]())
    working.rest[name] = value
    done = working.evaluation.update(working.problem(), {name: [()]})
    assert done.boxes["weights"] == [indices.whole(working.evaluation.shape("weights"))]
    assert ("scores" in done.boxes) == (name == "rotary_theta")
    assert working.worst() == 0


def test_a_box_outside_is_refused(rng):
    working = Working(large(rng))
    for box in [(slice(0, 1),), (slice(0, 65), slice(0, 1)), (slice(-1, 1), slice(0, 1))]:
        with pytest.raises(PlaceError, match="query"):
            working.evaluation.update(working.problem(), {"query": [box]})


# --- the forward direction against poison ---------------------------------------------------------
def poisoned(problem: Problem, name: str, index: tuple[int, ...], value: float = np.nan) -> Problem:
    array = np.array(problem.arrays()[name])
    array[index] = value
    return with_value(problem, name, array)


@each(("number", "kind"), enumerate(COMPUTED), one_of=4)
def test_poison_reaches_exactly_what_is_told(makers, number, kind, rng):
    problem = makers[kind]()
    evaluation = StreamingEvaluation(problem, tile=3, chunk=5) if number % 2 else DenseEvaluation(problem)
    for name, array in problem.arrays().items():
        if array.dtype == bool:
            continue
        index = tuple(int(rng.integers(length)) for length in array.shape)
        forward, trace = evaluation.forward({name: [indices.cell(index)]}), compute(poisoned(problem, name, index))
        for stage in evaluation.stages:
            told, seen = all_of(forward, evaluation, stage), np.isnan(trace[stage])
            np.testing.assert_array_equal(told, seen, err_msg=f"{name}{index} → {stage}")
            assert seen.any() == (stage in forward.stages and told.any())
            inside = np.zeros(told.shape, bool)
            for box in forward.boxes(stage):
                inside[box] = True
            assert (inside | ~told).all()


def test_what_is_asked_at_4096_tokens_costs_its_part_only():
    """A row of X in self-attention and a cell of W_K, which reaches everything: a screen of cells is told at once."""
    problem = Problem.over(new_fields("self", n=4096, num_heads=8, d_k=4, d_v=4)).replace(mask=({"kind": "causal"},))
    evaluation = StreamingEvaluation(problem)
    rows, keys = slice(3000, 3100), slice(2950, 3150)
    i, j = np.ogrid[rows, keys]
    with taking(4096**2 / 8):  # a byte for each cell of one head is eight times that
        row = evaluation.forward({"x": [(slice(3050, 3051), slice(0, 32))]})
        cells = row.cells("masked", 0, 5, rows, keys)
        np.testing.assert_array_equal(cells, ((i == 3050) | (j == 3050)) & (j <= i))
        np.testing.assert_array_equal(row.cells("weights", 0, 5, rows, keys), (i >= 3050) & (j <= i))
        np.testing.assert_array_equal(
            row.cells("output", 0, None, slice(None), slice(0, 1))[:, 0], np.arange(4096) >= 3050
        )
        weight = evaluation.forward({"w_key": [indices.cell((3, 9))]})
        np.testing.assert_array_equal(weight.cells("weights", 0, 2, rows, keys), j <= i)
        assert not weight.cells("weights", 0, 3, rows, keys).any()


# --- the backward direction against the forward one -----------------------------------------------
CLOSED = ("masked", "weights")


def all_of(spread, evaluation, stage):
    """All found cells of a stage as one array of booleans."""
    shape = evaluation.shape(stage)
    found = np.zeros(shape, bool)
    for place in np.ndindex(shape[:-2]):
        head = place[1] if len(place) == 2 else None
        found[place] = spread.cells(stage, place[0], head, slice(None), slice(None))
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


@each(("number", "kind"), enumerate(COMPUTED), one_of=3)
def test_a_cell_comes_from_exactly_the_cells_that_reach_it(makers, number, kind, rng):
    problem = makers[kind]()
    evaluation = DenseEvaluation(problem) if number % 2 else StreamingEvaluation(problem, tile=3, chunk=5)
    for last in ("weights", "head_output", evaluation.stages[-1]):
        cell = some(rng, evaluation.shape(last))
        shut = closed(evaluation, last, cell)
        backward = evaluation.backward({last: [own(problem, last, indices.cell(cell))]})
        for stage in evaluation.stages[: evaluation.stages.index(last)]:
            told = all_of(backward, evaluation, stage)
            for index in [some(rng, told.shape), *np.argwhere(told)[:1].tolist()]:
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


@each("stage", ["key", "value"])
@each("kind", [DenseEvaluation, StreamingEvaluation])
def test_a_row_that_another_was_copied_from_is_told_whatever_the_mask_says_of_it(stage, kind, rng):
    weights = {f"w_{name}": rng.normal(size=(4, 4)) for name in ("query", "key", "value")}
    copied = {"kind": "copy", "stage": stage, "at": {"row": 1}, "source": {"row": 4}}
    x = rng.normal(size=(6, 4))
    evaluation = kind(Problem(x=x, **weights, num_heads=2, mask=[{"kind": "causal"}], interventions=[copied]))
    told, found = evaluation.backward({"head_output": [indices.cell((0, 0, 2, 0))]}), np.zeros(x.shape, bool)
    for box in told.boxes("x"):
        found[box] = True
    np.testing.assert_array_equal(found, sensitivity(evaluation, "head_output", (0, 0, 2, 0))["x"] != 0)
    assert found[4].any()
    assert all_of(told, evaluation, stage)[0].any(axis=1).tolist() == [True] * 3 + [False] * 3  # not its source


def test_behind_a_mask_every_cell_of_a_row_says_which_keys_count_and_a_closed_one_comes_from_the_mask_alone():
    problem = Problem.over(new_fields("direct", n=5, m=5, d_k=2)).replace(mask=({"kind": "causal"},))
    evaluation, whole = DenseEvaluation(problem), (slice(None), slice(None))
    backward = evaluation.backward({"head_output": [indices.cell((0, 0, 2, 1))]})
    assert np.argwhere(backward.cells("masked", 0, 0, *whole)).tolist() == [[2, key] for key in range(5)]
    shut = evaluation.backward({"weights": [indices.cell((0, 0, 1, 3))]})
    assert shut.stages == ("masked", "weights")
    assert all(np.argwhere(shut.cells(stage, 0, 0, *whole)).tolist() == [[1, 3]] for stage in shut.stages)


# --- boxes of cells -------------------------------------------------------------------------------
EDGES = st.tuples(st.integers(0, 5), st.integers(1, 4)).map(lambda cut: slice(cut[0], cut[0] + cut[1]))
BOXES = st.lists(st.tuples(EDGES, EDGES), min_size=1, max_size=9)


@given(BOXES)
def test_joined_boxes_hold_all_and_none_lies_in_another(boxes):
    found = indices.join(boxes)
    assert len(found) <= indices.MOST_BOXES
    assert all(any(indices.contains(outer, box) for outer in found) for box in boxes)
    assert not [one for one in found for other in found if one is not other and indices.contains(other, one)]
    assert indices.around(found) == indices.around(boxes)


@each("wild", [0.5, np.nan, np.inf])
@each("zero_wins", [False, True])
def test_terms_added_in_order_give_a_part_the_bits_of_the_whole(rng, wild, zero_wins):
    """Also where NaN or infinity of another part is not in it."""
    a, b = rng.normal(size=(2, 5, 97, 1)), rng.normal(size=(2, 1, 97, 4))
    a[:, 1] *= rng.random((97, 1)) < 0.5
    b[0, 0, 3, 1] = wild
    with np.errstate(invalid="ignore"):
        whole = contract(a, b, axes=(2,), ordered=True, zero_wins=zero_wins)
        for item in range(2):
            for columns in (slice(0, 4), slice(2, 4)):
                mine = a[item : item + 1], b[item : item + 1, ..., columns]
                part = contract(*mine, axes=(2,), ordered=True, zero_wins=zero_wins)
                np.testing.assert_array_equal(part, whole[item : item + 1, ..., columns])
