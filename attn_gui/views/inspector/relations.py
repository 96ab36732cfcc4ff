"""Comes from and reaches: the neighbors of a cell, one hop back and one hop on, as names that are links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from attn_gui.engine.explanation import Cell, Explanation
from attn_gui.engine.indices import Box
from attn_gui.figure.tokens import SPACING
from attn_gui.views.inspector.context import cell_name, number
from attn_gui.views.inspector.links import FlowLayout, Link
from attn_gui.views.theme import dress

RUNNING = "·"


@dataclass(frozen=True)
class Neighbor:
    """What a link says and the cell that it leads to."""

    text: str
    name: str
    index: tuple[int, ...]


class LinkRow(QWidget):
    """Neighbors as links, in rows that wrap."""

    cellRequested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.links: list[Link] = []
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
        for link, neighbor in zip(self.links, neighbors, strict=True):
            link.set_words(neighbor.text)
            link.setProperty("neighbor", neighbor)

    def _on_link_clicked(self) -> None:
        neighbor = self.sender().property("neighbor")
        self.cellRequested.emit(neighbor.name, neighbor.index)


class Relations(QWidget):
    """Two rows of links."""

    cellRequested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._captions = (QLabel(self), QLabel(self))
        self._rows = (LinkRow(self), LinkRow(self))
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
        self.retranslate()

    def set_explanation(self, explanation: Explanation) -> None:
        """The neighbors of a cell."""
        found = (sources(explanation), reaches(explanation))
        for caption, row, neighbors in zip(self._captions, self._rows, found, strict=True):
            row.set_neighbors(neighbors)
            caption.setVisible(bool(neighbors))
            row.setVisible(bool(neighbors))

    def links(self) -> tuple[Link, ...]:
        """The links in order."""
        return tuple(link for row in self._rows for link in row.links)

    def retranslate(self) -> None:
        """Captions in the present language."""
        self._captions[0].setText(self.tr("Comes from"))
        self._captions[1].setText(self.tr("Reaches"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


def sources(explanation: Explanation) -> tuple[Neighbor, ...]:
    """One link a matrix: its cell with the value, or its row or column with a dot where the index runs."""
    cells = sorted(explanation.sources, key=lambda cell: [c.name for c in explanation.sources].index(cell.name))
    return tuple(_source(list(group), explanation) for _, group in groupby(cells, key=lambda cell: cell.name))


def reaches(explanation: Explanation) -> tuple[Neighbor, ...]:
    """One link a box of the next hop: `O[10, 0 … 31]`."""
    return tuple(_reached(stage, box) for stage, box in explanation.reaches)


def _source(cells: list[Cell], explanation: Explanation) -> Neighbor:
    own = next((cell for cell in cells if explanation.stage == "weights" and cell.index == explanation.index), None)
    if len(cells) == 1 or own is not None:  # a softmax reads its whole row; its own score says most
        cell = own or cells[0]
        text = f"{cell_name(cell.name, cell.index)} = {number(cell.value, 3)}"
        if explanation.stage == "concat":  # whichever head is on show, this one comes from one of them
            text = QCoreApplication.translate("Relations", "{cell}, head {head}").format(cell=text, head=cell.index[1])
        return Neighbor(text, cell.name, cell.index)
    axes = zip(*(cell.index for cell in cells), strict=True)
    return Neighbor(cell_name(cells[0].name, [_one_or_dot(axis) for axis in axes]), cells[0].name, cells[0].index)


def _one_or_dot(places: Iterable[int]) -> object:
    distinct = set(places)
    return distinct.pop() if len(distinct) == 1 else RUNNING


def _reached(stage: str, box: Box) -> Neighbor:
    places = [str(cut.start) if cut.stop - cut.start == 1 else f"{cut.start} … {cut.stop - 1}" for cut in box]
    return Neighbor(cell_name(stage, places), stage, tuple(cut.start for cut in box))
