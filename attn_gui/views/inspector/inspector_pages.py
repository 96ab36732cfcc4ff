"""The numbers on show against a second computation: the worst difference of every stage, and what must hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.figure.text.numbers import scientific
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.inspector.links import Link, clear
from attn_gui.views.theme import dress, ui_font
from attn_gui.views.words.names import stage_title
from attn_gui.views.words.tip import set_tip

SIGNS = {True: ("✓", "good"), False: ("✗", "error"), None: ("–", "text3")}


@dataclass(frozen=True)
class Checked:
    """One stage: its worst difference, where that is, and whether rounding explains it."""

    stage: str
    difference: float
    index: tuple[int, ...]
    within: bool


class Held(NamedTuple):
    """One thing that must hold, as a sentence in the present language; `holds` is None where it does not apply."""

    sentence: str
    holds: bool | None


class Findings(NamedTuple):
    """Findings of a verification; `rows` of `all_rows` rows of queries were recomputed, or `unjudged` says why none."""

    stages: Sequence[Checked]
    held: Sequence[Held]
    reason: str
    rows: int
    all_rows: int
    unjudged: str = ""


class VerifyPage(Retranslated, QWidget):
    """A button, a sentence, a row for every stage, a line for everything that must hold.

    While numbers are computed the button stops that, and so does Esc.
    """

    verifyRequested = Signal()
    stopRequested = Signal()
    cellRequested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.verify")
        self._report: Findings | None = None
        self._state = "never"
        self.button, self._words = QPushButton(self), WrappedLabel(self)
        self._results = QWidget(self)
        self._grid = QGridLayout(self._results)
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
        """The numbers have changed since: what was found goes."""
        self._report, self._state = None, "outdated" if self._state in ("done", "outdated") else "never"
        self._show()

    def copied(self) -> Copied | None:
        """The worst difference of every stage, in full."""
        if self._report is None or not self._report.stages:
            return None
        read = [[np.float64(checked.difference)] for checked in self._report.stages]
        names = [stage_title(checked.stage) for checked in self._report.stages]
        return Copied((len(read), 1), lambda: read, names, [self.tr("worst difference")])

    def retranslate(self) -> None:
        """All words in the present language."""
        self.button.setText(self.tr("Stop") if self._state == "working" else self.tr("Verify now"))
        self._words.setText(self._sentence())
        set_tip(self.button, self.tr("Compute every stage a second time, cell by cell, and say where it differs"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._state == "working":
            self.stopRequested.emit()
        else:
            super().keyPressEvent(event)

    # --- inside ----------------------------------------------------------------------------------
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
        dress(self._words, "sentence")
        self.button.clicked.connect(self._on_button_clicked)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACING.m)
        self._grid.setVerticalSpacing(SPACING.s)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACING.m, 0, 0)
        column.setSpacing(SPACING.m)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._words)
        column.addWidget(self._results)
        column.addStretch(1)

    def _show(self) -> None:
        clear(self._grid)
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

    def _add_stage(self, row: int, checked: Checked) -> None:
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
        dress(label, "body", tone, strong=True)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)


def _wrapped(text: str, tone: str) -> WrappedLabel:
    label = WrappedLabel()
    label.setText(text)
    dress(label, "body", tone)
    return label
