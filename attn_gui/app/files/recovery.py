"""What is offered after a crash: its sentence, when it comes again or waits, journals that cannot be read set aside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QLockFile, QTimer

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.examples import shown_name
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.journaling import journals_folder, lock_of
from attn_gui.document.edits import fill_template
from attn_gui.formats import FormatError
from attn_gui.formats.atomic_writing import hidden_beside
from attn_gui.formats.file_messages import shown
from attn_gui.formats.journal import SUFFIX, is_in_its_file, kept_in
from attn_gui.formats.session import KeptDocument
from attn_gui.views.banner import BannerOffer

UNREADABLE = ".unreadable"
"""The ending of a journal that was set aside."""


class Recovery(Controller):
    """Claims the journals that no window writes any more; what is neither opened nor discarded is offered next time.

    One that cannot be read is set aside, and that is said: somebody may know how to get something out of it. An offer
    in whose place the banner says something else comes back once that is gone.
    """

    def __init__(self, context: AppContext, files: FilesController) -> None:
        super().__init__(context)
        self._files = files
        self._left: dict[Path, QLockFile] = {}
        self._aside: list[str] = []  # names of journals that were set aside, until it was said
        self._words: Callable[[], str] | None = None  # of the offer that nobody has answered or closed
        self._displaced = False
        files.recovered.connect(lambda path: self._files.journaling.take_over(lambda: self._forget(path)))
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
            lambda: self._files.recover(path),
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
