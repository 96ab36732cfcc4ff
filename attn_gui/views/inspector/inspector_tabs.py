"""The tabs beside the explanation: first steps and useful keys, largest gradients, findings of Verify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attn_gui.document.clipboard import CopiedCells
from attn_gui.figure.colors import sign_color
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.text.number_formats import scientific
from attn_gui.views.inspector.cell_relations import cell_name, column_writer
from attn_gui.views.inspector.terms import row_height
from attn_gui.views.names import stage_title
from attn_gui.views.text_views import Link, SentenceView, WrappedLabel, runs, strong
from attn_gui.views.theme import current_theme, scaled, style_text, ui_font
from attn_gui.views.widgets import Retranslated, arrange, clear_layout, set_tip, space_grid

KEYS = ("←↑↓→", "F2", "Enter", "[  ]", "1 … 9", "Ctrl+E", "F1")


class FirstSteps(Retranslated, QWidget):
    """First steps in a window that is seen for the first time."""

    startRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._keyboard_title = WrappedLabel(self), WrappedLabel(self)
        self._steps = [SentenceView(self) for _ in range(3)]
        self._start = Link("", self, size="sentence")
        self._start.setObjectName("inspector.start")
        self._keys = [(QLabel(self), QLabel(self)) for _ in KEYS]
        self._start.clicked.connect(self.startRequested)
        self._build()
        self.retranslate()

    def retranslate(self) -> None:
        self._title.setText(self.tr("No cell chosen"))
        self._keyboard_title.setText(self.tr("Keyboard"))
        steps = (
            runs(self.tr("{click} in any map: its formula appears here."), click=strong(self.tr("Click a cell"))),
            runs(self.tr("{type} in a table on the left: every map follows."), type=strong(self.tr("Type a number"))),
            runs(self.tr("{click} in the strip above to see it large."), click=strong(self.tr("Click a step"))),
        )
        for line, step in zip(self._steps, steps, strict=True):
            line.set_sentence(step)
        self._start.set_words(self.tr("Start page"), tip=self.tr("Examples, lessons, models and recent files"))
        meanings = (
            self.tr("move the chosen cell"),
            self.tr("type a number into it"),
            self.tr("go to its table cell"),
            self.tr("previous, next head"),
            self.tr("step of the formula"),
            self.tr("export image"),
            self.tr("help"),
        )
        for (keys, meaning), name, text in zip(self._keys, KEYS, meanings, strict=True):
            keys.setText(name)
            meaning.setText(text)

    def _build(self) -> None:
        style_text(self._title, "sentence", strong=True)
        style_text(self._keyboard_title, "section", strong=True)
        column = arrange(QVBoxLayout(self), self._title, *self._steps, margins=0, spacing=SPACING.m)
        start = (self._start, 0, Qt.AlignmentFlag.AlignLeft)
        arrange(column, start, 1, self._keyboard_title, self._keyboard())

    def _keyboard(self) -> QGridLayout:
        grid = space_grid(QGridLayout(), SPACING.l, SPACING.xs, 1)
        for row, (keys, meaning) in enumerate(self._keys):
            style_text(keys, "body", "text")
            style_text(meaning, "body", "text2")
            grid.addWidget(keys, row, 0)
            grid.addWidget(meaning, row, 1)
        return grid


DECIMALS = 4


@dataclass(frozen=True)
class CellGradient:
    """The gradient of the chosen cell by one number of the problem; `index` in the field's own axes."""

    field: str
    index: tuple[int, ...]
    value: float


