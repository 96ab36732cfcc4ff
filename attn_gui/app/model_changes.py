"""The list of what is changed by hand in a model's layers: switched, removed, a layer's heads off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject

from attn_gui.app.editing.edit_runner import EditRunner
from attn_gui.app.editing.interventions import CONTEXT, LABELS, REMOVED, label_of
from attn_gui.app.model_controller import ModelController
from attn_gui.app.model_results import ModelChange, ModelResult
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine.creation.interventions import AXIS, off_heads, with_heads_off
from attn_gui.engine.errors import Note
from attn_gui.engine.graph.intervention_nodes import cells_phrase, phrase
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.stages import STAGE
from attn_gui.formats.visible_text import visible_text
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.models.attribution import ROW
from attn_gui.models.changed_layers import BY_HAND, LayerEdit
from attn_gui.views.controls.intervention_panel import InterventionRow
from attn_gui.views.head_grid import HeadPlace
from attn_gui.views.model_view import ModelView
from attn_gui.views.names import letter, said_in

IN_LAYER = QT_TRANSLATE_NOOP("Interventions", "layer {layer}: {what}")
CELLS = QT_TRANSLATE_NOOP("Interventions", "{cells} of {matrix} typed")
TAKEN = QT_TRANSLATE_NOOP("Interventions", "{cells} ← second text, {token} ({row})")
TAKEN_ALL = QT_TRANSLATE_NOOP("Interventions", "{cells} ← second text")
OTHER = QT_TRANSLATE_NOOP("Interventions", "{matrix} changed")
HEADS_OFF = QT_TRANSLATE_NOOP("History", "all heads of layer {layer} off")
HEADS_ON = QT_TRANSLATE_NOOP("History", "all heads of layer {layer} on")

Instead = Callable[[Intervention], tuple[Intervention, ...]]


class _ChangedRow(NamedTuple):
    """A row of the list: an intervention of a layer and its place, or a field with all that is other in it."""

    layer: int
    field: str
    what: object
    record: Intervention | None = None
    place: int = 0

    @property
    def enabled(self) -> bool | None:
        """Whether the intervention is in force; None of a field."""
        return self.record.enabled if self.record is not None else None


class ChangedLayers(QObject):
    """The list of the view on one side, the edits of the layers on the other."""

    def __init__(self, panel: ModelView, document: Document, runner: EditRunner, models: ModelController) -> None:
        super().__init__(panel)
        self._panel, self._document, self._runner, self._models = panel, document, runner, models
        self._rows: list[_ChangedRow] = []
        panel.changeSwitched.connect(self.switch)
        panel.changeAsked.connect(lambda row: self._models.set_layer(self._rows[row].layer))
        panel.changeRemoved.connect(self.remove)
        panel.offAsked.connect(self.switch_layer)

    def set_answer(self, answer: ModelResult) -> set[HeadPlace]:
        """Show what is changed in every layer; gives the heads in which anything is."""
        edits, count = answer.edits, answer.study.base.num_heads
        self._rows = [row for layer, edit in edits.items() for row in _rows(layer, edit, answer)]
        self._panel.set_changes([InterventionRow(self._said(row), row.enabled, spreads=False) for row in self._rows])
        return {HeadPlace(layer, head) for layer, edit in edits.items() for head in _heads(edit, count)}

    def _said(self, row: _ChangedRow) -> str:
        words = QCoreApplication.translate(CONTEXT, IN_LAYER)
        return words.format(layer=row.layer, what=said_in(row.what, CONTEXT))

    # --- gestures --------------------------------------------------------------------------------
    def switch(self, row: int, enabled: bool) -> None:
        """Let an intervention be in force, or leave its cells as computed for now."""
        self._change(LABELS[enabled], self._rows[row], lambda record: (record.changed(enabled=enabled),))

    def remove(self, row: int) -> None:
        """Leave an intervention out, or everything in a field as the model has it."""
        self._change(REMOVED, self._rows[row], lambda _record: ())

    def switch_layer(self) -> None:
        """Switch all heads of the layer on the table off; where they are, on again."""
        study, problem = self._document.study, self._document.problem
        if study is None:
            return
        every = range(problem.num_heads)
        off = len(off_heads(problem)) < problem.num_heads
        words = HEADS_OFF if off else HEADS_ON
        self._runner.change(Label(words, {"layer": study.layer}), lambda: with_heads_off(problem, every if off else ()))

    def _change(self, words: str, row: _ChangedRow, instead: Instead) -> None:
        """Put something in the place of an intervention, wherever it is then; leave a field as the model has it."""
        label = Label(words, {"what": label_of(Note(IN_LAYER, {"layer": row.layer, "what": row.what}))})

        def change(edits: Mapping[int, LayerEdit]) -> Mapping[int, LayerEdit] | None:
            edit = edits.get(row.layer, LayerEdit())
            changed = _changed(edit, row, instead)
            return None if changed.is_like(edit) else {**edits, row.layer: changed}

        self._models.set_edits(label, change)


def _changed(edit: LayerEdit, row: _ChangedRow, instead: Instead) -> LayerEdit:
    """Return an edit with what `instead` makes of a row's intervention in its place, if that is still there; of a row
    that is a field, the edit without it.
    """
    if row.record is None:
        return edit.without(row.field)
    place, known = _place(edit, row), edit.interventions
    if place is None:
        return edit
    records = known[:place] + instead(known[place]) + known[place + 1 :]
    return edit.with_field(row.field, records) if records else edit.without(row.field)


def _place(edit: LayerEdit, row: _ChangedRow) -> int | None:
    """Return the place of a row's intervention in a layer, whether or not it is in force: of several alike the one
    nearest to where it was, None where it is gone.
    """
    known = enumerate(edit.interventions)
    found = [place for place, each in known if row.record == each.changed(enabled=row.enabled)]
    return min(found, key=lambda place: abs(place - row.place), default=None)


def _rows(layer: int, edit: LayerEdit, answer: ModelResult) -> Iterator[_ChangedRow]:
    for place, record in enumerate(edit.interventions):
        yield _ChangedRow(layer, BY_HAND, _what(record, answer, ModelChange(layer, place)), record, place)
    for name, cells in edit.cells.items():
        yield _ChangedRow(layer, name, Note(CELLS, {"cells": len(cells.places), "matrix": field_symbol(name)}))
    for name in edit.fields.keys() - {BY_HAND}:
        yield _ChangedRow(layer, name, Note(OTHER, {"matrix": field_symbol(name)}))


def _what(record: Intervention, answer: ModelResult, change: ModelChange) -> Note:
    """Return words for what an intervention does.

    Where the second text has the numbers that it sets, which of it they are.
    """
    problem, origin = answer.study.base, answer.taken.get(change)
    if origin is None or answer.second is None:
        return phrase(problem, record, letter)
    cells = cells_phrase(problem, record.changed(at=origin.at), letter)
    if STAGE[record.stage].axes[ROW] not in origin.at:
        return Note(TAKEN_ALL, {"cells": cells})
    return Note(TAKEN, {"cells": cells, "row": origin.row, "token": visible_text(answer.second.texts[origin.row])})


def _heads(edit: LayerEdit, count: int) -> set[int]:
    """Return the heads that are changed: those that interventions in force name, or all where one names none or
    anything else of the layer is changed.
    """
    every = range(count)
    if edit.cells or edit.fields.keys() - {BY_HAND}:
        return set(every)
    named = [record.at.get(AXIS, (0, count)) for record in edit.interventions if record.enabled]
    return {head for at in named for head in (range(*at) if isinstance(at, tuple) else (at,))}
