"""A matrix as a Qt table model: texts, flags, what a typed text becomes, the part of an array for an item and head. It
holds no numbers and changes none."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from attn_gui.document.edits import NO_SWITCH
from attn_gui.document.typed_numbers import NumberError, parse_number, shortest, shown
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.symbols_and_titles import is_named, symbol
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROOT = QModelIndex()
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTER = int(Qt.AlignmentFlag.AlignCenter)
LEFT_OUT = "?"
MOST_WHOLE = 1 << 14  # cells that are looked through at every change for a number that is not whole
SWITCH = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0, "✓": 1.0}

READ_ONLY = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
EDITABLE = READ_ONLY | Qt.ItemFlag.ItemIsEditable

Cuts = tuple[slice, slice]

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


# --- model ----------------------------------------------------------------------------------------
class ShapedModel(QAbstractTableModel):
    """Base of flat tables: `_shape` is their rows and columns, which a view asks for at every cell."""

    _shape = 0, 0

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._shape[0]

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._shape[1]


class Matrix(Protocol):
    """A 2-D array, or an object that gives cells like one."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def item(self, row: int, column: int, /) -> Any: ...
    def __getitem__(self, place: Any, /) -> Any: ...


Read = Callable[[], Matrix | None]


class ShownNumbers(NamedTuple):
    """What a table was last set to show; of the numbers only where they are, since writes are announced."""

    owner: Callable[[], object]  # of the memory, weakly held: another may lie at the same address once it is gone
    layout: tuple[object, ...]
    look: tuple[object, ...]

    def same(self, other: ShownNumbers) -> bool:
        """Return whether another one shows the same numbers in the same way."""
        owner = self.owner()
        return owner is not None and owner is other.owner() and self[1:] == other[1:]


