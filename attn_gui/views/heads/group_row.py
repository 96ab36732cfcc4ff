"""The thumbnails in a row; heads that share a K/V head stand together over a line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.heads.thumb import HeadThumb
from attn_gui.views.inspector.links import take_widgets
from attn_gui.views.theme import current_theme, scaled

GROUP_GAP = 16


class GroupRow(QWidget):
    """Lays thumbnails out and draws the lines of their groups."""

    headPicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._thumbs: tuple[HeadThumb, ...] = ()
        self._group, self._gap = 1, SPACING.xs
        self._layout = QHBoxLayout(self)
        self._layout.setSpacing(0)
        self._layout.setContentsMargins(0, 0, 0, 0)

    def set_thumbs(self, thumbs: Sequence[HeadThumb], group: int) -> None:
        """The thumbnails in order; `group` of them share a K/V head."""
        self._thumbs, self._group = tuple(thumbs), group
        take_widgets(self._layout)
        for position, thumb in enumerate(thumbs):
            if self.grouped() and position and position % group == 0:
                self._layout.addSpacing(scaled(GROUP_GAP))
            elif position:
                self._layout.addSpacing(self._gap)
            self._layout.addWidget(thumb, 0, Qt.AlignmentFlag.AlignTop)
        self._layout.addStretch(1)
        self._layout.setContentsMargins(0, 0, 0, SPACING.s if self.grouped() else 0)

    def set_compact(self, compact: bool) -> None:
        """Closer together."""
        self._gap = 0 if compact else SPACING.xs
        self.set_thumbs(self._thumbs, self._group)

    def grouped(self) -> bool:
        """Whether heads share K/V heads."""
        return self._group > 1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right ask for the neighbor of the chosen head, Home and End for the first and last."""
        chosen, last = next((thumb.head for thumb in self._thumbs if thumb.isChecked()), 0), len(self._thumbs) - 1
        wanted = {
            Qt.Key.Key_Left: chosen - 1,
            Qt.Key.Key_Right: chosen + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if wanted is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        elif 0 <= wanted <= last and wanted != chosen:
            self.headPicked.emit(wanted)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.grouped():
            return
        painter = QPainter(self)
        painter.setPen(QPen(current_theme().line_strong, 1))
        for first in range(0, len(self._thumbs), self._group):
            left = self._thumbs[first].geometry()
            right = self._thumbs[min(first + self._group, len(self._thumbs)) - 1].geometry()
            y = left.bottom() + SPACING.s - 0.5
            painter.drawLine(QPointF(left.left() + 4, y), QPointF(right.right() - 4, y))
