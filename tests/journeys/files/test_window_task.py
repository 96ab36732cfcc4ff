"""Answers of work beside the window, which wait until a person has finished."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from attn_gui.app.state.background_task import AGAIN_MS, WindowTask
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.dialogs.progress import WorkLine


def test_an_answer_waits_until_a_dialog_has_returned_its_own(launch, qtbot):
    """One that came while the dialog was closing opened the next dialog within it, and what was answered was done after
    that one."""
    window, order = launch().window, []
    work, dialog = WindowTask(window, WorkLine("making", window)), QDialog(window)
    work.ended.connect(lambda _found: order.append("work"))
    look = QTimer(dialog, interval=1)

    def close() -> None:
        if work._result.waiting:  # it is through, and waits for the dialog
            look.stop()
            dialog.accept()
            QTest.qWait(2 * AGAIN_MS)  # so long that it looks again before the dialog has returned

    look.timeout.connect(close)
    look.start()
    work.start(lambda tell: None, "work")
    asked(dialog)
    order.append("dialog")
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["dialog", "work"]
    assert not work.busy


@pytest.mark.parametrize("held", ["before", "meanwhile"])
def test_an_answer_waits_for_a_button_that_is_held_unless_its_press_has_asked_for_it(launch, qtbot, held):
    """The second press of a double click in a dialog closes it; its release comes to no window."""
    window, answers = launch().window, []
    work = WindowTask(window, WorkLine("making", window))
    work.ended.connect(answers.append)
    if held == "before":
        QTest.mousePress(window, Qt.MouseButton.LeftButton)
    work.start(lambda tell: None, "work")
    if held == "before":
        qtbot.waitUntil(lambda: bool(answers))
        assert QApplication.mouseButtons()
        QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
        return
    QTest.mousePress(window, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: work._result.waiting)
    QTest.qWait(2 * AGAIN_MS)
    assert not answers
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(answers))
