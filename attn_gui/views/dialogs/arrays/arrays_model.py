"""The arrays of a file as rows: name, shape, kind of numbers, and the parts that they are used as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QByteArray, QMimeData, QModelIndex, Qt

from attn_gui.document.matrix_model import Index, field_symbol
from attn_gui.formats.base import Listed
from attn_gui.formats.named.roles import MASK
from attn_gui.formats.named.weight_layouts import FUSED
from attn_gui.views.words.tip import plain_tip

Role = Qt.ItemDataRole
ARRAY_MIME = "application/x-attn-gui-array"
NAME, SHAPE, NUMBERS, PART = range(4)


def part_symbol(role: str) -> str:
    """The letter of a part of a problem; a mask has none of its own before it is a layer."""
    return "M" if role == MASK else ", ".join(map(field_symbol, FUSED.get(role, (role,))))


class ArraysModel(QAbstractTableModel):
    """One row an array; a row that is dragged carries its name."""

    def __init__(self, arrays: Sequence[Listed], parent: Any = None) -> None:
        super().__init__(parent)
        self.arrays = tuple(arrays)
        self._parts: dict[str, str] = {}

    def set_parts(self, names: Mapping[str, str]) -> None:
        """Show which part each array is, from part → name."""
        parts: dict[str, list[str]] = {}
        for role, name in names.items():
            parts.setdefault(name, []).append(part_symbol(role))
        self._parts = {name: ", ".join(found) for name, found in parts.items()}
        if self.arrays:
            self.dataChanged.emit(self.index(0, PART), self.index(len(self.arrays) - 1, PART))

    def retranslate(self) -> None:
        """Headings in the present language."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, PART)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self.arrays)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else PART + 1

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        if not index.isValid():
            return None
        array = self.arrays[index.row()]
        texts = (array.name, " × ".join(map(str, array.shape)) or "1", array.dtype, self._parts.get(array.name, ""))
        if role == Role.DisplayRole:
            return texts[index.column()]
        if role == Role.ToolTipRole:
            return plain_tip(texts[index.column()])
        return ", ".join(filter(None, texts)) if role == Role.AccessibleTextRole and index.column() == NAME else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or role != Role.DisplayRole:
            return None
        return (self.tr("Array"), self.tr("Shape"), self.tr("Numbers"), self.tr("Used as"))[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        return flags if index.isValid() else Qt.ItemFlag.NoItemFlags

    def mimeTypes(self) -> list[str]:
        return [ARRAY_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        if indexes:
            data.setData(ARRAY_MIME, QByteArray(self.arrays[indexes[0].row()].name.encode()))
        return data
