"""Tables: what they read cell by cell, and which rows a chosen cell was computed from."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.app.tables.tables import StageCells, TableDifference
from attn_gui.engine import DenseEvaluation, Evaluation, Problem, new_problem
from attn_gui.engine.analysis.gradient_evaluation import Gradient
from attn_gui.engine.evaluation.reach import parts_of
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from attn_gui.figure.operands import stage_plane
from tests.failing import each

MAPS = ("scores", "scaled", "capped", "masked")


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    problem = new_problem("cross", n=5, m=7, num_heads=2, d_k=4, d_v=3, fill="random")
    return DenseEvaluation(problem.replace(softcap=5.0, rotary_theta=10.0, mask=({"kind": "causal"},)))


def rows_of(evaluation: Evaluation, stage: str, row: int, column: int) -> dict[str, int]:
    """The one row of each matrix that belongs to a cell of head 1."""
    plane = stage_plane(evaluation, stage, 0, 1)
    parts = parts_of(evaluation, stage, plane.index(row, column))
    return {part.name: row for part in parts if len(part.axes) > 1 and (row := part.line(-2)) is not None}


@each("stage", MAPS)
def test_a_score_is_made_of_a_query_and_a_key(evaluation, stage):
    found = rows_of(evaluation, stage, 3, 6)
    assert {"query": 3, "x": 3, "key": 6, "context": 6}.items() <= found.items()
    assert "value" not in found


@each(
    ("stage", "own", "sequence"),
    [
        ("query", "query", "x"),
        ("rotated_query", "query", "x"),
        ("head_output", "query", "x"),
        ("output", "query", "x"),
        ("key", "key", "context"),
        ("value", "value", "context"),
        ("rotated_key", None, "context"),
    ],
)
def test_other_stages_have_the_row_of_their_sequence(evaluation, stage, own, sequence):
    found = rows_of(evaluation, stage, 4, 1)
    assert found[sequence] == 4
    assert own is None or found[own] == 4
    assert not {"x", "context"} - {sequence} & set(found)


def test_what_is_marked_is_what_the_cell_depends_on(evaluation):
    """Everything else may be poisoned and the score stays."""
    rows = rows_of(evaluation, "scores", 2, 5)
    problem, cell = evaluation.problem, (0, 1, 2, 5)
    poisoned = {field: np.full_like(getattr(problem, field), np.nan) for field in ("x", "context")}
    for field, array in poisoned.items():
        array[rows[field]] = getattr(problem, field)[rows[field]]
    again = DenseEvaluation(Problem(**{**problem.fields(), **poisoned}))
    place = tuple(slice(k, k + 1) for k in cell)
    assert again.box("scores", place) == evaluation.box("scores", place)


def test_given_rows_without_a_batch_axis_are_marked_as_their_stage():
    evaluation = DenseEvaluation(new_problem("direct", n=3, m=4, num_heads=2, d_k=2, d_v=2, fill="random"))
    parts = parts_of(evaluation, "weights", (0, 1, 2, 3))
    assert {len(part.box) for part in parts if part.name in evaluation.stages} == {3, 4}
    assert {part.name: part.line(-2) for part in parts if part.name in ("query", "key", "value")} == {
        "query": 2,
        "key": 3,
        "value": 3,
    }


# --- read cells -----------------------------------------------------------------------------------
# Matrices that tables read cell by cell: the numbers of the whole, and nothing of it held.

RANDOM = np.random.default_rng(4)
PAIRS = {
    "numbers": tuple(RANDOM.normal(size=(2, 5, 3))),
    "infinite": (np.array([[np.inf, 1.0]]), np.array([[np.inf, np.nan]])),
    "single": tuple(RANDOM.normal(size=(2, 5, 3)).astype(np.float32)),
    "switches": tuple(RANDOM.random((2, 4, 6)) < 0.5),
}


@each("name", PAIRS)
def test_a_difference_is_that_of_the_whole_arrays(name):
    now, before = PAIRS[name]
    with np.errstate(invalid="ignore"):
        whole = now.astype(np.float32) - before if now.dtype == bool else now - before
    found = TableDifference(now, before)
    assert (found.shape, found.dtype) == (whole.shape, whole.dtype)
    np.testing.assert_array_equal(found[:, :], whole)
    np.testing.assert_array_equal(found[1:3, :1], whole[1:3, :1])
    assert np.array_equal([found.item(0, j) for j in range(now.shape[1])], whole[0], equal_nan=True)


@each("before", [None, np.zeros((2, 2))])
def test_where_there_was_no_such_matrix_nothing_can_be_told(before):
    found = TableDifference(np.ones((3, 4)), before)
    assert np.isnan(found[:, :]).all()
    assert np.isnan(found.item(2, 3))


@each("kind", [DenseEvaluation, StreamingEvaluation])
@each("dtype", ["float32", "float64"])
def test_cells_of_a_stage_are_those_of_its_block(kind, dtype):
    weights = {name: RANDOM.normal(size=(4, 6)) for name in ("w_query", "w_key", "w_value")}
    evaluation = kind(Problem(x=RANDOM.normal(size=(2, 9, 4)), **weights, num_heads=2, dtype=dtype))
    cells = StageCells(evaluation, "key", 1)
    whole = evaluation.block("key", 1, None, slice(0, 9), slice(0, 6))
    assert (cells.shape, cells.dtype) == (whole.shape, whole.dtype)
    assert [[cells.item(i, j) for j in range(6)] for i in range(9)] == whole.tolist()
    np.testing.assert_array_equal(cells[2:5, 1:], whole[2:5, 1:])


def test_a_gradient_is_read_in_full_of_a_problem_in_single_precision():
    weights = {name: RANDOM.normal(size=(4, 6)) for name in ("w_query", "w_key", "w_value")}
    evaluation = DenseEvaluation(Problem(x=RANDOM.normal(size=(9, 4)), **weights, dtype="float32"))
    ones = np.ones(evaluation.shape("output"))
    gradient = Gradient(evaluation, "output", indices.whole(ones.shape), ones)
    cells = StageCells(gradient, "query", 0)
    assert (cells.dtype, cells[:, :].dtype) == (np.float64, np.float64)
    assert TableDifference(np.ones((1, 2), np.float32), np.ones((1, 2))).dtype == np.float64
