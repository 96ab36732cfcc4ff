"""Columns that are fitted to their numbers: those in sight at once, the others while the window answers."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtTest import QTest

from attn_gui import Problem
from attn_gui.views.tables.sized_view import FEW, MEASURED_ROWS

COLUMNS = 100


@pytest.fixture
def person(launch):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, COLUMNS)) * 10.0 ** rng.integers(-8, 9, COLUMNS)
    person = launch(None)
    problem = Problem(query=numbers, key=numbers[:2], value=numbers[:2], num_heads=1)
    person.program.document.open(problem, None, "wide")
    person.wait()
    return person


def act(table, name):
    next(action for action in table.actions() if action.objectName() == f"action.{name}").trigger()


def widths(table):
    return [table.columnWidth(column) for column in range(table.model().columnCount())]


def until(there):
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end
        QTest.qWait(1)


def widest(table, column):
    """The width of the longest text, each measured for itself."""
    model = table.model()
    return max(table.cells.width_of([model.index(row, column).data()]) for row in range(MEASURED_ROWS))


def test_many_columns_are_fitted_a_few_a_turn_from_the_first_in_sight_on(person, monkeypatch):
    table = person.go_to("query", 0, 0)
    usual, blocks, told = widths(table), [], []
    block, keep = table.model().block, person.program.settings.put
    monkeypatch.setattr(table.model(), "block", lambda *place: (blocks.append(place), block(*place))[1])
    monkeypatch.setattr(person.program.settings, "put", lambda *kept: (told.append(kept), keep(*kept))[1])
    table.columnsDrawn.connect(lambda: told.append("drawn"))
    table.selectAll()
    table.horizontalScrollBar().setValue(50)
    act(table, "fit_columns")
    assert blocks == [(slice(0, MEASURED_ROWS), slice(50, 50 + FEW))]
    fitted = widths(table)
    assert fitted[:50] == usual[:50]
    assert fitted[50 : 50 + FEW] != usual[50 : 50 + FEW]
    assert fitted[50 + FEW :] == usual[50 + FEW :]
    assert not told
    until(lambda: told)
    assert len(blocks) == -(-50 // FEW) * 2
    assert len(told) == 2  # one word of it, one write
    assert widths(table) == [widest(table, column) for column in range(COLUMNS)]


@pytest.mark.parametrize("newer", ["usual_columns", "reset", "drawn"])
def test_a_newer_wish_ends_the_fitting(person, newer):
    table = person.go_to("query", 0, 0)
    usual = table.columnWidth(COLUMNS - 1)
    table.selectAll()
    act(table, "fit_columns")
    if newer == "usual_columns":
        act(table, newer)
    elif newer == "reset":
        person.size("d_k", COLUMNS + 1)
        person.wait()
    else:
        table.columns.drawn.emit(0, 200)
    for _ in range(COLUMNS // FEW + 2):
        QTest.qWait(1)
    assert table.columnWidth(COLUMNS - 1) == usual
