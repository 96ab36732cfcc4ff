"""The search of one matrix for cells that fit: in pieces between events, so that the window never waits for it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from attn_gui.app.finding.searched import Searched
from attn_gui.app.finding.wanted import Wanted, fitting, named_alike

PIECE = 1 << 16  # cells that are read and compared within a frame
ROWS = 64  # of a piece: a long problem computes its rows in such tiles
MOST = 200_000  # cells that are found before the search ends


class Search(QObject):
    """Finds one cell after another, in the order of reading; `found` after every piece."""

    found = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cells: list[int] = []  # row · width + column, ascending
        self.done = True
        self.whole = True  # else there may be more than are found
        self._searched: Searched | None = None
        self._wanted = Wanted("", None, 0.0)
        self._row = self._column = 0
        self._piece = QTimer(self, singleShot=True, interval=0)
        self._piece.timeout.connect(self._look)

    def begin(self, searched: Searched, wanted: Wanted) -> None:
        """Look for this in place of what was looked for before."""
        self._searched, self._wanted = searched, wanted
        self.cells, self.done, self.whole = [], False, True
        self._row = self._column = 0
        self._look()

    def forget(self) -> None:
        """Look for nothing."""
        self._piece.stop()
        self._searched, self.cells, self.done, self.whole = None, [], True, True

    def after(self, row: int, column: int) -> tuple[int, int] | None:
        """The found cell that follows a place, the first one behind the last; None where nothing is found."""
        place = bisect_right(self.cells, self._key(row, column))
        return self._cell(place if place < len(self.cells) else 0)

    def before(self, row: int, column: int) -> tuple[int, int] | None:
        """The found cell in front of a place, the last one before the first."""
        return self._cell(bisect_left(self.cells, self._key(row, column)) - 1)

    def place_of(self, row: int, column: int) -> int | None:
        """The place of a cell among those that are found, from 0."""
        place = bisect_left(self.cells, self._key(row, column))
        there = place < len(self.cells) and self.cells[place] == self._key(row, column)
        return place if there else None

    def _width(self) -> int:
        return max(1, self._searched.shape[1]) if self._searched is not None else 1

    def _key(self, row: int, column: int) -> int:
        return row * self._width() + column

    def _cell(self, place: int) -> tuple[int, int] | None:
        return divmod(self.cells[place], self._width()) if self.cells else None

    def _look(self) -> None:
        """Read one piece; names are there at once."""
        searched = self._searched
        if searched is None:
            return
        rows, columns = searched.shape
        if self._wanted.number is None:
            self._take_names(searched)
        elif self._row < rows and len(self.cells) < MOST:
            self._take_piece(searched, rows, columns)
            self._piece.start()
        elif not self.cells:
            self._take_names(searched)  # a token may be a number too
        else:
            self.whole = self._row >= rows
            self._end()
        self.found.emit()

    def _take_piece(self, searched: Searched, rows: int, columns: int) -> None:
        """Some rows, of long ones a part: found cells stay in order because rows are finished together."""
        last = min(rows, self._row + max(1, min(ROWS, PIECE // max(1, columns))))
        values, allowed = searched.block(slice(self._row, last), slice(0, columns))
        down, across = np.nonzero(fitting(values, allowed, self._wanted))
        self.cells += ((down + self._row) * columns + across).tolist()
        self._row = last

    def _take_names(self, searched: Searched) -> None:
        """Rows and columns of that name: the cell of the row in the present column, or of the column in its row."""
        row, column = searched.current
        rows, columns = (named_alike(names, self._wanted) for names in searched.names)
        found = {self._key(place, column) for place in rows if place < searched.shape[0]}
        if not found:
            found = {self._key(row, place) for place in columns if place < searched.shape[1]}
        self.cells = sorted(found)
        self._end()

    def _end(self) -> None:
        self.done = True
        self._piece.stop()
