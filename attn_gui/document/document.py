"""The open document: its problem, its path, its history, and the one signal that tells what changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QT_TRANSLATE_NOOP, QObject, Signal
from PySide6.QtGui import QUndoStack

from attn_gui.document.edits import Change, Edit, Edits, Label, Refusal, SetCells, SetFields, SetStudy
from attn_gui.document.history import (
    LARGEST_COPY,
    LIMIT,
    History,
    PastStates,
    Snapshots,
    StateBeside,
    Step,
    Working,
    changed_names,
    given_up,
    owned,
    same_bytes,
)
from attn_gui.document.matrix_model import shown_part
from attn_gui.document.number_text import NO_SWITCH
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem
from attn_gui.formats.snapshots import Snapshot, SnapshotLayer

if TYPE_CHECKING:
    from attn_gui.models.study import Study

__all__ = ["Change", "Document", "EditError"]


# --- draft ----------------------------------------------------------------------------------------
# The draft: the entered fields, one working array for every matrix, and the steps that change them in place.


class EditError(Refusal):
    """An edit that does not fit the document: no such field, a box outside the array, a number that does not fit."""


class Draft:
    """The working arrays of the open document; `problem` looks at them through read-only views.

    Every edit becomes a step that is tried before it is kept: one that fails leaves everything as it was.
    """

    def __init__(self, problem: Problem) -> None:
        self.state = owned(problem.fields(), {})
        self.writes = 0  # raised before the first cell is written, for those who read in another thread

    @property
    def problem(self) -> Problem:
        return self.state.problem

    def begin(self, problem: Problem) -> None:
        """Copy another problem in; nothing of the old one is kept."""
        self.state = owned(problem.fields(), {})

    def adopt(self, problem: Problem, study: Study | None = None) -> None:
        """Go on in the memory of another problem, to which no other reference is kept: nothing is copied."""
        self.state = replace(owned(problem.fields(), given_up(problem)), study=study)

    def do(self, edit: Edit, fresh: Sequence[Array] = ()) -> tuple[Step, Change] | None:
        """Carry out `edit`; None if it changes nothing. Raises ShapeError or ValueError with nothing changed.

        `fresh` arrays belong to the caller alone and are not copied.
        """
        if isinstance(edit, Edits):
            return self._do_all(edit, fresh)
        if isinstance(edit, SetCells):
            step = self._cells_step(edit, fresh)
        else:
            step = self._fields_step(edit, fresh, edit.study if isinstance(edit, SetStudy) else self.state.study)
        return None if step is None else (step, step.redo())

    def _do_all(self, edits: Edits, fresh: Sequence[Array]) -> tuple[Step, Change] | None:
        done: list[tuple[Step, Change]] = []
        try:
            for edit in edits.edits:
                done += filter(None, [self.do(edit, fresh)])
        except BaseException:
            for step, _change in reversed(done):
                step.undo()
            raise
        if not done:
            return None
        return _Steps(tuple(step for step, _ in done), edits.label), Change.merged([change for _, change in done])

    def _cells_step(self, edit: SetCells, fresh: Sequence[Array]) -> Step | None:
        array = self.state.arrays.get(edit.field)
        if array is None:
            raise EditError(QT_TRANSLATE_NOOP("Sentences", "The problem has no array named {field}."), field=edit.field)
        box = _checked_box(edit.field, edit.box, array.shape)
        old = np.array(array[box])
        owned_by = (edit.values, getattr(edit.values, "base", None))
        taken = edit.values.dtype == array.dtype and any(one is own for one in fresh for own in owned_by)
        new = edit.values if taken else cast_cells(edit.values, array.dtype)
        if new.shape != old.shape:
            raise EditError(
                QT_TRANSLATE_NOOP("Sentences", "{field}: expected numbers of shape {expected}, got {got}."),
                field=edit.field,
                expected=old.shape,
                got=new.shape,
            )
        if same_bytes(old, new):
            return None
        return _CellsStep(lambda: self._to_write(edit.field), edit.field, box, old, new, edit.label)

    def _to_write(self, field: str) -> Array:
        self.writes += 1
        return self.state.arrays[field]

    def _fields_step(self, edit: SetFields | SetStudy, fresh: Sequence[Array], study: Study | None) -> Step | None:
        fields = {**self.state.fields, **edit.fields}
        present = {name: value for name, value in fields.items() if value is not None}
        after = replace(owned(present, self.state.arrays, fresh), study=study)
        names = changed_names(self.state, after)
        moved = after.study is not self.state.study
        looks = isinstance(edit, SetStudy) and edit.looks
        return _FieldsStep(self, self.state, after, names, edit.label, looks) if names or moved else None


def _checked_box(field: str, box: Box, shape: tuple[int, ...]) -> Box:
    fits = len(box) == len(shape) and all(
        axis.step in (None, 1) and 0 <= axis.start <= axis.stop <= length
        for axis, length in zip(box, shape, strict=True)
    )
    if not fits:
        raise EditError(
            QT_TRANSLATE_NOOP("Sentences", "{field}: the cells lie outside its shape {shape}."),
            field=field,
            shape=shape,
        )
    return tuple(slice(int(axis.start), int(axis.stop)) for axis in box)


def cast_cells(values: Array, dtype: np.dtype[Any]) -> Array:
    """A contiguous copy of `values` in `dtype`; refused if a number would become another one there."""
    given = np.asarray(values)
    with np.errstate(over="ignore", invalid="ignore"):
        new = np.array(given, dtype=dtype, order="C")
    if dtype.kind == "b" and not np.array_equal(new, given):
        raise EditError(NO_SWITCH)
    if dtype.kind == "f":
        check_finite(new, given)
    return new


def check_finite(new: Array, given: Array) -> None:
    """Raise EditError where a number is infinite that was made of one that is not."""
    if bool((np.isinf(new) & np.isfinite(given)).any()):
        raise EditError(QT_TRANSLATE_NOOP("Sentences", "A number is too large for {dtype}."), dtype=new.dtype.name)


@dataclass(frozen=True, eq=False)
class _CellsStep:
    """Holds the old and the new cells and nothing else of the array."""

    array: Callable[[], Array]
    field: str
    box: Box
    old: Array
    new: Array
    label: Label

    @property
    def cost(self) -> int:
        return self.old.nbytes + self.new.nbytes

    apart = looks = False

    def redo(self) -> Change:
        return self._write(self.new)

    def undo(self) -> Change:
        return self._write(self.old)

    def back(self, state: StateBeside) -> None:
        state.write(self.field, self.box, self.old)

    def forth(self, state: StateBeside) -> None:
        state.write(self.field, self.box, self.new)

    def _write(self, cells: Array) -> Change:
        self.array()[self.box] = cells
        return Change({self.field: (self.box,)})


@dataclass(frozen=True, eq=False)
class _FieldsStep:
    """Holds the working arrays that leave and that come, and hands them back: nothing is copied.

    The arrays that left rest untouched until they return, so going back is exact.
    """

    draft: Draft
    before: Working
    after: Working
    names: tuple[str, ...]
    label: Label
    looks: bool

    @property
    def cost(self) -> int:
        """Bytes that it keeps alone: what came is the present state's, or what the next step has taken away."""
        before, after = self.before.memory(), self.after.memory()
        return sum(size for key, size in before.items() if key not in after)

    def redo(self) -> Change:
        self.draft.state = self.after
        return self._change()

    def undo(self) -> Change:
        self.draft.state = self.before
        return self._change()

    def back(self, state: StateBeside) -> None:
        state.state = self.before

    def forth(self, state: StateBeside) -> None:
        state.state = self.after

    @property
    def apart(self) -> bool:
        """Whether the states before and after are of different places in a model."""
        return self.before.study is not self.after.study

    def _change(self) -> Change:
        return Change(dict.fromkeys(self.names, None), study=self.apart)


