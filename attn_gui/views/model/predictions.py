"""List of a prediction: tokens with their probabilities as numbers and bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from attn_gui.document.clipboard import Copied
from attn_gui.document.matrix_model import Index
from attn_gui.models.attribution import Likely
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.model.head_delegate import STALE
from attn_gui.views.model.prediction_model import NOW, SHARE_ROLE, TOKEN, PredictionModel
from attn_gui.views.theme import current_theme, dress, scaled

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
    """Reads from the likeliest token on; nothing in it can be changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.predictions")
        self._rows = PredictionModel(self)
        self.setModel(self._rows)
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
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        dress(self, "small")
        self.retranslate()

    def set_rows(self, rows: Sequence[Likely], *, two: bool) -> None:
        """Show these tokens, with what was before if `two`."""
        self._rows.set_rows(rows, two=two)

    def set_stale(self, stale: bool) -> None:
        """Whether the tokens are those of the state before: those of now are being computed."""
        self._bars.stale = stale
        self.viewport().update()

    def token(self, row: int) -> str:
        """The token of a row as it is written."""
        return str(self._rows.index(row, TOKEN).data())

    def copied(self) -> Copied | None:
        """Every token, with its probabilities in full."""
        model = self._rows
        heads = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(NOW, model.columnCount())]
        rows = range(model.rowCount())
        shares = [[np.float64(model.index(row, NOW + k).data(SHARE_ROLE)) for k in range(len(heads))] for row in rows]
        return Copied((len(rows), len(heads)), lambda: shares, list(map(self.token, rows)), heads) if rows else None

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Predicted tokens"))
        self.setToolTip(self.tr("The likeliest tokens with their probabilities: softmax of the logits"))
        self._rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(self._rows.columnCount() - 1, 0))
