"""The thread of a piece of work beside the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QThread, QThreadPool

from attn_gui.engine.evaluation.threads import stand_back


class SideThread(QThreadPool):
    """One thread for pieces of work, one after the other; wherever both could run, the window's comes first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setMaxThreadCount(1)  # the evaluation shares its tiles among threads
        self.setThreadPriority(QThread.Priority.LowPriority)  # which Qt heeds on Windows and macOS, not on Linux

    def begin(self, run: Callable[[], None]) -> None:
        """Run work once what was asked for before is done."""

        def behind_the_window() -> None:
            stand_back()
            run()

        self.start(behind_the_window)
