"""Tokens of a sequence that attends to itself: given once, shown on both sides, in the window and in its files."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.app.files.export_tasks import ExportNaming, number_tasks
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.pooled_maps import silent
from attn_gui.formats import open_matrix
from attn_gui.views.dialogs.export_choice import DataChoice

WORDS = ("the", "cat", "sat")


@pytest.fixture
def problem():
    random = np.random.default_rng(3)
    weights = {f"w_{name}": random.normal(size=(5, 4)) for name in ("query", "key", "value")}
    return Problem(x=random.normal(size=(3, 5)), **weights, num_heads=2, query_tokens=WORDS)


def test_one_list_of_tokens_names_queries_and_keys_unless_those_have_their_own(launch, problem):
    person = launch()
    person.again("one list", problem)
    person.click_cell("weights", 2, 1)
    assert "sat → cat (2, 1)" in person.status()
    assert "cat" in person.explanation()
    assert list(person.window.product.maps.key_tokens) == list(WORDS)

    keys = ("A", "B", "C")
    person.again("a row of its own names leaves those of the keys", problem.replace(key_tokens=keys))
    person.table("x").verticalHeader().rename(0)
    person.press("Ctrl+A")
    person.type("a")
    person.press("Return")
    problem = person.program.document.problem
    assert (problem.query_tokens, problem.key_tokens) == (("a", "cat", "sat"), keys)


def test_a_file_has_them_on_both_sides(problem, tmp_path):
    evaluation = DenseEvaluation(problem)
    choice = DataChoice(arrays=("weights", "key"), heads=(1,), format="csv", headers=True, folder=str(tmp_path))
    for task in number_tasks(choice, evaluation, ExportNaming("a")):
        task.write(evaluation, silent)
    found = open_matrix(tmp_path / "a-weights-h1.csv")
    assert found.row_labels == found.column_labels == WORDS
    assert open_matrix(tmp_path / "a-key.csv").row_labels == WORDS
