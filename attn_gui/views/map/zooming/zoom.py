"""The visible part of a large map, by pyqtgraph's view box: zoomed at the pointer, moved, never outside."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Signal

from attn_gui.pictures.geometry import Window

CLOSEST = 2
"""Cells that remain in view at the least."""

SHRINK = 1.02 ** (1 / 8)
"""Factor by which a window shrinks with every unit of a wheel, of which a notch has 120."""


class ZoomBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Holds the window of cells on show; its map tells it what a wheel, a drag or a key asks."""

    windowChanged = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, enableMouse=False, invertY=True, defaultPadding=0)
        self.disableAutoRange()
        self.sigRangeChanged.connect(self._on_range_changed)

    def set_cells(self, rows: int, columns: int) -> None:
        """The size of the matrix; shows all of it."""
        if rows and columns:
            self.setLimits(
                xMin=0, xMax=columns, yMin=0, yMax=rows, minXRange=min(columns, CLOSEST), minYRange=min(rows, CLOSEST)
            )
            self.set_window((0, rows, 0, columns))

    def set_window(self, window: Window) -> None:
        """Show these cells, as far as there are so many."""
        top, bottom, left, right = window
        self.setRange(QRectF(left, top, right - left, bottom - top), padding=0)

    def window(self) -> Window:
        (left, right), (top, bottom) = self.viewRange()
        return _snapped(top), _snapped(bottom), _snapped(left), _snapped(right)

    def zoom(self, delta: int, at: QPointF) -> None:
        """Turn a wheel by `delta` over a point, given as parts of the window's width and height."""
        top, bottom, left, right = self.window()
        size = SHRINK**-delta
        self.scaleBy((size, size), (left + at.x() * (right - left), top + at.y() * (bottom - top)))

    def move(self, by: QPointF) -> None:
        """Draw the matrix along by parts of the window's width and height."""
        top, bottom, left, right = self.window()
        self.translateBy(x=-by.x() * (right - left), y=-by.y() * (bottom - top))

    def _on_range_changed(self, *_: object) -> None:
        self.windowChanged.emit()


def _snapped(at: float) -> float:
    """Without the rounding that scaling back and forth leaves."""
    return float(round(at)) if abs(at - round(at)) < 1e-6 else float(at)
