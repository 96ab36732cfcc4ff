"""Exported numbers: labels of their own columns, the shape of their own field, names that tell their item."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attn_gui.app.files.export_tasks import ExportNaming, number_tasks
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.progress import silent
from attn_gui.formats import load_matrix, open_matrix, save
from attn_gui.views.dialogs.export_choice import DataChoice

WEIGHTS = {f"w_{name}": np.arange(16.0).reshape(4, 4) for name in ("query", "key", "value")}
PROJECTED = Problem(x=np.arange(12.0).reshape(3, 4), num_heads=2, **WEIGHTS, b_query=np.arange(4.0))
BATCHED = Problem(x=np.arange(24.0).reshape(2, 3, 4), num_heads=2, **WEIGHTS)


@pytest.fixture
def exported(tmp_path: Path) -> object:
    """Export a problem from the command line; gives the folder of its files."""

    def export(problem: Problem, *words: object) -> Path:
        save(problem, tmp_path / "a.attn")
        assert main(["export", str(tmp_path / "a.attn"), "-o", str(tmp_path / "out"), *map(str, words)]) == 0
        return tmp_path / "out"

    return export


@pytest.mark.parametrize("ending", ["csv", "tsv", "md", "tex"])
def test_a_head_has_headings_for_its_own_columns(exported, ending):
    folder = exported(PROJECTED, "--stage", "query", "--headers", "--format", ending)
    found = open_matrix(folder / f"a-query-h1.{ending}")
    assert (found.row_labels, found.column_labels) == (("0", "1", "2"), ("2", "3")), "as the tables count them"
    np.testing.assert_array_equal(found.values, compute(PROJECTED)["query"][0][:, 2:])


@pytest.mark.parametrize("field", ["w_query", "b_query"])
def test_a_matrix_of_the_problem_has_headings_when_they_are_asked_for(exported, field):
    folder = exported(PROJECTED, "--stage", field, "--headers", "--format", "csv")
    lines = (folder / f"a-{field}.csv").read_text("utf-8").splitlines()
    assert lines[0] == ",0,1,2,3"
    assert lines[1].startswith("0,0.0,1.0")
    np.testing.assert_array_equal(load_matrix(folder / f"a-{field}.csv"), np.atleast_2d(getattr(PROJECTED, field)))
    exported(PROJECTED, "--stage", field, "--format", "csv")
    assert (folder / f"a-{field}.csv").read_text("utf-8").startswith("0.0,1.0,2.0,3.0\n")


def test_npy_keeps_the_axes_of_a_field(exported):
    folder = exported(PROJECTED, "--stage", "b_query", "w_query", "--format", "npy")
    assert [np.load(folder / f"a-{name}.npy").shape for name in ("b_query", "w_query")] == [(4,), (4, 4)]


def test_an_item_of_a_field_has_a_file_of_its_own(exported):
    for item in (0, 1):
        folder = exported(BATCHED, "--stage", "x", "w_query", "--batch", item, "--format", "csv")
    assert sorted(path.name for path in folder.iterdir()) == ["a-w_query.csv", "a-x-b0.csv", "a-x-b1.csv"]
    np.testing.assert_array_equal(load_matrix(folder / "a-x-b1.csv"), BATCHED.x[1])


def test_the_window_tells_items_apart_as_well(tmp_path):
    choice = DataChoice(("x", "output", "w_query", "weights"), batch=1, format="csv", folder=str(tmp_path), heads=(0,))
    tasks = list(number_tasks(choice, DenseEvaluation(BATCHED), ExportNaming("a")))
    assert [task.path.name for task in tasks] == [
        "a-x-b1.csv",
        "a-output-b1.csv",
        "a-w_query.csv",
        "a-weights-h0-b1.csv",
    ]
    tasks[0].write(DenseEvaluation(BATCHED), silent)
    np.testing.assert_array_equal(load_matrix(tmp_path / "a-x-b1.csv"), BATCHED.x[1])
