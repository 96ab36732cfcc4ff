"""The extent of a map: which rows and columns are in view, all of them unless it can be zoomed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, Signal

from attn_gui.pictures.geometry import Window

if TYPE_CHECKING:
    from attn_gui.views.map.zooming.zoom import ZoomBox


class Extent(QObject):
    """Holds a window of cells and the one that a double click goes back to.

    What is zoomed is made once something is: a box of pyqtgraph, which takes as long to import as NumPy and Qt do.
    """

    changed = Signal(object)  # the window in view

    def __init__(self, parent: QObject, *, movable: bool) -> None:
        """`movable`: whether the map can be zoomed; else all of it is always in view."""
        super().__init__(parent)
        self.movable = movable
        self._box: ZoomBox | None = None
        self.shape = (0, 0)
        self._home: Window | None = None
        self._pixels = QRect()

    @property
    def window(self) -> Window:
        """First row, row after the last, first column and column after the last in view."""
        rows, columns = self.shape
        return self._box.window() if self._box is not None and rows and columns else (0.0, rows, 0.0, columns)

    @property
    def home(self) -> Window:
        """The part in view before any zoom."""
        rows, columns = self.shape
        return self._home or (0, rows, 0, columns)

    @property
    def whole(self) -> bool:
        """Whether everything is in view that is before any zoom."""
        return tuple(self.window) == tuple(self.home)

    def set_shape(self, shape: tuple[int, int]) -> None:
        """Show all of a matrix of another size."""
        self.shape, self._home = shape, None
        if self._box is not None:
            self._box.set_cells(*shape)

    def set_window(self, window: Window) -> None:
        """Show these cells."""
        if self._box is None and tuple(window) == tuple(self.window):
            return  # all of it is in view
        if (box := self._zoomed()) is not None and all(self.shape):
            box.set_window(window)

    def set_home(self, window: Window | None) -> None:
        """Set the part that a double click shows: a part of a matrix too long for the place, None for all of it."""
        if window != self._home:
            self._home = window
            self.reset()

    def reset(self) -> None:
        """Show everything again, or what `set_home` said."""
        self.set_window(self.home)

    def bring(self, row: int, column: int) -> None:
        """Bring a cell into view by the shortest way."""
        top, bottom, left, right = self.window
        down = min(0.0, row - top) or max(0.0, row + 1 - bottom)
        across = min(0.0, column - left) or max(0.0, column + 1 - right)
        if down or across:
            self.set_window((top + down, bottom + down, left + across, right + across))

    def zoom(self, delta: int, around: tuple[int, int] | None = None) -> None:
        """Turn a wheel by `delta` over a cell; without one, or with one out of view, over the middle."""
        top, bottom, left, right = self.window
        row, column = (part + 0.5 for part in around) if around is not None else (top - 1, left - 1)
        seen = top < row < bottom and left < column < right
        middle = QPointF(0.5, 0.5)
        part = QPointF((column - left) / (right - left), (row - top) / (bottom - top)) if seen else middle
        if (box := self._zoomed()) is not None:
            box.zoom(delta, part)

    def zoom_at(self, delta: int, position: QPointF) -> None:
        """Turn a wheel by `delta` over a point of the map."""
        if (box := self._zoomed()) is not None:
            box.zoom(delta, self._part(position - box.geometry().topLeft()))

    def move(self, pixels: QPoint) -> None:
        """Draw the matrix along by so many pixels."""
        if self._box is not None:
            self._box.move(self._part(QPointF(pixels)))

    def set_pixels(self, pixels: QRect) -> None:
        """The pixels of the map that the window of cells fills."""
        self._pixels = pixels
        if self._box is not None and pixels.isValid():
            self._box.setGeometry(pixels)

    def _zoomed(self) -> ZoomBox | None:
        """The box, made now if there was none; None where nothing can be zoomed."""
        if self._box is None and self.movable:
            from attn_gui.views.map.zooming.zoom import ZoomBox

            self._box = ZoomBox()
            self._box.set_cells(*self.shape)
            self.set_pixels(self._pixels)
            self._box.windowChanged.connect(self._on_box_window_changed)
        return self._box

    def _part(self, pixels: QPointF) -> QPointF:
        """A distance as part of the cells' width and height."""
        assert self._box is not None
        size = self._box.geometry().size()
        return QPointF(pixels.x() / max(1.0, size.width()), pixels.y() / max(1.0, size.height()))

    def _on_box_window_changed(self) -> None:
        self.changed.emit(self.window)
