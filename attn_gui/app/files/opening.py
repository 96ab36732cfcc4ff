"""Reads a large file, or what a crash left, beside the window: until it is read, nothing in the window is different."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attn_gui.app.state.side_work import LARGE, SideWork
from attn_gui.engine.tell import Tell, within
from attn_gui.formats import FormatError, Loaded, Note, open_file, open_small
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, shown
from attn_gui.formats.sessions.journal_reading import recover
from attn_gui.formats.sessions.kept import Kept
from attn_gui.views.dialogs.progress.opening_progress import OpeningProgress
from attn_gui.views.main_window import MainWindow

if TYPE_CHECKING:
    from attn_gui.models.studies.study import Study

Read = Callable[[Path, Tell], object]
_ALONE = QT_TRANSLATE_NOOP(
    "Sentences",
    "The model {name} (SHA-256 {sha}…) is not where it was: layer {layer} was recovered alone; all that was changed is "
    "offered again at the next start.",
)


class Opening(SideWork):
    """One file at a time: what is asked for later takes its place. `ended` carries what was read."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, OpeningProgress(window))

    def at_once(self, path: Path) -> Loaded | None:
        """The problem in a file; None where reading it would hold up the window. Raises FormatError."""
        return open_small(path, LARGE)

    def begin(self, path: Path, read: Read = open_file) -> None:
        """Read this one."""
        self.start(path.name, lambda tell: read(path, tell))


class Resumed(NamedTuple):
    """A document as a journal kept it, and its place in a model; `whole`: nothing that the journal holds is missing."""

    loaded: Loaded
    kept: Kept
    study: Study | None
    whole: bool = True


def resume(path: Path, tell: Tell) -> Resumed:
    """The document that a journal holds. Raises FormatError. A model that is gone is a note."""
    loaded, kept, record = recover(path, within(tell, 0, 2))
    if record is None:
        return Resumed(loaded, kept, None)
    from attn_gui.models import KNOWN  # a start does not wait for models
    from attn_gui.models.studies.study_files import opened_study

    try:
        folders = [known.folder() for known in KNOWN.values() if not known.package]
        found = opened_study(record, folders, within(tell, 1, 2), loaded.problem)
    except FormatError:
        note = Note(_ALONE, name=shown(record.name), sha=record.sha256[:12], layer=record.layer)
        alone = replace(kept, file=None)  # no file is of the layer alone
        return Resumed(replace(loaded, notes=(*loaded.notes, note)), alone, None, whole=False)
    return Resumed(replace(loaded, problem=found.problem.replace()), kept, found.study)
