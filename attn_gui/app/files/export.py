"""Export and copying of images and numbers: what is proposed, which files, written beside the window, what is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cached_property, partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QCoreApplication, QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import copied
from attn_gui.app.files.files import asked_path, folder_of
from attn_gui.app.pages import PagesController
from attn_gui.app.state.background_task import BackgroundTask, Stopped
from attn_gui.app.state.baseline import Baseline, side_names
from attn_gui.app.state.translated_errors import saying, sentence, translating
from attn_gui.app.state.view_state import ViewSettings
from attn_gui.document.clipboard import LateCopy, picture_data
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.arrays import Progress, silent, within
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.engine.evaluation.trace import evaluation_of, is_long
from attn_gui.figure import render
from attn_gui.figure.colors import TYPED, ColorScale, Levels
from attn_gui.figure.export_settings import THEMES, ExportSettings, file_stem, heads_part, is_small, item_part
from attn_gui.figure.figure_kinds import PICTURES
from attn_gui.figure.overlays import ComparedGradient, ComparedState, SumPlace
from attn_gui.figure.render import MANY, ExportTask, Write
from attn_gui.figure.stage_formulas import repeated
from attn_gui.formats import ArrayRows, has_items, rows_of, save_members, save_numbers, save_steps, stage_rows
from attn_gui.formats.catalog import number_formats
from attn_gui.lessons.exercises import covering
from attn_gui.modes import BEFORE, DIFFERENCE, GRADIENT, NOW, SIDE_BY_SIDE, WIPE
from attn_gui.views.dialogs.dialog_base import WorkLine, asked, wait_for
from attn_gui.views.dialogs.form_fields import WINDOW, DataChoice, ExportChoice
from attn_gui.views.map.color_scales import color_scales_of
from attn_gui.views.names import stage_title
from attn_gui.views.theme import current_theme

if TYPE_CHECKING:
    from attn_gui.views.dialogs.export_dialog import CardDialog, ExportDialog


LISTED = 3  # names of files that are said
REFUSALS = (ValueError, OSError, MemoryError)
"""Errors that say why a file was not written."""

PREVIEW_DPI = 96
CLIPBOARD_DPI = 200

COVERING = "map", "product"
"""The pictures that can leave cells out."""
QUICK_FILES, QUICK_CELLS = 6, 100_000  # what is written at once; anything larger beside the window

C = TypeVar("C", QImage, QMimeData)


class WritingController(Controller):
    """Base of the controllers that write files of the document: beside the window, one piece of work at a time, with
    its progress in the status bar. It says where they are or why there are none; the end of the window waits for them.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._job = BackgroundTask(self)
        self._then: Callable[[object], object] = lambda _found: None
        self._written: list[Path] = []
        self._failed = False  # and why was said
        self._job.ended.connect(self._on_job_ended)
        application = QCoreApplication.instance()
        assert application is not None
        application.aboutToQuit.connect(self._job.finish)  # the window may be one from Python

    @cached_property
    def _line(self) -> WorkLine:
        """The line in the status bar, made with the first files."""
        line = WorkLine("export", self._window)
        self._window.statusBar().addPermanentWidget(line)
        line.cancelRequested.connect(self._job.stop)
        self._job.progressed.connect(line.set_share)
        return line

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return self._job.busy

    def waits(self) -> bool:
        """Return whether another piece of work has to wait for the one under way; then that is said."""
        if self._job.busy:
            self._window.banner.show_info(self._busy_words)
        return self._job.busy

    def begin(self, work: Callable[[Progress], Iterable[Path]]) -> None:
        """Write the files that `work` gives, each once it is there."""
        written = self._written = []

        def write(progress: Progress) -> Sequence[Path]:
            for path in work(progress):
                written.append(path)
            return written

        self._start(write, lambda _found: self.say_written(written))

    def hand(self, work: Callable[[Progress], object], then: Callable[[object], object]) -> None:
        """Make something that goes into no file, and hand it to `then`."""
        self._written = []
        self._start(work, then)

    def say_written(self, written: Sequence[Path]) -> None:
        """Say where files are."""
        names, folder, more = [path.name for path in written[:LISTED]], written[0].parent, len(written) > LISTED

        def words() -> str:
            listed = self.tr(", ").join(names) + (" …" if more else "")
            return self.tr("Wrote {names} to {folder}").format(names=listed, folder=folder)

        self._window.banner.show_info(words)

    def refuse(self, error: Exception) -> None:
        """Say why nothing was written."""
        self._failed = True
        self._window.banner.show_error(saying(error))

    def wait(self) -> bool:
        """Let the person wait for the files or call them off; False where that fails, or the person goes on working."""
        if not self.busy:
            return True
        line, ended = self._line, self._job.ended
        if wait_for(ended, lambda: self.busy, self._window, self._busy_words, stop=line.cancel_words()):
            self._job.stop()
            return True
        return not (self.busy or self._failed)

    def stop(self) -> None:
        """Call off what is being written."""
        self._job.stop()

    def _start(self, work: Callable[[Progress], object], then: Callable[[object], object]) -> None:
        self._then, self._failed = then, False
        self._line.begin()
        self._job.start(work)

    def _on_job_ended(self, outcome: Future[object]) -> None:
        self._line.end()
        try:
            found = outcome.result()
        except Stopped:
            count = len(self._written)
            self._window.banner.show_info(lambda: self._stopped(count))
        except REFUSALS as error:
            self.refuse(error)
        else:
            self._then(found)

    def _busy_words(self) -> str:
        return self.tr("An export is still being written: wait, or cancel it.")

    def _stopped(self, count: int) -> str:
        if not count:
            return self.tr("The export was canceled; nothing was written.")
        return self.tr("The export was canceled. Files written before that: {count}.").format(count=count)


