"""What is offered after a crash: its sentence, when it comes again or waits, journals that cannot be read set aside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QDateTime, QLocale, QLockFile, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.examples import shown_name
from attn_gui.app.files.file_dialogs import folder_of
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.journaling import journals_folder, lock_of
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.edits import fill_template
from attn_gui.engine.arrays import Array, Progress, within
from attn_gui.formats import FormatError, Loaded
from attn_gui.formats.atomic_writing import hidden_beside
from attn_gui.formats.file_messages import shown
from attn_gui.formats.journal import SUFFIX, is_in_its_file, kept_in, recover
from attn_gui.formats.session import FileStamp, KeptDocument, StudyRecord
from attn_gui.languages import N_
from attn_gui.views.banner import BannerOffer

if TYPE_CHECKING:
    from attn_gui.models import Model
    from attn_gui.models.study import Study

UNREADABLE = ".unreadable"
"""The ending of a journal that was set aside."""

_AWAY = N_(
    "The model {name} (SHA-256 {sha}…) is not where it was. Choose its folder, or put it back as {folder}: what was "
    "changed is kept, and offered again at the next start.",
)


class ModelAway(FormatError):
    """A journal of a model that no known folder holds."""


class ResumedDocument(NamedTuple):
    """A document as a journal kept it, and its place in a model."""

    loaded: Loaded
    kept: KeptDocument
    study: Study | None


def resume(path: Path, progress: Progress, opened: Sequence[Path] = ()) -> ResumedDocument:
    """Return the document that a journal holds.

    Its model may be in one of the `opened` folders. Raises FormatError, and ModelAway where its model is gone.
    """
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

    loaded, kept, record = recover(path, within(progress, 0, 2), weights)
    if record is None:
        return ResumedDocument(loaded, kept, None)
    from attn_gui.models.study import study_in_model

    found = study_in_model(
        replace(record, snapshots=loaded.snapshots), model(record), within(progress, 1, 2), loaded.problem
    )
    return ResumedDocument(
        replace(loaded, problem=found.problem.replace(), snapshots=found.snapshots), kept, found.study
    )


class Recovery(Controller):
    """Claims the journals that no window writes any more; what is neither opened nor discarded is offered next time.

    One that cannot be read is set aside, and that is said: somebody may know how to get something out of it. An offer
    in whose place the banner says something else comes back once that is gone.
    """

    recovered = Signal()

    def __init__(self, context: AppContext, files: FilesController) -> None:
        super().__init__(context)
        self._files = files
        self._left: dict[Path, QLockFile] = {}
        self._aside: list[str] = []  # names of journals that were set aside, until it was said
        self._words: Callable[[], str] | None = None  # of the offer that nobody has answered or closed
        self._displaced = False
        context.window.banner.changed.connect(self._on_banner_changed)

    def finish(self) -> None:
        """Leave the others to the next start."""
        for lock in self._left.values():
            lock.unlock()
        self._left.clear()

    def begin(self) -> None:
        """Look for journals of crashed windows, and offer the newest."""
        for path in sorted(journals_folder().glob(f"*{SUFFIX}"), key=_changed, reverse=True):
            lock = lock_of(path)
            if lock.tryLock(0):
                self._left[path] = lock
        _clear_begun()
        self._offer()

    def _offer(self) -> None:
        for path in list(self._left):
            try:
                kept, done = kept_in(path), is_in_its_file(path)
            except FormatError:
                self._set_aside(path)
                continue
            if done:
                self._forget(path)
                continue
            self._say(path, kept)
            return
        if self._aside:
            self._window.banner.show_info(self._aside_words())

    def recover(self, path: Path, folder: Path | None = None) -> None:
        """Open what a journal kept as an unsaved document, as it was; its model may be in `folder`."""
        folders = [folder] if folder else self._settings.model_folders()
        read, take = partial(resume, opened=folders), partial(self._take, path)
        self._files.read_beside(path, read, take, partial(self.recover, path, folder), partial(self._refuse, path))

    def _recover_with(self, path: Path, away: Exception) -> None:
        """Ask for the folder of a journal's model, and open what it kept; without an answer the refusal stays."""
        folder = str(folder_of(self._document, self._settings))
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Folder of the model"), folder)
        if name:
            self.recover(path, Path(name))
        else:
            self._refuse(path, away)

    def _refuse(self, path: Path, error: Exception, _revision: int = 0) -> None:
        """Say why a journal was not opened; where its model is away, offer to look for it."""
        choose = BannerOffer(
            lambda: self.tr("Choose its folder…"),
            lambda: self.tr("The same checkpoint at its new place; its weights are compared"),
            lambda: self._recover_with(path, error),
        )
        self._window.banner.show_error(saying(error), offers=[choose] if isinstance(error, ModelAway) else ())

    def _take(self, path: Path, found: ResumedDocument, _stamp: FileStamp | None) -> None:
        self._files.open_resumed(found.loaded, found.kept, found.study)
        self._files.journaling.take_over(lambda: self._forget(path))
        self.recovered.emit()

    def _set_aside(self, path: Path) -> None:
        aside = path.with_suffix(UNREADABLE)
        with suppress(OSError):
            if path.stat().st_size:
                path.replace(aside)
                self._aside.append(aside.name)
        self._forget(path)

    def _aside_words(self) -> Callable[[], str]:
        names, folder = ", ".join(self._aside), journals_folder()
        self._aside.clear()

        def words() -> str:
            said = self.tr("Unsaved changes that cannot be read were set aside: {names} in {folder}.")
            return said.format(names=names, folder=folder) if names else ""

        return words

    def _say(self, path: Path, kept: KeptDocument) -> None:
        changed, aside = QDateTime.fromSecsSinceEpoch(int(_changed(path))), self._aside_words()
        banner = self._window.banner
        before = "" if banner.isHidden() else banner.words  # on the file that was opened meanwhile

        def words() -> str:
            when = QLocale(self._appearance.language).toString(changed, QLocale.FormatType.ShortFormat)
            n, m, heads = kept.sizes
            said = self.tr(
                "The program ended before {name} was saved: n = {n}, m = {m}, heads: {heads}, changed {when}."
            )
            first = before if isinstance(before, str) else before()
            name = shown_name(kept.file.path if kept.file else None, shown(kept.name))
            values = {"name": name, "n": n, "m": m, "heads": heads, "when": when}
            return f"{first} {fill_template(said, values)} {aside()}".strip()

        take = BannerOffer(
            lambda: self.tr("Recover"),
            lambda: self.tr("Open it as it was; no file is touched before you save"),
            lambda: self.recover(path),
        )
        drop = BannerOffer(
            lambda: self.tr("Discard"),
            lambda: self.tr("Delete these changes for good; the file keeps what was saved"),
            lambda: self._discard(path),
        )
        self._words = words
        banner.show_info(words, offers=[take, drop])

    def _on_banner_changed(self) -> None:
        banner = self._window.banner
        if self._words is None:
            return
        if banner.isHidden():  # perhaps for a moment: who was answered may have more to say
            QTimer.singleShot(0, self, self._offer_again)
        else:
            self._displaced = banner.text() != self._words()

    def _offer_again(self) -> None:
        if self._window.banner.isHidden():
            self._words = None
            if self._displaced:
                self._offer()

    def _discard(self, path: Path) -> None:
        self._window.banner.hide()
        self._forget(path)
        self._offer()

    def _forget(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        hidden_beside(path).unlink(missing_ok=True)
        lock = self._left.pop(path, None)
        if lock is not None:
            lock.unlock()


def _clear_begun() -> None:
    """Delete what windows left that ended within their first write: a lock, and a part of a journal without a name."""
    for held in journals_folder().glob("*.lock"):
        path, lock = held.with_suffix(SUFFIX), lock_of(held)
        if not path.exists() and lock.tryLock(0):
            hidden_beside(path).unlink(missing_ok=True)
            lock.unlock()


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # gone meanwhile
        return 0.0
