"""A table comes to rest at every size, also where a scroll bar decides whether all rows fit."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.views.tables.matrix_panel import MatrixPanel, WholeRows
from tests.failing import each

LEFT = Qt.MouseButton.LeftButton
MANY = 60  # so often no table is laid out for one change of its size


@pytest.fixture
def count(monkeypatch):
    """How often the table was cut to whole rows; one that never comes to rest is stopped."""
    found, fit = [0], WholeRows.fit

    def counted(self: WholeRows) -> None:
        found[0] += 1
        assert found[0] < MANY, "the table never comes to rest"
        fit(self)

    monkeypatch.setattr(WholeRows, "fit", counted)
    return found


def shown(qtbot, *shape: int) -> MatrixPanel:
    panel, model, cells = MatrixPanel("query"), MatrixModel(), np.ones(shape)
    qtbot.addWidget(panel)
    model.set_matrix(lambda: cells)
    panel.set_model(model)
    panel.show()
    return panel


def settle() -> None:
    for _ in range(40):
        QApplication.processEvents()


def test_scroll_bars_that_need_one_another_come_to_rest(qtbot, count):
    panel = shown(qtbot, 3, 5)
    for width in range(280, 340, 4):
        for height in range(90, 170, 4):
            count[0] = 0
            panel.resize(width, height)
            settle()


def test_scroll_bars_that_were_needed_before_come_to_rest(qtbot, count):
    """While a number is typed Qt lays out at once what it else does later, and would never return."""
    panel = shown(qtbot, 5, 4)
    for width in range(250, 340, 2):
        panel.resize(314, 90)
        settle()
        count[0] = 0
        panel.resize(width, 150)
        settle()


@each("drawn", [{2: 13}, {0: 20, 3: 25}, {1: 200}, {0: 14, 1: 150}, {0: 16, 1: 16, 2: 16, 3: 16}])
def test_columns_that_a_person_drew_come_to_rest(qtbot, count, drawn):
    """A narrow one made room for another column, which took the room away: the window stood still for good."""
    panel = shown(qtbot, 8, 4)
    for width in range(200, 360, 5):
        count[0] = 0
        panel.resize(width, 190)
        panel.view.draw_columns(4, {})
        settle()
        count[0] = 0
        panel.view.draw_columns(4, drawn)
        settle()
        shares = {column: panel.view.columnWidth(column) for column in range(4)}
        assert {column: shares[column] for column in drawn} == drawn
        count[0] = 0
        panel.resize(width + 2, 140)
        settle()


def test_a_column_drawn_with_the_mouse_leaves_the_others_as_they_are(qtbot, count):
    panel = shown(qtbot, 8, 4)
    panel.resize(314, 190)
    settle()
    before = [panel.view.columnWidth(column) for column in range(4)]
    header, edge = panel.view.columns, panel.view.columnViewportPosition(2) + before[2] - 1
    middle = header.height() // 2
    for place, act in ((edge, QTest.mousePress), (edge - 20, QTest.mouseMove), (edge - 30, QTest.mouseMove)):
        at = QPoint(place, middle)
        if act is QTest.mousePress:
            act(header.viewport(), LEFT, pos=at)
        else:
            act(header.viewport(), at)
    QTest.mouseRelease(header.viewport(), LEFT, pos=QPoint(edge - 30, middle))
    settle()
    after = [panel.view.columnWidth(column) for column in range(4)]
    assert after == [*before[:2], before[2] - 30, before[3]]