class ExportController(WritingController):
    """Asks what to write, writes it, and says where it is."""

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
        settings = figure_of(choice, choice.stages[0], self._color_scales())

        def put(found: QMimeData) -> None:
            QGuiApplication.clipboard().setMimeData(found)
            self._window.banner.show_info(lambda: self.tr("The card is on the clipboard."))

        def drawn(evaluation: Evaluation, progress: Progress) -> QMimeData:
            return picture_data(render.to_bytes(evaluation, settings, progress=progress))

        self._copy(drawn, put)

    def _proposal(self, stage: str) -> ExportChoice:
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
        if self._view.look.blanks:
            choice = replace(choice, session=False, compare=NOW)  # either would give away what is covered
        beside = beside_of(self._baseline, choice.compare, self._view.look)
        return figure_tasks(choice, self._source(), self._document.name, self._color_scales(), beside)

    def _color_scales(self) -> dict[str, ColorScale]:
        """Return levels and colors as the window shows them."""
        return self._window.product.color_scales.chosen()

    def _previewed(self, choice: ExportChoice) -> QImage | None:
        """Return the preview, or None if it takes a while and comes later."""
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
        beside = beside_of(self._baseline, choice.compare, self._view.look)
        settings = replace(figure_of(choice, choice.stages[0], self._color_scales(), beside), dpi=dpi)
        file = render.FigureFile(choice.format, choice.dpi)
        return lambda evaluation, progress: render.to_image(evaluation, settings, file=file, progress=progress)

    # --- numbers ---------------------------------------------------------------------------------
    def export_data(self) -> None:
        from attn_gui.views.dialogs.export_dialog import ExportDataDialog

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
        return list(number_tasks(choice, self._computation.evaluation, self._document.name))

    # --- shared ----------------------------------------------------------------------------------
    def _write(self, tasks: Sequence[ExportTask]) -> None:
        """Write at once if that is quick, else beside the window, from a copy of the problem."""

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
        return self._settings.record("export_image").get("folder") or str(folder_of(self._document))

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            work()
        except REFUSALS as error:
            self.refuse(error)


# --- files, as the dialogs choose them -------------------------------------------------------------
STATE_PARTS = {BEFORE: "before", DIFFERENCE: "difference", SIDE_BY_SIDE: "before-now", GRADIENT: "gradient"}
"""Part of a file name for each way to show two states, or a gradient."""


def export_path(choice: ExportChoice | DataChoice, stem: str, parts: Sequence[str], *, alone: bool) -> Path:
    """Return a file of a choice: DIR/NAME-STAGE-hHEAD[-bITEM].EXT, or as was typed for the only one.

    `parts` follow the name that was typed, else `stem`.
    """
    typed = choice.name.removesuffix(f".{choice.format}")
    name = typed if typed and alone else file_stem(typed or stem, *parts)
    return Path(choice.folder) / f"{name}.{choice.format}"


def figure_tasks(
    choice: ExportChoice,
    evaluation: Evaluation,
    stem: str,
    color_scales: Mapping[str, ColorScale],
    beside: ComparedState | None = None,
) -> list[ExportTask]:
    """Return a file for every stage and head, or for every stage with `sheet`.

    ValueError with a sentence for what is none.
    """
    evaluation, kind = with_derived(evaluation), PICTURES[choice.picture]
    moves = kind.moves(choice.format)
    state = "" if beside is None or moves else STATE_PARTS.get(choice.compare, "")
    rest = item_part(evaluation.problem, choice.batch), state
    stages = choice.stages if kind.of_stage else choice.stages[:1]
    if not moves and (without := [stage for stage in stages if not kind.has(evaluation, stage)]):
        words = QCoreApplication.translate("Export", "There is no such picture of “{stage}” in this problem.")
        raise ValueError(words.format(stage=stage_title(without[0])))
    return render.figure_tasks(
        evaluation,
        kind,
        stages,
        choice.heads[:1] if moves else choice.heads,
        lambda stage: figure_of(choice, stage, color_scales, beside),
        lambda parts, alone: export_path(choice, stem, [*parts, *rest], alone=alone),
        sheet=choice.sheet,
    )


