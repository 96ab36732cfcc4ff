"""Reads a large file, or what a crash left, beside the window: until it is read, nothing in the window is different."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attn_gui.app.state.window_task import LARGE, WindowTask
from attn_gui.engine.arrays import Array
from attn_gui.engine.progress import Tell, within
from attn_gui.formats import FormatError, Loaded, open_file, open_small
from attn_gui.formats.file_sentences import shown
from attn_gui.formats.journal import recover
from attn_gui.formats.session import Kept, StudyRecord
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.dialogs.progress import OpeningProgress
from attn_gui.views.main_window import MainWindow

if TYPE_CHECKING:
    from attn_gui.models import Model
    from attn_gui.models.study import Study

Read = Callable[[Path, Tell], object]
_AWAY = QT_TRANSLATE_NOOP(
    "Sentences",
    "The model {name} (SHA-256 {sha}…) is not where it was. Choose its folder, or put it back as {folder}: what was "
    "changed is kept, and offered again at the next start.",
)
FOLDERS = "models/opened"
"""Setting that lists the folders of models that were opened."""


class ModelAway(FormatError):
    """A journal of a model that no known folder holds."""


class Opening(WindowTask):
    """One file at a time: what is asked for later takes its place. `ended` carries what was read."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, OpeningProgress(window))

    def at_once(self, path: Path) -> Loaded | None:
        """The problem in a file; None where reading it would hold up the window. Raises FormatError."""
        return open_small(path, LARGE)

    def begin(self, path: Path, read: Read = open_file) -> None:
        """Read this one."""
        self.start(lambda tell: read(path, tell), path.name)


class Resumed(NamedTuple):
    """A document as a journal kept it, and its place in a model."""

    loaded: Loaded
    kept: Kept
    study: Study | None


def resume(path: Path, tell: Tell, opened: Sequence[Path] = ()) -> Resumed:
    """The document that a journal holds; its model may be in one of the `opened` folders. Raises FormatError, and
    ModelAway where its model is gone."""
    models: dict[str, Model] = {}

    def model(record: StudyRecord) -> Model:
        from attn_gui.models import KNOWN  # a start does not wait for models
        from attn_gui.models.study import SHOWN, model_of

        if record.sha256 not in models:
            folders = [known.folder() for known in KNOWN.values() if not known.package]
            try:
                models[record.sha256] = model_of(record, [*opened, *folders])
            except FormatError as error:
                names = {"name": shown(record.name), "sha": record.sha256[:SHOWN], "folder": shown(record.folder, 300)}
                raise ModelAway(_AWAY, **names) from error
        return models[record.sha256]

    def weights(record: StudyRecord) -> Mapping[str, Array]:
        from attn_gui.models.study import weights_at

        return weights_at(model(record), record.text, record.layer)

    loaded, kept, record = recover(path, within(tell, 0, 2), weights)
    if record is None:
        return Resumed(loaded, kept, None)
    from attn_gui.models.study import study_in_model

    found = study_in_model(
        replace(record, snapshots=loaded.snapshots), model(record), within(tell, 1, 2), loaded.problem
    )
    return Resumed(replace(loaded, problem=found.problem.replace(), snapshots=found.snapshots), kept, found.study)
