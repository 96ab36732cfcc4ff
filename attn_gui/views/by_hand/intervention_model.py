"""The model of the interventions: their words, and a switch for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from attn_gui.document.matrix_model import Index
from attn_gui.views.words.tip import plain_tip


class Line(NamedTuple):
    """A change in words, whether it is on (None: it has no switch), and whether it could be done to more heads."""

    text: str
    enabled: bool | None
    spreads: bool


class InterventionModel(QAbstractListModel):
    """Rows of a table, one for each line; a switch is only asked for, and carried out by the owner of the lines."""

    switched = Signal(int, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines: tuple[Line, ...] = ()

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these lines; rows that stay keep the keyboard."""
        before, self.lines = self.lines, tuple(lines)
        if len(before) != len(self.lines):
            self.beginResetModel()
            self.endResetModel()
        elif self.lines:
            self.dataChanged.emit(self.index(0), self.index(len(self.lines) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self.lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        switched = index.isValid() and self.lines[index.row()].enabled is not None
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable if switched else super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.CheckStateRole and line.enabled is not None:
            return Qt.CheckState.Checked if line.enabled else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(line.text)
        return line.text if role == Qt.ItemDataRole.DisplayRole else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.switched.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True
