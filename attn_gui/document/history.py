"""The history of a document: undo steps with a limit in bytes, past states, and snapshots kept beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP, QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from attn_gui.document.edits import Change, Label, Refusal
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem
from attn_gui.formats.snapshots import LONGEST_NAME, MOST, Snapshot, SnapshotLayer, nbytes, packed

if TYPE_CHECKING:
    from attn_gui.models.study import Study


# --- ownership of arrays --------------------------------------------------------------------------
# Ownership of arrays: turns any fields into a problem over arrays which only the draft can write.


Arrays = dict[str, Array]


@dataclass(frozen=True, eq=False)
class Working:
    """One state of a draft: writable `arrays` by dotted name, the problem of read-only `views` on them, and the model
    that it is a layer of, if it is."""

    problem: Problem
    fields: dict[str, object]
    arrays: Arrays
    views: Arrays
    study: Study | None = None

    def memory(self) -> dict[int, int]:
        """Bytes by address of all arrays that it holds, those of the layer as the model has it among them."""
        base = () if self.study is None else self.study.base.arrays().values()
        return {array.ctypes.data: array.nbytes for array in (*self.arrays.values(), *base)}


STEP = 1 << 20  # bytes that are compared at a time


def owned(fields: Mapping[str, Any], current: Mapping[str, Array], fresh: Sequence[Array] = ()) -> Working:
    """The problem of `fields` over memory of its own; arrays of `current` that stay as they are stay in place.

    `fresh` arrays, to which no other reference is kept, become its own.
    Raises ShapeError, ValueError or TypeError if the fields do not make a problem.
    """
    problem = _validated(fields)
    free: dict[int, list[Array]] = {}  # by where they lie
    for array in (*current.values(), *fresh):
        free.setdefault(_address(array), []).append(array)
    arrays = {name: _own(array, current.get(name), free) for name, array in problem.arrays().items()}
    if any(_address(arrays[name]) != _address(view) for name, view in problem.arrays().items()):
        problem = Problem.over(with_arrays(problem.fields(), arrays))
    return Working(problem, problem.fields(), arrays, problem.arrays())


def given_up(problem: Problem) -> Arrays:
    """The arrays of a problem to which no other reference is kept, to be written into from now on."""
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
    """The working array that `array` is a view of or equal to, else a copy; each working array is given out once."""
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
    """Whether two arrays of one shape and dtype hold the same bits; little is held beside them."""
    if _address(one) == _address(other):
        return True
    mine, theirs = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (one, other))
    cuts = (slice(low, low + STEP) for low in range(0, mine.size, STEP))
    return all(np.array_equal(mine[cut], theirs[cut]) for cut in cuts)


def with_arrays(fields: Mapping[str, Any], arrays: Arrays) -> dict[str, object]:
    """`fields` with the array at every dotted name replaced, also inside mask layers and records."""
    own: dict[str, Any] = dict(fields)
    for name, array in arrays.items():
        first, *inner = name.split(".")
        if not inner:
            own[first] = array
        elif inner[0].isdigit():
            records = [*own[first]]
            records[int(inner[0])] = replace(records[int(inner[0])], **{inner[1]: array})
            own[first] = tuple(records)
        else:
            own[first] = {**own[first], inner[0]: array}
    return own


def changed_names(before: Working, after: Working) -> tuple[str, ...]:
    """Arrays that came, left or were replaced, by dotted name, and the other fields that differ."""
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


# --- past states ----------------------------------------------------------------------------------
# The states that the document has gone through, put together from its steps beside it: it stays as it is meanwhile.


class StateBeside:
    """Another state of the document, made beside it: the working arrays, and copies of those that differ in it.

    `room`: bytes that all copies may take. Raises FieldError where they would take more, or more than a share of the
    memory that is still free.
    """

    def __init__(self, state: Working, room: int | None = None) -> None:
        self.state, self._room = state, room
        self._copies: dict[int, Array] = {}  # by the working array

    def write(self, field: str, box: Box, values: Array) -> None:
        """Set cells of an array, in a copy of it."""
        array = self.state.arrays[field]
        if id(array) not in self._copies:
            check(sum(copy.nbytes for copy in self._copies.values()) + array.nbytes, self._room)
            self._copies[id(array)] = array.copy()
        self._copies[id(array)][box] = values

    def problem(self) -> Problem:
        """The problem in this state."""
        arrays = {name: self._copies.get(id(array), array) for name, array in self.state.arrays.items()}
        return Problem.over(with_arrays(self.state.fields, arrays))


class Rewind(StateBeside):
    """One state on the way back, of which every array is a copy: it can be read on any thread."""

    def __init__(self, state: Working) -> None:
        super().__init__(state)
        check(sum(array.nbytes for array in state.arrays.values()))
        self._copies = {id(array): array.copy() for array in state.arrays.values()}

    def write(self, field: str, box: Box, values: Array) -> None:
        """Put cells of an array back, in a copy: the problem of a later state holds the one before."""
        array = self.state.arrays[field]
        check(array.nbytes)
        self._copies[id(array)] = self._copies.get(id(array), array).copy()
        super().write(field, box, values)


class Backward(Protocol):
    """A step that can be gone back beside the document."""

    def back(self, state: StateBeside) -> None: ...


class PastStates:
    """The present state and those before the given steps, the newest of which is the last.

    Raises FieldError where they would take too much memory.

    Made on the GUI thread; `problems` may run on another, and what it gives holds only if the document has not moved.
    """

    def __init__(self, state: Working, steps: Iterable[Backward]) -> None:
        self._rewind, self._steps = Rewind(state), tuple(steps)

    def __len__(self) -> int:
        """Count of the steps that it goes back."""
        return len(self._steps)

    def problems(self) -> list[Problem]:
        """The states, the oldest first: one more than there are steps."""
        found = [self._rewind.problem()]
        for step in reversed(self._steps):
            step.back(self._rewind)
            found.append(self._rewind.problem())
        return found[::-1]


# --- undo stack -----------------------------------------------------------------------------------


LIMIT = 256 * 2**20
# what the records around a step's cells take, so that a million one-cell steps do count
OVERHEAD = 1024
# dropping a part at once: the stack is rebuilt for it
KEPT = 0.75


class Step(Protocol):
    """One step that can be gone forth and back, bit by bit, in the document or beside it."""

    @property
    def label(self) -> Label: ...
    @property
    def cost(self) -> int: ...
    @property
    def apart(self) -> bool: ...
    @property
    def looks(self) -> bool: ...
    def redo(self) -> Change: ...
    def undo(self) -> Change: ...
    def back(self, state: StateBeside) -> None: ...
    def forth(self, state: StateBeside) -> None: ...


class _Command(QUndoCommand):
    def __init__(self, step: Step, report: Callable[[Change], None], done: bool) -> None:
        super().__init__()
        self.step, self._report, self._done = step, report, done
        self.say_again()

    def say_again(self) -> None:
        self.setText(" ".join(str(self.step.label).split()))

    def redo(self) -> None:
        if self._done:  # a push calls redo, but the step has been tried before it was pushed
            self._done = False
            return
        self._run(self.step.redo)

    def undo(self) -> None:
        self._run(self.step.undo)

    def _run(self, go: Callable[[], Change]) -> None:
        try:
            self._report(go())
        except Exception:  # an exception that leaves this call ends the program: PySide 6.10.3 crashes on it
            sys.excepthook(*sys.exc_info())


class History:
    """Keeps `stack` under `limit` bytes: the oldest steps are forgotten, the newest never."""

    def __init__(self, report: Callable[[Change], None], parent: QObject, limit: int = LIMIT) -> None:
        self.stack = QUndoStack(parent)
        self.limit = limit
        self._report = report
        self._costs: list[int] = []  # of the steps on the stack, oldest first
        self._total = 0

    def push(self, step: Step) -> None:
        """Add a step that has just been done; what had been undone before it is forgotten."""
        command, cost = _Command(step, self._report, done=True), step.cost + OVERHEAD
        self._uncount_undone()
        self._costs.append(cost)
        self._total += cost
        if self._total > self.limit:
            self._forget_oldest()
        self.stack.push(command)

    @property
    def modified(self) -> bool:
        """Whether steps lie between the clean state and the present one that do more than look at another layer."""
        clean, now = self.stack.cleanIndex(), self.stack.index()
        places = range(min(clean, now), max(clean, now))
        return clean < 0 or any(not cast(_Command, self.stack.command(place)).step.looks for place in places)

    def undone(self) -> list[Step]:
        """The steps that were undone, the one that redo would do first: the next push forgets them."""
        return [command.step for command in self._commands()[self.stack.index() :]]

    def forget_undone(self) -> None:
        """Forget the steps that were undone, although none takes their place."""
        self._uncount_undone()
        self._rebuild(0)

    def done(self, most: int) -> list[Step]:
        """The newest of the steps that led to the present state, the oldest of them first.

        None from before the last step to another place in a model: a cell there is another quantity.
        """
        index = self.stack.index()
        found: list[Step] = []
        for command in reversed(self._commands()[max(0, index - most) : index]):
            if command.step.apart:
                break
            found.insert(0, command.step)
        return found

    def clear(self) -> None:
        self._costs, self._total = [], 0
        self.stack.clear()
        self.stack.setClean()

    def retranslate(self) -> None:
        """Say the names of all steps in the present language, also in actions that follow the stack."""
        for command in self._commands():
            command.say_again()
        self.stack.undoTextChanged.emit(self.stack.undoText())
        self.stack.redoTextChanged.emit(self.stack.redoText())
        self.stack.indexChanged.emit(self.stack.index())

    def _commands(self) -> list[_Command]:
        return [cast(_Command, self.stack.command(place)) for place in range(self.stack.count())]

    def _uncount_undone(self) -> None:
        self._total -= sum(self._costs[self.stack.index() :])
        del self._costs[self.stack.index() :]

    def _forget_oldest(self) -> None:
        dropped = 0
        while dropped < self.stack.index() and self._total > KEPT * self.limit:
            self._total -= self._costs[dropped]
            dropped += 1
        del self._costs[:dropped]
        self._rebuild(dropped)

    def _rebuild(self, dropped: int) -> None:
        """Build the stack anew of what is done, without its oldest steps: QUndoStack itself can only count them."""
        steps = [command.step for command in self._commands()[dropped : self.stack.index()]]
        clean = self.stack.cleanIndex() - dropped
        was_blocked = self.stack.blockSignals(True)
        self.stack.clear()
        self.stack.resetClean()
        for place, step in enumerate([None, *steps]):
            if step is not None:
                self.stack.push(_Command(step, self._report, done=True))
            if place == clean:
                self.stack.setClean()
        self.stack.blockSignals(was_blocked)


# --- snapshots ------------------------------------------------------------------------------------
# The snapshots of the open document: kept beside its history, so that no undo ever takes one away.


MOST_BY_ITSELF = 20
LARGEST_BY_ITSELF = 256 * 2**20  # bytes of all snapshots, above which no more are kept by themselves
LARGEST_COPY = 16 * 2**20  # bytes that an edit may wait for while they are copied
_FULL = QT_TRANSLATE_NOOP("Sentences", "There are {count} snapshots, which is the most; delete one first.")


class Snapshots(QObject):
    """Named states in the order in which they were taken; `changed` follows everything that is done to them."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.all: tuple[Snapshot, ...] = ()
        self._saved: tuple[Snapshot, ...] = ()

    @property
    def modified(self) -> bool:
        """Whether they are others than those that were saved last; what was kept by itself does not count."""
        now, saved = ([each for each in kept if not each.by_itself] for kept in (self.all, self._saved))
        return now != saved

    def take(self, problem: Problem, name: str, study: Study | None = None) -> Snapshot:
        """Keep a state at the end of the list, under a name that no other has; `study` where it is of a model, of which
        the weights are not copied.

        Raises Refusal where there are too many, FieldError where it would take too much memory.
        """
        self._check_room()
        found = self._packed(problem, name, study)
        self._put(len(self.all), found)
        return found

    def keep(self, problem: Problem, name: str, study: Study | None = None) -> None:
        """Keep by itself what would be lost; not what is there already, and of these the oldest go first.

        Raises FieldError where the edit that loses it would have to wait for too large a copy.
        """
        own = [each for each in self.all if each.by_itself]
        room = min(LARGEST_COPY, LARGEST_BY_ITSELF - nbytes(self.all))
        found = self._packed(problem, name, study, by_itself=True, room=room)
        if any(each.is_state_of(found) for each in self.all):
            return
        if len(self.all) >= MOST:
            return
        others = tuple(each for each in self.all if len(own) < MOST_BY_ITSELF or each is not own[0])
        self._set((*others, found))

    def put_back(self, place: int, snapshot: Snapshot) -> None:
        """Put one that was taken away in at its place; with another name where one has its own since.

        Raises Refusal where there are too many.
        """
        self._check_room()
        taken = any(each.name == snapshot.name for each in self.all)
        self._put(place, replace(snapshot, name=self._free_name(snapshot.name)) if taken else snapshot)

    def replace(self, old: Snapshot, new: Snapshot) -> None:
        """Put one in the place of another, as with another name, which is made one that no other has."""
        named = new if new.name == old.name else replace(new, name=self._free_name(new.name))
        self._set(tuple(named if each is old else each for each in self.all))

    def remove(self, snapshot: Snapshot) -> int:
        """Take one away; the place where it stood."""
        place = next(number for number, each in enumerate(self.all) if each is snapshot)
        self._set(tuple(each for each in self.all if each is not snapshot))
        return place

    def begin(self, snapshots: Sequence[Snapshot]) -> None:
        """Take those of another document, which count as saved."""
        self._saved = tuple(snapshots)
        self._set(self._saved)

    def mark_saved(self, written: tuple[Snapshot, ...]) -> None:
        """Remember which of them a file holds."""
        self._saved = written

    def _packed(
        self, problem: Problem, name: str, study: Study | None, *, by_itself: bool = False, room: int | None = None
    ) -> Snapshot:
        layer, weights = (None, {}) if study is None else (SnapshotLayer(study.layer, study.text), study.weights)
        free = self._free_name(name)
        return packed(problem, self.all, free, by_itself=by_itself, room=room, layer=layer, weights=weights)

    def _check_room(self) -> None:
        if len(self.all) >= MOST:
            raise Refusal(_FULL, count=len(self.all))

    def _put(self, place: int, snapshot: Snapshot) -> None:
        self._set((*self.all[:place], snapshot, *self.all[place:]))

    def _set(self, snapshots: tuple[Snapshot, ...]) -> None:
        self.all = snapshots
        self.changed.emit()

    def _free_name(self, name: str) -> str:
        """The name, or where another has it, the same with the first number that is free."""
        taken, name = {each.name for each in self.all}, name[: LONGEST_NAME - 8]
        numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
        return name if name not in taken else next(each for each in numbered if each not in taken)
