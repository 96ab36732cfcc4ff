"""Edit the answer: a target for the chosen cell, and the smallest change that reaches it, as one edit."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.translated_errors import sentence
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.document.matrix_model import field_symbol
from attn_gui.document.number_text import shortest
from attn_gui.engine import STAGE, Box
from attn_gui.engine.analysis.shortest_change import BIAS
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.stages import lacking
from attn_gui.figure.operands import stage_plane
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.pictures.planes import number_at
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.inspector.context import cell_name, number
from attn_gui.views.main_window import MainWindow

if TYPE_CHECKING:
    from attn_gui.engine import Solution
    from attn_gui.views.dialogs.target_dialog import TargetDialog

SET_BY = QT_TRANSLATE_NOOP("History", "{cell}: {old} → {new} by {cells}")
REST_MS = 120  # a number is typed to its end before it is solved for


class TargetController(QObject):
    """Opens the dialog for the chosen cell, solves while a person types, applies what was agreed to."""

    def __init__(
        self, window: MainWindow, document: Document, computation: Computation, view: ViewState, making: Making
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._making = making
        self._dialog: TargetDialog | None = None
        self._solution: Solution | None = None
        self._question: tuple[str, tuple[int, ...], float, str, str | None] | None = None
        self._generation = 0  # of the document that it is about
        self._stopped = Event()  # of the question that is being solved
        self._background = BackgroundTask(self)
        self._background.ended.connect(self._on_background_answered)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._solve)
        window.inspector.targetRequested.connect(lambda: self.open())
        view.follow(self._offer, "evaluation", "cell", "blanks")
        self._offer()

    def offered(self) -> bool:
        """Whether the chosen cell can have a target."""
        cell, scored = self._view.look.cell, lacking(self._document.problem, [Role.SCORE]) is None
        return cell is not None and scored and STAGE[cell.stage].settable and not self._view.look.blanks

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"set_target": Command(lambda: self.open(), enabled=self.offered)}

    def _offer(self) -> None:
        self._window.inspector.set_target_offered(self.offered())

    def open(self, target: float | None = None) -> None:
        """Ask for the target of the chosen cell; one that is known already is asked about at once."""
        from attn_gui.views.dialogs.target_dialog import TargetDialog

        look, evaluation = self._view.look, self._computation.evaluation
        if look.cell is None or not self.offered():
            return
        stage, plane = look.cell.stage, stage_plane(evaluation, look.cell.stage, look.batch, look.head)
        index = plane.index(look.cell.row, look.cell.column)
        value, _ = number_at(plane, look.cell.row, look.cell.column)
        ways = (BIAS, "x") if self._document.problem.projected else ("query", "key", BIAS)
        name, odds = cell_name(stage, index), STAGE[stage].square
        self._dialog = dialog = TargetDialog(name, value, ways, odds=odds, parent=self._window)
        dialog.asked.connect(lambda target, by, odds: self._ask(stage, index, target, by, odds))
        dialog.withdrawn.connect(self._withdraw)
        if target is not None:
            dialog.field.setText(shortest(target, self._document.problem.dtype))
        self._generation = self._document.generation
        found = self._solution if asked(dialog) and self._generation == self._document.generation else None
        self._withdraw()
        self._dialog = None
        if found is not None:
            self._apply(found, name, value)

    def finish(self) -> None:
        """Stop what is being solved, and wait for its end; for the end of the program."""
        self._stopped.set()
        self._background.finish()

    # --- solving ---------------------------------------------------------------------------------
    def _ask(self, stage: str, index: tuple[int, ...], target: float, by: str, odds: str | None) -> None:
        self._withdraw()
        self._question = stage, index, target, by, odds
        self._rest.start()

    def _withdraw(self) -> None:
        """Forget the question and what came of it."""
        self._rest.stop()
        self._stopped.set()
        self._background.forget()
        self._solution = self._question = None

    def _solve(self) -> None:
        """Solve of the problem that the question is about; one that has gone meanwhile is not answered."""
        from attn_gui.engine import solve

        if self._question is not None and self._generation == self._document.generation:
            question, problem, stopped = self._question, self._document.problem, Event()
            self._stopped = stopped
            self._background.start(lambda _: solve(problem, *question, cancelled=stopped.is_set))

    def _on_background_answered(self, outcome: Future[Solution]) -> None:
        from attn_gui.views.dialogs.target_dialog import TargetAnswer

        if self._dialog is None:
            return
        try:
            found = self._solution = outcome.result()
        except (ValueError, TypeError) as error:
            self._dialog.set_refusal(sentence(error))
            return
        where = cells_text(found.field, found.box)
        self._dialog.set_answer(TargetAnswer(found.reached, found.feasible, found.norm, where, sentence(found.reason)))

    def _apply(self, solution: Solution, name: str, before: float) -> None:
        said = {"cell": name, "old": number(before), "new": number(solution.reached)}
        label = Label(SET_BY, {**said, "cells": cells_text(solution.field, solution.box)})
        if solution.field in self._document.problem.arrays():
            array = solution.problem.arrays()[solution.field]
            self._making.apply(SetCells(solution.field, solution.box, array[solution.box], label))
        else:  # a bias of its own, which the problem did not have
            self._making.apply(SetFields({"mask": solution.problem.mask}, label))


def cells_text(field: str, box: Box) -> str:
    """`Q[10, 96 … 127]`: the cells of a box, batch and heads left out."""
    places = [str(cut.start) if cut.stop - cut.start == 1 else f"{cut.start} … {cut.stop - 1}" for cut in box[-2:]]
    return f"{field_symbol(field)}[{', '.join(places)}]"
