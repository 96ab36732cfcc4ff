"""Steps of a model on the table, computed beside the window one after another."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from attn_gui.app.state.translated_errors import saying
from attn_gui.app.state.window_task import WindowTask
from attn_gui.document.document import Change, Document
from attn_gui.document.edits import Label
from attn_gui.engine.progress import Tell
from attn_gui.views.dialogs.progress import MakingProgress, soon_over
from attn_gui.views.main_window import MainWindow


class Work(NamedTuple):
    """Computation of a step, and the way to make it of what came out; False where the document has moved meanwhile."""

    compute: Callable[[Tell], Any]
    take: Callable[[Any], bool]


class Step(NamedTuple):
    """A step that is asked for; `begin` gives, once its turn has come, the work that it takes, None for none."""

    label: Label
    begin: Callable[[], Work | None]
    kind: str = ""  # a later one takes the place of an earlier one of its kind


class ModelSteps(QObject):
    """Queue of the steps of a model: each begins with the document that the one before has left; another document
    drops all."""

    ended = Signal()  # no step is to come any more

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self._window = window
        self._refused = False  # or dropped, one of those that are waited for
        self._asked: list[Step] = []  # the first one is under way
        self._now: Work | None = None
        self._work = WindowTask(window, MakingProgress(window))
        self._work.ended.connect(self._on_work_ended)
        self._work.canceled.connect(self._on_work_canceled)
        document.changed.connect(self._on_document_changed)

    @property
    def busy(self) -> bool:
        """Whether a step is still to come."""
        return bool(self._asked)

    def ask(self, step: Step) -> None:
        """Make this step after those that were asked for before."""
        kinds = [each.kind for each in self._asked]
        place = kinds.index(step.kind) if step.kind and step.kind in kinds else len(kinds)
        self._asked[place : place + 1] = [step]
        if place == 0:
            self._begin()

    def wait(self) -> bool:
        """Whether all steps are made, within a moment; else that is said. A refused one is not made."""
        if not self.busy:
            return True
        self._refused = False
        if soon_over(self.ended, lambda: self.busy):
            return not self._refused
        step = self._asked[0].label
        self._window.banner.show_info(
            lambda: self.tr("“{step}” is still being computed: wait for it, or stop it with Esc.").format(step=step)
        )
        return False

    def forget(self) -> None:
        """Drop all steps."""
        self._asked.clear()
        self._begin()

    def finish(self) -> None:
        """Drop all steps, and wait until the one under way has stopped; for the end of the program."""
        self.forget()
        self._work.finish()

    # --- inside ----------------------------------------------------------------------------------
    def _begin(self) -> None:
        """Begin the first step that there is anything to do for, in the place of the one under way."""
        self._work.forget()
        self._now = None
        while self._asked and self._now is None:
            self._now = self._asked[0].begin()
            if self._now is None:
                del self._asked[0]
            else:
                self._work.start(self._now.compute, str(self._asked[0].label))
        if not self.busy:
            self.ended.emit()

    def _on_work_ended(self, outcome: Future[object]) -> None:
        step, work, self._now = self._asked.pop(0), self._now, None
        assert work is not None, "it has begun"
        try:
            self._take(step.label, work, outcome)
        finally:
            if not self._work.busy:  # else it has led to another one
                self._begin()

    def _take(self, label: Label, work: Work, outcome: Future[object]) -> None:
        try:
            found = outcome.result()
        except (ValueError, MemoryError) as error:
            self._refused = True
            self._window.banner.show_error(saying(error))
            return
        if found is not None and not work.take(found):
            self._refused = True
            self._window.banner.show_info(
                lambda: self.tr("“{step}” was dropped: the problem was changed while it was computed.").format(
                    step=label
                )
            )

    def _on_work_canceled(self) -> None:
        """Go on with the next step."""
        del self._asked[0]
        self._begin()

    def _on_document_changed(self, change: Change) -> None:
        if change.opened:
            self.forget()
