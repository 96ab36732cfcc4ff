"""Zoom and pan of a large map, by pyqtgraph's view box."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

CLOSEST = 2
"""Cells that remain in view at the least."""

Window = tuple[float, float, float, float]
"""First row, row after the last, first column, column after the last; cut cells count in part."""


class ZoomBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Holds the window of cells on show: the wheel zooms at the pointer, dragging moves, nothing leaves the matrix."""

    windowChanged = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, invertY=True, defaultPadding=0)
        self.disableAutoRange()
        self.sigRangeChanged.connect(self._on_range_changed)

    def set_cells(self, rows: int, columns: int) -> None:
        """The size of the matrix; shows all of it."""
        if rows and columns:
            self.setLimits(xMin=0, xMax=columns, yMin=0, yMax=rows,
                           minXRange=min(columns, CLOSEST), minYRange=min(rows, CLOSEST))
            self.set_window((0, rows, 0, columns))

    def set_window(self, window: Window) -> None:
        top, bottom, left, right = window
        self.setRange(QRectF(left, top, right - left, bottom - top), padding=0)

    def window(self) -> Window:
        (left, right), (top, bottom) = self.viewRange()
        return _snapped(top), _snapped(bottom), _snapped(left), _snapped(right)

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window's own zoom
        else:
            super().wheelEvent(event, axis)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            event.ignore()
        else:
            super().mouseDragEvent(event, axis)

    def _on_range_changed(self, *_: object) -> None:
        self.windowChanged.emit()


def _snapped(at: float) -> float:
    """Without the rounding that scaling back and forth leaves."""
    return float(round(at)) if abs(at - round(at)) < 1e-6 else float(at)
