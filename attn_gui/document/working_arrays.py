"""Arrays that edits write into in place, shared with the problem on show; copies of them for states before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from attn_gui.engine.arrays import Array, Box, check
from attn_gui.engine.fields import with_leaves
from attn_gui.engine.graph.indices import join
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer
from attn_gui.engine.problem import Problem

if TYPE_CHECKING:
    from attn_gui.models.study import Study

Arrays = dict[str, Array]

STEP = 1 << 20  # bytes that are compared at a time


# --- ownership of arrays --------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class WorkingArrays:
    """One state of a draft: writable `arrays` by dotted name, and the problem of read-only `views` on them.

    `study` is the model that the problem is a layer of, if any.
    """

    problem: Problem
    fields: dict[str, object]
    arrays: Arrays
    views: Arrays
    study: Study | None = None

    def memory(self) -> dict[int, int]:
        """Return {address: bytes} of all arrays that it holds, with those of the unedited layer of a model."""
        base = () if self.study is None else self.study.base.arrays().values()
        return {array.ctypes.data: array.nbytes for array in (*self.arrays.values(), *base)}


def with_own_memory(
    fields: Mapping[str, Any], current: Mapping[str, Array], fresh: Sequence[Array] = ()
) -> WorkingArrays:
    """Return the problem of `fields` in memory of its own; arrays of `current` that do not change stay in place.

    `fresh` arrays, to which no other reference is kept, are taken over. Raises ShapeError, ValueError or TypeError if
    the fields do not make a problem.
    """
    problem = _validated(fields)
    free: dict[int, list[Array]] = {}  # by where they lie
    for array in (*current.values(), *fresh):
        free.setdefault(_address(array), []).append(array)
    arrays = {name: _own(array, current.get(name), free) for name, array in problem.arrays().items()}
    if any(_address(arrays[name]) != _address(view) for name, view in problem.arrays().items()):
        problem = Problem.over(with_leaves(problem, arrays))
    return WorkingArrays(problem, problem.fields(), arrays, problem.arrays())


def released_arrays(problem: Problem) -> Arrays:
    """Return the arrays of a problem made writable; no other reference to them may be kept."""
    arrays = problem.arrays()
    for array in arrays.values():
        for memory in (array.base, array):  # a view can only be written to if its owner can
            if memory is not None:
                memory.flags.writeable = True
    return arrays


def _validated(fields: Mapping[str, Any]) -> Problem:
    with suppress(ValueError, TypeError):
        return Problem.over(fields)
    return Problem.of(fields)  # casts and copies what cannot be read in place, or says what is wrong


def _own(array: Array, named_so: Array | None, free: Mapping[int, list[Array]]) -> Array:
    """Return the working array that `array` is a view of or equal to, else a copy; each is used only once."""
    named = [] if named_so is None else [known for known in free.get(_address(named_so), ()) if known is named_so]
    equal = (known for known in named if _is_like(known, array) and same_bytes(known, array))
    there = (known for known in free.get(_address(array), ()) if _is_like(known, array))
    found = next(chain(equal, there), None)
    if found is None:
        return np.array(array, order="C")
    left = free[_address(found)]
    left[:] = [known for known in left if known is not found]
    return found


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _is_like(one: Array, other: Array) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype


def same_bytes(one: Array, other: Array) -> bool:
    """Return whether two arrays of one shape and dtype hold the same bits, comparing a little at a time."""
    if _address(one) == _address(other):
        return True
    mine, theirs = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (one, other))
    cuts = (slice(low, low + STEP) for low in range(0, mine.size, STEP))
    return all(np.array_equal(mine[cut], theirs[cut]) for cut in cuts)


def changed_names(before: WorkingArrays, after: WorkingArrays) -> tuple[str, ...]:
    """Return the dotted names of arrays that were added, removed or replaced, and of other fields that differ."""
    arrays = dict.fromkeys((*before.arrays, *after.arrays))
    moved = [name for name in arrays if before.arrays.get(name) is not after.arrays.get(name)]
    old, new = _without_arrays(before.fields), _without_arrays(after.fields)
    return (*moved, *(name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)))


def _without_arrays(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return None
    if isinstance(value, float):
        return value.hex()  # −0 is not 0
    if isinstance(value, Layer | Intervention):
        value = value.to_mapping()
    if isinstance(value, Mapping):
        return {name: _without_arrays(inner) for name, inner in value.items()}
    if isinstance(value, tuple) and not isinstance(next(iter(value), ""), str):  # tokens may be 65,536
        return tuple(map(_without_arrays, value))
    return value


@dataclass(frozen=True)
class DocumentChange:
    """The effect of an edit, an undo or a redo.

    `fields` maps each field to the boxes with new numbers, or to None where it was added, removed or replaced as a
    whole, perhaps with another shape. `opened`: this is another document. `study`: the place in a model has changed.
    """

    fields: dict[str, tuple[Box, ...] | None] = field(default_factory=dict)
    opened: bool = False
    study: bool = False

    @classmethod
    def merged(cls, changes: Sequence[DocumentChange]) -> DocumentChange:
        """Return one change for several in a row."""
        fields: dict[str, tuple[Box, ...] | None] = {}
        for change in changes:
            for name, boxes in change.fields.items():
                known = fields.get(name, ())
                fields[name] = None if boxes is None or known is None else tuple(join((*known, *boxes)))
        return cls(fields, any(change.opened for change in changes), any(change.study for change in changes))


# --- drafts ---------------------------------------------------------------------------------------
class Draft:
    """A state that edits write into in place; its problem shows it through read-only views."""

    def __init__(self, state: WorkingArrays) -> None:
        self.state = state
        self.changes: list[DocumentChange] = []  # that are not told yet
        self.writes = 0  # raised before the first cell is written, for those who read in another thread

    def write(self, field: str, box: Box, values: Array) -> None:
        """Set cells of an array."""
        self.writes += 1
        self.state.arrays[field][box] = values


class DraftCopy(Draft):
    """Another state of the document: its working arrays, with copies of those that differ.

    `room`: bytes that all copies may take. Raises FieldError where they would take more, or more than a share of the
    free memory.
    """

    def __init__(self, state: WorkingArrays, room: int | None = None) -> None:
        super().__init__(state)
        self._room = room
        self._copies: dict[int, Array] = {}  # by the working array

    def write(self, field: str, box: Box, values: Array) -> None:
        """Set cells of an array in a copy of it."""
        array = self.state.arrays[field]
        if id(array) not in self._copies:
            check(sum(copy.nbytes for copy in self._copies.values()) + array.nbytes, self._room)
            self._copies[id(array)] = array.copy()
        self._copies[id(array)][box] = values

    def problem(self) -> Problem:
        """Return the problem in this state."""
        arrays = {name: self._copies.get(id(array), array) for name, array in self.state.arrays.items()}
        return Problem.over(with_leaves(self.state.problem, arrays))


class Rewind(DraftCopy):
    """A state on the way back through the history, with copies of all arrays, to be read on any thread."""

    def __init__(self, state: WorkingArrays) -> None:
        super().__init__(state)
        check(sum(array.nbytes for array in state.arrays.values()))
        self._copies = {id(array): array.copy() for array in state.arrays.values()}

    def write(self, field: str, box: Box, values: Array) -> None:
        """Write cells back into a new copy, since the problem of a later state holds the one before."""
        array = self.state.arrays[field]
        check(array.nbytes)
        self._copies[id(array)] = self._copies.get(id(array), array).copy()
        super().write(field, box, values)
