"""The thread that draws tiles one after another, and how its answers reach the window."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from PySide6.QtCore import QObject, QThread, QThreadPool, Signal

from attn_gui.engine.evaluation.threads import lower_priority

T = TypeVar("T")


def outcome_of(work: Callable[[], T]) -> Future[T]:
    """Return a future with the result of the work, or with what it raised."""
    outcome: Future[T] = Future()
    try:
        outcome.set_result(work())
    except Exception as error:  # whatever it is, it is said where the result is asked for
        outcome.set_exception(error)
    return outcome


class Outcomes(QObject):
    """Emits `done` with a piece of work and its outcome, from a thread of a pool.

    The work itself is no QObject and no QRunnable: a pool keeps every QRunnable that it was given, with all that it
    refers to, and a QObject must not be deleted on another thread. This object has no parent, so that it exists as long
    as any work that will emit it.
    """

    done = Signal(object, object)  # the piece of work, its outcome


class WorkerThread(QThreadPool):
    """One thread that does pieces of work one after another, after the window's wherever both could run."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.setMaxThreadCount(1)  # the evaluation shares its tiles among threads
        self.setThreadPriority(QThread.Priority.LowPriority)  # which Qt heeds on Windows and macOS, not on Linux

    def begin(self, run: Callable[[], None]) -> None:
        """Run work after all that was asked for before."""

        def behind_the_window() -> None:
            lower_priority()
            run()

        self.start(behind_the_window)
