"""Zoom of a map in the window: how close, what is in view, the whole again by double click; pyqtgraph's items.

Each large map is a view of its own: it is a widget that Tab, screen readers and `grab` know, goes from the product
picture to the tiles as it is, and repaints alone. What maps have in common is linked, as any two view boxes can be.

To build on this::

    heatmap.box         MapBox, a pg.ViewBox: in_view, home, whole, set_window, reset, zoom, drag; `changed` if it moves
    heatmap.view        MapView, a pg.GraphicsView, made once the map is shown
    heatmap.view.image  CellsItem, a pg.ImageItem: `image` (numbers on show), `levels`, sigImageChanged
    heatmap.overlay     marks, set_marks(row=3, chosen=(3, 4), …)
    CellsPicture        the picture alone, for whatever paints without a scene: set_geometry, set_style, render, paint
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsView, QStyleOptionGraphicsItem, QWidget

from attn_gui.pictures.planes import Window
from attn_gui.views.map.map_drawing import MapCanvas
from attn_gui.views.map.marks import FAR_OUT, OUTSIDE, MarksOverlay
from attn_gui.views.theme import set_background

pg.setConfigOption("mouseRateLimit", -1)  # else what is dragged stays behind the pointer where a hand is fast

CLOSEST = 2
"""Cells that remain in view at the least."""

SHRINK = 1.02 ** (1 / 8)
"""Factor by which a window shrinks with every unit of a wheel, of which a notch has 120."""


class MapBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Holds which cells of a matrix are in view, and the window that a double click goes back to.

    A cell is 1 × 1, row 0 on top; nothing outside the matrix can be shown. Boxes that are linked by `setXLink` and
    `setYLink` show the same columns or rows, wherever they stand and however large they are.
    """

    changed = Signal(object)  # the window in view

    def __init__(self) -> None:
        super().__init__(enableMenu=False, enableMouse=False, invertY=True, defaultPadding=0)
        self.setFlag(self.GraphicsItemFlag.ItemHasNoContents)  # but its children
        self.disableAutoRange()
        self.matrix = (0, 0)  # its rows and columns
        self._home: Window | None = None
        self.sigRangeChanged.connect(self._on_range_changed)

    # --- the window ------------------------------------------------------------------------------
    @property
    def in_view(self) -> Window:
        """First row, row after the last, first column and column after the last in view."""
        if not all(self.matrix):
            return 0.0, self.matrix[0], 0.0, self.matrix[1]
        (left, right), (top, bottom) = self.viewRange()
        return _snapped(top), _snapped(bottom), _snapped(left), _snapped(right)

    @property
    def home(self) -> Window:
        """The window before any zoom."""
        rows, columns = self.matrix
        return self._home or (0, rows, 0, columns)

    @property
    def whole(self) -> bool:
        """Whether everything is in view that is before any zoom."""
        return tuple(self.in_view) == tuple(self.home)

    def set_matrix(self, rows: int, columns: int) -> None:
        """Show all of a matrix of another size."""
        self.matrix, self._home = (rows, columns), None
        if rows and columns:
            closest = {"minXRange": min(columns, CLOSEST), "minYRange": min(rows, CLOSEST)}
            self.setLimits(xMin=0, xMax=columns, yMin=0, yMax=rows, **closest)
            self.setRange(QRectF(0, 0, columns, rows), padding=0)

    def set_window(self, window: Window) -> None:
        """Show these cells, as far as there are so many."""
        if all(self.matrix):
            top, bottom, left, right = window
            self.setRange(QRectF(left, top, right - left, bottom - top), padding=0)

    def set_home(self, window: Window | None) -> None:
        """Set the window that a double click shows: a part of a matrix too long for its place, None for all of it."""
        if window != self._home:
            self._home = window
            self.reset()

    def reset(self) -> None:
        """Show everything again, or what `set_home` said."""
        self.set_window(self.home)

    def bring(self, row: int, column: int) -> None:
        """Bring a cell into view by the shortest way."""
        top, bottom, left, right = self.in_view
        down = min(0.0, row - top) or max(0.0, row + 1 - bottom)
        across = min(0.0, column - left) or max(0.0, column + 1 - right)
        if down or across:
            self.set_window((top + down, bottom + down, left + across, right + across))

    # --- the hand --------------------------------------------------------------------------------
    def zoom(self, delta: int, around: tuple[int, int] | None = None) -> None:
        """Turn a wheel by `delta` over a cell; without one, or with one out of view, over the middle."""
        top, bottom, left, right = self.in_view
        row, column = (part + 0.5 for part in around) if around is not None else (top - 1, left - 1)
        seen = top < row < bottom and left < column < right
        self._scale(delta, (column, row) if seen else ((left + right) / 2, (top + bottom) / 2))

    def zoom_at(self, delta: int, position: QPointF) -> None:
        """Turn a wheel by `delta` over a point of the scene."""
        top, _, left, _ = self.in_view
        away = self._cells(position - self.pos())
        self._scale(delta, (left + away.x(), top + away.y()))

    def drag(self, pixels: QPointF) -> None:
        """Draw the matrix along by so many pixels."""
        self.translateBy(-self._cells(pixels))

    def _scale(self, delta: int, around: tuple[float, float]) -> None:
        if all(self.matrix):
            size = SHRINK**-delta
            self.scaleBy((size, size), around)

    def _cells(self, pixels: QPointF) -> QPointF:
        """Return a distance in columns and rows."""
        top, bottom, left, right = self.in_view
        across, down = max(1.0, self.width()), max(1.0, self.height())
        return QPointF(pixels.x() * (right - left) / across, pixels.y() * (bottom - top) / down)

    def _on_range_changed(self, *_: object) -> None:
        self.changed.emit(self.in_view)

    def linkedViewChanged(self, box: pg.ViewBox | None, axis: int) -> None:
        """Show the rows or columns of a linked box; pyqtgraph's own way lines up what overlaps on the screen."""
        if box is not None and not self.linksBlocked:
            box.blockLink(True)
            try:
                self.setRange(**{"xRange" if axis == self.XAxis else "yRange": box.viewRange()[axis]}, padding=0)
            finally:
                box.blockLink(False)


