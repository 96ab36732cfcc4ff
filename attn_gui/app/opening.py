"""Reads a large file beside the window: until it is read, nothing in the window is any different."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.job import Job
from attn_gui.formats import open_file, size_of
from attn_gui.views.dialogs.opening_progress import OpeningProgress
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables.editor import CellEditor

LARGE = 4 * 2**20  # bytes, unpacked; what is smaller is read within a frame
AGAIN_MS = 50  # after which it is looked whether the person has finished


class Opening(QObject):
    """One file at a time: what is asked for later takes its place, Esc and the button in the status bar drop it."""

    ended = Signal(object)  # what was read, as Loaded, or why nothing was, as an exception; nothing once it is dropped

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._found: object = None
        self._job, self._line = Job(self), OpeningProgress(window)
        window.statusBar().addPermanentWidget(self._line)
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self._hand_over)
        self._job.told.connect(self._line.set_share)
        self._job.ended.connect(self._on_job_ended)
        self._line.cancelRequested.connect(self.forget)
        window.installEventFilter(self)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._job.busy or self._again.isActive()

    def is_for(self, path: Path) -> bool:
        """Whether reading it would hold up the window."""
        return size_of(path) >= LARGE

    def begin(self, path: Path) -> None:
        """Read this one."""
        self.forget()
        self._line.set_name(path.name)
        self._line.begin()
        self._job.begin(lambda tell: open_file(path, tell))

    def forget(self) -> None:
        """Nobody wants it any more."""
        self._job.forget()
        self._end()

    def finish(self) -> None:
        """Forget it, and wait until it has stopped; for the end of the program."""
        self.forget()
        self._job.finish()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc, where nobody else has a use for it."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key()
        if pressed == Qt.Key.Key_Escape and self.busy:
            self.forget()
            return True
        return super().eventFilter(watched, event)

    def _on_job_ended(self, found: object) -> None:
        self._found = found
        self._hand_over()

    def _hand_over(self) -> None:
        """Once nothing is under way that belongs to the present document."""
        if _is_engaged():
            self._again.start()
            return
        found = self._found
        self._end()
        self.ended.emit(found)

    def _end(self) -> None:
        self._again.stop()
        self._line.end()
        self._found = None


def _is_engaged() -> bool:
    """Whether the person is in a dialog or a menu, holds a mouse button, or types into a cell."""
    met = QApplication.activeModalWidget() or QApplication.activePopupWidget() or QApplication.mouseButtons()
    return bool(met) or isinstance(QApplication.focusWidget(), CellEditor)
