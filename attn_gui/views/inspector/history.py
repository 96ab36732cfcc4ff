"""The steps so far as a list: the present one is marked, a click goes to any of them."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeySequence, QPainter, QPaintEvent, QPen, QResizeEvent, QUndoStack
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOption,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from attn_gui.document.copying import Copied
from attn_gui.figure.tokens import RADIUS, SIZE, SPACING
from attn_gui.views.inspector.links import LINE_OF_TEXT, paint_focus_ring
from attn_gui.views.keyboard_button import KeyboardButton
from attn_gui.views.theme import current_theme, dress, scaled, ui_font

Index = QModelIndex | QPersistentModelIndex
ROWS_SHOWN = 4
FOLDED_BELOW = 600  # pixels of the column that it shares with the explanation
ARROW = 16  # room of the arrow before the title
STATE_ROLE = Qt.ItemDataRole.UserRole  # -1 done before, 0 the present step, 1 undone


class HistoryModel(QAbstractListModel):
    """Row 0 is how the document began, row k the k-th step of the stack.

    A step is listed once the maps have been painted for it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack: QUndoStack | None = None
        self._origin = ""
        self._count, self._present = 1, 0
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.read)

    def set_stack(self, stack: QUndoStack | None) -> None:
        if (before := self._living()) is not None:
            before.indexChanged.disconnect(self._on_stack_index_changed)
        self._stack = stack
        if stack is not None:
            stack.indexChanged.connect(self._on_stack_index_changed)
        self.read()

    def set_origin(self, text: str) -> None:
        self._origin = text
        self.read()

    def read(self) -> None:
        """Take the steps of the stack again."""
        self._soon.stop()
        stack = self._living()
        self.beginResetModel()
        self._count, self._present = (stack.count() + 1, stack.index()) if stack is not None else (1, 0)
        self.endResetModel()

    def current_row(self) -> int:
        """The row of the present step."""
        return self._present

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else self._count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        text = self._text(index.row())
        state = (index.row() > self.current_row()) - (index.row() < self.current_row())
        if role == Qt.ItemDataRole.AccessibleTextRole and state == 0:
            return self.tr("{step}, the present step").format(step=text)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return text
        return state if role == STATE_ROLE else None

    def _on_stack_index_changed(self, _index: int) -> None:
        self._soon.start()

    def _text(self, row: int) -> str:
        stack = self._living()
        return stack.text(row - 1) if row and stack is not None else self._origin

    def _living(self) -> QUndoStack | None:
        """The stack, unless it is being deleted with its document: it still says then that it changed."""
        return self._stack if self._stack is not None and isValid(self._stack) else None


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
        painter.setFont(ui_font("body", weight=500 if state == 0 else 400))
        painter.setPen(theme.text if state == 0 else theme.text3 if state > 0 else theme.text2)
        words = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, words)


class StepList(QListView):
    """The rows; as high as its steps, up to four."""

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
        """Every step, the first one on top."""
        model = self.model()
        steps = [[str(model.index(row, 0).data())] for row in range(model.rowCount())]
        return Copied((len(steps), 1), lambda: steps)


class Fold(KeyboardButton):
    """The title with an arrow, and the present step beside it while the steps are folded away."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)  # checked: folded
        self.present = ""
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
        if self.isChecked():
            painter.setFont(ui_font("body"))
            painter.setPen(theme.text2)
            words = painter.fontMetrics().elidedText(self.present, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, LINE_OF_TEXT, words)
        if self.ring_shown():
            paint_focus_ring(painter, self.rect())


class HistoryView(QWidget):
    """Title, the key that undoes, and the steps; in a low column the steps fold away until they are asked for."""

    stepRequested = Signal(int)  # the index of the undo stack to go to

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        self._model = HistoryModel(self)
        self._title, self._hint = Fold(self), QLabel(self)
        self._title.setObjectName("history.fold")
        self._by_hand = False  # folded or not as a person wants it, whatever the height
        self._steps, self._shown = StepList(self), QSize()
        self._steps.setObjectName("history.steps")
        self._steps.setModel(self._model)
        self._steps.setItemDelegate(StepDelegate(self._steps))
        self._steps.activated.connect(self._on_steps_activated)
        self._steps.clicked.connect(self._on_steps_activated)
        self._model.modelReset.connect(self._on_model_reset)
        self._title.clicked.connect(self._on_title_clicked)
        self._build()
        self.retranslate()
        if parent is not None:
            parent.installEventFilter(self)

    def set_stack(self, stack: QUndoStack | None) -> None:
        """The stack whose steps are listed; it is only read."""
        self._model.set_stack(stack)

    def set_origin(self, text: str) -> None:
        """Set the words of the first row: how the document came to be."""
        self._model.set_origin(text)

    def retranslate(self) -> None:
        """Words in the present language; the steps are read again."""
        self._title.setText(self.tr("History"))
        self._title.setAccessibleName(self.tr("History"))
        self._title.setToolTip(self.tr("Show or fold away the steps so far"))
        self._hint.setText(QKeySequence(QKeySequence.StandardKey.Undo).toString(QKeySequence.SequenceFormat.NativeText))
        self._steps.setAccessibleName(self.tr("History"))
        self._model.read()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.m)
        column.addLayout(head)
        column.addWidget(self._steps)
        dress(self._hint, "small", "text3")

    def _on_title_clicked(self, folded: bool) -> None:
        self._by_hand = True
        self._set_folded(folded)

    def _set_folded(self, folded: bool) -> None:
        self._title.setChecked(folded)
        self._steps.setVisible(not folded)

    def _on_model_reset(self) -> None:
        if self._steps.sizeHint() != self._shown:  # else the whole window would be laid out after each edit
            self._shown = self._steps.sizeHint()
            self._steps.updateGeometry()
        current = self._model.index(self._model.current_row())
        self._title.present = str(current.data())
        self._title.update()
        self._steps.setCurrentIndex(current)
        self._steps.scrollTo(current)

    def _on_steps_activated(self, index: QModelIndex) -> None:
        if index.row() != self._model.current_row():
            self.stepRequested.emit(index.row())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and watched is self.parent() and not self._by_hand:
            self._set_folded(event.size().height() < scaled(FOLDED_BELOW))
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._steps.updateGeometry()
        super().changeEvent(event)


def row_height() -> int:
    """The height of a step: the look's row, or more where the font asks for it."""
    return max(scaled(SIZE.table_row), QFontMetrics(ui_font("body")).height() + SPACING.s)
