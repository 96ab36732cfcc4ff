"""Tokens and columns that a person puts in anywhere, or takes out: tables, maps, masks and names follow in one step."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelectionModel

from attn_gui.engine import Problem


def select(person, field, rows, columns):
    """The rectangle between two cells, by a click and Shift with the arrows."""
    table = person.go_to(field, rows[0], columns[0])
    for key, count in (("Shift+Down", rows[1] - rows[0]), ("Shift+Right", columns[1] - columns[0])):
        person.press(*[key] * count)
    chosen = table.selectionModel()
    assert isinstance(chosen, QItemSelectionModel)
    assert len(chosen.selectedIndexes()) == (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1)


def test_tokens_and_columns_come_and_go_as_one_step(launch):
    person = launch()  # the MiniLM layer: 16 tokens, 12 heads of 32 columns
    before = person.program.document.problem
    select(person, "key", (4, 5), (0, 0))
    person.do("insert_rows")
    problem = person.program.document.problem
    assert (problem.n, problem.m) == (16, 18)
    assert not problem.key[4:6].any()
    assert np.array_equal(problem.key[6], before.key[4])
    assert problem.key_tokens[6:] == before.names_of_keys[4:]
    assert person.steps()[-1] == "inserted K[4 … 5, ·]"
    assert person.find("heatmap.weights").shape == (16, 18)
    person.do("undo")
    assert person.program.document.problem == before

    person.again("rows go with their masks")
    select(person, "query", (2, 3), (1, 1))
    person.do("delete_rows")
    problem = person.program.document.problem
    assert problem.n == 14
    person.do("undo")
    assert person.program.document.problem.n == 16

    person.again("a column goes from every head")
    before = person.program.document.problem
    select(person, "query", (0, 0), (33, 33))  # the second column of head 1
    person.do("delete_columns")
    problem = person.program.document.problem
    assert (problem.d_k, problem.query.shape[1], problem.key.shape[1]) == (31, 12 * 31, 12 * 31)
    kept = [column for column in range(12 * 32) if column % 32 != 1]
    assert np.array_equal(problem.query, before.query[:, kept])
    person.do("undo")
    assert person.program.document.problem == before

    person.again("columns of two heads are refused")
    select(person, "query", (0, 0), (31, 32))
    person.do("delete_columns")
    assert "one head" in person.banner()
    assert person.program.document.problem.d_k == 32

    person.again("all rows cannot go")
    person.go_to("value", 0, 0)
    person.press("Ctrl+A")
    person.do("delete_rows")
    assert person.banner()
    assert person.program.document.problem.m == 16

    arrays = {name: np.arange(12.0).reshape(3, 4) for name in ("query", "key", "value")}
    row = {"kind": "scale", "stage": "concat", "at": {"query": 0, "column": (0, 4)}, "factor": 2}
    block = {"kind": "set", "stage": "scores", "at": {"head": 0, "query": (0, 2), "key": (0, 2)}, "values": np.eye(2)}
    by_hand = Problem(**arrays, num_heads=2, interventions=[row, block])
    person.again("numbers set by hand have no rows that come or go", by_hand)
    person.window.inputs.show_field("interventions.1.values")
    person.go_to("interventions.1.values", 0, 0)
    for action in ("insert_rows", "delete_columns"):
        person.do(action)
        assert "cannot come or go by themselves" in person.banner()
    assert len(person.steps()) == 1

    arrays = {name: np.arange(24.0).reshape(3, 8) for name in ("query", "key", "value")}
    problem = Problem(**arrays, rotary_frequencies=(1, 0.5, 0.25, 0.125))
    person.again("frequencies do not go with columns of queries", problem)
    person.window.inputs.show_field("rotary_frequencies")
    select(person, "rotary_frequencies", (0, 0), (0, 1))
    person.do("delete_columns")
    assert "cannot come or go by themselves" in person.banner()
    assert person.program.document.problem == problem
