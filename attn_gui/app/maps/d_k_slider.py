"""When the slider of d_k is there, what follows while it is dragged, and the edit once it is let go."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.baseline import side_names
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis import sweep
from attn_gui.engine.analysis.sweep import OWN, RANDOM, REPEATED, Entropies, MapRow
from attn_gui.engine.comparison import WITH_SCALE
from attn_gui.languages import N_
from attn_gui.modes import SIDE_BY_SIDE

if TYPE_CHECKING:
    from attn_gui.engine import Evaluation
    from attn_gui.views.product.d_k_panel import DkPanel


QUICK = 1 << 12
"""Cells of the largest map whose curves are computed within a frame."""


class CurvesOf(NamedTuple):
    """A problem whose columns are repeated, and the head of it that curves are of."""

    base: Problem
    batch: int
    head: int


class DkController(Controller):
    """Shows the slider where the two states side by side differ by the scale, and Q and K are small enough to be read
    whole.

    While the slider is drawn the document stays as it is, and only the maps, numbers and points follow: all else would
    take longer than a frame, and is veiled. What it is let go of is a step of the history; whatever follows here takes
    its place, so that one undo brings back what was there first.
    """

    def __init__(self, context: AppContext, note: StatusNote) -> None:
        super().__init__(context)
        self._note = note
        self._panel: DkPanel | None = None
        self._drawn = False  # whether the maps show a width that is not the document's yet
        self._repeats = False  # whether other widths have repeated columns, and no seeded Q and K
        self._base: Problem | None = None  # the document before the slider's step
        self._based = self._made = -1  # the document's generation then, and since that step
        self._found: tuple[CurvesOf, Entropies] | None = None  # the last curves of repeated columns
        self._asked: CurvesOf | None = None
        self._task = BackgroundTask(self)
        self._task.ended.connect(self._on_task_ended)
        context.view.follow(self.show, "evaluation", "baseline", "compare", "stage", "head", "batch", "mode", "cell")

    # --- what is shown ---------------------------------------------------------------------------
    def show(self) -> None:
        """Show the document's own numbers, or no panel."""
        problem = self._document.problem
        here = (
            self._view.middle == SIDE_BY_SIDE
            and self._baseline.key == WITH_SCALE
            and self._document.study is None
            and sweep.fits(problem)
            and sweep.NARROWEST_D_K <= problem.d_k <= sweep.WIDEST_D_K
        )
        if not here:
            if self._panel is not None:
                self._panel.hide()
                self._window.sides.arrange()
                self._end_drawing()
            return
        panel = self._panel or self._new_panel()
        if not panel.isVisible():
            panel.show()
            self._window.sides.arrange()
        before, now = self._baseline.evaluation, self._computation.evaluation
        assert before is not None
        self._end_drawing()
        panel.set_width(problem.d_k)
        self._show(before, now, self._source_of(problem), self._row())

    retranslate = show

    def _end_drawing(self) -> None:
        """Show the rest of the window again, and no longer what happens once the slider is let go of."""
        if self._drawn:
            self._drawn = False
            self._window.set_veiled(False)
            self._note(str)

    def _show(self, before: Evaluation, now: Evaluation, source: str, row: MapRow) -> None:
        """Show what the maps show: two states with Q and K of a source."""
        assert self._panel is not None
        offered = {RANDOM} | ({OWN} if source == OWN or self._stepped else set())
        offered |= {REPEATED} if self._can_repeat else set()
        self._panel.set_names(side_names(self._baseline), str(row.query))
        self._panel.set_source(source, offered)
        self._show_curves(source)
        self._panel.set_readings((sweep.read_d_k(before, row), sweep.read_d_k(now, row)))

    def _source_of(self, problem: Problem) -> str:
        if problem.n == sweep.TOKENS and problem == sweep.seeded(problem.d_k):
            return RANDOM
        return REPEATED if self._repeats and self._can_repeat else OWN

    def _new_panel(self) -> DkPanel:
        from attn_gui.views.product.d_k_panel import DkPanel

        panel = self._panel = DkPanel(self._window.sides)
        self._window.sides.set_foot(panel)
        self._computation.drawable.connect(self.show)
        panel.moved.connect(self._on_panel_moved)
        panel.picked.connect(lambda width: self._put(self._drawn_source(), width))
        panel.source.picked.connect(self._on_source_picked)
        return panel

    def _row(self) -> MapRow:
        """Return the row whose gradient the panel shows: that of the chosen cell, else the first."""
        look = self._view.look
        row = 0 if look.cell is None else look.cell.row
        return MapRow(look.batch, look.head, min(row, self._document.problem.n - 1))

    # --- curves ----------------------------------------------------------------------------------
    def _show_curves(self, source: str) -> None:
        """Show the curves of repeated columns once they are computed, or those of seeded Q and K."""
        assert self._panel is not None
        if source != REPEATED:
            self._panel.curves.set_curves(sweep.seeded_entropies())
            return
        row = self._row()
        of = CurvesOf(self._base_now(), row.batch, row.head)
        if self._found is None or self._found[0] != of:
            if of.base.n * of.base.m <= QUICK:
                self._found = of, sweep.d_k_entropies(*of)
            elif self._asked != of:
                self._asked = of
                self._task.start(lambda progress: sweep.d_k_entropies(*of, progress))
        self._panel.curves.set_curves(self._found[1] if self._found is not None and self._found[0] == of else None)

    def _on_task_ended(self, outcome: Future[Entropies]) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and self._panel is not None:
            self._found = asked, outcome.result()
            self._show_curves(self._panel.source.currentData())

    # --- the hand --------------------------------------------------------------------------------
    @property
    def _stepped(self) -> bool:
        """Whether the last step is one of the slider."""
        return self._document.generation == self._made

    @property
    def _can_repeat(self) -> bool:
        """Whether the columns of what was there before the slider's step can be repeated."""
        base = self._base if self._stepped else None
        return sweep.can_repeat(base or self._document.problem)

    def _base_now(self) -> Problem:
        """Return the document, as it was before the slider's step if that is the last one."""
        if self._base is None or self._document.generation not in (self._based, self._made):
            self._base, self._based = self._document.snapshot(), self._document.generation
        return self._base

    def _problem(self, source: str, width: int) -> Problem:
        if source == OWN:
            return self._base_now()
        return sweep.seeded(width) if source == RANDOM else sweep.repeated(self._base_now(), width)

    def _drawn_source(self) -> str:
        """Return what Q and K are at another width."""
        return REPEATED if self._repeats and self._can_repeat else RANDOM

    def _on_panel_moved(self, width: int) -> None:
        """Show another width in maps, numbers and points, and nothing else."""
        assert self._panel is not None
        source = self._drawn_source()
        states = sweep.two_states(self._problem(source, width))
        problem, row = states[1].problem, self._row()
        row = MapRow(min(row.batch, problem.batch_size - 1), min(row.head, problem.num_heads - 1), row.query)
        row = MapRow(row.batch, row.head, min(row.query, problem.n - 1))
        self._drawn = True
        self._window.set_veiled(True)
        self._show(*states, source, row)
        self._window.sides.preview(*states, row.batch, row.head)
        self._note(self._panel.note)  # where a low window has no room for it

    def _on_source_picked(self, source: str) -> None:
        self._repeats = source == REPEATED
        self._put(source, self._document.problem.d_k)

    def _put(self, source: str, width: int) -> None:
        """Make it the document, in the place of the last step if that is one of the slider."""
        problem = self._problem(source, width)
        if source == REPEATED:
            label = Label(N_("History", "dₖ = {width}, columns repeated"), {"width": width})
        else:
            label = Label(N_("History", "dₖ = {width}, random Q and K"), {"width": width})
        fields = {**dict.fromkeys(self._base_now().fields()), **problem.fields()}
        # set before the edit: `changed` is emitted within it, and is compared with this generation
        instead, self._made = self._stepped, self._document.generation + 1
        with self._computation.handed(DenseEvaluation(problem)):  # of which everybody is notified in turns
            if self._runner.apply(SetFields(fields, label), instead=instead):
                return  # the maps stay as they are until their turn
            self._made = -1  # it is what was there first
        self._window.sides.end_preview()
        self.show()
