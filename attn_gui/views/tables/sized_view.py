"""A table whose columns fill the width, or are as wide as a person made them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QAbstractItemModel, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from attn_gui.views.tables.delegate import CellDelegate
from attn_gui.views.tables.headers import LEAST_WIDTH
from attn_gui.views.tables.marked_view import MarkedView

MEASURED_ROWS = 256
WIDEST = 4000  # pixels; what another version may have kept is no wider


class SizedView(MarkedView):
    """Gives rows and columns their sizes; all columns are alike but those that were drawn or fitted.

    These stay as wide, whatever the table shows, as long as it has as many columns.
    """

    columnsDrawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = CellDelegate(self)
        self.setItemDelegate(self.cells)
        self._least = 1
        self._drawn: dict[int, int] = {}  # columns that a person gave a width
        self._drawn_of = 0  # how many columns there were
        self.columns.drawn.connect(self._draw_column)
        self.columns.sectionHandleDoubleClicked.connect(self.fit_column)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.modelReset.connect(self._show_drawn)

    def set_least_column(self, width: int) -> None:
        """Set the least width of a column; they get wider so that no number is cut at the right border."""
        self._least = width
        self._fit_columns()

    def fit_column(self, column: int) -> None:
        """Make a column as wide as its numbers in sight need."""
        self._draw_column(column, self.sizeHintForColumn(column))

    def reset_columns(self) -> None:
        """Give every column the same width again."""
        for column in self._drawn:
            self.setColumnWidth(column, self.columns.defaultSectionSize())
        self._drawn.clear()
        self.columnsDrawn.emit()

    def drawn_columns(self) -> tuple[int, dict[int, int]]:
        """Widths in pixels that columns were given, after the number of columns that there were."""
        return self._drawn_of, dict(self._drawn)

    def draw_columns(self, count: int, widths: Mapping[int, int]) -> None:
        """Give columns the widths that `drawn_columns` said, as soon as the table has as many."""
        known = {column: width for column, width in widths.items() if 0 <= column < count}
        self._drawn_of = count
        self._drawn = {column: min(max(width, LEAST_WIDTH), WIDEST) for column, width in known.items()}
        self._show_drawn()

    def sizeHintForColumn(self, column: int) -> int:
        first = self.verticalScrollBar().value()
        rows = range(first, min(first + MEASURED_ROWS, self.model().rowCount()))
        return self.cells.width_of([str(self.model().index(row, column).data()) for row in rows])

    def _draw_column(self, column: int, width: int) -> None:
        count = self.columns.count()
        self._drawn = (self._drawn if self._drawn_of == count else {}) | {column: width}
        self._drawn_of = count
        self.setColumnWidth(column, width)
        self.columnsDrawn.emit()

    def _show_drawn(self) -> None:
        usual = self.columns.defaultSectionSize() if self._drawn_of != self.columns.count() else None
        for column, width in self._drawn.items():
            self.setColumnWidth(column, width if usual is None else usual)

    def set_row_height(self, height: int) -> None:
        _resize_sections(self.rows, height, self.verticalScrollBar().value())

    def visible_rows(self) -> int:
        return max(1, self.viewport().height() // self.rows.defaultSectionSize())

    def visible_columns(self) -> int:
        return max(1, self.viewport().width() // self.columns.defaultSectionSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Columns that fill the width; the pixels that are left over go to the row headers."""
        room = self._room() + self._spared()
        count = max(1, room // self._least)
        fits = self.model() is None or self.model().columnCount() <= count
        width = self._least if fits else room // count
        if _resize_sections(self.columns, width, self.horizontalScrollBar().value()):
            self._show_drawn()
        spare = 0 if fits else room - width * count
        if spare != self.rows.spare:
            self.rows.spare = spare
            self.scheduleDelayedItemsLayout()  # at once would be in the middle of Qt's own layout

    def _room(self) -> int:
        """Pixels beside the row headers. Scroll bars that are there only for one another's sake do not count."""
        bare, least = self.maximumViewportSize(), self._least * self.columns.count()
        alone = self.rows.length() <= bare.height() and least <= bare.width() + self._spared()
        return bare.width() if alone else self.viewport().width()

    def _spared(self) -> int:
        """Pixels beside the numbers that the row headers do not need; they follow `spare` with the next layout only."""
        return self.viewportMargins().left() - self.rows.sizeHint().width() + self.rows.spare


def _resize_sections(header: QHeaderView, size: int, first: int) -> bool:
    """Give all rows or columns one size; `first` stays the first one in sight, which Qt forgets."""
    if size == header.defaultSectionSize():
        return False
    header.setDefaultSectionSize(size)
    header.setOffsetToSectionPosition(first)
    return True
