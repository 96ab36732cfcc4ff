"""“Worksheets for a class…” and “Worked solution…” as actions: remembered, checked while the dialog is open,
written."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.edit_runner import copied
from attn_gui.app.files.file_dialogs import asked_path, folder_of
from attn_gui.app.files.writing import WritingController
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import sentence
from attn_gui.engine import Problem
from attn_gui.engine.arrays import Progress
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.languages import N_
from attn_gui.views.dialogs.dialog_base import asked

if TYPE_CHECKING:
    from attn_gui.views.dialogs.export_form import WorksheetChoice


KEPT = "worksheets"
WORKSHEET_WORDS = "worksheet class exercise homework print pdf key 练习题 作业 试卷 打印 答案 题目"

WORKSHEET_ROWS = (
    Row("worksheets", "learn", N_("Actions", "Wor&ksheets for a class…"), words=WORKSHEET_WORDS, full=True),
)

SOLVED_WORDS = "worked solution answer key steps teacher print latex markdown pdf 解答 步骤 答案 教师 打印"

SOLUTION_ROWS = (
    Row("solution_of_cell", "learn", N_("Actions", "Worked &solution of the cell…"), words=SOLVED_WORDS,
        separator=True,
        needs=N_("Actions", "Choose a cell of a map first; not during an exercise"), full=True),
    Row("solution_of_problem", "learn", N_("Actions", "Worked solution of the &whole problem…"),
        words=SOLVED_WORDS, needs=N_("Actions", "Not during an exercise"), full=True),
)  # fmt: skip


class WorksheetsController(WritingController):
    """Asks how many worksheets, and writes them from a copy of the problem, as `attn-gui worksheet` does."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._check, self._checked = BackgroundTask(self), ("", "")  # level and language
        self._refusal: ValueError | None = None  # of a sheet of these
        self._check.ended.connect(self._on_check_ended)
        context.bars.add(WORKSHEET_ROWS)

    def commands(self) -> dict[str, Command]:
        return {"worksheets": Command(self.open)}

    def open(self) -> None:
        """Ask which sheets, and write them, one set after another."""
        from attn_gui.views.dialogs.export_form import WorksheetChoice, WorksheetDialog

        problem = None if self.waits() else copied(self._window, self._document)
        if problem is None:
            return
        self._checked = "", ""
        stem = self._document.name
        dialog = WorksheetDialog(lambda choice: self._files(choice, problem, stem), stem, self._window)
        self._check.ended.connect(dialog.say_outcome)
        kept = self._settings.record(KEPT)
        folder = kept.get("folder") or str(folder_of(self._document, self._settings))
        dialog.propose(WorksheetChoice(lang=self._appearance.language, folder=folder), kept)
        taken = asked(dialog)
        self._check.forget()
        if taken:
            choice = dialog.result_choice()
            self._settings.put(KEPT, {**dialog.state(), "folder": choice.folder})
            self._write(choice, problem, stem)

    def _files(self, choice: WorksheetChoice, problem: Problem, stem: str) -> list[str]:
        """Return the files of a choice. Raises ValueError with a sentence for what makes no sheet, once that is
        known."""
        from attn_gui.figure.worksheet_files import check_sheet, class_files

        asked_for = choice.level, choice.lang
        if self._checked != asked_for:
            self._checked, self._refusal = asked_for, None
            self._check.start(lambda _progress: check_sheet(problem, *asked_for))
        if self._refusal is not None:
            raise ValueError(sentence(self._refusal))
        return class_files(choice.name or stem, keys=choice.keys)

    def _on_check_ended(self, outcome: Future[object]) -> None:
        try:
            outcome.result()
        except ValueError as error:
            self._refusal = error

    def _write(self, choice: WorksheetChoice, problem: Problem, stem: str) -> None:
        from attn_gui.figure.worksheet_files import write_class

        folder = Path(choice.folder)

        def work(progress: Progress) -> Iterator[Path]:
            return write_class(
                problem,
                folder,
                choice.name or stem,
                count=choice.count,
                seed=choice.seed,
                level=choice.level,
                lang=choice.lang,
                keys=choice.keys,
                progress=progress,
            )

        self.begin(work)


class SolutionSaving(WritingController):
    """Writes the worked solution of the chosen cell, or of all cells of the item, as PDF, LaTeX or Markdown."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        context.bars.add(SOLUTION_ROWS)

    def commands(self) -> dict[str, Command]:
        view = self._view
        return {
            "solution_of_cell": Command(lambda: self._save(view.chosen_blank()), enabled=lambda: view.differentiable),
            "solution_of_problem": Command(lambda: self._save(None), enabled=lambda: not view.look.blanks),
        }

    def _save(self, cell: Blank | None) -> None:
        """Save the steps to a cell, or of the item on show."""
        from attn_gui.figure.worksheet_files import SHEETS, save_solution, solution_name
        from attn_gui.lessons.worked_solutions import solution_of_all, solution_of_cell

        if self.waits():
            return
        about = (None, None) if cell is None else (cell.stage, cell.index)
        stem = solution_name(self._document.name, *about)
        kinds = {f".{key}": f"{key.upper()} (*.{key})" for key in SHEETS}
        proposal = folder_of(self._document, self._settings) / f"{stem}{next(iter(kinds))}"
        path = asked_path(self._window, self.tr("Save the worked solution"), proposal, kinds)
        if path is None:
            return
        problem, item, lang = copied(self._window, self._document), self._view.look.batch, self._appearance.language
        if problem is None:
            return

        def work(progress: Progress) -> Iterator[Path]:
            evaluation = evaluation_of(problem)
            if cell is None:
                solution = solution_of_all(evaluation, item)
            else:
                solution = solution_of_cell(evaluation, cell.stage, cell.index)
            save_solution(solution, path, lang, progress)
            yield path

        self.begin(work)
