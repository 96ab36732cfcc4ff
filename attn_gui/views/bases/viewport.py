"""Viewports of scroll areas that Python made, so that the first one is known at once."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QWidget


def own_viewport(area: QAbstractScrollArea) -> QWidget:
    """A viewport in the place of Qt's own, which PySide would first look up among all classes of widgets there are:
    it makes them for that, and this takes a fiftieth of a start."""
    viewport = QWidget()
    if isinstance(area, QAbstractItemView):  # as Qt dresses its own
        viewport.setBackgroundRole(QPalette.ColorRole.Base)
        viewport.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
    area.setViewport(viewport)
    return viewport
