"""The tour that introduces the window: sentence of each bubble, what counts as done and leads on, when it begins."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.files import FilesController
from attn_gui.app.start_page import StartPage
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.document import DocumentChange
from attn_gui.languages import N_
from attn_gui.views.tour import TourBubble

SEEN = "tour/seen"
WORKED = "worked"


class TourStep(NamedTuple):
    """What is shown, by its object name, what is said of it, and by which part of the look it is done."""

    part: str
    title: str
    words: str
    done_by: str = ""


STEPS = (
    TourStep(
        "zone.inputs",
        N_("Tour", "What goes in"),
        N_("Tour", "Tables of numbers. Type over any of them: everything else follows at once."),
    ),
    TourStep(
        "spine",
        N_("Tour", "The formula"),
        N_("Tour", "Each step with a small map, from left to right. Click one to see it large."),
        "stage",
    ),
    TourStep(
        "zone.product",
        N_("Tour", "The map"),
        N_("Tour", "A row for each query, a column for each key. Click a cell to choose it."),
        "cell",
    ),
    TourStep(
        "zone.explain",
        N_("Tour", "Why it is this number"),
        N_("Tour", "The chosen cell, computed with its own numbers. “Walk through this cell” plays it step by step."),
    ),
    TourStep(
        "toolbar",
        N_("Tour", "Learn and find"),
        N_("Tour", "Lessons explain it step by step. Search actions finds everything else, in either language."),
    ),
)


class Tour(Controller):
    """Shows the steps on the real window, which stays to be used; another document ends it."""

    def __init__(self, context: AppContext, files: FilesController, start_page: StartPage) -> None:
        super().__init__(context)
        self._context, self._files, self._start_page = context, files, start_page
        self._place = 0
        self._first = start_page.shown  # nobody has asked yet for what stands behind the start page
        self._bubble: TourBubble | None = None
        self._focus: QWidget | None = None  # what had the keyboard before
        self._soon = QTimer(self, singleShot=True, interval=0)  # what it points at is laid out first
        self._soon.timeout.connect(self._on_soon_timeout)
        start_page.opened.connect(self._on_opened)
        context.document.opened.connect(self._on_document_opened)
        for place, step in reversed(list(enumerate(STEPS))):  # one change of the look does one step
            if step.done_by:
                context.view.follow(partial(self._go_on_from, place), step.done_by)
        start_page.came.connect(self.end)

    def commands(self) -> dict[str, Command]:
        """Return the commands of the action table that it answers."""
        return {"tour": Command(self.begin)}

    def begin(self) -> None:
        """Show the first step; it does not come by itself again."""
        self._settings.put(SEEN, True)
        if self._start_page.shown and self._first and not self._context.document.stack.count():
            if self._files.open_example(WORKED):
                self._soon.start()
            return
        self._start_page.leave()
        self._choose_cell()
        self._place = 0
        if self._bubble is None:
            self._bubble = TourBubble(self._window)
            self._bubble.stepAsked.connect(self._step)
            self._bubble.endAsked.connect(self.end)
            self._window.installEventFilter(self)
            self._context.document.changed.connect(self._on_document_changed)
        if not self._bubble.isVisible():
            self._focus = self._window.focusWidget()
        self._bubble.show()
        self._show()
        self._bubble.take_keyboard()

    def _choose_cell(self) -> None:
        """Choose a weight where no cell is chosen, as one of the bubbles speaks of it: of the last query, since the
        first may see no key but its own."""
        view, evaluation = self._context.view, self._context.computation.evaluation
        if view.look.cell is None:
            view.set(cell=ChosenCell(evaluation.weights, evaluation.problem.n - 1, 0))

    def end(self) -> None:
        """Put the bubble away, and the keyboard where it was; begin no more where the start page has come again."""
        self._soon.stop()
        if self._bubble is not None and self._bubble.isVisible():
            self._bubble.end()
            if self._focus is not None and isValid(self._focus) and self._focus.isVisible():
                self._focus.setFocus(Qt.FocusReason.OtherFocusReason)
            else:
                self._window.product.focus_map()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._show()
        return super().eventFilter(watched, event)

    def _on_document_opened(self) -> None:
        self._first = False
        self.end()

    def _on_document_changed(self, change: DocumentChange) -> None:
        if not change.opened:
            self._go_on_from(0)  # a number was typed

    def _go_on_from(self, place: int) -> None:
        """Go on where the step on show is the one at a place: what it says has been done."""
        if self._bubble is not None and self._bubble.isVisible() and self._place == place:
            self._step(1)

    def _on_opened(self) -> None:
        """Begin when a document was opened on the start page for the first time."""
        if not self._settings.flag(SEEN, False):
            self._soon.start()

    def _on_soon_timeout(self) -> None:
        lesson = self._window.findChild(QWidget, "lesson")
        if lesson is None or not lesson.isVisible():  # which leads by itself
            self.begin()

    def _step(self, way: int) -> None:
        self._place += way
        if self._place >= len(STEPS):
            self.end()
        else:
            self._place = max(self._place, 0)
            self._show()

    def _show(self) -> None:
        if self._bubble is not None and self._bubble.isVisible():
            step = STEPS[self._place]
            title, words = (QCoreApplication.translate("Tour", text) for text in (step.title, step.words))
            self._bubble.show_step(title, words, self._place, len(STEPS), self._rect_of(step.part))

    retranslate = _show

    def _rect_of(self, part: str) -> QRect:
        found = self._window.findChild(QWidget, part)
        assert found is not None
        return QRect(found.mapTo(self._window, QPoint()), found.size())
