"""What the layers of a map share: where they lie in their view, and how they ask it for paint."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget


class MapItem:
    """A layer of which a pixel is a pixel of its view."""

    def __init__(self, view: QWidget) -> None:
        self._view = view
        self.origin = QPoint()

    def area(self) -> QRect:
        """Everything that is painted, around the layer's own origin."""
        raise NotImplementedError

    def repaint(self, rect: QRect | None = None) -> None:
        """Have a rectangle painted, or everything, together with whatever else in the window waits for it."""
        self._view.update((self.area() if rect is None else rect).translated(self.origin))
