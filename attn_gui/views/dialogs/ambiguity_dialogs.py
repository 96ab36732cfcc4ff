"""Dialogs for a text of several matrices, maps of several layers, a file that can be read in several ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QGridLayout,
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.typed_numbers import shortest, shown
from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.formats.named.attention_maps import BATCH, MapChoice
from attn_gui.views.dialogs.dialog_base import AnswerButtons
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text
from attn_gui.views.widgets import arrange

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
        """Return the numbers on show, row by row."""
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
        style_text(cell, tone="text2")
        return cell


def _text(number: Any, dtype: np.dtype[Any]) -> str:
    """Return the number in full where it is short, else rounded."""
    text = shortest(number, dtype)
    return text if len(text) <= LETTERS else shown(float(number), DECIMALS)


ROWS, COLUMNS = 3, 5  # of each matrix that are shown
HIGHEST = 420  # of the choices; more of them are scrolled


class ReadingsDialog(QDialog):
    """One button for every matrix with its first numbers; `chosen` is the place of the one that was picked."""

    def __init__(self, name: str, *, several: bool = False, parent: QWidget | None = None) -> None:
        """Ask for a reading; `several`: the text holds several matrices, none of which can be read in two ways."""
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
        self.buttons = AnswerButtons(self)
        self._scroller = QScrollArea(self)
        self._scroller.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroller.setWidgetResizable(True)
        arrange(QVBoxLayout(self), question, (self._scroller, 1), self.buttons)

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


SIDE, CELL, WIDTH, HEIGHT = 96, 148, 660, 460


class MapsDialog(QDialog):
    """A list of readings of which none is chosen at first; `chosen` is the place of the one that was picked."""

    def __init__(self, name: str, choices: Sequence[MapChoice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.maps")
        self.setWindowTitle(self.tr("Attention weights of {file}").format(file=name))
        question = WrappedLabel(self)
        question.setText(
            self.tr("The file does not say how these weights are laid out. Which are meant? Each shows its first map.")
        )
        self.list = QListWidget(self)
        self.list.setObjectName("maps.choices")
        self.list.setAccessibleName(self.tr("Readings of the weights"))
        self.list.setViewMode(QListView.ViewMode.IconMode)
        self.list.setMovement(QListView.Movement.Static)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setWordWrap(True)
        self.list.setIconSize(QSize(scaled(SIDE), scaled(SIDE)))
        self.list.setGridSize(QSize(scaled(CELL), scaled(SIDE) + 3 * self.fontMetrics().height()))
        blank = QPixmap(scaled(SIDE), scaled(SIDE))
        blank.fill(Qt.GlobalColor.transparent)
        several = len({choice.name for choice in choices}) > 1
        said = [self._words(choice) for choice in choices]
        for choice, words in zip(choices, said, strict=True):
            axes = [",".join(choice.axes)] if not several and said.count(words) > 1 else []
            text = "\n".join([*([choice.name] if several else []), words, *axes])
            self.list.addItem(QListWidgetItem(QIcon(blank), text))
        self.buttons = AnswerButtons(self, self.tr("Open"))
        self.buttons.ok.setEnabled(False)
        arrange(QVBoxLayout(self), question, self.list, self.buttons, margins=SPACING.xl, spacing=SPACING.l)
        self.list.itemSelectionChanged.connect(lambda: self.buttons.ok.setEnabled(self.chosen is not None))
        self.list.itemActivated.connect(self.accept)
        self.resize(scaled(WIDTH), scaled(HEIGHT))

    def set_pictures(self, pictures: Sequence[QImage]) -> None:
        """Show the first map of each choice."""
        for place, picture in enumerate(pictures):
            fitted = picture.scaled(
                self.list.iconSize(), Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.FastTransformation
            )
            self.list.item(place).setIcon(QIcon(QPixmap.fromImage(fitted)))

    @property
    def chosen(self) -> int | None:
        """The place of the choice that was picked; None while there is none."""
        picked = self.list.selectedIndexes()
        return picked[0].row() if picked else None

    def _words(self, choice: MapChoice) -> str:
        if choice.layer is not None:
            return self.tr("layer {layer}").format(layer=choice.layer)
        return self.tr("all, as items of a batch") if BATCH in choice.axes else self.tr("all, as heads")


class ReadingList(QWidget):
    """One button for every reading, none of them chosen before somebody does; `picked` carries the key of the one."""

    picked = Signal(str)  # the key of the reading

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._column = arrange(QVBoxLayout(self), margins=0, spacing=SPACING.xs)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Set (key, words) of every reading; the chosen one stays if it is still there."""
        kept = [key for key, _ in choices]
        if list(self._buttons) != kept:
            self._replace(kept)
        for key, words in choices:
            self._buttons[key].setText(words)
            self._buttons[key].setAccessibleName(words.replace("\n", ", "))

    def key(self) -> str | None:
        """Return the key of the chosen reading; None while there is none."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), None)

    def set_key(self, key: str | None) -> None:
        """Show a reading as chosen, or none."""
        self._group.setExclusive(False)  # else one stays
        for name, button in self._buttons.items():
            with QSignalBlocker(button):
                button.setChecked(name == key)
        self._group.setExclusive(True)

    def choices(self) -> list[tuple[str, str]]:
        """Return (key, words) of every reading."""
        return [(key, button.text()) for key, button in self._buttons.items()]

    def button(self, key: str) -> QRadioButton:
        """Return the button of a reading."""
        return self._buttons[key]

    def set_pictures(self, pictures: Mapping[str, QImage]) -> None:
        """Show the first map of each reading; an empty square for one that has none, and nothing where none has."""
        if pictures:
            self._show_squares(pictures)
            return
        for button in self._buttons.values():
            button.setIcon(QIcon())

    def _show_squares(self, pictures: Mapping[str, QImage]) -> None:
        side = scaled(SIZE.head_map)
        for key, button in self._buttons.items():
            picture = QPixmap(side, side)
            picture.fill(current_theme().sunken)
            if key in pictures:
                mode = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.FastTransformation
                picture = QPixmap.fromImage(pictures[key].scaled(side, side, *mode))
            button.setIconSize(QSize(side, side))
            button.setIcon(QIcon(picture))

    def _replace(self, keys: Sequence[str]) -> None:
        chosen = self.key()
        for button in self._buttons.values():
            self._group.removeButton(button)
            self._column.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = {key: self._made(key) for key in keys}
        self.set_key(chosen)
        if self._buttons:
            self.setFocusProxy(self._buttons[keys[0]])
        self._show_squares({})  # until it is known which there are

    def _made(self, key: str) -> QRadioButton:
        button = QRadioButton(self)
        button.setObjectName(f"{self.objectName()}.{key}")
        button.toggled.connect(lambda on: self.picked.emit(key) if on else None)  # by arrows, too
        self._group.addButton(button)
        self._column.addWidget(button)
        return button
