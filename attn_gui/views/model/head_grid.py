"""Grid of a model's heads: layers down, heads across, as large as the space allows."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.model.head_delegate import HeadDelegate
from attn_gui.views.model.head_model import HeadModel, HeadPlace
from attn_gui.views.theme import scaled, theme_signal

SMALLEST, READABLE, LARGEST = 26, 44, 112
"""Sides of a head, in logical pixels: rather than below the second, layers scroll; heads down to the first."""


class HeadGrid(Retranslated, QTableView):
    """A click or Enter asks for a head; the arrows lead from one to the next."""

    headAsked = Signal(int, int)  # layer, head

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model")
        self.heads = HeadModel(self)
        self.setModel(self.heads)
        self._delegate = HeadDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(1)
            header.setSectionsClickable(False)
            header.setHighlightSections(True)
        self.clicked.connect(self._ask)
        self.activated.connect(self._ask)
        self.heads.modelReset.connect(self._fit)
        theme_signal.changed.connect(self._fit)
        self.retranslate()

    # --- silent setters --------------------------------------------------------------------------
    def set_chosen(self, place: HeadPlace) -> None:
        """Mark the head that is on the table, and bring it into view."""
        index, self._delegate.chosen = self.heads.index(*place), place
        self.viewport().update()
        if index.isValid() and index != self.currentIndex():
            with QSignalBlocker(self.selectionModel()):
                self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(index)

    def copied(self) -> Copied | None:
        """The reading of every head; None where pictures are shown."""
        numbers = [[np.float64(value) for value in row] for row in self.heads.numbers()]
        return Copied((len(numbers), len(numbers[0])), lambda: numbers) if numbers else None

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Heads of the model"))
        self.setToolTip(self.tr("Layers down, heads across: a click puts the layer on the table"))
        self.heads.retranslate()

    # --- what Qt asks ----------------------------------------------------------------------------
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # --- inside ----------------------------------------------------------------------------------
    def _ask(self, index: QModelIndex) -> None:
        self.headAsked.emit(index.row(), index.column())

    def _fit(self, *_: object) -> None:
        """Squares, as large as both directions allow."""
        layers, heads = self.heads.rowCount(), self.heads.columnCount()
        if not layers or not heads:
            return
        room = self.maximumViewportSize()
        across, down = room.width() // heads, max(room.height() // layers, scaled(READABLE))
        side = min(max(min(across, down), scaled(SMALLEST)), scaled(LARGEST))
        self.horizontalHeader().setDefaultSectionSize(side)
        self.verticalHeader().setDefaultSectionSize(side)