class GradientBar(QWidget):
    """The size of a gradient, beside the largest one; nothing for 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share, self._color = 0.0, QColor()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_value(self, value: float, largest: float) -> None:
        self._share = min(abs(value) / largest, 1.0) if largest and value == value else 0.0
        self._color = sign_color(value, current_theme().name)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(60), row_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._share:
            return
        height = self.height() * 0.45
        bar = QRectF(0, (self.height() - height) / 2, max(self.width() * self._share, 1.0), height)
        with QPainter(self) as painter:
            painter.fillRect(bar, self._color)


class GradientRow(NamedTuple):
    """The contents of a row."""

    link: Link
    number: QLabel
    bar: GradientBar


class SensitivityPage(Retranslated, QWidget):
    """Lists the largest gradients of the chosen cell: of each number its name, the gradient and a bar."""

    cellRequested = Signal(str, tuple)  # stage or field, and the index in its axes

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.sensitivity")
        self._name, self._reason = "", "cell"
        self._refusal: Callable[[], str] = str
        self._gradients: tuple[CellGradient, ...] = ()
        self._lines: list[GradientRow] = []
        self._place, self._words, self._rows = WrappedLabel(self), WrappedLabel(self), QWidget(self)
        self._grid = space_grid(QGridLayout(self._rows), SPACING.m, 0, 2)
        self._build()
        self.retranslate()

    def set_gradients(self, name: str, gradients: Sequence[CellGradient]) -> None:
        """Show the gradients of the cell `name`, the largest first."""
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
        """Return the links in order."""
        return tuple(line.link for line in self._lines[: len(self._gradients)])

    def copied(self) -> CopiedCells | None:
        """Return every gradient on show, in full precision."""
        names = [cell_name(gradient.field, gradient.index) for gradient in self._gradients]
        read = [[np.float64(gradient.value)] for gradient in self._gradients]
        return CopiedCells((len(names), 1), lambda: read, names, [f"∂{self._name}"]) if names else None

    def retranslate(self) -> None:
        sentences = {
            "": self.tr("How much {name} changes when one number of the problem grows by a little, for each unit:"),
            "cell": self.tr("Choose a cell: the numbers that it changes most with are listed here."),
            "exercise": self.tr("Not shown while cells are covered: gradients would give them away."),
            "none": self.tr("{name} does not change with any number of the problem."),
            "refused": "{refusal}",
            "working": self.tr("Taking the gradients …"),
        }
        self._words.setText(sentences[self._reason].format(name=self._name, refusal=self._refusal()))

    def _build(self) -> None:
        style_text(self._place, "sentence", strong=True)
        style_text(self._words, "sentence")
        arrange(
            QVBoxLayout(self), self._place, self._words, self._rows, 1, margins=(0, SPACING.m, 0, 0), spacing=SPACING.m
        )

    def _show(self) -> None:
        self._place.setText(self._name)
        self._place.setVisible(bool(self._name))
        self.retranslate()
        for row in range(len(self._lines), len(self._gradients)):
            self._lines.append(self._new_line(row))
        # a scale or a temperature moves everything: beside its bar those of cells would all look alike, so it has none
        cells = [abs(gradient.value) for gradient in self._gradients if gradient.index]
        largest = max(cells or (abs(gradient.value) for gradient in self._gradients), default=0.0)
        for row, line in enumerate(self._lines):
            for widget in line:
                widget.setVisible(row < len(self._gradients))
        written = column_writer((gradient.value for gradient in self._gradients), DECIMALS)
        for line, gradient in zip(self._lines, self._gradients, strict=False):
            name = cell_name(gradient.field, gradient.index)
            line.link.set_words(name, tip=self.tr("Go to {cell} in its table").format(cell=name))
            line.link.setEnabled(bool(gradient.index))
            line.number.setText(written(gradient.value))
            line.bar.set_value(gradient.value if gradient.index or not cells else 0.0, largest)

    def _new_line(self, row: int) -> GradientRow:
        line = GradientRow(Link("", self._rows), QLabel(self._rows), GradientBar(self._rows))
        line.link.clicked.connect(lambda _checked=False: self._on_link_clicked(row))
        line.number.setFont(ui_font("body", tabular=True))
        line.number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, widget in enumerate(line):
            self._grid.addWidget(widget, row, column)
        return line

    def _on_link_clicked(self, row: int) -> None:
        gradient = self._gradients[row]
        self.cellRequested.emit(gradient.field, gradient.index)


SIGNS = {True: ("✓", "good"), False: ("✗", "error"), None: ("–", "text3")}


@dataclass(frozen=True)
class CheckedStage:
    """One stage: its worst difference, where that is, and whether rounding explains it."""

    stage: str
    difference: float
    index: tuple[int, ...]
    within: bool


class CheckedInvariant(NamedTuple):
    """One thing that must hold, as a sentence in the present language; `holds` is None where it does not apply."""

    sentence: str
    holds: bool | None


class Findings(NamedTuple):
    """Findings of a verification; `rows` of `all_rows` rows of queries were recomputed, or `unjudged` says why none."""

    stages: Sequence[CheckedStage]
    held: Sequence[CheckedInvariant]
    reason: str
    rows: int
    all_rows: int
    unjudged: str = ""


class VerifyPage(Retranslated, QWidget):
    """Shows the check of all stages by a second computation, and a button that starts it.

    While numbers are computed the button stops that, and so does Esc.
    """

    verifyRequested = Signal()
    stopRequested = Signal()
    cellRequested = Signal(str, tuple)  # stage or field, and the index in its axes

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.verify")
        self._report: Findings | None = None
        self._state = "never"
        self.button, self._words = QPushButton(self), WrappedLabel(self)
        self._results = QWidget(self)
        self._grid = space_grid(QGridLayout(self._results), SPACING.m, SPACING.s, 1)
        self._build()
        self.retranslate()

    def set_findings(self, report: Findings) -> None:
        """Show what was found."""
        self._report, self._state = report, "done"
        self._show()

    def set_working(self) -> None:
        """Say that it takes a while."""
        self._report, self._state = None, "working"
        self._show()

    def set_stopped(self) -> None:
        """Show that the verification was stopped."""
        self._state = "stopped"
        self._show()

    def set_outdated(self) -> None:
        """Clear what was found: the numbers have changed since."""
        self._report, self._state = None, "outdated" if self._state in ("done", "outdated") else "never"
        self._show()

    def copied(self) -> CopiedCells | None:
        """Return the worst difference of every stage, in full."""
        if self._report is None or not self._report.stages:
            return None
        read = [[np.float64(checked.difference)] for checked in self._report.stages]
        names = [stage_title(checked.stage) for checked in self._report.stages]
        return CopiedCells((len(read), 1), lambda: read, names, [self.tr("worst difference")])

    def retranslate(self) -> None:
        self.button.setText(self.tr("Stop") if self._state == "working" else self.tr("Verify now"))
        self._words.setText(self._sentence())
        set_tip(self.button, self.tr("Compute every stage a second time, cell by cell, and say where it differs"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._state == "working":
            self.stopRequested.emit()
        else:
            super().keyPressEvent(event)

    def _sentence(self) -> str:
        report = self._report
        if report is not None and report.unjudged:
            return report.unjudged
        if report is not None and report.rows == report.all_rows:
            return self.tr(
                "All {count} rows were computed a second time, in plain loops. The worst difference:"
            ).format(count=report.rows)
        if report is not None:
            return self.tr(
                "A sample of {count} of {all} rows was computed a second time, in plain loops. The worst difference:"
            ).format(count=report.rows, all=report.all_rows)
        if self._state == "working":
            return self.tr("Computing everything a second time …")
        if self._state == "stopped":
            return self.tr("Stopped: nothing was verified.")
        if self._state == "outdated":
            return self.tr("The numbers have changed since.")
        return self.tr(
            "Computes every number a second time, in plain loops that share nothing with the program, "
            "and checks what must always hold."
        )

    def _on_button_clicked(self) -> None:
        (self.stopRequested if self._state == "working" else self.verifyRequested).emit()

    def _build(self) -> None:
        style_text(self._words, "sentence")
        self.button.clicked.connect(self._on_button_clicked)
        parts = (self.button, 0, Qt.AlignmentFlag.AlignLeft), self._words, self._results, 1
        arrange(QVBoxLayout(self), *parts, margins=(0, SPACING.m, 0, 0), spacing=SPACING.m)

    def _show(self) -> None:
        clear_layout(self._grid)
        self.retranslate()
        if self._report is None:
            return
        for row, checked in enumerate(self._report.stages):
            self._add_stage(row, checked)
        for row, held in enumerate(self._report.held, len(self._report.stages)):
            self._add_sign(row, held.holds)
            self._grid.addWidget(_wrapped(held.sentence, "text" if held.holds is not None else "text3"), row, 1, 1, 2)
        last = len(self._report.stages) + len(self._report.held)
        if self._report.stages:
            self._grid.addWidget(_wrapped(self._report.reason, "text3"), last, 0, 1, 3)

    def _add_stage(self, row: int, checked: CheckedStage) -> None:
        self._add_sign(row, checked.within)
        link = Link(parent=self._results)
        link.set_words(stage_title(checked.stage), tip=self.tr("Explain the cell that differs most"))
        link.clicked.connect(lambda _checked=False: self.cellRequested.emit(checked.stage, checked.index))
        self._grid.addWidget(link, row, 1, Qt.AlignmentFlag.AlignLeft)
        number = QLabel(scientific(checked.difference, 2), self._results)
        number.setFont(ui_font("body", tabular=True))
        self._grid.addWidget(number, row, 2, Qt.AlignmentFlag.AlignRight)

    def _add_sign(self, row: int, holds: bool | None) -> None:
        sign, tone = SIGNS[holds]
        label = QLabel(sign, self._results)
        style_text(label, "body", tone, strong=True)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)


def _wrapped(text: str, tone: str) -> WrappedLabel:
    label = WrappedLabel()
    label.setText(text)
    style_text(label, "body", tone)
    return label
