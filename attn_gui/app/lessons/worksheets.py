"""Worksheets and worked solutions out of the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.edit_runner import copied
from attn_gui.app.files.export import WritingController
from attn_gui.app.files.files import asked_path, folder_of
from attn_gui.app.state.translated_errors import sentence
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.memory import Progress
from attn_gui.languages import QT_TRANSLATE_NOOP as _
from attn_gui.lessons.exercises import Blank
from attn_gui.views.dialogs.dialog_base import asked

if TYPE_CHECKING:
    from attn_gui.views.dialogs.worksheet_dialog import WorksheetChoice


KEPT = "worksheets"
WORKSHEET_WORDS = "worksheet class exercise print pdf key 练习卷 试卷 打印 答案 题目"

WORKSHEET_ROWS = (
    Row("worksheets", "learn", _("Actions", "Wor&ksheets for a class…"), words=WORKSHEET_WORDS, full=True),
)

SOLVED_WORDS = "worked solution answer key steps teacher print latex markdown pdf 解答 步骤 答案 教师 打印"

SOLUTION_ROWS = (
    Row("solution_of_cell", "learn", _("Actions", "Worked &solution of the cell…"), words=SOLVED_WORDS,
        separator=True,
        needs=_("Actions", "Choose a cell of a map first; not during an exercise"), full=True),
    Row("solution_of_problem", "learn", _("Actions", "Worked solution of the &whole problem…"),
        words=SOLVED_WORDS, needs=_("Actions", "Not during an exercise"), full=True),
)  # fmt: skip


class WorksheetsController(WritingController):
    """Asks how many worksheets, and writes them from a copy of the problem, as `attn-gui worksheet` does."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._checked: tuple[object, Exception | None] = (None, None)
        context.bars.add(WORKSHEET_ROWS)

    def commands(self) -> dict[str, Command]:
        return {"worksheets": Command(self.open)}

    def open(self) -> None:
        """Ask which sheets, and write them, one set after another."""
        from attn_gui.views.dialogs.worksheet_dialog import WorksheetChoice, WorksheetDialog

        if self.waits():
            return
        proposed = WorksheetChoice()
        self._checked = None, None
        stem = self._document.name
        dialog = WorksheetDialog(lambda choice: self._files(choice, stem), stem, self._window)
        kept = self._settings.record(KEPT)
        known = {
            name: kept[name] for name in dialog.remembered if type(kept.get(name)) is type(getattr(proposed, name))
        }
        folder = kept.get("folder") or str(folder_of(self._document))
        dialog.set_choice(replace(proposed, lang=self._appearance.language, folder=folder, **known))
        if asked(dialog):
            choice = dialog.result_choice()
            self._settings.put(KEPT, {**dialog.state(), "folder": choice.folder})
            self._write(choice, stem)

    def _files(self, choice: WorksheetChoice, stem: str) -> list[str]:
        """Return the files of a choice. Raises ValueError with a sentence for what makes no sheet."""
        from attn_gui.figure.worksheet_files import check_sheet, class_files

        asked_for = choice.level, choice.lang
        if self._checked[0] != asked_for:
            try:
                check_sheet(self._document.problem, *asked_for)
                self._checked = asked_for, None
            except ValueError as error:
                self._checked = asked_for, ValueError(sentence(error))
        if self._checked[1] is not None:
            raise self._checked[1]
        return class_files(choice.name or stem, keys=choice.keys)

    def _write(self, choice: WorksheetChoice, stem: str) -> None:
        from attn_gui.figure.worksheet_files import write_class

        problem, folder = copied(self._window, self._document), Path(choice.folder)
        if problem is None:
            return

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
            "solution_of_cell": Command(self.save_cell, enabled=lambda: view.differentiable),
            "solution_of_problem": Command(self.save_all, enabled=lambda: not view.look.blanks),
        }

    def save_cell(self) -> None:
        """Save the steps to the chosen cell."""
        self._save(self._view.chosen_blank())

    def save_all(self) -> None:
        """Save the steps of the item on show."""
        self._save(None)

    def _save(self, cell: Blank | None) -> None:
        from attn_gui.figure.worksheet_files import SHEETS, save_solution, solution_name
        from attn_gui.lessons.worked_solutions import solution_of_all, solution_of_cell

        if self.waits():
            return
        about = (None, None) if cell is None else (cell.stage, cell.index)
        stem = solution_name(self._document.name, *about)
        kinds = {f".{key}": f"{key.upper()} (*.{key})" for key in SHEETS}
        proposal = folder_of(self._document) / f"{stem}{next(iter(kinds))}"
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
