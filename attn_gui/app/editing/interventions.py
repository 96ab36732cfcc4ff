"""The list of changes by hand: lines, switching, spreading to all heads, going to the cells, removing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attn_gui.app.actions.actions import Command, translated
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.explain import place_of
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import Label
from attn_gui.engine import STAGE, Problem
from attn_gui.engine.creation.interventions import AXIS, for_all_heads
from attn_gui.engine.errors import Note
from attn_gui.engine.graph.intervention_nodes import InterventionNode, phrase
from attn_gui.engine.interventions import Intervention
from attn_gui.languages import N_
from attn_gui.views.controls.intervention_panel import InterventionPanel, InterventionRow
from attn_gui.views.names import letter, said_in

CONTEXT = "Interventions"
LABELS = {True: N_("History", "on: {what}"), False: N_("History", "off: {what}")}
REMOVED = N_("History", "removed: {what}")
REMOVED_ALL = N_("History", "removed all that was changed by hand")
SPREAD = N_("History", "for all heads: {what}")
ACTION = "interventions"


class InterventionsController(Controller):
    """Lists what is changed by hand, and switches, goes to, spreads or removes it, each as one step."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._row = next(row for row in context.bars.actions.rows if row.name == ACTION)
        panel = self._panel = InterventionPanel(context.window)
        panel.opened.connect(self._show_lines)
        panel.switched.connect(self.switch)
        panel.goRequested.connect(self.go_to)
        panel.allHeadsRequested.connect(self.spread)
        panel.removeRequested.connect(self.remove)
        panel.clearRequested.connect(self.clear)
        context.document.changed.connect(self.show)
        context.runner.refused.connect(self.show)
        self.show()

    def commands(self) -> dict[str, Command]:
        return {
            ACTION: Command(self.show_panel),
            "all_heads_by_hand": Command(self.spread_chosen, enabled=lambda: self._spreading() is not None),
        }

    def show(self, *_: object) -> None:
        """Show the count at the button, and the lines where they are looked at."""
        count = sum(record.enabled for record in self._problem.interventions)
        words = translated(self._row.short)
        self._bars.actions[ACTION].setIconText(f"{words} {count}" if count else words)
        if self._panel.isVisible():
            self._show_lines()

    retranslate = show

    def show_panel(self) -> None:
        """Open the list below its button."""
        button = self._bars.button(ACTION)
        shown = button is not None and button.isVisible()
        self._panel.popup_below(button if button is not None and shown else self._window.spine)

    def _show_lines(self) -> None:
        self._panel.set_lines([self._line(record) for record in self._problem.interventions])

    def _line(self, record: Intervention) -> InterventionRow:
        text = said_in(phrase(self._problem, record, letter), CONTEXT)
        return InterventionRow(text, record.enabled, self._spreads(record))

    @property
    def _problem(self) -> Problem:
        return self._document.problem

    def _spreads(self, record: Intervention) -> bool:
        """Return whether there are more heads that it could be done to."""
        return AXIS in record.at and self._problem.num_heads > 1

    # --- one of them -----------------------------------------------------------------------------
    def switch(self, position: int, enabled: bool) -> None:
        """Let it be in force, or leave its cells as computed for now."""
        record = self._problem.interventions[position]
        self._change(LABELS[enabled], position, lambda: self._with(position, record.changed(enabled=enabled)))

    def remove(self, position: int) -> None:
        """Leave its cells as computed."""
        self._change(REMOVED, position, lambda: self._with(position))

    def spread(self, position: int) -> None:
        """Do it to all heads."""
        self._change(SPREAD, position, lambda: for_all_heads(self._problem, position))

    def clear(self) -> None:
        """Leave every number as computed."""
        self._runner.change(Label(REMOVED_ALL, {}), lambda: {"interventions": ()})

    def go_to(self, position: int) -> None:
        """Choose its first cell in the map of its stage, of the head on show where that is among them."""
        record, evaluation = self._problem.interventions[position], self._computation.evaluation
        if self._computation.pending or record.stage not in evaluation.stages:
            return
        look, axes = self._view.look, STAGE[record.stage].axes
        box = record.box(axes, evaluation.shape(record.stage))
        shown = {"batch": look.batch, AXIS: look.head}
        index = tuple(
            shown[axis] if axis in shown and cut.start <= shown[axis] < cut.stop else cut.start
            for axis, cut in zip(axes, box, strict=True)
        )
        batch, head, row, column = place_of(evaluation, record.stage, index, look.head)
        cell = ChosenCell(record.stage, row, column)
        self._panel.close_panel()
        self._view.set(stage=record.stage, batch=batch, head=head, cell=cell)
        self._view.bring_map(record.stage)
        self._window.product.maps.map(record.stage).setFocus()

    def _with(self, position: int, *records: Intervention) -> Mapping[str, object]:
        """Return the list with these records in the place of one."""
        known = self._problem.interventions
        return {"interventions": (*known[:position], *records, *known[position + 1 :])}

    def _change(self, words: str, position: int, make: Callable[[], Mapping[str, object]]) -> None:
        what = label_of(phrase(self._problem, self._problem.interventions[position], letter))
        self._runner.change(Label(words, {"what": what}), make)

    # --- of the chosen cell ----------------------------------------------------------------------
    def spread_chosen(self) -> None:
        """Do to all heads what was done last to the chosen cell."""
        position = self._spreading()
        if position is not None:
            self.spread(position)

    def _spreading(self) -> int | None:
        """Return the last intervention at the chosen cell that could be done to more heads."""
        cell, look, evaluation = self._view.look.cell, self._view.look, self._computation.evaluation
        if cell is None or not self._problem.interventions or cell.stage not in evaluation.stages:
            return None
        node = evaluation.node(cell.stage)
        if not isinstance(node, InterventionNode) or not node.stage.per_head:
            return None
        positions = node.steps_at((look.batch, look.head, cell.row, cell.column))
        known = self._problem.interventions
        fitting = [k for k in positions if k < len(known) and self._spreads(known[k])]
        return fitting[-1] if fitting else None


def label_of(part: object) -> object:
    """Return a note as a label of the history, so that it is said again in another language."""
    if not isinstance(part, Note):
        return part
    return Label(part.template, {name: label_of(value) for name, value in part.values.items()}, CONTEXT)
