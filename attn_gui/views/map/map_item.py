"""Base of the items of a map: they ask their view for paint, since a scene would repaint the whole map."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget


class MapItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """An item of which a pixel is a pixel of the viewport."""

    def __init__(self, viewport: QWidget) -> None:
        super().__init__()
        self._viewport = viewport
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # tells what is exposed

    def area(self) -> QRect:
        """Everything that is painted, around the item's own origin."""
        raise NotImplementedError

    def draw(self, painter: QPainter, exposed: QRect) -> None:
        """Paint what lies in a rectangle."""
        raise NotImplementedError

    def repaint(self, rect: QRect | None = None) -> None:
        """Have a rectangle painted, or everything, together with whatever else in the window waits for it."""
        self._viewport.update((self.area() if rect is None else rect).translated(self.pos().toPoint()))

    # --- what Qt asks ----------------------------------------------------------------------------
    def boundingRect(self) -> QRectF:
        return QRectF(self.area())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        self.draw(painter, option.exposedRect.toAlignedRect())
