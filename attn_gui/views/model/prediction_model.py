"""Model of a prediction: the likeliest tokens, with their probabilities now and before."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from attn_gui.document.matrix_model import Index
from attn_gui.figure.pages.model import share_text
from attn_gui.formats.visible_text import visible_text
from attn_gui.models.attribution import Likely
from attn_gui.views.words.tip import plain_tip

SHARE_ROLE = Qt.ItemDataRole.UserRole
TOKEN, NOW, BEFORE = range(3)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PredictionModel(QAbstractTableModel):
    """A row a token, the likeliest first; without anything changed there is no column for before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Likely, ...] = ()
        self._two = False

    def set_rows(self, rows: Sequence[Likely], *, two: bool) -> None:
        """Show these; `two` with what was before."""
        self.beginResetModel()
        self._rows, self._two = tuple(rows), two
        self.endResetModel()

    # --- what Qt asks ----------------------------------------------------------------------------
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else BEFORE + self._two

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if way == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section != TOKEN:
            return int(RIGHT)
        if role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Token"), self.tr("Now"), self.tr("Before"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        share = (None, row.now, row.before)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return visible_text(row.text) if share is None else share_text(share)
        if role == Qt.ItemDataRole.TextAlignmentRole and share is not None:
            return int(RIGHT)
        if role == SHARE_ROLE:
            return share
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._told(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._told(row)
        return None

    def _told(self, row: Likely) -> str:
        numbers = {"token": visible_text(row.text), "now": share_text(row.now)}
        if not self._two:
            return self.tr("{token}: probability {now}").format(**numbers)
        return self.tr("{token}: probability {now}, before {before}").format(**numbers, before=share_text(row.before))
