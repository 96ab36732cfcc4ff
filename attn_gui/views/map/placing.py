"""Placing of a map's cells and marks: where the size of the widget and the window of cells put them."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRect

from attn_gui.pictures.geometry import Span
from attn_gui.views.map.items.cells_item import CellsItem
from attn_gui.views.map.items.overlay import OverlayItem
from attn_gui.views.map.zooming.zoom import Window, ZoomBox
from attn_gui.views.theme import scaled, ui_font

VALUE_FONTS = ((44, "body"), (26, "small"), (0, "micro"))
"""Least width of a cell for each size of its value."""


class Placement(NamedTuple):
    """The pixels of a map's cells in its own coordinates, and the rows and columns that lie there."""

    cells: QRect
    rows: Span
    columns: Span


class Placing:
    """Moves the items of a map together, and only when something has changed."""

    def __init__(self, cells: CellsItem, overlay: OverlayItem, box: ZoomBox | None) -> None:
        self._cells, self._overlay, self._box = cells, overlay, box
        self._placed: tuple[QRect, tuple[int, int], Window] | None = None

    def forget(self) -> None:
        """Place everything anew: margins and type grow with the zoom of the window."""
        self._placed = None

    def arrange(self, inner: QRect, shape: tuple[int, int], window: Window) -> bool:
        """Put a window of the cells of a matrix into a rectangle; whether that moved anything."""
        placed = inner, shape, window
        if placed == self._placed:
            return False
        self._placed = placed
        down = Span(shape[0], inner.height(), window[0], window[1])
        right = Span(shape[1], inner.width(), window[2], window[3])
        self._cells.font = ui_font(next(size for least, size in VALUE_FONTS if right.cell_size >= scaled(least)))
        for item in (self._cells, self._overlay):
            item.set_geometry(down, right)
            item.setPos(inner.left(), inner.top())
        if self._box is not None and inner.isValid():
            self._box.setGeometry(inner)
        return True
