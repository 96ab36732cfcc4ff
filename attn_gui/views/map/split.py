"""Two states in one map: the one before to the left of a bar, the one now to its right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter

from attn_gui.pictures.planes import PlaneLike, number_at
from attn_gui.pictures.supply import News
from attn_gui.views.map.cells_picture import CellsPicture
from attn_gui.views.map.map_drawing import MapDrawing
from attn_gui.views.theme import scaled

NEAR = 5
"""Pixels to both sides of the bar by which it can be taken."""


class Split(QObject):
    """The left half of one map. It is drawn when the map is painted, once; the bar moves without drawing anything."""

    moved = Signal(float)  # the share of the width to which a person has drawn the bar
    gone = Signal()  # its map is

    def __init__(self, drawing: MapDrawing) -> None:
        super().__init__(drawing)
        drawing.destroyed.connect(self.gone)
        self._drawing, self._left = drawing, CellsPicture(small=drawing.small)
        self._news = News(self, self._left)
        self._news.arrived.connect(self.forget)
        self._share, self._dragging = 0.5, False
        self._drawn: tuple[object, ...] = ()

    def set_before(self, before: PlaneLike, share: float) -> None:
        """Show this matrix left of the bar, which stands at a share of the width."""
        if before is not self._left.plane:
            self._left.plane = before
            self._news.follow(before)
            self._drawing.taken.others = (before,)
            self.forget()
            self._drawing.retake_levels()
        self._share = share
        self.place_bar()

    def forget(self, *_: object) -> None:
        """Draw the left half anew: its numbers have changed, or more of them are known."""
        self._drawn = ()
        self._drawing.canvas.show_cells(None)

    def end(self) -> None:
        """Take the left half away."""
        self._news.follow(None)
        drawing = self._drawing
        drawing.canvas.unsetCursor()
        drawing.overlay.set_marks(bar=None)
        drawing.taken.others = ()
        drawing.retake_levels()
        drawing.redraw()
        self.deleteLater()

    def cell_at(self, row: int, column: int) -> tuple[float, QColor] | None:
        """The exact value before and its color, of a cell whose middle lies left of the bar; None for the others."""
        self.draw()
        place = self._drawing.overlay.cell_rect(row, column)
        if place.isEmpty() or place.center().x() >= self._stop or self._left.plane is None:
            return None
        return number_at(self._left.plane, row, column)[0], self._left.color_of(row, column)

    # --- drawing ---------------------------------------------------------------------------------
    def place_bar(self) -> None:
        """Put the bar where it belongs, and paint again what it uncovers."""
        at = round(self._share * self._drawing.cells.columns.pixels)
        if at != self._drawing.overlay.marks.bar:
            self._drawing.overlay.set_marks(bar=at)
            self._drawing.canvas.show_cells(None)

    def draw(self) -> None:
        """Bring the left half to where the map's own cells are, drawn as they are."""
        place, cells, left = self._drawing.placement, self._drawing.cells, self._left
        style = cells.style._replace(levels=self._drawing.levels)
        drawn = (place.rows, place.columns, style, cells.font)
        if drawn == self._drawn or not self._fits:  # the maps of another document come one by one
            return
        self._drawn = drawn
        left.font, left.style = cells.font, style
        left.set_geometry(place.rows, place.columns)
        left.render()

    def paint(self, painter: QPainter) -> None:
        """Paint the left half; the painter stands at the corner of the cells."""
        painter.setClipRect(QRect(0, 0, self._stop, self._left.rows.pixels), Qt.ClipOperation.IntersectClip)
        self._left.paint(painter)

    @property
    def _fits(self) -> bool:
        return self._left.plane is not None and self._left.plane.shape == self._drawing.shown.shape

    @property
    def _stop(self) -> int:
        """The first pixel that is not of the left half."""
        return self._drawing.overlay.marks.bar or 0 if self._fits else 0

    # --- the hand --------------------------------------------------------------------------------
    def dragged(self, event: QMouseEvent) -> bool:
        """Take the bar, draw it along, let it go; whether the event was about that."""
        place, x = self._drawing.placement.cells, event.position().x()
        near = abs(x - place.left() - (self._drawing.overlay.marks.bar or 0)) <= scaled(NEAR)
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
