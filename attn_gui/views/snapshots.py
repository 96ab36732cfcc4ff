"""The list of snapshots (states that were kept) and its buttons: rows, marks, keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.matrix_model import Index
from attn_gui.figure.design_tokens import RADIUS, SPACING
from attn_gui.views.history_list import CollapsibleHeader, StepList, row_height
from attn_gui.views.text_views import LINE_OF_TEXT
from attn_gui.views.theme import current_theme, ui_font
from attn_gui.views.widgets import MenuZone, arrange, paint_focus_ring, paint_rounded, plain_tip
from attn_gui.views.zones import handing_on

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
