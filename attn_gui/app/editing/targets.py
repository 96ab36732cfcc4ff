"""Targets typed in the dialog or drawn with the mouse on a map: solved while typing, applied, named in the history."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import copied, is_computed
from attn_gui.app.editing.masks import PaintingController
from attn_gui.app.state.background_task import BackgroundTask, DeferredResult
from attn_gui.app.state.translated_errors import saying, sentence
from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.document.matrix_model import field_symbol
from attn_gui.document.typed_numbers import shortest
from attn_gui.engine import STAGE, Box, Problem
from attn_gui.engine.analysis.shortest_change import BIAS
from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.stages import lacking
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.languages import N_
from attn_gui.pictures.planes import number_at
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.inspector.cell_relations import cell_name, number

if TYPE_CHECKING:  # the solvers are imported once something is to be solved
    from attn_gui.engine import Solution
    from attn_gui.engine.analysis.target_solvers import QuickRow
    from attn_gui.views.dialogs.small_dialogs import TargetDialog


SET_BY = N_("History", "{cell}: {old} → {new} by {cells}")
TYPED_MS = 120  # a number is typed to its end before it is solved for

WAY = 200  # pixels that draw a number through the whole range of its colors
PULLED_MS = 120  # of a gesture under way, after which the shortest change is looked for
LEAST_SHARE = 1e-3  # a weight can come as near to 0 and to 1


class TargetController(Controller):
    """Solves for a target of the chosen cell by the smallest change, while a person types it in the dialog, and applies
    what was agreed to as one edit.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._dialog: TargetDialog | None = None
        self._solution: Solution | None = None
        self._question: tuple[str, tuple[int, ...], float, str, str | None] | None = None
        self._generation = 0  # of the document that it is about
        self._background = BackgroundTask(self)
        self._background.ended.connect(self._on_background_answered)
        self._rest = QTimer(self, singleShot=True, interval=TYPED_MS)
        self._rest.timeout.connect(self._solve)
        context.window.inspector.foot.target.clicked.connect(lambda: self.open())
        context.view.follow(self._offer, "evaluation", "cell", "blanks")
        self._offer()

    def offered(self) -> bool:
        """Return whether the chosen cell can have a target."""
        cell, scored = self._view.look.cell, lacking(self._document.problem, [Role.SCORE]) is None
        return cell is not None and scored and STAGE[cell.stage].settable and not self._view.look.blanks

    def commands(self) -> dict[str, Command]:
        return {"set_target": Command(lambda: self.open(), enabled=self.offered)}

    def _offer(self) -> None:
        self._window.inspector.foot.set_target_offered(self.offered())

    def open(self, target: float | None = None) -> None:
        """Ask for the target of the chosen cell; one that is known already is asked about at once."""
        from attn_gui.views.dialogs.small_dialogs import TargetDialog

        look, evaluation = self._view.look, self._computation.evaluation
        if look.cell is None or not self.offered() or not is_computed(self._window, self._computation):
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

    # --- solving ---------------------------------------------------------------------------------
    def _ask(self, stage: str, index: tuple[int, ...], target: float, by: str, odds: str | None) -> None:
        self._withdraw()
        self._question = stage, index, target, by, odds
        self._rest.start()

    def _withdraw(self) -> None:
        """Forget the question and what came of it."""
        self._rest.stop()
        self._background.forget()
        self._solution = self._question = None

    def _solve(self) -> None:
        """Solve the question, unless the problem that it was asked of has changed since."""
        from attn_gui.engine import solve

        if self._question is not None and self._generation == self._document.generation:
            question, problem = self._question, self._document.problem
            self._background.start_asking(lambda stopped: solve(problem, *question, cancelled=stopped))

    def _on_background_answered(self, outcome: Future[Solution]) -> None:
        from attn_gui.views.dialogs.small_dialogs import TargetAnswer

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
            self._runner.apply(SetCells(solution.field, solution.box, array[solution.box], label))
        else:  # a bias of its own, which the problem did not have
            self._runner.apply(SetFields({"mask": solution.problem.mask}, label))


