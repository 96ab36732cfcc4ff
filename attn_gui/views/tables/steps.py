"""Steps of Enter and Tab from a cell, as in a spreadsheet."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

Cell = tuple[int, int]
Area = tuple[Cell, Cell]  # first and last cell
TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
Modifier = Qt.KeyboardModifier


class Step(NamedTuple):
    """One press of Enter or Tab; Shift turns it round."""

    tab: bool
    back: bool


def step_of(event: QKeyEvent) -> Step | None:
    """The step that a key means; None for other keys, and with Ctrl."""
    key = Qt.Key(event.key())
    if key not in (*TABS, *ENTERS) or event.modifiers() & Modifier.ControlModifier:
        return None
    back = key == Qt.Key.Key_Backtab or bool(event.modifiers() & Modifier.ShiftModifier)
    return Step(key in TABS, back)


def way_out(event: QKeyEvent) -> bool | None:
    """Whether Ctrl+Tab leads on out of the table, or back; None for other keys."""
    if Qt.Key(event.key()) not in TABS or not event.modifiers() & Modifier.ControlModifier:
        return None
    return event.key() == Qt.Key.Key_Tab and not event.modifiers() & Modifier.ShiftModifier


class Walk:
    """Remembers in which column a run of Tabs began, to which Enter returns.

    In a selection of several cells both keys go round within it, Tab by rows and Enter by columns. In the whole table
    Tab goes on in the next row, and from the last cell to the first one, as in a selection; Enter in the last row
    stays, since numbers below it have no place.
    """

    def __init__(self) -> None:
        self._began: int | None = None

    def goal(self, cell: Cell, step: Step, selected: Area, table: Cell) -> Cell:
        """The next cell of a table of `table` = (rows, columns), from the current one."""
        if selected[0] != selected[1]:
            return _round(cell, step, selected)
        if step.tab:
            self._began = cell[1] if self._began is None else self._began
            return _round(cell, step, ((0, 0), (table[0] - 1, table[1] - 1)))
        began, self._began = self._began, None
        row = min(max(cell[0] + (-1 if step.back else 1), 0), table[0] - 1)
        return row, cell[1] if began is None or step.back or row == cell[0] else began

    def end(self) -> None:
        """The person went elsewhere, with an arrow or the mouse: the next Tab begins again."""
        self._began = None


def _round(cell: Cell, step: Step, area: Area) -> Cell:
    """The next cell of an area, by rows with Tab and by columns with Enter; after the last one comes the first."""
    (top, left), (bottom, right) = area
    rows, columns = bottom - top + 1, right - left + 1
    row, column = cell[0] - top, cell[1] - left
    way = -1 if step.back else 1
    if step.tab:
        row, column = divmod((row * columns + column + way) % (rows * columns), columns)
    else:
        column, row = divmod((column * rows + row + way) % (rows * columns), rows)
    return top + row, left + column
