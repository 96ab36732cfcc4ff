"""The slider of d_k: both maps follow it while it is drawn, and what it is let go of becomes the document."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject

from attn_gui.app.context import AppContext
from attn_gui.app.maps.status import TellStatus
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.baseline import side_names
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem
from attn_gui.engine.analysis import widths
from attn_gui.engine.analysis.sweep import MapRow
from attn_gui.engine.analysis.widths import Entropies
from attn_gui.engine.comparison import WITH_SCALE
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.modes import SIDE_BY_SIDE

if TYPE_CHECKING:
    from attn_gui.views.product.width_panel import WidthPanel


QUICK = 1 << 12
"""Cells of the largest map whose curves are computed within a frame."""


class CurvesOf(NamedTuple):
    """A problem whose columns are repeated, and the head of it that curves are of."""

    base: Problem
    batch: int
    head: int


class WidthController(QObject):
    """There where the two states side by side differ by the scale, and Q and K are small enough to be read whole.

    While the slider is drawn the document stays as it is, and only the maps, numbers and points follow: all else would
    take longer than a frame. What it is let go of is one step of the history.
    """

    def __init__(self, context: AppContext, tell: TellStatus) -> None:
        super().__init__(context.window)
        self._tell = tell
        self._window, self._document, self._making = context.window, context.document, context.making
        self._baseline, self._view, self._computation = context.baseline, context.view, context.computation
        self._panel: WidthPanel | None = None
        self._source = ""
        self._base: Problem | None = None  # of which the columns are repeated, as the document was
        self._based = -1  # the document's generation then
        self._made_of = ("", -1)  # what the slider has made the document of, and its generation
        self._found: tuple[CurvesOf, Entropies] | None = None  # the last curves of repeated columns
        self._asked: CurvesOf | None = None
        self._task = BackgroundTask(self)
        self._task.ended.connect(self._on_task_ended)
        context.view.follow(self.show, "evaluation", "baseline", "compare", "stage", "head", "batch", "mode", "cell")
        context.computation.pictured.connect(self.show)

    def finish(self) -> None:
        """End all work; for the end of the program."""
        self._task.forget()
        self._task.wait()

    def retranslate(self) -> None:
        """The language has changed."""
        self.show()

    # --- what is shown ---------------------------------------------------------------------------
    def show(self) -> None:
        """Show the document's own numbers, or no panel."""
        problem = self._document.problem
        here = (
            self._view.middle == SIDE_BY_SIDE
            and self._baseline.key == WITH_SCALE
            and self._document.study is None
            and widths.fits(problem)
            and widths.NARROWEST <= problem.d_k <= widths.WIDEST
        )
        if not here:
            if self._panel is not None:
                self._panel.hide()
                self._window.sides.arrange()
            return
        panel = self._panel or self._made()
        if not panel.isVisible():
            panel.show()
            self._window.sides.arrange()
        from attn_gui.views.product.width_panel import OWN, RANDOM

        repeats = widths.can_repeat(problem)
        self._source = self._source if self._source and (repeats or self._source == RANDOM) else RANDOM
        row, before, now = self._row(), self._baseline.evaluation, self._computation.evaluation
        assert before is not None
        panel.set_names(side_names(self._baseline), str(row.query))
        panel.set_source(self._source, repeats=repeats)
        panel.set_width(problem.d_k)
        on_curve = self._source == OWN or self._made_of == (RANDOM, self._document.generation)
        panel.set_readings((widths.read_width(before, row), widths.read_width(now, row)), on_curve=on_curve)
        self._show_curves()

    def _made(self) -> WidthPanel:
        from attn_gui.views.product.width_panel import WidthPanel

        panel = self._panel = WidthPanel(self._window.sides)
        self._window.sides.set_foot(panel)
        panel.moved.connect(self._on_panel_moved)
        panel.picked.connect(self._on_panel_picked)
        panel.sourcePicked.connect(self._on_source_picked)
        return panel

    def _row(self) -> MapRow:
        """The row whose gradient is told: that of the chosen cell, else the first."""
        look = self._view.look
        row = 0 if look.cell is None else look.cell.row
        return MapRow(look.batch, look.head, min(row, self._document.problem.n - 1))

    # --- curves ----------------------------------------------------------------------------------
    def _show_curves(self) -> None:
        """Show the curves of what Q and K are, once they are computed."""
        assert self._panel is not None
        row, _ = self._row(), self._maker()
        if (base := self._base) is None:
            self._panel.curves.set_curves(widths.seeded_entropies())
            return
        of = CurvesOf(base, row.batch, row.head)
        if self._found is None or self._found[0] != of:
            if base.n * base.m <= QUICK:
                self._found = of, widths.entropies(*of)
            elif self._asked != of:
                self._asked = of
                self._task.start(lambda progress: widths.entropies(*of, progress))
        self._panel.curves.set_curves(self._found[1] if self._found is not None and self._found[0] == of else None)

    def _on_task_ended(self, outcome: Future[Entropies]) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and self._panel is not None:
            self._found = asked, outcome.result()
            self._show_curves()

    # --- the hand --------------------------------------------------------------------------------
    def _maker(self) -> Callable[[int], Problem]:
        """Return what makes the problem of a width."""
        from attn_gui.views.product.width_panel import RANDOM

        if self._source == RANDOM:
            self._base = None
            return widths.seeded
        if self._base is None or self._document.generation not in (self._based, self._made_of[1]):
            self._base, self._based = self._document.snapshot(), self._document.generation
        base = self._base
        return lambda width: widths.repeated(base, width)

    def _on_panel_moved(self, width: int) -> None:
        """Show another width in maps, numbers and points."""
        assert self._panel is not None
        self._tell(self._panel.note)  # where a low window has no room for it
        states = widths.two_states(self._maker()(width))
        problem, row = states[1].problem, self._row()
        row = MapRow(min(row.batch, problem.batch_size - 1), min(row.head, problem.num_heads - 1), row.query)
        row = MapRow(row.batch, row.head, min(row.query, problem.n - 1))
        before, now = (widths.read_width(state, row) for state in states)
        self._panel.set_names(side_names(self._baseline), str(row.query))
        self._panel.set_readings((before, now), on_curve=True)
        self._window.sides.preview(*states, row.batch, row.head)

    def _on_panel_picked(self, width: int) -> None:
        """Make it the document, as one step."""
        from attn_gui.views.product.width_panel import RANDOM

        problem = self._maker()(width)
        if self._source == RANDOM:
            fields: dict[str, object] = dict.fromkeys(self._document.problem.fields())
            fields |= problem.fields()
            label = Label(QT_TRANSLATE_NOOP("History", "d_k = {width}, random Q and K"), {"width": width})
        else:
            fields = {"query": problem.query, "key": problem.key}
            label = Label(QT_TRANSLATE_NOOP("History", "d_k = {width}, columns repeated"), {"width": width})
        self._made_of = self._source, self._document.generation + 1  # whoever shows it hears of it within the step
        self._making.apply(SetFields(fields, label))
        self._made_of = self._source, self._document.generation
        self._window.sides.end_preview()
        self.show()

    def _on_source_picked(self, source: str) -> None:
        self._source = source
        self.show()
