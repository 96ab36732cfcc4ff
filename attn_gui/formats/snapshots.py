"""A snapshot as a base and the cells that differ, so that many take little memory; snapshots in a session's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import check
from attn_gui.engine.errors import FieldTypeError
from attn_gui.engine.problem import Problem
from attn_gui.formats.file_messages import FileNote, FormatError, shown
from attn_gui.formats.problem_fields import assemble, is_field, split
from attn_gui.formats.untrusted_bytes import LONGEST_OPTIONS, Array, Json, dump, parse_object
from attn_gui.languages import N_

OPTIONS = "options"  # the name of the array that holds, as the bytes of JSON, whatever of a problem is no array

BASES_TRIED = 4  # of the arrays that snapshots before stand on, the newest
PLACE = np.dtype(np.int64)
WORTH = 2  # a base of its own, unless the cells that differ take less than this part of it
_NO_WEIGHT = N_("The snapshot “{name}” does not fit the model.")

MOST = 500  # snapshots in a session

LONGEST_NAME, LONGEST_NOTE = 200, 10_000  # letters

SNAPSHOTS = "snapshots"
_BASE, _TABLE, _PLACES, _CELLS = (f"{SNAPSHOTS}.{name}" for name in ("base.", "table", "places", "cells"))
OF_MODEL = -1  # in the table, in place of the number of a base
KINDS = ("float32", "float64")
DAMAGED = N_("The snapshots in the file are damaged; they were left out.")


# --- snapshot -------------------------------------------------------------------------------------
class ModelWeight(NamedTuple):
    """A weight of a model, by layer and dotted field, which a session of the model does not hold."""

    layer: int
    field: str


class BaseArray(NamedTuple):
    """An array that others differ from in few cells; `weight` says which weight of a model it is, if any."""

    array: Array
    weight: ModelWeight | None = None


@dataclass(frozen=True, eq=False)
class ChangedNumbers:
    """An array: `base` cast to the dtype of `values`, with these at the flat `places`, both (count,).

    `weight` says which weight of a model the base is, if any; then the base is empty until the model is read.
    """

    base: Array
    places: Array
    values: Array
    weight: ModelWeight | None = None

    def array(self) -> Array:
        """Return the array, copied. Raises IndexError where its weight is missing or too small."""
        if self.weight is not None and not self.base.size:
            raise IndexError(self.weight)
        found = np.array(self.base, self.values.dtype, order="C")
        found.reshape(-1)[self.places] = self.values
        return found

    @property
    def nbytes(self) -> int:
        """The bytes beside the base."""
        return self.places.nbytes + self.values.nbytes

    def equals(self, other: ChangedNumbers) -> bool:
        """Return whether both are the same changes of the same base."""
        same = self.base is other.base and np.array_equal(self.places, other.places)
        return same and self.values.dtype == other.values.dtype and self.values.tobytes() == other.values.tobytes()


class SnapshotLayer(NamedTuple):
    """A place in a model: the number of a layer, and the text."""

    number: int
    text: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A named state of a problem; `by_itself`: kept by the program, as undo and another edit would lose it.

    `layer` is the layer that the problem is; None where it is of no model.
    """

    name: str
    parts: Mapping[str, ChangedNumbers]
    note: str = ""
    by_itself: bool = False
    layer: SnapshotLayer | None = None

    @property
    def problem_nbytes(self) -> int:
        """The bytes of its problem."""
        return sum(part.base.size * part.values.dtype.itemsize for part in self.parts.values())

    def problem(self) -> Problem:
        """Return the problem, bit for bit, in memory of its own.

        Raises FieldError where that would take too much memory, another ValueError where a foreign snapshot makes no
        problem.
        """
        check(self.problem_nbytes)
        try:
            arrays = {name: part.array() for name, part in self.parts.items()}
        except IndexError as error:
            raise FormatError(_NO_WEIGHT, name=shown(self.name)) from error
        options = parse_object(arrays.pop(OPTIONS).tobytes().decode(), LONGEST_OPTIONS)
        try:
            return assemble(arrays, options)[0]
        except FieldTypeError as error:
            raise FormatError(error.template, **error.values) from error

    def is_state_of(self, other: Snapshot) -> bool:
        """Return whether both hold the same problem, as the same changes of the same bases."""
        same = self.parts.keys() == other.parts.keys()
        return same and all(part.equals(other.parts[name]) for name, part in self.parts.items())


