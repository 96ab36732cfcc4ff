"""Menu of the lessons that come along, on the menu bar and below the start page's button, and the way to others."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from attn_gui.app.actions.bars import Bars
from attn_gui.app.state.look import LookController
from attn_gui.lessons.lesson import title_of
from attn_gui.lessons.lesson_ending import ENDING
from attn_gui.paths import resource
from attn_gui.views.main_window import MainWindow


class LessonMenu(QObject):
    """Tells which lesson is chosen; it opens none."""

    chosen = Signal(object)  # its path

    def __init__(self, window: MainWindow, bars: Bars, look: LookController) -> None:
        super().__init__(window)
        self._window, self._menu, self._look = window, bars.menus["lessons"], look
        window.inspector.lessonsRequested.connect(self._pop_up)

    def retranslate(self) -> None:
        """The titles in the present language."""
        self._menu.clear()
        for path in sorted(resource("lessons").glob(f"*{ENDING}")):
            title = title_of(path, self._look.language)
            if title is not None:
                action = self._menu.addAction(title.replace("&", "&&"))
                action.setObjectName(f"action.lesson_{path.stem.replace('-', '_')}")
                action.triggered.connect(lambda _=False, path=path: self.chosen.emit(path))

    def ask(self) -> None:
        """Ask which file to open."""
        kinds = self.tr("Lessons (*{ending})").format(ending=ENDING)
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open a lesson"), str(Path.home()), kinds)
        if name:
            self.chosen.emit(Path(name))

    def _pop_up(self) -> None:
        """The menu below the button that asks for it."""
        button = self._window.findChild(QWidget, "start.lessons")
        assert button is not None
        self._menu.popup(button.mapToGlobal(QPoint(0, button.height())))
