"""Controls above the regression curve: how well the points predict one another, and the fit of w."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.inspector.context import column_number
from attn_gui.views.theme import dress

DIGITS = 4  # of the error


class FitControls(Retranslated, QWidget):
    """The error, and the button that fits w."""

    fitRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("fit")
        self._error: float | None = None
        self._missed = WrappedLabel(self)
        self.fit_button = QPushButton(self)
        self.fit_button.setObjectName("button.fit")
        self.fit_button.clicked.connect(self.fitRequested)
        dress(self._missed, "body", "text2")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.s)
        column.addWidget(self._missed)
        column.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.retranslate()

    def set_error(self, error: float | None) -> None:
        """The mean squared error of every point predicted from the others; None while it is not known."""
        self._error = error
        self.retranslate()

    def set_fit_offered(self, offered: bool) -> None:
        """Whether there is a w to be fitted."""
        self.setVisible(offered)

    def set_ready(self, ready: bool) -> None:
        """Whether w can be fitted now: not while it is, nor while the points are computed."""
        self.fit_button.setEnabled(ready)

    def retranslate(self) -> None:
        """All words in the present language."""
        self.fit_button.setText(self.tr("Fit w to the points"))
        number = "…" if self._error is None else column_number(self._error, DIGITS)
        text = self.tr("Every point predicted from the others: mean squared error {error}")
        self._missed.setText(text.format(error=number))
