"""Lessons opened from the list, the menu (with minutes) or a file; which steps are done and where to go on, kept."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QFileDialog

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.settings import Settings
from attn_gui.engine.arrays import Progress
from attn_gui.lessons.curriculum import GROUPS, following, names, path_of, title_of
from attn_gui.paths import ENDING

if TYPE_CHECKING:
    from attn_gui.lessons.lesson import Lesson, LessonText
    from attn_gui.lessons.step_states import StepState
    from attn_gui.views.lesson_list import GoingOn, LessonList, LessonRow


# --- list: what of them is done, and the one to go on with -----------------------------------------
PROGRESS, TICKS, SHOWN, LAST = "lessons/progress", "lessons/ticks", "lessons/shown", "lessons/last"
MOST_KEPT = 60  # steps of a lesson


class LessonProgress:
    """What the settings keep of lessons, each by its key: where to go on, and which steps are done."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def last(self) -> str:
        """Return the lesson that was opened last."""
        return Path(self._settings.text(LAST, "")).name

    def keep_last(self, key: str) -> None:
        self._settings.put(LAST, key)

    def place(self, key: str, count: int = MOST_KEPT) -> int:
        """Return the step to go on with, of so many."""
        place = self._settings.record(PROGRESS).get(key)
        return place if type(place) is int and 0 <= place < count else 0

    def keep_place(self, key: str, place: int) -> None:
        self._settings.add(PROGRESS, {key: place})

    def done(self, key: str) -> frozenset[int]:
        """Return the steps that are done."""
        return self._steps(TICKS, key)

    def shown(self, key: str) -> frozenset[int]:
        """Return the other steps of which the answer was shown."""
        return self._steps(SHOWN, key) - self.done(key)

    def tick(self, key: str, step: int, *, solved: bool) -> None:
        """Keep that a step is done, or that its answer was shown."""
        kind = TICKS if solved else SHOWN
        self._settings.add(kind, {key: sorted(self._steps(kind, key) | {step})[:MOST_KEPT]})

    def _steps(self, kind: str, key: str) -> frozenset[int]:
        found = self._settings.record(kind).get(key)
        return frozenset(step for step in found if type(step) is int) if isinstance(found, list) else frozenset()


class LessonListController(QObject):
    """Reads the lessons that come along beside the window, and shows them with what is done."""

    def __init__(
        self, context: AppContext, parent: QObject, open_path: Callable[..., None], ask: Callable[[], None]
    ) -> None:
        """List the lessons; `open_path` opens one by its file, anew if it is to; `ask` asks for another file."""
        super().__init__(parent)
        self._window, self._appearance = context.window, context.appearance
        self._progress = LessonProgress(context.settings)
        self._open_path, self._ask = open_path, ask
        self._lessons: dict[str, Lesson] = {}
        self._list: LessonList | None = None
        self._start, self._from_start = context.bars.actions["start"], False  # whether the start page lies behind it
        self._reading = BackgroundTask(self)
        self._reading.ended.connect(self._on_reading_ended)
        context.view.follow(self.leave, "document")

    def commands(self) -> dict[str, Command]:
        return {"lessons": Command(self.open)}

    @property
    def busy(self) -> bool:
        """Whether the lessons are still being read."""
        return self._reading.busy

    def retranslate(self) -> None:
        """Set titles in the present language."""
        if self._list is not None and self._list.isVisible():
            self._show()

    def open(self) -> None:
        """Show the list; a second time go back to what lies behind it."""
        if self._list is not None and self._list.isVisible():
            self._on_leave_asked()
        else:
            self._reading.start(_all_lessons)

    def leave(self) -> None:
        """Bring maps and tables back."""
        if self._list is not None and self._list.isVisible():
            self._window.show_instead(None)
            self._window.product.focus_map()

    def _on_reading_ended(self, outcome: Future[dict[str, Lesson]]) -> None:
        from attn_gui.views.lesson_list import LessonList  # no first picture needs it

        self._lessons = outcome.result()
        if self._list is None:
            self._list = LessonList(self._window.centralWidget())
            self._list.chosen.connect(lambda name, anew: self._open_path(path_of(name), anew=anew))
            self._list.file.clicked.connect(self._ask)
            self._list.leaveAsked.connect(self._on_leave_asked)
        self._show()
        self._from_start = self._window.start_shown
        self._window.show_instead(self._list)
        self._list.take_focus()

    def _on_leave_asked(self) -> None:
        """Go back to what stood there before."""
        if self._from_start:
            self._start.trigger()
        else:
            self.leave()

    def _show(self) -> None:
        from attn_gui.views.lesson_list import LessonRow

        assert self._list is not None
        rows: dict[str, LessonRow] = {}
        for name, lesson in self._lessons.items():
            ticks = self._progress.done(name)
            rows[name] = LessonRow(
                name, len(rows) + 1, self._said(lesson.title), len(lesson.steps), ticks, lesson.minutes
            )
        groups = [
            (QCoreApplication.translate("Lessons", title), [rows[name] for name in lessons])
            for title, lessons in GROUPS
        ]
        self._list.set_lessons(groups, self._going_on(rows))

    def _going_on(self, rows: dict[str, LessonRow]) -> GoingOn | None:
        """Return the last lesson where it is not finished, else the next one behind it that is not."""
        from attn_gui.views.lesson_list import GoingOn

        order, last = list(rows), self._progress.last()
        first = order.index(last) if last in rows else 0
        name = next((name for name in (*order[first:], *order[:first]) if not rows[name].finished), None)
        if name is None:
            return None
        place = self._progress.place(name, rows[name].steps)
        before = order[order.index(name) - 1] if order.index(name) else None
        end = self._lessons[before].end if before is not None and rows[before].finished else None
        learned = "" if end is None else self._said(end.can[0])
        return GoingOn(rows[name], place + 1 if place or rows[name].done else 0, learned)

    def _said(self, text: LessonText) -> str:
        """Return a title or a line of the end; they have no live numbers."""
        return text.plain(self._appearance.language)


def _all_lessons(_progress: Progress) -> dict[str, Lesson]:
    from attn_gui.lessons.lesson import read_lesson

    return {name: read_lesson(path_of(name)) for name in names()}


# --- opening ---------------------------------------------------------------------------------------
class OpenedLesson(NamedTuple):
    """A lesson that was read, the states of its steps in all its languages, and the lesson that it leads on to."""

    lesson: Lesson
    states: tuple[StepState, ...]
    following: Lesson | None


def opened_lesson(path: Path, _progress: Progress) -> OpenedLesson:
    """Read a lesson, and the one after it. Raises FormatError with one sentence for a bad one."""
    from attn_gui.figure.pages.catalog import PAGES
    from attn_gui.lessons.lesson import read_lesson
    from attn_gui.lessons.step_states import states_of

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
