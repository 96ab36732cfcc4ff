"""Workbooks compute what the engine computes, also after a number is changed in them."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.formats import FormatError
from attn_gui.formats.spreadsheets.boards import Board
from attn_gui.formats.spreadsheets.workbook import workbook_bytes

from .recalculated import Recalculated
from .test_scripts import PROBLEMS, N, given


def numbers_of(book: Recalculated, stage: str, shape: tuple[int, ...]) -> np.ndarray:
    board, found = Board(stage, shape), np.empty(shape)
    for index in np.ndindex(*shape):
        place = board.place(index)
        found[index] = book.value(stage, place.row, place.column)
    return np.where(found < -1e299, -np.inf, found)


def check(book: Recalculated, problem: Problem) -> None:
    trace, close = compute(problem), 1e-6 if problem.dtype == "float32" else 1e-9
    for stage in trace.stages:
        expected = np.asarray(trace[stage], dtype=np.float64)
        np.testing.assert_allclose(
            numbers_of(book, stage, expected.shape), expected, rtol=close, atol=close, err_msg=stage
        )


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_step_is_computed_by_the_sheets(name):
    problem = PROBLEMS[name]
    check(Recalculated(workbook_bytes(problem)), problem)


@pytest.mark.parametrize("name", ["dot", "cosine", "padding", "bias", "alibi", "custom"])
def test_a_number_that_is_typed_over_is_followed_by_every_step(name):
    problem = PROBLEMS[name]
    key = problem.key.copy()
    key[..., 1, :] = 40.0  # another key is the largest now
    book = Recalculated(workbook_bytes(problem))
    cells = key if key.ndim == 3 else key[None]
    board = Board("key", cells.shape)
    for index in np.ndindex(*cells.shape):
        place = board.place(index)
        book.put("key", place.row, place.column, float(cells[index]))
    check(book, problem.replace(key=key))


def test_a_row_that_is_closed_in_the_sheet_is_zero():
    allowed = np.ones((N, 4), bool)
    book = Recalculated(workbook_bytes(given(mask=[{"kind": "custom", "allowed": allowed}])))
    board = Board("mask.0.allowed", allowed.shape)
    for column in range(4):
        place = board.place((1, column))
        book.put(board.sheet, place.row, place.column, 0)
    allowed[1] = False
    check(book, given(mask=[{"kind": "custom", "allowed": allowed}]))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"query": np.zeros((20_000, 4))}, "up to 60,000 are written"),
        ({"value": np.full((4, 6), np.nan)}, "value has others"),
    ],
)
def test_what_no_workbook_is_written_for_is_said_in_a_sentence(fields, said):
    with pytest.raises(FormatError, match=said):
        workbook_bytes(given(**fields))


def test_a_formula_longer_than_a_cell_takes_is_refused():
    wide = np.ones((600, 2))
    with pytest.raises(FormatError, match="formulas of query would be longer"):
        workbook_bytes(Problem(x=np.ones((2, 600)), w_query=wide, w_key=wide, w_value=wide))
