"""A snapshot: a named state of a problem, each of its arrays as a base and the cells that differ. Imports engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attn_gui.engine.errors import FieldTypeError
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import dump, parse_object
from attn_gui.formats.problem_fields import assemble, split

OPTIONS = "options"
"""The name of the array that holds, as the bytes of JSON, whatever of a problem is no array."""

LONGEST_OPTIONS = 32 * 2**20
BASES_TRIED = 4  # of the arrays that snapshots before stand on, the newest
PLACE = np.dtype(np.int64)
WORTH = 2  # a base of its own, unless the cells that differ take less than this part of it
_NO_WEIGHT = QT_TRANSLATE_NOOP("Sentences", "The snapshot “{name}” does not fit the model.")


class Weight(NamedTuple):
    """Weight of a model, which no session of it holds: its layer, and its dotted field in a problem of that."""

    layer: int
    field: str


class Base(NamedTuple):
    """An array from which others differ in few cells; `weight` says which of a model it is, if it is one."""

    array: Array
    weight: Weight | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """One array: `base` cast to the type of `values`, but for these at the flat `places`, both of shape (count,).

    `weight` says which weight of a model the base is, if it is one; the base is empty until the model is read.
    """

    base: Array
    places: Array
    values: Array
    weight: Weight | None = None

    def array(self) -> Array:
        """The array itself, in memory of its own. Raises IndexError where its weight is missing or too small."""
        if self.weight is not None and not self.base.size:
            raise IndexError(self.weight)
        found = np.array(self.base, self.values.dtype, order="C")
        found.reshape(-1)[self.places] = self.values
        return found

    @property
    def nbytes(self) -> int:
        """Bytes beside the base."""
        return self.places.nbytes + self.values.nbytes

    def equals(self, other: Cells) -> bool:
        """Whether both are the same array, told by the same base."""
        same = self.base is other.base and np.array_equal(self.places, other.places)
        return same and self.values.dtype == other.values.dtype and self.values.tobytes() == other.values.tobytes()


class Layer(NamedTuple):
    """Place in a model: the number of a layer, and the text that the model reads."""

    number: int
    text: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A state of a problem under a name; `by_itself`: kept by the program, as undo and another edit would lose it.

    `layer` is the one that the problem is of; None where it is of no model.
    """

    name: str
    parts: Mapping[str, Cells]
    note: str = ""
    by_itself: bool = False
    layer: Layer | None = None

    @property
    def problem_nbytes(self) -> int:
        """Bytes of the problem once it is put together."""
        return sum(part.base.size * part.values.dtype.itemsize for part in self.parts.values())

    def problem(self) -> Problem:
        """The problem, bit for bit, in memory of its own.

        Raises FieldError where that would take too much memory, another ValueError where a foreign one makes none.
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
        """Whether both hold the same problem, told by the same bases."""
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
    layer: Layer | None = None,
    weights: Mapping[str, Array] = MappingProxyType({}),
) -> Snapshot:
    """A snapshot of a problem, which stands on what `others`, the newest last, hold already.

    `weights` are those of its layer of a model, by dotted field: no copy of them is kept. Raises FieldError where what
    is new in it would take too much memory, or more than `room` bytes.
    """
    arrays, options = split(problem)
    whole = arrays | {OPTIONS: np.frombuffer(dump(options).encode(), np.uint8)}
    own = _weights_of(layer, weights)
    told = {label: told_by(array, [*own.get(label, ()), *_bases(others, label)]) for label, array in whole.items()}
    check(sum(whole[label].nbytes for label, cells in told.items() if cells is None), room)
    parts = {label: alone(whole[label]) if cells is None else cells for label, cells in told.items()}
    return Snapshot(name, parts, note, by_itself, layer)


def with_weights(snapshot: Snapshot, weights: Callable[[int], Mapping[str, Array]]) -> Snapshot:
    """A snapshot over the weights of its model, which `weights` gives by the number of a layer.

    A weight that the model has not stays empty. Weights that an older file holds are left to the model from then on.
    """
    own = {} if snapshot.layer is None else _weights_of(snapshot.layer, weights(snapshot.layer.number))

    def over(name: str, part: Cells) -> Cells:
        if part.weight is None:
            return told_by(part.array(), own.get(name, ())) or part
        return replace(part, base=weights(part.weight.layer).get(part.weight.field, part.base))

    return replace(snapshot, parts={name: over(name, part) for name, part in snapshot.parts.items()})


def _weights_of(layer: Layer | None, weights: Mapping[str, Array]) -> dict[str, list[Base]]:
    return {} if layer is None else {name: [Base(array, Weight(layer.number, name))] for name, array in weights.items()}


def _bases(others: Sequence[Snapshot], label: str) -> list[Base]:
    """Arrays of a name that snapshots stand on, the newest first."""
    parts = [each.parts[label] for each in reversed(others) if label in each.parts]
    return list({id(part.base): Base(part.base, part.weight) for part in parts}.values())[:BASES_TRIED]


def told_by(array: Array, bases: Sequence[Base]) -> Cells | None:
    """An array by the first base from which few cells differ; None where one of its own is worth it."""
    mine = _bits(array)
    for base, weight in bases:
        if base.shape == array.shape and (base.dtype == array.dtype or weight is not None):
            places = np.flatnonzero(mine != _bits(base.astype(array.dtype, copy=False))).astype(PLACE, copy=False)
            if places.size * (PLACE.itemsize + array.itemsize) * WORTH <= array.nbytes:
                return Cells(base, places, array.reshape(-1)[places], weight)
    return None


def alone(array: Array) -> Cells:
    """An array as a base of its own, a copy."""
    base = np.array(array, order="C")
    base.flags.writeable = False
    return Cells(base, np.empty(0, PLACE), np.empty(0, base.dtype))


def _bits(array: Array) -> Array:
    """The cells as whole numbers: NaN is like itself there, and -0.0 is not 0.0."""
    return np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")


def nbytes(snapshots: Sequence[Snapshot]) -> int:
    """The bytes that snapshots take together: bases that they share count once, weights of a model not at all."""
    parts = [part for each in snapshots for part in each.parts.values()]
    bases = {id(part.base): part.base.nbytes for part in parts if part.weight is None}
    return sum(bases.values()) + sum(part.nbytes for part in parts)
