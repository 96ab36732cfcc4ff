"""The model of the snapshots of a document: their names, with the notes beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt

from attn_gui.document.matrix_model import Index
from attn_gui.views.words.tip import plain_tip

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

    def __init__(self, parent: QAbstractListModel | None = None) -> None:
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
        told = {
            Qt.ItemDataRole.DisplayRole: row.name,
            Qt.ItemDataRole.ToolTipRole: plain_tip(self._told(row)),
            Qt.ItemDataRole.AccessibleTextRole: self._told(row).replace("\n", ". "),
            NOTE_ROLE: row.note,
            BY_ITSELF_ROLE: row.by_itself,
            COMPARED_ROLE: row.compared,
        }
        return told.get(role)

    def _told(self, row: SnapshotRow) -> str:
        """All that is known of one, line by line."""
        kept = self.tr("Kept by itself: undo and another edit would have lost it") if row.by_itself else ""
        compared = self.tr("Compared with the present state") if row.compared else ""
        return "\n".join(filter(None, (row.name, row.note, kept, compared)))
