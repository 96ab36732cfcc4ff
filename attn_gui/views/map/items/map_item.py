"""Base of the items of a map: they ask their view for paint, since a scene would repaint the whole map."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF
from PySide6.QtWidgets import QWidget


class MapItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """An item of which a pixel is a pixel of the viewport; `area` is everything that it paints, round its origin."""

    def __init__(self, viewport: QWidget) -> None:
        super().__init__()
        self.viewport = viewport
        self.area = QRect()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # tells what is exposed

    def set_area(self, area: QRect) -> None:
        """Paint another area from now on."""
        if area != self.area:
            self.prepareGeometryChange()
            self.area = area

    def repaint(self, rect: QRect | None = None) -> None:
        """Have a rectangle painted, or everything, together with whatever else in the window waits for it."""
        self.viewport.update((self.area if rect is None else rect).translated(self.pos().toPoint()))

    # --- what Qt asks ----------------------------------------------------------------------------
    def boundingRect(self) -> QRectF:
        return QRectF(self.area)
