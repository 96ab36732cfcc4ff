"""A scene of pyqtgraph as a part of a widget."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsView, QWidget

pg.setConfigOption("mouseRateLimit", -1)  # else what is dragged stays behind the pointer where a hand is fast


class SceneView(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Stands on "surface", in whatever theme, and leaves the focus to the widget around it."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent, background=None)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def close(self) -> bool:
        """As any widget does: pyqtgraph's clears the scene while its items are in use, and crashes."""
        return QGraphicsView.close(self)
