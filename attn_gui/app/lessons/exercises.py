"""Exercises in maps: cells covered with “?”, answers judged, verdicts in words, their end."""

from __future__ import annotations

import math
from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.explain import place_of
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import translating
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.typed_numbers import NumberError, parse_number
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Problem
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.languages import N_
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.inspector.cell_relations import cell_name
from attn_gui.views.lesson_panel import ExercisePanel
from attn_gui.views.map.marks import Area
from attn_gui.views.zones import handing_on, put_on_top

if TYPE_CHECKING:
    from attn_gui.engine.grading import Verdict

MOST_CELLS = 200_000  # of the maps that a blank can be drawn from
WORDS = "exercise blank quiz hide grade 练习题 题目 小测验 留空 遮住 批改"

ROWS = (
    Row("leave_out", "learn", N_("Actions", "Leave out the &chosen cell"), words=WORDS, separator=True,
        needs=N_(
            "Actions", "Choose a computed cell that is not left out yet, in a map that is not too large"), full=True),
    Row("leave_out_random", "learn", N_("Actions", "Leave out cells at &random…"), words=WORDS,
        full=True),
    Row("end_exercise", "learn", N_("Actions", "&End the exercise"), words=WORDS,
        needs=N_("Actions", "No cell is left out"), full=True),
)  # fmt: skip


