"""When unsaved changes go into the journal, at most a second behind the last edit, and when it is deleted.

Changes are written together, 100 ms after the first of them, by another thread; what `formats/journal.py` writes are
whole states and changes of these. The next entry is a whole state (`_whole`) of a document that was opened, after a
failure, and where changes have grown larger than it; of a large one that a file holds, that file stands for the state
(`_origin`), and changes alone are written. Once nothing is unsaved, the journal is deleted. The states and what leads
from one to the next: `packaging/ARCHITECTURE.md`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLockFile, QObject, QStandardPaths, QTimer

from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.document import Document, DocumentChange
from attn_gui.engine.arrays import Array
from attn_gui.formats import FormatError
from attn_gui.formats.atomic_writing import saving
from attn_gui.formats.journal import SUFFIX, HeldFile, Journal, JournalStep
from attn_gui.formats.session import FileStamp, KeptDocument, StudyRecord
from attn_gui.formats.snapshots import Snapshot
from attn_gui.languages import N_
from attn_gui.views.main_window import MainWindow

if TYPE_CHECKING:
    from attn_gui.models.study import Study

DELAY_MS = 100  # after an edit, in which more of them come together
AGAIN_MS = 10_000  # after a journal could not be written
LARGE = 64 * 2**20  # bytes of arrays from which on those of an unchanged file are not written again
GROWN = 32 * 2**20  # bytes of entries after which a whole state takes their place
MOST = 2 * 10**9  # bytes that a journal may take
AT_ONCE = 2**20  # bytes of an entry that the window's thread copies; more are read beside it
_TOO_LARGE = N_("{file}: the document is too large to be kept beside its file.")


def journals_folder() -> Path:
    """Return the folder of the journals of all windows of this person."""
    kind = QStandardPaths.StandardLocation.GenericDataLocation
    return Path(QStandardPaths.writableLocation(kind)) / "attn_gui" / "journals"


def lock_of(path: Path) -> QLockFile:
    """Return the lock of a journal, which the window holds that writes or offers it.

    It is free once that has crashed.
    """
    lock = QLockFile(str(path.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # only whether the holder lives counts, not how long
    return lock


class Journaling(QObject):
    """Writes what changes into a journal of this window's own; once nothing is unsaved, it is gone."""

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self._window, self._document = window, document
        self.path = journals_folder() / f"{os.getpid()}-{os.urandom(4).hex()}{SUFFIX}"
        self._journal, self._lock = Journal(self.path), lock_of(self.path)
        self._kept_of: Callable[[], KeptDocument] = KeptDocument
        self._is_saving: Callable[[], bool] = bool
        self._changes: list[DocumentChange] = []
        self._origin: FileStamp | None = None  # the file that holds what the changes began with
        self._since = 0  # the generation with which the document was opened, or that file written
        self._name = ""  # in the first entry
        self._held: tuple[Snapshot, ...] | None = None  # the snapshots of the last entry, or before one of that file
        self._held_study: Study | None = None
        self._whole, self._failed = True, False  # the next entry is a whole state; a failure was said
        self._due = False  # something happened since the last entry
        self._writes: int | None = None  # of the document, when the last entry was begun that is read beside the window
        self._given_up = -1  # the revision of the document that is not to be kept any more
        self._then: Callable[[], object] | None = None  # called once the document is kept, or left for good
        self._background, self._timer = BackgroundTask(self), QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._write)
        self._background.ended.connect(self._on_answered)
        document.changed.connect(self._on_document_changed)
        document.titleChanged.connect(self.wake)

    def set_source(self, kept_of: Callable[[], KeptDocument], is_saving: Callable[[], bool]) -> None:
        """Set the source of what is kept beside the problem, and of whether a file of it is being written."""
        self._kept_of, self._is_saving = kept_of, is_saving

    def begin_from(self, origin: FileStamp | None) -> None:
        """Say which file holds the document as it is now, if any does."""
        self._origin, self._whole, self._held = origin, True, self._document.snapshots.all
        if origin is not None:
            self._since = self._document.generation
        self.wake()

    def expect(self, file: FileStamp, generation: int) -> None:
        """Announce a file that is about to hold a generation of the document: later entries are changes of that file.

        Called by the thread that writes it. Where this cannot be written, `go_on_from` begins anew.
        """
        with suppress(FormatError):
            self._journal.expect(HeldFile(file, generation), self._since)

    def go_on_from(self, file: FileStamp | None) -> None:
        """Note that a file holds the document as it was when its writing began: what was edited since stays unsaved."""
        if not self._document.modified:
            self.begin_from(file)
        elif self._whole or file is None or self._document.name != self._name or not self._journal.expects(file):
            self.begin_from(None)

    def take_over(self, then: Callable[[], object]) -> None:
        """Keep the document, which no file holds; `then` forget where it was kept before."""
        self._then = then
        self.wake()

    def forget(self) -> None:
        """Delete the journal for good, once a person was asked and has saved the document or given it up."""
        self._given_up = self._document.revision
        self._changes.clear()
        self._whole = True
        self._wait_for_writing()
        self._forget()
        self._hand_over()

    def finish(self) -> None:
        """Write what is still to be written, and leave what is unsaved to the next start."""
        self._wait_for_writing()
        if self._timer.isActive():
            self._write()
            self._wait_for_writing()
        self._timer.stop()
        self._whole = True
        self._lock.unlock()

    def _wait_for_writing(self) -> None:
        """Wait for what is being written, and take its outcome, which no loop may bring any more."""
        self._background.wait()
        QCoreApplication.sendPostedEvents(self._background)

    def _on_document_changed(self, change: DocumentChange) -> None:
        if change.opened:
            self._changes.clear()
            self._whole, self._origin, self._since = True, None, self._document.generation
            self._held_study = None
        else:
            self._changes.append(change)
        self.wake()

    def wake(self) -> None:
        """Write soon what is new."""
        self._due = True
        if not (self._timer.isActive() or self._background.busy):
            self._timer.start(DELAY_MS)

    def _write(self) -> None:
        """Hand what has changed to the other thread; nothing large is copied here, which would hold up the window."""
        self._due = False
        given_up = self._document.revision == self._given_up
        if given_up or not (self._document.modified or self._is_saving()):
            self._whole, self._held = True, None
            self._changes.clear()
            self._background.start(lambda _: self._forget())
            return
        if not (self._changes or self._is_new()):
            return
        left = self._document.study is None and self._held_study is not None  # the model: nothing of it stays
        self._whole = self._whole or left
        step = self._step(DocumentChange.merged(self._changes))
        self._changes.clear()
        based = self._is_based(step)
        self._held, self._held_study = self._document.snapshots.all, self._document.study
        if not self._whole and (self._journal.grown <= GROWN or self._journal.grown <= step.weight):
            step = self._safe(step)
            self._background.start(lambda _: self._journal.append(step))
            return
        first = self._safe(replace(step, kept=self._kept(), base=self._origin) if based else self._state())
        since, self._whole, self._name = self._since, False, self._document.name
        self._background.start(lambda _: self._begin(first, since))

    def _safe(self, step: JournalStep) -> JournalStep:
        """Return a copy of a small step; a large one is read beside the window, and tells whether it was written to."""
        self._writes = None
        numbers = step.numbers()
        if sum(array.nbytes for array in numbers.values()) <= AT_ONCE:
            return step.copied(numbers)
        self._writes = writes = self._document.writes
        return replace(step, is_torn=lambda: self._document.writes != writes)

    def _is_new(self) -> bool:
        """Return whether there is something to write although no cell has changed: a whole state that no file holds, or
        other snapshots than the journal has."""
        if self._whole:
            return self._document.modified
        return self._document.snapshots.all != self._held

    def _is_based(self, step: JournalStep) -> bool:
        """Return whether a new journal leaves what is unchanged to the file; that of a model holds no layer."""
        current = self._whole and self._origin is not None and self._origin.is_current()
        return current and step.weight > LARGE and self._document.study is None

    def _state(self) -> JournalStep:
        problem, kept = self._document.problem, self._document.snapshots.all
        names, generation = tuple(problem.arrays()), self._document.generation
        study, weights = self._study(), self._weights()
        return JournalStep(problem, names, (), self._kept(), None, kept, study, weights, generation)

    def _step(self, change: DocumentChange) -> JournalStep:
        cells = tuple((name, box) for name, boxes in change.fields.items() for box in boxes or ())
        whole = tuple(name for name, boxes in change.fields.items() if boxes is None)
        kept = self._document.snapshots.all
        others = None if kept == self._held else kept
        moved = whole or others is not None or self._document.study is not self._held_study
        study = self._study() if moved else None
        kept_words = self._kept() if whole else None
        generation = self._document.generation
        return JournalStep(
            self._document.problem, whole, cells, kept_words, None, others, study, self._weights(), generation
        )

    def _study(self) -> Callable[[], StudyRecord | None] | None:
        """Return the changes in the layers that are not on the table, to be found out beside the window."""
        study = self._document.study
        return None if study is None else lambda: _others_of(study)

    def _weights(self) -> Mapping[str, Array]:
        """Return the weights of the layer on the table, none where it is of no model."""
        study = self._document.study
        return {} if study is None else study.weights

    def _kept(self) -> KeptDocument:
        problem, path = self._document.problem, self._document.path
        sizes = problem.n, problem.m, problem.num_heads
        kept = self._kept_of()  # its file is as it was when it was read or saved: what it holds since is not ours
        return replace(kept, name=self._document.name, sizes=sizes, file=kept.file if path else None)

    def _begin(self, step: JournalStep, since: int) -> None:
        if step.base is None and step.weight > MOST:
            raise FormatError(_TOO_LARGE)
        with saving(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not (self._lock.isLocked() or self._lock.tryLock(0)):
                refused = self._lock.error() == QLockFile.LockError.PermissionError
                code = errno.EACCES if refused else errno.ENOSPC  # for a full disk QLockFile has no name of its own
                raise OSError(code, os.strerror(code))
        self._journal.begin(step, since)

    def _forget(self) -> None:
        self._journal.remove()
        self._lock.unlock()

    def _hand_over(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()

    def _on_answered(self, outcome: Future[None]) -> None:
        try:
            outcome.result()
        except (ValueError, MemoryError) as error:  # what was to be added is not there: it begins anew
            self._whole, self._origin = True, None
            self._say_failure(error)
            self._timer.start(AGAIN_MS)
            return
        if self._due:
            self._timer.start(DELAY_MS)
        elif self._writes not in (None, self._document.writes):  # to and back, as where an edit is refused at its end
            self._whole = True
            self.wake()
        else:  # an earlier write does not keep what was to be taken over since
            self._hand_over()

    def _say_failure(self, error: Exception) -> None:
        """Say once that nothing is kept; one works on, and it is tried again."""
        if not self._failed:
            self._failed = True
            words = saying(error)
            self._window.banner.show_info(
                lambda: self.tr("There is no copy of the unsaved changes, should the program crash. {reason}").format(
                    reason=words()
                )
            )


def _others_of(study: Study) -> StudyRecord | None:
    """Return the record of a study but for the layer on the table.

    None where the model's folder has gone meanwhile, or holds other weights: what a file could name is not what the
    study has, and the layer is kept alone.
    """
    from attn_gui.models.study import record_of  # a start does not wait for models

    with suppress(FormatError):
        return record_of(study, study.base, {}, ())
    return None
