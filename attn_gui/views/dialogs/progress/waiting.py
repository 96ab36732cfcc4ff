"""Waiting for work beside the window, with a box that can be left."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer, SignalInstance
from PySide6.QtWidgets import QMessageBox, QWidget

from attn_gui.views.dialogs.asking import asked, message_box
from attn_gui.views.dialogs.progress.work_line import PATIENCE_MS


def soon_over(ended: SignalInstance, busy: Callable[[], bool]) -> bool:
    """Wait for a moment without a word; whether the work is over."""
    soon = QEventLoop()
    ended.connect(soon.quit)
    QTimer.singleShot(PATIENCE_MS, soon, soon.quit)
    soon.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    return not busy()


def wait_for(
    ended: SignalInstance, busy: Callable[[], bool], window: QWidget, words: Callable[[], str], stop: str = ""
) -> bool:
    """Let the person wait until `ended`: at first without a word, then in a box that goes by itself.

    The box is left to go on working, or by `stop`, the words of a button that calls the work off; whether it was.
    """
    if soon_over(ended, busy):
        return False
    roles = QMessageBox.ButtonRole
    box = message_box(window, words())
    stopping = box.addButton(stop, roles.DestructiveRole) if stop else None
    staying = box.addButton(QCoreApplication.translate("SessionSaving", "Go on working"), roles.RejectRole)
    box.setDefaultButton(staying)
    ended.connect(box.accept)
    asked(box)
    return stopping is not None and box.clickedButton() is stopping
