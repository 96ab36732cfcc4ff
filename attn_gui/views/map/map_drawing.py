"""What large and small maps draw: when one is redrawn, type of its numbers, parts outlined after an edit; the wipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from attn_gui.document.clipboard import CopiedCells
from attn_gui.engine.arrays import Box
from attn_gui.figure.colors import PLAIN, ColorScale, Levels
from attn_gui.figure.stage_formulas import by_hand_of, off_areas
from attn_gui.pictures.planes import PlaneLike, Span, Window, number_at
from attn_gui.pictures.tile_cache import TileListener
from attn_gui.views.map.cells_picture import CellsPicture
from attn_gui.views.map.color_scales import MapLevels
from attn_gui.views.map.marks import MarksOverlay
from attn_gui.views.theme import current_theme, scaled, ui_font


@dataclass(frozen=True, eq=False)
class MapState:
    """A matrix and how it is shown; `bands` are the columns where bands of heads begin, `dimmed` is out of date."""

    plane: PlaneLike | None = None
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    bands: tuple[int, ...] = ()
    color_scale: ColorScale = PLAIN
    values: bool = False
    dimmed: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self.plane.shape if self.plane is not None else (0, 0)

    def copied(self, block: tuple[slice, slice] | None = None) -> CopiedCells | None:
        """Return the whole matrix or a block of it, with the names of its rows and columns."""
        plane = self.plane
        if plane is None:
            return None
        rows, columns = block or (slice(0, self.shape[0]), slice(0, self.shape[1]))
        shape = rows.stop - rows.start, columns.stop - columns.start
        names = self.row_names[rows], self.column_names[columns]
        return CopiedCells(shape, lambda: list(plane.block(rows, columns)[0].copy()), *names)

    def marks(self) -> dict[str, object]:
        """Return the marks that stand as long as the matrix does: bands of heads, heads that are off, cells changed by
        hand."""
        return {"bands": self.bands, "off": off_areas(self.plane), "by_hand": by_hand_of(self.plane)}

    @property
    def signed(self) -> bool:
        """Whether colors go both ways from 0; without a matrix they do."""
        return self.plane is None or self.plane.signed

    @property
    def palette(self) -> str:
        """The name of the color map."""
        return self.color_scale.palette_for(self.signed)


VALUE_FONTS = ((120, "value_large"), (52, "value"), (44, "body"), (26, "small"), (0, "micro"))
"""Least width of a cell for each size of its value."""

WIDEST_FOR_VALUE = 2.5
"""Of a wider cell so many times its height count as its width."""


MOST_OUTLINES = 4
"""Parts that an edit has recomputed and that are outlined one by one."""


class CellPlacement(NamedTuple):
    """The pixels of a map's cells in its own coordinates, and the rows and columns that lie there."""

    cells: QRect
    rows: Span
    columns: Span


