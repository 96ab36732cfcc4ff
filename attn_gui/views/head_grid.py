"""The grid of a model's heads, layers down and heads across, as it is painted and chosen from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index, ShapedModel
from attn_gui.figure.colors import LUT_SIZE, ColorScale, lut, value_text_color
from attn_gui.views.theme import current_theme, scaled, theme_signal, ui_font
from attn_gui.views.widgets import Retranslated

PICTURES = ""
"""The key of the choice that shows small maps in place of numbers."""
PICTURE_ROLE = Qt.ItemDataRole.UserRole
SHARE_ROLE = Qt.ItemDataRole.UserRole + 1  # of the largest number that there can be; None for a picture
CHANGED_ROLE = Qt.ItemDataRole.UserRole + 2
STALE_ROLE = Qt.ItemDataRole.UserRole + 3  # whether what is shown is of the state before


class HeadPlace(NamedTuple):
    """A head of a layer, both counted from 0."""

    layer: int
    head: int


class HeadNumber(NamedTuple):
    """A reading of a head as it is written and in full, and which share of the largest possible one it is."""

    text: str
    value: float
    share: float


class HeadModel(ShapedModel):
    """Shows a picture for each head, or a number where a reading is chosen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures: Mapping[HeadPlace, QImage] = {}
        self._numbers: dict[HeadPlace, HeadNumber] = {}
        self._title = ""  # of the reading
        self._changed: frozenset[HeadPlace] = frozenset()
        self._stale = False

    def set_shape(self, layers: int, heads: int) -> None:
        """Begin with another model, of whose heads nothing is known yet."""
        self.beginResetModel()
        self._shape, self._pictures, self._numbers = (layers, heads), {}, {}
        self._changed = frozenset()
        self.endResetModel()

    def set_pictures(self, pictures: Mapping[HeadPlace, QImage]) -> None:
        """Set a picture for each head; nobody changes them."""
        if pictures is not self._pictures:
            self._pictures = pictures
            self._emit_all_changed()

    def set_numbers(self, title: str, numbers: Mapping[HeadPlace, HeadNumber]) -> None:
        """Set a number for each head, with the name of what it is; none for pictures."""
        if (title, numbers) != (self._title, self._numbers):
            self._title, self._numbers = title, dict(numbers)
            self._emit_all_changed()

    def set_stale(self, stale: bool) -> None:
        """Set whether everything shown belongs to the previous state, while the present one is computed."""
        if stale != self._stale:
            self._stale = stale
            self._emit_all_changed()

    def set_changed(self, places: Collection[HeadPlace]) -> None:
        """Mark heads that are changed by hand."""
        if places != self._changed:
            self._changed = frozenset(places)
            self._emit_all_changed()

    def numbers(self) -> list[list[float]]:
        """Return the readings, a row a layer; empty where pictures are shown."""
        layers, heads = self._shape
        known = self._numbers
        return [[known[HeadPlace(i, j)].value for j in range(heads)] for i in range(layers)] if known else []

    def retranslate(self) -> None:
        """Set headers and tips in the present language."""
        self._emit_all_changed()
        for way, count in ((Qt.Orientation.Vertical, self._shape[0]), (Qt.Orientation.Horizontal, self._shape[1])):
            if count:
                self.headerDataChanged.emit(way, 0, count - 1)

    def _emit_all_changed(self) -> None:
        layers, heads = self._shape
        if layers and heads:
            self.dataChanged.emit(self.index(0, 0), self.index(layers - 1, heads - 1))

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return str(section)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words = self.tr("Layer {place}") if way == Qt.Orientation.Vertical else self.tr("Head {place}")
            return words.format(place=section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        place = HeadPlace(index.row(), index.column())
        number = self._numbers.get(place)
        if role == Qt.ItemDataRole.DisplayRole:
            return number.text if number else ""
        if role == PICTURE_ROLE:
            return None if number else self._pictures.get(place)
        if role == SHARE_ROLE:
            return number.share if number else None
        if role == STALE_ROLE:
            return self._stale
        if role == CHANGED_ROLE:
            return place in self._changed
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(place)
        return None

    def _words(self, place: HeadPlace) -> str:
        said = self.tr("Layer {layer}, head {head}").format(layer=place.layer, head=place.head)
        number = self._numbers.get(place)
        if number:
            said = self.tr("{head}: {reading} {value}").format(head=said, reading=self._title, value=number.text)
        return self.tr("{head}, changed by hand").format(head=said) if place in self._changed else said


INSET, RING, CORNER = 3, 2, 8
STALE = 0.35
"""Opacity of what is of the state before."""


class HeadDelegate(QStyledItemDelegate):
    """Paints a head: its small map or number, a ring round the chosen one, a dashed ring where the keyboard is."""

    chosen: tuple[int, int] | None = None  # layer, head

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setOpacity(STALE if index.data(STALE_ROLE) else 1.0)
        place = option.rect.adjusted(scaled(INSET), scaled(INSET), -scaled(INSET), -scaled(INSET))
        self._paint_content(painter, place, index)
        if index.data(CHANGED_ROLE):
            side, at = scaled(CORNER), place.topRight()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current_theme().edit)
            painter.drawPolygon([at - QPoint(side, 0), at, at + QPoint(0, side)])
        painter.setOpacity(1.0)
        chosen = (index.row(), index.column()) == self.chosen
        if chosen or option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            line = Qt.PenStyle.SolidLine if chosen else Qt.PenStyle.DashLine
            painter.setPen(QPen(current_theme().accent, scaled(RING), line))
            painter.drawRect(place.adjusted(-1, -1, 0, 0))
        painter.restore()

    def _paint_content(self, painter: QPainter, place: QRect, index: Index) -> None:
        theme, picture, share = current_theme(), index.data(PICTURE_ROLE), index.data(SHARE_ROLE)
        if isinstance(picture, QImage):
            painter.drawImage(place, picture)
        elif isinstance(share, float):
            color = int(
                lut(ColorScale().palette_for(signed=False), theme.name)[
                    round(min(max(share, 0.0), 1.0) * (LUT_SIZE - 1))
                ]
            )
            painter.fillRect(place, QColor.fromRgb(color))
            painter.setPen(value_text_color(color))
            painter.setFont(ui_font("micro", tabular=True))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(index.data()))
        else:
            painter.fillRect(place, theme.sunken)
        painter.setPen(theme.line)
        painter.drawRect(place.adjusted(0, 0, -1, -1))


