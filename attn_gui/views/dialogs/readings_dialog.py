"""A text that can mean several matrices: all of them, to choose from."""

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
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.views.dialogs.arrays.number_preview import NumberPreview
from attn_gui.views.theme import scaled

ROWS, COLUMNS = 3, 5  # of each matrix that are shown
BUTTONS = QDialogButtonBox.StandardButton


class ReadingsDialog(QDialog):
    """One button for every matrix with its first numbers; `chosen` is the place of the one that was picked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.readings")
        self.setWindowTitle(self.tr("How to read {name}").format(name=name))
        self.choices: list[QRadioButton] = []
        self._column = QVBoxLayout(self)
        self._column.setSpacing(SPACING.l)
        question = QLabel(self.tr("The text can be read in several ways. Which numbers are meant?"), self)
        question.setTextFormat(Qt.TextFormat.PlainText)
        self._column.addWidget(question)
        self.buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def set_readings(self, readings: Sequence[tuple[str, NDArray[Any]]]) -> None:
        """Set the readings: each in words, and its matrix."""
        for place, (words, values) in enumerate(readings):
            button = QRadioButton(words, self)
            button.setChecked(place == 0)
            self.choices.append(button)
            self._column.addWidget(button)
            preview = NumberPreview(ROWS, COLUMNS, self)
            preview.setContentsMargins(scaled(SPACING.xxl), 0, 0, 0)
            preview.set_values(values)
            self._column.addWidget(preview)
        self._column.addWidget(self.buttons)
        self.choices[0].setFocus()

    @property
    def chosen(self) -> int:
        return next(place for place, button in enumerate(self.choices) if button.isChecked())
