"""Trail of the explained cell: its place, and the cells that led to it as links back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.inspector.links import FlowLayout, Link, clear
from attn_gui.views.theme import dress

LONGEST = 4  # so many places are named: the first one, where the way began, and the last ones


class Trail(QWidget):
    """`A[10, 13] › S′[10, 13]`: the last place is here, the others lead back."""

    placeRequested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._links: list[Link] = []
        self._here: QLabel | None = None
        self._row = FlowLayout(self, gap=SPACING.s)

    def set_places(self, names: Sequence[str]) -> None:
        """The names of the places, the present one last."""
        before, self._names = self._names, tuple(names)
        if len(before) == len(names) and before[:-1] == self._names[:-1]:
            if before != self._names and self._here is not None:
                self._here.setText(names[-1])  # making it again takes longer than all else in the panel
                self.setAccessibleName(" › ".join(names))
            return
        had_focus = any(link.hasFocus() for link in self.links())
        self._links, self._here = [], None
        clear(self._row)
        named = [0, *range(max(1, len(names) - LONGEST + 1), len(names) - 1)] if len(names) > 1 else []
        for previous, position in pairwise([-1, *named]):
            if position - previous > 1:
                self._add_sign("… ›")
            self._links.append(self._link(names[position], position))
            self._add(self._links[-1])
            self._add_sign("›")
        if names:
            self._here = dressed(QLabel(names[-1], self), "sentence", "text", strong=True)
            self._add(self._here)
        self.setAccessibleName(" › ".join(names))
        if had_focus and self._links:
            self._links[-1].setFocus()

    def links(self) -> tuple[Link, ...]:
        """The links back, in order."""
        return tuple(self._links)

    def _link(self, name: str, position: int) -> Link:
        link = Link(parent=self, size="sentence")
        link.set_words(name, tip=self.tr("Back to {cell}").format(cell=name))
        link.clicked.connect(lambda _checked=False: self.placeRequested.emit(position))
        return link

    def _add_sign(self, sign: str) -> None:
        self._add(dressed(QLabel(sign, self), "sentence", "text3"))

    def _add(self, widget: QWidget) -> None:
        self._row.addWidget(widget)
        widget.show()


def dressed(label: QLabel, letters: str, tone: str, *, strong: bool = False) -> QLabel:
    """The label in a size and color of the look."""
    dress(label, letters, tone, strong=strong)
    return label
