"""A snapshot: a named state of a problem, each of its arrays as a base and the cells that differ. Imports engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attn_gui.engine.memory import check
from attn_gui.engine.problem.errors import FieldTypeError
from attn_gui.engine.problem.problem import Problem
from attn_gui.formats.file_sentences import FormatError
from attn_gui.formats.foreign_arrays import Array
from attn_gui.formats.json_text import dump, parse_object
from attn_gui.formats.problem_fields import assemble, split

OPTIONS = "options"
"""The name of the array that holds, as the bytes of JSON, whatever of a problem is no array."""

LONGEST_OPTIONS = 32 * 2**20
BASES_TRIED = 4  # of the arrays that snapshots before stand on, the newest
PLACE = np.dtype(np.int64)
WORTH = 2  # a base of its own, unless the cells that differ take less than this part of it


@dataclass(frozen=True, eq=False)
class Cells:
    """One array: that of `base`, but for `values` at the flat `places`, both of shape (count,)."""

    base: Array
    places: Array
    values: Array

    def array(self) -> Array:
        """The array itself, in memory of its own."""
        found = self.base.copy()
        found.reshape(-1)[self.places] = self.values
        return found

    @property
    def nbytes(self) -> int:
        return self.places.nbytes + self.values.nbytes

    def equals(self, other: Cells) -> bool:
        """Whether both are the same array, told by the same base."""
        same = self.base is other.base and np.array_equal(self.places, other.places)
        return same and self.values.tobytes() == other.values.tobytes()


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

    def problem(self) -> Problem:
        """The problem, bit for bit, in memory of its own.

        Raises FieldError where that would take too much memory, another ValueError where a foreign one makes none.
        """
        check(sum(part.base.nbytes for part in self.parts.values()))
        arrays = {name: part.array() for name, part in self.parts.items()}
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
) -> Snapshot:
    """A snapshot of a problem, which stands on what `others`, the newest last, hold already.

    Raises FieldError where what is new in it would take too much memory, or more than `room` bytes.
    """
    arrays, options = split(problem)
    whole = arrays | {OPTIONS: np.frombuffer(dump(options).encode(), np.uint8)}
    told = {label: _told_by(array, _bases(others, label)) for label, array in whole.items()}
    check(sum(whole[label].nbytes for label, cells in told.items() if cells is None), room)
    parts = {label: _alone(whole[label]) if cells is None else cells for label, cells in told.items()}
    return Snapshot(name, parts, note, by_itself, layer)


def _bases(others: Sequence[Snapshot], label: str) -> list[Array]:
    """Arrays of a name that snapshots stand on, the newest first."""
    found = {id(each.parts[label].base): each.parts[label].base for each in reversed(others) if label in each.parts}
    return list(found.values())[:BASES_TRIED]


def _told_by(array: Array, bases: Sequence[Array]) -> Cells | None:
    """An array by the newest base from which few cells differ; None where one of its own is worth it."""
    mine = _bits(array)
    for base in bases:
        if base.shape == array.shape and base.dtype == array.dtype:
            places = np.flatnonzero(mine != _bits(base)).astype(PLACE, copy=False)
            if places.size * (PLACE.itemsize + array.itemsize) * WORTH <= array.nbytes:
                return Cells(base, places, array.reshape(-1)[places])
    return None


def _alone(array: Array) -> Cells:
    base = np.array(array, order="C")
    base.flags.writeable = False
    return Cells(base, np.empty(0, PLACE), np.empty(0, base.dtype))


def _bits(array: Array) -> Array:
    """The cells as whole numbers: NaN is like itself there, and -0.0 is not 0.0."""
    return np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")


def nbytes(snapshots: Sequence[Snapshot]) -> int:
    """The bytes that snapshots take together: bases that they share count once."""
    parts = [part for each in snapshots for part in each.parts.values()]
    bases = {id(part.base): part.base.nbytes for part in parts}
    return sum(bases.values()) + sum(part.nbytes for part in parts)
