"""The regression curve of problems whose queries, keys and values are single numbers, and the fit of the kernel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject

from attn_gui.app.problem.making import Making
from attn_gui.app.shell.actions import Command
from attn_gui.app.state.background import Background
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.view_state import ChosenCell, ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.fitting import Fitted, each_from_the_others, error_of_others, fit_width
from attn_gui.engine.evaluation.choice import is_long
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP
from attn_gui.views.inspector.pages.curve_points import Curve
from attn_gui.views.main_window import MainWindow


class CurveController(QObject):
    """Keeps the page true while it is on show; errors and fits are found in the background."""

    def __init__(
        self, window: MainWindow, document: Document, computation: Computation, view: ViewState, making: Making
    ) -> None:
        super().__init__(window)
        self._window, self._page = window, window.inspector.curve
        self._document, self._computation, self._view, self._making = document, computation, view, making
        self._errors, self._fits = Background(self), Background(self)
        self._errors.answered.connect(self._on_errors_answered)
        self._fits.answered.connect(self._on_fits_answered)
        self._page.fitRequested.connect(self.fit)
        self._page.queryChosen.connect(self._on_page_query_chosen)
        window.inspector.pageTurned.connect(self.show)
        document.changed.connect(self._on_document_changed)
        computation.updated.connect(self.show)
        view.follow(self.show, "evaluation", "cell", "head", "batch")
        self.show()

    def show(self, *_: object) -> None:
        """Offer the page where there is a curve; bring it up to date if it is on show."""
        evaluation = self._computation.evaluation
        self._window.inspector.offer_curve(is_curve(evaluation.problem))
        if not is_curve(evaluation.problem) or not self._page.isVisible():
            return
        self._page.set_curve(self._curve(evaluation))
        points = self._points()
        self._page.set_fit_offered(points is not None)
        if points is not None:
            self._errors.ask(lambda: error_of_others(points))

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {
            "curve": Command(
                lambda: self._window.inspector.turn_to(self._page), enabled=lambda: is_curve(self._document.problem)
            )
        }

    def fit(self) -> None:
        """Look for the best w; it becomes one step when it is found."""
        points = self._points()
        if points is not None:
            self._page.set_fitting(True)
            self._fits.ask(lambda: fit_width(points))

    def finish(self) -> None:
        """Wait for what is under way; for the end of the program."""
        self._errors.finish()
        self._fits.finish()

    def _curve(self, evaluation: Evaluation) -> Curve:
        look = self._view.look
        keys, values, queries, outputs = (
            _column(evaluation, stage, look.batch, look.head) for stage in ("key", "value", "query", "head_output")
        )
        row = look.cell.row if look.cell and evaluation.axes(look.cell.stage)[-2] == "query" else None
        weights = None
        if row is not None:
            block = evaluation.block("weights", look.batch, look.head, slice(row, row + 1), slice(0, len(keys)))
            weights = np.array(block[0], dtype=np.float64)
        return Curve(keys, values, queries, outputs, row, weights)

    def _points(self) -> Problem | None:
        """The points that w is fitted to, apart from the document; None where there is no w to be fitted."""
        try:
            return each_from_the_others(self._computation.evaluation)
        except ValueError:
            return None

    def _on_document_changed(self, *_: object) -> None:
        self._fits.forget()  # it was for other numbers
        self._page.set_fitting(False)
        self._page.set_error(None)

    def _on_errors_answered(self, found: object) -> None:
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, float)
        self._page.set_error(found)

    def _on_fits_answered(self, found: object) -> None:
        self._page.set_fitting(False)
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Fitted)
        params = self._document.problem.score_params
        if found.w == params["w"]:
            self._window.recomputed.setText(self.tr("No other w predicts the points better."))
            return
        label = Label(QT_TRANSLATE_NOOP("History", "w fitted to the points: {value}"), {"value": f"{found.w:g}"})
        self._making.change(label, lambda: {"score_params": {**params, "w": found.w}})

    def _on_page_query_chosen(self, row: int) -> None:
        self._view.set(cell=ChosenCell("head_output", row, 0))


def is_curve(problem: Problem) -> bool:
    """Whether every query, key and value is one number, and there are not too many."""
    return problem.d_k == problem.d_v == 1 and not is_long(problem)


def _column(evaluation: Evaluation, stage: str, batch: int, head: int) -> npt.NDArray[np.float64]:
    """A stage of one column, apart from the evaluation."""
    rows = slice(0, evaluation.shape(stage)[-2])
    return np.array(evaluation.block(stage, batch, head, rows, slice(0, 1))[:, 0], dtype=np.float64)
