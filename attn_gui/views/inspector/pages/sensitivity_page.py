"""Page of the largest gradients of the chosen cell, each a link to the number it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.inspector.context import cell_name, column_writer
from attn_gui.views.inspector.links import Link
from attn_gui.views.inspector.terms_view import bar_color, row_height
from attn_gui.views.theme import dress, scaled, ui_font

DECIMALS = 4


@dataclass(frozen=True)
class Gradient:
    """The gradient of the chosen cell by one number of the problem; `index` in the field's own axes."""

    field: str
    index: tuple[int, ...]
    value: float


class Bar(QWidget):
    """The size of a gradient, beside the largest one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share, self._color = 0.0, QColor()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_value(self, value: float, largest: float) -> None:
        self._share = min(abs(value) / largest, 1.0) if largest and value == value else 0.0
        self._color = bar_color(value, signed=True, chosen=False)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(60), row_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        height = self.height() * 0.45
        bar = QRectF(0, (self.height() - height) / 2, max(self.width() * self._share, 1.0), height)
        QPainter(self).fillRect(bar, self._color)


class Line(NamedTuple):
    """The contents of a row."""

    link: Link
    number: QLabel
    bar: Bar


class SensitivityPage(Retranslated, QWidget):
    """A sentence, and a row for every number: its name, the gradient, a bar."""

    cellRequested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.sensitivity")
        self._name, self._reason = "", "cell"
        self._refusal: Callable[[], str] = str
        self._gradients: tuple[Gradient, ...] = ()
        self._lines: list[Line] = []
        self._place, self._words, self._rows = WrappedLabel(self), WrappedLabel(self), QWidget(self)
        self._grid = QGridLayout(self._rows)
        self._build()
        self.retranslate()

    def set_gradients(self, name: str, gradients: Sequence[Gradient]) -> None:
        """`name` is that of the cell; the largest gradient comes first."""
        self._name, self._gradients, self._reason = name, tuple(gradients), "none" if not gradients else ""
        self._show()

    def set_nothing(self, reason: str) -> None:
        """Set the reason why there is nothing: "cell", none is chosen; "exercise", it would tell more; "working"."""
        self._name, self._gradients, self._reason = "", (), reason
        self._show()

    def set_refusal(self, words: Callable[[], str]) -> None:
        """Set the words that say why the gradients cannot be taken."""
        self._refusal = words
        self.set_nothing("refused")

    def links(self) -> tuple[Link, ...]:
        """The links in order."""
        return tuple(line.link for line in self._lines[: len(self._gradients)])

    def copied(self) -> Copied | None:
        """Every gradient on show, in full precision."""
        names = [cell_name(gradient.field, gradient.index) for gradient in self._gradients]
        read = [[np.float64(gradient.value)] for gradient in self._gradients]
        return Copied((len(names), 1), lambda: read, names, [f"∂{self._name}"]) if names else None

    def retranslate(self) -> None:
        """All words in the present language."""
        sentences = {
            "": self.tr("How much {name} changes when one number of the problem grows by a little, for each unit:"),
            "cell": self.tr("Choose a cell: the numbers that it changes most with are listed here."),
            "exercise": self.tr("Not shown during the exercise: gradients would give away cells that are left out."),
            "none": self.tr("{name} does not change with any number of the problem."),
            "refused": "{refusal}",
            "working": self.tr("Taking the gradients …"),
        }
        self._words.setText(sentences[self._reason].format(name=self._name, refusal=self._refusal()))

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        dress(self._place, "sentence", strong=True)
        dress(self._words, "sentence")
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACING.m)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(2, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACING.m, 0, 0)
        column.setSpacing(SPACING.m)
        for widget in (self._place, self._words, self._rows):
            column.addWidget(widget)
        column.addStretch(1)

    def _show(self) -> None:
        self._place.setText(self._name)
        self._place.setVisible(bool(self._name))
        self.retranslate()
        for row in range(len(self._lines), len(self._gradients)):
            self._lines.append(self._new_line(row))
        largest = max((abs(gradient.value) for gradient in self._gradients), default=0.0)
        for row, line in enumerate(self._lines):
            for widget in line:
                widget.setVisible(row < len(self._gradients))
        written = column_writer((gradient.value for gradient in self._gradients), DECIMALS)
        for line, gradient in zip(self._lines, self._gradients, strict=False):
            name = cell_name(gradient.field, gradient.index)
            line.link.set_words(name, tip=self.tr("Go to {cell} in its table").format(cell=name))
            line.link.setEnabled(bool(gradient.index))
            line.number.setText(written(gradient.value))
            line.bar.set_value(gradient.value, largest)

    def _new_line(self, row: int) -> Line:
        line = Line(Link("", self._rows), QLabel(self._rows), Bar(self._rows))
        line.link.clicked.connect(lambda _checked=False: self._on_link_clicked(row))
        line.number.setFont(ui_font("body", tabular=True))
        line.number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, widget in enumerate(line):
            self._grid.addWidget(widget, row, column)
        return line

    def _on_link_clicked(self, row: int) -> None:
        gradient = self._gradients[row]
        self.cellRequested.emit(gradient.field, gradient.index)
