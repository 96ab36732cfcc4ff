"""A layer of a model on the table: the text read first, edited layers, its record in a session, a model moved away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Progress
from attn_gui.engine.checks import same
from attn_gui.engine.errors import FieldTypeError
from attn_gui.engine.problem import Problem
from attn_gui.formats.file_messages import FormatError, shown
from attn_gui.formats.problem_fields import assemble, split
from attn_gui.formats.session import LayerRecord, StudyRecord
from attn_gui.formats.snapshots import Snapshot, with_weights
from attn_gui.languages import N_
from attn_gui.models.changed_layers import (
    PRECISION,
    ChangedCells,
    LayerEdit,
    plain_layer,
    problem_of,
    weights_in,
    with_precision,
)
from attn_gui.models.model import Model, Run, read_model

CAUSAL = "When Mary and John went to the store, John gave a drink to"
FILLED = "The capital of France is {mask}."
READ = "The animal did not cross the street because it was too tired."
LETTERS = "q w e r t y q w e r"  # for a model that knows letters only: the second half repeats the first

_ELSEWHERE = N_("The model {name} (SHA-256 {sha}…) is not where it was; open its folder, and then this file again.")
_CHANGED = N_(
    "The folder of the model {name} holds other numbers now (SHA-256 {got}…) than when this file was saved ({sha}…); "
    "open a folder that has those, and then this file again.",
)
_NO_LAYER = N_("The session names layer {got}; the model {name} has {layers}.")
SHOWN = 12  # digits of a hash that a sentence shows


# --- sample texts: what a model reads until it is given another text --------------------------------
def sample_text(model: Model) -> str:
    """Return the sample text that a model cuts into the most different tokens, since it knows these words."""
    mask = model.tokenizer.mask_token
    sentence = CAUSAL if model.sizes.causal else READ if mask is None or model.ends.head is None else FILLED
    texts = (sentence.format(mask=mask), LETTERS, LETTERS[0])

    def distinct_tokens(text: str) -> int:
        ids = model.tokenizer.cut((text,)).ids
        return len(set(ids)) if len(ids) <= model.sizes.most_tokens else 0

    return max(texts, key=distinct_tokens)


@dataclass(frozen=True, eq=False)
class Study:
    """A place in a model: its text, the layer on the table, and the edits of the other layers.

    `base` is the layer on the table without its edit, for the x that the layers below give. The edited layer itself is
    the problem of the document.
    """

    model: Model
    text: str
    layer: int
    base: Problem
    others: Mapping[int, LayerEdit]

    @property
    def weights(self) -> dict[str, Array]:
        """The weights of the layer on the table without its edit, by dotted name of the field."""
        return weights_in(self.base, plain_layer(self.model.layers[self.layer]))

    def edits(self, problem: Problem) -> dict[int, LayerEdit]:
        """Return the edits of all layers; `problem` is the layer on the table."""
        own = LayerEdit.between(self.base, problem)
        found = {**self.others, self.layer: own}
        return {layer: found[layer] for layer in sorted(found) if found[layer]}

    def is_of(self, other: Study) -> bool:
        """Return whether both are of the same text and model."""
        return self.model is other.model and self.text == other.text

    def at(self, problem: Problem, layer: int, progress: Progress, known: Run | None = None) -> OpenedStudy:
        """Put another layer on the table; layers of `known`, a run of the text, are used where they are the same."""
        return open_layer(self.model, self.text, layer, self.edits(problem), progress, known)

    def with_text(self, problem: Problem, text: str, progress: Progress) -> OpenedStudy:
        """Read another text. Raises ValueError where an edit does not fit it, since no file could hold that."""
        found = open_layer(self.model, text, self.layer, self.edits(problem), progress)
        for number, base in found.study.plain(found.study.others).items():
            found.study.others[number].of(base)
        return found

    def plain(self, layers: Iterable[int]) -> dict[int, Problem]:
        """Return layers without their edits, for an x of the right shape that is not theirs."""
        sequence = self.model.read(self.text)
        x = self.base.x
        assert x is not None, "it was made from one"
        return {layer: problem_of(plain_layer(self.model.layers[layer]), x, sequence, ()) for layer in layers}

    def with_edits(self, edits: Mapping[int, LayerEdit], progress: Progress, known: Run | None = None) -> OpenedStudy:
        """Replace all edits, with those of the layer on the table; `known` as in `at`."""
        return open_layer(self.model, self.text, self.layer, edits, progress, known)


class OpenedStudy(NamedTuple):
    """A study, the problem of its layer on the table in memory of its own, and a run of the text.

    `snapshots` are those that a file kept with it.
    """

    study: Study
    problem: Problem
    run: Run
    snapshots: tuple[Snapshot, ...] = ()


def open_layer(
    model: Model, text: str, layer: int, edits: Mapping[int, LayerEdit], progress: Progress, known: Run | None = None
) -> OpenedStudy:
    """Return a layer of a model that reads a text, with edits of some layers. Raises ValueError for what does not fit.

    `known` is a run of the text through the model, with any edits; without one the unedited model is run.
    """
    run = model.run(text, progress=progress) if known is None else known
    below = {number: edit for number, edit in edits.items() if number < layer}
    base = run.problem(layer, model=run.model.with_edits(below), progress=progress)
    others = {number: edit for number, edit in edits.items() if number != layer and edit}
    problem = edits.get(layer, LayerEdit()).of(base)
    return OpenedStudy(Study(model, text, layer, base, others), problem.replace(), run)


# --- record ---------------------------------------------------------------------------------------
def record_of(
    study: Study, problem: Problem, view: Mapping[str, object], snapshots: tuple[Snapshot, ...]
) -> StudyRecord:
    """Return the record that a file keeps of a study; `problem` is the layer on the table.

    Nothing is run: a record has no x, only its changed cells, so that any x of the right shape will do.
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
    """Return an edit with the options of the edited layer.

    Arrays that only it has, and weights of which most cells differ, are stored whole. Cells typed into x are stored
    apart from it, since the layers below may give another x.
    """
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