class CellsItem(pg.ImageItem):  # type: ignore[misc]  # pyqtgraph has no types
    """The picture of a map's cells in its box, from the box's corner on, pixel by pixel.

    Stretching one image over the box, as `ImageItem` does, would put the edges of cells up to a pixel beside their
    marks, drop numbers where cells are smaller than pixels, and recolor everything for every edit. Its `image` are the
    numbers that the pixels show and its `levels` those of the colors, for histograms and whatever takes an image item.
    """

    def __init__(self, box: MapBox, canvas: MapCanvas) -> None:
        super().__init__(np.zeros((1, 1)), axisOrder="row-major", levels=(0.0, 1.0))  # until it is drawn
        self._canvas = canvas
        self.setParentItem(box)

    def follow(self) -> None:
        """Take over what was drawn."""
        levels = self._canvas.levels
        self.image, self.levels = self._canvas.cells.values, np.array((levels.low, levels.high))
        self.sigImageChanged.emit()

    def boundingRect(self) -> QRectF:
        return QRectF(self.parentItem().rect())

    def paint(self, painter: QPainter, *_: object) -> None:
        self._canvas.paint_cells(painter)


class MarksItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """The marks of some kinds over the cells of a box: those that end with the cells, or those that reach beyond."""

    def __init__(self, box: MapBox, overlay: MarksOverlay, kinds: Iterable[str]) -> None:
        super().__init__()
        self._box, self._overlay = box, overlay
        self.reached = dict.fromkeys(kinds, tuple[QRect, ...]())  # by the marks of each kind, as they are shown
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # which says what is exposed
        self.setZValue(1)

    def follow(self, kind: str) -> tuple[QRect, ...]:
        """Take over where the marks of a kind are now; the pixels that they reach."""
        self.reached[kind] = self._overlay.reach(kind)
        return self.reached[kind]

    def follow_all(self) -> None:
        """Take over where all marks are now."""
        there = self._overlay.kinds
        self.reached = {kind: self._overlay.reach(kind) if kind in there else () for kind in self.reached}

    def boundingRect(self) -> QRectF:
        return QRectF(self._box.rect()).adjusted(-FAR_OUT, -FAR_OUT, FAR_OUT, FAR_OUT)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, *_: object) -> None:
        exposed = option.exposedRect.toAlignedRect()
        for kind, reached in self.reached.items():
            if any(map(exposed.intersects, reached)):
                painter.save()
                self._overlay.paint(painter, kind)
                painter.restore()


class SceneView(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A scene of pyqtgraph as a part of a widget: stands on "surface", in whatever theme, and leaves focus and menus to
    the widget around it."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent, background=None)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setCentralItem(None)
        set_background(self.viewport(), "surface")
        for widget in (self, self.viewport()):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        while self.scene().contextMenu:
            self.scene().contextMenu.pop().deleteLater()  # "Export...", which the program has in its own words

    def close(self) -> bool:
        """Close as any widget does: pyqtgraph's clears the scene while its items are in use, and crashes."""
        return QGraphicsView.close(self)


class MapView(SceneView):
    """Paints a map over all of its widget, which takes the mouse and the keyboard itself.

    Around the cells, where the frame and the ring of the focus are, the background of the widget shows.
    """

    def __init__(self, canvas: MapCanvas, box: MapBox) -> None:
        super().__init__(canvas)
        self.viewport().setAutoFillBackground(False)
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)  # it is told below
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._box, self._canvas = box, canvas
        self.image = CellsItem(box, canvas)
        overlay, kinds = canvas.overlay, canvas.overlay.KINDS
        self._inside = MarksItem(box, overlay, (kind for kind in kinds if kind not in OUTSIDE))
        self._inside.setParentItem(box)  # which cuts off what is outside of it
        self._outside = MarksItem(box, overlay, OUTSIDE)
        for item in (box, self._outside):
            self.addItem(item)

    def place(self, cells: QRect) -> None:
        """Put the cells at these pixels."""
        for item in (self.image, self._inside, self._outside):
            item.prepareGeometryChange()
        self._box.setGeometry(QRectF(cells))
        self._outside.setPos(cells.topLeft())

    # What is painted differently the viewport is told at once: a scene would see to it in a later turn of its own, in
    # which the maps of a picture are painted one by one, and forgets where a mark was if it is painted before. Of what
    # pyqtgraph moves while it is painted, it would paint every map a second time.

    def show_cells(self, pixels: QRect | None) -> None:
        """Repaint these pixels of the cells, or everything."""
        self.viewport().update(self._on_viewport(pixels) if pixels is not None else self.rect())

    def show_marks(self, kinds: Iterable[str]) -> None:
        """Repaint the marks of these kinds, where they were and where they are."""
        for kind in kinds:
            item = self._outside if kind in OUTSIDE else self._inside
            for pixels in (*item.reached[kind], *item.follow(kind)):
                self.viewport().update(self._on_viewport(pixels))

    def _on_viewport(self, pixels: QRect) -> QRect:
        return pixels.translated(self._box.pos().toPoint())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._canvas.draw():
            self.image.follow()
            self._inside.follow_all()
            self._outside.follow_all()
        super().paintEvent(event)


def _snapped(at: float) -> float:
    """Return a length without the rounding that scaling back and forth leaves."""
    return float(round(at)) if abs(at - round(at)) < 1e-6 else float(at)
