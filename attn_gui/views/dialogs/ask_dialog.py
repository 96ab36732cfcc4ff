"""A question with one line to type: what is wrong with it is said while it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.theme import dress, scaled

T = TypeVar("T")
WIDTH = 340


class AskDialog(QDialog, Generic[T]):
    """`read` makes the answer of a text, or raises ValueError with a sentence; `answer` is what it made last."""

    def __init__(self, title: str, words: str, text: str, read: Callable[[str], T], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.ask")
        self.setWindowTitle(title)
        self.answer: T | None = None
        self._read = read
        self.line, self._said = QLineEdit(text, self), WrappedLabel(self)
        self.line.setObjectName("ask.answer")
        asked = WrappedLabel(self)
        asked.setText(words)
        self.buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        dress(self._said, letters="small", tone="error")
        self.line.setAccessibleName(words)
        self.line.selectAll()
        self.line.textChanged.connect(self._look)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        self.buttons.button(BUTTONS.Ok).setText(self.tr("OK"))
        column = QVBoxLayout(self)
        column.setSpacing(SPACING.m)
        for widget in (asked, self.line, self._said, self.buttons):
            column.addWidget(widget)
        self.setMinimumWidth(scaled(WIDTH))
        self._look()

    def said(self) -> str:
        """Sentence that says why the text is refused; empty for a text that is taken."""
        return self._said.text()

    def _look(self, *_: object) -> None:
        """Read the text as it stands."""
        try:
            self.answer, wrong = self._read(self.line.text()), ""
        except ValueError as error:
            self.answer, wrong = None, str(error)
        self._said.setText(wrong)
        self.buttons.button(BUTTONS.Ok).setEnabled(not wrong)
