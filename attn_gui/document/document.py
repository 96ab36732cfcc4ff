"""The open document: `apply`, the one way to change it; modified, opened, saved; what undo loses kept as a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from attn_gui.document.edits import Edit, EditError, Label
from attn_gui.document.history import LARGEST_COPY, LIMIT, History, PastStates, Snapshots
from attn_gui.document.matrix_model import shown_part
from attn_gui.document.working_arrays import DocumentChange, Draft, DraftCopy, released_arrays, with_own_memory
from attn_gui.engine.arrays import check
from attn_gui.engine.errors import Note
from attn_gui.engine.problem import Problem
from attn_gui.formats.snapshots import Snapshot, SnapshotLayer

if TYPE_CHECKING:
    from attn_gui.models.study import Study

__all__ = ["Document", "DocumentChange", "EditError"]


class Document(QObject):
    """The open document; `apply` is the only way to change it.

    It alone owns one working array per matrix. `changed(DocumentChange)` is emitted once for every edit, undo and redo,
    also where several steps are undone at once; `opened()` after it where another document has been opened, so that
    what belonged to the one before can end. `titleChanged()` follows a change of `name`, `path` or `modified`. Use it
    on the GUI thread only. Other threads may read `problem`, and have to drop their results if `writes` or `generation`
    has changed meanwhile.
    """

    changed = Signal(object)
    opened = Signal()
    titleChanged = Signal()

    def __init__(
        self,
        problem: Problem,
        path: Path | None = None,
        name: str | Label = "",
        parent: QObject | None = None,
        *,
        history_bytes: int = LIMIT,
    ) -> None:
        super().__init__(parent)
        self.path, self._name = path, name
        self.generation = 0  # moves with every change of the document, once it is carried out
        self.revision = 0  # moves with the generation and with the snapshots: with all that a file would hold
        self._draft = Draft(with_own_memory(problem.fields(), {}))
        self._history = History(self._draft, self, history_bytes)
        self.snapshots = Snapshots(self)
        self.snapshots.changed.connect(self._on_snapshots_changed)
        self._announced_modified = False
        self.titleChanged.connect(self._on_title_changed)
        self.stack.indexChanged.connect(self._on_stack_index_changed)
        self.stack.cleanChanged.connect(self._announce_modified)

    @property
    def problem(self) -> Problem:
        """Read-only views of the working arrays, valid until the next edit; the same object until fields change."""
        return self._draft.state.problem

    @property
    def study(self) -> Study | None:
        """The model that the problem is a layer of, with the edits of its other layers; None for any other problem."""
        return self._draft.state.study

    @property
    def layer(self) -> SnapshotLayer | None:
        """The layer of the model that the problem is; None where it is of no model."""
        return None if self.study is None else SnapshotLayer(self.study.layer, self.study.text)

    @property
    def writes(self) -> int:
        """The number of writes into arrays in place; it rises before the first cell is written."""
        return self._draft.writes

    @property
    def stack(self) -> QUndoStack:
        """The undo stack, for actions and lists: undo, redo, setIndex. Push nothing on it."""
        return self._history.stack

    @property
    def notes(self) -> Sequence[Note]:
        """What the newest step that is done has lost."""
        newest = self._history.newest
        return () if newest is None else newest.notes

    @property
    def modified(self) -> bool:
        """Whether there is something that its file does not hold."""
        return self._history.modified or self.snapshots.modified

    @property
    def name(self) -> str:
        """Its name without an ending, in the present language where it was given as a label."""
        return str(self._name)

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays of `problem` by dotted name."""
        return self._draft.state.views

    def reader(self, field: str, item: int = 0, head: int = 0) -> Callable[[], NDArray[Any] | None]:
        """Return a function that gives what a table shows of an array (dotted name), read-only, when it is called.

        (rows, columns) of one item of a batch, of one item and head of a mask; (columns,) of a vector; None once the
        array or the item is gone.
        """

        def read() -> NDArray[Any] | None:
            array = self._draft.state.views.get(field)
            return array if array is None or array.ndim < 3 else shown_part(field, array, item, head)

        return read

    def snapshot(self) -> Problem:
        """Return a copy of the problem, which no later edit changes. Raises FieldError where memory is short."""
        check(sum(array.nbytes for array in self.problem.arrays().values()))
        return Problem.of(self.problem.fields())

    def apply(self, edit: Edit, fresh: Sequence[NDArray[Any]] = ()) -> bool:
        """Carry out `edit` as one step of the history; return False, and make no step, if it changes nothing.

        `fresh` arrays, to which the caller keeps no reference, are taken over and not copied. Raises ShapeError,
        EditError or another ValueError before anything is changed; any other exception leaves the document as it was,
        too.
        """
        step = edit.prepared(self._draft, fresh)
        if step is None:
            return False
        self._keep_what_is_dropped()
        self._history.push(step)
        return True

    def apply_instead(self, edit: Edit, fresh: Sequence[NDArray[Any]] = ()) -> bool:
        """Replace the last step by `edit`, as one change; otherwise as `apply`.

        Where it raises, or changes nothing, the last step is undone all the same.
        """
        self.stack.blockSignals(True)
        try:
            self.stack.undo()
        finally:
            self.stack.blockSignals(False)
        stepped = False
        try:
            step = edit.prepared(self._draft, fresh)
            if step is not None:
                self._history.push(step)
                stepped = True
        finally:
            if not stepped:
                self._history.forget_undone()
            self.titleChanged.emit()  # the step that is gone may have been the one that was saved
            self.stack.indexChanged.emit(self.stack.index())
        return stepped

    def _keep_what_is_dropped(self) -> None:
        """Keep the state that undone steps led to as a snapshot, since an edit would lose it.

        It is built apart from the document, whose arrays other threads may read.
        """
        dropped = self._history.undone()
        if not dropped:
            return
        beside = DraftCopy(self._draft.state, LARGEST_COPY)
        with suppress(ValueError, MemoryError):  # too large, or cannot be written: the edit was asked for
            for each in dropped:
                each.apply_to(beside)
            self.snapshots.keep(beside.problem(), str(dropped[-1].label), beside.state.study)

    def past(self, most: int) -> PastStates:
        """Return the states before the newest steps, and the present one; of a model those of its layer."""
        return PastStates(self._draft.state, self._history.done(most))

    def open(self, problem: Problem, path: Path | None = None, name: str = "") -> None:
        """Open another document: its history is empty, and it counts as saved."""
        self._draft.state = with_own_memory(problem.fields(), {})
        self._begun(path, name)

    def adopt(
        self,
        problem: Problem,
        path: Path | None = None,
        name: str | Label = "",
        snapshots: Sequence[Snapshot] = (),
        study: Study | None = None,
    ) -> None:
        """Open a problem in its own memory, at once, however large; no other reference to it may be kept."""
        self._draft.state = replace(with_own_memory(problem.fields(), released_arrays(problem)), study=study)
        self._begun(path, name, snapshots)

    def _begun(self, path: Path | None, name: str | Label, snapshots: Sequence[Snapshot] = ()) -> None:
        self.path, self._name = path, name
        self._history.clear()
        self.snapshots.begin(snapshots)
        self._draft.changes.append(
            DocumentChange(dict.fromkeys(self._draft.state.views, None), opened=True, study=True)
        )
        self._on_stack_index_changed()
        self.titleChanged.emit()

    def mark_saved(
        self, path: Path, generation: int | None = None, snapshots: tuple[Snapshot, ...] | None = None
    ) -> None:
        """Remember that `path` holds these snapshots and this generation; the present may be a later one."""
        self.path, self._name = path, path.stem
        self.snapshots.mark_saved(self.snapshots.all if snapshots is None else snapshots)
        if generation in (None, self.generation):
            self.stack.setClean()
        else:
            self.stack.resetClean()
        self.titleChanged.emit()

    def mark_kept(self) -> None:
        """Count the present state as one that need not be saved, such as that of a lesson, which can be taken again."""
        self.stack.setClean()
        self.titleChanged.emit()  # a window that read `modified` earlier in the same change has to read it again

    def rename(self, name: str) -> None:
        """Change the name of a document without a file, as when the language changes."""
        self._name = name
        self.titleChanged.emit()

    def mark_unsaved(self) -> None:
        """Remember that no file holds the present state."""
        self.stack.resetClean()
        self.titleChanged.emit()

    def limit_history(self, count: int) -> None:
        """Limit the bytes of the history, from the next step on; the newest step stays whatever it takes."""
        self._history.limit = count

    def retranslate(self) -> None:
        """Name the steps of the history in the present language."""
        self._history.retranslate()

    def _on_stack_index_changed(self) -> None:
        if self._draft.changes:
            change = DocumentChange.merged(self._draft.changes)
            self._draft.changes.clear()
            self.generation += 1
            self.revision += 1
            self.changed.emit(change)
            if change.opened:
                self.opened.emit()
        self._announce_modified()

    def _announce_modified(self) -> None:
        """Emit whether the document is modified; the stack alone would count looking at another layer as a change."""
        if self.modified != self._announced_modified:
            self.titleChanged.emit()

    def _on_title_changed(self) -> None:
        self._announced_modified = self.modified

    def _on_snapshots_changed(self) -> None:
        self.revision += 1
        self.titleChanged.emit()
