"""Which pages are offered, which is shown and large, when it is computed anew; its code copied, saved, w fitted."""

from __future__ import annotations

from collections.abc import Set
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple
from weakref import ref

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.file_dialogs import asked_path, folder_of
from attn_gui.app.state.background_task import BackgroundTask, Stopped, WindowTask
from attn_gui.app.state.translated_errors import saying, sentence
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import Label
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.regression import FittedWidth, each_from_the_others, error_of_others, fit_width
from attn_gui.engine.arrays import silent
from attn_gui.figure.pages.catalog import PAGES
from attn_gui.figure.pages.code import CodePage, CodeText
from attn_gui.figure.pages.contributions import OverHeadsPage
from attn_gui.figure.pages.page_kind import CHOSEN, ModelContext, PageContext, PageKind, PageSpot, option_values
from attn_gui.figure.pages.regression import CurvePage
from attn_gui.formats import FormatError
from attn_gui.formats.atomic_writing import write_file
from attn_gui.formats.scripts import script_name
from attn_gui.languages import N_
from attn_gui.modes import ACTIONS
from attn_gui.pictures.worker_thread import outcome_of
from attn_gui.views.page_canvas import CodeControls, FitControls, PageWidget


class OfferedPages(NamedTuple):
    """The pages that a problem has, in a model or outside of one."""

    problem: Problem | None
    model: ModelContext | None
    names: Set[str]


class PageWork(NamedTuple):
    """A page that is being computed, and the evaluation that it is read of."""

    page: PageWidget
    evaluation: ref[Evaluation]


@dataclass
class ReadPage:
    """What is known of one page: the key of all that it was read from, and the values of its options."""

    key: object = None  # of what it shows or is computed for it; None where it has to be read
    evaluation: ref[Evaluation] | None = None  # that its content was read of
    options: dict[str, Any] = field(default_factory=dict)  # those that were chosen


