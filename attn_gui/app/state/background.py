"""Work that takes a while, off the GUI thread: only the last thing that was asked for is answered."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal


class _Job(QObject, QRunnable):
    """One piece of work; `done` carries the job itself and what came out, an exception included."""

    done = Signal(object, object)

    def __init__(self, work: Callable[[], object]) -> None:
        QObject.__init__(self)
        QRunnable.__init__(self)
        self.setAutoDelete(False)
        self._work: Callable[[], object] | None = work

    def drop(self) -> Callable[[], object] | None:
        """Let go of the work and all that it reads: a pool keeps its last job until it is given another one."""
        work, self._work = self._work, None
        return work

    def run(self) -> None:
        found: object
        work = self.drop()
        assert work is not None
        try:
            found = work()
        except Exception as error:  # whatever it is, it is said on the GUI thread
            found = error
        self.done.emit(self, found)


class Background(QObject):
    """Runs one piece of work at a time; what is asked for later takes the place of what waits."""

    answered = Signal(object)  # what the work returned, or the exception that it raised

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted: _Job | None = None
        self._started: set[_Job] = set()  # kept until their threads are through
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._wanted is not None

    def ask(self, work: Callable[[], object]) -> None:
        """Do this, and forget what was asked before."""
        self.forget()
        job = self._wanted = _Job(work)
        job.done.connect(self._on_job_done)
        self._started.add(job)
        self._pool.start(job)

    def forget(self) -> None:
        """Drop the question under way: its answer is not needed."""
        job, self._wanted = self._wanted, None
        if job is not None and self._pool.tryTake(job):
            self._started.discard(job)
            job.drop()

    def finish(self) -> None:
        """Wait for the work that is under way; for the end of the program."""
        self._pool.waitForDone()

    def _on_job_done(self, job: _Job, found: object) -> None:
        self._started.discard(job)
        if job is self._wanted:
            self._wanted = None
            self.answered.emit(found)
