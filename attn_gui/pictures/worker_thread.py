"""Work beside the window: its thread, and the way of its results back to the thread that asked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from PySide6.QtCore import QObject, QThread, QThreadPool, Signal

from attn_gui.engine.evaluation.threads import lower_priority

T = TypeVar("T")


def outcome_of(work: Callable[[], T]) -> Future[T]:
    """Carry out work; `result()` of its outcome returns what it did or raises what it did."""
    outcome: Future[T] = Future()
    try:
        outcome.set_result(work())
    except Exception as error:  # whatever it is, it is said where the result is asked for
        outcome.set_exception(error)
    return outcome


class Outcomes(QObject):
    """`done` carries a piece of work and its outcome; whatever runs on a pool emits it.

    The work itself is no QObject and no QRunnable: a pool keeps every QRunnable that it was ever given, with all that
    hangs on it, and an object of Qt may not go on another thread than its own. This one has no parent, so that it is
    there as long as work is under way that will emit it.
    """

    done = Signal(object, object)  # the piece of work, its outcome


class WorkerThread(QThreadPool):
    """One thread for pieces of work, one after the other; wherever both could run, the window's comes first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setMaxThreadCount(1)  # the evaluation shares its tiles among threads
        self.setThreadPriority(QThread.Priority.LowPriority)  # which Qt heeds on Windows and macOS, not on Linux

    def begin(self, run: Callable[[], None]) -> None:
        """Run work once what was asked for before is done."""

        def behind_the_window() -> None:
            lower_priority()
            run()

        self.start(behind_the_window)
