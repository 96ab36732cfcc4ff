"""Which cells of a large map are in view: zoomed at the pointer, moved, and never outside the matrix."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, Signal

CLOSEST = 2
"""Cells that remain in view at the least."""

SHRINK = 1.02 ** (1 / 8)
"""How much a window shrinks with every unit of a wheel, of which a notch has 120."""

Window = tuple[float, float, float, float]
"""First row, row after the last, first column, column after the last; cut cells count in part."""


class ZoomWindow(QObject):
    """Holds the window of cells on show."""

    windowChanged = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows, self._columns = 0, 0
        self._window: Window = (0.0, 0.0, 0.0, 0.0)

    def set_cells(self, rows: int, columns: int) -> None:
        """The size of the matrix; shows all of it."""
        if rows and columns:
            self._rows, self._columns = rows, columns
            self.set_window((0, rows, 0, columns))

    def set_window(self, window: Window) -> None:
        """Show these cells, as far as there are so many."""
        top, bottom, left, right = window
        window = (*_inside(top, bottom, self._rows), *_inside(left, right, self._columns))
        if window != self._window:
            self._window = window
            self.windowChanged.emit()

    def window(self) -> Window:
        return self._window

    def zoom(self, delta: int, at: QPointF) -> None:
        """Turn a wheel by `delta` over a point, given as parts of the window's width and height."""
        top, bottom, left, right = self._window
        size = SHRINK**-delta
        row, column = top + at.y() * (bottom - top), left + at.x() * (right - left)
        self.set_window((row + (top - row) * size, row + (bottom - row) * size,
                         column + (left - column) * size, column + (right - column) * size))

    def move(self, by: QPointF) -> None:
        """Draw the matrix along by parts of the window's width and height."""
        top, bottom, left, right = self._window
        down, across = by.y() * (bottom - top), by.x() * (right - left)
        self.set_window((top - down, bottom - down, left - across, right - across))


def _inside(low: float, high: float, count: int) -> tuple[float, float]:
    """A part of an axis that is neither too short nor beyond its ends."""
    length = min(max(high - low, min(count, CLOSEST)), count)
    low = min(max(low + (high - low - length) / 2, 0.0), count - length)
    return _snapped(low), _snapped(low + length)


def _snapped(at: float) -> float:
    """Without the rounding that scaling back and forth leaves."""
    return float(round(at)) if abs(at - round(at)) < 1e-6 else float(at)