def packed(
    problem: Problem,
    others: Sequence[Snapshot],
    name: str,
    note: str = "",
    *,
    by_itself: bool = False,
    room: int | None = None,
    layer: SnapshotLayer | None = None,
    weights: Mapping[str, Array] = MappingProxyType({}),
) -> Snapshot:
    """Return a snapshot of a problem that shares bases with `others`, the newest of which is the last.

    `weights` are those of its layer of a model, by dotted field, and are not copied. Raises FieldError where its new
    parts would take too much memory, or more than `room` bytes.
    """
    arrays, options = split(problem)
    whole = arrays | {OPTIONS: np.frombuffer(dump(options).encode(), np.uint8)}
    own = _weights_of(layer, weights)
    changed = {
        label: difference_from(array, [*own.get(label, ()), *_bases(others, label)]) for label, array in whole.items()
    }
    check(sum(whole[label].nbytes for label, cells in changed.items() if cells is None), room)
    parts = {label: alone(whole[label]) if cells is None else cells for label, cells in changed.items()}
    return Snapshot(name, parts, note, by_itself, layer)


def with_weights(snapshot: Snapshot, weights: Callable[[int], Mapping[str, Array]]) -> Snapshot:
    """Return a snapshot with the weights of its model, which `weights` returns by the number of a layer.

    Weights that the model does not have stay empty. Weights that an older file holds are read from the model from now
    on.
    """
    own = {} if snapshot.layer is None else _weights_of(snapshot.layer, weights(snapshot.layer.number))

    def over(name: str, part: ChangedNumbers) -> ChangedNumbers:
        if part.weight is None:
            return difference_from(part.array(), own.get(name, ())) or part
        return replace(part, base=weights(part.weight.layer).get(part.weight.field, part.base))

    return replace(snapshot, parts={name: over(name, part) for name, part in snapshot.parts.items()})


def _weights_of(layer: SnapshotLayer | None, weights: Mapping[str, Array]) -> dict[str, list[BaseArray]]:
    return (
        {}
        if layer is None
        else {name: [BaseArray(array, ModelWeight(layer.number, name))] for name, array in weights.items()}
    )


def _bases(others: Sequence[Snapshot], label: str) -> list[BaseArray]:
    """Return the bases of snapshots for an array of this name, newest first."""
    parts = [each.parts[label] for each in reversed(others) if label in each.parts]
    return list({id(part.base): BaseArray(part.base, part.weight) for part in parts}.values())[:BASES_TRIED]


def difference_from(array: Array, bases: Sequence[BaseArray]) -> ChangedNumbers | None:
    """Return an array as changed cells of the first base from which few differ; None where there is no such base."""
    mine = _bits(array)
    for base, weight in bases:
        if base.shape == array.shape and (base.dtype == array.dtype or weight is not None):
            places = np.flatnonzero(mine != _bits(base.astype(array.dtype, copy=False))).astype(PLACE, copy=False)
            if places.size * (PLACE.itemsize + array.itemsize) * WORTH <= array.nbytes:
                return ChangedNumbers(base, places, array.reshape(-1)[places], weight)
    return None


def alone(array: Array) -> ChangedNumbers:
    """Return a copy of an array as a base without changes."""
    base = np.array(array, order="C")
    base.flags.writeable = False
    return ChangedNumbers(base, np.empty(0, PLACE), np.empty(0, base.dtype))


def _bits(array: Array) -> Array:
    """Return the cells as whole numbers, in which equal NaN are equal and -0.0 differs from 0.0."""
    return np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")


def nbytes(snapshots: Sequence[Snapshot]) -> int:
    """Return the bytes of snapshots together: shared bases count once, weights of a model not at all."""
    parts = [part for each in snapshots for part in each.parts.values()]
    bases = {id(part.base): part.base.nbytes for part in parts if part.weight is None}
    return sum(bases.values()) + sum(part.nbytes for part in parts)


# --- in a session ---------------------------------------------------------------------------------
# Snapshots as a session holds them: arrays that all of them share, and words.
#
# `snapshots.base.K` are the arrays that they stand on; `snapshots.table` (rows, 2) says of each array of each
# snapshot, in order, on which base it stands and how many of its cells differ; `snapshots.places` are those cells,
# flat, and `snapshots.cells` the bytes of their numbers. The option `snapshots` lists name, note, layer of a model
# and names of arrays of each; and `weights`, those of its arrays that stand on a weight of the model: layer, field
# and kind of numbers, in place of a base, whose number is −1.
def is_snapshot_entry(name: str) -> bool:
    """Return whether an array of this name belongs to the snapshots of a session."""
    return name.startswith(f"{SNAPSHOTS}.")


