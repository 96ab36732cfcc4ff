"""Snapshots as a session holds them: arrays that all of them share, and words. Imports engine.

`snapshots.base.K` are the arrays that they stand on; `snapshots.table` (rows, 2) says of each array of each snapshot,
in order, on which base it stands and how many of its cells differ; `snapshots.places` are those cells, flat, and
`snapshots.cells` the bytes of their numbers. The option `snapshots` lists name, note, layer of a model
and names of arrays of each; and `weights`, those of its arrays that stand on a weight of the model: layer, field and
kind of numbers, in place of a base, whose number is −1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json
from attn_gui.formats.problem_fields import is_field
from attn_gui.formats.snapshots.snapshot import OPTIONS, PLACE, Base, Cells, Layer, Snapshot, Weight, alone

MOST = 500
"""Snapshots in a session."""

LONGEST_NAME, LONGEST_NOTE = 200, 10_000
"""Letters."""

ENTRY = "snapshots"
_BASE, _TABLE, _PLACES, _CELLS = (f"{ENTRY}.{name}" for name in ("base.", "table", "places", "cells"))
OF_MODEL = -1
"""In the table, in place of the number of a base."""
KINDS = ("float32", "float64")
DAMAGED = QT_TRANSLATE_NOOP("Sentences", "The snapshots in the file are damaged; they were left out.")


def is_entry(name: str) -> bool:
    """Whether an array of this name belongs to the snapshots of a session."""
    return name.startswith(f"{ENTRY}.")


def entries(snapshots: Sequence[Snapshot], *, of_model: bool = False) -> tuple[dict[str, Array], list[Json]]:
    """The arrays of a session that hold these snapshots, and their words; one `of_model` has no weights of it."""
    told = snapshots if of_model else [_without_model(each) for each in snapshots]
    parts = [part for each in told for part in each.parts.values()]
    bases = {id(part.base): part.base for part in parts if part.weight is None}
    numbers = {key: number for number, key in enumerate(bases)}
    table = np.array([(numbers.get(id(part.base), OF_MODEL), part.places.size) for part in parts], PLACE).reshape(-1, 2)
    arrays = {f"{_BASE}{number}": base for number, base in enumerate(bases.values())}
    arrays |= {
        _TABLE: table,
        _PLACES: np.concatenate([np.empty(0, PLACE), *(part.places for part in parts)]),
        _CELLS: np.concatenate([np.empty(0, np.uint8), *(_bytes(part.values) for part in parts)]),
    }
    return dict(each for each in arrays.items() if each[1].size), [_words(each) for each in told]


def _without_model(snapshot: Snapshot) -> Snapshot:
    """A snapshot that holds the weights of its model itself: the file is of none."""
    if all(part.weight is None for part in snapshot.parts.values()):
        return snapshot
    parts = {name: part if part.weight is None else alone(part.array()) for name, part in snapshot.parts.items()}
    return replace(snapshot, parts=parts)


def _words(snapshot: Snapshot) -> dict[str, Json]:
    said: dict[str, Json] = {"name": snapshot.name, "note": snapshot.note, "by_itself": snapshot.by_itself}
    of_model: dict[str, Json] = {} if snapshot.layer is None else {"layer": [*snapshot.layer]}
    weights = {name: [*part.weight, part.values.dtype.name] for name, part in snapshot.parts.items() if part.weight}
    return said | of_model | ({"model_weights": weights} if weights else {}) | {"arrays": [*snapshot.parts]}


def snapshots_in(arrays: Mapping[str, Array], words: Json) -> tuple[Snapshot, ...]:
    """The snapshots that a session holds; nothing is put together before all of it fits. Raises FormatError.

    Those of a model are without its weights until `with_weights` gives them.
    """
    listed = list(_listed(words))
    weights = [weight for _, named in listed for weight in named.values()]
    bases = _shared(arrays)
    table, places, cells = (
        arrays.get(name, np.empty(shape, kind))
        for name, shape, kind in ((_TABLE, (0, 2), PLACE), (_PLACES, 0, PLACE), (_CELLS, 0, np.uint8))
    )
    _require(table.dtype == PLACE and table.shape == (len(weights), 2))
    _require(places.dtype == PLACE and places.ndim == 1 and cells.dtype == np.uint8 and cells.ndim == 1)
    numbers, counts = table.T
    _require(bool((numbers >= OF_MODEL).all()) and int(numbers.max(initial=OF_MODEL)) < len(bases))
    _require([number == OF_MODEL for number in numbers] == [weight is not None for weight in weights])
    _require(bool((counts >= 0).all()) and int(counts.max(initial=0)) <= places.size)
    _require(int(counts.sum()) == places.size)
    told_by = [weight or Base(bases[number]) for number, weight in zip(numbers.tolist(), weights, strict=True)]
    sizes = np.array([base.array.dtype.itemsize for base in told_by], PLACE)
    _require(int((sizes * counts).sum()) == cells.size)
    told = _told(told_by, counts.tolist(), places.copy(), cells.copy())
    return tuple(Snapshot(**said, parts=dict(zip(named, told, strict=False))) for said, named in listed)


def read_snapshots(arrays: Mapping[str, Array], words: Json) -> tuple[tuple[Snapshot, ...], tuple[Note, ...]]:
    """Snapshots, or a note in place of damaged ones: the problem beside them is none the worse."""
    try:
        return snapshots_in(arrays, words), ()
    except FormatError:
        return (), (Note(DAMAGED),)


def _listed(words: Json) -> Iterator[tuple[dict[str, Any], dict[str, Base | None]]]:
    """Words of each, and its arrays by name, with the weights of a model that they stand on."""
    _require(isinstance(words, list) and len(words) <= MOST)
    for each in words:
        _require(isinstance(each, dict))
        name, note, by_itself, names = (each.get(key) for key in ("name", "note", "by_itself", "arrays"))
        _require(isinstance(name, str) and 0 < len(name) <= LONGEST_NAME)
        _require(isinstance(note, str) and len(note) <= LONGEST_NOTE and isinstance(by_itself, bool))
        _require(isinstance(names, list) and all(isinstance(part, str) for part in names))
        _require(OPTIONS in names and len(set(names)) == len(names))
        _require(all(part == OPTIONS or is_field(part) for part in names))
        weights = each.get("model_weights", {})
        _require(isinstance(weights, dict) and weights.keys() <= set(names))
        said = {"name": name, "note": note, "by_itself": by_itself, "layer": _layer(each.get("layer"))}
        yield said, {part: _weight(weights[part]) if part in weights else None for part in names}


def _layer(words: Json) -> Layer | None:
    if words is None:
        return None
    _require(isinstance(words, list) and len(words) == len(Layer._fields))
    number, text = words
    _require(type(number) is int and number >= 0 and isinstance(text, str))
    return Layer(number, text)


def _weight(words: Json) -> Base:
    _require(isinstance(words, list) and len(words) == 3)
    layer, field, kind = words
    _require(type(layer) is int and layer >= 0 and isinstance(field, str) and is_field(field) and kind in KINDS)
    return Base(np.empty(0, kind), Weight(layer, field))


def _shared(arrays: Mapping[str, Array]) -> list[Array]:
    """The bases in order, in memory of their own: that of the file goes."""
    count = sum(name.startswith(_BASE) for name in arrays)
    _require(all(f"{_BASE}{number}" in arrays for number in range(count)))
    found = [np.array(arrays[f"{_BASE}{number}"], order="C") for number in range(count)]
    for base in found:
        base.flags.writeable = False
    return found


def _told(bases: Sequence[Base], counts: Sequence[int], places: Array, cells: Array) -> Iterator[Cells]:
    at = start = 0
    for (base, weight), count in zip(bases, counts, strict=True):
        stop, end = at + count, start + count * base.dtype.itemsize
        own = places[at:stop]
        _require(int(own.min(initial=0)) >= 0 and (weight is not None or int(own.max(initial=0)) < base.size))
        yield Cells(base, own, np.frombuffer(cells[start:end].tobytes(), base.dtype), weight)
        at, start = stop, end


def _bytes(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint8)


def _require(fits: bool) -> None:
    if not fits:
        raise FormatError(DAMAGED)
