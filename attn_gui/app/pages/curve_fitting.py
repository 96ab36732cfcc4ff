"""The fit of the kernel to the points of a regression, above its curve."""

from __future__ import annotations

from concurrent.futures import Future

from PySide6.QtCore import QObject

from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.state.window_task import WindowTask
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.engine import Problem
from attn_gui.engine.analysis.regression import Fitted, each_from_the_others, error_of_others, fit_width
from attn_gui.figure.pages.regression import CurvePage
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.dialogs.progress import FittingProgress
from attn_gui.views.main_window import MainWindow
from attn_gui.views.pages.page_widget import FitControls


class CurveFitting(QObject):
    """Keeps the error true while the curve is on show; the fit is work beside the window."""

    def __init__(
        self, window: MainWindow, document: Document, computation: Computation, view: ViewState, making: Making
    ) -> None:
        super().__init__(window)
        self._window, self._page = window, window.inspector.pages.page(CurvePage.name)
        self._controls = FitControls()
        self._page.put_above(self._controls)
        self._document, self._computation, self._making = document, computation, making
        self._errors, self._fits = BackgroundTask(self), WindowTask(window, FittingProgress(window))
        self._errors.ended.connect(self._on_errors_answered)
        self._fits.ended.connect(self._on_fits_ended)
        self._fits.canceled.connect(self._show_ready)
        self._controls.fitRequested.connect(self.fit)
        window.inspector.pages.turned.connect(self.show)
        document.changed.connect(self._on_document_changed)
        computation.updated.connect(self.show)
        view.follow(self.show, "evaluation")

    def show(self, *_: object) -> None:
        """Bring the error up to date if the curve is on show and computed."""
        self._errors.forget()  # it is of other numbers
        if not self._page.isVisible() or not self._computed:
            return
        self._show_ready()
        points = self._points()
        self._controls.set_fit_offered(points is not None)
        if points is not None:
            self._errors.start(lambda _: error_of_others(points))

    def fit(self) -> None:
        """Look for the best w; it becomes one step when it is found."""
        points = self._points()
        if points is not None:
            self._fits.start(lambda tell: fit_width(points, tell), "w")
            self._show_ready()

    def finish(self) -> None:
        """End what is under way; for the end of the program."""
        self._errors.finish()
        self._fits.finish()

    @property
    def _computed(self) -> bool:
        """Whether the evaluation is that of the document."""
        return not self._computation.pending and self._computation.refusal is None

    def _points(self) -> Problem | None:
        """The points that w is fitted to, apart from the document; None where there is no w to be fitted now."""
        if not self._computed:
            return None
        try:
            return each_from_the_others(self._computation.evaluation)
        except ValueError:
            return None

    def _show_ready(self) -> None:
        self._controls.set_ready(self._computed and not self._fits.busy)

    def _on_document_changed(self, *_: object) -> None:
        self._fits.forget()  # it was for other numbers
        self._controls.set_error(None)
        self._show_ready()

    def _on_errors_answered(self, outcome: Future[float]) -> None:
        found = outcome.result()
        if self._computed:
            self._controls.set_error(found)

    def _on_fits_ended(self, outcome: Future[Fitted]) -> None:
        self._show_ready()
        found = outcome.result()
        params = self._document.problem.score_params
        if found.w == params["w"]:
            self._window.recomputed.setText(self.tr("No other w predicts the points better."))
            return
        label = Label(QT_TRANSLATE_NOOP("History", "w fitted to the points: {value}"), {"value": f"{found.w:g}"})
        self._making.change(label, lambda: {"score_params": {**params, "w": found.w}})
