"""The files opened or saved last: their menu, of which they are taken by hand alone, and whether a start opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from os.path import exists  # which takes one that cannot be looked at for gone, where Path.exists raises
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.settings import Settings
from attn_gui.views.widgets import plain_tip

REOPEN = "reopen_last"
LONGEST_FOLDER = 48  # letters of a folder in the menu
LONGEST_NAME = 64  # and of a file


class RecentFiles(QObject):
    """Fills the menu whenever it is about to be shown; which files are there is looked up beside the window, for a
    folder may be far away."""

    def __init__(self, menus: Mapping[str, QMenu], settings: Settings, open_path: Callable[[Path], object]) -> None:
        super().__init__(menus["recent"])
        self._menu, self._settings, self._open_path = menus["recent"], settings, open_path
        self._listed: dict[Path, QAction] = {}
        self._missing: QAction | None = None
        self._gone: frozenset[Path] = frozenset()  # as it was found last
        self._looking = BackgroundTask(self)
        self._looking.ended.connect(self._on_looked)
        for menu in ("recent", "file"):
            menus[menu].aboutToShow.connect(self.fill)

    def commands(self) -> dict[str, Command]:
        """The row of the table of actions that it answers."""
        return {REOPEN: Command(lambda on: self._settings.put(REOPEN, on), checked=self._reopens)}

    def first(self) -> Path | None:
        """The document that a start without a file begins with, where that is wanted; it may be gone."""
        found = self._settings.recent()[:1] if self._reopens() else []
        return found[0] if found else None

    def _reopens(self) -> bool:
        return self._settings.flag(REOPEN, False)

    def fill(self) -> None:
        """The files opened last; those that are gone stay, greyed."""
        menu, files = self._menu, self._settings.recent()
        menu.clear()
        menu.setToolTipsVisible(True)
        self._listed = {path: self._action(path) for path in files}
        menu.addActions([*self._listed.values()])
        menu.setEnabled(bool(files))
        self._missing = None
        if files:
            menu.addSeparator()
            self._missing = menu.addAction(self.tr("Take the &missing ones off this list"))
            self._missing.triggered.connect(self._take_missing_off)
            self._missing.setObjectName("action.forget_missing")
            empty = menu.addAction(self.tr("&Empty this list"))
            empty.setObjectName("action.forget_all")
            empty.triggered.connect(lambda: self._settings.keep_recent(()))
            self._looking.start(lambda _: frozenset(path for path in files if not exists(path)))
        self._show_gone()

    def _take_missing_off(self) -> None:
        self._settings.keep_recent(path for path in self._settings.recent() if path not in self._gone)

    def _action(self, path: Path) -> QAction:
        name = path.name if len(path.name) <= LONGEST_NAME else f"{path.name[: LONGEST_NAME // 2]}…{path.name[-24:]}"
        words = f"{_plain(name)}\t{_plain(_short(path.parent))}"
        action = QAction(words.replace("&", "&&"), self._menu)
        action.setToolTip(plain_tip(str(path)))
        action.triggered.connect(lambda: self._open_path(path))
        return action

    def _on_looked(self, outcome: Future[frozenset[Path]]) -> None:
        self._gone = outcome.result()
        self._show_gone()

    def _show_gone(self) -> None:
        for path, action in self._listed.items():
            action.setEnabled(path not in self._gone)
        if self._missing is not None:
            self._missing.setEnabled(not self._gone.isdisjoint(self._listed))


def _plain(text: str) -> str:
    """The text without tabs and new lines, which part a menu's columns."""
    return " ".join(text.split())


def _short(folder: Path) -> str:
    """A folder as a menu has room for it: the home folder as ~, of a long path its end."""
    text = f"~/{folder.relative_to(Path.home())}" if folder.is_relative_to(Path.home()) else str(folder)
    return text if len(text) <= LONGEST_FOLDER else f"…{text[-LONGEST_FOLDER:]}"
