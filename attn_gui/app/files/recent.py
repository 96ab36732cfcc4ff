"""The menu of the files opened or saved last; one is taken off it by hand alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from attn_gui.app.state.settings import Settings

LONGEST_FOLDER = 48  # letters of a folder in the menu


class RecentFiles(QObject):
    """Fills the menu whenever it is about to be shown."""

    def __init__(self, menus: Mapping[str, QMenu], settings: Settings, open_path: Callable[[Path], object]) -> None:
        super().__init__(menus["recent"])
        self._menu, self._settings, self._open_path = menus["recent"], settings, open_path
        for menu in ("recent", "file"):
            menus[menu].aboutToShow.connect(self.fill)

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


def _short(folder: Path) -> str:
    """A folder as a menu has room for it: the home folder as ~, of a long path its end."""
    text = f"~/{folder.relative_to(Path.home())}" if folder.is_relative_to(Path.home()) else str(folder)
    return text if len(text) <= LONGEST_FOLDER else f"…{text[-LONGEST_FOLDER:]}"
