"""A text that can mean several matrices, or holds several: all of them, to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.views.dialogs.arrays.number_preview import NumberPreview
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.theme import scaled

ROWS, COLUMNS = 3, 5  # of each matrix that are shown
HIGHEST = 420  # of the choices; more of them are scrolled


class ReadingsDialog(QDialog):
    """One button for every matrix with its first numbers; `chosen` is the place of the one that was picked."""

    def __init__(self, name: str, *, several: bool = False, parent: QWidget | None = None) -> None:
        """`several`: the text holds several matrices, none of which can be read in two ways."""
        super().__init__(parent)
        self.setObjectName("dialog.readings")
        self.setWindowTitle(self.tr("How to read {name}").format(name=name))
        self.choices: list[QRadioButton] = []
        self._choices = QWidget(self)
        self._column = QVBoxLayout(self._choices)
        self._column.setSpacing(SPACING.l)
        question = QLabel(
            self.tr("The text holds several matrices. Which numbers are meant?")
            if several
            else self.tr("The text can be read in several ways. Which numbers are meant?"),
            self,
        )
        question.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._scroller = QScrollArea(self)
        self._scroller.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroller.setWidgetResizable(True)
        column = QVBoxLayout(self)
        column.addWidget(question)
        column.addWidget(self._scroller, 1)
        column.addWidget(self.buttons)

    def set_readings(self, readings: Sequence[tuple[str, NDArray[Any] | None]]) -> None:
        """Set the readings: each in words, and its matrix, or None without a picture of it."""
        for place, (words, values) in enumerate(readings):
            button = QRadioButton(words, self)
            button.setChecked(place == 0)
            self.choices.append(button)
            self._column.addWidget(button)
            if values is not None:
                preview = NumberPreview(ROWS, COLUMNS, self)
                preview.setContentsMargins(scaled(SPACING.xxl), 0, 0, 0)
                preview.set_values(values)
                self._column.addWidget(preview)
        self._column.addStretch(1)
        self._scroller.setWidget(self._choices)
        size = self._choices.sizeHint()
        self._scroller.setMinimumSize(size.width() + SPACING.xxl, min(size.height(), scaled(HIGHEST)))
        self.choices[0].setFocus()

    @property
    def chosen(self) -> int:
        return next(place for place, button in enumerate(self.choices) if button.isChecked())
