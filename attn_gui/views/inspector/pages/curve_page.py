"""Attention pooling as regression: the plot, how well the points predict one another, and the fit of w."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.inspector.context import column_number
from attn_gui.views.inspector.pages.curve_points import Curve
from attn_gui.views.theme import dress

if TYPE_CHECKING:
    from attn_gui.views.inspector.pages.curve_plot import CurvePlot

DIGITS = 4  # of the error


class CurvePage(QWidget):
    """A sentence, the plot, the error and the button that fits w; the plot is made for the first curve."""

    fitRequested = Signal()
    queryChosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.curve")
        self.plot: CurvePlot | None = None
        self._error: float | None = None
        self._points, self._queries = 0, 0
        self._words, self._missed = QLabel(self), QLabel(self)
        self.fit_button = QPushButton(self)
        self.fit_button.setObjectName("button.fit")
        self.fit_button.clicked.connect(self.fitRequested)
        self._build()
        self.retranslate()

    # --- silent setters --------------------------------------------------------------------------
    def set_curve(self, curve: Curve) -> None:
        """Show these points and this curve."""
        if self.plot is None:
            self._make_plot()
        assert self.plot is not None
        self.plot.set_curve(curve)
        self._points, self._queries = len(curve.keys), len(curve.queries)
        self._describe()

    def set_error(self, error: float | None) -> None:
        """The mean squared error of every point predicted from the others; None while it is not known."""
        self._error = error
        self.retranslate()

    def set_fit_offered(self, offered: bool) -> None:
        """Whether there is a w to be fitted."""
        self.fit_button.setVisible(offered)
        self._missed.setVisible(offered)

    def set_fitting(self, fitting: bool) -> None:
        """Whether w is being fitted at the moment."""
        self.fit_button.setEnabled(not fitting)

    def retranslate(self) -> None:
        """All words in the present language."""
        self._words.setText(self.tr("Dots are keys and their values, the line is the output for every query."))
        self.fit_button.setText(self.tr("Fit w to the points"))
        number = "…" if self._error is None else column_number(self._error, DIGITS)
        text = self.tr("Every point predicted from the others: mean squared error {error}")
        self._missed.setText(text.format(error=number))
        self._describe()

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        dress(self._words, "sentence")
        dress(self._missed, "body", "text2")
        for label in (self._words, self._missed):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, SPACING.m, 0, 0)
        self._column.setSpacing(SPACING.m)
        self._column.addWidget(self._words)
        self._column.addWidget(self._missed)
        self._column.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignLeft)

    def _make_plot(self) -> None:
        from attn_gui.views.inspector.pages.curve_plot import CurvePlot  # most problems have no curve

        self.plot = CurvePlot(self)
        self.plot.queryChosen.connect(self.queryChosen)
        self._column.insertWidget(1, self.plot, 1)

    def _describe(self) -> None:
        if self.plot is None:
            return
        self.plot.set_names(self.tr("query, key"), self.tr("value, output"))
        self.plot.setAccessibleName(self.tr("Regression curve"))
        text = self.tr("{points} points, {queries} queries")
        self.plot.setAccessibleDescription(text.format(points=self._points, queries=self._queries))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
