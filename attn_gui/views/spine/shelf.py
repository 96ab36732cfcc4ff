"""A row of things wider than the window: it scrolls sideways and keeps one of them in view."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.viewport import own_viewport
from attn_gui.views.theme import scaled


class Shelf(QScrollArea):
    """Scrolls sideways only. With `fits` it is as high as its row, and its scroll bar where there is one."""

    def __init__(self, row: QWidget, parent: QWidget | None = None, *, fits: bool = False) -> None:
        super().__init__(parent)
        own_viewport(self)
        self._row = row
        self._kept: QWidget | None = None
        self._fits, self._sized = fits, False
        self.setWidget(row)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def keep_in_view(self, item: QWidget | None) -> None:
        """Scroll as far as needed to see an item, now and whenever the width changes."""
        self._kept = item
        if item is not None and (layout := self._row.layout()) is not None:
            self._row.resize(self._row.minimumSizeHint().expandedTo(self.viewport().size()))
            layout.activate()
            self.ensureWidgetVisible(item, scaled(SPACING.xxl), 0)

    def fit(self) -> None:
        """Take the height of the row again; before the first layout it is not known whether it scrolls."""
        needed = self._row.sizeHint()
        scrolls = self._sized and needed.width() > self.viewport().width()
        self.setFixedHeight(needed.height() + (self.horizontalScrollBar().sizeHint().height() if scrolls else 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sized = True
        if self._fits:
            self.fit()
        self.keep_in_view(self._kept)
