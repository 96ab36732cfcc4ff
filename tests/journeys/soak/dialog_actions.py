"""Answers to whatever dialogs a move opens: a few things are done in each, then it is left by any way."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QSpinBox,
    QWidget,
)

from attn_gui.views.dialogs.action_search import ActionSearch

MANY = 6  # things that are done in a dialog before it is left


class DialogActions:
    """Stands by while moves are made: a dialog of its own event loop would wait for ever."""

    def __init__(self, person: Any, rnd: Random, folder: Path) -> None:
        self._rnd, self._folder = rnd, folder
        self._window = person.window

    def during(self, move: Callable[[], str]) -> str:
        """What `move` tells; whatever dialogs it opens are answered and left, questions with no."""
        clock, done = QTimer(self._window, interval=5), [0]

        def look() -> None:
            clock.start()  # anew: an answer may open a question, and a timer that is in its slot does not fire
            popup = QApplication.activePopupWidget()
            lists = filter(QWidget.isVisible, self._window.findChildren(ActionSearch))
            modal = QApplication.activeModalWidget() or next(lists, None)
            if popup is not None:
                popup.close()
            elif isinstance(modal, QDialog):
                done[0] += 1
                self._leave(modal) if done[0] > MANY else self._answer(modal)

        clock.timeout.connect(look)
        clock.start()
        try:
            told = move()
            if self._window.isVisible():
                self._window.activateWindow()
                QTest.qWaitForWindowActive(self._window)  # what was read meanwhile may ask something then
        finally:
            clock.stop()
            clock.deleteLater()
        return told

    def _answer(self, dialog: QDialog) -> None:
        if isinstance(dialog, (QMessageBox, QFileDialog)):
            self._leave(dialog)
            return
        kinds = (QAbstractButton, QComboBox, QLineEdit, QSpinBox)
        parts = [
            part
            for part in dialog.findChildren(QWidget)
            if isinstance(part, kinds) and part.isVisible() and part.isEnabled()
        ]
        if parts:
            self._touch(self._rnd.choice(parts))

    def _touch(self, part: QWidget) -> None:
        if isinstance(part, QAbstractButton):
            if "…" not in part.text() and not part.objectName().startswith("qt_"):
                part.click()
        elif isinstance(part, QComboBox):
            part.setFocus()
            QTest.keyClick(part, self._rnd.choice((Qt.Key.Key_Down, Qt.Key.Key_Up)))
        elif isinstance(part, (QLineEdit, QSpinBox)):
            part.setFocus()
            QTest.keyClicks(part, self._rnd.choice(("3", "7,5", "x", "0.5", "the cat")))

    def _leave(self, dialog: QDialog) -> None:
        if isinstance(dialog, QMessageBox):
            standard = QMessageBox.StandardButton
            found = [dialog.button(key) for key in (standard.Cancel, standard.No, standard.Ok) if dialog.button(key)]
            found[0].click()
        elif isinstance(dialog, QFileDialog):
            line = dialog.findChild(QLineEdit, "fileNameEdit")
            line.setCompleter(None)
            line.setText(str(self._folder / "kept.attn"))
            dialog.reject() if self._rnd.random() < 0.5 else dialog.accept()
        else:
            dialog.reject()
