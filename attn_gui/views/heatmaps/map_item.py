"""What the items of a map share: they ask their view for paint, since a scene would have every map painted alone."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRect, QRectF
from PySide6.QtWidgets import QWidget


class MapItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """An item of which a scene's pixel is a pixel of the viewport."""

    def __init__(self, viewport: QWidget) -> None:
        super().__init__()
        self._viewport = viewport

    def boundingRect(self) -> QRectF:
        raise NotImplementedError

    def repaint(self, rect: QRect | None = None) -> None:
        """Have a rectangle painted, or everything, together with whatever else in the window waits for it."""
        area = self.boundingRect().toRect() if rect is None else rect
        self._viewport.update(area.translated(self.pos().toPoint()))
