"""Painting of one head of the grid: its small map or its number, and marks for the chosen and the changed ones."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from attn_gui.document.matrix_model import Index
from attn_gui.figure.colors import LUT_SIZE, lut, value_text_color
from attn_gui.figure.levels import Shade
from attn_gui.views.model.head_model import CHANGED_ROLE, PICTURE_ROLE, SHARE_ROLE, STALE_ROLE
from attn_gui.views.theme import current_theme, scaled, ui_font

INSET, RING, CORNER = 3, 2, 8
STALE = 0.35
"""Opacity of what is of the state before."""


class HeadDelegate(QStyledItemDelegate):
    """Fills the cell but for a margin: a ring there marks the chosen head, a dashed one where the arrows have led."""

    chosen: tuple[int, int] | None = None  # layer, head

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setOpacity(STALE if index.data(STALE_ROLE) else 1.0)
        place = option.rect.adjusted(scaled(INSET), scaled(INSET), -scaled(INSET), -scaled(INSET))
        self._paint_content(painter, place, index)
        if index.data(CHANGED_ROLE):
            side, at = scaled(CORNER), place.topRight()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current_theme().edit)
            painter.drawPolygon([at - QPoint(side, 0), at, at + QPoint(0, side)])
        painter.setOpacity(1.0)
        chosen = (index.row(), index.column()) == self.chosen
        if chosen or option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            line = Qt.PenStyle.SolidLine if chosen else Qt.PenStyle.DashLine
            painter.setPen(QPen(current_theme().accent, scaled(RING), line))
            painter.drawRect(place.adjusted(-1, -1, 0, 0))
        painter.restore()

    def _paint_content(self, painter: QPainter, place: QRect, index: Index) -> None:
        theme, picture, share = current_theme(), index.data(PICTURE_ROLE), index.data(SHARE_ROLE)
        if isinstance(picture, QImage):
            painter.drawImage(place, picture)
        elif isinstance(share, float):
            color = int(
                lut(Shade().palette_for(signed=False), theme.name)[round(min(max(share, 0.0), 1.0) * (LUT_SIZE - 1))]
            )
            painter.fillRect(place, QColor.fromRgb(color))
            painter.setPen(value_text_color(color))
            painter.setFont(ui_font("micro", tabular=True))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(index.data()))
        else:
            painter.fillRect(place, theme.sunken)
        painter.setPen(theme.line)
        painter.drawRect(place.adjusted(0, 0, -1, -1))
