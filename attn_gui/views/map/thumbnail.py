"""Small maps that only show a matrix, in heads, formula row and grids, and the button with one in it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.document.clipboard import CopiedCells
from attn_gui.figure.design_tokens import LINE, RADIUS
from attn_gui.pictures.planes import Window
from attn_gui.views.map.map_drawing import MapCanvas
from attn_gui.views.map.marks import OUTSIDE, Cell
from attn_gui.views.theme import current_theme
from attn_gui.views.widgets import KeyboardButton, inset, paint_rounded


class Thumbnail(MapCanvas):
    """Picture of a whole matrix in a few pixels; the widget around it takes the mouse and the keyboard."""

    def __init__(self, parent: QWidget | None = None, *, small: bool = True) -> None:
        """Show a map that is never written into; one that is not `small` has its numbers where they fit."""
        super().__init__(parent, small=small)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.follow_theme()

    @property
    def margin(self) -> int:
        """Pixels around the cells: the frame."""
        return int(LINE.hairline)

    def set_chosen(self, cell: Cell | None) -> None:
        """Set the square round a cell; None for none."""
        self.overlay.set_marks(chosen=cell)

    def copied(self) -> CopiedCells | None:
        """Return the whole matrix, with the names of its rows and columns."""
        return self.shown.copied()

    # --- painting --------------------------------------------------------------------------------
    def show_cells(self, _pixels: QRect | None) -> None:
        """Repaint: so few pixels are painted whole."""
        self.update()

    def show_marks(self, _kinds: Iterable[str]) -> None:
        """Repaint: so few pixels are painted whole."""
        self.update()

    def _place(self) -> tuple[QRect, Window]:
        """Return the pixels of the cells, all of which are in view."""
        rows, columns = self.shown.shape
        return self._inner(), (0.0, rows, 0.0, columns)

    def _inner(self) -> QRect:
        frame = int(LINE.hairline)
        return self.rect().adjusted(frame, frame, -frame, -frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.redraw()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.draw()
        cells = self._inner()
        with QPainter(self) as painter:
            painter.translate(cells.topLeft())
            painter.save()
            self.paint_cells(painter)
            painter.restore()
            for kind in self.overlay.kinds:
                painter.save()
                if kind not in OUTSIDE:
                    painter.setClipRect(QRect(QPoint(), cells.size()))
                self.overlay.paint(painter, kind)
                painter.restore()

    def hideEvent(self, event: QHideEvent) -> None:
        self.rest()


class MapButton(KeyboardButton):
    """Button over a map: a subclass places the map and paints around it; whether it is chosen is set from outside."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.map = Thumbnail(self)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def copied(self) -> CopiedCells | None:
        """Return the matrix of the map."""
        return self.map.copied()

    def map_rect(self) -> QRect:
        """Return the rectangle of the map, its frame included."""
        raise NotImplementedError

    def place_map(self) -> None:
        """Put the map where it belongs."""
        self.map.setGeometry(self.map_rect())

    def paint_background(self, painter: QPainter) -> None:
        """Paint the accent's soft background and an accent frame under the chosen one."""
        if not self.isChecked():
            return
        theme = current_theme()
        edge = QPen(theme.accent, LINE.focus)
        paint_rounded(painter, inset(self.rect(), 1), RADIUS.frame, fill=theme.accent_soft, edge=edge)

    def paint_focus(self, painter: QPainter) -> None:
        """Paint the ring of the keyboard, outside the map's frame."""
        if self.ring_shown():
            away = LINE.focus_gap + LINE.focus / 2 - 1
            edge = QPen(current_theme().accent, LINE.focus)
            paint_rounded(painter, inset(self.map_rect(), -away), RADIUS.control, edge=edge)

    def nextCheckState(self) -> None:
        """Ignore the click's own change of state: it asks to be chosen and does not choose by itself."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_map()
