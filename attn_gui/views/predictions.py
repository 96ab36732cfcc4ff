"""List of a prediction with its model: the likeliest tokens, their probabilities now and before, numbers and bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index
from attn_gui.figure.pages.model import share_text
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.models.attribution import LikelyToken
from attn_gui.views.head_grid import STALE
from attn_gui.views.theme import current_theme, scaled, style_text, theme_signal
from attn_gui.views.widgets import Retranslated, plain_tip

SHARE_ROLE = Qt.ItemDataRole.UserRole
TOKEN, NOW, BEFORE = range(3)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PredictionModel(QAbstractTableModel):
    """A row a token, the likeliest first; without anything changed there is no column for before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[LikelyToken, ...] = ()
        self._two = False

    def set_rows(self, rows: Sequence[LikelyToken], *, two: bool) -> None:
        """Show these; `two` with what was before."""
        self.beginResetModel()
        self._rows, self._two = tuple(rows), two
        self.endResetModel()

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
            return plain_tip(self._words(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._words(row)
        return None

    def _words(self, row: LikelyToken) -> str:
        numbers = {"token": visible_text(row.text), "now": share_text(row.now)}
        if not self._two:
            return self.tr("{token}: probability {now}").format(**numbers)
        return self.tr("{token}: probability {now}, before {before}").format(**numbers, before=share_text(row.before))


BAR, FAINT = 3, 0.5
ROW = 22


class BarDelegate(QStyledItemDelegate):
    """Draws a bar below the number of a probability: what is now in the accent, what was before fainter.

    All of it is faint while it is `stale`: of a state that is gone.
    """

    stale = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setOpacity(STALE if self.stale else 1.0)
        self._paint(painter, option, index)
        painter.restore()

    def _paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        if isinstance(share, float) and share > 0:
            theme, place, high = current_theme(), QRectF(option.rect), scaled(BAR)
            color = theme.accent if index.column() == NOW else theme.line_strong
            margin = scaled(BAR)
            width = (place.width() - 2 * margin) * min(share, 1.0)
            painter.fillRect(QRectF(place.left() + margin, place.bottom() - high, width, high), color)


class PredictionList(Retranslated, QTableView):
    """Table of the likeliest next tokens with their probabilities; nothing in it can be edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.predictions")
        self.rows = PredictionModel(self)
        self.setModel(self.rows)
        self._bars = BarDelegate(self)
        self.setItemDelegate(self._bars)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        style_text(self, "small")
        theme_signal.changed.connect(self._fit_rows)
        self._fit_rows()
        self.retranslate()

    def set_stale(self, stale: bool) -> None:
        """Set whether the tokens are out of date, because new ones are being computed."""
        self._bars.stale = stale
        self.viewport().update()

    def token(self, row: int) -> str:
        """Return the token of a row as it is written."""
        return str(self.rows.index(row, TOKEN).data())

    def copied(self) -> CopiedCells | None:
        """Return every token, with its probabilities in full."""
        model = self.rows
        heads = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(NOW, model.columnCount())]
        rows = range(model.rowCount())
        shares = [[np.float64(model.index(row, NOW + k).data(SHARE_ROLE)) for k in range(len(heads))] for row in rows]
        return (
            CopiedCells((len(rows), len(heads)), lambda: shares, list(map(self.token, rows)), heads) if rows else None
        )

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Predicted tokens"))
        self.setToolTip(self.tr("The likeliest tokens with their probabilities: softmax of the logits"))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(self.rows.columnCount() - 1, 0))

    def _fit_rows(self, *_: object) -> None:
        """Make rows as high as the present zoom asks."""
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))
