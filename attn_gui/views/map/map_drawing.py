"""What every map shows, large or small: the picture of a matrix and its marks, wherever they are painted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QColor, QPainter

from attn_gui.figure.display import Levels
from attn_gui.pictures.geometry import Span, Window
from attn_gui.pictures.planes import PlaneLike, number_at
from attn_gui.pictures.supply import News
from attn_gui.views.map.cells_picture import CellsPicture
from attn_gui.views.map.levels.taken_levels import TakenLevels
from attn_gui.views.map.marks import Canvas, Overlay
from attn_gui.views.map.shown import Shown
from attn_gui.views.theme import current_theme, scaled, ui_font

if TYPE_CHECKING:
    from attn_gui.views.map.split import Split

VALUE_FONTS = ((44, "body"), (26, "small"), (0, "micro"))
"""Least width of a cell for each size of its value."""


class Placement(NamedTuple):
    """The pixels of a map's cells in its own coordinates, and the rows and columns that lie there."""

    cells: QRect
    rows: Span
    columns: Span


class MapDrawing(QObject):
    """Shows what it is told to in whole pixels, row 0 on top; asks the matrix for what is in view and keeps nothing
    but pixels.

    `cells` is the picture of the matrix, `overlay` marks some of its cells; the canvas paints both and is told of what
    has changed. Drawing waits until the map is painted, so that many changes cost one drawing; a map that is not
    visible draws nothing, yet answers `cell_at` and `cell_rect`.
    """

    levelsChanged = Signal(object)
    numbersArrived = Signal()  # what was not computed yet is
    lettered = Signal()  # numbers are written into the cells in another way, or no more
    reshaped = Signal()  # a matrix of another size is shown

    def __init__(self, canvas: Canvas, where: Callable[[], tuple[QRect, Window]], *, small: bool) -> None:
        """Show on a canvas; `where` tells which of its pixels are the cells', and the window of cells in view."""
        super().__init__(canvas)
        self.canvas, self._where, self.small = canvas, where, small
        self.shown, self._stale = Shown(), True
        self.split: Split | None = None
        self.cells, self.overlay = CellsPicture(small=small), Overlay(canvas, small=small)
        self.taken = TakenLevels(self.cells)
        self._placed: tuple[QRect, tuple[int, int], Window] | None = None
        self._news = News(self, self.cells)
        self._news.arrived.connect(self._on_news_arrived)

    # --- what is shown ---------------------------------------------------------------------------
    @property
    def plane(self) -> PlaneLike | None:
        """The matrix on show."""
        return self.shown.plane

    def set_shown(self, shown: Shown) -> None:
        """Show something else. Levels of another matrix are taken anew unless they are typed or locked, and one of
        another size forgets the marks and the window of the one before."""
        before, self.shown, levels = self.shown, shown, self.taken.kept
        other, recolored = shown.plane is not before.plane, shown.shade != before.shade
        if other:
            self.cells.plane = self.taken.plane = shown.plane
            self._news.follow(shown.plane)
            self.taken.forget()
            if shown.shape != before.shape:
                self.overlay.forget_places()
                self.reshaped.emit()
        if recolored:
            self.taken.set_shade(shown.shade)
        self.cells.set_style(palette=shown.palette, values_shown=shown.values, dimmed=shown.dimmed)
        self.overlay.set_marks(**shown.marks())
        if other or recolored or (shown.values, shown.dimmed) != (before.values, before.dimmed):
            self.redraw()
        if recolored or (other and self.canvas.isVisible() and self.levels != levels):
            self.levelsChanged.emit(self.levels)
        if shown.values != before.values:
            self.numbersArrived.emit()

    def refresh(self, rows: slice, columns: slice) -> None:
        """Take new numbers of these cells: draw and repaint them alone, with the present levels."""
        if self._stale or not self.canvas.isVisible():
            self.redraw()
        elif not (pixels := self.cells.render_part(rows, columns)).isEmpty():
            self.canvas.show_cells(pixels)

    def cell_at(self, row: int, column: int) -> tuple[float, QColor]:
        """The exact value of a cell and the color it is drawn with; IndexError outside the matrix."""
        rows, columns = self.shown.shape
        if self.plane is None or not (0 <= row < rows and 0 <= column < columns):
            raise IndexError(f"no cell ({row}, {column}) in a map of {rows} × {columns}")
        self.arrange()
        if self.split is not None and (found := self.split.cell_at(row, column)) is not None:
            return found
        self.cells.set_style(levels=self.levels)
        return number_at(self.plane, row, column)[0], self.cells.color_of(row, column)

    # --- levels ----------------------------------------------------------------------------------
    @property
    def levels(self) -> Levels:
        """The values at the two ends of the colors."""
        return self.taken.now()

    def retake_levels(self) -> bool:
        """Take automatic levels again, as at rest after edits; whether they are known to be others."""
        before = self.taken.kept
        self.taken.forget()
        changed = self.canvas.isVisible() and self.levels != before
        if changed:
            self.redraw()
            self.levelsChanged.emit(self.levels)
        elif not self.canvas.isVisible():
            self.redraw()  # and they are taken when they are asked for
        return changed

    # --- places ----------------------------------------------------------------------------------
    @property
    def placement(self) -> Placement:
        """Placement of the cells: which are drawn, and at which pixels."""
        self.arrange()
        return Placement(self._where()[0], self.cells.rows, self.cells.columns)

    def cell_rect(self, row: int, column: int) -> QRect:
        """The pixels of a cell in the widget's coordinates; null while it is zoomed out of view."""
        self.arrange()
        rect = self.overlay.cell_rect(row, column)
        return rect.translated(self._where()[0].topLeft()) if not rect.isEmpty() else QRect()

    def arrange(self) -> None:
        """Bring cells and marks to where the widget and the window of cells put them, if that is another place."""
        inner, window = self._where()
        placed = inner, self.shown.shape, window
        if placed == self._placed:
            return
        self._placed = placed
        (rows, columns), (top, bottom, left, right) = self.shown.shape, window
        down, across = Span(rows, inner.height(), top, bottom), Span(columns, inner.width(), left, right)
        self.cells.font = ui_font(next(size for least, size in VALUE_FONTS if across.cell_size >= scaled(least)))
        self.cells.set_geometry(down, across)
        self.overlay.set_geometry(down, across)
        if self.split is not None:
            self.split.place_bar()
        self.redraw()

    def follow_theme(self) -> None:
        """The colors and sizes have changed; they are those of `views.theme`."""
        self.cells.set_style(theme=current_theme())
        self.overlay.set_theme(current_theme())
        self._placed = None  # margins and type grow with the zoom of the window
        self.redraw()

    # --- drawing ---------------------------------------------------------------------------------
    def redraw(self, *_: object) -> None:
        """Draw everything again, where it belongs by then, once the map is painted."""
        self._stale = True
        self.canvas.show_cells(None)

    def rest(self) -> None:
        """Ask for nothing more while the map is hidden."""
        self._stale |= self._news.leave()

    def draw(self) -> bool:
        """Draw what is due, as the canvas asks before it paints; whether all was drawn anew."""
        stale = self._stale
        if stale:
            self.arrange()
            self.cells.set_style(levels=self.levels)
            before = self.cells.numbers
            self.cells.render()
            self._stale = False
            if self.cells.numbers != before:
                self.lettered.emit()
        if self.split is not None:
            self.split.draw()
        return stale

    def paint_cells(self, painter: QPainter) -> None:
        """Paint the cells; the painter stands at their corner."""
        self.cells.paint(painter)
        if self.split is not None:
            self.split.paint(painter)

    def _on_news_arrived(self, rows: slice, columns: slice) -> None:
        """More of the plane is known, and with it perhaps a larger number."""
        if self.small:
            self.retake_levels()
            self.redraw()  # perhaps from a picture of another size
        elif not self.retake_levels():
            self.refresh(rows, columns)
        self.numbersArrived.emit()
