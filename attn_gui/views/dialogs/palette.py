"""Search actions: type a few letters of what you want to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QAction, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QDialog, QLineEdit, QListView, QVBoxLayout, QWidget


def without_access_key(label: str) -> str:
    """`Open…` of `&Open…`, 打开… of 打开(&O)…: Chinese adds the letter behind the words."""
    return re.sub(r"\(&.\)|&", "", label)


class ActionPalette(QDialog):
    """A line to type in above the list of actions that hold those letters; Enter does the chosen one."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Search actions"))
        self._actions = [action for action in actions if action.isEnabled()]
        self._model = QStandardItemModel(self)
        for action in self._actions:
            text = without_access_key(action.text())
            keys = action.shortcut().toString()
            item = QStandardItem(f"{text}    {keys}" if keys else text)
            item.setEditable(False)
            self._model.appendRow(item)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self._model)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._line, self._list = QLineEdit(self), QListView(self)
        self._line.setPlaceholderText(self.tr("Type what you want to do"))
        self._line.setAccessibleName(self.tr("Search actions"))
        self._list.setAccessibleName(self.tr("Actions found"))
        self._list.setModel(self._found)
        self._list.setUniformItemSizes(True)
        column = QVBoxLayout(self)
        column.addWidget(self._line)
        column.addWidget(self._list)
        self._line.textChanged.connect(self._on_line_text_changed)
        self._line.returnPressed.connect(self._do_chosen)
        self._list.activated.connect(self._do_chosen)
        self._line.installEventFilter(self)
        self.resize(self.fontMetrics().averageCharWidth() * 60, self.fontMetrics().height() * 20)
        self._on_line_text_changed("")

    def _on_line_text_changed(self, text: str) -> None:
        self._found.setFilterFixedString(text)
        self._list.setCurrentIndex(self._found.index(0, 0))

    def _do_chosen(self, _index: QModelIndex | None = None) -> None:
        index = self._found.mapToSource(self._list.currentIndex())
        if index.isValid():
            self.accept()
            self._actions[index.row()].trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move in the list while the letters stay in the line."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            if step:
                row = max(0, min(self._found.rowCount() - 1, self._list.currentIndex().row() + step))
                self._list.setCurrentIndex(self._found.index(row, 0))
                return True
        return super().eventFilter(watched, event)