def snapshot_entries(snapshots: Sequence[Snapshot], *, of_model: bool = False) -> tuple[dict[str, Array], list[Json]]:
    """Return (arrays, words) that hold these snapshots in a session; in one `of_model` without its weights."""
    snapshots = snapshots if of_model else [_without_model(each) for each in snapshots]
    parts = [part for each in snapshots for part in each.parts.values()]
    bases = {id(part.base): part.base for part in parts if part.weight is None}
    numbers = {key: number for number, key in enumerate(bases)}
    table = np.array([(numbers.get(id(part.base), OF_MODEL), part.places.size) for part in parts], PLACE).reshape(-1, 2)
    arrays = {f"{_BASE}{number}": base for number, base in enumerate(bases.values())}
    arrays |= {
        _TABLE: table,
        _PLACES: np.concatenate([np.empty(0, PLACE), *(part.places for part in parts)]),
        _CELLS: np.concatenate(
            [np.empty(0, np.uint8), *(np.ascontiguousarray(part.values).view(np.uint8) for part in parts)]
        ),
    }
    return dict(each for each in arrays.items() if each[1].size), [_words(each) for each in snapshots]


def _without_model(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot that holds the weights of its model itself, for a file that is of no model."""
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
    """Return the snapshots of a session, after checking that all parts fit. Raises FormatError.

    Those of a model lack its weights until `with_weights` adds them.
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
    own_bases = [weight or BaseArray(bases[number]) for number, weight in zip(numbers.tolist(), weights, strict=True)]
    sizes = np.array([base.array.dtype.itemsize for base in own_bases], PLACE)
    _require(int((sizes * counts).sum()) == cells.size)
    parts = _parts(own_bases, counts.tolist(), places.copy(), cells.copy())
    # zip asks the names first: at their end it draws no part, which would be one of the next snapshot
    return tuple(Snapshot(**said, parts=dict(zip(named, parts, strict=False))) for said, named in listed)


def read_snapshots(arrays: Mapping[str, Array], words: Json) -> tuple[tuple[Snapshot, ...], tuple[FileNote, ...]]:
    """Return (snapshots, notes); damaged snapshots become a note, since the problem beside them is intact."""
    try:
        return snapshots_in(arrays, words), ()
    except FormatError:
        return (), (FileNote(DAMAGED),)


def _listed(words: Json) -> Iterator[tuple[dict[str, Any], dict[str, BaseArray | None]]]:
    """Yield (words, {array name: weight of a model or None}) for each snapshot."""
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


def _layer(words: Json) -> SnapshotLayer | None:
    if words is None:
        return None
    _require(isinstance(words, list) and len(words) == len(SnapshotLayer._fields))
    number, text = words
    _require(type(number) is int and number >= 0 and isinstance(text, str))
    return SnapshotLayer(number, text)


def _weight(words: Json) -> BaseArray:
    _require(isinstance(words, list) and len(words) == 3)
    layer, field, kind = words
    _require(type(layer) is int and layer >= 0 and isinstance(field, str) and is_field(field) and kind in KINDS)
    return BaseArray(np.empty(0, kind), ModelWeight(layer, field))


def _shared(arrays: Mapping[str, Array]) -> list[Array]:
    """Return the bases in order, copied, as the file's memory is released."""
    count = sum(name.startswith(_BASE) for name in arrays)
    _require(all(f"{_BASE}{number}" in arrays for number in range(count)))
    found = [np.array(arrays[f"{_BASE}{number}"], order="C") for number in range(count)]
    for base in found:
        base.flags.writeable = False
    return found


def _parts(bases: Sequence[BaseArray], counts: Sequence[int], places: Array, cells: Array) -> Iterator[ChangedNumbers]:
    """Yield the arrays of all snapshots in order, from places and bytes that are concatenated."""
    at = start = 0
    for (base, weight), count in zip(bases, counts, strict=True):
        stop, end = at + count, start + count * base.dtype.itemsize
        own = places[at:stop]
        _require(int(own.min(initial=0)) >= 0 and (weight is not None or int(own.max(initial=0)) < base.size))
        yield ChangedNumbers(base, own, np.frombuffer(cells[start:end].tobytes(), base.dtype), weight)
        at, start = stop, end


def _require(fits: bool) -> None:
    if not fits:
        raise FormatError(DAMAGED)
