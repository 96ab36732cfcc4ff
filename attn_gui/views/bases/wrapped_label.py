"""A label of sentences in as many lines as they need, none of which ends inside a size."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from attn_gui.views.words.names import unbroken


class WrappedLabel(QLabel):
    """Plain text; `text` is what was said, and what Qt breaks into lines has its sizes ("4 × 5") whole."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def text(self) -> str:
        return self._said

    def setText(self, text: str) -> None:
        self._said = text
        super().setText(unbroken(text))
