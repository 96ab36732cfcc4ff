"""A run's small maps and readings of all heads, also those of the second text, and their progress; the list of what is
changed in a model, and switching it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QImage

from attn_gui.app.editing.edit_runner import EditRunner
from attn_gui.app.editing.heads import CONTEXT, LABELS, REMOVED, label_of
from attn_gui.app.model_controller import ModelController
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine import Problem
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.arrays import Progress, within
from attn_gui.engine.creation.interventions import AXIS, off_heads, with_heads_off
from attn_gui.engine.errors import Note
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.graph.intervention_nodes import cells_phrase, phrase
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.stages import STAGE
from attn_gui.figure.compose import weights_picture
from attn_gui.figure.design_tokens import Theme
from attn_gui.figure.text.number_formats import format_number
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.languages import N_
from attn_gui.models.attribution import ROW, RowOrigin, asked_place, head_numbers, origin_of
from attn_gui.models.changed_layers import BY_HAND, LayerEdit
from attn_gui.models.model import Run
from attn_gui.models.study import Study
from attn_gui.views.controls.intervention_panel import InterventionRow
from attn_gui.views.head_grid import HeadNumber, HeadPlace
from attn_gui.views.model_view import ModelView
from attn_gui.views.names import letter, said_in

# --- results ---------------------------------------------------------------------------------------
SIDE = 48
"""Pixels of a small map at most, by side."""
NOTHING = "–"
"""Stands for the number of a head in which a reading has nothing to count."""


class SmallMaps(NamedTuple):
    """Pictures of the weights of every head of a run, in the colors of a theme."""

    run: Run
    theme: Theme
    pictures: Mapping[HeadPlace, QImage]


def small_maps(run: Run, theme: Theme, before: SmallMaps | None, progress: Progress) -> SmallMaps:
    """Return pictures of the weights of every head, of at most SIDE × SIDE pixels; those of layers that are as in
    `before` are taken over.
    """
    known = None if before is None or before.theme != theme else before
    if known is not None and known.run is run:
        return known
    found: dict[HeadPlace, QImage] = {}
    for layer in range(run.model.num_layers):
        places = [HeadPlace(layer, head) for head in range(run.model.num_heads)]
        if known is not None and run.is_same(known.run, layer):
            found |= {place: known.pictures[place] for place in places}
        else:
            found |= zip(places, _pictures(run, layer, theme), strict=True)
        progress((layer + 1) / run.model.num_layers)
    return SmallMaps(run, theme, found)


def _pictures(run: Run, layer: int, theme: Theme) -> Iterator[QImage]:
    """Yield a picture of the weights of each head of a layer; cells that the mask closes have a color of their own."""
    weights, opened = np.asarray(run.attention(layer)), run.open_cells(layer)
    rows, columns = (min(side, SIDE) for side in weights.shape[1:])
    for head, own in enumerate(weights):
        # what was set by hand behind the mask is shown
        allowed = None if opened is None else (opened if opened.ndim == 2 else opened[head]) | (own != 0)
        values, seen = pool(own, allowed, rows, columns)
        yield weights_picture(values, own.shape[1], theme, seen)


def readings(run: Run, problem: Problem, key: str, progress: Progress) -> Mapping[HeadPlace, HeadNumber]:
    """Return a reading of every head; `problem` has the tokens and sizes that all unchanged layers share."""
    reading, found = READINGS[key], dict[HeadPlace, HeadNumber]()
    for layer, values in enumerate(head_numbers(run, problem, key, progress)):
        own = run.weights_problem(layer, problem)
        most = reading.most(own)
        for head, value in enumerate(values):
            share = value / most if most and np.isfinite(value) else 0.0
            written = reading.written(value) if reading.fits(own) else NOTHING
            found[HeadPlace(layer, head)] = HeadNumber(written, float(reading.shown(value)), share)
    return found


class ModelChange(NamedTuple):
    """The place of an intervention among those of its layer."""

    layer: int
    place: int


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A run with the changes of every layer, one without any, and what the grid shows of the first.

    `maps` are pictures of the weights of each head, `numbers` a reading of each where one is chosen.
    """

    study: Study
    edits: Mapping[int, LayerEdit]
    run: Run
    clean: Run
    maps: SmallMaps
    numbers: Mapping[HeadPlace, HeadNumber]
    wanted: WantedReading
    other: Run | ValueError | None
    """The second text, run with nothing changed; or why it cannot be run."""
    taken: Mapping[ModelChange, RowOrigin]
    """Of interventions whose cells are those of the second text, where they stand in it."""
    place: int
    """The token at which the prediction is read unless another one is chosen."""

    @property
    def second(self) -> Run | None:
        """The run of the second text, if there is one."""
        return self.other if isinstance(self.other, Run) else None


