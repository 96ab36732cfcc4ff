"""The files opened or saved last: their menu, of which they are taken by hand alone, and whether a start opens one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.settings import Settings

REOPEN = "reopen_last"
LONGEST_FOLDER = 48  # letters of a folder in the menu


class RecentFiles(QObject):
    """Fills the menu whenever it is about to be shown."""

    def __init__(self, menus: Mapping[str, QMenu], settings: Settings, open_path: Callable[[Path], object]) -> None:
        super().__init__(menus["recent"])
        self._menu, self._settings, self._open_path = menus["recent"], settings, open_path
        for menu in ("recent", "file"):
            menus[menu].aboutToShow.connect(self.fill)

    def commands(self) -> dict[str, Command]:
        """The row of the table of actions that it answers."""
        return {REOPEN: Command(lambda on: self._settings.put(REOPEN, on), checked=self._reopens)}

    def first(self) -> Path | None:
        """The document that a start without a file begins with, where that is wanted and still there."""
        found = [path for path in self._settings.recent()[:1] if self._reopens() and path.exists()]
        return found[0] if found else None

    def _reopens(self) -> bool:
        return self._settings.flag(REOPEN, False)

    def _keep(self, paths: Iterable[Path]) -> None:
        self._settings.put("recent", {"files": [str(path) for path in paths]})

    def fill(self) -> None:
        """The files opened last; those that are gone stay, greyed."""
        menu = self._menu
        menu.clear()
        menu.setToolTipsVisible(True)
        for path in self._settings.recent():
            action = QAction(f"{path.name}\t{_short(path.parent)}".replace("&", "&&"), menu)
            action.setToolTip(str(path))
            action.setEnabled(path.exists())
            action.triggered.connect(lambda _=False, path=path: self._open_path(path))
            menu.addAction(action)
        menu.setEnabled(not menu.isEmpty())
        if menu.isEnabled():
            menu.addSeparator()
            missing = menu.addAction(self.tr("Take the &missing ones off this list"))
            missing.setEnabled(not all(path.exists() for path in self._settings.recent()))
            missing.triggered.connect(lambda: self._keep(path for path in self._settings.recent() if path.exists()))
            menu.addAction(self.tr("&Empty this list")).triggered.connect(lambda: self._keep(()))


def _short(folder: Path) -> str:
    """A folder as a menu has room for it: the home folder as ~, of a long path its end."""
    text = f"~/{folder.relative_to(Path.home())}" if folder.is_relative_to(Path.home()) else str(folder)
    return text if len(text) <= LONGEST_FOLDER else f"…{text[-LONGEST_FOLDER:]}"
