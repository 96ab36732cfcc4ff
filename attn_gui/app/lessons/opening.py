"""Lessons from the menu, the list or a file: read beside the window, and handed on once the document may be left."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.app_context import AppContext
from attn_gui.app.files.files import FilesController, may_go
from attn_gui.app.state.background_task import WindowTask
from attn_gui.app.state.translated_errors import saying
from attn_gui.engine.progress import Progress
from attn_gui.figure.page_catalog import PAGES
from attn_gui.file_kinds import ENDING
from attn_gui.lessons.curriculum import GROUPS, following, path_of
from attn_gui.lessons.lesson import Lesson, read_lesson, title_of
from attn_gui.lessons.step_states import StepState, states_of
from attn_gui.views.dialogs.progress import WorkLine


class OpenedLesson(NamedTuple):
    """A lesson that was read, the states of its steps in all its languages, and the lesson that it leads on to."""

    lesson: Lesson
    states: tuple[StepState, ...]
    following: Lesson | None


class LessonOpening(QObject):
    """Reads a lesson beside the window; a bad one is refused with one sentence and changes nothing."""

    read = Signal(object, bool)  # the OpenedLesson, and whether it begins anew, with its first step

    def __init__(self, context: AppContext, files: FilesController) -> None:
        super().__init__(context.window)
        self._window, self._document, self._files = context.window, context.document, files
        self._asked, self._anew = (Path(), 0), False  # what is read, and the revision in which the document may be left
        self._work = WindowTask(context.window, WorkLine("opening", context.window))
        self._work.ended.connect(self._on_work_ended)
        files.left.connect(self._work.forget)

    @property
    def busy(self) -> bool:
        """Whether a lesson is still being read."""
        return self._work.busy

    def open(self, path: Path, *, anew: bool = False) -> None:
        """Read a lesson if the document may be left for it."""

        def work(_progress: Progress) -> OpenedLesson:
            lesson = read_lesson(path)
            states, after = states_of(lesson, PAGES), following(lesson)
            return OpenedLesson(lesson, states, None if after is None else read_lesson(after))

        if self._files.may_leave():
            self._asked, self._anew = (path, self._document.revision), anew
            self._work.start(work, path.name)

    def _on_work_ended(self, outcome: Future[OpenedLesson]) -> None:
        path, revision = self._asked
        try:
            opened = outcome.result()
        except (ValueError, MemoryError) as error:
            self._window.banner.show_error(saying(error))
            return
        again = partial(self.open, path, anew=self._anew)
        if may_go(self._window, self._document, path.name, revision, again):
            self.read.emit(opened, self._anew)


class LessonMenu(QObject):
    """Lists the lessons that come along by group, and asks for the file of another."""

    chosen = Signal(object)  # its path

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.window)
        self._window, self._menu, self._appearance = context.window, context.bars.menus["lessons"], context.appearance

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
