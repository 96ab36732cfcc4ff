"""What is done to a head: off, on, only this one, scaled, averaged, deleted, moved; changes by hand: list, button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from attn_gui.app.actions.actions import Command, translated
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays
from attn_gui.app.explain import place_of
from attn_gui.app.state.translated_errors import sentences, translating
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.edits import Label, SetFields
from attn_gui.document.typed_numbers import parse_number, shortest
from attn_gui.engine import STAGE, Problem, Resized
from attn_gui.engine.creation.heads import (
    with_equal_kv,
    with_head_deleted,
    with_head_duplicated,
    with_head_moved,
    with_heads_averaged,
)
from attn_gui.engine.creation.interventions import (
    AXIS,
    for_all_heads,
    off_heads,
    whole_heads,
    with_head_copied,
    with_head_scaled,
    with_heads_off,
)
from attn_gui.engine.errors import Note
from attn_gui.engine.graph.intervention_nodes import InterventionNode, phrase
from attn_gui.engine.interventions import Intervention
from attn_gui.figure.text.number_formats import significant
from attn_gui.languages import N_
from attn_gui.views.controls.intervention_panel import InterventionPanel, InterventionRow
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.names import letter, said_in

# --- heads ----------------------------------------------------------------------------------------
T = TypeVar("T")


class HeadEdits(Controller):
    """Makes one step of each gesture on the head on show; what cannot be done is said in a sentence."""

    def __init__(self, context: AppContext, note: StatusNote) -> None:
        super().__init__(context)
        self._note = note

    def commands(self) -> dict[str, Command]:
        return {
            "head_off": Command(self.switch, lambda: self._head in off_heads(self._problem)),
            "head_only": Command(self.show_only, enabled=self._several),
            "head_scale": Command(self.scale),
            "head_copy": Command(self.copy, enabled=self._several),
            "head_free": Command(self.free, enabled=lambda: self._head in whole_heads(self._problem)),
            "head_average": Command(self.average, enabled=self._several),
            "head_duplicate": Command(self.duplicate),
            "head_delete": Command(self.delete, enabled=self._several),
            "head_left": Command(partial(self.move, -1), enabled=lambda: self._head > 0),
            "head_right": Command(partial(self.move, 1), enabled=lambda: self._head < self._problem.num_heads - 1),
            "head_equal": Command(self.equal_kv, enabled=lambda: self._problem.num_kv_heads > 1),
        }

    @property
    def _problem(self) -> Problem:
        return self._document.problem

    @property
    def _head(self) -> int:
        return self._view.look.head

    def _several(self) -> bool:
        return self._problem.num_heads > 1

    # --- by hand ---------------------------------------------------------------------------------
    def switch(self) -> None:
        """Multiply the head's result by 0; where it is, leave it as it is computed."""
        off = self._head not in off_heads(self._problem)
        label = N_("History", "head {head} off") if off else N_("History", "head {head} on")
        self._switch_to(off_heads(self._problem) ^ {self._head}, Label(label, {"head": self._head}))

    def show_only(self) -> None:
        """Switch every other head off, and this one on."""
        others = frozenset(range(self._problem.num_heads)) - {self._head}
        self._switch_to(others, Label(N_("History", "only head {head}"), {"head": self._head}))

    def _switch_to(self, off: frozenset[int], label: Label) -> None:
        self._runner.change(label, lambda: with_heads_off(self._problem, off))

    def scale(self) -> None:
        """Ask for a factor of the head's result."""
        head, present = self._head, whole_heads(self._problem).get(self._head)
        factor = self._ask(
            self.tr("Scale head {head}").format(head=head),
            self.tr("Its result is multiplied by this number; 0 switches it off, 1 leaves it as computed."),
            shortest(getattr(present, "factor", 1.0)),
            translating(parse_number),
        )
        if factor is not None:
            label = Label(N_("History", "head {head} × {factor}"), {"head": head, "factor": significant(factor)})
            self._runner.change(label, lambda: with_head_scaled(self._problem, head, factor))

    def copy(self) -> None:
        """Ask for the head whose result stands in place of this one's."""
        head, count = self._head, self._problem.num_heads
        source = self._ask(
            self.tr("Another head in place of head {head}").format(head=head),
            self.tr("The result of which head? 0 to {last}").format(last=count - 1),
            str((head + 1) % count),
            lambda text: _one_head(text, count),
        )
        if source is not None:
            words = {"head": head, "source": source}
            label = Label(N_("History", "head {head} from head {source}"), words)
            self._runner.change(label, lambda: with_head_copied(self._problem, head, source))

    def free(self) -> None:
        """Leave the head's result as it is computed."""
        label = Label(N_("History", "head {head} as computed"), {"head": self._head})
        self._runner.change(label, lambda: with_head_scaled(self._problem, self._head, 1.0))

    # --- changes of the problem ------------------------------------------------------------------
    def average(self) -> None:
        """Ask which heads become the mean of them all."""
        from attn_gui.views.dialogs.form_fields import heads_from_text

        count = self._problem.num_heads
        heads = self._ask(
            self.tr("Average Q, K and V of heads"),
            self.tr("Each of these heads gets the mean of their Q, K and V: all, or such as 0, 2-3"),
            "all",
            lambda text: heads_from_text(text, count),
        )
        if heads is not None:
            words = {"heads": ", ".join(map(str, heads))}
            label = Label(N_("History", "averaged heads {heads}"), words)
            self._change(label, lambda: with_heads_averaged(self._problem, heads))

    def duplicate(self) -> None:
        """Insert a second head like this one beside it."""
        label = Label(N_("History", "duplicated head {head}"), {"head": self._head})
        self._change(label, lambda: with_head_duplicated(self._problem, self._head))

    def delete(self) -> None:
        """Take the head away, with all that belongs to it alone."""
        label = Label(N_("History", "deleted head {head}"), {"head": self._head})
        self._change(label, lambda: with_head_deleted(self._problem, self._head))

    def move(self, step: int) -> None:
        """Let the head change places with its neighbor, and follow it."""
        head, place = self._head, self._head + step
        label = Label(N_("History", "moved head {head} to {place}"), {"head": head, "place": place})
        self._change(label, lambda: with_head_moved(self._problem, head, place), lambda: self._view.set(head=place))

    def equal_kv(self) -> None:
        """Let every head read the keys and values that this one reads."""
        label = Label(N_("History", "K and V of head {head} for all"), {"head": self._head})
        self._change(label, lambda: with_equal_kv(self._problem, self._head))

    def _change(self, label: Label, make: Callable[[], Resized], then: Callable[[], object] = bool) -> None:
        """Apply what `make` gives as one step, call `then`, and say what else the step had to change."""

        def take(resized: Resized, fresh: Arrays) -> None:
            self._document.apply(SetFields(resized.fields, label), fresh)
            then()
            if resized.notes:
                self._note(lambda: sentences(resized.notes))

        self._runner.begin(label, make, take)

    def _ask(self, title: str, words: str, text: str, read: Callable[[str], T]) -> T | None:
        from attn_gui.views.dialogs.small_dialogs import AskDialog

        dialog = AskDialog(title, words, text, read, self._window)
        return dialog.answer if asked(dialog) else None


def _one_head(text: str, count: int) -> int:
    from attn_gui.views.dialogs.form_fields import heads_from_text

    heads = heads_from_text(text if text.strip() else "?", count)
    if len(heads) > 1:
        return _one_head("?", count)
    return heads[0]


# --- changes by hand ------------------------------------------------------------------------------
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
