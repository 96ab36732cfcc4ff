"""Export and copying of images and numbers: what is proposed and asked, drawn as a preview, written, put on
the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.edit_runner import copied
from attn_gui.app.files.file_dialogs import asked_path, folder_of
from attn_gui.app.files.writing import REFUSALS, WritingController
from attn_gui.app.pages import PagesController
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import saying, sentence, translating
from attn_gui.document.clipboard import LateCopy, picture_data
from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Progress, silent, within
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.engine.evaluation.trace import evaluation_of, is_long
from attn_gui.figure.colors import ColorScale
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.stage_formulas import repeated
from attn_gui.modes import GRADIENT, NOW, SIDE_BY_SIDE, WIPE
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.theme import current_theme

if TYPE_CHECKING:
    from attn_gui.figure.render import ExportTask
    from attn_gui.views.dialogs.export_dialog import CardDialog, ExportDialog
    from attn_gui.views.dialogs.form_fields import DataChoice, ExportChoice


PREVIEW_DPI = 96
CLIPBOARD_DPI = 200

COVERING = "map", "product"
"""The pictures that can leave cells out."""
QUICK_FILES, QUICK_CELLS = 6, 100_000  # what is written at once; anything larger beside the window

C = TypeVar("C", QImage, QMimeData)


class ExportController(WritingController):
    """Asks what to write, writes it, and says where it is.

    What figures and files are made by is imported when they are first asked for.
    """

    def __init__(self, context: AppContext, pages: PagesController) -> None:
        """Read options and model from the pages, as they are in the window."""
        super().__init__(context)
        self._pages = pages
        self._preview, self._late_copy = BackgroundTask(self), LateCopy()
        self._dialog: ExportDialog | CardDialog | None = None
        self._preview.ended.connect(self._on_preview_ended)
        context.window.product.maps.copyImageRequested.connect(self.copy_stage_image)
        context.window.product.maps.saveImageRequested.connect(self.export_stage_image)

    def commands(self) -> dict[str, Command]:
        each = self.export_image, self.export_data, self.copy_image, self.card
        return {command.__name__: Command(command) for command in each}

    # --- figures ---------------------------------------------------------------------------------
    def copy_image(self) -> None:
        """Copy the chosen stage to the clipboard, as a figure."""
        self.copy_stage_image(self._view.look.stage)

    def copy_stage_image(self, stage: str) -> None:
        if self._is_held_up(leaving_out=True):
            return
        draw = self._drawing(replace(self._proposal(stage), dpi=CLIPBOARD_DPI), CLIPBOARD_DPI)
        self._copy(draw, QGuiApplication.clipboard().setImage)

    def _copy(self, draw: Callable[[Evaluation, Progress], C], put: Callable[[C], object]) -> None:
        """Put what is drawn on the clipboard; of a long problem later, from a copy of it beside the window."""
        if not is_long(self._document.problem):
            self._guarded(lambda: put(draw(self._source(), silent)))
        elif (problem := copied(self._window, self._document)) is not None:
            self._late_copy.begin()
            self.hand(lambda progress: draw(evaluation_of(problem), progress), self._late_copy.put)

    def export_image(self) -> None:
        self.export_stage_image(self._view.look.stage)

    def export_page(self, name: str) -> None:
        """Export a page as the window shows it."""
        self.export_stage_image(self._view.look.stage, name)

    def export_stage_image(self, stage: str, picture: str = "") -> None:
        from attn_gui.figure.figure_kinds import PICTURES
        from attn_gui.views.dialogs.export_dialog import ExportDialog

        if self._is_held_up(leaving_out=True):
            return
        evaluation, problem, covered = self._source(), self._document.problem, bool(self._view.look.blanks)
        evaluation = evaluation if covered else with_derived(evaluation)
        kinds = {key: PICTURES[key] for key in COVERING} if covered else PICTURES
        dialog = self._dialog = ExportDialog(
            [each for each in evaluation.stages if each == stage or not repeated(evaluation, each)],
            heads=problem.num_heads,
            items=problem.batch_size,
            draw=translating(self._previewed),
            names=translating(lambda choice: [task.path.name for task in self._figures(choice)]),
            pictures=[key for key, kind in kinds.items() if kind.is_there(evaluation, self._pages.model)],
            stem=self._document.name,
            compares=self._baseline.comparable and not covered,
            carries=not covered,
            gradient=self._view.differentiable,
            parent=self._window,
        )
        proposal = self._proposal(stage)
        proposal = replace(proposal, picture=picture) if picture else proposal
        dialog.propose(proposal, self._settings.record("export_image"))
        accepted = asked(dialog)
        self._dialog = None
        self._preview.finish()
        if accepted:
            self._settings.put("export_image", dialog.state())
            self._write(self._figures(dialog.result_choice()))

    def card(self) -> None:
        """Make a card of the chosen cell, else of the largest of the last row on show: copied, or saved as a PNG."""
        from attn_gui.views.dialogs.export_dialog import COPY, SAVE, CardDialog

        if self._is_held_up():
            return
        cell, kept = self._view.look.cell, self._settings.record("card")
        proposal = replace(self._proposal(cell.stage if cell is not None else self._view.look.stage), compare=NOW)

        def choice(form: str, theme: str) -> ExportChoice:
            return replace(proposal, picture=form, theme=theme, dpi=PREVIEW_DPI)

        theme = str(kept.get("theme"))
        draw = translating(lambda *chosen: self._previewed(choice(*chosen)))
        dialog = self._dialog = CardDialog(
            draw, str(kept.get("form")), theme if theme in THEMES else current_theme().name, self._window
        )
        wish, chosen = asked(dialog), dialog.choice()
        self._dialog = None
        self._preview.finish()
        if wish:
            self._settings.put("card", {"form": chosen[0], "theme": chosen[1]})
        if wish == COPY:
            self._copy_card(choice(*chosen))
        elif wish == SAVE:
            (task,) = self._figures(choice(*chosen))
            kinds = {task.path.suffix: self.tr("Picture (*.png)")}
            path = asked_path(self._window, self.tr("Save the card"), task.path, kinds)
            if path is not None:
                self._write(self._figures(replace(choice(*chosen), folder=str(path.parent), name=path.name)))

    def _copy_card(self, choice: ExportChoice) -> None:
        """Copy the card to the clipboard, as a picture and as the PNG that opens as a session."""
        from attn_gui.app.files.export_tasks import figure_of
        from attn_gui.figure import render

        settings = figure_of(choice, choice.stages[0], self._color_scales())

        def put(found: QMimeData) -> None:
            QGuiApplication.clipboard().setMimeData(found)
            self._window.banner.show_info(lambda: self.tr("The card is on the clipboard."))

        def drawn(evaluation: Evaluation, progress: Progress) -> QMimeData:
            return picture_data(render.to_bytes(evaluation, settings, progress=progress))

        self._copy(drawn, put)

    def _proposal(self, stage: str) -> ExportChoice:
        from attn_gui.figure.export_settings import is_small
        from attn_gui.views.dialogs.form_fields import ExportChoice

        look, options = self._view.look, self._pages.options()
        mode = look.compare if self._baseline.comparable or look.compare == GRADIENT else NOW
        mode = NOW if look.blanks else SIDE_BY_SIDE if mode == WIPE else mode
        proposed = ExportChoice(
            stages=(stage,),
            heads=(look.head,),
            batch=look.batch,
            lang=self._appearance.language,
            options_by_page=options,
            compare=mode,
        )
        if look.cell is not None:
            proposed = replace(proposed, stage=look.cell[0], cell=look.cell[1:])
        kept, model, layer = self._document.snapshots.all, self._pages.model, self._document.layer
        if model is not None and layer is not None:
            model = replace(model, layer=layer.number)  # its run may still be of the one before
        small = model is None and is_small(self._document.problem)  # weights of a model go with no figure unasked
        return replace(proposed, folder=self._folder(), session=small, states=kept, model=model)

    def _figures(self, choice: ExportChoice) -> list[ExportTask]:
        from attn_gui.app.files.export_tasks import beside_of, figure_tasks

        if self._view.look.blanks:
            choice = replace(choice, session=False, compare=NOW)  # either would give away what is covered
        beside = beside_of(self._baseline, choice.compare, self._view.look)
        return figure_tasks(choice, self._source(), self._document.name, self._color_scales(), beside)

    def _color_scales(self) -> dict[str, ColorScale]:
        """Return levels and colors as the window shows them."""
        return self._window.product.color_scales.chosen()

    def _previewed(self, choice: ExportChoice) -> QImage | None:
        """Return the preview, or None if it takes a while and comes later."""
        from attn_gui.figure.figure_kinds import PICTURES

        evaluation, draw = self._source(), self._drawing(choice, PREVIEW_DPI)
        if not is_long(evaluation.problem) and PICTURES[choice.picture].quick:
            return draw(evaluation, silent)
        self._preview.start(lambda progress: draw(evaluation, progress))
        return None

    def _on_preview_ended(self, outcome: Future[QImage]) -> None:
        if self._dialog is None:
            return
        try:
            self._dialog.preview.show_later(outcome.result())
        except REFUSALS as error:
            self._dialog.preview.show_later(QImage(), sentence(error))

    def _drawing(self, choice: ExportChoice, dpi: float) -> Callable[[Evaluation, Progress], QImage]:
        """Return the painter of a choice, for any thread: all that it needs of the window is read now."""
        from attn_gui.app.files.export_tasks import beside_of, figure_of
        from attn_gui.figure import render

        beside = beside_of(self._baseline, choice.compare, self._view.look)
        settings = replace(figure_of(choice, choice.stages[0], self._color_scales(), beside), dpi=dpi)
        file = render.FigureFile(choice.format, choice.dpi)
        return lambda evaluation, progress: render.to_image(evaluation, settings, file=file, progress=progress)

    # --- numbers ---------------------------------------------------------------------------------
    def export_data(self) -> None:
        from attn_gui.views.dialogs.export_dialog import ExportDataDialog
        from attn_gui.views.dialogs.form_fields import DataChoice

        if self._is_held_up():
            return
        problem, evaluation = self._document.problem, with_derived(self._computation.evaluation)
        names = list(dict.fromkeys((*problem.arrays(), *evaluation.stages)))
        dialog = ExportDataDialog(
            names,
            heads=problem.num_heads,
            items=problem.batch_size,
            names=translating(lambda choice: [task.path.name for task in self._tables(choice)]),
            stem=self._document.name,
            parent=self._window,
        )
        look = self._view.look
        proposal = DataChoice(arrays=(look.stage,), heads=(look.head,), batch=look.batch, folder=self._folder())
        dialog.propose(proposal, self._settings.record("export_data"))
        if asked(dialog):
            self._settings.put("export_data", dialog.state())
            self._write(self._tables(dialog.result_choice()))

    def _tables(self, choice: DataChoice) -> list[ExportTask]:
        from attn_gui.app.files.export_tasks import number_tasks

        return list(number_tasks(choice, self._computation.evaluation, self._document.name))

    # --- shared ----------------------------------------------------------------------------------
    def _write(self, tasks: Sequence[ExportTask]) -> None:
        """Write at once if that is quick, else beside the window, from a copy of the problem."""
        from attn_gui.lessons.exercises import covering

        def work(evaluation: Evaluation, progress: Progress) -> Iterator[Path]:
            for number, task in enumerate(tasks):
                task.write(evaluation, within(progress, number, len(tasks)))
                yield task.path

        if len(tasks) <= QUICK_FILES and sum(task.cells for task in tasks) <= QUICK_CELLS:
            self._guarded(lambda: self.say_written(list(work(self._source(), silent))))
            return
        problem, blanks = copied(self._window, self._document), self._view.look.blanks
        if problem is not None:
            self.begin(lambda progress: work(covering(evaluation_of(problem), blanks), progress))

    def _source(self) -> Evaluation:
        """Return the present numbers, without those that are covered."""
        from attn_gui.lessons.exercises import covering

        return covering(self._computation.evaluation, self._view.look.blanks)

    def _is_held_up(self, *, leaving_out: bool = False) -> bool:
        """Return whether nothing can be exported now.

        Then why is said. The numbers may be those of the document before.

        With `leaving_out` the cells that are covered are no hindrance.
        """
        banner, computation = self._window.banner, self._computation
        if self._view.look.blanks and not (leaving_out and not is_long(self._document.problem)):
            banner.show_info(lambda: self.tr("Cells are covered: answer, or end the exercise, before you export."))
        elif computation.pending:
            banner.show_info(lambda: self.tr("The numbers are still being computed: export them once they are there."))
        elif computation.refusal is not None:
            banner.show_error(saying(computation.refusal))
        else:
            return self.waits()
        return True

    def _folder(self) -> str:
        return self._settings.record("export_image").get("folder") or str(folder_of(self._document, self._settings))

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            work()
        except REFUSALS as error:
            self.refuse(error)
