"""Layers of a model changed by hand or in their weights, computed as problems; the sentence on one that does
not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array, Progress, silent
from attn_gui.engine.checks import kind_of, same
from attn_gui.engine.errors import FieldError, FieldTypeError, StageError
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.fields import leaves_of, with_leaves
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import changed_cells
from attn_gui.engine.interventions import Intervention, normalized_interventions
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_messages import shape_text
from attn_gui.languages import N_
from attn_gui.models.forward_pass import ModelLayer, by_heads, run_block
from attn_gui.models.tokenizer import TokenSequence

NO_LAYER = N_("There is no layer {got}; the model has {layers}, counted from 0.")
_NO_NUMBER = N_("{field} must name its layer, a whole number; got {got}.")
LAYER = "layer"

PROJECTIONS = ("query", "key", "value", "output")
TOP = (*(f"w_{part}" for part in PROJECTIONS), *(f"b_{part}" for part in PROJECTIONS), "query_norm", "key_norm")
"""The numbers of a layer that are fields of a problem; the others belong to its block."""

BY_HAND = "interventions"  # the field of a problem that is shown record by record
PRECISION = "dtype"

_HEADS = N_(
    "Layer {layer} as it was changed has {got} heads; every layer of the model has {expected}.",
)
_SHAPE = N_(
    "Layer {layer} as it was changed gives an output of {got}; the model goes on from {expected} only.",
)

Records = Sequence[tuple[int, Intervention]]  # Interventions, each with its place among all of a run


# --- interventions --------------------------------------------------------------------------------
class LayerChange(NamedTuple):
    """An intervention in one layer of a model."""

    layer: int
    record: Intervention

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping that makes this record."""
        return {LAYER: self.layer, **self.record.to_mapping()}


