"""The snapshots of the open document: kept beside its history, so that no undo ever takes one away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QObject, Signal

from attn_gui.document.phrases import Refusal
from attn_gui.engine.problem import Problem
from attn_gui.formats.snapshots.snapshot import Layer, Snapshot, nbytes, packed
from attn_gui.formats.snapshots.snapshot_entries import LONGEST_NAME, MOST

if TYPE_CHECKING:
    from attn_gui.models.studies.study import Study

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
        layer, weights = (None, {}) if study is None else (Layer(study.layer, study.text), study.weights)
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
