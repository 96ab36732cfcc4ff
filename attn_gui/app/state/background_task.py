"""Work beside the window: off the GUI thread, one piece at a time; it can be stopped and says how far it is.

A piece of work goes through these states. Everything but "runs" is on the GUI thread; nobody hears of work that was
forgotten, and it lets go of all that it reads.

    start ──► waits for the piece before ──► runs ──► ended (what it returned or raised; Stopped after `stop`)
                        │                     │
                        └──── forget ─────────┴──► nothing is heard of it
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Event

from PySide6.QtCore import QObject, Signal

from attn_gui.engine.progress import Tell
from attn_gui.pictures.threads import Outcomes, SideThread, outcome_of

STEPS = 100  # as often at most is the share announced


class Stopped(Exception):
    """Raised in work that was stopped, when it next says how far it is."""


class _Messages(Outcomes):
    """What work in another thread sends to the GUI thread."""

    progressed = Signal(object, float)  # the work, and its share


class _Work:
    """One piece of work."""

    def __init__(self, work: Callable[[Tell], object], messages: _Messages) -> None:
        self._work: Callable[[Tell], object] | None = work
        self._messages = messages
        self._announced = 0
        self._stopped = Event()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """End it when it next says how far it is."""
        self._stopped.set()

    def drop(self) -> Callable[[Tell], object] | None:
        """Let go of the work and all that it reads; it does not begin if it has not yet."""
        work, self._work = self._work, None
        return work

    def run(self) -> None:
        """Carry it out, in the other thread."""
        work = self.drop()
        if work is not None:
            self._messages.done.emit(self, outcome_of(lambda: work(self._progress)))

    def _progress(self, share: float) -> None:
        if self.stopped:
            raise Stopped
        if int(share * STEPS) > self._announced:
            self._announced = int(share * STEPS)
            self._messages.progressed.emit(self, share)


class BackgroundTask(QObject):
    """Runs one piece of work at a time; what is asked for later takes the place of what runs or waits."""

    progressed = Signal(float)  # the share that is done
    ended = Signal(object)  # the outcome, a Future that is done; it raises Stopped after `stop`

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted: _Work | None = None
        self._messages = _Messages()
        self._messages.done.connect(self._on_done)
        self._messages.progressed.connect(self._on_progressed)
        self._thread = SideThread(self)

    @property
    def busy(self) -> bool:
        """Whether an outcome is still to come."""
        return self._wanted is not None

    def start(self, work: Callable[[Tell], object]) -> None:
        """Run work, which gets a function to say its share with; forget what ran before."""
        self.forget()
        self._wanted = _Work(work, self._messages)
        self._thread.begin(self._wanted.run)

    def stop(self) -> None:
        """End the work when it next says how far it is; its outcome is Stopped."""
        if self._wanted is not None:
            self._wanted.stop()

    def forget(self) -> None:
        """Stop the work; nothing is heard of how it ended."""
        work, self._wanted = self._wanted, None
        if work is not None:
            work.stop()
            work.drop()

    def wait(self) -> None:
        """Wait until the work is through; for the end of the program."""
        self._thread.waitForDone()

    def finish(self) -> None:
        """Forget the work, and wait until it has stopped; for the end of the program."""
        self.forget()
        self.wait()

    def _on_done(self, work: _Work, outcome: Future[object]) -> None:
        if work is self._wanted:
            self._wanted = None
            self._deliver(outcome)

    def _deliver(self, outcome: Future[object]) -> None:
        self.ended.emit(outcome)

    def _on_progressed(self, work: _Work, share: float) -> None:
        if work is self._wanted and not work.stopped:
            self.progressed.emit(share)