def figure_of(
    choice: ExportChoice, stage: str, color_scales: Mapping[str, ColorScale], beside: ComparedState | None = None
) -> ExportSettings:
    """Return the settings of one figure of a choice; `color_scales` are those of the window.

    A page looks at the chosen cell of whatever stage; a map names its row and column.
    """
    if beside is not None and choice.compare in (DIFFERENCE, GRADIENT):
        color_scales = color_scales_of(choice.compare, color_scales)
    kind = PICTURES[choice.picture]
    of_cell = choice.cell is not None and (choice.stage == stage if kind.of_stage else kind.of_cell)
    return replace(
        choice,
        stage=choice.stage if of_cell else stage,
        cell=choice.cell if of_cell else None,
        page_options=choice.options_by_page.get(kind.part, {}),
        beside=beside,
        color_scales={**color_scales, stage: _color_scale(choice, color_scales.get(stage, ColorScale()))},
    )


def _color_scale(choice: ExportChoice, shown: ColorScale) -> ColorScale:
    """Return levels and colors of a stage as chosen, which may be as the window shows them."""
    palette = choice.colormap or shown.palette
    if choice.levels == WINDOW:
        return replace(shown, palette=palette)
    if choice.typed is None:
        return ColorScale(palette=palette)
    return ColorScale(TYPED, Levels(*choice.typed), palette)


def number_tasks(choice: DataChoice, evaluation: Evaluation, stem: str) -> Iterator[ExportTask]:
    """Yield a file for every matrix, or one of all arrays, whole."""
    evaluation, kind = with_derived(evaluation), number_formats()[choice.format]
    if kind.write_problem is not None:
        path = export_path(choice, stem, (), alone=True)
        yield ExportTask(path, MANY, lambda evaluation, progress: save_steps(evaluation.problem, path, progress))
        return
    if kind.write_members is not None:
        path = export_path(choice, stem, (), alone=True)
        cells = sum(_size(evaluation, name) for name in choice.arrays)
        yield ExportTask(
            path, cells, lambda evaluation, progress: save_members(_members(evaluation, choice.arrays, progress), path)
        )
        return
    found: list[tuple[str, int | None]] = []
    for name in choice.arrays:
        apart = name in evaluation.stages and "head" in evaluation.axes(name)
        found += [(name, head) for head in choice.heads] if apart else [(name, None)]
    for name, head in found:
        of_item = name in evaluation.stages or has_items(evaluation.problem, name)
        item = item_part(evaluation.problem, choice.batch) if of_item else ""
        parts = [name, "" if head is None else heads_part((head,), evaluation.problem.num_heads), item]
        path = export_path(choice, stem, parts, alone=len(found) == 1)
        cells = _size(evaluation, name) if head is None else prod(evaluation.shape(name)[-2:])
        yield ExportTask(path, cells, _matrix(choice, path, name, head))


def _members(evaluation: Evaluation, names: Sequence[str], progress: Progress) -> dict[str, ArrayRows]:
    evaluation, problem = with_derived(evaluation), evaluation.problem
    by_hand = {record.stage for record in problem.interventions}  # these are as computed, not as given
    given = {name: array for name, array in problem.arrays().items() if name not in by_hand}
    every = sum(_size(evaluation, name) for name in names)
    members, before = {}, 0
    for name in names:
        size = _size(evaluation, name)
        start, length = before / max(every, 1), size / max(every, 1)
        share = partial(_part, progress, start, length)
        members[name] = rows_of(given[name]) if name in given else stage_rows(evaluation, name, share)
        before += size
    return members


def _matrix(choice: DataChoice, path: Path, name: str, head: int | None) -> Write:
    as_chosen: dict[str, Any] = {"batch": choice.batch, "headers": choice.headers, "excel": choice.bom}
    return lambda evaluation, progress: save_numbers(
        with_derived(evaluation), name, path, head=head, progress=progress, **as_chosen
    )


def _size(evaluation: Evaluation, name: str) -> int:
    problem: Problem = evaluation.problem
    return prod(evaluation.shape(name)) if name in evaluation.stages else int(problem.arrays()[name].size)


def _part(progress: Progress, start: float, length: float, share: float) -> None:
    progress(start + length * share)


def beside_of(baseline: Baseline, mode: str, look: ViewSettings) -> ComparedState | None:
    """Return the state compared with, or the gradient of the chosen cell, where a figure shows it."""
    if mode == GRADIENT and look.cell is not None:
        stage, row, column = look.cell
        return ComparedGradient(
            lambda now: now, place=SumPlace(stage, look.batch, look.head, row, column, look.gradient)
        )
    if mode == NOW or not baseline.comparable:
        return None
    return ComparedState(baseline.before_of(), mode, side_names(baseline))
