"""One piece of work beside the window that tells how far it is and can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from PySide6.QtCore import QObject, Signal

from attn_gui.app.state.background import Background
from attn_gui.engine.progress import Tell

STEPS = 100  # so many times the share that is done is told


class Stopped(Exception):
    """The person canceled the work."""


class Job(QObject):
    """Runs what is asked for in another thread; work that is asked for later takes the place of earlier work."""

    told = Signal(float)  # the share that is done
    ended = Signal(object)  # the outcome, a Future that is done; it raises Stopped after `stop`
    _progressed = Signal(object, float)  # the work, by the Event that stops it, and its share

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._stopped = Event()  # of the work under way
        self._background = Background(self)
        self._background.answered.connect(self.ended)
        self._progressed.connect(self._on_self_progressed)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._background.busy

    def begin(self, work: Callable[[Tell], object]) -> None:
        """Run work; what ran before is stopped and forgotten."""
        self.stop()
        stopped = self._stopped = Event()
        told = 0

        def tell(share: float) -> None:
            nonlocal told
            if stopped.is_set():
                raise Stopped
            if int(share * STEPS) > told:
                told = int(share * STEPS)
                self._progressed.emit(stopped, share)

        self._background.ask(lambda: work(tell))

    def _on_self_progressed(self, work: Event, share: float) -> None:
        """Tell the share, unless the work was stopped while this was on its way from the other thread."""
        if work is self._stopped and not work.is_set():
            self.told.emit(share)

    def stop(self) -> None:
        """End the work at its next step."""
        self._stopped.set()

    def forget(self) -> None:
        """Stop, and tell nothing of how it ended."""
        self.stop()
        self._background.forget()

    def complete(self) -> None:
        """Wait until it is through, and tell nothing of how it ended; for the end of the program."""
        self._background.finish()
        self._background.forget()

    def finish(self) -> None:
        """Forget it, and wait until it has stopped; for the end of the program."""
        self.forget()
        self._background.finish()
