"""A page that fits itself into the height it gets: what can be done without gives way, and then it scrolls."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from attn_gui.views.theme import scaled

LEAST_HEIGHT = 120


class FittingPage(QScrollArea):
    """Gives its page all of the width, and all of the height or as much as the page cannot do without."""

    def __init__(self, page: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self._dispensable: tuple[QWidget, ...] = ()
        self.setWidget(page)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for part in (self.viewport(), page):
            part.setAutoFillBackground(False)
        page.installEventFilter(self)

    def set_dispensable(self, widgets: Sequence[QWidget]) -> None:
        """What is shown only where there is room, the first to go first."""
        self._dispensable = tuple(widgets)
        self.fit()

    def fit(self) -> None:
        """Show what there is room for, and give the page its size."""
        width, room = self.viewport().width(), self.viewport().height()
        layout = self._page.layout()
        if layout is None or width <= 0:
            return
        heights = {widget: _height(widget, width) + layout.spacing() for widget in self._dispensable}
        least = layout.minimumHeightForWidth(width)
        needed = least + sum(height for widget, height in heights.items() if widget.isHidden())
        for widget, height in heights.items():
            shown = needed <= room
            needed -= 0 if shown else height
            if widget.isHidden() == shown:  # asks for a new layout, and so for this again: only where it differs
                widget.setVisible(shown)
        self._page.resize(width, max(needed, room))

    # --- what Qt asks ----------------------------------------------------------------------------
    def minimumSizeHint(self) -> QSize:
        return QSize(self._page.minimumSizeHint().width(), scaled(LEAST_HEIGHT))

    def sizeHint(self) -> QSize:
        return self._page.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()  # Alt with an arrow goes back, and does not scroll
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().eventFilter(watched, event)


def _height(widget: QWidget, width: int) -> int:
    return widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.minimumSizeHint().height()
