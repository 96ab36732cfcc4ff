"""Work beside the window: one piece at a time, progress, Esc, stopped; an answer held back while a person is busy.

A piece of work goes through these states. Everything but "runs" is on the GUI thread; nobody hears of work that was
forgotten, and it lets go of all that it reads.

    start ──► waits for the piece before ──► runs ──► ended (what it returned or raised; Stopped after `stop`)
                        │                     │
                        └──── forget ─────────┴──► nothing is heard of it"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import cached_property
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from attn_gui.engine.arrays import Progress
from attn_gui.pictures.worker_thread import Outcomes, WorkerThread, outcome_of
from attn_gui.views.dialogs.dialog_base import WorkLine, asking
from attn_gui.views.main_window import MainWindow
from attn_gui.views.tables.delegate import CellEditor

STEPS = 100  # a share is announced so often at most

LARGE = 4 * 2**20  # bytes; what is smaller is read or made within a frame
AGAIN_MS = 50  # until it is asked again whether the person has finished


class Stopped(Exception):
    """Raised in work that was stopped, when it next says how far it is."""


class _Messages(Outcomes):
    """What work in another thread sends to the GUI thread."""

    progressed = Signal(object, float)  # the work, and its share


class _Work:
    """One piece of work."""

    def __init__(self, work: Callable[[Progress], object], messages: _Messages) -> None:
        self._work: Callable[[Progress], object] | None = work
        self._messages = messages
        self._announced = 0
        self._stopped = Event()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """End it when it next says how far it is."""
        self._stopped.set()

    def drop(self) -> Callable[[Progress], object] | None:
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

    @cached_property
    def _thread(self) -> WorkerThread:
        """The thread, made with the first work: most tasks of a window never have any."""
        return WorkerThread(self)

    @cached_property
    def _messages(self) -> _Messages:
        """What the work sends, heard from the first on."""
        messages = _Messages()
        messages.done.connect(self._on_done)
        messages.progressed.connect(self._on_progressed)
        return messages

    @property
    def busy(self) -> bool:
        """Whether an outcome is still to come."""
        return self._wanted is not None

    def start(self, work: Callable[[Progress], object]) -> None:
        """Run work, which gets a function to say its share with; forget what ran before."""
        self._begin(_Work(work, self._messages))

    def start_asking(self, work: Callable[[Callable[[], bool]], object]) -> None:
        """Run work that has no share to say; it gets a function to ask whether it was stopped or forgotten."""
        asked = _Work(lambda _: work(lambda: asked.stopped), self._messages)
        self._begin(asked)

    def _begin(self, work: _Work) -> None:
        self.forget()
        self._wanted = work
        self._thread.begin(work.run)

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
        if "_thread" in vars(self):
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


class DeferredResult(QObject):
    """Holds an outcome back as long as the person is in the midst of what belongs to the present document."""

    ready = Signal(object)  # the outcome, a Future that is done

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

    def ignore_held_buttons(self) -> None:
        """Wait for no mouse button that is held now: its press has asked for the work. Of a double click that closes a
        dialog no window hears the release, until the mouse moves."""
        self._held = QApplication.mouseButtons()

    def give(self, outcome: Future[Any]) -> None:
        """Announce this outcome: now, or as soon as the person is not engaged."""
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
        self.ready.emit(outcome)


class WindowTask(BackgroundTask):
    """Work during which nothing in the window changes, and that ends in another document or another state of it.

    A line in the status bar says what is done; its button and Esc cancel it.
    """

    canceled = Signal()

    def __init__(self, window: MainWindow, kind: str) -> None:
        """Make what will do work of a kind, a key of WORK."""
        super().__init__(window)
        self._window, self._kind, self._result = window, kind, DeferredResult(self)
        self._result.ready.connect(self._on_result_ready)
        window.escapePressed.connect(self._cancel)

    @cached_property
    def _line(self) -> WorkLine:
        """The line, made with the first work: most tasks of a window never have any."""
        line = WorkLine(self._kind, self._window)
        self._window.statusBar().addPermanentWidget(line)
        self.progressed.connect(line.set_share)
        line.cancelRequested.connect(self._cancel)
        return line

    @property
    def busy(self) -> bool:
        """Whether an outcome is still to come."""
        return super().busy or self._result.waiting

    def start(self, work: Callable[[Progress], object], name: str = "", *, at_once: bool = False) -> None:
        """Run work in place of what was asked for before; `name` is what the line calls it.

        `at_once` shows the line before anybody could wonder: of work that always takes a while.
        """
        super().start(work)
        self._result.ignore_held_buttons()
        self._line.name = name
        self._line.begin(at_once=at_once)

    def forget(self) -> None:
        """Stop the work; nothing is heard of how it ended."""
        if self.busy:
            super().forget()
            self._end()

    def _deliver(self, outcome: Future[object]) -> None:
        self._result.give(outcome)

    def _on_result_ready(self, outcome: Future[object]) -> None:
        self._end()
        self.ended.emit(outcome)

    def _cancel(self) -> None:
        if self.busy:
            self.forget()
            self.canceled.emit()

    def _end(self) -> None:
        self._result.drop()
        self._line.end()


def _is_engaged(held: Qt.MouseButton) -> bool:
    """Return whether the person is in a dialog or menu, holds another mouse button, or types into a cell."""
    buttons = QApplication.mouseButtons() & ~held
    met = QApplication.activeModalWidget() or QApplication.activePopupWidget() or buttons
    return asking() or bool(met) or isinstance(QApplication.focusWidget(), CellEditor)
