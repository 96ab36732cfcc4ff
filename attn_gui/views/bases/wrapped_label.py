"""A label of sentences in as many lines as they need, none of which ends inside a size or is longer than the label."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QWidget

from attn_gui.views.words.names import unbroken

MAY_BREAK = "\u200b"
LONG = re.compile(r"[^\s\u200b\u2e80-\uffef]{25,}")
"""A word, often the name of a file, that may not fit into a line of a narrow label; Chinese breaks anywhere."""


class WrappedLabel(QLabel):
    """Plain text; `text` is what was said, and what Qt breaks into lines has its sizes ("4 × 5") whole, and
    long names in pieces."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def text(self) -> str:
        return self._said

    def setText(self, text: str) -> None:
        self._said = text
        super().setText(LONG.sub(lambda word: MAY_BREAK.join(_pieces(word[0])), unbroken(text)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy what is selected as it was said."""
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.selectedText().replace(MAY_BREAK, ""))
        else:
            super().keyPressEvent(event)


def _pieces(word: str) -> list[str]:
    """The parts of a name, each with the signs behind it, longer ones in several."""
    return re.findall(r"[^\W_]{1,16}[\W_]{0,4}|[\W_]{1,8}", word)
