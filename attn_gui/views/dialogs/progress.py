"""Progress line of background work in the status bar, with a way to cancel it: all else stays usable."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QToolButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated

LETTERS = 30  # of a name, at most
PATIENCE_MS = 300  # what is done by then needs no word


class WorkLine(Retranslated, QWidget):
    """`begin`, `set_share` and `end`; `cancelRequested` when the person stops the work."""

    cancelRequested = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` goes before the names of its parts."""
        super().__init__(parent)
        self.setObjectName(f"{name}.progress")
        self._share, self._name = 0.0, ""
        self._text, self.cancel = QLabel(self), QToolButton(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACING.s)
        line.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        line.addWidget(self._text)
        line.addWidget(self.cancel)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self.show)
        self.cancel.setObjectName(f"{name}.cancel")
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self.hide()

    def words(self, percent: int) -> str:
        """The words of the line."""
        raise NotImplementedError

    def cancel_words(self) -> str:
        """The words of its button."""
        raise NotImplementedError

    def set_name(self, name: str) -> None:
        """Name the subject of the work: a file, a step."""
        self._name = name

    def short_name(self) -> str:
        """The name, cut in its middle where it is long."""
        metrics = self.fontMetrics()
        return metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, LETTERS * metrics.averageCharWidth())

    def begin(self, *, at_once: bool = False) -> None:
        """Work has begun; it is said if it lasts, or at once."""
        self.cancel.setEnabled(True)
        self.set_share(0.0)
        if at_once:
            self.show()
        else:
            self._patience.start()

    def set_share(self, share: float) -> None:
        """The share of the work that is done, 0 … 1."""
        self._share = share
        self.retranslate()

    def end(self) -> None:
        """End the progress."""
        self._patience.stop()
        self.hide()

    def text(self) -> str:
        """The present text."""
        return self._text.text()

    def retranslate(self) -> None:
        """All words in the present language."""
        self._text.setText(self.words(int(100 * self._share)))
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setAccessibleName(self.cancel_words())

    def sizeHint(self) -> QSize:
        """A size no higher than the words beside it: the status bar keeps its height."""
        return QSize(super().sizeHint().width(), self._text.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _on_cancel_clicked(self) -> None:
        self.cancel.setEnabled(False)  # the piece under way is finished first
        self.cancelRequested.emit()