def cells_text(field: str, box: Box) -> str:
    """Return `Q[10, 96 … 127]`: the cells of a box, batch and heads left out."""
    places = [str(cut.start) if cut.stop - cut.start == 1 else f"{cut.start} … {cut.stop - 1}" for cut in box[-2:]]
    return f"{field_symbol(field)}[{', '.join(places)}]"


@dataclass
class TargetDrag:
    """A gesture: the problem as it was, the cell, its number then, the range of its map's colors, and how far it is.

    `bounded`: whether its numbers lie between 0 and 1.
    """

    problem: Problem
    stage: str
    place: tuple[int, ...]
    value: float
    span: float
    bounded: bool
    target: float | None = None  # the newest number that was drawn, until it is solved for
    let_go: bool = False  # whether the button was released; the last answer is still to come
    looked: bool = False  # whether `quick` has been looked for
    quick: QuickRow | None = None  # answers at once, in a long row that allows it
    stepped: bool = False  # whether the last step of the history is its own

    def draw(self, pixels: int, let_go: bool) -> None:
        """Take the number that so many pixels mean for the target."""
        wanted = self.value + pixels * self.span / WAY
        self.target = min(max(wanted, LEAST_SHARE), 1 - LEAST_SHARE) if self.bounded else wanted
        self.let_go = let_go


