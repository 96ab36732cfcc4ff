"""Lines of lint below the layers: one sentence each, with what goes there and what would end it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.banner import IconLabel
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.theme import dress


class Line(NamedTuple):
    """A sentence, whether there is a row to go to, and the words of what would end it, if anything would."""

    text: str
    place: bool
    remedy: str


class LintLines(QWidget):
    """Shows the lines; `goRequested` and `remedyRequested` carry the number of a line."""

    goRequested = Signal(int)
    remedyRequested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("mask.lint")
        self._lines: tuple[Line, ...] = ()
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACING.s)
        self.hide()

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these lines; none hide it."""
        if tuple(lines) == self._lines:
            return
        self._lines = tuple(lines)
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(number, line) for number, line in enumerate(self._lines)]
        self.setVisible(bool(self._rows))

    def _row(self, number: int, line: Line) -> QWidget:
        row, text, sign = QWidget(self), WrappedLabel(), IconLabel()
        text.setText(line.text)
        dress(text, letters="small", tone="text2")
        sign.set_icon("info")
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACING.s)
        for words, asked, offered in (
            (self.tr("Go to the row"), self.goRequested, line.place),
            (line.remedy, self.remedyRequested, bool(line.remedy)),
        ):
            if offered:
                button = QPushButton(words, row)
                button.setAccessibleDescription(line.text)
                button.clicked.connect(lambda _=False, asked=asked: asked.emit(number))
                buttons.addWidget(button)
        buttons.addStretch(1)
        words_and_buttons = QVBoxLayout()
        words_and_buttons.setSpacing(SPACING.xs)
        words_and_buttons.addWidget(text)
        if line.place or line.remedy:
            words_and_buttons.addLayout(buttons)
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(SPACING.s)
        across.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        across.addLayout(words_and_buttons, 1)
        self._column.addWidget(row)
        row.show()
        return row
