"""Study as a record that a file holds, and back: the model is named by the hash of its weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import same
from attn_gui.engine.errors import FieldTypeError
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.problem_fields import assemble, split
from attn_gui.formats.sessions.study_record import LayerRecord, StudyRecord
from attn_gui.formats.snapshots.snapshot import Snapshot, with_weights
from attn_gui.models.model import Model, read_model
from attn_gui.models.passes.edited_layer import plain_layer, problem_of
from attn_gui.models.passes.layer_problem import weights_in
from attn_gui.models.studies.layer_edit import PRECISION, Cells, LayerEdit, with_precision
from attn_gui.models.studies.study import Placed, Study, placed

_ELSEWHERE = QT_TRANSLATE_NOOP(
    "Sentences", "The model {name} (SHA-256 {sha}…) is not where it was; open its folder, and then this file again."
)
_CHANGED = QT_TRANSLATE_NOOP(
    "Sentences",
    "The folder of the model {name} holds other numbers now (SHA-256 {got}…) than when this file was saved ({sha}…); "
    "open a folder that has those, and then this file again.",
)
_NO_LAYER = QT_TRANSLATE_NOOP("Sentences", "The session names layer {got}; the model {name} has {layers}.")
SHOWN = 12
"""Digits of a hash that a sentence shows."""


def record_of(
    study: Study, problem: Problem, view: Mapping[str, object], snapshots: tuple[Snapshot, ...]
) -> StudyRecord:
    """The record that a file keeps of a study, `problem` being the layer on the table.

    Nothing is run: a record holds no x but the changed cells of one, so that any x of its shape will do.
    """
    model, edits = study.model, study.edits(problem)
    layers = {number: _layer_record(edits[number], base) for number, base in study.plain(edits).items()}
    return StudyRecord(
        model.name,
        model.digest,
        str(model.folder.absolute()),
        study.text,
        study.layer,
        layers,
        dict(view),
        snapshots,
    )


def _layer_record(edit: LayerEdit, base: Problem) -> LayerRecord:
    """An edit with the options of the layer that it makes; arrays that only it has go as a whole, and so does a weight
    of which most cells are other. What was typed into x stays apart from it: the layers below may give another."""
    changed = edit.of(base)
    arrays, options = split(changed)
    known = with_precision(base, changed.dtype).arrays()
    cells = {
        name: (part.places, part.values)
        for name, part in edit.cells.items()
        if name == "x" or part.places.nbytes + part.values.nbytes < arrays[name].nbytes
    }
    whole = {
        name: array
        for name, array in arrays.items()
        if name not in cells and not (name in known and same(array, known[name]))
    }
    return LayerRecord(options, tuple(arrays), cells, whole)


def opened_study(record: StudyRecord, folders: Iterable[Path], tell: Tell) -> Placed:
    """The study of a record, with the first of these folders that holds its model.

    Raises FormatError where no folder does, or where the record does not fit it.
    """
    return study_in_model(record, model_of(record, folders), tell)


def study_in_model(record: StudyRecord, model: Model, tell: Tell, shown_layer: Problem | None = None) -> Placed:
    """The study of a record in its model; `shown_layer` is the layer on the table where the record does not hold it.

    Raises FormatError where the record does not fit the model.
    """
    for number in (*record.layers, record.layer):
        if number >= model.num_layers:
            raise FormatError(_NO_LAYER, got=number, name=shown(record.name), layers=model.num_layers)
    edits = {number: _edit(layer, _with_no_x(model, record.text, number)) for number, layer in record.layers.items()}
    if shown_layer is not None:
        below = {number: edit for number, edit in edits.items() if number < record.layer}
        base = model.run(record.text).problem(record.layer, model=model.with_edits(below))
        edits[record.layer] = LayerEdit.between(base, shown_layer)
    found = placed(model, record.text, record.layer, edits, tell)
    weights = cache(lambda layer: weights_at(model, record.text, layer))
    return found._replace(snapshots=tuple(with_weights(each, weights) for each in record.snapshots))


def weights_at(model: Model, text: str, layer: int) -> dict[str, Array]:
    """The weights of a layer by the dotted names of its problem; none where the model has no such layer."""
    if layer >= model.num_layers:
        return {}
    return weights_in(_with_no_x(model, text, layer), plain_layer(model.layers[layer]))


def _with_no_x(model: Model, text: str, number: int) -> Problem:
    """A layer of an x that no record's cells are alike: its own need not be there, as where a layer below it was
    changed so that no text runs through it. A NaN of these bits comes from no keyboard and no computation."""
    sequence = model.read(text)
    x = np.full((len(sequence.ids), model.sizes.d_model), -1, np.int32).view(np.float32)
    return problem_of(plain_layer(model.layers[number]), x, sequence, ())


def _edit(record: LayerRecord, base: Problem) -> LayerEdit:
    arrays = with_precision(base, record.options.get(PRECISION, base.dtype)).arrays()
    kept = {name: arrays[name] for name in record.names if name in arrays}
    put = {name: Cells(*cells).put_into(arrays[name]) for name, cells in record.cells.items() if name in arrays}
    try:
        return LayerEdit.between(base, assemble({**kept, **put, **record.whole}, record.options)[0])
    except FieldTypeError as error:  # of a foreign file; whoever opens it shows what is a ValueError
        raise FormatError(error.template, **error.values) from error


def model_of(record: StudyRecord, folders: Iterable[Path]) -> Model:
    """The model of a record, in its own folder or one of these. Raises FormatError where none holds it; where its own
    folder is there, but not what it was, that is what is said."""
    own, names = Path(record.folder), {"name": shown(record.name), "sha": record.sha256[:SHOWN]}
    why = FormatError(_ELSEWHERE, **names)
    for folder in dict.fromkeys((own, *folders)):
        try:
            model = read_model(folder, name=names["name"])
        except FormatError as error:
            why = error if folder == own and folder.is_dir() else why
            continue
        if model.digest == record.sha256:
            return model
        if folder == own:
            why = FormatError(_CHANGED, **names, got=model.digest[:SHOWN])
    raise why
