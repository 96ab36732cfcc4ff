"""The list of snapshots, each a name and what is noted about it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from attn_gui.document.matrix_model import Index
from attn_gui.figure.tokens import RADIUS, SPACING
from attn_gui.views.history.snapshot_model import BY_ITSELF_ROLE, COMPARED_ROLE, NOTE_ROLE
from attn_gui.views.history.step_list import StepList, row_height
from attn_gui.views.inspector.links import LINE_OF_TEXT, paint_focus_ring
from attn_gui.views.theme import current_theme, ui_font

BAR = 3  # width of the mark of the one that is compared with
MARK = {True: "↶", False: ""}
"""Before the name of one that was kept by itself."""


class SnapshotDelegate(QStyledItemDelegate):
    """Paints a snapshot: its name, and its note in small letters behind it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent_soft)
            painter.drawRoundedRect(option.rect, RADIUS.control, RADIUS.control)
        if index.data(COMPARED_ROLE):
            painter.fillRect(
                QRect(option.rect.left(), option.rect.top() + 3, 3, option.rect.height() - 6), theme.accent
            )
        self._paint_words(painter, option.rect.adjusted(SPACING.m, 0, -SPACING.s, 0), index)
        if option.state & QStyle.StateFlag.State_HasFocus:
            paint_focus_ring(painter, option.rect)
        painter.restore()

    def _paint_words(self, painter: QPainter, room: QRect, index: Index) -> None:
        theme = current_theme()
        elide = Qt.TextElideMode.ElideRight
        name = " ".join(filter(None, (MARK[bool(index.data(BY_ITSELF_ROLE))], str(index.data()))))
        painter.setFont(ui_font("body"))
        painter.setPen(theme.text2 if index.data(BY_ITSELF_ROLE) else theme.text)
        painter.drawText(room, LINE_OF_TEXT, painter.fontMetrics().elidedText(name, elide, room.width()))
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(name) + SPACING.m)
        note = " ".join(str(index.data(NOTE_ROLE)).split())
        if note and room.width() > row_height():
            painter.setFont(ui_font("small"))
            painter.setPen(theme.text3)
            painter.drawText(room, LINE_OF_TEXT, painter.fontMetrics().elidedText(note, elide, room.width()))


class SnapshotList(StepList):
    """The rows; as high as there are snapshots, up to four."""

    BESIDE = NOTE_ROLE

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setItemDelegate(SnapshotDelegate(self))