def opened_study(record: StudyRecord, folders: Iterable[Path], progress: Progress) -> OpenedStudy:
    """Return the study of a record, with the first of these folders that holds its model.

    Raises FormatError where no folder does, or where the record does not fit it.
    """
    return study_in_model(record, model_of(record, folders), progress)


def study_in_model(
    record: StudyRecord, model: Model, progress: Progress, shown_layer: Problem | None = None
) -> OpenedStudy:
    """Return the study of a record in its model; `shown_layer` is the layer on the table if the record does not hold
    it.

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
    found = open_layer(model, record.text, record.layer, edits, progress)
    weights = cache(lambda layer: weights_at(model, record.text, layer))
    return found._replace(snapshots=tuple(with_weights(each, weights) for each in record.snapshots))


def weights_at(model: Model, text: str, layer: int) -> dict[str, Array]:
    """Return the weights of a layer by the dotted names of its problem; {} where the model has no such layer."""
    if layer >= model.num_layers:
        return {}
    return weights_in(_with_no_x(model, text, layer), plain_layer(model.layers[layer]))


def _with_no_x(model: Model, text: str, number: int) -> Problem:
    """Return a layer for an x of NaN with certain bits, which equals no cell of a record.

    Its own x may not exist, as where an edit of a layer below lets no text through. No keyboard and no computation
    gives a NaN of these bits.
    """
    sequence = model.read(text)
    x = np.full((len(sequence.ids), model.sizes.d_model), -1, np.int32).view(np.float32)
    return problem_of(plain_layer(model.layers[number]), x, sequence, ())


def _edit(record: LayerRecord, base: Problem) -> LayerEdit:
    arrays = with_precision(base, record.options.get(PRECISION, base.dtype)).arrays()
    kept = {name: arrays[name] for name in record.names if name in arrays}
    put = {name: ChangedCells(*cells).put_into(arrays[name]) for name, cells in record.cells.items() if name in arrays}
    try:
        return LayerEdit.between(base, assemble({**kept, **put, **record.whole}, record.options)[0])
    except FieldTypeError as error:  # of a foreign file; whoever opens it shows what is a ValueError
        raise FormatError(error.template, **error.values) from error


def model_of(record: StudyRecord, folders: Iterable[Path]) -> Model:
    """Return the model of a record, from its own folder or one of these.

    Raises FormatError where none holds it; where its own folder exists but has changed, the sentence says that.
    """
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
