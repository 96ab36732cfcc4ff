"""The place and size of the window and the widths of its columns, kept from one session to the next."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.settings import Settings
from attn_gui.views.main_window import MainWindow

FIRST_SIZE = (1440, 900)


class LayoutController(QObject):
    """Restores the window at start, remembers it at the end, and puts everything back on request."""

    def __init__(self, window: MainWindow, settings: Settings) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._restore()

    def remember(self) -> None:
        """Keep the window's place for the next start."""
        self._settings.put_geometry("window/geometry", self._window.saveGeometry())
        self._settings.put_geometry("window/columns", self._window.columns.saveState())
        self._settings.put("window/tables", self._window.inputs.heights())

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"reset_layout": Command(self.reset)}

    def reset(self) -> None:
        """The layout of the first start."""
        self._settings.forget("window")
        self._window.showNormal()
        self._first_size()
        self._window.reset_columns()
        self._window.inputs.share_out()

    def share_inputs(self) -> None:
        """Give the tables the heights that they had, once they are there."""
        heights = {name: size for name, size in self._settings.record("window/tables").items() if type(size) is int}
        self._window.inputs.set_heights(heights)

    def _restore(self) -> None:
        geometry, columns = self._settings.geometry("window/geometry"), self._settings.geometry("window/columns")
        if geometry is None or not self._window.restoreGeometry(geometry):
            self._first_size()
        elif columns is not None:
            self._window.keep_columns(columns)

    def _first_size(self) -> None:
        screen = QGuiApplication.primaryScreen().availableSize()
        self._window.resize(min(FIRST_SIZE[0], screen.width()), min(FIRST_SIZE[1], screen.height()))