class PagesController(Controller):
    """Shows one page of the catalog, and reads it anew after every change of what it reads:

    unread ── on show, quick ──▶ read ── an edit, another cell, head or option ──▶ unread, the old content on show
      │ ▲
      │ └── its key is another by now, another page is computed, Esc ──┐
      └── on show, else ══════════════════════▶ computed beside the window ══▶ read, or a sentence says why not
    """

    exportAsked = Signal(str)  # name of the page
    headAsked = Signal(int, int)  # layer and head of a model

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._panel = context.window.inspector.pages
        self._name = ""
        self.model: ModelContext | None = None
        self._model_stale = False  # whether a run goes on whose numbers are others
        self._read = {name: ReadPage() for name in PAGES}
        self._there = OfferedPages(None, None, frozenset())
        self._offered: tuple[Set[str], str] | None = None  # the pages and the one on show that the panel was given
        self._edits = 0  # counts the states of the numbers
        self._working: PageWork | None = None
        self._job = BackgroundTask(self)
        self._job.progressed.connect(self._on_job_progressed)
        self._job.ended.connect(self._on_job_ended)
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self.show)
        for kind in PAGES.values():
            self._add(kind)
        context.bars.add([_row(kind) for kind in PAGES.values()])
        context.window.heads.set_together(context.bars.actions[OverHeadsPage.name])
        self._panel.choice.picked.connect(self.open)
        self._panel.largeAsked.connect(self.set_large)
        self._panel.shown.connect(self.show)
        self._panel.exportAsked.connect(self._on_panel_export_asked)
        for name in (*ACTIONS.values(), "show_gradient"):  # they bring the maps back
            context.bars.actions[name].triggered.connect(lambda: self.set_large(False))
        context.view.mapWanted.connect(lambda: self.set_large(False))
        context.computation.updated.connect(self._on_edited)
        context.computation.refused.connect(self._on_edited)
        context.document.snapshots.changed.connect(self._soon.start)
        context.view.follow(self._on_edited, "evaluation")
        context.view.follow(self._soon.start, "cell", "head", "batch", "stage", "blanks")
        self._offer()

    def commands(self) -> dict[str, Command]:
        return {name: Command(partial(self.open, name), enabled=partial(self._applies, name)) for name in PAGES}

    def retranslate(self) -> None:
        """Set the page on show anew, in the present language."""
        for page in self._panel.pages.values():
            if page.canvas is not None:
                page.fill(self._appearance.language)
            if page.content is None and not self._is_computed(page):
                self._read[page.kind.name].key = None  # a sentence stands there, in the language before
        self.show()

    def set_model(self, model: ModelContext | None) -> None:
        """Set the run of the model that the problem is a layer of; None for any other problem."""
        self.model = model
        self._soon.start()

    def set_model_stale(self, stale: bool) -> None:
        """Dim pages of the model while it runs; they come back once they are read anew."""
        self._model_stale = stale
        if stale:
            for page in self._panel.pages.values():
                self._show_stale(page)
        else:
            self._soon.start()

    def options(self) -> dict[str, dict[str, Any]]:
        """Return a copy of the values that were chosen, by page."""
        return {name: dict(read.options) for name, read in self._read.items() if read.options}

    @property
    def busy(self) -> bool:
        """Whether the page on show is still to come."""
        return self._job.busy or self._soon.isActive()

    def open(self, name: str) -> None:
        """Show a page where the pages stand; one that was stopped is computed after all."""
        self._name, page = name, self._panel.pages[name]
        if page.content is None and not self._is_computed(page):
            self._read[name].key = None
        self._panel.set_page(name)
        if self._panel.isVisible():
            self.show()
        else:
            self._window.inspector.turn_to(self._panel)  # which shows it
        self._panel.turned.emit()

    def set_large(self, large: bool) -> None:
        """Show the pages in the place of the maps, or beside them."""
        if large == self._panel.large:
            return
        held = QApplication.focusWidget()
        self._panel.set_large(large)
        self._window.set_pages_large(large)
        self._window.set_mode(self._view.middle)
        if not large:
            self._window.inspector.turn_to(self._panel)
        if held is not None and self._panel.isAncestorOf(held):
            held.setFocus(Qt.FocusReason.OtherFocusReason)  # it went elsewhere while the panel moved

    # --- reading ---------------------------------------------------------------------------------
    def show(self) -> None:
        """Bring the page up to date if it is on show."""
        self._offer()
        self._drop_stale_work()
        if not self._name or not self._panel.isVisible():
            return
        page, read, evaluation = self._panel.pages[self._name], self._read[self._name], self._computation.evaluation
        page.fill(self._appearance.language)
        if reason := self._reason_against(page.kind):
            read.key = None
            page.set_needs(reason)
            return
        context = self._context(page.kind)
        page.set_options(context)
        if read.key == (key := self._key(page.kind, context)):
            if page.content is not None and (marked := page.kind.at(page.content, context)) is not page.content:
                page.set_content(marked, self._layer(page.kind))
            self._show_stale(page)
            return
        read.key, work = key, PageWork(page, ref(evaluation))
        if page.kind.is_quick(context.problem):
            self._take(work, outcome_of(partial(page.kind.read, evaluation, context, silent)))
        else:
            page.progress.begin()
            self._stop_work()
            self._working = work
            self._job.start(lambda progress: page.kind.read(evaluation, context, progress))
            self._show_stale(page)

    def _reason_against(self, kind: PageKind[Any]) -> str:
        """Return the sentence that stands in place of a page that cannot be shown now; nothing where it can."""
        if self._view.look.blanks:
            return self.tr("Not shown while cells are covered: pages would give them away.")
        if self._computation.refusal is not None:  # the evaluation is of the document before
            return sentence(self._computation.refusal)
        if self._applies(kind.name):
            return ""
        words, context = kind.reason(self._computation.evaluation.problem)
        return QCoreApplication.translate(context, words)

    def _drop_stale_work(self) -> None:
        """Stop work for numbers, or a place, that are no more."""
        if self._working is not None:
            kind = self._working.page.kind
            if self._reason_against(kind) or self._read[kind.name].key != self._key(kind, self._context(kind)):
                self._stop_work()

    def _stop_work(self) -> None:
        self._job.forget()
        if self._working is not None:
            self._read[self._working.page.kind.name].key = None
            self._working.page.progress.end()
            self._working = None

    def _is_computed(self, page: PageWidget) -> bool:
        """Return whether a page is being computed."""
        return self._working is not None and self._working.page is page

    def _key(self, kind: PageKind[Any], context: PageContext) -> object:
        """Return all that a page reads; equal where its content is the same."""
        numbers = context.model.key() if kind.of_model and context.model is not None else self._edits
        return numbers, [getattr(context, name) for name in CHOSEN if name in kind.reads], dict(context.options)

    def _is_current(self, kind: PageKind[Any]) -> bool:
        """Return whether a page shows the present numbers: of the model, or of the evaluation on show."""
        read = self._read[kind.name]
        if kind.of_model:
            return read.key == self._key(kind, self._context(kind))
        return read.evaluation is not None and read.evaluation() is self._computation.evaluation

    def _context(self, kind: PageKind[Any]) -> PageContext:
        look = self._view.look
        cell = None if look.cell is None else (look.cell.row, look.cell.column)
        stage = look.cell.stage if look.cell else look.stage
        states = self._document.snapshots.all
        context = PageContext.at(self._computation.evaluation, look.batch, look.head, stage, cell, states)
        context = replace(context, model=self.model)
        return replace(context, options=option_values(kind.options, context, self._read[kind.name].options))

    def _on_job_progressed(self, share: float) -> None:
        if self._working is not None:
            self._working.page.progress.set_share(share)

    def _on_job_ended(self, outcome: Future[object]) -> None:
        work, self._working = self._working, None
        assert work is not None
        self._take(work, outcome)

    def _take(self, work: PageWork, outcome: Future[object]) -> None:
        page = work.page
        try:
            found = outcome.result()
        except Stopped:
            page.set_sentence(self.tr("Stopped. Choose the page again to compute it."))
        except (ValueError, MemoryError) as error:
            page.set_sentence(sentence(error))
        else:
            self._read[page.kind.name].evaluation = work.evaluation
            page.set_content(page.kind.at(found, self._context(page.kind)), self._layer(page.kind))
        self._show_stale(page)

    def _show_stale(self, page: PageWidget) -> None:
        """Dim a page of the model that is of a run before, until it is read anew."""
        page.set_stale(page.kind.of_model and (self._model_stale or self._is_computed(page)))

    def _on_edited(self, *_: object) -> None:
        self._edits += 1
        self._soon.start()

    # --- what is asked ---------------------------------------------------------------------------
    def _add(self, kind: PageKind[Any]) -> None:
        page = self._panel.add(kind)
        page.spotChosen.connect(partial(self._on_page_spot_chosen, page))
        page.turned.connect(partial(self._on_page_turned, page))
        page.stopRequested.connect(self._job.stop)

    def _on_page_spot_chosen(self, page: PageWidget, spot: PageSpot) -> None:
        """Go where a place of the page leads; what the page shows of an evaluation that is gone leads nowhere."""
        if not self._is_current(page.kind):
            return
        if spot.option is not None:
            self._on_page_turned(page, *spot.option)
        if spot.head is not None:
            self.headAsked.emit(*spot.head)
        if spot.cell is not None:
            cell, look = spot.cell, self._view.look
            head = look.head if cell.head is None else cell.head
            self._view.set(stage=cell.stage, head=head, cell=ChosenCell(cell.stage, cell.row, cell.column))

    def _on_page_turned(self, page: PageWidget, key: str, value: object) -> None:
        before, read = self._context(page.kind), self._read[page.kind.name]
        read.options[key] = value
        after = self._context(page.kind)
        same = None
        if page.content is not None and not self._is_computed(page):
            same = page.kind.turned(page.content, before.options, after.options)
        if same is None:
            self.show()
        else:
            read.key = self._key(page.kind, after)
            page.set_options(after)
            page.set_content(same, self._layer(page.kind))

    def _layer(self, kind: PageKind[Any]) -> int | None:
        """Return the layer of a model that a page is of; None for a whole model, or none."""
        layer = self._document.layer
        return None if layer is None or kind.of_model else layer.number

    def _applies(self, name: str) -> bool:
        return name in self._present()

    def _present(self) -> Set[str]:
        """Return the pages that the present problem has: one with other numbers in its arrays has the same ones."""
        problem = self._computation.evaluation.problem
        if self._there.problem is not problem or self._there.model is not self.model:
            there = frozenset(name for name, kind in PAGES.items() if kind.is_there(problem, self.model))
            self._there = OfferedPages(problem, self.model, there)
        return self._there.names

    def _offer(self) -> None:
        """Offer the pages that the problem has; an open one that it has not stays, and says what it needs."""
        there = self._present()
        if not self._name:
            self._name = next((name for name in PAGES if name in there), "")
        if self._offered == (there, self._name):
            return  # most edits leave the pages as they are
        self._offered = there, self._name
        self._panel.set_offered([name for name in PAGES if name in there or name == self._name])
        if self._name:
            self._panel.set_page(self._name)
        self._panel.export.setEnabled(self._is_there())

    def _is_there(self) -> bool:
        """Return whether the problem has the page on show, which may be one of a problem before."""
        return bool(self._name) and self._applies(self._name)

    def _on_panel_export_asked(self) -> None:
        if self._is_there():
            self.exportAsked.emit(self._name)


