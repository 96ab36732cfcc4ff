"""Model of the heads of a checkpoint: a row a layer, a column a head, each with a small picture and a number."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QImage

from attn_gui.document.matrix_model import Index

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


class HeadModel(QAbstractTableModel):
    """Shows a picture for each head, or a number where a reading is chosen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shape = 0, 0
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
        """A picture for each head; they are not changed by anybody."""
        if pictures is not self._pictures:
            self._pictures = pictures
            self._tell_all()

    def set_numbers(self, title: str, numbers: Mapping[HeadPlace, HeadNumber]) -> None:
        """A number for each head, with the name of what it is; none for pictures."""
        if (title, numbers) != (self._title, self._numbers):
            self._title, self._numbers = title, dict(numbers)
            self._tell_all()

    def set_stale(self, stale: bool) -> None:
        """Whether everything shown belongs to the previous state, while the present one is computed."""
        if stale != self._stale:
            self._stale = stale
            self._tell_all()

    def set_changed(self, places: Collection[HeadPlace]) -> None:
        """Heads that are changed by hand."""
        if places != self._changed:
            self._changed = frozenset(places)
            self._tell_all()

    def numbers(self) -> list[list[float]]:
        """The readings, a row a layer; empty where pictures are shown."""
        layers, heads = self._shape
        known = self._numbers
        return [[known[HeadPlace(i, j)].value for j in range(heads)] for i in range(layers)] if known else []

    def retranslate(self) -> None:
        """Headers and tips in the present language."""
        self._tell_all()
        for way, count in ((Qt.Orientation.Vertical, self._shape[0]), (Qt.Orientation.Horizontal, self._shape[1])):
            if count:
                self.headerDataChanged.emit(way, 0, count - 1)

    def _tell_all(self) -> None:
        layers, heads = self._shape
        if layers and heads:
            self.dataChanged.emit(self.index(0, 0), self.index(layers - 1, heads - 1))

    # --- what Qt asks ----------------------------------------------------------------------------
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else self._shape[0]

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else self._shape[1]

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
            return self._told(place)
        return None

    def _told(self, place: HeadPlace) -> str:
        said = self.tr("Layer {layer}, head {head}").format(layer=place.layer, head=place.head)
        number = self._numbers.get(place)
        if number:
            said = self.tr("{head}: {reading} {value}").format(head=said, reading=self._title, value=number.text)
        return self.tr("{head}, changed by hand").format(head=said) if place in self._changed else said
