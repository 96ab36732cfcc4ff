"""A scene of pyqtgraph as a part of a widget."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsView, QWidget

from attn_gui.views.theme import set_background

pg.setConfigOption("mouseRateLimit", -1)  # else what is dragged stays behind the pointer where a hand is fast


class SceneView(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Stands on "surface", in whatever theme, and leaves focus and menus to the widget around it."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent, background=None)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setCentralItem(None)
        set_background(self.viewport(), "surface")
        for widget in (self, self.viewport()):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        while self.scene().contextMenu:
            self.scene().contextMenu.pop().deleteLater()  # "Export...", which the program has in its own words

    def close(self) -> bool:
        """Close as any widget does: pyqtgraph's clears the scene while its items are in use, and crashes."""
        return QGraphicsView.close(self)
