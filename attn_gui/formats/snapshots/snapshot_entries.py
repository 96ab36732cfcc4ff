"""Snapshots as a session holds them: arrays that all of them share, and words. Imports engine.

`snapshots.base.K` are the arrays that they stand on; `snapshots.table` (rows, 2) says of each array of each snapshot,
in order, on which base it stands and how many of its cells differ; `snapshots.places` are those cells, flat, and
`snapshots.cells` the bytes of their numbers. The option `snapshots` lists name, note, layer of a model
and names of arrays of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import Json
from attn_gui.formats.problem_fields import is_field
from attn_gui.formats.snapshots.snapshot import OPTIONS, PLACE, Cells, Layer, Snapshot

MOST = 500
"""Snapshots in a session."""

LONGEST_NAME, LONGEST_NOTE = 200, 10_000
"""Letters."""

ENTRY = "snapshots"
_BASE, _TABLE, _PLACES, _CELLS = (f"{ENTRY}.{name}" for name in ("base.", "table", "places", "cells"))
DAMAGED = QT_TRANSLATE_NOOP("Sentences", "The snapshots in the file are damaged; they were left out.")


def is_entry(name: str) -> bool:
    """Whether an array of this name belongs to the snapshots of a session."""
    return name.startswith(f"{ENTRY}.")


def entries(snapshots: Sequence[Snapshot]) -> tuple[dict[str, Array], list[Json]]:
    """The arrays of a session that hold these snapshots, and their words."""
    parts = [part for each in snapshots for part in each.parts.values()]
    bases = {id(part.base): part.base for part in parts}
    numbers = {key: number for number, key in enumerate(bases)}
    table = np.array([(numbers[id(part.base)], part.places.size) for part in parts], PLACE).reshape(-1, 2)
    arrays = {f"{_BASE}{number}": base for number, base in enumerate(bases.values())}
    arrays |= {
        _TABLE: table,
        _PLACES: np.concatenate([np.empty(0, PLACE), *(part.places for part in parts)]),
        _CELLS: np.concatenate([np.empty(0, np.uint8), *(_bytes(part.values) for part in parts)]),
    }
    return dict(each for each in arrays.items() if each[1].size), [_words(each) for each in snapshots]


def _words(snapshot: Snapshot) -> dict[str, Json]:
    said: dict[str, Json] = {"name": snapshot.name, "note": snapshot.note, "by_itself": snapshot.by_itself}
    of_model: dict[str, Json] = {} if snapshot.layer is None else {"layer": [*snapshot.layer]}
    return said | of_model | {"arrays": [*snapshot.parts]}


def snapshots_in(arrays: Mapping[str, Array], words: Json) -> tuple[Snapshot, ...]:
    """The snapshots that a session holds; nothing is put together before all of it fits. Raises FormatError."""
    listed = list(_listed(words))
    bases = _shared(arrays)
    table, places, cells = (
        arrays.get(name, np.empty(shape, kind))
        for name, shape, kind in ((_TABLE, (0, 2), PLACE), (_PLACES, 0, PLACE), (_CELLS, 0, np.uint8))
    )
    _require(table.dtype == PLACE and table.shape == (sum(len(names) for _, names in listed), 2))
    _require(places.dtype == PLACE and places.ndim == 1 and cells.dtype == np.uint8 and cells.ndim == 1)
    _require(bool((table >= 0).all()) and int(table[:, 0].max(initial=-1)) < len(bases))
    _require(int(table[:, 1].max(initial=0)) <= places.size and int(table[:, 1].sum()) == places.size)
    sizes = np.array([base.dtype.itemsize for base in bases], PLACE)[table[:, 0]]
    _require(int((sizes * table[:, 1]).sum()) == cells.size)
    told = _told(bases, table, places.copy(), cells.copy())
    return tuple(Snapshot(**said, parts=dict(zip(names, told, strict=False))) for said, names in listed)


def read_snapshots(arrays: Mapping[str, Array], words: Json) -> tuple[tuple[Snapshot, ...], tuple[Note, ...]]:
    """Snapshots, or a note in place of damaged ones: the problem beside them is none the worse."""
    try:
        return snapshots_in(arrays, words), ()
    except FormatError:
        return (), (Note(DAMAGED),)


def _listed(words: Json) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Words of each, and the names of its arrays."""
    _require(isinstance(words, list) and len(words) <= MOST)
    for each in words:
        _require(isinstance(each, dict))
        name, note, by_itself, names = (each.get(key) for key in ("name", "note", "by_itself", "arrays"))
        _require(isinstance(name, str) and 0 < len(name) <= LONGEST_NAME)
        _require(isinstance(note, str) and len(note) <= LONGEST_NOTE and isinstance(by_itself, bool))
        _require(isinstance(names, list) and all(isinstance(part, str) for part in names))
        _require(OPTIONS in names and len(set(names)) == len(names))
        _require(all(part == OPTIONS or is_field(part) for part in names))
        yield {"name": name, "note": note, "by_itself": by_itself, "layer": _layer(each.get("layer"))}, names


def _layer(words: Json) -> Layer | None:
    if words is None:
        return None
    _require(isinstance(words, list) and len(words) == len(Layer._fields))
    number, text = words
    _require(type(number) is int and number >= 0 and isinstance(text, str))
    return Layer(number, text)


def _shared(arrays: Mapping[str, Array]) -> list[Array]:
    """The bases in order, in memory of their own: that of the file goes."""
    count = sum(name.startswith(_BASE) for name in arrays)
    _require(all(f"{_BASE}{number}" in arrays for number in range(count)))
    found = [np.array(arrays[f"{_BASE}{number}"], order="C") for number in range(count)]
    for base in found:
        base.flags.writeable = False
    return found


def _told(bases: Sequence[Array], table: Array, places: Array, cells: Array) -> Iterator[Cells]:
    at = start = 0
    for number, count in table.tolist():
        base, stop = bases[number], at + count
        end = start + count * base.dtype.itemsize
        own = places[at:stop]
        _require(int(own.min(initial=0)) >= 0 and int(own.max(initial=0)) < base.size)
        yield Cells(base, own, np.frombuffer(cells[start:end].tobytes(), base.dtype))
        at, start = stop, end


def _bytes(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint8)


def _require(fits: bool) -> None:
    if not fits:
        raise FormatError(DAMAGED)
