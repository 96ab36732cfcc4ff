"""Lessons of the menu or of a file: how one is asked for and read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.engine.progress import Progress
from attn_gui.figure.page_catalog import PAGES
from attn_gui.file_kinds import ENDING
from attn_gui.lessons.curriculum import GROUPS, following, path_of
from attn_gui.lessons.lesson import Lesson, read_lesson, title_of
from attn_gui.lessons.step_states import StepState, states_of


class OpenedLesson(NamedTuple):
    """A lesson that was read, the states of its steps in all its languages, and the lesson that it leads on to."""

    lesson: Lesson
    states: tuple[StepState, ...]
    following: Lesson | None


def opened_lesson(path: Path, _progress: Progress) -> OpenedLesson:
    """Read a lesson, and the one after it. Raises FormatError with one sentence for a bad one."""
    lesson = read_lesson(path)
    states, after = states_of(lesson, PAGES), following(lesson)
    return OpenedLesson(lesson, states, None if after is None else read_lesson(after))


class LessonMenu(Controller):
    """Lists the lessons that come along by group, and asks for the file of another."""

    chosen = Signal(object)  # its path

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._menu = context.bars.menus["lessons"]

    def retranslate(self) -> None:
        """Set the groups and titles anew, in the present language."""
        self._menu.clear()
        for group, lessons in GROUPS:
            self._menu.addSection(QCoreApplication.translate("Lessons", group))
            for path in map(path_of, lessons):
                title = title_of(path, self._appearance.language)
                assert title is not None, path
                action = self._menu.addAction(title.replace("&", "&&"))
                action.setObjectName(f"action.lesson_{path.stem.replace('-', '_')}")
                action.triggered.connect(lambda _=False, path=path: self.chosen.emit(path))

    def ask(self) -> None:
        """Ask which file to open."""
        kinds = self.tr("Lessons (*{ending})").format(ending=ENDING)
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open a lesson"), str(Path.home()), kinds)
        if name:
            self.chosen.emit(Path(name))
