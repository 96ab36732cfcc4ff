"""One map of a matrix: the same widget in the spine, the product picture, the heads and the tiles."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFocusEvent, QHideEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.document.clipboard import Copied
from attn_gui.figure.display import Levels
from attn_gui.figure.tokens import LINE
from attn_gui.pictures.news import News
from attn_gui.pictures.planes import PlaneLike
from attn_gui.views.map.cell_words import block_in_words, cell_in_words, describe
from attn_gui.views.map.gestures.cell_typing import CellTyping
from attn_gui.views.map.gestures.gestures import Gestures
from attn_gui.views.map.items.cells_item import CellsItem
from attn_gui.views.map.items.flash import motion_reduced
from attn_gui.views.map.items.overlay import OverlayItem
from attn_gui.views.map.items.overlay_marks import Area, Cell
from attn_gui.views.map.levels.taken_levels import TakenLevels
from attn_gui.views.map.placing import Placement, Placing
from attn_gui.views.map.shown import OtherHalf, Shown
from attn_gui.views.map.zooming.extent import Extent
from attn_gui.views.map.zooming.zoom import ZoomBox
from attn_gui.views.theme import current_theme, let_ground_through, scaled


class Heatmap(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows what it is told to in whole pixels, row 0 on top; asks the matrix for what is in view and keeps nothing
    but pixels.

    Its parts are public: `cells` are drawn from the matrix, `overlay` marks some of them, `extent` says which are in
    view, `gestures` tell what a person wants of them. Drawing waits until the map is painted, so that many changes
    cost one drawing; a map that is not visible draws nothing, yet answers `cell_at` and `cell_rect`. `interactive`
    maps take focus, choose cells and leave room for the focus ring; the others are thumbnails that can be clicked.
    """

    levelsChanged = Signal(object)
    numbersArrived = Signal()  # what was not computed yet is
    lettered = Signal()  # numbers are written into the cells in another way, or no more

    def __init__(self, parent: QWidget | None = None, *, interactive: bool = True, zoomable: bool = False) -> None:
        self._ready = False  # pyqtgraph's constructor already resizes
        super().__init__(parent, useOpenGL=False, background=None)
        self.shown, self._interactive, self._stale = Shown(), interactive, True
        self.split: OtherHalf | None = None
        box = ZoomBox() if zoomable else None
        self.cells = CellsItem(self.viewport(), small=not interactive)
        self.overlay = OverlayItem(self.viewport(), small=not interactive)
        for item in (self.cells, self.overlay, box):
            if item is not None:
                self.scene().addItem(item)
        self._placing = Placing(self.cells, self.overlay, box)
        self.extent = Extent(self, box)
        self.extent.changed.connect(self._arrange)
        self.gestures = Gestures(self, self.overlay, self.extent, self.cell_under, interactive=interactive)
        self.typing = CellTyping(self)
        self.settle = self.typing.settle  # as the window asks of whatever is typed into
        self.taken = TakenLevels(self.cells)
        self._news = News(self, self.cells)
        self._news.arrived.connect(self._on_news_arrived)
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setMouseTracking(interactive)
        self.viewport().setMouseTracking(interactive)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if interactive else Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        let_ground_through(self.viewport())  # lines in the gaps between maps run up to their frames
        self._ready = True
        self.follow_theme()

    # --- what is shown ---------------------------------------------------------------------------
    @property
    def plane(self) -> PlaneLike | None:
        """The matrix on show."""
        return self.shown.plane

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix on show."""
        return self.shown.shape

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
                self.extent.set_shape(shown.shape)
        if recolored:
            self.taken.set_shade(shown.shade)
        self.cells.set_style(palette=shown.palette, values_shown=shown.values, dimmed=shown.dimmed)
        self.overlay.set_marks(**shown.marks())
        self._arrange()
        if other or recolored or (shown.values, shown.dimmed) != (before.values, before.dimmed):
            self._redraw()
        self._describe_chosen()
        if recolored or (other and self.isVisible() and self.levels != levels):
            self.levelsChanged.emit(self.levels)
        if shown.values != before.values:
            self.numbersArrived.emit()

    def refresh(self, rows: slice, columns: slice) -> None:
        """Take new numbers of these cells: draw and repaint them alone, with the present levels."""
        if self._stale or not self.isVisible():
            self._redraw()
        else:
            self.cells.render_part(rows, columns)
        if self.chosen is not None and rows.start <= self.chosen[0] < rows.stop:
            self._describe_chosen()

    def cell_at(self, row: int, column: int) -> tuple[float, QColor]:
        """The exact value of a cell and the color it is drawn with; IndexError outside the matrix."""
        rows, columns = self.shape
        if self.plane is None or not (0 <= row < rows and 0 <= column < columns):
            raise IndexError(f"no cell ({row}, {column}) in a map of {rows} × {columns}")
        self._arrange()
        if self.split is not None and (found := self.split.cell_at(row, column)) is not None:
            return found
        self.cells.set_style(levels=self.levels)
        values, _ = self.plane.block(slice(row, row + 1), slice(column, column + 1))
        return float(values[0, 0]), self.cells.color_of(row, column)

    def copied(self) -> Copied | None:
        """The chosen block, else the whole matrix on show, with the names of its rows and columns."""
        return self.shown.copied(self.overlay.marks.block)

    # --- levels ----------------------------------------------------------------------------------
    @property
    def levels(self) -> Levels:
        """The values at the two ends of the colors."""
        return self.taken.now()

    def retake_levels(self) -> bool:
        """Take automatic levels again, as at rest after edits; whether they are known to be others."""
        before = self.taken.kept
        self.taken.forget()
        changed = self.isVisible() and self.levels != before
        if changed:
            self._redraw()
            self.levelsChanged.emit(self.levels)
        elif not self.isVisible():
            self._redraw()  # and they are taken when they are asked for
        return changed

    # --- chosen cell -----------------------------------------------------------------------------
    @property
    def chosen(self) -> Cell | None:
        """The chosen cell."""
        return self.overlay.marks.chosen

    def set_chosen(self, cell: Cell | None) -> None:
        """A square round a cell, brought into view; None for none."""
        rows, columns = self.shape
        cell = cell if cell is not None and 0 <= cell[0] < rows and 0 <= cell[1] < columns else None
        if cell is not None and cell != self.chosen:
            self.extent.bring(*cell)
        self.overlay.set_marks(chosen=cell)
        if motion_reduced():
            self.overlay.clear_flash()
        self._describe_chosen()

    def set_block(self, block: Area | None) -> None:
        """A ring round several chosen cells; None for none."""
        self.overlay.set_marks(block=block)
        self._describe_chosen()

    def _describe_chosen(self) -> None:
        """The chosen cells in words, for screen readers."""
        words = cell_in_words(self.shown, *self.chosen, self.overlay.marks) if self.chosen is not None else ""
        describe(self, f"{block_in_words(self.overlay.marks.block)} {words}".strip())

    # --- places ----------------------------------------------------------------------------------
    @property
    def margin(self) -> int:
        """Pixels around the cells: the frame and, for maps that take focus, its ring."""
        ring = scaled(LINE.focus_gap) + scaled(LINE.focus) if self._interactive else 0
        return int(LINE.hairline) + ring

    @property
    def placement(self) -> Placement:
        """Placement of the cells: which are drawn, and at which pixels."""
        self._arrange()
        return Placement(self._inner(), self.cells.rows, self.cells.columns)

    def place_cells(self, rect: QRect) -> None:
        """Move and resize so that the cells fill exactly this rectangle of the parent."""
        self.setGeometry(rect.adjusted(-self.margin, -self.margin, self.margin, self.margin))
        self._arrange()

    def cell_rect(self, row: int, column: int) -> QRect:
        """The pixels of a cell in the widget's coordinates; null while it is zoomed out of view."""
        self._arrange()
        rect = self.overlay.cell_rect(row, column)
        return rect.translated(self._inner().topLeft()) if not rect.isEmpty() else QRect()

    def cell_under(self, position: QPoint, nearest: bool = False) -> Cell | None:
        """The cell at a point, or the nearest to one outside; where cells are smaller than pixels, the one whose value
        the pixel shows."""
        place = self.placement
        inner = position - place.cells.topLeft()
        if nearest:
            most = QPoint(place.cells.width() - 1, place.cells.height() - 1)
            inner = QPoint(max(0, min(inner.x(), most.x())), max(0, min(inner.y(), most.y())))
        down, right = place.rows.bin_at(inner.y()), place.columns.bin_at(inner.x())
        return None if down is None or right is None else self.cells.strongest(down, right)

    def _inner(self) -> QRect:
        rect: QRect = self.rect()
        return rect.adjusted(self.margin, self.margin, -self.margin, -self.margin)

    def _arrange(self, *_: object) -> None:
        """Bring cells and marks to where the size of the widget and the window of cells put them."""
        if self._placing.arrange(self._inner(), self.shape, self.extent.window):
            self._redraw()

    # --- drawing ---------------------------------------------------------------------------------
    def follow_theme(self) -> None:
        """The colors and sizes have changed; they are those of `views.theme`."""
        self.cells.set_style(theme=current_theme())
        self.overlay.set_theme(current_theme())
        self._placing.forget()
        self._arrange()

    def _redraw(self) -> None:
        """Draw everything again once the map is painted."""
        self._stale = True
        self.viewport().update()

    def _on_news_arrived(self, rows: slice, columns: slice) -> None:
        """More of the plane is known, and with it perhaps a larger number."""
        if not self.retake_levels() and self._interactive:
            self.refresh(rows, columns)
        elif not self._interactive:
            self._redraw()  # perhaps from a picture of another size
        self.numbersArrived.emit()

    # --- what Qt asks ----------------------------------------------------------------------------
    close = QWidget.close  # a view of pyqtgraph's would take itself apart, with what lies over it

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint() * 4

    def minimumSizeHint(self) -> QSize:
        side = 2 * self.margin + scaled(24)
        return QSize(side, side)

    def event(self, event: QEvent) -> bool:
        """Take the mouse also where tools that know no viewports send it to the map itself."""
        return (self._ready and self.gestures.answered(event)) or bool(super().event(event))

    def viewportEvent(self, event: QEvent) -> bool:
        return (self._ready and self.gestures.answered(event)) or bool(super().viewportEvent(event))

    def leaveEvent(self, event: QEvent) -> None:
        self.gestures.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.gestures.key(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.gestures.offer_menu(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.gestures.focus_in(event.reason())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.gestures.focus_out(event.reason())

    def hideEvent(self, event: QHideEvent) -> None:
        self.typing.close()
        super().hideEvent(event)
        self._stale |= self._news.leave()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self._ready:
            self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._stale:
            self._arrange()
            self.cells.set_style(levels=self.levels)
            before = self.cells.numbers
            self.cells.render()
            self._stale = False
            if self.cells.numbers != before:
                self.lettered.emit()
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if self._ready and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.follow_theme()
        super().changeEvent(event)
