"""Answers of work beside the window, which wait until a person has finished."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from attn_gui.app.state.background_task import AGAIN_MS, WindowTask
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.dialogs.progress import WorkLine


def test_an_answer_waits_until_a_dialog_has_returned_its_own_and_a_button_is_let_go(launch, qtbot):
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

    # and for a button that is held, unless its press has asked for it: the second press of a double click in a dialog
    # closes it, and its release comes to no window
    answers = []
    work = WindowTask(window, WorkLine("making", window))
    work.ended.connect(answers.append)
    QTest.mousePress(window, Qt.MouseButton.LeftButton)
    work.start(lambda tell: None, "work")
    qtbot.waitUntil(lambda: bool(answers))
    assert QApplication.mouseButtons()
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    answers.clear()
    work.start(lambda tell: None, "work")
    QTest.mousePress(window, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: work._result.waiting)
    QTest.qWait(2 * AGAIN_MS)
    assert not answers
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(answers))
