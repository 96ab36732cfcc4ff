"""Comes from and reaches: the neighbors of a cell, one hop back and every hop on, as names that are links."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.inspector.context import ExplainContext
from attn_gui.views.inspector.links import FlowLayout, Link
from attn_gui.views.inspector.neighbors import Neighbor, reaches, sources
from attn_gui.views.map.veil import BACKWARD, FORWARD
from attn_gui.views.theme import dress
from attn_gui.views.words.tip import set_tip

ARROW = "→ "
BUTTONS = {BACKWARD: "inspector.origin", FORWARD: "inspector.reach"}


class LinkRow(QWidget):
    """Neighbors as links, in rows that wrap; `lead` stands before every one but the first."""

    cellRequested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None, *, lead: str = "") -> None:
        super().__init__(parent)
        self.links: list[Link] = []
        self._lead = lead
        self._row = FlowLayout(self, gap=SPACING.s)

    def set_neighbors(self, neighbors: Sequence[Neighbor]) -> None:
        """Links are kept and renamed, so that the keyboard stays where it was."""
        while len(self.links) > len(neighbors):
            link = self.links.pop()
            self._row.removeWidget(link)
            link.hide()
            link.deleteLater()
        while len(self.links) < len(neighbors):
            self.links.append(Link("", self))
            self.links[-1].clicked.connect(self._on_link_clicked)
            self._row.addWidget(self.links[-1])
            self.links[-1].show()
        for place, (link, neighbor) in enumerate(zip(self.links, neighbors, strict=True)):
            tip = self.tr("Explain {cell}").format(cell=neighbor.text)
            link.set_words(neighbor.text, self._lead if place else "", tip)
            link.setProperty("neighbor", neighbor)

    def _on_link_clicked(self) -> None:
        neighbor = self.sender().property("neighbor")
        self.cellRequested.emit(neighbor.name, neighbor.index)


class Relations(Retranslated, QWidget):
    """Two rows of links, and which of both directions the maps show."""

    cellRequested = Signal(str, tuple)
    reachPicked = Signal(str)  # a direction of `veil.DIRECTIONS`, or none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._captions = (QLabel(self), QLabel(self))
        self._rows = (LinkRow(self), LinkRow(self, lead=ARROW))
        self._other = QLabel(self)
        self._toggles = {direction: self._toggle(direction, name) for direction, name in BUTTONS.items()}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACING.m)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for place, (caption, row) in enumerate(zip(self._captions, self._rows, strict=True)):
            dress(caption, "body", "text2")
            caption.setContentsMargins(0, SPACING.xs, 0, SPACING.xs)
            row.cellRequested.connect(self.cellRequested)
            grid.addWidget(caption, place, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(row, place, 1)
        below = QWidget(self)
        wrapped = FlowLayout(below, gap=SPACING.s)
        for widget in (*self._toggles.values(), self._other):
            wrapped.addWidget(widget)
        dress(self._other, "small", "text2")
        grid.setRowMinimumHeight(len(self._rows), SPACING.s)
        grid.addWidget(below, len(self._rows) + 1, 0, 1, 2)
        self.retranslate()

    def set_explanation(self, explanation: Explanation, context: ExplainContext) -> None:
        """The neighbors of a cell."""
        found = (sources(explanation), reaches(context.reach, context.head))
        for caption, row, neighbors in zip(self._captions, self._rows, found, strict=True):
            row.set_neighbors(neighbors)
            caption.setVisible(bool(neighbors))
            row.setVisible(bool(neighbors))
        for toggle, neighbors in zip(self._toggles.values(), found, strict=True):
            toggle.setVisible(bool(neighbors))

    def set_reach_shown(self, shown: str, other: str) -> None:
        """Set the direction that the maps show, and the name of the cell if it is not this one."""
        for direction, toggle in self._toggles.items():
            toggle.setChecked(direction == shown)
        self._other.setText(other)
        self._other.setVisible(bool(other))

    def links(self) -> tuple[QWidget, ...]:
        """The links and the button, in order."""
        return *(link for row in self._rows for link in row.links), *self._toggles.values()

    def retranslate(self) -> None:
        """All words in the present language."""
        self._captions[0].setText(self.tr("Comes from"))
        self._captions[1].setText(self.tr("Reaches"))
        self._toggles[BACKWARD].setText(self.tr("Show its origin"))
        self._toggles[FORWARD].setText(self.tr("Show its reach"))
        set_tip(self._toggles[BACKWARD], self.tr("Show in tables and maps all that this cell is computed from"))
        set_tip(self._toggles[FORWARD], self.tr("Show in tables and maps all that is computed from this cell"))

    def _toggle(self, direction: str, name: str) -> QPushButton:
        button = QPushButton(self)
        button.setObjectName(name)
        button.setCheckable(True)
        button.clicked.connect(lambda shown: self.reachPicked.emit(direction if shown else ""))
        return button
