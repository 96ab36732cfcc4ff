"""A button with a live map in it: the steps of the spine and the heads below the product picture."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.figure.tokens import LINE, RADIUS
from attn_gui.views.bases.keyboard_button import KeyboardButton
from attn_gui.views.map.thumbnail import Thumbnail
from attn_gui.views.theme import current_theme


class MapButton(KeyboardButton):
    """Button over a map: a subclass says where the map lies and writes around it; being chosen is told from outside."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.map = Thumbnail(self)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def copied(self) -> Copied | None:
        """The matrix of the map."""
        return self.map.copied()

    def map_rect(self) -> QRect:
        """The rectangle of the map, its frame included."""
        raise NotImplementedError

    def place_map(self) -> None:
        """Put the map where it belongs."""
        self.map.setGeometry(self.map_rect())

    def paint_ground(self, painter: QPainter) -> None:
        """The chosen one stands on the accent's soft ground in an accent frame."""
        if not self.isChecked():
            return
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.accent, LINE.focus))
        painter.setBrush(theme.accent_soft)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS.frame, RADIUS.frame)

    def paint_focus(self, painter: QPainter) -> None:
        """The ring of the keyboard, outside the map's frame."""
        if self.ring_shown():
            away = LINE.focus_gap + LINE.focus / 2 - 1
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().accent, LINE.focus))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = QRectF(self.map_rect()).adjusted(-away, -away, away, away)
            painter.drawRoundedRect(ring, RADIUS.control, RADIUS.control)

    # --- what Qt asks ----------------------------------------------------------------------------
    def nextCheckState(self) -> None:
        """A click asks to be chosen and does not choose by itself."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_map()