class MapCanvas(QWidget):
    """Base of the widgets of maps, large and small: draws a matrix in whole pixels, row 0 on top; asks the matrix for
    what is in view and keeps nothing but pixels.

    `cells` is the picture of the matrix, `overlay` marks some of its cells; a subclass paints both. Drawing waits until
    the map is painted, so that many changes cost one drawing; a map that is not visible draws nothing, yet answers
    `cell_at` and `cell_rect`.

    A subclass must provide `_place`, `show_cells` and `show_marks`; no abc.ABC, whose metaclass Qt's classes exclude.
    """

    levelsChanged = Signal(object)  # the Levels
    numbersArrived = Signal()  # what was not computed yet is
    lettered = Signal()  # numbers are written into the cells in another way, or no more
    reshaped = Signal()  # a matrix of another size is shown

    def __init__(self, parent: QWidget | None, *, small: bool) -> None:
        super().__init__(parent)
        self.small = small
        self.shown, self._stale = MapState(), True
        self.renewed = False  # whether some of its numbers are newer than its levels
        self.split: MapWipe | None = None
        self.cells, self.overlay = CellsPicture(small=small), MarksOverlay(self, small=small)
        self.taken = MapLevels(self.cells)
        self._placed: tuple[QRect, tuple[int, int], Window] | None = None
        self._listener = TileListener(self, self.cells)
        self._listener.arrived.connect(self._on_tiles_arrived)

    def _place(self) -> tuple[QRect, Window]:
        """Return the pixels of the cells, and the window of cells in view."""
        raise NotImplementedError

    def show_cells(self, pixels: QRect | None) -> None:
        """Repaint these pixels of the cells, or everything."""
        raise NotImplementedError

    def show_marks(self, kinds: Iterable[str]) -> None:
        """Repaint the marks of these kinds, where they were and where they are."""
        raise NotImplementedError

    # --- what is shown ---------------------------------------------------------------------------
    @property
    def plane(self) -> PlaneLike | None:
        """The matrix on show."""
        return self.shown.plane

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix on show."""
        return self.shown.shape

    def set_shown(self, shown: MapState) -> None:
        """Show something else. Levels of another matrix are taken anew unless they are typed or locked, and one of
        another size forgets the marks and the window of the one before."""
        before, self.shown, levels = self.shown, shown, self.taken.kept
        other, recolored = shown.plane is not before.plane, shown.color_scale != before.color_scale
        if other:
            self.cells.plane = self.taken.plane = shown.plane
            self._listener.follow(shown.plane)
            self.taken.forget()
            if shown.shape != before.shape:
                self.overlay.forget_places()
                self.reshaped.emit()
        if recolored:
            self.taken.set_color_scale(shown.color_scale)
        self.cells.set_style(palette=shown.palette, values_shown=shown.values, dimmed=shown.dimmed)
        if other or shown.bands != before.bands:
            self.overlay.set_marks(**shown.marks())
        if other or recolored or (shown.values, shown.dimmed) != (before.values, before.dimmed):
            self.redraw()
        if recolored or (other and self.isVisible() and self.levels != levels):
            self.levelsChanged.emit(self.levels)
        if shown.values != before.values:
            self.numbersArrived.emit()

    def refresh(self, rows: slice, columns: slice) -> None:
        """Take new numbers of these cells: draw and repaint them alone, with the present levels."""
        self.renewed = True
        if self._stale or not self.isVisible():
            self.redraw()
        elif not (pixels := self.cells.render_part(rows, columns)).isEmpty():
            self.show_cells(pixels)

    def refresh_boxes(self, boxes: Sequence[Box]) -> bool:
        """Take new numbers of what these boxes are in the matrix, and outline it; whether there is anything."""
        plane = self.shown.plane
        areas = [area for box in boxes if plane is not None and (area := plane.cells(box)) is not None]
        if not areas:
            return False
        self.renewed = True
        if not self.isVisible():
            self._stale = True  # and its outline would be old news once it is shown
            return True
        if self._stale:
            self.redraw()
        else:
            for rows, columns in areas:
                if not (pixels := self.cells.render_part(rows, columns)).isEmpty():
                    self.show_cells(pixels)
        if len(areas) > MOST_OUTLINES:
            areas = [(_around([rows for rows, _ in areas]), _around([columns for _, columns in areas]))]
        self.overlay.flash(areas)
        return True

    def cell_at(self, row: int, column: int) -> tuple[float, QColor]:
        """Return the exact value of a cell and the color it is drawn with; IndexError outside the matrix."""
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
        before, self.renewed = self.taken.kept, False
        self.taken.forget()
        if not self.isVisible():
            self._stale = True  # and they are taken when they are asked for
            return False
        levels = self.taken.now()
        if levels != before:
            self.redraw()
            self.levelsChanged.emit(levels)
        return levels != before

    # --- places ----------------------------------------------------------------------------------
    @property
    def placement(self) -> CellPlacement:
        """Placement of the cells: which are drawn, and at which pixels."""
        self.arrange()
        return CellPlacement(self._place()[0], self.cells.rows, self.cells.columns)

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return the pixels of a cell in the widget's coordinates; null while it is zoomed out of view."""
        self.arrange()
        rect = self.overlay.cell_rect(row, column)
        return rect.translated(self._place()[0].topLeft()) if not rect.isEmpty() else QRect()

    def arrange(self) -> None:
        """Bring cells and marks to where the widget and the window of cells put them, if that is another place.

        Whoever moved them has asked to `redraw`; asked again while it is painted, the map would be painted twice.
        """
        inner, window = self._place()
        placed = inner, self.shown.shape, window
        if placed == self._placed:
            return
        self._placed = placed
        (rows, columns), (top, bottom, left, right) = self.shown.shape, window
        down, across = Span(rows, inner.height(), top, bottom), Span(columns, inner.width(), left, right)
        width = min(across.cell_size, WIDEST_FOR_VALUE * down.cell_size)
        self.cells.font = ui_font(next(size for least, size in VALUE_FONTS if width >= scaled(least)))
        self.cells.set_geometry(down, across)
        self.overlay.set_geometry(down, across)
        if self.split is not None:
            self.split.place_bar()
        self._stale = True

    def follow_theme(self) -> None:
        """Take over the new colors and sizes, those of `views.theme`."""
        self.cells.set_style(theme=current_theme())
        self.overlay.set_theme(current_theme())
        self._placed = None  # margins and type grow with the zoom of the window
        self.redraw()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.follow_theme()
        super().changeEvent(event)

    # --- drawing ---------------------------------------------------------------------------------
    def redraw(self, *_: object) -> None:
        """Draw everything again, at its new place, once the map is painted."""
        self._stale = True
        self.show_cells(None)

    def rest(self) -> None:
        """Ask for nothing more while the map is hidden."""
        self._stale |= self._listener.leave()

    def draw(self) -> bool:
        """Draw what is due, as the canvas asks before it paints; whether all was drawn anew."""
        stale = self._stale
        if stale:
            self.arrange()
            self.cells.set_style(levels=self.taken.now())
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

    def _on_tiles_arrived(self, rows: slice, columns: slice) -> None:
        """Show what is known now, and with it perhaps a larger number."""
        if self.small:
            self.retake_levels()
            self.redraw()  # perhaps from a picture of another size
        elif not self.retake_levels():
            self.refresh(rows, columns)
        self.numbersArrived.emit()


