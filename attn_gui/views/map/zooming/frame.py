"""The frame of an overview, of pyqtgraph's parts: a region of the whole map that is dragged to other cells."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QRegion, QWheelEvent
from PySide6.QtWidgets import QWidget

from attn_gui.pictures.geometry import Window
from attn_gui.views.bases.clear_view import ClearView
from attn_gui.views.theme import current_theme, scaled

VEILED = 96
"""Share of the ground over the part that is not in view, of 255."""

SMALLEST = 6


class Frame(ClearView):
    """Lies over the picture of a whole map: dims what is not in view, and frames what is."""

    dragged = Signal(float, float)  # the row and column in the middle
    heldChanged = Signal(bool)  # whether a button holds the frame
    doubleClicked = Signal()
    wheelTurned = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rect_in_view, self._cells = QRect(), QRect()
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, invertY=True, defaultPadding=0)
        unseen = pg.mkPen(None)
        self._region = pg.ROI((0, 0), (1, 1), resizable=False, rotatable=False, pen=unseen, hoverPen=unseen)
        self._box.addItem(self._region, ignoreBounds=True)
        self.addItem(self._box)
        self._region.sigRegionChanged.connect(self._on_region_changed)

    def set_window(self, cells: QRect, shape: tuple[int, int], window: Window) -> None:
        """Frame a window of a map of so many rows and columns, all of which is shown in these pixels."""
        self._cells, (rows, columns), (top, bottom, left, right) = cells, shape, window
        self._box.setGeometry(QRectF(cells))
        self._box.setRange(QRectF(0, 0, columns, rows), padding=0)
        across, down = cells.width() / columns, cells.height() / rows
        exact = QRectF(left * across, top * down, (right - left) * across, (bottom - top) * down)
        frame, smallest = exact.translated(cells.topLeft()).toRect(), scaled(SMALLEST)
        wider, higher = max(0, smallest - frame.width()), max(0, smallest - frame.height())
        self.rect_in_view = frame.adjusted(-(wider // 2), -(higher // 2), wider - wider // 2, higher - higher // 2)
        width, height = max(right - left, smallest / across), max(bottom - top, smallest / down)
        with QSignalBlocker(self._region):
            self._region.setSize((width, height), update=False)
            self._region.setPos(((left + right - width) / 2, (top + bottom - height) / 2))
        self.viewport().update()

    def _on_region_changed(self, *_: object) -> None:
        at, size = self._region.pos(), self._region.size()
        self.dragged.emit(at.y() + size.y() / 2, at.x() + size.x() / 2)

    # --- what Qt asks ----------------------------------------------------------------------------
    def drawForeground(self, painter: QPainter, _exposed: QRectF) -> None:
        """Whole pixels, which pyqtgraph's own pens are not held to."""
        theme, frame = current_theme(), self.rect_in_view
        ground = QColor(theme.line)
        ground.setAlpha(VEILED)
        painter.save()
        painter.setClipRegion(QRegion(self._cells).subtracted(frame))
        painter.fillRect(self.rect(), ground)
        painter.restore()
        painter.setPen(theme.casing)
        painter.drawRect(frame.adjusted(-1, -1, 0, 0))
        painter.setPen(theme.ink)
        painter.drawRect(frame.adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press beside the frame takes it there; from then on it is dragged."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.heldChanged.emit(True)
            if not self.rect_in_view.contains(event.position().toPoint()):
                at = self._box.mapSceneToView(event.position())
                self.dragged.emit(at.y(), at.x())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.heldChanged.emit(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.doubleClicked.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        self.wheelTurned.emit(event.angleDelta().y())