def _row(kind: PageKind[Any]) -> Row:
    return Row(
        kind.name,
        "pages",
        kind.title,
        words=kind.words,
        needs=kind.needs,
        reads=tuple(role.name for role in kind.roles),
        context="Pages",
        full=True,
    )


class CodeSaving(Controller):
    """Copies the script on the page of code to the clipboard, or saves it."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._page, controls = context.window.inspector.pages.pages[CodePage.name], CodeControls()
        self._page.put_above(controls)
        controls.copyRequested.connect(self.copy)
        controls.save.clicked.connect(self.save)

    def copy(self) -> None:
        """Copy the script to the clipboard."""
        if (code := self._code()) is not None:
            QGuiApplication.clipboard().setText(code.text)
            self._window.banner.show_info(lambda: self.tr("The code is on the clipboard."))

    def save(self) -> None:
        """Save the script as a file that is asked for."""
        code = self._code()
        if code is None:
            return
        proposed = folder_of(self._document, self._settings) / script_name(self._document.name, code.key)
        kinds = {".py": self.tr("Python script (*.py)")}
        path = asked_path(self._window, self.tr("Save the code"), proposed, kinds)
        if path is None:
            return
        try:
            write_file(path, code.text.encode("utf-8"))
        except FormatError as error:
            self._window.banner.show_error(saying(error))
            return
        self._window.banner.show_info(lambda: self.tr("Wrote {path}").format(path=path))

    def _code(self) -> CodeText | None:
        """Return the script on show; None where the page says why there is none."""
        found = self._page.content
        return found if isinstance(found, CodeText) else None


class CurveFitting(Controller):
    """Fits the kernel to the points of a regression, beside the window; keeps the error above its curve true while that
    is on show.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._page = context.window.inspector.pages.pages[CurvePage.name]
        self._controls = FitControls()
        self._page.put_above(self._controls)
        self._errors, self._fits = BackgroundTask(self), WindowTask(context.window, "fitting")
        self._errors.ended.connect(self._on_errors_answered)
        self._fits.ended.connect(self._on_fits_ended)
        self._fits.canceled.connect(self._show_ready)
        self._controls.fit_button.clicked.connect(self.fit)
        context.window.inspector.pages.turned.connect(self.show)
        context.document.changed.connect(self._on_document_changed)
        context.computation.updated.connect(self.show)
        context.view.follow(self.show, "evaluation")

    def show(self, *_: object) -> None:
        """Bring the error up to date if the curve is on show and computed."""
        self._errors.forget()  # it is of other numbers
        if not self._page.isVisible():
            return
        self._controls.set_error(None)
        self._show_ready()
        if not self._computed:
            return
        points = self._points()
        self._controls.setVisible(points is not None)
        if points is not None:
            self._errors.start(lambda _: error_of_others(points))

    def fit(self) -> None:
        """Look for the best w; it becomes one step when it is found."""
        points = self._points()
        if points is not None:
            self._fits.start(lambda progress: fit_width(points, progress), "w")
            self._show_ready()

    @property
    def _computed(self) -> bool:
        """Whether the evaluation is that of the document."""
        return not self._computation.pending and self._computation.refusal is None

    def _points(self) -> Problem | None:
        """Return the points that w is fitted to, apart from the document; None where there is no w to be fitted now."""
        if not self._computed:
            return None
        try:
            return each_from_the_others(self._computation.evaluation)
        except ValueError:
            return None

    def _show_ready(self) -> None:
        self._controls.fit_button.setEnabled(self._computed and not self._fits.busy)

    def _on_document_changed(self, *_: object) -> None:
        self._fits.forget()  # it was for other numbers
        if self._page.isVisible():
            self._controls.set_error(None)
            self._show_ready()

    def _on_errors_answered(self, outcome: Future[float]) -> None:
        found = outcome.result()
        if self._computed:
            self._controls.set_error(found)

    def _on_fits_ended(self, outcome: Future[FittedWidth]) -> None:
        self._show_ready()
        found = outcome.result()
        params = self._document.problem.score_params
        if found.w == params["w"]:
            self._window.recomputed.setText(self.tr("No other w predicts the points better."))
            return
        label = Label(N_("History", "w fitted to the points: {value}"), {"value": f"{found.w:g}"})
        self._runner.change(label, lambda: {"score_params": {**params, "w": found.w}})
