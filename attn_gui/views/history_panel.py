"""The panel of past steps at the right: its list, “What moved A[3, 2] most”, and the list of snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen, QResizeEvent, QUndoStack
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOption,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index
from attn_gui.figure.design_tokens import RADIUS, SIZE, SPACING, Theme
from attn_gui.views.text_views import LINE_OF_TEXT
from attn_gui.views.theme import current_theme, scaled, style_text, ui_font
from attn_gui.views.widgets import (
    CloseButton,
    KeyboardButton,
    MenuZone,
    Retranslated,
    arrange,
    paint_focus_ring,
    paint_rounded,
    plain_tip,
    set_name,
)
from attn_gui.views.zones import handing_on

# --- past steps -----------------------------------------------------------------------------------
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
        self._paint_dot(painter, rect, index, theme, state)
        self._paint_words(painter, rect, index, theme, state)
        if option.state & QStyle.StateFlag.State_HasFocus:
            paint_focus_ring(painter, rect)
        painter.restore()

    def _paint_dot(self, painter: QPainter, rect: QRect, index: Index, theme: Theme, state: int) -> None:
        radius = rect.height() / 5
        middle = QPointF(rect.left() + SPACING.m, rect.center().y() + 0.5)
        painter.setPen(QPen(theme.accent if state == 0 else theme.line_strong, 1.3))
        if index.row() > 0:
            painter.drawLine(QPointF(middle.x(), rect.top()), middle - QPointF(0, radius))
        if index.row() < index.model().rowCount() - 1:
            painter.drawLine(middle + QPointF(0, radius), QPointF(middle.x(), rect.bottom() + 1))
        painter.setBrush(theme.accent if state == 0 else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(middle, radius - 0.6, radius - 0.6)

    def _paint_words(self, painter: QPainter, rect: QRect, index: Index, theme: Theme, state: int) -> None:
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
        theme = current_theme()
        with QPainter(self) as painter:
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


# --- snapshots ------------------------------------------------------------------------------------
NOTE_ROLE = Qt.ItemDataRole.UserRole
BY_ITSELF_ROLE = Qt.ItemDataRole.UserRole + 1
COMPARED_ROLE = Qt.ItemDataRole.UserRole + 2


class SnapshotRow(NamedTuple):
    """Snapshot in the list: whether it was kept by itself, and whether the document is compared with it."""

    name: str
    note: str = ""
    by_itself: bool = False
    compared: bool = False


class SnapshotModel(QAbstractListModel):
    """A row a snapshot, the oldest first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: tuple[SnapshotRow, ...] = ()

    def set_rows(self, rows: Sequence[SnapshotRow]) -> None:
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        values = {
            Qt.ItemDataRole.DisplayRole: row.name,
            Qt.ItemDataRole.ToolTipRole: plain_tip(self._description(row)),
            Qt.ItemDataRole.AccessibleTextRole: self._description(row).replace("\n", ". "),
            NOTE_ROLE: row.note,
            BY_ITSELF_ROLE: row.by_itself,
            COMPARED_ROLE: row.compared,
        }
        return values.get(role)

    def _description(self, row: SnapshotRow) -> str:
        """Return all that is known of one, line by line."""
        kept = self.tr("Kept by itself: undo and another edit would have lost it") if row.by_itself else ""
        compared = self.tr("Compared with the present state") if row.compared else ""
        return "\n".join(filter(None, (row.name, row.note, kept, compared)))


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
            paint_rounded(painter, option.rect, RADIUS.control, fill=theme.accent_soft)
        if index.data(COMPARED_ROLE):
            painter.fillRect(
                QRect(option.rect.left(), option.rect.top() + 3, BAR, option.rect.height() - 6), theme.accent
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
    """List of the snapshots, as high as its rows, up to four."""

    BESIDE = NOTE_ROLE

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setItemDelegate(SnapshotDelegate(self))


OPEN, COMPARE, NAME, DELETE = "open", "compare", "name", "delete"
BUTTONS = (OPEN, COMPARE, NAME)
KEYS = {Qt.Key.Key_Delete: DELETE, Qt.Key.Key_Backspace: DELETE, Qt.Key.Key_F2: NAME}


class SnapshotsView(MenuZone):
    """The snapshots: a button that takes one, the list, and buttons for what can be done with the chosen one."""

    asked = Signal(str, int)  # OPEN, COMPARE, NAME or DELETE, and the row
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("snapshots")
        self._model = SnapshotModel(self)
        self._title, self.take, self._list = CollapsibleHeader(self), QPushButton(self), SnapshotList(self)
        self._title.setObjectName("snapshots.fold")
        self.take.setObjectName("snapshots.take")
        self._list.setObjectName("snapshots.list")
        self._list.setModel(self._model)
        self._buttons = {what: QPushButton(self) for what in BUTTONS}
        self._by_hand = False  # folded or not as a person wants it, whatever the height
        self._low = False
        self._title.clicked.connect(self._on_title_clicked)
        self._list.activated.connect(lambda index: self.asked.emit(OPEN, index.row()))
        self._list.selectionModel().selectionChanged.connect(self._on_list_selection_changed)
        self._list.installEventFilter(self)
        self._build()
        self.retranslate()
        self._show_parts()

    def set_rows(self, rows: Sequence[SnapshotRow]) -> None:
        """Set the snapshots; the row that was chosen stays, where there is one."""
        more, row = len(rows) > self._model.rowCount(), self.row()
        self._model.set_rows(rows)
        self._list.updateGeometry()
        if more or row >= len(rows):
            row = len(rows) - 1
        self._list.setCurrentIndex(self._model.index(row) if row >= 0 else QModelIndex())
        self._say_present()
        self._show_parts()

    def set_low(self, low: bool) -> None:
        """Fold the list where there is little height, unless a person has unfolded it."""
        self._low = low
        if not self._by_hand and low != self._title.isChecked():
            self._title.setChecked(low)
            self._show_parts()

    def row(self) -> int:
        """Return the chosen row; −1 for none."""
        chosen = self._list.selectedIndexes()
        return chosen[0].row() if chosen else -1

    def reveal(self) -> None:
        """Unfold the list where there is height for it, as when something was put into it."""
        self._title.setChecked(self._title.isChecked() and self._low)
        self._show_parts()

    def retranslate(self) -> None:
        self._title.setText(self.tr("Snapshots"))
        self._title.setAccessibleName(self.tr("Snapshots"))
        self._title.setToolTip(self.tr("Show or fold away the states that were kept"))
        self._say_present()
        words = {
            OPEN: (self.tr("Open"), self.tr("Make the chosen snapshot the present state, as one step")),
            COMPARE: (self.tr("Compare"), self.tr("Show what differs from the chosen snapshot")),
            NAME: (self.tr("Name and note…"), self.tr("Give the chosen snapshot another name, and a note")),
        }
        for what, button in self._buttons.items():
            button.setText(words[what][0])
            button.setToolTip(words[what][1])
        self.take.setText(self.tr("Take snapshot"))
        self.take.setAccessibleName(self.tr("Take snapshot"))
        self.take.setToolTip(self.tr("Keep the present state under a name, in the file, too"))
        self._list.setAccessibleName(self.tr("Snapshots"))
        self._list.setWhatsThis(
            self.tr("States kept under a name: each can be opened, or compared with the present one")
        )

    def _build(self) -> None:
        head = arrange(QHBoxLayout(), (self._title, 1), self.take)
        row = arrange(QHBoxLayout(), *self._buttons.values(), 1, spacing=SPACING.s)
        for what, button in self._buttons.items():
            button.setObjectName(f"snapshots.{what}")
            button.clicked.connect(partial(self._ask, what))
        arrange(QVBoxLayout(self), head, self._list, row, margins=0, spacing=SPACING.s)

    def _say_present(self) -> None:
        """Show the chosen snapshot beside the title, for when the list is folded away."""
        self._title.empty = self._model.rowCount() == 0
        none = self.tr("none yet") if self._title.empty else ""
        self._title.present = str(self._model.index(self.row()).data()) if self.row() >= 0 else none
        self._title.update()

    def _ask(self, what: str) -> None:
        if self.row() >= 0:
            self.asked.emit(what, self.row())

    def _show_parts(self) -> None:
        """Show the list where it is not folded and there is one; its buttons where a row is chosen."""
        shown = not self._title.isChecked() and self._model.rowCount() > 0
        with handing_on(self, partial(self.take.setFocus, Qt.FocusReason.OtherFocusReason)):
            self._list.setVisible(shown)
            for button in self._buttons.values():
                button.setVisible(shown)
                button.setEnabled(self.row() >= 0)

    def _on_title_clicked(self) -> None:
        self._by_hand = True
        self._show_parts()

    def _on_list_selection_changed(self, *_: object) -> None:
        self._say_present()
        self._show_parts()
        self.chosen.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched is self._list:
            what = KEYS.get(Qt.Key(event.key()))
            if what is not None:
                self._ask(what)
                return True
        return super().eventFilter(watched, event)


# --- panel ----------------------------------------------------------------------------------------


class BlameView(Retranslated, QWidget):
    """Which steps of the history moved the chosen cell most, a row for each, with a cross that closes it."""

    stepRequested = Signal(int)  # the row

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("blame")
        self._model = SnapshotModel(self)
        self._title, self._close, self._list = QLabel(self), CloseButton(self), SnapshotList(self)
        self._list.setObjectName("blame.list")
        self._list.setModel(self._model)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        style_text(self._title, "body", "text2")
        self._close.clicked.connect(self.hide)
        self._list.activated.connect(lambda index: self.stepRequested.emit(index.row()))
        self._list.clicked.connect(lambda index: self.stepRequested.emit(index.row()))
        head = arrange(QHBoxLayout(), (self._title, 1), self._close)
        arrange(QVBoxLayout(self), head, self._list, margins=0, spacing=SPACING.xs)
        self.retranslate()
        self.hide()

    def set_ranking(self, cell: str, rows: Sequence[tuple[str, str]]) -> None:
        """Set the name of the cell, and of every step what is said of it and by how much it moved the cell."""
        self._title.setText(self.tr("What moved {cell} most").format(cell=cell))
        self._title.setToolTip(
            self.tr("All other steps done as they were, each step left out alone: {cell} is computed again").format(
                cell=cell
            )
        )
        self._list.setAccessibleName(self._title.text())
        self._model.set_rows([SnapshotRow(*row) for row in rows])
        self._list.updateGeometry()
        self.show()

    def retranslate(self) -> None:
        set_name(self._close, self.tr("Close"))


FOLDED_BELOW = 600  # pixels of the column that it shares with the explanation


class HistoryView(MenuZone):
    """The history: its steps, which fold away in a low column, those to blame for a cell, and the snapshots."""

    stepRequested = Signal(int)  # the index of the undo stack to go to
    listed = Signal()  # the steps are taken anew, once the maps have been painted for the last

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history")
        self.model = HistoryModel(self)
        self._title, self._hint = CollapsibleHeader(self), QLabel(self)
        self._title.setObjectName("history.fold")
        self._by_hand = False  # folded or not as a person wants it, whatever the height
        self._steps, self._shown = StepList(self), QSize()
        self._steps.setObjectName("history.steps")
        self._steps.setModel(self.model)
        self._steps.setItemDelegate(StepDelegate(self._steps))
        self._steps.activated.connect(self._on_steps_activated)
        self._steps.clicked.connect(self._on_steps_activated)
        self.model.modelReset.connect(self._on_model_reset)
        self._title.clicked.connect(self._on_title_clicked)
        self.blame, self.snapshots = BlameView(self), SnapshotsView(self)
        policy = self.snapshots.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.snapshots.setSizePolicy(policy)
        self._build()
        self.retranslate()
        if parent is not None:
            parent.installEventFilter(self)

    def set_parts(self, shown: Set[str]) -> None:
        """Leave out the snapshots, whose room stays, so that the steps stand where they do with them."""
        self.snapshots.setVisible("snapshots" in shown)

    def retranslate(self) -> None:
        """Set the words anew, in the present language; the steps are read again."""
        self._title.setText(self.tr("History"))
        self._title.setAccessibleName(self.tr("History"))
        self._title.setToolTip(self.tr("Show or fold away the steps so far"))
        self._hint.setText(QKeySequence(QKeySequence.StandardKey.Undo).toString(QKeySequence.SequenceFormat.NativeText))
        self._steps.setAccessibleName(self.tr("History"))
        self._steps.setWhatsThis(
            self.tr("Every change so far, the last below: a click goes back to one, or forward again")
        )
        self.model.read()

    def _build(self) -> None:
        head = arrange(QHBoxLayout(), (self._title, 1), self._hint)
        arrange(QVBoxLayout(self), head, self._steps, self.blame, self.snapshots, margins=0, spacing=SPACING.m)
        style_text(self._hint, "small", "text3")

    def _on_title_clicked(self, folded: bool) -> None:
        self._by_hand = True
        self._set_folded(folded)

    def _set_folded(self, folded: bool) -> None:
        self._title.setChecked(folded)
        self._steps.setVisible(not folded)

    def _on_model_reset(self) -> None:
        hint = self._steps.sizeHint()
        if hint != self._shown:  # else the whole window would be laid out after each edit
            self._shown = hint
            self._steps.updateGeometry()
        current = self.model.index(self.model.current_row())
        self._title.present = str(current.data())
        self._title.update()
        self._steps.setCurrentIndex(current)
        self._steps.scrollTo(current)
        self.listed.emit()

    def _on_steps_activated(self, index: QModelIndex) -> None:
        if index.row() != self.model.current_row():
            self.stepRequested.emit(index.row())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and watched is self.parent():
            low = event.size().height() < scaled(FOLDED_BELOW)
            self.snapshots.set_low(low)
            if not self._by_hand:
                self._set_folded(low)
        return super().eventFilter(watched, event)
