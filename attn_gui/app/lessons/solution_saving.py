"""Worked solutions out of the window: of the chosen cell, or of every cell on show's item, as PDF, LaTeX, Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject

from attn_gui.app.actions.action_rows import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.actions.bars import Bars
from attn_gui.app.files.file_writing import FileWriting
from attn_gui.app.files.questions import asked_path
from attn_gui.app.state.look import LookController
from attn_gui.app.state.making import copied
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.progress import Tell
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.lessons.exercises import Blank
from attn_gui.lessons.solutions import solution_of_all, solution_of_cell
from attn_gui.views.main_window import MainWindow

WORDS = "worked solution answer key steps teacher print latex markdown pdf 解答 步骤 答案 教师 打印"
ROWS = (
    Row("solution_of_cell", "learn", QT_TRANSLATE_NOOP("Actions", "Worked &solution of the cell…"), words=WORDS,
        separator=True,
        needs=QT_TRANSLATE_NOOP("Actions", "Choose a cell of a map first; not during an exercise")),
    Row("solution_of_problem", "learn", QT_TRANSLATE_NOOP("Actions", "Worked solution of the &whole problem…"),
        words=WORDS, needs=QT_TRANSLATE_NOOP("Actions", "Not during an exercise")),
)  # fmt: skip


class SolutionSaving(QObject):
    """Asks for a file and writes the steps into it, beside the window."""

    def __init__(
        self, window: MainWindow, document: Document, view: ViewState, look: LookController, bars: Bars
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._view, self._look = window, document, view, look
        self._writing = FileWriting(window)
        bars.add(ROWS)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        view = self._view
        return {
            "solution_of_cell": Command(self.save_cell, enabled=lambda: view.differentiable),
            "solution_of_problem": Command(self.save_all, enabled=lambda: not view.look.blanks),
        }

    @property
    def busy(self) -> bool:
        """Whether a solution is being written."""
        return self._writing.busy

    def wait(self) -> bool:
        """Whether the window may go: nothing is being written any more, or nothing is to be."""
        return self._writing.wait()

    def finish(self) -> None:
        """Stop what is being written; for the end of the program."""
        self._writing.finish()

    def save_cell(self) -> None:
        """The steps to the chosen cell."""
        self._save(self._view.chosen_blank())

    def save_all(self) -> None:
        """The steps of the item on show."""
        self._save(None)

    def _save(self, cell: Blank | None) -> None:
        from attn_gui.figure.worksheets import SHEETS, save_solution, solution_name

        if self._writing.waits():
            return
        about = (None, None) if cell is None else (cell.stage, cell.index)
        stem = solution_name(self._document.name, *about)
        folder = self._document.path.parent if self._document.path else Path.home()
        kinds = {f".{key}": f"{key.upper()} (*.{key})" for key in SHEETS}
        proposal = folder / f"{stem}{next(iter(kinds))}"
        path = asked_path(self._window, self.tr("Save the worked solution"), proposal, kinds)
        if path is None:
            return
        problem, item, lang = copied(self._window, self._document), self._view.look.batch, self._look.language
        if problem is None:
            return

        def work(tell: Tell) -> Iterator[Path]:
            evaluation = evaluation_of(problem)
            if cell is None:
                solution = solution_of_all(evaluation, item)
            else:
                solution = solution_of_cell(evaluation, cell.stage, cell.index)
            save_solution(solution, path, lang, tell)
            yield path

        self._writing.begin(work)
