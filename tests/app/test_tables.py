"""Tables: what they read cell by cell, grow by, find and export."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.app.files.export_tasks import number_tasks
from attn_gui.app.tables.finding import fitting, named_alike, place_in, wanted_by
from attn_gui.app.tables.table_pasting import grown_fields, grown_outline
from attn_gui.app.tables.tables import StageCells, TableDifference
from attn_gui.document.typed_numbers import shown
from attn_gui.engine import DenseEvaluation, Evaluation, Problem
from attn_gui.engine.arrays import silent
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.reach import parts_of
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.shape_errors import shapes_of
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.views.dialogs.form_fields import DataChoice
from tests.failing import each

# --- read cells -----------------------------------------------------------------------------------
# Matrices that tables read cell by cell: the numbers of the whole, and nothing of it held.
RANDOM = np.random.default_rng(4)

PAIRS = {
    "numbers": tuple(RANDOM.normal(size=(2, 5, 3))),
    "infinite": (np.array([[np.inf, 1.0]]), np.array([[np.inf, np.nan]])),
    "single": tuple(RANDOM.normal(size=(2, 5, 3)).astype(np.float32)),
    "switches": tuple(RANDOM.random((2, 4, 6)) < 0.5),
}

DIRECT = Problem.over(new_fields("direct", n=3, m=5, num_heads=1, d_k=2, d_v=7, fill="random"))
PROJECTED = Problem.over(new_fields("self", n=3, m=3, num_heads=2, d_k=2, d_v=2, fill="random"))


@pytest.fixture(scope="module")
def evaluation():
    problem = Problem.over(new_fields("cross", n=5, m=7, num_heads=2, d_k=4, d_v=3, fill="random"))
    return DenseEvaluation(problem.replace(softcap=5.0, rotary_theta=10.0, mask=({"kind": "causal"},)))


def rows_of(evaluation: Evaluation, stage: str, row: int, column: int) -> dict[str, int]:
    """The one row of each matrix that belongs to a cell of head 1."""
    parts = parts_of(evaluation, stage, stage_plane(evaluation, stage, 0, 1).index(row, column))
    return {part.name: row for part in parts if len(part.axes) > 1 and (row := part.line(-2)) is not None}


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


def table(problem: Problem, field: str) -> np.ndarray:
    return getattr(problem, field).reshape(-1, getattr(problem, field).shape[-1])


@given(field=st.sampled_from(["query", "key", "value"]), more=st.tuples(st.integers(0, 4), st.integers(0, 4)))
def test_the_matrix_has_the_size_that_is_asked_for_and_its_old_numbers(field, more):
    before = table(DIRECT, field)
    rows, columns = before.shape[0] + more[0], before.shape[1] + more[1]
    fields = grown_fields(DIRECT, field, rows, columns)
    grown = table(DIRECT.replace(**fields), field)
    assert grown.shape == (rows, columns)
    assert np.array_equal(grown[: before.shape[0], : before.shape[1]], before)
    assert not grown[before.shape[0] :].any()
    assert not grown[:, before.shape[1] :].any()
    assert shapes_of(grown_outline(DIRECT, field, rows, columns)) == shapes_of(DIRECT.replace(**fields))


def test_x_takes_its_matrices_along():
    problem = PROJECTED.replace(**grown_fields(PROJECTED, "x", 5, 6))
    assert table(problem, "x").shape == (5, 6)
    assert problem.w_query.shape[0] == 6
    assert np.array_equal(table(problem, "x")[:3, :4], table(PROJECTED, "x"))


@each(("text", "place"), [("12, 3", (12, 3)), ("(0,1)", (0, 1)), ("[2；7]", (2, 7)), (" 4 ， 5 ", (4, 5))])
def test_a_place_is_a_row_and_a_column(text, place):
    assert place_in(text) == place


@given(st.floats(-1e5, 1e5), st.integers(0, 6))
def test_a_number_is_found_by_what_is_shown_of_it(value, decimals):
    text = shown(value, decimals)
    wanted = wanted_by(text, decimals, scientific=False)
    assert fitting(np.array([[value]]), None, wanted).all(), text
    assert not fitting(
        np.array([[value + 1.01 * 10.0**-decimals]]), None, wanted_by(f"{value:.9f}", decimals, False)
    ).any()


@given(st.floats(1e-30, 1e30), st.sampled_from([1, -1]))
def test_a_number_with_powers_of_ten_is_found_by_what_is_shown(size, sign):
    text = shown(sign * size, 3, scientific=True)
    assert fitting(np.array([[sign * size]]), None, wanted_by(text, 3, scientific=True)).all(), text


@each(
    ("text", "found"),
    [
        ("0.0004", [0.00039812, 0.000402]), ("4.0e-4", [0.00039812, 0.000402]), ("0.000398", [0.00039812]),
        ("0", [0.0]), ("0.000", [0.0]), ("1234567", [1234567.2]), ("1.235e6", [1234567.2, 1234999.0]),
    ],
)  # fmt: skip
def test_small_and_large_numbers_are_found_as_they_are_shown_or_as_exactly_as_they_are_typed(text, found):
    block = np.array([0.0, 1e-300, 0.0003, 0.00039812, 0.000402, 1234567.2, 1234999.0])
    assert block[fitting(block, None, wanted_by(text, 3, False))].tolist() == found


def test_whole_names_come_before_parts_of_them():
    names = ("The", "the", "other", "猫")
    assert named_alike(names, wanted_by("the", 3, False)) == [0, 1]
    assert named_alike(names, wanted_by("th", 3, False)) == [0, 1, 2]
    assert named_alike(names, wanted_by("猫", 3, False)) == [3]
    assert named_alike(names, wanted_by("zebra", 3, False)) == []


@each("ending", ["npz", "npy"])
def test_a_value_that_was_changed_by_hand_is_written_as_it_is_shown(tmp_path, ending):
    by_hand = ({"kind": "scale", "stage": "value", "at": {"row": 1}, "factor": 2.0},)
    problem = Problem(query=np.eye(2), key=np.eye(2), value=[[1.0, 2], [3, 5]], interventions=by_hand)
    evaluation = DenseEvaluation(problem)
    choice = DataChoice(("value",), format=ending, folder=str(tmp_path))
    (task,) = number_tasks(choice, evaluation, "a")
    task.write(evaluation, silent)
    found = np.load(task.path)
    array = found["value"] if ending == "npz" else found
    np.testing.assert_array_equal(array.reshape(2, 2), [[1, 2], [6, 10]])
