"""Grid of links, each with a few quiet words at its right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from attn_gui.document.edits import filled
from attn_gui.figure.tokens import SPACING
from attn_gui.views.inspector.links import Link, clear
from attn_gui.views.theme import dress
from attn_gui.views.words.tip import set_tip

Rows = Sequence[tuple[str, str, str, str]]
"""(key, title, tip, what stands at the right) of every link."""


class LinkGrid(QGridLayout):
    """Links one below the other; `NAME.KEY` is the object name of each."""

    picked = Signal(str)

    def __init__(self, owner: QWidget, name: str) -> None:
        super().__init__()
        self._owner, self._name = owner, name
        self.rows: list[tuple[Link, QLabel]] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setVerticalSpacing(SPACING.s)
        self.setColumnStretch(0, 1)

    def set_rows(self, rows: Rows) -> None:
        """Show these links in the place of others."""
        clear(self)
        self.rows = [self._row(place, *row) for place, row in enumerate(rows)]

    def show_notes(self, width: int) -> None:
        """The words at the right give way where they would cut a title in this width."""
        columns = zip(*self.rows, strict=True)
        needed = sum(max(part.sizeHint().width() for part in column) for column in columns)
        for _link, note in self.rows:
            note.setVisible(needed + self.horizontalSpacing() <= width)

    def _row(self, place: int, key: str, title: str, tip: str, words: str) -> tuple[Link, QLabel]:
        link, note = Link(title, self._owner, size="sentence"), QLabel(words, self._owner)
        link.setObjectName(f"{self._name}.{key}")
        link.clicked.connect(lambda _checked=False: self.picked.emit(key))
        set_tip(link, tip or filled(self.tr("Open {title}, {shape}"), {"title": title, "shape": words}))
        link.setAccessibleDescription(tip)
        note.setTextFormat(Qt.TextFormat.PlainText)
        dress(note, "small", "text3")
        self.addWidget(link, place, 0, Qt.AlignmentFlag.AlignLeft)
        self.addWidget(note, place, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return link, note
