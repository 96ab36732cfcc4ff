"""The model of the steps of an undo stack, the first row being how the document began."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, QTimer
from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from attn_gui.document.matrix_model import Index
from attn_gui.views.words.tip import plain_tip

STATE_ROLE = Qt.ItemDataRole.UserRole  # -1 done before, 0 the present step, 1 undone
PAINTED_MS = 20  # after a step the maps are painted first
TELL_ROLE = Qt.ItemDataRole.UserRole + 1  # what a step moved of the chosen cell


class HistoryModel(QAbstractListModel):
    """Row 0 is how the document began, row k the k-th step of the stack.

    A step is listed once the maps have been painted for it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack: QUndoStack | None = None
        self._origin = ""
        self._count, self._present = 1, 0
        self._tells: Mapping[int, tuple[str, str]] = {}
        self._soon = QTimer(self, singleShot=True, interval=PAINTED_MS)
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

    def set_tells(self, tells: Mapping[int, tuple[str, str]]) -> None:
        """Set, by row, the name of the chosen cell and what the step moved of it."""
        if tells != self._tells:
            self._tells = tells
            self.dataChanged.emit(self.index(0), self.index(self._count - 1))

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
        told = self._tells.get(index.row(), ("", ""))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip("\n".join(filter(None, (text, " ".join(filter(None, told))))))
        if role == TELL_ROLE:
            return told[1]
        if role == Qt.ItemDataRole.DisplayRole:
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
