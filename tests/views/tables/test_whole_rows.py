"""A table comes to rest at every size, also where a scroll bar decides whether all rows fit."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QApplication

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.views.tables.panel import MatrixPanel
from attn_gui.views.tables.parts import WholeRows


def test_scroll_bars_that_need_one_another_come_to_rest(qtbot, monkeypatch):
    count, fit = [0], WholeRows.fit

    def counted(self: WholeRows) -> None:
        count[0] += 1
        assert count[0] < 200, "the table never comes to rest"
        fit(self)

    monkeypatch.setattr(WholeRows, "fit", counted)
    panel, model, cells = MatrixPanel("query"), MatrixModel(), np.ones((3, 5))
    qtbot.addWidget(panel)
    model.set_matrix(lambda: cells)
    panel.set_model(model)
    panel.show()
    for width in range(280, 340, 4):
        for height in range(90, 170, 4):
            count[0] = 0
            panel.resize(width, height)
            QApplication.processEvents()