SMALLEST, LARGEST = 26, 112  # logical pixels: least and largest side of the square of a head
READABLE = 44  # logical pixels: least height of a layer; where there is less room, layers scroll


class HeadGrid(Retranslated, QTableView):
    """Grid of a model's heads, layers down and heads across; `headAsked` at a click or Enter."""

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
        self.clicked.connect(self._ask)
        self.activated.connect(self._ask)
        self.heads.modelReset.connect(self._fit)
        theme_signal.changed.connect(self._fit)
        self.retranslate()

    def set_chosen(self, place: HeadPlace) -> None:
        """Mark the head that is on the table, and bring it into view."""
        index, self._delegate.chosen = self.heads.index(*place), place
        self.viewport().update()
        if index.isValid() and index != self.currentIndex():
            with QSignalBlocker(self.selectionModel()):
                self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(index)

    def copied(self) -> CopiedCells | None:
        """Return the reading of every head; None where pictures are shown."""
        numbers = [[np.float64(value) for value in row] for row in self.heads.numbers()]
        return CopiedCells((len(numbers), len(numbers[0])), lambda: numbers) if numbers else None

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Heads of the model"))
        self.setToolTip(self.tr("Layers down, heads across: a click puts the layer on the table"))
        self.heads.retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _ask(self, index: QModelIndex) -> None:
        self.headAsked.emit(index.row(), index.column())

    def _fit(self, *_: object) -> None:
        """Make the cells squares, as large as width and height allow."""
        layers, heads = self.heads.rowCount(), self.heads.columnCount()
        if not layers or not heads:
            return
        room = self.maximumViewportSize()
        across, down = room.width() // heads, max(room.height() // layers, scaled(READABLE))
        side = min(max(min(across, down), scaled(SMALLEST)), scaled(LARGEST))
        self.horizontalHeader().setDefaultSectionSize(side)
        self.verticalHeader().setDefaultSectionSize(side)
