"""One piece of work beside the window that ends in another document or another state of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.state.job import Job
from attn_gui.engine.progress import Tell
from attn_gui.views.dialogs.asking import asking
from attn_gui.views.dialogs.progress.work_line import WorkLine
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables.editor import CellEditor

LARGE = 4 * 2**20  # bytes; what is smaller is read or made within a frame
AGAIN_MS = 50  # after which it is looked whether the person has finished


class HandOver(QObject):
    """Holds an outcome back as long as the person is in the midst of what belongs to the present document."""

    handed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._outcome: Future[Any] | None = None
        self._held = Qt.MouseButton.NoButton  # since the work began
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self._try)

    @property
    def waiting(self) -> bool:
        """Whether an outcome is held back."""
        return self._again.isActive()

    def begin(self) -> None:
        """Wait for no mouse button that is held now: its press has asked for the work. Of a double click that closes a
        dialog no window hears the release, until the mouse moves."""
        self._held = QApplication.mouseButtons()

    def give(self, outcome: Future[Any]) -> None:
        """Hand this over, now or later."""
        self._outcome = outcome
        self._try()

    def drop(self) -> None:
        """Forget what is held back."""
        self._again.stop()
        self._outcome = None

    def _try(self) -> None:
        self._held &= QApplication.mouseButtons()
        if _is_engaged(self._held):
            self._again.start()
            return
        outcome = self._outcome
        self.drop()
        self.handed.emit(outcome)


class SideWork(QObject):
    """Work during which nothing in the window changes; Esc and the button in the status bar drop it."""

    ended = Signal(object)  # the outcome, a Future that is done; nothing once it is dropped
    canceled = Signal()  # by Esc or the button

    def __init__(self, window: MainWindow, line: WorkLine) -> None:
        super().__init__(window)
        self._job, self._hand_over, self._line = Job(self), HandOver(self), line
        window.statusBar().addPermanentWidget(line)
        self._job.told.connect(line.set_share)
        self._job.ended.connect(self._hand_over.give)
        self._hand_over.handed.connect(self._on_handed_over)
        line.cancelRequested.connect(self._cancel)
        self._window = window

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._job.busy or self._hand_over.waiting

    def start(self, name: str, work: Callable[[Tell], object], *, at_once: bool = False) -> None:
        """Run work in place of what was asked for before; `name` is what the line calls it.

        `at_once` shows the line before anybody could wonder: of work that always takes a while.
        """
        self.forget()
        self._hand_over.begin()
        self._line.set_name(name)
        self._line.begin(at_once=at_once)
        self._window.installEventFilter(self)  # no longer than it runs: that costs a call for each event
        self._job.begin(work)

    def forget(self) -> None:
        """Drop it."""
        self._job.forget()
        self._end()

    def finish(self) -> None:
        """Drop it, and wait until it has stopped; for the end of the program."""
        self.forget()
        self._job.finish()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Cancel on Esc, where no other widget uses it."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key()
        if pressed == Qt.Key.Key_Escape and self.busy:
            self._cancel()
            return True
        return super().eventFilter(watched, event)

    def _cancel(self) -> None:
        self.forget()
        self.canceled.emit()

    def _on_handed_over(self, outcome: Future[Any]) -> None:
        self._end()
        self.ended.emit(outcome)

    def _end(self) -> None:
        self._window.removeEventFilter(self)
        self._hand_over.drop()
        self._line.end()


def _is_engaged(held: Qt.MouseButton) -> bool:
    """Whether the person is in a dialog or a menu, holds another mouse button than those, or types into a cell."""
    buttons = QApplication.mouseButtons() & ~held
    met = QApplication.activeModalWidget() or QApplication.activePopupWidget() or buttons
    return asking() or bool(met) or isinstance(QApplication.focusWidget(), CellEditor)
