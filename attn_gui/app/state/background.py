"""Work that takes a while, off the GUI thread: only the last thing that was asked for is answered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject, Signal

from attn_gui.pictures.threads import Outcomes, SideThread, outcome_of


class _Job:
    """One piece of work."""

    def __init__(self, work: Callable[[], object], outcomes: Outcomes) -> None:
        self._work: Callable[[], object] | None = work
        self._outcomes = outcomes

    def drop(self) -> Callable[[], object] | None:
        """Let go of the work and all that it reads; it is not begun then, if it was not yet."""
        work, self._work = self._work, None
        return work

    def run(self) -> None:
        work = self.drop()
        if work is not None:
            self._outcomes.done.emit(self, outcome_of(work))


class Background(QObject):
    """Runs one piece of work at a time; what is asked for later takes the place of what waits."""

    answered = Signal(object)  # the outcome of the work, a Future that is done

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted: _Job | None = None
        self._outcomes = Outcomes()
        self._outcomes.done.connect(self._on_job_done)
        self._thread = SideThread(self)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._wanted is not None

    def ask(self, work: Callable[[], object]) -> None:
        """Run work, and forget what was asked before."""
        self.forget()
        self._wanted = _Job(work, self._outcomes)
        self._thread.begin(self._wanted.run)

    def forget(self) -> None:
        """Drop the question under way: its answer is not needed."""
        job, self._wanted = self._wanted, None
        if job is not None:
            job.drop()

    def finish(self) -> None:
        """Wait for the work that is under way; for the end of the program."""
        self._thread.waitForDone()

    def _on_job_done(self, job: _Job, outcome: Future[object]) -> None:
        if job is self._wanted:
            self._wanted = None
            self.answered.emit(outcome)
