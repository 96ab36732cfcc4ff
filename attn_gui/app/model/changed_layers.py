"""Changes by hand over all layers of a model: switched, gone to, removed, each one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject

from attn_gui.app.by_hand.interventions import CONTEXT, LABELS, REMOVED, label_of
from attn_gui.app.model.model_answers import Answer, Change
from attn_gui.app.model.model_controller import ModelController
from attn_gui.app.state.making import Making
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.document.field_symbols import field_symbol
from attn_gui.engine.chain.hand_words import cells_phrase, phrase
from attn_gui.engine.creation.heads_by_hand import AXIS, off_heads, switched_off
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.stages import STAGE
from attn_gui.figure.text.labels import visible_text
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.attributing.row_taking import ROW
from attn_gui.models.studies.layer_edit import BY_HAND, LayerEdit
from attn_gui.views.by_hand.intervention_model import Line
from attn_gui.views.model.head_model import HeadPlace
from attn_gui.views.model.model_view import ModelView
from attn_gui.views.words.names import letter, said_in

IN_LAYER = QT_TRANSLATE_NOOP("Interventions", "layer {layer}: {what}")
CELLS = QT_TRANSLATE_NOOP("Interventions", "{cells} of {matrix} typed")
TAKEN = QT_TRANSLATE_NOOP("Interventions", "{cells} ← second text, {token} ({row})")
TAKEN_ALL = QT_TRANSLATE_NOOP("Interventions", "{cells} ← second text")
OTHER = QT_TRANSLATE_NOOP("Interventions", "{matrix} changed")
HEADS_OFF = QT_TRANSLATE_NOOP("History", "all heads of layer {layer} off")
HEADS_ON = QT_TRANSLATE_NOOP("History", "all heads of layer {layer} on")


class _Row(NamedTuple):
    """A row of the list: an intervention of a layer with its place, or a field with all that is other in it."""

    layer: int
    field: str
    place: int
    what: object
    enabled: bool | None = None


class ChangedLayers(QObject):
    """The list of the view on one side, the edits of the layers on the other."""

    def __init__(self, panel: ModelView, document: Document, making: Making, models: ModelController) -> None:
        super().__init__(panel)
        self._panel, self._document, self._making, self._models = panel, document, making, models
        self._edits: Mapping[int, LayerEdit] = {}
        self._rows: list[_Row] = []
        panel.changeSwitched.connect(self.switch)
        panel.changeAsked.connect(lambda row: self._models.set_layer(self._rows[row].layer))
        panel.changeRemoved.connect(self.remove)
        panel.offAsked.connect(self.switch_layer)

    def set_answer(self, answer: Answer) -> set[HeadPlace]:
        """Show what is changed in every layer; gives the heads in which anything is."""
        self._edits, problem = answer.edits, answer.study.base
        self._rows = [row for layer, edit in self._edits.items() for row in _rows(layer, edit, answer)]
        self._panel.set_changes([Line(self._said(row), row.enabled, spreads=False) for row in self._rows])
        return {
            HeadPlace(layer, head) for layer, edit in self._edits.items() for head in _heads(edit, problem.num_heads)
        }

    def _said(self, row: _Row) -> str:
        words = QCoreApplication.translate(CONTEXT, IN_LAYER)
        return words.format(layer=row.layer, what=said_in(row.what, CONTEXT))

    # --- gestures --------------------------------------------------------------------------------
    def switch(self, row: int, enabled: bool) -> None:
        """Let an intervention be in force, or leave its cells as computed for now."""
        one = self._rows[row]
        records = list(self._edits[one.layer].interventions)
        records[one.place] = records[one.place].changed(enabled=enabled)
        self._change(LABELS[enabled], one, self._edits[one.layer].with_field(BY_HAND, tuple(records)))

    def remove(self, row: int) -> None:
        """Leave an intervention out, or everything in a field as the model has it."""
        one = self._rows[row]
        edit = self._edits[one.layer]
        if one.place >= 0:
            records = list(edit.interventions)
            del records[one.place]
            edit = edit.with_field(BY_HAND, tuple(records)) if records else edit.without(BY_HAND)
        else:
            edit = edit.without(one.field)
        self._change(REMOVED, one, edit)

    def switch_layer(self) -> None:
        """All heads of the layer on the table off; where they are, as computed again."""
        study, problem = self._document.study, self._document.problem
        if study is None:
            return
        every = range(problem.num_heads)
        off = len(off_heads(problem)) < problem.num_heads
        words = HEADS_OFF if off else HEADS_ON
        self._making.change(Label(words, {"layer": study.layer}), lambda: switched_off(problem, every if off else ()))

    def _change(self, words: str, row: _Row, edit: LayerEdit) -> None:
        label = Label(words, {"what": label_of(Note(IN_LAYER, {"layer": row.layer, "what": row.what}))})
        self._models.set_edits(label, {**self._edits, row.layer: edit})


def _rows(layer: int, edit: LayerEdit, answer: Answer) -> Iterator[_Row]:
    for place, record in enumerate(edit.interventions):
        yield _Row(layer, BY_HAND, place, _what(record, answer, Change(layer, place)), record.enabled)
    for name, cells in edit.cells.items():
        yield _Row(layer, name, -1, Note(CELLS, {"cells": len(cells.places), "matrix": field_symbol(name)}))
    for name in edit.fields.keys() - {BY_HAND}:
        yield _Row(layer, name, -1, Note(OTHER, {"matrix": field_symbol(name)}))


def _what(record: Intervention, answer: Answer, change: Change) -> Note:
    """Words for what an intervention does; where the second text has the numbers that it sets, which of it they are."""
    problem, origin = answer.study.base, answer.taken.get(change)
    if origin is None or answer.second is None:
        return phrase(problem, record, letter)
    cells = cells_phrase(problem, record.changed(at=origin.at), letter)
    if STAGE[record.stage].axes[ROW] not in origin.at:
        return Note(TAKEN_ALL, {"cells": cells})
    return Note(TAKEN, {"cells": cells, "row": origin.row, "token": visible_text(answer.second.texts[origin.row])})


def _heads(edit: LayerEdit, count: int) -> set[int]:
    """The heads that the interventions in force name; all where one names none, or where anything else is changed."""
    every = range(count)
    if edit.cells or edit.fields.keys() - {BY_HAND}:
        return set(every)
    named = [record.at.get(AXIS, (0, count)) for record in edit.interventions if record.enabled]
    return {head for at in named for head in (range(*at) if isinstance(at, tuple) else (at,))}
