"""A map as a table of rows, columns and cells for screen readers, to which a painted widget has no parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QTableView

from attn_gui.views.map.cell_words import value_in_words

if TYPE_CHECKING:
    from attn_gui.views.map.heatmap import Heatmap

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class AccessibleTable(QTableView):
    """Lies over a map, draws nothing and takes neither mouse nor focus: Qt tells assistive programs of its cells.

    Python cannot implement QAccessibleTableInterface, which QTableView has. It is made where such a program runs.
    """

    def __init__(self, heatmap: Heatmap) -> None:
        super().__init__(heatmap)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setStyleSheet("background: transparent; border: none")  # over that of the program, which fills tables
        self.horizontalHeader().hide()  # assistive programs read their texts all the same
        self.verticalHeader().hide()
        for bars in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bars(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setModel(MapModel(heatmap))
        self.setAccessibleName(heatmap.accessibleName())
        self.setGeometry(heatmap.rect())
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The map below is what is seen."""


class MapModel(QAbstractTableModel):
    """The numbers that a map shows, under its names of rows and columns."""

    def __init__(self, heatmap: Heatmap) -> None:
        super().__init__(heatmap)
        self._heatmap, self._shape = heatmap, heatmap.shape
        heatmap.drawing.reshaped.connect(self._on_reshaped)

    def _on_reshaped(self) -> None:
        self.beginResetModel()
        self._shape = self._heatmap.shape
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._shape[0]

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._shape[1]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) or not index.isValid():
            return None
        if self._heatmap.shape != self._shape:
            return None
        return value_in_words(self._heatmap.shown, index.row(), index.column(), self._heatmap.overlay.marks)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        shown = self._heatmap.shown
        names = shown.row_names if orientation == Qt.Orientation.Vertical else shown.column_names
        return names[section] if section < len(names) else str(section)
