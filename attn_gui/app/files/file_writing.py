"""Files written beside the window: their progress in the status bar, and what is said once they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject

from attn_gui.app.state.background_task import BackgroundTask, Stopped
from attn_gui.app.state.translated_errors import saying
from attn_gui.engine.progress import Tell
from attn_gui.views.dialogs.progress import ExportProgress, wait_for
from attn_gui.views.main_window import MainWindow

LISTED = 3  # names of files that are said
REFUSALS = (ValueError, OSError, MemoryError)
"""Errors that say why a file was not written."""


class FileWriting(QObject):
    """Writes files, one piece of work at a time, and says where they are or why there are none."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._job, self._line = window, BackgroundTask(self), ExportProgress(window)
        self._then: Callable[[object], object] = lambda _found: None
        self._written: list[Path] = []
        self._failed = False  # and why was said
        window.statusBar().addPermanentWidget(self._line)
        self._line.cancelRequested.connect(self._job.stop)
        self._job.progressed.connect(self._line.set_share)
        self._job.ended.connect(self._on_job_ended)

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return self._job.busy

    def waits(self) -> bool:
        """Whether another piece of work has to wait for the one under way; then that is said."""
        if self._job.busy:
            self._window.banner.show_info(self._line.busy_words)
        return self._job.busy

    def begin(self, work: Callable[[Tell], Iterable[Path]]) -> None:
        """Write the files that `work` gives, each once it is there."""
        written = self._written = []

        def write(tell: Tell) -> Sequence[Path]:
            for path in work(tell):
                written.append(path)
            return written

        self._start(write, lambda _found: self.tell(written))

    def hand(self, work: Callable[[Tell], object], then: Callable[[object], object]) -> None:
        """Make something that goes into no file, and hand it to `then`."""
        self._written = []
        self._start(work, then)

    def tell(self, written: Sequence[Path]) -> None:
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
        if wait_for(ended, lambda: self.busy, self._window, line.busy_words, stop=line.cancel_words()):
            self._job.stop()
            return True
        return not (self.busy or self._failed)

    def finish(self) -> None:
        """Stop what is being written; for the end of the program."""
        self._job.finish()

    def _start(self, work: Callable[[Tell], object], then: Callable[[object], object]) -> None:
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

    def _stopped(self, count: int) -> str:
        if not count:
            return self.tr("The export was canceled; nothing was written.")
        return self.tr("The export was canceled. Files written before that: {count}.").format(count=count)
