"""A table comes to rest at every size, also where a scroll bar decides whether all rows fit."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.views.tables.matrix_panel import MatrixPanel
from attn_gui.views.tables.table_parts import WholeRows

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
