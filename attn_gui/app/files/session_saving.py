"""Saving a session, at once or beside the window: Cancel, too little memory, when “could not be saved” goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMessageBox

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.journaling import Journaling
from attn_gui.app.state.background_task import LARGE, BackgroundTask, Stopped
from attn_gui.app.state.translated_errors import saying
from attn_gui.engine import Problem
from attn_gui.engine.arrays import Progress
from attn_gui.engine.errors import FieldError
from attn_gui.formats import FormatError, save_session, save_study
from attn_gui.formats.session import FileStamp
from attn_gui.formats.snapshots import Snapshot, nbytes
from attn_gui.languages import N_
from attn_gui.pictures.worker_thread import outcome_of
from attn_gui.views.banner import BannerOffer, Words
from attn_gui.views.dialogs.dialog_base import WorkLine, asked, message_box, wait_for

if TYPE_CHECKING:
    from attn_gui.models.study import Study

_MOVED = N_("{file} was not saved: the document was changed while it was written. Save it again.")


class SessionToSave(NamedTuple):
    """One state of the document that is to be written, with what is looked at and what is known about it."""

    path: Path
    problem: Problem
    generation: int
    view: Mapping[str, object]
    about: Mapping[str, str]
    snapshots: tuple[Snapshot, ...] = ()
    study: Study | None = None

    def write(self, progress: Progress | None = None, before: Callable[[FileStamp], object] | None = None) -> None:
        if self.study is not None:
            from attn_gui.models.study import record_of  # a start does not wait for models

            save_study(record_of(self.study, self.problem, self.view, self.snapshots), self.path, progress)
            return
        save_session(self.problem, self.path, self.view, self.about, progress, self.snapshots, before)


class SessionSaving(Controller):
    """Writes one file after another; the document counts as saved if it is still what was written."""

    ended = Signal()  # nothing is being written any more
    saved = Signal()  # a file holds the document
    elsewhere = Signal()  # a file cannot be written, and the person wants another one

    def __init__(self, context: AppContext, journaling: Journaling) -> None:
        super().__init__(context)
        self._journaling = journaling
        self._now: SessionToSave | None = None
        self._next: dict[Path, SessionToSave] = {}
        self._opened, self._well = 0, True  # the generation in which the document began; nothing failed since
        self._refused: Words = ""  # what the banner said of the last file that could not be written
        self._job, self._line = BackgroundTask(self), WorkLine("saving", context.window)
        context.window.statusBar().addPermanentWidget(self._line)
        context.document.opened.connect(self._on_document_opened)
        self._job.progressed.connect(self._line.set_share)
        self._job.ended.connect(self._on_job_ended)
        self._line.cancelRequested.connect(self._cancel)

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return self._now is not None

    @property
    def path(self) -> Path | None:
        """The file that the document is saved in, or will be once it is written."""
        asked = [session.path for session in (self._now, *self._next.values()) if session and self._is_ours(session)]
        return asked[-1] if asked else self._document.path

    def save(self, path: Path, view: Mapping[str, object], about: Mapping[str, str]) -> bool:
        """Write the document as it is now, after what is being written; False, and said, where it failed at once.

        What is written beside the window may still fail: `wait` tells.
        """
        document, kept = self._document, self._document.snapshots.all
        session = SessionToSave(path, document.problem, document.generation, view, about, kept, document.study)
        try:
            session = session._replace(problem=document.snapshot())
        except FieldError:
            return self._write_meanwhile(session)
        if self.busy:
            self._next.pop(path, None)  # in its place behind the others
            self._next[path] = session
            return True
        self._well = True
        size = sum(array.nbytes for array in session.problem.arrays().values()) + nbytes(kept)
        if session.study is not None or size > LARGE:  # what is changed of a model is told by running it
            self._begin(session)
        else:
            self._take(session, outcome_of(partial(self._write, session)))
        return self._well

    def _write_meanwhile(self, session: SessionToSave) -> bool:
        """Write the very arrays of the document, of which memory holds no copy, while they cannot be edited."""
        if not self.wait():
            return False
        self._well, document = True, self._document
        now = session._replace(problem=document.problem, generation=document.generation, study=document.study)
        self._begin(now._replace(snapshots=document.snapshots.all), self._unwritten(session.path))
        words = self.tr("{name} is being saved. There is not enough memory for a copy of it to go on working with.")
        box = message_box(self._window, words.format(name=session.path.name))
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        self.ended.connect(box.accept)
        asked(box)
        if self.busy:
            self._cancel()
            return False
        return self._well

    def wait(self) -> bool:
        """Let the person wait until everything is written; False where that fails, or the person goes on working."""
        if not self.busy:
            return True
        wait_for(self.ended, lambda: self.busy, self._window, self._still_words)
        return self._well and not self.busy

    def _still_words(self) -> str:
        assert self._now is not None
        return self.tr("{name} is still being saved.").format(name=self._now.path.name)

    def finish(self) -> None:
        """Wait until everything is written; for the end of the program, when no window is left to tell it to."""
        self._job.wait()
        self._job.forget()
        for session in self._next.values():
            with suppress(FormatError, OSError):
                session.write()
        self._next.clear()
        self._now = None

    def _unwritten(self, path: Path) -> Callable[[], object]:
        """Return a function that raises FormatError once numbers of the document have been changed in place.

        An answer that was under way may do so while they cannot be edited otherwise.
        """
        writes = self._document.writes

        def check() -> None:
            if self._document.writes != writes:
                raise FormatError(_MOVED).at(path)

        return check

    def _begin(self, session: SessionToSave, check: Callable[[], object] = lambda: None) -> None:
        """Write it on the other thread; `check` is called behind each part, and what it raises leaves the old file."""
        self._now = session
        self._line.name = session.path.name
        self._line.begin()

        def write(progress: Progress) -> None:
            def checked(share: float) -> None:
                check()
                progress(share)

            self._write(session, checked)

        self._job.start(write)

    def _write(self, session: SessionToSave, progress: Progress | None = None) -> None:
        session.write(progress, lambda file: self._journaling.expect(file, session.generation))

    def _on_job_ended(self, outcome: Future[object]) -> None:
        session, self._now = self._now, None
        self._line.end()
        try:
            assert session is not None
            self._take(session, outcome)
        finally:
            self._go_on()

    def _take(self, session: SessionToSave, outcome: Future[object]) -> None:
        self._well = self._well and outcome.exception() is None
        try:
            outcome.result()
        except Stopped:
            self._window.banner.show_info(
                lambda: self.tr("{name} was not saved: the saving was canceled.").format(name=session.path.name)
            )
        except (ValueError, OSError, MemoryError) as error:
            self._refuse(error)
        else:
            if self._well:  # else an earlier one of those that were written together failed, which is still to be read
                self._window.banner.withdraw_refusal()
                self._window.banner.withdraw(self._refused)
            self._settings.add_recent(session.path.resolve(), session.problem)
            if self._is_ours(session):
                self._document.mark_saved(session.path, session.generation, session.snapshots)
                self.saved.emit()

    def _refuse(self, error: Exception) -> None:
        """Say why a file could not be written; another place may take it."""
        self._refused, offers = saying(error), []
        if isinstance(error, FormatError) and error.template != _MOVED:
            offers.append(BannerOffer(lambda: self.tr("Save as…"), self._hint, self.elsewhere.emit))
        self._window.banner.show_error(self._refused, offers=offers)

    def _hint(self) -> str:
        return self.tr("Choose another name or folder for the document")

    def _is_ours(self, session: SessionToSave) -> bool:
        """Return whether it is of the document that is open."""
        return session.generation >= self._opened

    def _on_document_opened(self) -> None:
        self._opened = self._document.generation

    def _go_on(self) -> None:
        if self._next:
            self._begin(self._next.pop(next(iter(self._next))))
        else:
            self.ended.emit()

    def _cancel(self) -> None:
        self._next.clear()
        self._job.stop()
