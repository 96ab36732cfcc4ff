"""List of past steps: a step's dot, words and row height, what it moved of the cell, the header that folds the list."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPointF, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QUndoStack
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOption,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index
from attn_gui.figure.design_tokens import RADIUS, SIZE, SPACING
from attn_gui.views.text_views import LINE_OF_TEXT
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.widgets import KeyboardButton, paint_focus_ring, paint_rounded, plain_tip

STATE_ROLE = Qt.ItemDataRole.UserRole  # -1 done before, 0 the present step, 1 undone
PAINTED_MS = 20  # after a step the maps are painted first
MOVE_ROLE = Qt.ItemDataRole.UserRole + 1  # what a step moved of the chosen cell


class HistoryModel(QAbstractListModel):
    """Row 0 is how the document began, row k the k-th step of the stack.

    A step is listed once the maps have been painted for it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack: QUndoStack | None = None
        self._origin = ""
        self._count, self._present = 1, 0
        self._moves: Mapping[int, tuple[str, str]] = {}
        self._soon = QTimer(self, singleShot=True, interval=PAINTED_MS)
        self._soon.timeout.connect(self.read)

    def set_stack(self, stack: QUndoStack | None) -> None:
        """Set the stack whose steps are listed; it is only read."""
        if (before := self._living()) is not None:
            before.indexChanged.disconnect(self._on_stack_index_changed)
        self._stack = stack
        if stack is not None:
            stack.indexChanged.connect(self._on_stack_index_changed)
        self.read()

    def set_origin(self, text: str) -> None:
        """Set the words of the first row: how the document came to be."""
        self._origin = text
        self.read()

    def set_moves(self, moves: Mapping[int, tuple[str, str]]) -> None:
        """Set, by the row of the step, the name of the chosen cell and what the step moved of it."""
        if moves != self._moves:
            self._moves = moves
            self.dataChanged.emit(self.index(0), self.index(self._count - 1))

    def read(self) -> None:
        """Take the steps of the stack again."""
        self._soon.stop()
        stack = self._living()
        self.beginResetModel()
        self._count, self._present = (stack.count() + 1, stack.index()) if stack is not None else (1, 0)
        self.endResetModel()

    def current_row(self) -> int:
        """Return the row of the present step."""
        return self._present

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else self._count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = index.row()
        state = (row > self._present) - (row < self._present)
        if role == STATE_ROLE:
            return state
        move = self._moves.get(row, ("", ""))
        if role == MOVE_ROLE:
            return move[1]
        text = self._text(row)
        if role == Qt.ItemDataRole.AccessibleTextRole and state == 0:
            return self.tr("{step}, the present step").format(step=text)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join(filter(None, (text, " ".join(filter(None, move))))))
        return text if role == Qt.ItemDataRole.DisplayRole else None

    def _on_stack_index_changed(self, _index: int) -> None:
        self._soon.start()

    def _text(self, row: int) -> str:
        stack = self._living()
        return stack.text(row - 1) if row and stack is not None else self._origin

    def _living(self) -> QUndoStack | None:
        """Return the stack, unless it is being deleted with its document: it still says then that it changed."""
        return self._stack if self._stack is not None and isValid(self._stack) else None


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
            paint_rounded(painter, rect, RADIUS.control, fill=theme.accent_soft)
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
        room = self._paint_move(painter, room, str(index.data(MOVE_ROLE) or ""))
        painter.setFont(ui_font("body", weight=500 if state == 0 else 400))
        painter.setPen(theme.text if state == 0 else theme.text3 if state > 0 else theme.text2)
        words = painter.fontMetrics().elidedText(index.data(), ELIDE, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, words)

    def _paint_move(self, painter: QPainter, room: QRect, move: str) -> QRect:
        """Paint by how much the step moved the chosen cell, at the right; the room that is left."""
        if not move:
            return room
        painter.setFont(ui_font("small", tabular=True))
        painter.setPen(current_theme().edit)
        width = min(painter.fontMetrics().horizontalAdvance(move) + 1, room.width() // 2)
        at = QRect(room.right() - width, room.top(), width, room.height())
        painter.drawText(at, LINE_OF_TEXT, painter.fontMetrics().elidedText(move, ELIDE, width))
        return room.adjusted(0, 0, -width - SPACING.s, 0)


class StepList(QListView):
    """List of the steps of the history, as high as its rows, up to four."""

    BESIDE = MOVE_ROLE  # what stands at the right of a row

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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()

    def copied(self) -> CopiedCells:
        """Return every row, the first one on top, with what stands beside any of them."""
        model = self.model()
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        lines = [[str(row.data()), str(row.data(self.BESIDE) or "")] for row in rows]
        width = 2 if any(beside for _words, beside in lines) else 1
        return CopiedCells((len(lines), width), lambda: [line[:width] for line in lines])


def row_height() -> int:
    """Return the height of a step: the look's row, or more where the font asks for it."""
    return max(scaled(SIZE.table_row), QFontMetrics(ui_font("body")).height() + SPACING.s)


ARROW = 16  # room of the arrow before the title


class CollapsibleHeader(KeyboardButton):
    """A title that folds a list away; while it is folded, or empty, the present row's words stand beside the title."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)  # checked: folded
        self.present = ""
        self.empty = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(ui_font("section", 600))
        return QSize(metrics.horizontalAdvance(self.text()) + scaled(ARROW), metrics.height() + SPACING.s)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        arrow = QStyleOption()
        arrow.initFrom(self)
        arrow.rect = QRect(0, 0, scaled(ARROW) - SPACING.s, self.height())
        kinds = QStyle.PrimitiveElement
        kind = kinds.PE_IndicatorArrowRight if self.isChecked() else kinds.PE_IndicatorArrowDown
        self.style().drawPrimitive(kind, arrow, painter, self)
        painter.setFont(ui_font("section", 600))
        painter.setPen(theme.text)
        room = self.rect().adjusted(scaled(ARROW), 0, 0, 0)
        painter.drawText(room, LINE_OF_TEXT, self.text())
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(self.text()) + SPACING.m)
        if self.isChecked() or self.empty:
            painter.setFont(ui_font("body"))
            painter.setPen(theme.text2)
            words = painter.fontMetrics().elidedText(self.present, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, LINE_OF_TEXT, words)
        if self.ring_shown():
            paint_focus_ring(painter, self.rect())
