"""Answers of work beside the window, which wait until a person has finished."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from attn_gui.app.state.side_work import AGAIN_MS, SideWork
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.dialogs.progress.making_progress import MakingProgress


def test_an_answer_waits_until_a_dialog_has_returned_its_own(launch, qtbot):
    """One that came while the dialog was closing opened the next dialog within it, and what was answered was done after
    that one."""
    window, order = launch().window, []
    work, dialog = SideWork(window, MakingProgress(window)), QDialog(window)
    work.ended.connect(lambda _found: order.append("work"))
    look = QTimer(dialog, interval=1)

    def close() -> None:
        if work.busy and not work._job.busy:  # it is through, and waits for the dialog
            look.stop()
            dialog.accept()
            QTest.qWait(2 * AGAIN_MS)  # so long that it looks again before the dialog has returned

    look.timeout.connect(close)
    look.start()
    work.start("work", lambda tell: None)
    asked(dialog)
    order.append("dialog")
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["dialog", "work"]
    assert not work.busy
