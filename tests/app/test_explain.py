"""The place where the window shows a cell, from its index in the stage, and back."""

from __future__ import annotations

import itertools

import pytest

from attn_gui.app.explain import place_of
from attn_gui.app.state.view_state import ChosenCell, exists
from attn_gui.engine import DenseEvaluation, Evaluation, new_problem
from attn_gui.figure.operands import stage_plane
from tests.failing import each


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    """Two items, six heads, two K/V heads, an output projection: no two axes of one length."""
    problem = new_problem("direct", n=3, m=5, num_heads=6, d_k=2, d_v=7, fill="random")
    key, value = problem.key[..., :4], problem.value[..., :14]
    problem = problem.replace(num_kv_heads=2, key=key, value=value)
    fields = {name: getattr(problem, name)[None].repeat(2, axis=0) for name in ("query", "key", "value")}
    return DenseEvaluation(problem.replace(**fields))


def test_every_cell_is_shown_where_it_is_sought(evaluation):
    for stage in evaluation.stages:
        for index in itertools.product(*map(range, evaluation.shape(stage))):
            for head in (0, 4):
                batch, shown, row, column = place_of(evaluation, stage, index, head)
                plane = stage_plane(evaluation, stage, batch, shown)
                assert plane.index(row, column) == index, (stage, index)
                assert exists(evaluation, ChosenCell(stage, row, column))


def test_the_present_head_stays_where_it_shows_the_cell(evaluation):
    for head in range(6):
        shared = place_of(evaluation, "key", (1, 4, 2 * (head // 3)), head)
        assert shared == (1, head, 4, 0)  # three heads read each head of K
    assert place_of(evaluation, "key", (0, 0, 3), head=0) == (0, 3, 0, 1)
    assert place_of(evaluation, "query", (0, 2, 11), head=1) == (0, 5, 2, 1)


@each(
    "cell",
    [
        ("weights", 3, 0),
        ("weights", 0, 5),
        ("nothing", 0, 0),
        ("masked", 0, 0),
        ("key", 0, 2),
        ("head_output", 0, 7),
    ],
)
def test_cells_that_are_gone(evaluation, cell):
    assert not exists(evaluation, ChosenCell(*cell))
