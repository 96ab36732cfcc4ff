"""Matrices that tables read cell by cell: the numbers of the whole, and nothing of it held."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.app.tables.tables import Difference, StageCells
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.differentiation import gradient_of
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

RANDOM = np.random.default_rng(4)
PAIRS = {
    "numbers": tuple(RANDOM.normal(size=(2, 5, 3))),
    "infinite": (np.array([[np.inf, 1.0]]), np.array([[np.inf, np.nan]])),
    "single": tuple(RANDOM.normal(size=(2, 5, 3)).astype(np.float32)),
    "switches": tuple(RANDOM.random((2, 4, 6)) < 0.5),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_difference_is_that_of_the_whole_arrays(name):
    now, before = PAIRS[name]
    with np.errstate(invalid="ignore"):
        whole = now.astype(np.float32) - before if now.dtype == bool else now - before
    found = Difference(now, before)
    assert (found.shape, found.dtype) == (whole.shape, whole.dtype)
    np.testing.assert_array_equal(found[:, :], whole)
    np.testing.assert_array_equal(found[1:3, :1], whole[1:3, :1])
    assert np.array_equal([found.item(0, j) for j in range(now.shape[1])], whole[0], equal_nan=True)


@pytest.mark.parametrize("before", [None, np.zeros((2, 2))], ids=["none", "other shape"])
def test_where_there_was_no_such_matrix_nothing_can_be_told(before):
    found = Difference(np.ones((3, 4)), before)
    assert np.isnan(found[:, :]).all()
    assert np.isnan(found.item(2, 3))


@pytest.mark.parametrize("kind", [Evaluation, StreamingEvaluation])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
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
    evaluation = Evaluation(Problem(x=RANDOM.normal(size=(9, 4)), **weights, dtype="float32"))
    ones = np.ones(evaluation.shape("output"))
    gradient = gradient_of(evaluation, "output", indices.whole(ones.shape), ones)
    cells = StageCells(gradient, "query", 0)
    assert (cells.dtype, cells[:, :].dtype) == (np.float64, np.float64)
    assert Difference(np.ones((1, 2), np.float32), np.ones((1, 2))).dtype == np.float64