def layer_changes(given: object, layers: int) -> tuple[LayerChange, ...]:
    """Return records from mappings, {"layer", "kind", "stage", "at", …}. Raises FieldError or FieldTypeError."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        raise FieldTypeError(errors.NOT_INTERVENTIONS, field="interventions", got=kind_of(given))
    places, records = [], []
    for number, one in enumerate(given):
        layer, record = _parted(Intervention.name_at(number), one)
        if isinstance(layer, bool) or not isinstance(layer, (int, np.integer)):
            raise FieldTypeError(_NO_NUMBER, field=Intervention.name_at(number), got=kind_of(layer))
        places.append(checked_layer(int(layer), layers))
        records.append(record)
    found = normalized_interventions(records, np.dtype(np.float32), copy=True)
    return tuple(LayerChange(*pair) for pair in zip(places, found, strict=True))


def checked_layer(number: int, layers: int) -> int:
    """Return the number of a layer. Raises FieldError for one that is not there."""
    if not 0 <= number < layers:
        raise FieldError(NO_LAYER, got=number, layers=layers)
    return number


def _parted(field: str, one: object) -> tuple[Any, Any]:
    if isinstance(one, LayerChange):
        return one
    if not isinstance(one, Mapping):
        raise FieldTypeError(errors.NOT_RECORD, field=field, got=kind_of(one))
    return one.get(LAYER), {name: value for name, value in one.items() if name != LAYER}


class LayerInterventions:
    """The interventions of one layer, carried out stage by stage in a forward pass."""

    def __init__(self, records: Iterable[tuple[int, Intervention]]) -> None:
        """Keep (position, record) pairs; sentences name a record by its position among all of the run."""
        self._records = tuple(records)
        self._stages: list[str] = []

    def __call__(self, stage: str, cells: Array) -> Array:
        """Return the cells of a stage after its interventions, without the batch axis."""
        self._stages.append(stage)
        mine = [(number, record) for number, record in self._records if record.stage == stage]
        if not mine:
            return cells
        axes, computed = STAGE[stage].axes, cells[None]
        changed = np.array(computed)
        for number, record in mine:
            record.fit(record.name_at(number), axes, changed.shape)
            if record.enabled:
                box = record.box(axes, changed.shape)
                origin = record.origin(box, axes)
                taken = None if origin is None else computed[origin]
                changed[box] = changed_cells(STAGE[stage], record, changed[box], record.cells, taken)
        return np.asarray(changed[0])

    def check_stage(self, stage: str) -> None:
        """Raise StageError where a forward pass that was to end at a stage did not come to it."""
        if stage not in self._stages:
            raise StageError(errors.NO_STAGE, stage=stage, choices=tuple(self._stages))

    def check(self) -> None:
        """Raise FieldError, after the last stage, for a record of a stage that the layer does not have."""
        for number, record in self._records:
            if record.stage not in self._stages:
                field = f"{record.name_at(number)}.stage"
                raise FieldError(errors.NOT_A_STAGE, field=field, choices=tuple(self._stages), got=record.stage)


# --- a layer as a problem -------------------------------------------------------------------------
def layer_problem(layer: ModelLayer, x: Array, sequence: TokenSequence, records: Sequence[Intervention]) -> Problem:
    """Return the problem that computes the layer from its x, in float32 as the model does."""
    sizes, weights = layer.sizes, layer.weights
    fields: dict[str, Any] = {name: weights[name] for name in TOP if name in weights}
    if sizes.frequencies is not None:
        fields["rotary_frequencies"] = sizes.frequencies
    if "query_norm" in weights:
        fields["qk_norm_eps"] = sizes.norm_eps
    if layer.scale != sizes.d_head**-0.5:
        fields["scale"] = layer.scale
    own = {name: array for name, array in weights.items() if name not in TOP}
    rules = {"kind": sizes.kind, "norm": sizes.norm, "norm_eps": sizes.norm_eps, "activation": sizes.activation}
    found = Problem.of(
        {
            **fields,
            "x": x,
            "block": own | rules,
            "num_heads": sizes.num_heads,
            "num_kv_heads": sizes.num_kv_heads,
            "mask": sequence.mask_layers(sizes, layer.window),
            "interventions": list(records),
            "query_tokens": sequence.texts,
            "dtype": "float32",
        }
    )
    return _over_opened(layer, found)


def weights_in(problem: Problem, layer: ModelLayer) -> dict[str, Array]:
    """Return the numbers of a layer's problem by dotted name, without those that are no weight of the model."""
    arrays, names = problem.arrays(), (name if name in TOP else f"block.{name}" for name in layer.weights)
    return {name: arrays[name] for name in names}


def _over_opened(layer: ModelLayer, problem: Problem) -> Problem:
    """Return a problem over the weights of others of the same layer, since a history may hold many."""
    shared = {
        leaf: layer.opened.setdefault(leaf, own if own.base is None else own.base)
        for leaf, own in weights_in(problem, layer).items()
    }
    return Problem.over(with_leaves(problem, shared))


# --- changed weights ------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class ChangedCells:
    """Changed cells of an array: flat places and numbers, both (count,)."""

    places: Array
    values: Array

    def is_like(self, other: ChangedCells) -> bool:
        """Return whether both have the same numbers in the same places."""
        return same(self.places, other.places) and same(self.values, other.values)

    def put_into(self, array: Array) -> Array:
        """Return a copy of an array with these cells in it; those beyond its end are left out."""
        found = np.array(array, order="C")
        inside = self.places < found.size
        found.reshape(-1)[self.places[inside]] = self.values[inside]
        return found


