"""The overview in a corner of a zoomed map: which corner, its frame drawn and moved by mouse or keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRect, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.document.edits import fill_template
from attn_gui.engine.arrays import Box
from attn_gui.figure.colors import TYPED, ColorScale
from attn_gui.figure.design_tokens import LINE, SPACING
from attn_gui.pictures.planes import Window
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.map_view import SceneView
from attn_gui.views.map.thumbnail import Thumbnail
from attn_gui.views.theme import current_theme, scaled
from attn_gui.views.widgets import RETURNING

SHARE, LEAST, MOST = 0.25, 32, 128
"""Of each side of the map, within so many pixels."""

VEILED = 96
"""Share of the background over the part that is not in view, of 255."""

SMALLEST_FRAME = 6
STEP = 0.25
"""Of the window, for an arrow; with Shift, and by PageUp and PageDown, the whole of it."""

Keys = Qt.Key
ARROWS: dict[int, tuple[int, int]] = {
    Keys.Key_Left: (0, -1),
    Keys.Key_Right: (0, 1),
    Keys.Key_Up: (-1, 0),
    Keys.Key_Down: (1, 0),
}
PAGES: dict[int, int] = {Keys.Key_PageUp: -1, Keys.Key_PageDown: 1}
ENDS: dict[int, int] = {Keys.Key_Home: -1, Keys.Key_End: 1}


class Minimap(QWidget):
    """Visible while its map is zoomed, in the first corner where it does not cover the chosen cell.

    What it shows is the picture that the whole map had: a small map of the same plane, levels and colors.
    """

    def __init__(self, heatmap: Heatmap) -> None:
        super().__init__(heatmap)
        self._heatmap = heatmap
        self._whole: Thumbnail | None = None  # made once the map is zoomed
        self._frame: ViewFrame | None = None
        self._held = False
        self._ring = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.hide()
        heatmap.placed.connect(self.follow)
        heatmap.zoomed.connect(self.follow)
        heatmap.levelsChanged.connect(self.follow)

    def follow(self, *_: object) -> None:
        """Show what the map shows now, or nothing while it is not zoomed."""
        if not self._heatmap.isVisible():
            return  # until it is shown
        place = self._place() if self._zoomed() else QRect()
        if not place.isEmpty():
            if not self._held:  # it stays under the pointer
                self.setGeometry(place)
            self._draw_like_the_map()
        elif self.hasFocus():
            self._heatmap.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setVisible(not place.isEmpty())

    def refresh(self, boxes: Sequence[Box]) -> None:
        """Take new numbers of these cells."""
        if self._whole is not None:
            self._whole.refresh_boxes(boxes)

    def set_title(self, title: str) -> None:
        """Set the name of the stage, for those who cannot see the map."""
        self.setAccessibleName(fill_template(self.tr("Overview of {title}"), {"title": title}))
        self.setToolTip(self.tr("The whole map. Drag the frame or press the arrow keys to move, Esc to go back."))

    def frame(self) -> QRect:
        """Return the pixels of what is in view."""
        return self._frame.pixels if self._frame is not None else QRect()

    def cells(self) -> QRect:
        """Return the pixels of the whole map, within its frame and an edge that parts it from the map behind."""
        edge = scaled(LINE.focus) + round(LINE.hairline)
        return self.rect().adjusted(edge, edge, -edge, -edge)

    # --- what is shown where ---------------------------------------------------------------------
    def _zoomed(self) -> bool:
        """Return whether a double click would show more."""
        (top, bottom, left, right), home = self._heatmap.box.in_view, self._heatmap.box.home
        return bottom - top < home[1] - home[0] or right - left < home[3] - home[2]

    def _place(self) -> QRect:
        """Return the corner below on the right, or the next one that leaves the chosen cell free; null without room."""
        room = self._heatmap.placement.cells
        width, height = (_side(length) for length in (room.width(), room.height()))
        if not width or not height:
            return QRect()
        away = scaled(SPACING.m)
        xs = room.right() + 1 - away - width, room.left() + away
        ys = room.bottom() + 1 - away - height, room.top() + away
        corners = [QRect(x, y, width, height) for y in ys for x in xs]
        chosen = self._heatmap.chosen
        cell = self._heatmap.cell_rect(*chosen) if chosen is not None else QRect()
        if cell.isEmpty():
            return corners[0]
        free = [corner for corner in corners if not corner.adjusted(-away, -away, away, away).intersects(cell)]
        farthest = max(corners, key=lambda corner: (corner.center() - cell.center()).manhattanLength())
        return free[0] if free else farthest

    def _draw_like_the_map(self) -> None:
        """Take over plane, colors and marks of the map; what has not changed is not drawn again."""
        whole, shown = self._whole or self._made(), self._heatmap.shown
        color_scale = ColorScale(TYPED, self._heatmap.levels, shown.palette)
        whole.set_shown(replace(shown, color_scale=color_scale, values=False))
        whole.set_chosen(self._heatmap.chosen)
        if self._frame is not None:
            self._frame.follow()

    def _made(self) -> Thumbnail:
        self._whole, self._frame = Thumbnail(self), ViewFrame(self, self._heatmap)
        for part in (self._whole, self._frame):
            part.show()
        self._lay_out()
        return self._whole

    def _lay_out(self) -> None:
        if self._whole is not None and self._frame is not None:
            edge = self._whole.margin
            self._whole.setGeometry(self.cells().adjusted(-edge, -edge, edge, edge))
            self._frame.setGeometry(self.rect())
            self._frame.follow()

    # --- moving ----------------------------------------------------------------------------------
    def center_on(self, row: float, column: float) -> None:
        """Move what is in view to be round a place in the matrix."""
        window = self._heatmap.box.in_view
        self._move(window, row - (window[0] + window[1]) / 2, column - (window[2] + window[3]) / 2)

    def hold(self, held: bool) -> None:
        """Set whether it stays where it is, as while a button holds the frame."""
        self._held = held
        self.setCursor(Qt.CursorShape.ClosedHandCursor if held else Qt.CursorShape.OpenHandCursor)
        if not held:
            self.follow()

    def _move(self, window: Window, down: float, across: float) -> None:
        """Show the window moved by so many cells, as far as there are any."""
        (top, bottom, left, right), (rows, columns) = window, self._heatmap.shape
        down, across = min(max(down, -top), rows - bottom), min(max(across, -left), columns - right)
        self._heatmap.box.set_window((top + down, bottom + down, left + across, right + across))

    def hideEvent(self, event: QHideEvent) -> None:
        """Let go of the matrix: its document may go before this is seen again."""
        super().hideEvent(event)
        if self._whole is not None:
            self._whole.set_shown(replace(self._whole.shown, plane=None))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._show_ring(True)
        key, window = event.key(), self._heatmap.box.in_view
        far = 1.0 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else STEP
        rows, columns = window[1] - window[0], window[3] - window[2]
        if key in ARROWS:
            self._move(window, ARROWS[key][0] * rows * far, ARROWS[key][1] * columns * far)
        elif key in PAGES:
            self._move(window, PAGES[key] * rows, 0)
        elif key in ENDS:
            self._move(window, *(ENDS[key] * length for length in self._heatmap.shape))
        elif key == Qt.Key.Key_Escape:
            self._heatmap.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            event.ignore()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Send the map a Leave event: Qt sends none to a widget whose child the pointer enters."""
        QApplication.sendEvent(self._heatmap, QEvent(QEvent.Type.Leave))

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in RETURNING:
            self._show_ring(event.reason() != Qt.FocusReason.MouseFocusReason)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in RETURNING:
            self._show_ring(False)

    def _show_ring(self, shown: bool) -> None:
        self._ring = shown
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the edge that parts it from the map behind."""
        theme = current_theme()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), theme.accent if self._ring else theme.casing)


class ViewFrame(SceneView):
    """Lies over a minimap: dims what is not in view; what is has a frame, a region of pyqtgraph's that is dragged."""

    def __init__(self, minimap: Minimap, heatmap: Heatmap) -> None:
        super().__init__(minimap)
        self.viewport().setAutoFillBackground(False)  # the picture is seen through it
        self._minimap, self._heatmap, self.pixels = minimap, heatmap, QRect()
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, invertY=True, defaultPadding=0)
        unseen = pg.mkPen(None)  # its lines would not be held to whole pixels
        self._region = pg.ROI((0, 0), (1, 1), resizable=False, rotatable=False, pen=unseen, hoverPen=unseen)
        self._box.addItem(self._region, ignoreBounds=True)
        self.addItem(self._box)
        self._region.sigRegionChanged.connect(self._on_region_changed)

    def follow(self) -> None:
        """Frame what is in view now."""
        (rows, columns), (top, bottom, left, right) = self._heatmap.shape, self._heatmap.box.in_view
        cells, smallest = self._minimap.cells(), scaled(SMALLEST_FRAME)
        if not rows or not columns:
            return
        self._box.setGeometry(QRectF(cells))
        self._box.setRange(QRectF(0, 0, columns, rows), padding=0)
        across, down = cells.width() / columns, cells.height() / rows
        exact = QRectF(left * across, top * down, (right - left) * across, (bottom - top) * down)
        frame = exact.translated(cells.topLeft()).toRect()
        wider, higher = max(0, smallest - frame.width()), max(0, smallest - frame.height())
        self.pixels = frame.adjusted(-(wider // 2), -(higher // 2), wider - wider // 2, higher - higher // 2)
        width, height = max(right - left, smallest / across), max(bottom - top, smallest / down)
        with QSignalBlocker(self._region):
            self._region.setSize((width, height), update=False)
            self._region.setPos(((left + right - width) / 2, (top + bottom - height) / 2))
        self.viewport().update()

    def _on_region_changed(self, _region: object) -> None:
        at, size = self._region.pos(), self._region.size()
        self._minimap.center_on(at.y() + size.y() / 2, at.x() + size.x() / 2)
        self.follow()  # where it was drawn beyond the edge

    def drawForeground(self, painter: QPainter, _exposed: QRectF) -> None:
        theme, background = current_theme(), QColor(current_theme().line)
        background.setAlpha(VEILED)
        painter.save()
        painter.setClipRegion(QRegion(self._minimap.cells()).subtracted(self.pixels))
        painter.fillRect(self.rect(), background)
        painter.restore()
        painter.setPen(theme.casing)
        painter.drawRect(self.pixels.adjusted(-1, -1, 0, 0))
        painter.setPen(theme.ink)
        painter.drawRect(self.pixels.adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the frame to a press beside it; from then on it is dragged."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._minimap.hold(True)
            if not self.pixels.contains(event.position().toPoint()):
                at = self._box.mapSceneToView(event.position())
                self._minimap.center_on(at.y(), at.x())
        super().mousePressEvent(event)
        event.accept()  # here and below: else it goes on to the cell behind

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._minimap.hold(False)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._heatmap.box.reset()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the middle of what is in view, whatever lies below the pointer."""
        event.accept()
        self._heatmap.box.zoom(event.angleDelta().y())


def _side(length: int) -> int:
    """Return the pixels of a side of the minimap in a map of so many; 0 where it would hide too much."""
    side = min(max(round(length * SHARE), scaled(LEAST)), scaled(MOST))
    return side if 2 * side <= length else 0
