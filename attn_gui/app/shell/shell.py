"""The parts that the first paint needs: settings, the look, and the window with its bars and empty zones."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.bars import Bars
from attn_gui.app.shell.window_layout import LayoutController
from attn_gui.app.state.look import LookController
from attn_gui.app.state.settings import Settings
from attn_gui.views.main_window import MainWindow


class Shell(QObject):
    """The window before the program is in it. Importing and making this is cheap, all the rest is not."""

    painted = Signal()  # once, after the first paint is on the screen

    def __init__(self, app: QApplication, lang: str | None = None) -> None:
        super().__init__(app)
        self.settings = Settings()
        self.look = LookController(app, self.settings, lang)
        self.window = MainWindow()
        self.bars = Bars(self.window)
        self.layout = LayoutController(self.window, self.settings)
        self.window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)
        return super().eventFilter(watched, event)