@dataclass(frozen=True, eq=False)
class LayerEdit:
    """Edits of one layer: cells of arrays by dotted name, and fields that differ as a whole.

    Cells are kept apart from their array, so that an edit of x still holds when the layers below give another x.
    """

    cells: Mapping[str, ChangedCells] = field(default_factory=dict)
    fields: Mapping[str, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is any edit."""
        return bool(self.cells or self.fields)

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        """The layer's interventions, in order."""
        found = self.fields.get(BY_HAND, ())
        assert isinstance(found, tuple)
        return found

    def with_field(self, name: str, value: object) -> LayerEdit:
        """Return the edit with another value of a field."""
        return LayerEdit(self.cells, {**self.fields, name: value})

    def without(self, name: str) -> LayerEdit:
        """Return the edit with an array, or a field, as the model has it."""
        cells = {known: part for known, part in self.cells.items() if known != name}
        return LayerEdit(cells, {known: part for known, part in self.fields.items() if known != name})

    def passed_down(self, name: str, slopes: Array) -> Array:
        """Return a gradient by an array as that by the model's own cells: 0 where other numbers were typed."""
        typed = self.cells.get(name)
        return slopes if typed is None else ChangedCells(typed.places, np.zeros(len(typed.places))).put_into(slopes)

    def is_like(self, other: LayerEdit) -> bool:
        """Return whether both edits are the same, bit for bit."""
        fields, cells = self.fields.keys() == other.fields.keys(), self.cells.keys() == other.cells.keys()
        return (
            fields
            and cells
            and all(same(value, other.fields[name]) for name, value in self.fields.items())
            and all(part.is_like(other.cells[name]) for name, part in self.cells.items())
        )

    @classmethod
    def between(cls, base: Problem, problem: Problem) -> LayerEdit:
        """Return the edit that turns `base` into `problem`, bit for bit.

        Another precision is one field: as cells, all of x would stay what it is for this text and the layers below.
        """
        precision = {} if base.dtype == problem.dtype else {PRECISION: problem.dtype}
        old, new = leaves_of(with_precision(base, problem.dtype)), leaves_of(problem)
        whole = {_root(name) for name in old.keys() ^ new.keys()}
        whole |= {_root(name) for name in old.keys() & new.keys() if not _alike(old[name], new[name])}
        cells = {
            name: _cells(old[name], new[name])
            for name in new
            if _root(name) not in whole and isinstance(new[name], np.ndarray) and not same(old[name], new[name])
        }
        kept = problem.replace() if whole else problem  # whoever writes into the arrays of `problem` leaves those alone
        return cls(cells, precision | {root: getattr(kept, root) for root in sorted(whole)})

    def of(self, base: Problem) -> Problem:
        """Return `base` with this edit. Raises ShapeError or another ValueError where they do not fit together."""
        if not self:
            return base
        base = with_precision(base, self.fields.get(PRECISION, base.dtype))
        arrays = leaves_of(base)
        put = {name: cells.put_into(arrays[name]) for name, cells in self.cells.items() if name in arrays}
        return Problem.of({**with_leaves(base, put), **self.fields})


def with_precision(base: Problem, dtype: object) -> Problem:
    """Return a problem in another precision; itself where it has that. Raises ValueError for an unknown one."""
    return base if base.dtype == dtype else base.replace(**{PRECISION: dtype})


def _root(name: str) -> str:
    return name.partition(".")[0]


def _alike(old: Any, new: Any) -> bool:
    """Return whether two values differ in cells only, if at all."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return bool(old.shape == new.shape and old.dtype == new.dtype)
    return same(old, new)


def _cells(old: Array, new: Array) -> ChangedCells:
    mine, theirs = (np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}") for array in (new, old))
    places = np.flatnonzero(mine != theirs)
    return ChangedCells(places, np.ascontiguousarray(new).reshape(-1)[places])


# --- changed layer --------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class EditedLayer:
    """A layer of the model with its edit."""

    plain: ModelLayer
    edit: LayerEdit

    @property
    def number(self) -> int:
        return self.plain.number


AnyLayer = ModelLayer | EditedLayer


def edited(layer: AnyLayer, edit: LayerEdit | None) -> AnyLayer:
    """Return a layer with another edit; itself where that is the same."""
    plain = plain_layer(layer)
    if not edit:
        return plain
    return layer if isinstance(layer, EditedLayer) and layer.edit.is_like(edit) else EditedLayer(plain, edit)


def plain_layer(layer: AnyLayer) -> ModelLayer:
    """Return a layer without its edit."""
    return layer.plain if isinstance(layer, EditedLayer) else layer


def problem_of(layer: AnyLayer, x: Array, sequence: TokenSequence, records: Records) -> Problem:
    """Return a layer as a problem of the engine. Raises ValueError where its edit no longer fits its x."""
    if not isinstance(layer, EditedLayer):
        return layer_problem(layer, x, sequence, [record for _, record in records])
    found = layer.edit.of(layer_problem(layer.plain, x, sequence, ()))
    mine = tuple(record for _, record in records)
    return found.replace(interventions=(*found.interventions, *mine)) if mine else found


def stage_cells(
    layer: AnyLayer,
    x: Array,
    sequence: TokenSequence,
    records: Records,
    until: str | None = None,
    progress: Progress = silent,
) -> Array:
    """Return a stage of a layer without the batch axis, or the block's output.

    Raises FieldError for a stage that the layer does not have, and where the next layer could not read the output.
    """
    if isinstance(layer, EditedLayer):
        problem = problem_of(layer, x, sequence, records)
        return _output(layer, problem, x, progress) if until is None else _whole(evaluation_of(problem), until)
    changes = LayerInterventions(records)
    found = run_block(layer, x, sequence.seen(layer.sizes, layer.window), changes, until)
    if until is None:
        changes.check()
    else:
        changes.check_stage(until)
    return found


def open_cells(layer: AnyLayer, x: Array, sequence: TokenSequence, records: Records) -> Array | None:
    """Return the cells of a layer's maps that its mask leaves open, (query, key) or (head, query, key) booleans; None
    for all. Of an edited layer also those that a number set behind the mask opens."""
    if not isinstance(layer, EditedLayer):
        return sequence.seen(layer.sizes, layer.window)
    problem = problem_of(layer, x, sequence, records)
    evaluation = evaluation_of(problem)
    if not evaluation.closes:
        return None
    return np.asarray(evaluation.fetch(str(evaluation.mask), indices.whole(problem.map_shape))[0])


def read_as(layer: EditedLayer, x: Array, sequence: TokenSequence, records: Records, side: str) -> Array:
    """Return Q, K or V of an edited layer as its scores and results read them, (head, row, column)."""
    problem = problem_of(layer, x, sequence, records)
    evaluation = evaluation_of(problem)
    cells = _whole(evaluation, evaluation.latest[side])
    heads = problem.num_heads if side == "query" else problem.kv_heads
    return by_heads(cells, cells.shape[-1] // heads)


def _output(layer: EditedLayer, problem: Problem, x: Array, progress: Progress) -> Array:
    _check_goes_on(layer, problem, x)
    evaluation = evaluation_of(problem)
    evaluation.complete(
        progress=lambda done, count: progress(done / count)
    )  # of a long one part by part, until stopped
    return _whole(evaluation, evaluation.stages[-1])


def _check_goes_on(layer: EditedLayer, problem: Problem, x: Array) -> None:
    """Raise FieldError where the next layer could not read this one's output, before computing it."""
    if "num_heads" in layer.edit.fields:  # pages go head by head
        expected = layer.plain.sizes.num_heads
        raise FieldError(_HEADS, layer=layer.number, got=problem.num_heads, expected=expected)
    laid_out = DenseEvaluation(problem, keep=0)
    items, *got = laid_out.shape(laid_out.stages[-1])
    if items > 1 or tuple(got) != x.shape:
        shown = (items, *got) if items > 1 else tuple(got)
        raise FieldError(_SHAPE, layer=layer.number, got=shape_text(shown), expected=shape_text(x.shape))


def _whole(evaluation: Evaluation, stage: str) -> Array:
    with np.errstate(over="ignore"):  # it may have been computed in float64
        return np.asarray(evaluation.box(stage, indices.whole(evaluation.shape(stage)))[0], np.float32)
