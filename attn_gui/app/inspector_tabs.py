"""When the largest gradients of a cell are taken, and when Verify runs, stops and is out of date."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import copied
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import saying, sentence
from attn_gui.engine import Evaluation, sensitivity
from attn_gui.engine.analysis.sensitivity import is_quickly_differentiated, strongest
from attn_gui.engine.errors import FieldError
from attn_gui.engine.fields import DIRECT
from attn_gui.views.inspector.cell_relations import cell_name
from attn_gui.views.inspector.inspector_tabs import CellGradient, CheckedInvariant, CheckedStage, Findings

if TYPE_CHECKING:
    from attn_gui.engine import Report

LISTED = 12  # so many gradients are named
PATIENCE_MS = 150  # so long the gradients of the numbers before may stand


Strongest = list[tuple[str, tuple[int, ...], float]]


class SensitivityController(Controller):
    """Takes the gradients of the chosen cell, while its page is on show: large ones on another thread, an answer for
    other numbers or another cell is dropped."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._inspector, self._page = context.window.inspector, context.window.inspector.sensitivity
        self._name = ""  # of the cell that was asked about
        self._background = BackgroundTask(self)
        self._background.ended.connect(self._on_background_answered)
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self.show_gradients)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(lambda: self._page.set_nothing("working"))
        context.window.inspector.pageTurned.connect(self.show_gradients)
        context.computation.updated.connect(self._on_changed)
        context.view.follow(self._on_changed, "evaluation", "cell", "head", "batch", "blanks")

    def commands(self) -> dict[str, Command]:
        return {"gradients": Command(lambda: self._inspector.turn_to(self._page))}

    def show_gradients(self) -> None:
        """Bring the page up to date if it is on show."""
        look, evaluation = self._view.look, self._computation.evaluation
        self._forget()
        if not self._page.isVisible():
            return
        if look.cell is None or look.blanks:
            self._page.set_nothing("exercise" if look.blanks else "cell")
            return
        stage, index = look.cell.stage, self._view.index_of(look.cell)
        self._name = cell_name(stage, index)
        if is_quickly_differentiated(evaluation.problem):
            try:
                self._show(_strongest(evaluation, stage, index))
            except FieldError as why:
                self._refuse(why)
        else:
            self._patience.start()
            self._background.start(lambda _: _strongest(evaluation, stage, index))

    def _forget(self) -> None:
        """Drop the question under way, and the patience with it."""
        self._background.forget()
        self._patience.stop()

    def _on_changed(self, *_: object) -> None:
        self._forget()
        self._soon.start()

    def _on_background_answered(self, outcome: Future[Strongest]) -> None:
        self._patience.stop()
        try:
            found = outcome.result()
        except FieldError as why:
            self._refuse(why)
        else:
            self._show(found)

    def _refuse(self, why: FieldError) -> None:
        self._page.set_refusal(saying(why))

    def _show(self, found: Strongest) -> None:
        gradients = [CellGradient(field, self._place(field, at), value) for field, at, value in found]
        self._page.set_gradients(self._name, gradients)

    def _place(self, field: str, index: tuple[int, ...]) -> tuple[int, ...]:
        """Return the index in a stage of the same name, which has a batch axis where Q, K and V may have none."""
        return (self._view.look.batch, *index) if field in DIRECT and len(index) == 2 else index


def _strongest(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> Strongest:
    return strongest(sensitivity(evaluation, stage, index), LISTED)


class VerifyController(Controller):
    """Computes everything a second time on request, and stops once the answer is no longer needed."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._page = context.window.inspector.verify
        self._found: Report | None = None
        self._background = BackgroundTask(self)
        self._background.ended.connect(self._on_background_answered)
        self._page.verifyRequested.connect(self.verify_now)
        self._page.stopRequested.connect(self.stop)
        context.document.changed.connect(self._on_document_changed)

    def commands(self) -> dict[str, Command]:
        return {"verify": Command(self.verify_now)}

    def verify_now(self) -> None:
        """Turn to the page and begin."""
        from attn_gui.engine import verify

        self._give_up()
        self._window.inspector.turn_to(self._page)
        problem = copied(self._window, self._document)
        if problem is None:
            return
        self._page.set_working()
        self._background.start_asking(lambda stopped: verify(problem, cancelled=stopped))

    def stop(self) -> None:
        """Ask no more; an answer that comes in spite of it is dropped."""
        self._give_up()
        self._page.set_stopped()

    def retranslate(self) -> None:
        """Show the findings in the present language."""
        if self._found is not None:
            self._page.set_findings(_findings(self._found))

    def _give_up(self) -> None:
        self._background.forget()
        self._found = None

    def _on_document_changed(self, *_: object) -> None:
        """Withdraw the findings, or the question under way."""
        if self._found is not None or self._background.busy:
            self._give_up()
            self._page.set_outdated()

    def _on_background_answered(self, outcome: Future[Report]) -> None:
        if outcome.exception() is not None:
            self._page.set_outdated()
        self._found = outcome.result()
        self.retranslate()


def _findings(found: Report) -> Findings:
    stages = [CheckedStage(check.stage, check.difference, check.index, check.within) for check in found.stages]
    held = [CheckedInvariant(sentence(invariant.note), invariant.holds) for invariant in found.invariants]
    unjudged = "" if found.unjudged is None else sentence(found.unjudged)
    return Findings(stages, held, sentence(found.reason), found.rows, found.all_rows, unjudged)