class MatrixModel(ShapedModel):
    """A Qt model of the array that `read` returns at the moment: (rows, columns), or (columns,) as one row.

    It changes nothing itself, but emits what a person wants: `typed(row, column, value)` for a number that differs from
    the cell's, `refused(row, column, sentence)` for text that is none, `renamed(row, text)` for a row header. Roles:
    DisplayRole rounded, EditRole the shortest exact text, ValueRole (UserRole) the number.
    """

    typed = Signal(int, int, float)
    refused = Signal(int, int, str)
    renamed = Signal(int, str)

    ValueRole = Role.UserRole

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read: Read = lambda: None
        self._row_labels: Sequence[str] = ()
        self._editable = self._renamable = False
        self.inverted = False  # True is shown, typed and copied as False: of a mask that is read as blocked
        self.covered = False  # whether a number may be left out for an exercise, and stands there as NaN
        self._decimals, self._scientific = 3, False
        self._whole = False  # every number is a whole one, shown without decimals: 1 and not 1.000
        self._given = ShownNumbers(lambda: None, (), ())

    def set_matrix(
        self,
        read: Read,
        *,
        row_labels: Sequence[str] = (),
        editable: bool = True,
        renamable: bool = False,
    ) -> None:
        """Show another matrix, or the same one after its shape may have changed.

        Resets only if the shape did, and emits nothing where the same is shown already. `read` returns a 1-D or 2-D
        array, or None for nothing; it is called for every cell and must be cheap (`document.reader(field, item)`).
        `row_labels`: tokens, may be shorter than the rows.
        """
        array = read()
        shape = _table_shape(array)
        look = (tuple(row_labels), editable, renamable, self.inverted, self.covered)
        before, self._given = self._given, _given(array, look)
        if shape != self._shape:
            self.beginResetModel()
        same = shape == self._shape
        self._read, self._shape, self._row_labels = read, shape, tuple(row_labels)
        self._editable, self._renamable = editable, renamable
        self._whole = self._is_whole()
        if not same:
            self.endResetModel()
        elif shape[0] and shape[1] and not self._given.same(before):
            self.all_changed()
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, shape[0] - 1)

    def set_decimals(self, decimals: int, scientific: bool = False) -> None:
        """Set the decimals shown, or digits after the first for `scientific`; editing and copying stay exact."""
        if (decimals, scientific) == (self._decimals, self._scientific):
            return
        self._decimals, self._scientific = decimals, scientific
        self.all_changed()

    def all_changed(self) -> None:
        """Announce new numbers of all cells."""
        self.cells_changed(slice(0, self._shape[0]), slice(0, self._shape[1]))

    def cells_changed(self, rows: slice, columns: slice) -> None:
        """Announce new numbers of a rectangle by one signal, cut to the table.

        The rectangle becomes the whole table where its numbers get decimals, or lose them.
        """
        whole = self._is_whole()
        if whole != self._whole:
            self._whole, rows, columns = whole, slice(0, self._shape[0]), slice(0, self._shape[1])
        top, bottom = max(rows.start, 0), min(rows.stop, self._shape[0])
        left, right = max(columns.start, 0), min(columns.stop, self._shape[1])
        if top < bottom and left < right:
            self.dataChanged.emit(self.index(top, left), self.index(bottom - 1, right - 1))

    def cell(self, row: int, column: int) -> tuple[str, float]:
        """Return the text shown in a cell and its number, for a delegate that paints; ("", nan) outside."""
        array = self._array()
        if array is None or not (0 <= row < self._shape[0] and 0 <= column < self._shape[1]):
            return "", np.nan
        value = array.item(row, column)
        value = value != self.inverted if array.dtype.kind == "b" else value
        return self._text(value), float(value)

    def texts(self, rows: slice, columns: slice) -> list[list[str]]:
        """Return the texts shown in the cells of a block, column by column."""
        return [[self._text(value) for value in column] for column in self.block(rows, columns).T.tolist()]

    def _is_whole(self) -> bool:
        """Return whether all finite numbers are whole; False for large tables and computed ones."""
        array = self._array()
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or not 0 < array.size <= MOST_WHOLE:
            return False
        return bool(np.all((array == np.rint(array)) | ~np.isfinite(array)))

    def _text(self, value: float | bool) -> str:
        """Return the text of a number or boolean as shown."""
        if isinstance(value, bool):
            return "✓" if value else ""
        decimals = 0 if self._whole and not self._scientific else self._decimals
        return LEFT_OUT if self.covered and value != value else shown(value, decimals, self._scientific)

    def number(self, row: int, column: int) -> float:
        """Return the number of a cell without its text; nan outside."""
        array = self._array()
        if array is None or not (0 <= row < self._shape[0] and 0 <= column < self._shape[1]):
            return np.nan
        value: float = array.item(row, column)
        return float(value != self.inverted) if array.dtype.kind == "b" else value

    @property
    def row_labels(self) -> Sequence[str]:
        """The tokens of the rows; may be fewer than rows."""
        return self._row_labels

    def cells(self) -> NDArray[Any]:
        """Return a copy of all numbers."""
        return self.block(slice(None), slice(None))

    def block(self, rows: slice, columns: slice) -> NDArray[Any]:
        """Return a copy of a rectangle of numbers, for the clipboard."""
        array = self._array()
        return np.empty((0, 0)) if array is None else self.turned(array[rows, columns].copy())

    def turned(self, block: NDArray[Any]) -> NDArray[Any]:
        """Return numbers as kept for numbers as shown, or the reverse: the same unless `inverted`."""
        if not self.inverted or self.dtype.kind != "b":
            return block
        return np.asarray(np.logical_not(block) if block.dtype.kind == "b" else 1 - block)  # 0.5 stays what it is: none

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the numbers as they are kept; float64 while there are none."""
        array = self._array()
        return np.dtype(np.float64) if array is None else array.dtype

    # --- Qt's side -------------------------------------------------------------------------------
    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the flags of a cell; Qt asks for every cell that is painted."""
        return (EDITABLE if self._editable else READ_ONLY) if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        if not index.isValid():
            return None
        if role == Role.TextAlignmentRole:
            return CENTER if self.dtype.kind == "b" else RIGHT
        if role not in (Role.DisplayRole, Role.EditRole, self.ValueRole, Role.AccessibleTextRole):
            return None
        text, value = self.cell(index.row(), index.column())
        if role == Role.DisplayRole or (role == Role.AccessibleTextRole and text == LEFT_OUT):
            return text
        if role == self.ValueRole:
            return value
        return self._exact_text(index.row(), index.column())

    def setData(self, index: Index, value: object, role: int = Role.EditRole) -> bool:
        """Ask for a number in a cell; False with `refused` for no number, True without a signal if unchanged."""
        if not index.isValid() or role != Role.EditRole or not self._editable or self._array() is None:
            return False
        row, column = index.row(), index.column()
        if str(value).strip() == self._exact_text(row, column):
            return True  # also keeps a NaN's payload
        number = self.parsed(row, column, str(value))
        if number is not None and self._differs(row, column, number):
            self.typed.emit(row, column, number)
        return number is not None

    def parsed(self, row: int, column: int, text: str) -> float | None:
        """Return the number that was typed into a cell; None, with `refused`, where it is none."""
        try:
            if self.dtype.kind != "b":
                return parse_number(text, self.dtype)
            if text.strip().lower() in SWITCH:
                return SWITCH[text.strip().lower()]
            number = parse_number(text)
            if number not in (0.0, 1.0):
                raise NumberError(NO_SWITCH)
            return number
        except NumberError as error:
            self.refused.emit(row, column, error.sentence())
            return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> object:
        vertical = orientation == Qt.Orientation.Vertical
        if not 0 <= section < self._shape[0 if vertical else 1]:
            return None
        if role in (Role.DisplayRole, Role.EditRole):
            label = self._row_labels[section] if vertical and section < len(self._row_labels) else ""
            if role == Role.EditRole:
                return label
            return "".join(letter if letter.isprintable() else "␣" for letter in label) or str(section)
        if role == Role.TextAlignmentRole:
            return RIGHT if vertical else CENTER
        return None

    def setHeaderData(
        self, section: int, orientation: Qt.Orientation, value: object, role: int = Role.EditRole
    ) -> bool:
        """Ask for another row label, with `renamed` if it differs."""
        if orientation != Qt.Orientation.Vertical or role != Role.EditRole or not self._renamable:
            return False
        if not 0 <= section < self._shape[0]:
            return False
        if str(value) != self.headerData(section, orientation, Role.EditRole):
            self.renamed.emit(section, str(value))
        return True

    # --- the array -------------------------------------------------------------------------------
    def _array(self) -> Matrix | None:
        """Return the present array as rows and columns; None until its shape is the one that views show."""
        array = self._read()
        if array is None or array.shape == self._shape:
            return array
        if not array.ndim or _table_shape(array) != self._shape:
            return None
        return array.reshape(self._shape) if isinstance(array, np.ndarray) else array

    def _exact_text(self, row: int, column: int) -> str:
        array = self._array()
        return "" if array is None else shortest(self.turned(array[row, column]).item(), array.dtype)

    def _differs(self, row: int, column: int, number: float) -> bool:
        array = self._array()
        new = self.turned(np.asarray(number))
        return array is not None and array.dtype.type(new).tobytes() != array[row, column].tobytes()