class WantedReading(NamedTuple):
    """The reading that is shown of every head, and the second text, each empty for none; the colors of pictures."""

    reading: str
    other: str
    theme: Theme


def answer(
    study: Study,
    problem: Problem,
    before: ModelResult | None,
    known: Run | None,
    wanted: WantedReading,
    progress: Progress,
) -> ModelResult:
    """Run the model; what an answer before, or a `known` run, has computed of the same text is taken over.

    Raises ValueError, one sentence, where a layer as it was changed no longer fits the model.
    """
    same = before if before is not None and before.study.is_of(study) else None
    if same is not None:
        clean, latest = same.clean, same.run
    elif known is not None and known.model is study.model:  # nothing is changed in it
        clean = latest = known
    else:
        clean = latest = study.model.run(study.text, progress=within(progress, 0, 3))
    edits = study.edits(problem)
    run = latest.replace(model=latest.model.with_edits(edits), progress=within(progress, 1, 3)) if edits else clean
    maps = small_maps(run, wanted.theme, same.maps if same else None, within(progress, 2, 3))
    numbers = _numbers(study, run, before, wanted.reading, progress)
    other = _other(study, before, wanted.other, progress)
    return ModelResult(study, edits, run, clean, maps, numbers, wanted, other, _taken(other, edits), asked_place(run))


def _numbers(
    study: Study, run: Run, before: ModelResult | None, key: str, progress: Progress
) -> Mapping[HeadPlace, HeadNumber]:
    """Return a reading of every head, where one is chosen."""
    if before is not None and before.run is run and before.wanted.reading == key:
        return before.numbers
    return readings(run, study.base, key, progress) if key else {}


def _other(study: Study, before: ModelResult | None, text: str, progress: Progress) -> Run | ValueError | None:
    """Return the run of the second text, once for all answers that show it."""
    if not text:
        return None
    if before is not None and before.wanted.other == text and before.study.model is study.model:
        return before.other
    try:
        return study.model.run(text, progress=progress)
    except ValueError as error:  # the first text is followed all the same
        return error


def _taken(other: Run | ValueError | None, edits: Mapping[int, LayerEdit]) -> Mapping[ModelChange, RowOrigin]:
    """Return the origin of the numbers that are set by hand, as far as it is the second text."""
    if not isinstance(other, Run):
        return {}
    records = {
        ModelChange(layer, place): one for layer, edit in edits.items() for place, one in enumerate(edit.interventions)
    }
    found = {change: origin_of(other, change.layer, record) for change, record in records.items()}
    return {change: origin for change, origin in found.items() if origin is not None}


def cosine_text(one: Run, other: Run) -> str:
    """Return the cosine between the embeddings of two runs."""
    first, second = one.embedding, other.embedding
    assert first is not None, "the model is one of sentences"
    assert second is not None, "both are of one model"
    with np.errstate(all="ignore"):
        return format_number(float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second))), 4)


# --- list of what is changed: switched, removed, a layer's heads off -------------------------------
IN_LAYER = N_("Interventions", "layer {layer}: {what}")
CELLS = N_("Interventions", "{cells} of {matrix} typed")
TAKEN = N_("Interventions", "{cells} ← second text, {token} ({row})")
TAKEN_ALL = N_("Interventions", "{cells} ← second text")
OTHER = N_("Interventions", "{matrix} changed")
HEADS_OFF = N_("History", "all heads of layer {layer} off")
HEADS_ON = N_("History", "all heads of layer {layer} on")

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
        panel.off.clicked.connect(self.switch_layer)

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
