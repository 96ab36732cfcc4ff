"""Pages of the catalog: which one is on show, what it looks at, and that it follows every edit."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakValueDictionary, ref

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from attn_gui.app.actions.actions import Command, Row
from attn_gui.app.actions.bars import Bars
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.job import Job, Stopped
from attn_gui.app.state.look import LookController
from attn_gui.app.state.translated_errors import sentence
from attn_gui.app.state.view_state import ChosenCell, ViewState
from attn_gui.document.document import Document
from attn_gui.engine import Evaluation
from attn_gui.engine.tell import silent
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.aim import Aim, ModelAim
from attn_gui.figure.pages.knobs import settled
from attn_gui.figure.pages.page_drawing import Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.modes import ACTIONS
from attn_gui.pictures.outcomes import outcome_of
from attn_gui.views.main_window import MainWindow
from attn_gui.views.pages.page_widget import PageWidget


class PagesController(QObject):
    """Reads the page on show anew after every change; an answer for numbers or a cell of before is dropped."""

    exportAsked = Signal(str)
    headAsked = Signal(int, int)  # layer and head of a model

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        look: LookController,
        bars: Bars,
    ) -> None:
        super().__init__(window)
        self._window, self._panel = window, window.inspector.pages
        self._document, self._computation, self._view, self._look = document, computation, view, look
        self._name = ""
        self.model: ModelAim | None = None
        self._asked: ref[Evaluation] | None = None  # what the page on show is read of
        self._read_of = WeakValueDictionary[str, Evaluation]()  # what each page shows, while that is there
        self.knobs: dict[str, dict[str, Any]] = {}
        """Values that were chosen, by page."""
        self._job = Job(self)
        self._job.told.connect(self._on_job_told)
        self._job.ended.connect(self._on_job_ended)
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self.show)
        for kind in PAGES.values():
            self._add(kind)
        bars.add([_row(kind) for kind in PAGES.values()])
        self._panel.pageAsked.connect(self.open)
        self._panel.largeAsked.connect(self.set_large)
        self._panel.shown.connect(self.show)
        self._panel.exportAsked.connect(self._on_panel_export_asked)
        for name in ACTIONS.values():  # they bring the maps back
            bars.actions[name].triggered.connect(lambda: self.set_large(False))
        view.mapWanted.connect(lambda: self.set_large(False))
        computation.updated.connect(self._on_changed)
        computation.refused.connect(self._on_changed)
        document.snapshots.changed.connect(self._on_changed)
        view.follow(self._on_changed, "evaluation", "cell", "head", "batch", "stage", "blanks")
        self._offer()

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {
            name: Command(partial(self.open, name), enabled=partial(self._applies, kind))
            for name, kind in PAGES.items()
        }

    def retranslate(self) -> None:
        """The page on show in the present language."""
        for page in self._panel.pages.values():
            if page.canvas is not None:
                page.fill(self._look.language)
        self.show()

    def set_model(self, model: ModelAim | None) -> None:
        """Set the run of the model that the problem is a layer of; None for any other problem."""
        self.model = model
        self._on_changed()

    @property
    def busy(self) -> bool:
        """Whether the page on show is still to come."""
        return self._job.busy or self._soon.isActive()

    def finish(self) -> None:
        """End what is being computed; for the end of the program."""
        self._soon.stop()
        self._job.finish()

    def open(self, name: str) -> None:
        """Show a page where the pages stand."""
        self._name = name
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
        self._panel.set_large(large)
        self._window.set_pages_large(large)
        self._window.set_mode(self._view.look.mode)
        if not large:
            self._window.inspector.turn_to(self._panel)

    # --- reading ---------------------------------------------------------------------------------
    def show(self) -> None:
        """Bring the page up to date if it is on show."""
        self._job.forget()
        self._offer()
        if not self._name or not self._panel.isVisible():
            return
        page, evaluation = self._panel.pages[self._name], self._computation.evaluation
        self._asked = ref(evaluation)
        page.fill(self._look.language)
        if self._view.look.blanks:
            page.set_sentence(self.tr("Not shown during the exercise: pages would give away cells that are left out."))
            return
        if self._computation.refusal is not None:  # the evaluation is of the document before
            page.set_sentence(sentence(self._computation.refusal))
            return
        if not self._applies(page.kind):
            page.set_sentence(_said(page.kind.needs))
            return
        aim = self._aim(page.kind)
        page.set_knobs(aim)
        if page.kind.is_quick(aim):
            self._on_job_ended(outcome_of(partial(page.kind.read, evaluation, aim, silent)))
        else:
            page.begin_work()
            self._job.begin(lambda tell: page.kind.read(evaluation, aim, tell))

    def _aim(self, kind: PageKind[Any]) -> Aim:
        look = self._view.look
        cell = None if look.cell is None else (look.cell.row, look.cell.column)
        stage = look.cell.stage if look.cell else look.stage
        states = self._document.snapshots.all
        aim = Aim.at(self._computation.evaluation, look.batch, look.head, stage, cell, states)
        aim = replace(aim, model=self.model)
        return replace(aim, knobs=settled(kind.knobs, aim, self.knobs.get(kind.name, {})))

    def _on_job_told(self, share: float) -> None:
        self._panel.pages[self._name].set_share(share)

    def _on_job_ended(self, outcome: Future[object]) -> None:
        page = self._panel.pages[self._name]
        try:
            found = outcome.result()
        except Stopped:
            page.set_sentence(self.tr("Stopped. The next change computes the page again."))
        except (ValueError, MemoryError) as error:
            page.set_sentence(sentence(error))
        else:
            if self._asked is not None and (evaluation := self._asked()) is not None:
                self._read_of[page.kind.name] = evaluation
            page.set_content(found)

    def _on_changed(self, *_: object) -> None:
        self._job.forget()
        self._soon.start()

    # --- what is asked ---------------------------------------------------------------------------
    def _add(self, kind: PageKind[Any]) -> None:
        page = self._panel.add(kind)
        page.spotChosen.connect(partial(self._on_page_spot_chosen, page))
        page.turned.connect(partial(self._on_page_turned, page))
        page.stopRequested.connect(self._job.stop)

    def _on_page_spot_chosen(self, page: PageWidget, spot: Spot) -> None:
        """Go where a place of the page leads; what the page shows of an evaluation that is gone leads nowhere."""
        if self._read_of.get(page.kind.name) is not self._computation.evaluation:
            return
        if spot.knob is not None:
            self._on_page_turned(page, *spot.knob)
        if spot.head is not None:
            self.headAsked.emit(*spot.head)
        if spot.cell is not None:
            cell, look = spot.cell, self._view.look
            head = look.head if cell.head is None else cell.head
            self._view.set(stage=cell.stage, head=head, cell=ChosenCell(cell.stage, cell.row, cell.column))

    def _on_page_turned(self, page: PageWidget, key: str, value: object) -> None:
        before = self._aim(page.kind)
        self.knobs.setdefault(page.kind.name, {})[key] = value
        after = self._aim(page.kind)
        same = None
        if page.content is not None and not self._job.busy:
            same = page.kind.turned(page.content, before.knobs, after.knobs)
        if same is None:
            self.show()
        else:
            page.set_knobs(after)
            page.set_content(same)

    def _applies(self, kind: PageKind[Any]) -> bool:
        return kind.is_there(self._computation.evaluation.problem, self.model)

    def _offer(self) -> None:
        """Offer the pages that the problem has, and one that there is; the open one stays and says what it needs."""
        offered = [name for name, kind in PAGES.items() if self._applies(kind) or name == self._name]
        if not self._name and offered:
            self._name = offered[0]
        self._panel.set_offered(offered)
        if self._name:
            self._panel.set_page(self._name)
        self._panel.set_exportable(self._is_there())

    def _is_there(self) -> bool:
        """Whether the problem has the page on show, which may be one of a problem before."""
        return bool(self._name) and self._applies(PAGES[self._name])

    def _on_panel_export_asked(self) -> None:
        if self._is_there():
            self.exportAsked.emit(self._name)


def _row(kind: PageKind[Any]) -> Row:
    return Row(kind.name, "pages", kind.title, words=kind.words, needs=kind.needs, context="Pages")


def _said(text: str) -> str:
    return QCoreApplication.translate("Pages", text)