def _given(array: Matrix | None, look: tuple[object, ...]) -> ShownNumbers:
    """Return what was set to be shown; computed numbers never count as the same."""
    if not isinstance(array, np.ndarray):
        return ShownNumbers(lambda: None, (), look)
    owner = array if array.base is None else array.base
    held = weakref.ref(owner) if isinstance(owner, np.ndarray) else (lambda: None)
    return ShownNumbers(held, (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str), look)


def _table_shape(array: Matrix | None) -> tuple[int, int]:
    if array is None or array.ndim not in (1, 2):
        return (0, 0)
    return (1, array.shape[0]) if array.ndim == 1 else (array.shape[0], array.shape[1])


# --- places ---------------------------------------------------------------------------------------
def leading(field: str, shape: tuple[int, ...], item: int = 0, head: int = 0) -> tuple[int, ...]:
    """Return the index in front of rows and columns: (item,) of a batched matrix, (item, head) or (head,) of maps."""
    axes = shape[:-2]
    if Intervention.position_of(field) is not None:
        return (0,) * len(axes)  # counted from where its cells begin
    wanted = (item, head) if has_maps(field) else (item,)
    places = zip(axes, wanted[len(wanted) - len(axes) :], strict=True)
    return tuple(0 if length == 1 else place for length, place in places)


def has_maps(field: str) -> bool:
    """Return whether an array may have a matrix for every head, as masks and given weights may."""
    return field == GIVEN or Layer.position_of(field) is not None


def shown_part(field: str, array: Array, item: int, head: int) -> Array | None:
    """Return what a table shows of an array: a vector, or the matrix of an item and head; None where that is gone."""
    if array.ndim < 3:
        return array
    index = leading(field, array.shape, item, head)
    inside = all(place < length for place, length in zip(index, array.shape[:-2], strict=True))
    return np.asarray(array[index]) if inside else None


def table_box(field: str, shape: tuple[int, ...], rows: slice, columns: slice, item: int = 0, head: int = 0) -> Box:
    """Return the rectangle of a table as a box in the array's own axes; a vector is a table of one row."""
    if len(shape) == 1:
        return (columns,)
    return (*indices.cell(leading(field, shape, item, head)), rows, columns)


def table_cells(field: str, shape: tuple[int, ...], box: Box, item: int = 0, head: int = 0) -> Cuts | None:
    """Return the rectangle of a table that shows a box of the array; None if it shows another item or head."""
    if len(shape) == 1:
        return slice(0, 1), box[0]
    places = zip(leading(field, shape, item, head), box[:-2], strict=True)
    return (box[-2], box[-1]) if all(cut.start <= place < cut.stop for place, cut in places) else None


# --- symbols of fields ----------------------------------------------------------------------------
def field_symbol(field: str) -> str:
    """Return the symbol of an array field in any language: "Q", "W_O", "M₁" for an array of mask layer 1."""
    for letter, kind in (("M", Layer), ("H", Intervention)):
        if (position := kind.position_of(field)) is not None:
            return letter + str(position).translate(_SUBSCRIPTS)
    return symbol(field) if is_named(field) else field


def table_cell_name(field: str, index: Sequence[int]) -> str:
    """Return one cell in a label: "Q[10, 97]"."""
    return f"{field_symbol(field)}[{', '.join(str(int(place)) for place in index)}]"