@dataclass(frozen=True, eq=False)
class _Steps:
    steps: tuple[Step, ...]
    label: Label

    @property
    def cost(self) -> int:
        return sum(step.cost for step in self.steps)

    @property
    def apart(self) -> bool:
        return any(step.apart for step in self.steps)

    @property
    def looks(self) -> bool:
        return all(step.looks for step in self.steps)

    def redo(self) -> Change:
        return Change.merged([step.redo() for step in self.steps])

    def undo(self) -> Change:
        return Change.merged([step.undo() for step in reversed(self.steps)])

    def back(self, state: StateBeside) -> None:
        for step in reversed(self.steps):
            step.back(state)

    def forth(self, state: StateBeside) -> None:
        for step in self.steps:
            step.forth(state)


# --- document -------------------------------------------------------------------------------------


class Document(QObject):
    """Alone owns one working array per matrix; `apply` is the one way in.

    `changed(Change)` follows every edit, undo and redo, once each, also when several steps are gone at once.
    `titleChanged()` follows a change of `name`, `path` or `modified`. Use it on the GUI thread only; other threads
    may read `problem` and drop what they made of it if `writes` or `generation` moved meanwhile: cells have new numbers
    between the two.
    """

    changed = Signal(object)
    titleChanged = Signal()

    def __init__(
        self,
        problem: Problem,
        path: Path | None = None,
        name: str = "",
        parent: QObject | None = None,
        *,
        history_bytes: int = LIMIT,
    ) -> None:
        super().__init__(parent)
        self.path, self.name = path, name
        self.generation = 0
        self.revision = 0  # moves with the generation and with the snapshots: with all that a file would hold
        self._draft = Draft(problem)
        self._pending: list[Change] = []
        self._history = History(self._pending.append, self, history_bytes)
        self.snapshots = Snapshots(self)
        self.snapshots.changed.connect(self._on_snapshots_changed)
        self._told_modified = False
        self.titleChanged.connect(self._on_title_changed)
        self.stack.indexChanged.connect(self._on_stack_index_changed)
        self.stack.cleanChanged.connect(self._tell_modified)

    @property
    def problem(self) -> Problem:
        """Read-only views of the working arrays, valid until the next edit; the same object until fields change."""
        return self._draft.problem

    @property
    def study(self) -> Study | None:
        """The model that the problem is a layer of, with what is changed in its other layers; None of any other."""
        return self._draft.state.study

    @property
    def layer(self) -> SnapshotLayer | None:
        """The place in a model that the problem has; None where it is of none."""
        return _layer_of(self.study)

    @property
    def writes(self) -> int:
        """The count of writes into arrays in place; moves before the first cell does."""
        return self._draft.writes

    @property
    def stack(self) -> QUndoStack:
        """The history, for actions and lists: undo, redo, setIndex; push nothing on it."""
        return self._history.stack

    @property
    def modified(self) -> bool:
        return self._history.modified or self.snapshots.modified

    def reader(self, field: str, item: int = 0, head: int = 0) -> Callable[[], NDArray[Any] | None]:
        """A function that gives what a table shows of an array (dotted name), read-only, as it is then.

        (rows, columns) of one item of a batch, of one item and head of a mask; (columns,) of a vector; None once the
        array or the item is gone.
        """

        def read() -> NDArray[Any] | None:
            array = self._draft.state.views.get(field)
            return None if array is None else shown_part(field, array, item, head)

        return read

    def snapshot(self) -> Problem:
        """A problem of its own, which no later edit touches.

        Raises FieldError where that would take more than a share of the free memory.
        """
        check(sum(array.nbytes for array in self.problem.arrays().values()))
        return Problem.of(self.problem.fields())

    def apply(self, edit: Edit, fresh: Sequence[NDArray[Any]] = ()) -> bool:
        """Carry out `edit` as one step of the history; False if it changes nothing, then no step is made.

        Arrays that are `fresh`, to which no other reference is kept, are taken over and not copied.
        Raises ShapeError, EditError or another ValueError before anything is changed; whatever else is raised leaves
        the document as it was, too.
        """
        return self._carry_out(edit, fresh, self._keep_what_is_dropped)

    def _carry_out(self, edit: Edit, fresh: Sequence[NDArray[Any]], before_push: Callable[[Step], None]) -> bool:
        done = self._draft.do(edit, fresh)
        if done is None:
            return False
        step, change = done
        before_push(step)
        self._pending.append(change)
        try:
            self._history.push(step)
        except Exception:  # no step, no change
            self._pending.pop()
            step.undo()
            raise
        return True

    def apply_instead(self, edit: Edit, fresh: Sequence[NDArray[Any]] = ()) -> bool:
        """Carry out `edit` in the place of the last step, told as one change; as `apply` otherwise.

        Where it raises, or changes nothing, the last step is gone all the same.
        """
        self.stack.blockSignals(True)
        try:
            self.stack.undo()
        finally:
            self.stack.blockSignals(False)
        stepped = False
        try:
            stepped = self._carry_out(edit, fresh, lambda step: None)  # the last step is dropped for good
        finally:
            if not stepped:
                self._history.forget_undone()
            self.titleChanged.emit()  # the step that is gone may have been the one that was saved
            self.stack.indexChanged.emit(self.stack.index())
        return stepped

    def _keep_what_is_dropped(self, step: Step) -> None:
        """Keep the state that undone steps led to as a snapshot: an edit would lose it.

        `step` has just been done. The state is made beside the document, whose arrays other threads read meanwhile.
        """
        dropped = self._history.undone()
        if not dropped:
            return
        beside = StateBeside(self._draft.state, LARGEST_COPY)
        with suppress(ValueError, MemoryError):  # too large, or cannot be written: the edit was asked for
            step.back(beside)
            for each in dropped:
                each.forth(beside)
            self.snapshots.keep(beside.problem(), str(dropped[-1].label), beside.state.study)

    def past(self, most: int) -> PastStates:
        """The states before the newest steps, and the present one; of a model those of the layer on the table."""
        return PastStates(self._draft.state, self._history.done(most))

    def open(self, problem: Problem, path: Path | None = None, name: str = "") -> None:
        """Begin another document: its history is empty and it counts as saved."""
        self._draft.begin(problem)
        self._begun(path, name)

    def adopt(
        self,
        problem: Problem,
        path: Path | None = None,
        name: str = "",
        snapshots: Sequence[Snapshot] = (),
        study: Study | None = None,
    ) -> None:
        """Open in the memory of `problem`, of which no reference may be kept elsewhere: instant, however large."""
        self._draft.adopt(problem, study)
        self._begun(path, name, snapshots)

    def _begun(self, path: Path | None, name: str, snapshots: Sequence[Snapshot] = ()) -> None:
        self.path, self.name = path, name
        self._history.clear()
        self.snapshots.begin(snapshots)
        self._tell(Change(dict.fromkeys(self._draft.state.views, None), opened=True, study=True))
        self.titleChanged.emit()

    def mark_saved(
        self, path: Path, generation: int | None = None, snapshots: tuple[Snapshot, ...] | None = None
    ) -> None:
        """Remember that `path` holds the present state and snapshots; of an earlier generation, this one is unsaved."""
        self.path, self.name = path, path.stem
        self.snapshots.mark_saved(self.snapshots.all if snapshots is None else snapshots)
        if generation in (None, self.generation):
            self.stack.setClean()
        else:
            self.stack.resetClean()
        self.titleChanged.emit()

    def mark_kept(self) -> None:
        """Count the present numbers as ones that need no file, such as those of a lesson, which can be taken again."""
        self.stack.setClean()

    def mark_unsaved(self) -> None:
        """Remember that no file holds the present state."""
        self.stack.resetClean()
        self.titleChanged.emit()

    def limit_history(self, count: int) -> None:
        """Let the steps take no more than so many bytes, from the next step on; the newest stays whatever it takes."""
        self._history.limit = count

    def retranslate(self) -> None:
        """Name the steps of the history in the present language."""
        self._history.retranslate()

    def _on_stack_index_changed(self) -> None:
        if self._pending:
            change = Change.merged(self._pending)
            self._pending.clear()
            self._tell(change)
        self._tell_modified()

    def _tell_modified(self) -> None:
        """Announce that the document is modified, or is no more: the stack alone counts looks at a layer as changes."""
        if self.modified != self._told_modified:
            self.titleChanged.emit()

    def _on_title_changed(self) -> None:
        self._told_modified = self.modified

    def _on_snapshots_changed(self) -> None:
        self.revision += 1
        self.titleChanged.emit()

    def _tell(self, change: Change) -> None:
        self.generation += 1
        self.revision += 1
        self.changed.emit(change)


def _layer_of(study: Study | None) -> SnapshotLayer | None:
    return None if study is None else SnapshotLayer(study.layer, study.text)
