"""Files written beside the window: progress and Cancel in the status bar, where they are said, the end that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.background_task import BackgroundTask, Stopped
from attn_gui.app.state.translated_errors import saying
from attn_gui.engine.arrays import Progress
from attn_gui.views.dialogs.dialog_base import WorkLine, wait_for

LISTED = 3  # names of files that are said
REFUSALS = (ValueError, OSError, MemoryError)
"""Errors that say why a file was not written."""


class WritingController(Controller):
    """Base of the controllers that write files of the document: beside the window, one piece of work at a time, with
    its progress in the status bar. It says where they are or why there are none; the end of the window waits for them.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._job = BackgroundTask(self)
        self._then: Callable[[object], object] = lambda _found: None
        self._written: list[Path] = []
        self._failed = False  # and why was said
        self._job.ended.connect(self._on_job_ended)
        application = QCoreApplication.instance()
        assert application is not None
        application.aboutToQuit.connect(self._job.finish)  # the window may be one from Python

    @cached_property
    def _line(self) -> WorkLine:
        """The line in the status bar, made with the first files."""
        line = WorkLine("export", self._window)
        self._window.statusBar().addPermanentWidget(line)
        line.cancelRequested.connect(self._job.stop)
        self._job.progressed.connect(line.set_share)
        return line

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return self._job.busy

    def waits(self) -> bool:
        """Return whether another piece of work has to wait for the one under way; then that is said."""
        if self._job.busy:
            self._window.banner.show_info(self._busy_words)
        return self._job.busy

    def begin(self, work: Callable[[Progress], Iterable[Path]]) -> None:
        """Write the files that `work` gives, each once it is there."""
        written = self._written = []

        def write(progress: Progress) -> Sequence[Path]:
            for path in work(progress):
                written.append(path)
            return written

        self._start(write, lambda _found: self.say_written(written))

    def hand(self, work: Callable[[Progress], object], then: Callable[[object], object]) -> None:
        """Make something that goes into no file, and hand it to `then`."""
        self._written = []
        self._start(work, then)

    def say_written(self, written: Sequence[Path]) -> None:
        """Say where files are."""
        names, folder, more = [path.name for path in written[:LISTED]], written[0].parent, len(written) > LISTED

        def words() -> str:
            listed = self.tr(", ").join(names) + (" …" if more else "")
            return self.tr("Wrote {names} to {folder}").format(names=listed, folder=folder)

        self._window.banner.show_info(words)

    def refuse(self, error: Exception) -> None:
        """Say why nothing was written."""
        self._failed = True
        self._window.banner.show_error(saying(error))

    def wait(self) -> bool:
        """Let the person wait for the files or call them off; False where that fails, or the person goes on working."""
        if not self.busy:
            return True
        line, ended = self._line, self._job.ended
        if wait_for(ended, lambda: self.busy, self._window, self._busy_words, stop=line.cancel_words()):
            self._job.stop()
            return True
        return not (self.busy or self._failed)

    def stop(self) -> None:
        """Call off what is being written."""
        self._job.stop()

    def _start(self, work: Callable[[Progress], object], then: Callable[[object], object]) -> None:
        self._then, self._failed = then, False
        self._line.begin()
        self._job.start(work)

    def _on_job_ended(self, outcome: Future[object]) -> None:
        self._line.end()
        try:
            found = outcome.result()
        except Stopped:
            count = len(self._written)
            self._window.banner.show_info(lambda: self._stopped(count))
        except REFUSALS as error:
            self.refuse(error)
        else:
            self._then(found)

    def _busy_words(self) -> str:
        return self.tr("An export is still being written: wait, or cancel it.")

    def _stopped(self, count: int) -> str:
        if not count:
            return self.tr("The export was canceled; nothing was written.")
        return self.tr("The export was canceled. Files written before that: {count}.").format(count=count)
