"""A table whose columns fill the width, or are as wide as a person made them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from PySide6.QtCore import QAbstractItemModel, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from attn_gui.document.matrix_model import MatrixModel
from attn_gui.views.tables.delegate import CellDelegate
from attn_gui.views.tables.headers import LEAST_WIDTH
from attn_gui.views.tables.marked_view import MarkedView

MEASURED_ROWS = 256
FEW = 8  # columns that are measured within a frame
WIDEST = 4000  # pixels; what another version may have kept is no wider


class SizedView(MarkedView):
    """Gives rows and columns their sizes; all columns are alike but those that were drawn or fitted.

    These stay as wide, whatever the table shows, as long as it has as many columns. Of many columns a few are fitted
    at once, and `columnsLeft` asks to call `fit_some` for the others.
    """

    columnsDrawn = Signal()
    columnsLeft = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = CellDelegate(self)
        self.setItemDelegate(self.cells)
        self._least = 1
        self._drawn: dict[int, int] = {}  # columns that a person gave a width
        self._drawn_of = 0  # how many columns there were
        self._unfit: list[slice] = []  # columns that are still to be fitted
        self.columns.drawn.connect(self._draw_column)
        self.columns.sectionHandleDoubleClicked.connect(self.fit_column)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.modelReset.connect(self._on_model_reset)

    def set_least_column(self, width: int) -> None:
        """Set the least width of a column; they get wider so that no number is cut at the right border."""
        self._least = width
        self._fit_columns()

    def fit_column(self, column: int) -> None:
        """Make a column as wide as its numbers in sight need."""
        self.fit(column, column + 1)

    def fit(self, first: int, stop: int) -> None:
        """Make columns as wide as their numbers in sight need, those from the left border on before the others."""
        seen = min(max(self.columns.logicalIndexAt(0), first), stop)
        starts = [*range(seen, stop, FEW), *range(first, seen, FEW)]
        self._unfit = [slice(start, min(start + FEW, stop if start >= seen else seen)) for start in starts]
        self.fit_some()

    def fit_some(self) -> None:
        """Fit a few more columns of those that are left."""
        if not self._unfit:
            return
        part = self._unfit.pop(0)
        self._draw(dict(zip(range(part.start, part.stop), self._needed(part), strict=False)))
        told = self.columnsLeft if self._unfit else self.columnsDrawn
        told.emit()

    def reset_columns(self) -> None:
        """Give every column the same width again."""
        self._forget_drawn()
        self.columnsDrawn.emit()

    def drawn_columns(self) -> tuple[int, dict[int, int]]:
        """Widths in pixels that columns were given, after the number of columns that there were."""
        return self._drawn_of, dict(self._drawn)

    def draw_columns(self, count: int, widths: Mapping[int, int]) -> None:
        """Give columns the widths that `drawn_columns` said, as soon as the table has as many."""
        self._forget_drawn()
        known = {column: width for column, width in widths.items() if 0 <= column < count}
        self._drawn_of = count
        self._drawn = {column: min(max(width, LEAST_WIDTH), WIDEST) for column, width in known.items()}
        self._show_drawn()

    def sizeHintForColumn(self, column: int) -> int:
        return next(iter(self._needed(slice(column, column + 1))), self.columnWidth(column))

    def _needed(self, columns: slice) -> list[int]:
        """The widths that the numbers in sight need; none while there are no numbers."""
        model, first = cast(MatrixModel, self.model()), self.verticalScrollBar().value()
        return [self.cells.width_of(texts) for texts in model.texts(slice(first, first + MEASURED_ROWS), columns)]

    def _draw_column(self, column: int, width: int) -> None:
        """Take the width that a person draws, who has then done with fitting."""
        self._unfit.clear()
        self._draw({column: width})
        self.columnsDrawn.emit()

    def _draw(self, widths: Mapping[int, int]) -> None:
        if self._drawn_of != self.columns.count():
            self._drawn, self._drawn_of = {}, self.columns.count()
        self._drawn.update(widths)
        for column, width in widths.items():
            self.setColumnWidth(column, width)

    def _on_model_reset(self) -> None:
        """The columns that are left to fit are gone, or others."""
        self._unfit.clear()
        self._show_drawn()

    def _forget_drawn(self) -> None:
        self._unfit.clear()
        for column in self._drawn:
            self.setColumnWidth(column, self.columns.defaultSectionSize())
        self._drawn.clear()

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
        fits = min(self._least * self.columns.count(), self.least_length()) <= room
        width = self._least if fits else room // count
        if _resize_sections(self.columns, width, self.horizontalScrollBar().value()):
            self._show_drawn()
        spare = 0 if fits else room - width * count
        if spare != self.rows.spare:
            self.rows.spare = spare
            self.scheduleDelayedItemsLayout()  # at once would be in the middle of Qt's own layout

    def _room(self) -> int:
        """Pixels beside the row headers. Scroll bars that are there only for one another's sake do not count."""
        bare = self.maximumViewportSize()
        alone = self.rows.length() <= bare.height() and self.least_length() <= bare.width() + self._spared()
        return bare.width() if alone else self.viewport().width()

    def least_length(self) -> int:
        """Pixels of all columns, none wider than it has to be. A table of whole rows has no more room than its columns
        take: they would not come to rest if it had not to be enough for them."""
        drawn = self._drawn if self._drawn_of == self.columns.count() else {}
        return self._least * (self.columns.count() - len(drawn)) + sum(drawn.values())

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
