"""Lessons, exercises, help, rows that come and go, figures that carry the document, and its journal."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget

from attn_gui import render
from attn_gui.app.files.journaling import journals_folder
from attn_gui.engine.arrays import Array
from attn_gui.formats.journal import recover
from attn_gui.formats.session import StudyRecord
from attn_gui.models.study import model_of, weights_at
from attn_gui.paths import resource

from .invariants import differing, image

LESSONS = sorted(resource("lessons").glob("*.md"))
ROWS = ("insert_rows", "insert_columns", "delete_rows", "delete_columns")
BLANKS = ("leave_out", "leave_out", "leave_out_random", "end_exercise")
LARGEST = 2**18  # numbers of a problem that goes into a figure and is read again within a moment
PATIENCE = 10.0  # seconds


def weights(record: StudyRecord) -> Mapping[str, Array]:
    """The weights of a model that a journal is of, from its folder."""
    return weights_at(model_of(record, []), record.text, record.layer)


class LessonActions:
    """One method a kind of action; each returns what it did. `place` clicks a cell of a table."""

    def __init__(self, person: Any, rnd: Random, folder: Path, place: Callable[[], str | None]) -> None:
        self._person, self._rnd, self._folder, self._place = person, rnd, folder, place
        self._program, self._window = person.program, person.window

    def lesson(self) -> str:
        """Open one in place of the document, if that can be left, and press some of what it offers."""
        path = self._rnd.choice(LESSONS)
        self._person.action("save").trigger()
        self._person.drop(path)
        self._see(lambda: self._program.late.lessons.busy)
        pressed = [self._press("lesson") for _ in range(self._rnd.randrange(6))]
        return f"{path.stem} {pressed}"

    def exercise(self) -> str:
        """Leave cells out, and answer in the panel."""
        name = self._rnd.choice(BLANKS)
        if self._person.action(name).isEnabled():
            self._person.do(name)
        line = self._window.findChild(QLineEdit, "exercise.answer")
        if line is not None and line.isVisible():
            self._person.overwrite(line, self._rnd.choice(("0.5", "1/3", "x", "")))
        self._see(lambda: self._program.late.exercises.busy)
        return f"{name}, {self._press('exercise')}"

    def help(self) -> str:
        """The pages of help, something pressed in them."""
        self._person.do("help")
        return self._press("dialog.help")

    def rows(self) -> str:
        """Rows and columns put in or taken out."""
        place, name = self._place(), self._rnd.choice(ROWS)
        if place is None:
            return "nothing"
        self._person.press(*self._rnd.choices(("Shift+Down", "Shift+Right"), k=self._rnd.randrange(2)))
        self._person.action(name).trigger()
        return f"{name} at {place}"

    def figure(self) -> str:
        """A figure of the document, dropped on the window: it brings the very problem back."""
        kind, problem = self._rnd.choice(("png", "svg", "pdf")), self._program.document.snapshot()
        if sum(array.size for array in problem.arrays().values()) > LARGEST:
            return "too large"
        path = self._folder / f"figure.{kind}"
        render(problem, path, session=True)
        self._person.action("save").trigger()
        self._person.drop(path)
        self._see(lambda: self._program.files.opening.busy)
        if self._program.document.name == path.stem:
            wrong = differing(image(self._program.document.problem), image(problem))
            assert wrong is None, f"{path.name} brings something else back: {wrong}"
        return kind

    def journal(self) -> str:
        """What a crash now would leave is the document as it is."""
        document, end = self._program.document, time.monotonic() + 12 * PATIENCE
        wanted, found = image(document.problem), None
        while document.modified and found != wanted and time.monotonic() < end:
            QTest.qWait(50)
            kept = list(journals_folder().glob("*.journal"))
            found = image(recover(kept[0], None, weights).loaded.problem) if kept else None
        assert not document.modified or found == wanted, "the journal holds something else"
        return "modified" if document.modified else "nothing unsaved"

    # --- how -------------------------------------------------------------------------------------
    def _press(self, name: str) -> str:
        """One of the buttons of a panel."""
        panel = self._window.findChild(QWidget, name)
        buttons = [] if panel is None else panel.findChildren(QAbstractButton)
        free = [each for each in buttons if each.isVisible() and each.isEnabled() and "…" not in each.text()]
        if not free:
            return "nothing"
        button = self._rnd.choice(free)
        said = button.text() or button.accessibleName()
        button.click()
        self._see(lambda: self._program.late.lessons.busy)
        return said

    def _see(self, busy: Callable[[], bool]) -> None:
        """Wait for what is under way; not for ever: a long one is left."""
        end = time.monotonic() + PATIENCE
        while busy() and time.monotonic() < end:
            QTest.qWait(1)
        QApplication.processEvents()
