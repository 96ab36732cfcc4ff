"""The parts that the first paint needs: settings, the look, and the window with its bars and empty zones."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.bars import Bars
from attn_gui.app.shell.window_layout import LayoutController
from attn_gui.app.state.look import LookController
from attn_gui.app.state.settings import Settings
from attn_gui.views.main_window import MainWindow


class Shell(QObject):
    """The window before the program is in it. Importing and making this is cheap, all the rest is not."""

    def __init__(self, app: QApplication, lang: str | None = None) -> None:
        super().__init__(app)
        self.settings = Settings()
        self.look = LookController(app, self.settings, lang)
        self.window = MainWindow()
        self.bars = Bars(self.window)
        self.layout = LayoutController(self.window, self.settings)
        self._next: Callable[[], object] | None = None

    def after_paint(self, do: Callable[[], object]) -> None:
        """Call `do` once the window has been painted next, with all that is in it."""
        self._next = do
        self.window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._next is not None:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._next)
        return super().eventFilter(watched, event)
