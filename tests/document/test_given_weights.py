"""Given weights in a document: cells of any item and head edited in place, undone bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.document.matrix_model import shown_part, table_box, table_cells
from attn_gui.engine import Problem, resize
from tests.failing import each

LABEL = Label("typed", {})


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(2).dirichlet(np.ones(5), size=(2, 3, 4))


@each("axes", [3, 4])
def test_a_table_shows_and_edits_the_matrix_of_its_item_and_head(heard, weights, axes):
    given = weights[(0,) * (4 - axes)]
    document = heard(Problem.from_weights(given)).document
    item, head = (1, 2) if axes == 4 else (0, 2)
    assert np.array_equal(document.reader("weights", item, head)(), given[(item, head)[4 - axes :]])
    assert shown_part("weights", given, item, 9) is None  # the head is gone
    box = table_box("weights", given.shape, slice(1, 2), slice(3, 4), item, head)
    before = document.snapshot()
    document.apply(SetCells("weights", box, np.full((1,) * axes, np.nan), LABEL))
    assert np.isnan(document.reader("weights", item, head)()[1, 3])
    assert np.isfinite(document.reader("weights", item, 0)()).all()
    assert table_cells("weights", given.shape, box, item, head) == (slice(1, 2), slice(3, 4))
    assert table_cells("weights", given.shape, box, item, 0) is None
    document.stack.undo()
    assert document.snapshot() == before
    document.stack.redo()
    assert np.isnan(document.problem.weights).sum() == 1


def test_a_change_of_size_is_one_step(heard, weights):
    problem = Problem.from_weights(weights, value=np.ones((5, 6)))
    document = heard(problem).document
    document.apply(SetFields(resize(problem, m=7).fields, LABEL))
    assert (document.problem.m, document.problem.value.shape) == (7, (7, 6))
    document.stack.undo()
    assert document.snapshot() == problem
