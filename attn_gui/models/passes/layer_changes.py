"""Interventions of a model: those of a problem, each with the layer that it is carried out in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import kind_of
from attn_gui.engine.errors import FieldError, FieldTypeError, StageError
from attn_gui.engine.graph.intervention_nodes import changed_cells
from attn_gui.engine.interventions import Intervention, settled
from attn_gui.engine.stages import STAGE
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

NO_LAYER = QT_TRANSLATE_NOOP("Sentences", "There is no layer {got}; the model has {layers}, counted from 0.")
_NO_NUMBER = QT_TRANSLATE_NOOP("Sentences", "{field} must name its layer, a whole number; got {got}.")
LAYER = "layer"


class LayerChange(NamedTuple):
    """An intervention in one layer."""

    layer: int
    record: Intervention

    def to_mapping(self) -> dict[str, Any]:
        """The mapping that it is made of."""
        return {LAYER: self.layer, **self.record.to_mapping()}


def layer_changes(given: object, layers: int) -> tuple[LayerChange, ...]:
    """Records from mappings, {"layer", "kind", "stage", "at", …}. Raises FieldError or FieldTypeError."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        raise FieldTypeError(sentences.NOT_INTERVENTIONS, field="interventions", got=kind_of(given))
    places, records = [], []
    for number, one in enumerate(given):
        layer, record = _parted(Intervention.name_at(number), one)
        if isinstance(layer, bool) or not isinstance(layer, (int, np.integer)):
            raise FieldTypeError(_NO_NUMBER, field=Intervention.name_at(number), got=kind_of(layer))
        places.append(checked_layer(int(layer), layers))
        records.append(record)
    found = settled(records, np.dtype(np.float32), copy=True)
    return tuple(LayerChange(*pair) for pair in zip(places, found, strict=True))


def checked_layer(number: int, layers: int) -> int:
    """The number of a layer. Raises FieldError for one that is not there."""
    if not 0 <= number < layers:
        raise FieldError(NO_LAYER, got=number, layers=layers)
    return number


def _parted(field: str, one: object) -> tuple[Any, Any]:
    if isinstance(one, LayerChange):
        return one
    if not isinstance(one, Mapping):
        raise FieldTypeError(sentences.NOT_RECORD, field=field, got=kind_of(one))
    return one.get(LAYER), {name: value for name, value in one.items() if name != LAYER}


class LayerHand:
    """The interventions of one layer, carried out stage by stage."""

    def __init__(self, records: Iterable[tuple[int, Intervention]]) -> None:
        """`records`: each with its place among all of the run, by which sentences name it."""
        self._records = tuple(records)
        self._stages: list[str] = []

    def __call__(self, stage: str, cells: Array) -> Array:
        """A stage as computed, in what follows it as changed; cells without the batch axis."""
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
        """Raise StageError where a walk that was to end at a stage did not come by it."""
        if stage not in self._stages:
            raise StageError(sentences.NO_STAGE, stage=stage, choices=tuple(self._stages))

    def check(self) -> None:
        """Raise FieldError, after the last stage, for a record of a stage that the layer does not have."""
        for number, record in self._records:
            if record.stage not in self._stages:
                field = f"{record.name_at(number)}.stage"
                raise FieldError(sentences.NOT_A_STAGE, field=field, choices=tuple(self._stages), got=record.stage)
