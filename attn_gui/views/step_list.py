"""The list of steps, each a dot on a line and its words; as high as its steps, up to four."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from attn_gui.document.clipboard import Copied
from attn_gui.document.matrix_model import Index
from attn_gui.figure.tokens import RADIUS, SIZE, SPACING
from attn_gui.views.history.history_model import STATE_ROLE, TELL_ROLE
from attn_gui.views.inspector.links import LINE_OF_TEXT, paint_focus_ring
from attn_gui.views.theme import current_theme, scaled, ui_font

ROWS_SHOWN = 4
ELIDE = Qt.TextElideMode.ElideRight


class StepDelegate(QStyledItemDelegate):
    """Paints a step: a dot on a line and its words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, state = current_theme(), index.data(STATE_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect
        if state == 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent_soft)
            painter.drawRoundedRect(rect, RADIUS.control, RADIUS.control)
        self._paint_dot(painter, rect, index)
        self._paint_words(painter, rect, index)
        if option.state & QStyle.StateFlag.State_HasFocus:
            paint_focus_ring(painter, rect)
        painter.restore()

    def _paint_dot(self, painter: QPainter, rect: QRect, index: Index) -> None:
        theme, state = current_theme(), index.data(STATE_ROLE)
        radius = rect.height() / 5
        middle = QPointF(rect.left() + SPACING.m, rect.center().y() + 0.5)
        painter.setPen(QPen(theme.accent if state == 0 else theme.line_strong, 1.3))
        if index.row() > 0:
            painter.drawLine(QPointF(middle.x(), rect.top()), middle - QPointF(0, radius))
        if index.row() < index.model().rowCount() - 1:
            painter.drawLine(middle + QPointF(0, radius), QPointF(middle.x(), rect.bottom() + 1))
        painter.setBrush(theme.accent if state == 0 else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(middle, radius - 0.6, radius - 0.6)

    def _paint_words(self, painter: QPainter, rect: QRect, index: Index) -> None:
        theme, state = current_theme(), index.data(STATE_ROLE)
        room = rect.adjusted(SPACING.m + SPACING.l, 0, -SPACING.s, 0)
        room = self._paint_told(painter, room, str(index.data(TELL_ROLE) or ""))
        painter.setFont(ui_font("body", weight=500 if state == 0 else 400))
        painter.setPen(theme.text if state == 0 else theme.text3 if state > 0 else theme.text2)
        words = painter.fontMetrics().elidedText(index.data(), ELIDE, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, words)

    def _paint_told(self, painter: QPainter, room: QRect, told: str) -> QRect:
        """Paint by how much the step moved the chosen cell, at the right; the room that is left."""
        if not told:
            return room
        painter.setFont(ui_font("small", tabular=True))
        painter.setPen(current_theme().edit)
        width = min(painter.fontMetrics().horizontalAdvance(told) + 1, room.width() // 2)
        at = QRect(room.right() - width, room.top(), width, room.height())
        painter.drawText(at, LINE_OF_TEXT, painter.fontMetrics().elidedText(told, ELIDE, width))
        return room.adjusted(0, 0, -width - SPACING.s, 0)


class StepList(QListView):
    """The rows; as high as its steps, up to four."""

    BESIDE = TELL_ROLE  # what stands at the right of a row

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformItemSizes(True)
        self.setStyleSheet("QListView { border: none; background: transparent; }")  # no box in the panel

    def sizeHint(self) -> QSize:
        rows = min(self.model().rowCount(), ROWS_SHOWN) if self.model() else 1
        return QSize(120, rows * row_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def copied(self) -> Copied:
        """Every row, the first one on top, with what stands beside any of them."""
        model = self.model()
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        lines = [[str(row.data()), str(row.data(self.BESIDE) or "")] for row in rows]
        width = 2 if any(beside for _words, beside in lines) else 1
        return Copied((len(lines), width), lambda: [line[:width] for line in lines])


def row_height() -> int:
    """The height of a step: the look's row, or more where the font asks for it."""
    return max(scaled(SIZE.table_row), QFontMetrics(ui_font("body")).height() + SPACING.s)
