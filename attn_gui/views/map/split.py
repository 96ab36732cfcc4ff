"""Two states in one map: the one before to the left of a bar, the one now to its right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from attn_gui.figure.tokens import LINE, RADIUS
from attn_gui.pictures.news import News
from attn_gui.pictures.planes import PlaneLike, number_at
from attn_gui.views.map.items.cells_item import CellsItem
from attn_gui.views.map.items.map_item import MapItem
from attn_gui.views.map.map_drawing import MapDrawing
from attn_gui.views.theme import current_theme, scaled

NEAR = 5
"""Pixels to both sides of the bar by which it can be taken."""

HANDLE = (5, 22)
"""Width and height of the part of the bar that asks to be taken."""


class LeftCells(CellsItem):
    """Cells of which only those left of the bar are painted."""

    def __init__(self, canvas: QWidget, *, small: bool) -> None:
        super().__init__(canvas, small=small)
        self.stop = 0  # the first pixel that is not painted
        self.quiet = False  # while it is drawn for a paint that is under way

    def repaint(self, rect: QRect | None = None) -> None:
        if not self.quiet:
            super().repaint(rect)

    def paint(self, painter: QPainter, exposed: QRect) -> None:
        painter.setClipRect(QRect(0, 0, self.stop, self.rows.pixels), Qt.ClipOperation.IntersectClip)
        super().paint(painter, exposed)


class Bar(MapItem):
    """The bar: a line over the height of the map, with a handle where it can be taken."""

    def __init__(self, canvas: QWidget, *, small: bool) -> None:
        super().__init__(canvas)
        self._small = small
        self.at = 0

    def paint(self, painter: QPainter, exposed: QRect) -> None:
        theme, height = current_theme(), self.area.height()
        thick, casing = (1 if self._small else scaled(LINE.focus)), scaled(LINE.casing)
        left = self.at - thick // 2
        painter.fillRect(left - casing, 0, thick + 2 * casing, height, theme.casing)
        painter.fillRect(left, 0, thick, height, theme.accent)
        if self._small:
            return
        wide, high = scaled(HANDLE[0]), min(scaled(HANDLE[1]), height)
        handle = QRectF(self.at - wide / 2, (height - high) / 2, wide, high)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.casing)
        painter.setBrush(theme.accent)
        painter.drawRoundedRect(handle, RADIUS.control, RADIUS.control)


class Split(QObject):
    """The left half of one map. It is drawn when the map is painted, once; the bar moves without drawing anything."""

    moved = Signal(float)  # the share of the width to which a person has drawn the bar
    gone = Signal()  # its map is

    def __init__(self, drawing: MapDrawing) -> None:
        super().__init__(drawing)
        drawing.destroyed.connect(self.gone)
        self._drawing, canvas, small = drawing, drawing.canvas, drawing.small
        self._left, self._bar = LeftCells(canvas, small=small), Bar(canvas, small=small)
        drawing.items = [drawing.cells, self._left, drawing.overlay, self._bar]
        self._news = News(self, self._left)
        self._news.arrived.connect(self.forget)
        self._share, self._dragging = 0.5, False
        self._drawn: tuple[object, ...] = ()
        canvas.installEventFilter(self)

    def set_before(self, before: PlaneLike, share: float) -> None:
        """Show this matrix left of the bar, which stands at a share of the width."""
        if before is not self._left.plane:
            self._left.plane = before
            self._news.follow(before)
            self._drawing.taken.others = (before,)
            self.forget()
            self._drawing.retake_levels()
        if share != self._share:
            self._share = share
            self._drawing.canvas.update()

    def forget(self, *_: object) -> None:
        """Draw the left half anew: its numbers have changed, or more of them are known."""
        self._drawn = ()
        self._drawing.canvas.update()

    def end(self) -> None:
        """Take the left half away."""
        self._news.follow(None)
        canvas, drawing = self._drawing.canvas, self._drawing
        canvas.removeEventFilter(self)
        canvas.unsetCursor()
        drawing.items = [drawing.cells, drawing.overlay]
        self._drawing.taken.others = ()
        self._drawing.retake_levels()
        canvas.update()
        self.deleteLater()

    def cell_at(self, row: int, column: int) -> tuple[float, QColor] | None:
        """The exact value before and its color, of a cell whose middle lies left of the bar; None for the others."""
        self._follow()
        place = self._drawing.overlay.cell_rect(row, column)
        if place.isEmpty() or place.center().x() >= self._left.stop or self._left.plane is None:
            return None
        return number_at(self._left.plane, row, column)[0], self._left.color_of(row, column)

    # --- drawing ---------------------------------------------------------------------------------
    def _follow(self) -> None:
        """Bring the left half to where the map's own cells are, drawn as they are."""
        place, cells, left = self._drawing.placement, self._drawing.cells, self._left
        style = cells.style._replace(levels=self._drawing.levels)
        drawn = (place.rows, place.columns, style, cells.font)
        self._bar.area = QRect(0, 0, place.columns.pixels, place.rows.pixels)
        self._bar.at = round(self._share * place.columns.pixels)
        fits = left.plane is not None and left.plane.shape == self._drawing.shown.shape
        left.stop = self._bar.at if fits else 0
        for item in (left, self._bar):
            item.origin = place.cells.topLeft()
        if drawn == self._drawn or not fits:  # the maps of another document come one by one
            return
        self._drawn, left.quiet = drawn, True
        left.font = cells.font
        left.style = style
        left.set_geometry(place.rows, place.columns)
        left.render()
        left.quiet = False

    # --- what Qt asks ----------------------------------------------------------------------------
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._follow()
        elif isinstance(event, QMouseEvent) and not self._drawing.small:
            return self._dragged(event)
        return False

    def _dragged(self, event: QMouseEvent) -> bool:
        """Take the bar, draw it along, let it go; whether the event was about that."""
        place, x = self._drawing.placement.cells, event.position().x()
        near = abs(x - place.left() - self._bar.at) <= scaled(NEAR)
        if event.type() == QEvent.Type.MouseButtonPress:
            self._dragging = near and event.button() == Qt.MouseButton.LeftButton
            return self._dragging
        if event.type() == QEvent.Type.MouseMove and not self._dragging:
            if near:
                self._drawing.canvas.setCursor(Qt.CursorShape.SplitHCursor)
            else:
                self._drawing.canvas.unsetCursor()
            return False
        held, self._dragging = self._dragging, self._dragging and event.type() == QEvent.Type.MouseMove
        if held:
            self.moved.emit(min(1.0, max(0.0, (x - place.left()) / max(1, place.width()))))
        return held
