"""Study of a model as a session holds it: which checkpoint by its hash, the text, and what is changed in its layers.

No weights go with it but those that were changed. `study.LAYER.places.NAME` and `study.LAYER.values.NAME` are changed
cells of an array, flat, and `study.LAYER.whole.NAME` arrays that are other as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json
from attn_gui.formats.problem_fields import is_field
from attn_gui.formats.snapshots.snapshot import Snapshot

ENTRY = "study"
LONGEST = 1 << 20
"""Letters of a text."""
MOST_LAYERS, MOST_ARRAYS = 1000, 1000
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
_NAME = re.compile(r"study\.(0|[1-9][0-9]{0,3})\.(places|values|whole)\.(.+)")
_SHA = re.compile(r"[0-9a-f]{64}")
_DAMAGED = QT_TRANSLATE_NOOP("Sentences", "{file}: what it says about its model is damaged.")
_NEEDED = QT_TRANSLATE_NOOP(
    "Sentences", "{file} is a session of the model {name}, whose folder it needs; the window opens it with that."
)


@dataclass(frozen=True, eq=False)
class LayerRecord:
    """A changed layer: its options and the names of all its arrays, changed cells (places, values) and whole arrays."""

    options: Mapping[str, Json]
    names: tuple[str, ...]
    cells: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    whole: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StudyRecord:
    """A checkpoint by name, folder and SHA-256 of its weights, the text, the layer on show, the changed layers."""

    name: str
    sha256: str
    folder: str
    text: str
    layer: int
    layers: Mapping[int, LayerRecord]
    view: Mapping[str, object] = field(default_factory=dict)
    snapshots: tuple[Snapshot, ...] = ()


class ModelNeeded(FormatError):
    """A session that can be opened with its model alone; `record` says with which."""

    def __init__(self, record: StudyRecord) -> None:
        super().__init__(_NEEDED, name=shown(record.name))
        self.record = record


def entries(record: StudyRecord) -> tuple[dict[str, Array], dict[str, Json]]:
    """The arrays of a session that hold a study, and its words."""
    arrays: dict[str, Array] = {}
    for number, layer in record.layers.items():
        for name, (places, values) in layer.cells.items():
            arrays[f"{ENTRY}.{number}.places.{name}"] = places.astype(np.int64, copy=False)
            arrays[f"{ENTRY}.{number}.values.{name}"] = values
        arrays |= {f"{ENTRY}.{number}.whole.{name}": array for name, array in layer.whole.items()}
    words = {"name": record.name, "sha256": record.sha256, "folder": record.folder, "text": record.text}
    told = {
        str(number): {"options": dict(layer.options), "arrays": list(layer.names)}
        for number, layer in record.layers.items()
    }
    return arrays, {**words, "layer": record.layer, "layers": told}


def study_in(
    arrays: Mapping[str, Array], words: Json, view: Mapping[str, object], snapshots: tuple[Snapshot, ...]
) -> StudyRecord:
    """The study that a session holds. Raises FormatError where it is damaged."""
    _require(isinstance(words, dict))
    name, sha256, folder, text = texts = [words.get(key) for key in ("name", "sha256", "folder", "text")]
    layer, told = words.get("layer"), words.get("layers")
    _require(all(isinstance(text, str) and len(text) <= LONGEST for text in texts))
    _require(_SHA.fullmatch(sha256) is not None and type(layer) is int and 0 <= layer < MOST_LAYERS)
    _require(isinstance(told, dict) and len(told) <= MOST_LAYERS)
    _require(all(_NUMBER.fullmatch(number) is not None for number in told))
    parts: dict[int, dict[str, dict[str, Array]]] = {
        int(number): {"places": {}, "values": {}, "whole": {}} for number in told
    }
    for label, array in arrays.items():
        found = _NAME.fullmatch(label)
        _require(found is not None and is_field(found[3]) and int(found[1]) in parts)
        assert found is not None
        parts[int(found[1])][found[2]][found[3]] = array
    layers = {number: _layer(told[str(number)], part) for number, part in parts.items()}
    return StudyRecord(name, sha256, folder, text, layer, layers, view, snapshots)


def _layer(words: Json, part: Mapping[str, Mapping[str, Array]]) -> LayerRecord:
    _require(isinstance(words, dict))
    options, names = words.get("options"), words.get("arrays")
    _require(isinstance(options, dict) and isinstance(names, list) and len(names) <= MOST_ARRAYS)
    _require(all(isinstance(name, str) and is_field(name) for name in names))
    places, values = part["places"], part["values"]
    _require(places.keys() == values.keys())
    for name in places:
        fits = places[name].dtype == np.int64 and places[name].ndim == 1 and values[name].shape == places[name].shape
        _require(fits and bool((places[name] >= 0).all()))
    cells = {name: (places[name], values[name]) for name in places}
    return LayerRecord(options, tuple(names), cells, dict(part["whole"]))


def is_entry(name: str) -> bool:
    """Whether an array of this name belongs to the study of a session."""
    return name.startswith(f"{ENTRY}.")


def _require(fits: bool) -> None:
    if not fits:
        raise FormatError(_DAMAGED)
