"""A scene of pyqtgraph that stands on the ground of the widget around it."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsView, QWidget

pg.setConfigOption("mouseRateLimit", -1)  # else what is dragged stays behind the pointer where a hand is fast


class ClearView(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Has no ground and takes no focus: both are those of its parent."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent, background=None)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def close(self) -> bool:
        """As any widget does: pyqtgraph's clears the scene while its items are in use, and crashes."""
        return QGraphicsView.close(self)
