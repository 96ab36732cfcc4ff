"""The surface of a map: where its cells lie, which of them are in view, and when they are drawn."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.tokens import LINE
from attn_gui.pictures.geometry import Span
from attn_gui.views.map.cells_item import CellsItem
from attn_gui.views.map.overlay import OverlayItem
from attn_gui.views.map.view import Cell, MapView
from attn_gui.views.map.zooming.zoom import Window, ZoomBox
from attn_gui.views.theme import current_theme, scaled, ui_font

VALUE_FONTS = ((44, "body"), (26, "small"), (0, "micro"))
"""Least width of a cell for each size of its value."""


class MapCanvas(MapView):
    """Keeps cells and marks in place. Drawing waits until the map is painted, so that many changes cost one drawing
    and a map that is not visible costs none."""

    windowChanged = Signal(object)

    def __init__(self, parent: QWidget | None, *, interactive: bool, zoomable: bool) -> None:
        self._ready = False  # pyqtgraph's constructor already resizes
        super().__init__(parent, interactive=interactive, zoomable=zoomable)
        self._arranged: tuple[Any, ...] = ()
        self._home: Window | None = None
        self._stale = True
        self._cells = CellsItem(self.viewport(), small=not interactive)
        self._overlay = OverlayItem(self.viewport(), small=not interactive)
        self._zoom = ZoomBox() if zoomable else None
        for item in (self._cells, self._overlay, self._zoom):
            if item is not None:
                self.scene().addItem(item)
        if self._zoom is not None:
            self._zoom.windowChanged.connect(self._on_zoom_window_changed)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._ready = True
        self._follow_theme()

    # --- places ----------------------------------------------------------------------------------
    @property
    def row_span(self) -> Span:
        """The mapping between rows and pixels."""
        self._arrange()
        return self._cells.rows

    @property
    def column_span(self) -> Span:
        """The mapping between columns and pixels."""
        self._arrange()
        return self._cells.columns

    @property
    def margin(self) -> int:
        """Pixels around the cells: the frame and, for maps that take focus, its ring."""
        ring = scaled(LINE.focus_gap) + scaled(LINE.focus) if self._interactive else 0
        return int(LINE.hairline) + ring

    def cells_rect(self) -> QRect:
        """The pixels of the cells in the widget's coordinates."""
        rect: QRect = self.rect()
        return rect.adjusted(self.margin, self.margin, -self.margin, -self.margin)

    def place_cells(self, rect: QRect) -> None:
        """Move and resize so that the cells fill exactly this rectangle of the parent."""
        self.setGeometry(rect.adjusted(-self.margin, -self.margin, self.margin, self.margin))
        self._arrange()

    def cell_rect(self, row: int, column: int) -> QRect:
        """The pixels of a cell in the widget's coordinates; null while it is zoomed out of view."""
        self._arrange()
        rect = self._overlay.cell_rect(row, column)
        return rect.translated(self.cells_rect().topLeft()) if not rect.isEmpty() else QRect()

    def cell_under(self, position: QPoint) -> Cell | None:
        """The cell at a point; where cells are smaller than pixels, the one whose value the pixel shows."""
        inner = position - self.cells_rect().topLeft()
        down, right = self.row_span.bin_at(inner.y()), self.column_span.bin_at(inner.x())
        return None if down is None or right is None else self._cells.strongest(down, right)

    # --- window of cells -------------------------------------------------------------------------
    @property
    def window_shown(self) -> Window:
        """First row, row after the last, first column and column after the last in view."""
        rows, columns = self.shape
        whole = (0.0, float(rows), 0.0, float(columns))
        return self._zoom.window() if self._zoom is not None and rows and columns else whole

    def set_window(self, window: Window) -> None:
        """Show these cells; only maps that can be zoomed do."""
        if self._zoom is not None and all(self.shape):
            self._zoom.set_window(window)

    def set_home(self, window: Window | None) -> None:
        """Set the part that a double click shows: a part of a matrix too long for the place, None for all of it."""
        if window != self._home:
            self._home = window
            self.reset_zoom()

    @property
    def home(self) -> Window:
        """The part in view before any zoom."""
        rows, columns = self.shape
        return self._home or (0, rows, 0, columns)

    def reset_zoom(self) -> None:
        """Show everything again, or what `set_home` said."""
        self.set_window(self.home)

    def show_cell(self, row: int, column: int) -> None:
        """Bring a cell into view by the shortest way."""
        top, bottom, left, right = self.window_shown
        down = min(0.0, row - top) or max(0.0, row + 1 - bottom)
        across = min(0.0, column - left) or max(0.0, column + 1 - right)
        if down or across:
            self.set_window((top + down, bottom + down, left + across, right + across))

    def zoom(self, delta: int, around: Cell | None = None) -> None:
        """Turn a wheel by `delta` over a cell; without one, or with one out of view, over the middle."""
        cell = self.cell_rect(*around) if around is not None else QRect()
        self._zoom_at(delta, QPointF((self.cells_rect() if cell.isEmpty() else cell).center()))

    def _zoom_at(self, delta: int, position: QPointF) -> None:
        if self._zoom is not None:
            self._zoom.zoom(delta, self._part(position - QPointF(self.cells_rect().topLeft())))

    def _move_by(self, pixels: QPoint) -> None:
        if self._zoom is not None:
            self._zoom.move(self._part(QPointF(pixels)))

    def _part(self, pixels: QPointF) -> QPointF:
        """A distance as part of the cells' width and height."""
        inner = self.cells_rect()
        return QPointF(pixels.x() / max(1, inner.width()), pixels.y() / max(1, inner.height()))

    def _on_zoom_window_changed(self) -> None:
        self._arrange()
        self.windowChanged.emit(self.window_shown)

    # --- drawing ---------------------------------------------------------------------------------
    def _arrange(self) -> None:
        """Bring cells and marks to where the size of the widget and the window of cells put them."""
        if not self._ready:
            return
        inner, (rows, columns), window = self.cells_rect(), self.shape, self.window_shown
        arrangement = (inner, rows, columns, window)
        if arrangement == self._arranged:
            return
        self._arranged = arrangement
        down = Span(rows, inner.height(), window[0], window[1])
        right = Span(columns, inner.width(), window[2], window[3])
        self._cells.font = ui_font(next(size for least, size in VALUE_FONTS if right.cell_size >= scaled(least)))
        self._cells.set_geometry(down, right)
        self._overlay.set_geometry(down, right)
        for item in (self._cells, self._overlay):
            item.setPos(inner.left(), inner.top())
        if self._zoom is not None and inner.isValid():
            self._zoom.setGeometry(inner)
        self._redraw()

    def _redraw(self) -> None:
        """Draw everything again once the map is painted."""
        self._stale = True
        if self._ready:
            self.viewport().update()

    def _before_drawing(self) -> None:
        """The last moment for the subclass to settle what is drawn."""

    def _follow_theme(self) -> None:
        theme = current_theme()
        self._cells.set_style(theme=theme)
        self._overlay.set_theme(theme)
        self._arranged = ()  # margins and type grow with the zoom of the window
        self._arrange()
        self._redraw()

    # --- what Qt asks ----------------------------------------------------------------------------
    def sizeHint(self) -> QSize:
        return self.minimumSizeHint() * 4

    def minimumSizeHint(self) -> QSize:
        side = 2 * self.margin + scaled(24)
        return QSize(side, side)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._stale:
            self._arrange()
            self._before_drawing()
            before = self._cells.numbers
            self._cells.render()
            self._stale = False
            if self._cells.numbers != before:
                self.lettered.emit()
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if self._ready and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._follow_theme()
        super().changeEvent(event)
