"""Memory of undo and which steps are forgotten, states of the past, and snapshots: how many, names, which gives way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from attn_gui.document.edits import Edit, Refusal
from attn_gui.document.working_arrays import Draft, Rewind, WorkingArrays
from attn_gui.engine.problem import Problem
from attn_gui.formats.snapshots import LONGEST_NAME, MOST, Snapshot, SnapshotLayer, nbytes, packed
from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.models.study import Study

LIMIT = 256 * 2**20
# what the records around a step's cells take, so that a million one-cell steps do count
OVERHEAD = 1024
# dropping a part at once: the stack is rebuilt for it
KEPT = 0.75

MOST_BY_ITSELF = 20
LARGEST_BY_ITSELF = 256 * 2**20  # bytes of all snapshots, above which no more are kept by themselves
LARGEST_COPY = 16 * 2**20  # bytes that an edit may wait for while they are copied
_FULL = N_("There are {count} snapshots, which is the most; delete one first.")


# The states that the document has gone through, put together from its steps beside it: it stays as it is meanwhile.
class PastStates:
    """The present state, and those before given steps, the last of which is the newest.

    Made on the GUI thread; `problems` may run on another one, and its result holds only if the document has not
    changed. Raises FieldError where the states would take too much memory.
    """

    def __init__(self, state: WorkingArrays, steps: Iterable[Edit]) -> None:
        self._rewind, self._steps = Rewind(state), tuple(steps)

    def __len__(self) -> int:
        """Return the number of steps that it goes back."""
        return len(self._steps)

    def problems(self) -> list[Problem]:
        """Return the states, oldest first: one more than there are steps."""
        found = [self._rewind.problem()]
        for step in reversed(self._steps):
            step.revert_in(self._rewind)
            found.append(self._rewind.problem())
        return found[::-1]


class History:
    """Keeps the undo stack under `limit` bytes by forgetting the oldest steps, but never the newest."""

    def __init__(self, draft: Draft, parent: QObject, limit: int = LIMIT) -> None:
        self.stack = QUndoStack(parent)
        self.limit = limit
        self._draft = draft
        self._costs: list[int] = []  # of the steps on the stack, oldest first
        self._total = 0

    def push(self, edit: Edit) -> None:
        """Carry out a prepared edit as the newest step; steps that were undone are forgotten."""
        cost = edit.cost + OVERHEAD
        self._uncount_undone()
        self._costs.append(cost)
        self._total += cost
        if self._total > self.limit:
            self._forget_oldest()
        edit.draft = self._draft
        edit.set_text()
        self.stack.push(edit)

    @property
    def modified(self) -> bool:
        """Whether a step between the saved state and the present one does more than look at another layer."""
        clean, now = self.stack.cleanIndex(), self.stack.index()
        places = range(min(clean, now), max(clean, now))
        return clean < 0 or any(not cast(Edit, self.stack.command(place)).navigates for place in places)

    @property
    def newest(self) -> Edit | None:
        """The newest step that is done."""
        return cast("Edit | None", self.stack.command(self.stack.index() - 1))

    def undone(self) -> list[Edit]:
        """Return the steps that were undone, the next one to redo first; the next push forgets them."""
        return self._steps()[self.stack.index() :]

    def forget_undone(self) -> None:
        """Forget the steps that were undone."""
        self._uncount_undone()
        self._rebuild(0)

    def done(self, most: int) -> list[Edit]:
        """Return the newest `most` steps that led to the present state, oldest first.

        None from before the last move to another place in a model, where a cell is another quantity.
        """
        index = self.stack.index()
        found: list[Edit] = []
        for step in reversed(self._steps()[max(0, index - most) : index]):
            if step.moves_in_model:
                break
            found.insert(0, step)
        return found

    def clear(self) -> None:
        self._costs, self._total = [], 0
        self.stack.clear()
        self.stack.setClean()

    def retranslate(self) -> None:
        """Name all steps in the present language, also in actions that follow the stack."""
        for step in self._steps():
            step.set_text()
        self.stack.undoTextChanged.emit(self.stack.undoText())
        self.stack.redoTextChanged.emit(self.stack.redoText())
        self.stack.indexChanged.emit(self.stack.index())

    def _steps(self) -> list[Edit]:
        return [cast(Edit, self.stack.command(place)) for place in range(self.stack.count())]

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
        """Rebuild the stack without its oldest steps, which QUndoStack can only limit by their number."""
        steps = [step.copied() for step in self._steps()[dropped : self.stack.index()]]
        clean = self.stack.cleanIndex() - dropped
        was_blocked = self.stack.blockSignals(True)
        self.stack.clear()
        self.stack.resetClean()
        for place, step in enumerate([None, *steps]):
            if step is not None:
                self.stack.push(step)  # without a draft it changes nothing: it is done already
                step.draft = self._draft
            if place == clean:
                self.stack.setClean()
        self.stack.blockSignals(was_blocked)


# The snapshots of the open document: kept beside its history, so that no undo ever takes one away.
class Snapshots(QObject):
    """Named states in the order in which they were taken; `changed` is emitted for every change of the list."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.all: tuple[Snapshot, ...] = ()
        self._saved: tuple[Snapshot, ...] = ()

    @property
    def modified(self) -> bool:
        """Whether snapshots that somebody took differ from those saved last; `keep` does not count."""
        now, saved = ([each for each in kept if not each.by_itself] for kept in (self.all, self._saved))
        return now != saved

    def take(self, problem: Problem, name: str, study: Study | None = None) -> Snapshot:
        """Add a state to the end of the list, under a free name like `name`.

        `study` is the model that it is a layer of, if any, whose weights are not copied. Raises Refusal where there are
        too many snapshots, FieldError where this one would take too much memory.
        """
        self._check_room()
        found = self._packed(problem, name, study)
        self._put(len(self.all), found)
        return found

    def keep(self, problem: Problem, name: str, study: Study | None = None) -> None:
        """Keep a state that an edit is about to lose, unless a snapshot has it already or the list is full.

        Of those kept so only a few stay: the oldest goes first. Raises FieldError where the copy would be so large that
        the edit would have to wait for it.
        """
        own = [each for each in self.all if each.by_itself]
        room = min(LARGEST_COPY, LARGEST_BY_ITSELF - nbytes(self.all))
        found = self._packed(problem, name, study, by_itself=True, room=room)
        if any(each.is_state_of(found) for each in self.all) or len(self.all) >= MOST:
            return
        others = tuple(each for each in self.all if len(own) < MOST_BY_ITSELF or each is not own[0])
        self._set((*others, found))

    def put_back(self, place: int, snapshot: Snapshot) -> None:
        """Put a removed snapshot back at its place, under another name if its own has been taken meanwhile.

        Raises Refusal where there are too many.
        """
        self._check_room()
        taken = any(each.name == snapshot.name for each in self.all)
        self._put(place, replace(snapshot, name=self._free_name(snapshot.name)) if taken else snapshot)

    def replace(self, old: Snapshot, new: Snapshot) -> None:
        """Replace a snapshot, as by one of another name, which is made unique."""
        named = new if new.name == old.name else replace(new, name=self._free_name(new.name))
        self._set(tuple(named if each is old else each for each in self.all))

    def remove(self, snapshot: Snapshot) -> int:
        """Remove a snapshot and return its place."""
        place = next(number for number, each in enumerate(self.all) if each is snapshot)
        self._set(tuple(each for each in self.all if each is not snapshot))
        return place

    def begin(self, snapshots: Sequence[Snapshot]) -> None:
        """Start with the snapshots of another document, which count as saved."""
        self._saved = tuple(snapshots)
        self._set(self._saved)

    def mark_saved(self, written: tuple[Snapshot, ...]) -> None:
        """Remember which snapshots a file holds."""
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
        """Return the name, or where it is taken the name with the lowest free number."""
        taken, name = {each.name for each in self.all}, name[: LONGEST_NAME - 8]
        numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
        return name if name not in taken else next(each for each in numbered if each not in taken)
