"""Base of the items of a map: they are painted over each other into one widget, and repaint what they touch."""

from __future__ import annotations

from abc import ABC, abstractmethod

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget


class MapItem(ABC):
    """An item whose `origin` lies at a pixel of the canvas; `area` is everything that it paints, round its origin."""

    def __init__(self, canvas: QWidget) -> None:
        self.canvas = canvas
        self.area, self.origin = QRect(), QPoint()

    def repaint(self, rect: QRect | None = None) -> None:
        """Have a rectangle painted, or everything, together with whatever else in the window waits for it."""
        self.canvas.update((self.area if rect is None else rect).translated(self.origin))

    @abstractmethod
    def paint(self, painter: QPainter, exposed: QRect) -> None:
        """Paint what is exposed; the painter stands at the origin."""