def _around(cuts: Sequence[slice]) -> slice:
    return slice(min(cut.start for cut in cuts), max(cut.stop for cut in cuts))


NEAR = 5
"""Pixels to both sides of the bar by which it can be taken."""


class MapWipe(QObject):
    """The left half of one map. It is drawn when the map is painted, once; the bar moves without drawing anything."""

    moved = Signal(float)  # the share of the width to which a person has drawn the bar
    gone = Signal()  # its map is

    def __init__(self, canvas: MapCanvas) -> None:
        super().__init__(canvas)
        canvas.destroyed.connect(self.gone)
        self._canvas, self._left = canvas, CellsPicture(small=canvas.small)
        self._listener = TileListener(self, self._left)
        self._listener.arrived.connect(self.forget)
        self._share, self._dragging = 0.5, False
        self._drawn: tuple[object, ...] = ()

    def set_before(self, before: PlaneLike, share: float) -> None:
        """Show this matrix left of the bar, which stands at a share of the width."""
        if before is not self._left.plane:
            self._left.plane = before
            self._listener.follow(before)
            self._canvas.taken.others = (before,)
            self.forget()
            self._canvas.retake_levels()
        self._share = share
        self.place_bar()

    def forget(self, *_: object) -> None:
        """Draw the left half anew: its numbers have changed, or more of them are known."""
        self._drawn = ()
        self._canvas.show_cells(None)

    def end(self) -> None:
        """Take the left half away."""
        self._listener.follow(None)
        canvas = self._canvas
        canvas.unsetCursor()
        canvas.overlay.set_marks(bar=None)
        canvas.taken.others = ()
        canvas.retake_levels()
        canvas.redraw()
        self.deleteLater()

    def cell_at(self, row: int, column: int) -> tuple[float, QColor] | None:
        """Return the exact value before and its color, of a cell whose middle lies left of the bar.

        None for the others.
        """
        self.draw()
        place = self._canvas.overlay.cell_rect(row, column)
        if place.isEmpty() or place.center().x() >= self._stop or self._left.plane is None:
            return None
        return number_at(self._left.plane, row, column)[0], self._left.color_of(row, column)

    # --- drawing ---------------------------------------------------------------------------------
    def place_bar(self) -> None:
        """Put the bar where it belongs, and paint again what it uncovers."""
        at = round(self._share * self._canvas.cells.columns.pixels)
        if at != self._canvas.overlay.marks.bar:
            self._canvas.overlay.set_marks(bar=at)
            self._canvas.show_cells(None)

    def draw(self) -> None:
        """Bring the left half to where the map's own cells are, drawn as they are."""
        place, cells, left = self._canvas.placement, self._canvas.cells, self._left
        style = cells.style._replace(levels=self._canvas.levels)
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
        return self._left.plane is not None and self._left.plane.shape == self._canvas.shown.shape

    @property
    def _stop(self) -> int:
        """The first pixel that is not of the left half."""
        return self._canvas.overlay.marks.bar or 0 if self._fits else 0

    # --- the hand --------------------------------------------------------------------------------
    def dragged(self, event: QMouseEvent) -> bool:
        """Take the bar, draw it along, let it go; whether the event was about that."""
        place, x = self._canvas.placement.cells, event.position().x()
        near = abs(x - place.left() - (self._canvas.overlay.marks.bar or 0)) <= scaled(NEAR)
        if event.type() == QEvent.Type.MouseButtonPress:
            self._dragging = near and event.button() == Qt.MouseButton.LeftButton
            return self._dragging
        if event.type() == QEvent.Type.MouseMove and not self._dragging:
            if near:
                self._canvas.setCursor(Qt.CursorShape.SplitHCursor)
            else:
                self._canvas.unsetCursor()
            return False
        held, self._dragging = self._dragging, self._dragging and event.type() == QEvent.Type.MouseMove
        if held:
            self.moved.emit(min(1.0, max(0.0, (x - place.left()) / max(1, place.width()))))
        return held