class TargetDragController(Controller):
    """Solves for the present number of the gesture off the GUI thread; the newest answer takes the place of the one
    before in all maps, and one gesture leaves one step. In long rows a quick answer comes first.

        none ── moved ──▶ drawn ── released ──▶ let go ── its last answer is there ──▶ none
          └─ refused ─┐     └─ Esc ─┐             └─ Esc, the next gesture ──────────▶ none
                      └─────────────┴──▶ given up ── released ──▶ none

    Another change of the document ends it, too."""

    changed = Signal()  # whether the tool is active

    def __init__(self, context: AppContext, painting: PaintingController, shows_now: Callable[[], bool]) -> None:
        super().__init__(context)
        self._painting, self._shows_now = painting, shows_now
        self.active = False
        self._drag: TargetDrag | None = None  # drawn or let_go
        self._given_up = False
        self._rest = QTimer(self, singleShot=True, interval=PULLED_MS)
        self._rest.timeout.connect(self._ask)
        self._background, self._hand_over = BackgroundTask(self), DeferredResult(self)
        self._background.ended.connect(self._on_background_answered)
        self._hand_over.ready.connect(self._take)
        context.window.product.maps.pulled.connect(self._on_maps_pulled)
        context.document.changed.connect(self._on_document_changed)
        painting.changed.connect(lambda: self.set_active(self.active and not painting.painting))

    def commands(self) -> dict[str, Command]:
        return {"target_tool": Command(self.set_active, lambda: self.active)}

    def set_active(self, active: bool) -> None:
        """Activate the tool, or put it away."""
        if active == self.active:
            return
        self.active, self._given_up = active, False  # put away, maps do not tell when a gesture is let go
        self._window.product.maps.set_pulling(active)
        self.changed.emit()
        if active:
            self._painting.set_painting(False)
            self._window.banner.show_info(
                lambda: self.tr(
                    "Press on a number of a map and draw it up or down: the smallest change of its query follows."
                )
            )

    def leave(self) -> bool:
        """Take the gesture back, else put the tool away; False where there is neither."""
        drag, active = self._drag, self.active
        if drag is not None:
            self._given_up = not drag.let_go
            self._end()
            if drag.stepped:
                self._document.stack.undo()
        elif active:
            self.set_active(False)
        return drag is not None or active

    def _on_document_changed(self, *_: object) -> None:
        """End the gesture where the document is changed otherwise: its answers are for the numbers before."""
        self._end()
        if self.active and lacking(self._document.problem, [Role.SCORE]) is not None:
            self.set_active(False)

    # --- the gesture -----------------------------------------------------------------------------
    def _on_maps_pulled(self, stage: str, pixels: int, done: bool) -> None:
        if self._drag is not None and self._drag.let_go:
            self._end()
        if self._given_up:
            self._given_up = not done
            return
        if self._drag is None and pixels and not done and not self._computation.pending:
            self._drag = self._begun(stage)
            self._given_up = self._drag is None
        if self._drag is not None:
            self._drag.draw(pixels, done)
            self._answer(self._drag)

    def _end(self) -> None:
        if self._drag is not None:
            self._drag = None
            self._background.forget()
            self._hand_over.drop()
            self._rest.stop()

    def _begun(self, stage: str) -> TargetDrag | None:
        cell, look = self._view.look.cell, self._view.look
        if cell is None or cell.stage != stage or not self._shows_now():
            return None
        if look.blanks:
            self._window.banner.show_info(
                lambda: self.tr("Cells are left out: end the exercise before you draw numbers.")
            )
            return None
        problem = copied(self._window, self._document)
        if problem is None:
            return None
        plane = stage_plane(self._computation.evaluation, stage, look.batch, look.head)
        value, _ = number_at(plane, cell.row, cell.column)
        levels = self._window.product.maps.map(stage).levels
        span = float(levels.high - levels.low)
        bounded = self._computation.evaluation.node(stage).stage.fractions
        return TargetDrag(problem, stage, plane.index(cell.row, cell.column), value, span, bounded)

    # --- answers ---------------------------------------------------------------------------------
    def _answer(self, drag: TargetDrag) -> None:
        """Show the newest target at once in a long row, and ask for the shortest change at rest."""
        if drag.quick is None:
            self._ask()
        elif drag.target is not None:
            self._background.forget()
            numbers, reached = drag.quick.at(drag.target)
            self._put(drag, "query", drag.quick.box, numbers, reached)
            if drag.let_go:
                self._ask()
            else:
                self._rest.start()

    def _ask(self) -> None:
        """Look for a quick way once, then solve for the newest target; without one each answer is seen."""
        from attn_gui.engine import solve
        from attn_gui.engine.analysis.target_solvers import quick_row

        drag = self._drag
        if self._background.busy or self._hand_over.waiting or drag is None:
            return
        target = drag.target
        if target is None:
            if drag.let_go:
                self._end()
        elif not drag.looked:
            drag.looked = True
            self._background.start(lambda _: quick_row(drag.problem, drag.stage, drag.place))
        else:
            drag.target = None
            by = "x" if drag.problem.projected else "query"
            self._background.start(lambda _: solve(drag.problem, drag.stage, drag.place, target, by))

    def _on_background_answered(self, outcome: Future[QuickRow | Solution | None]) -> None:
        """Show what comes under the mouse at once; what comes later finds the person busy with something else."""
        if self._drag is not None and self._drag.let_go:
            self._hand_over.give(outcome)
        else:
            self._take(outcome)

    def _take(self, outcome: Future[QuickRow | Solution | None]) -> None:
        from attn_gui.engine.analysis.target_solvers import QuickRow

        drag = self._drag
        assert drag is not None, "what is solved for ends with the gesture"
        try:
            found = outcome.result()
        except (ValueError, TypeError) as error:
            self._window.banner.show_error(saying(error))
            found = None
        if isinstance(found, QuickRow):
            drag.quick = found
            self._answer(drag)
            return
        if found is not None:
            self._put(drag, found.field, found.box, found.problem.arrays()[found.field][found.box], found.reached)
        self._ask()

    def _put(self, drag: TargetDrag, field: str, box: Box, numbers: Array, reached: float) -> None:
        """Let the step before give way to this one."""
        label = Label(
            N_("History", "drew {cell} from {old} to {new}"),
            {"cell": cell_name(drag.stage, drag.place), "old": number(drag.value), "new": number(reached)},
        )
        self._drag = None  # its own step is no other change of the document
        try:
            drag.stepped = self._runner.apply(SetCells(field, box, numbers, label), instead=drag.stepped)
        finally:
            self._drag = drag
