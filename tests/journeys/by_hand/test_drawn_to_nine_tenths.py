"""A weight is to be 0.9: drawn there with the mouse, or typed and set by hand; read, kept, undone.

Every step is a key or a click on what says so; the numbers are those of the model's own layer.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QRadioButton

from attn_gui.engine import compute, verify
from attn_gui.formats import load
from attn_gui.views.dialogs.questions import WeightDialog

LEFT = Qt.MouseButton.LeftButton
ROW, COLUMN = 10, 13
HEAD = 3


def choose_from_menus(person, action):
    """Open the menus that lead to an action one out of the other, and click on it."""
    wanted, menus = person.action(action), person.window.findChildren(QMenu)
    menu = next(each for each in menus if wanted in each.actions())
    menu.popup(person.window.mapToGlobal(QPoint(80, 80)))
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(wanted).center())


def test_drawn_the_query_follows_and_typed_by_hand_the_row_no_longer_sums_to_one(launch, qtbot, tmp_path):
    person = launch()
    before = person.program.document.snapshot()
    person.show_stage("weights")
    choose_from_menus(person, "target_tool")
    heatmap = person.find("heatmap.weights")
    viewport, start = heatmap, heatmap.cell_rect(ROW, COLUMN).center()
    value, span = person.value("weights", ROW, COLUMN), float(heatmap.levels.high - heatmap.levels.low)
    pixels = round((0.9 - value) / span * 200)
    QTest.mousePress(viewport, LEFT, pos=start)
    for move in range(1, pixels + 1):
        QTest.mouseMove(viewport, start - QPoint(0, move))
    QTest.mouseRelease(viewport, LEFT, pos=start - QPoint(0, pixels))
    qtbot.waitUntil(lambda: abs(person.value("weights", ROW, COLUMN) - 0.9) < span / 200)
    person.program.late.target_drag.finish()
    QApplication.processEvents()
    after = person.program.document.problem
    assert np.flatnonzero((after.query != before.query).any(axis=1)).tolist() == [ROW]
    assert after.interventions == ()
    assert "drew A[10, 13] from 0.6110 to 0.9" in person.steps()[-1]
    assert float(compute(after)["weights"][0, HEAD, ROW].sum()) == pytest.approx(1, abs=1e-6)
    person.save_as(tmp_path / "drawn.attn")
    assert load(tmp_path / "drawn.attn") == after
    person.press("Ctrl+Z")
    assert person.program.document.problem == before

    person.again("typed by hand the row no longer sums to one and everything says so")
    person.do("language_zh")
    before = person.program.document.snapshot()
    person.show_stage("weights")
    person.click_cell("weights", ROW, COLUMN)
    computed, output = person.value("weights", ROW, COLUMN), person.values("head_output")

    def alone(dialog):
        QTest.mouseClick(dialog.findChild(QRadioButton, "weight.alone"), LEFT)
        dialog.accept()

    def type_in():
        person.press("F2", "Ctrl+A")
        person.type("0.9")
        person.press("Return")

    person.answering(WeightDialog, alone, type_in)
    person.press("Ctrl+H")
    panel = person.find("panel.interventions")
    assert [str(panel.list.model().index(0, 0).data())] == ["头 3 的 A[10, 13] 设为 0.9"]
    person.press("Escape")
    assert "手动修改" in person.status()
    assert f"{computed:.4f}" in person.explanation()
    after = np.array(person.values("head_output"))
    value = np.array([person.value("value", COLUMN, column) for column in range(after.shape[1])])
    expected = np.array(output)
    expected[ROW] += (0.9 - computed) * value  # what a weight moves is its value
    np.testing.assert_allclose(after, expected, atol=1e-6)
    assert verify(person.program.document.problem).ok
    person.press("Ctrl+Z")
    assert person.program.document.problem == before
