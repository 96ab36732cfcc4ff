"""The first numbers of an array, as a small grid of text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from attn_gui.document.number_text import shortest, shown
from attn_gui.figure.tokens import SPACING
from attn_gui.views.theme import dress, scaled

LETTERS, DECIMALS = 7, 4


class NumberPreview(QWidget):
    """The first rows and columns of an array, dots for the rest; of more axes the first of each."""

    def __init__(self, rows: int, columns: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows, self._columns = rows, columns
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(scaled(SPACING.xl))
        self._grid.setColumnStretch(columns + 1, 1)
        self._cells: dict[tuple[int, int], QLabel] = {}

    def set_values(self, values: NDArray[Any] | None) -> None:
        """Show the first numbers; nothing of no array."""
        texts = {} if values is None else self._texts(np.atleast_2d(values))
        for place in texts.keys() - self._cells.keys():
            self._cells[place] = self._cell()
            self._grid.addWidget(self._cells[place], *place)
        for place, cell in self._cells.items():
            cell.setText(texts.get(place, ""))

    def text(self) -> str:
        """The numbers on show, row by row."""
        places = sorted(place for place, cell in self._cells.items() if cell.text())
        rows = {row: [self._cells[place].text() for place in places if place[0] == row] for row, _ in places}
        return "\n".join(" ".join(row) for row in rows.values())

    def _texts(self, values: NDArray[Any]) -> dict[tuple[int, int], str]:
        block = values[(0,) * (values.ndim - 2)]
        found = {
            (row, column): _text(number, block.dtype)
            for row, numbers in enumerate(block[: self._rows])
            for column, number in enumerate(numbers[: self._columns])
        }
        if block.shape[1] > self._columns:
            found |= {(row, self._columns): "…" for row in range(min(self._rows, len(block)))}
        return found | ({(self._rows, 0): "⋮"} if len(block) > self._rows else {})

    def _cell(self) -> QLabel:
        cell = QLabel(self)
        cell.setTextFormat(Qt.TextFormat.PlainText)
        cell.setAlignment(Qt.AlignmentFlag.AlignRight)
        dress(cell, tone="text2")
        return cell


def _text(number: Any, dtype: np.dtype[Any]) -> str:
    """The number in full where it is short, else rounded."""
    text = shortest(number, dtype)
    return text if len(text) <= LETTERS else shown(float(number), DECIMALS)