class Exercises(Controller):
    """The blanks are a part of the view: leaving cells out changes no number and no file."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._count = 0  # of the cells that were left out, the answered ones among them
        self._asked: tuple[Blank, float] | None = None  # the answer that was given last
        self._at: Blank | None = None  # the cell that the panel asks for
        self._panel = ExercisePanel(context.window.right)
        self._job = BackgroundTask(self)
        self._job.ended.connect(self._on_job_ended)
        put_on_top(context.window.right, self._panel)
        context.bars.add(ROWS)
        self._panel.closeAsked.connect(self.end)
        self._panel.question.typed.connect(self._on_question_typed)
        self._panel.question.showAsked.connect(self._on_question_show_asked)
        context.document.opened.connect(self.end)  # a lesson that begins in another one covers cells of its own
        context.computation.updated.connect(self._cover)
        context.computation.updated.connect(self._grade_again)
        context.view.follow(self._grade_again, "evaluation")
        context.view.follow(self._cover, "blanks", "evaluation")
        context.view.follow(self._show, "overlay", "blanks", "cell", "head", "batch", "stage", "mode", "evaluation")
        self._show()

    def commands(self) -> dict[str, Command]:
        return {
            "leave_out": Command(self.leave_out, enabled=self._can_leave_out),
            "leave_out_random": Command(self.leave_out_random, enabled=lambda: not self._is_covered_otherwise()),
            "end_exercise": Command(self.end, enabled=lambda: bool(self._count)),
        }

    @property
    def busy(self) -> bool:
        """Whether a verdict is still to come."""
        return self._job.busy

    def retranslate(self) -> None:
        """Grade the answer that is judged on the panel again, in the present language."""
        if self._asked is not None and self._panel.question.judged:
            self.take(*self._asked)

    # --- leaving out -----------------------------------------------------------------------------
    def leave_out(self) -> None:
        """Leave out the chosen cell."""
        cell = self._view.chosen_blank()
        if cell is not None and self._can_leave_out():
            self._count += 1
            self._view.set(blanks=self._view.look.blanks | {cell})

    def _can_leave_out(self) -> bool:
        """Return whether the chosen cell is computed and not left out yet, in a problem small enough for hands."""
        cell, problem = self._view.look.cell, self._document.problem
        if cell is None or cell.stage in problem.arrays() or _is_large(problem) or self._is_covered_otherwise():
            return False
        return self._view.chosen_blank() not in self._view.look.blanks

    def _is_covered_otherwise(self) -> bool:
        """Return whether cells are covered that are those of a lesson's question."""
        return bool(self._view.look.blanks) and not self._count

    def leave_out_random(self) -> None:
        """Ask how many cells and by which seed: the same seed draws the same cells."""
        from attn_gui.views.dialogs.small_dialogs import LeaveOutDialog

        dialog = LeaveOutDialog(self._drawn, self._window)
        if asked(dialog) and dialog.answer is not None:
            self._count = len(dialog.answer)
            evaluation, look = self._computation.evaluation, self._view.look
            first = min(dialog.answer, key=lambda blank: (evaluation.stages.index(blank.stage), blank.index))
            batch, head, *place = place_of(evaluation, first.stage, first.index, look.head)
            cell = ChosenCell(first.stage, *place)  # the first to be worked out: what is typed next is its answer
            self._view.set(blanks=dialog.answer, stage=first.stage, batch=batch, head=head, cell=cell)
            self._view.bring_map(first.stage)
            self._window.product.focus_map()

    def _drawn(self, count: int, seed: int) -> frozenset[Blank]:
        """Return the cells that a count and a seed draw.

        Raises ValueError with a sentence where there are not so many.
        """
        from attn_gui.lessons.exercises import random_blanks, usual_stages

        evaluation = self._computation.evaluation
        if _is_large(evaluation.problem):
            raise ValueError(self.tr("These matrices are too large to be gone through by hand."))
        return translating(random_blanks)(evaluation, usual_stages(evaluation), count, seed)

    def end(self) -> None:
        """Show every number again."""
        self._job.forget()
        self._count = 0
        self._view.set(blanks=frozenset())
        self._show()

    # --- answering -------------------------------------------------------------------------------
    def take(self, blank: Blank, number: float) -> None:
        """Grade a number for a cell that is left out; a cell that a lesson covers is left to the lesson."""
        from attn_gui.engine.grading import grade

        if not self._count:
            return
        self._asked, seen = (blank, number), self._computation.evaluation
        self._job.start(lambda _: grade(seen, blank.stage, blank.index, number))

    def _grade_again(self, *_: object) -> None:
        """Begin anew where numbers change under an answer that is being graded, or whose verdict is on the panel."""
        if self._asked is not None and (self._job.busy or (self._panel.question.judged and self._asked[0] == self._at)):
            self.take(*self._asked)

    def _on_question_typed(self, text: str) -> None:
        blank = self._view.chosen_blank()
        assert blank is not None
        try:
            self.take(blank, parse_number(text))
        except NumberError as refusal:
            self._job.forget()  # its verdict would take the place of the refusal
            self._asked = None
            self._panel.question.set_verdict(refusal.sentence(), "error", offered=False)

    def _on_job_ended(self, outcome: Future[Verdict]) -> None:
        from attn_gui.lessons.lesson import written

        try:
            found = outcome.result()
        except (ValueError, LookupError):
            return  # the cell is gone with the numbers that it was of
        assert self._asked is not None
        blank = self._asked[0]
        if found.right:
            self._view.set(blanks=self._view.look.blanks - {blank})
            self._panel.set_right(written(found.expected))
        elif blank == self._view.chosen_blank():  # else another cell is asked for by now
            named = [QCoreApplication.translate("Mistakes", mistake.said) for mistake in found.mistakes]
            self._panel.question.set_wrong(named[0] if named else "")

    def _on_question_show_asked(self) -> None:
        blank = self._view.chosen_blank()
        if blank is not None:
            self._view.set(blanks=self._view.look.blanks - {blank})

    # --- covering ----
    def _cover(self, *_: object) -> None:
        """Lay over the evaluation what leaves the blanks out, and every number that is the same under another name."""
        blanks, evaluation = self._view.look.blanks, self._computation.evaluation
        if not blanks or self._computation.pending:
            return
        if _is_large(evaluation.problem):
            self.end()
            self._window.banner.show_info(self._too_large)
            return
        from attn_gui.lessons.exercises import CoveredEvaluation  # only here: this is asked after every edit

        self._view.set_overlay(CoveredEvaluation(evaluation, blanks))

    def _too_large(self) -> str:
        return self.tr("The exercise has ended: the matrices have become too large to be gone through by hand.")

    # --- showing ---------------------------------------------------------------------------------
    def _show(self) -> None:
        look, maps, overlay = self._view.look, self._window.product.maps, self._view.overlay
        for stage in maps.stages:
            areas: tuple[Area, ...] = ()
            if overlay is not None and stage in overlay.stages:
                plane = stage_plane(overlay, stage, look.batch, look.head)
                cells = overlay.left_out(stage, indices.whole(overlay.shape(stage)))
                areas = tuple(filter(None, map(plane.cells, map(indices.cell, cells))))
            maps.set_blank(stage, areas)
        with handing_on(self._panel, self._window.product.focus_map):
            self._show_panel()

    def _show_panel(self) -> None:
        blanks, chosen = self._view.look.blanks, self._view.chosen_blank()
        self._panel.setVisible(bool(self._count))
        self._panel.set_counts(len(blanks), self._count)
        asked = chosen if chosen in blanks else None
        self._panel.set_cell("" if asked is None else cell_name(asked.stage, asked.index), fresh=asked != self._at)
        self._at = asked


def _is_large(problem: Problem) -> bool:
    """Return whether a problem is too large to be gone through by hand, or its pictures for the window to wait for."""
    return math.prod(problem.map_shape) > MOST_CELLS or is_long(problem)
