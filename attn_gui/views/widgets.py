"""A page that scrolls as one: it has all of the width, and at least the height that it needs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget

from attn_gui.views.bases.viewport import own_viewport
from attn_gui.views.theme import scaled

LEAST_HEIGHT = 72


class FittingPage(QScrollArea):
    """Gives its page all of the width, and all of the height or as much as the page needs.

    A page is best made in the viewport: one that moves is styled again, with everything in it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = own_viewport(self)  # until there is one
        self._page.setAutoFillBackground(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def hold(self, page: QWidget) -> None:
        """Show a page."""
        self._page = page
        self.setWidget(page)
        page.setAutoFillBackground(False)
        page.installEventFilter(self)

    def fit(self) -> None:
        """Give the page its size.

        Whether there is a scroll bar is decided by the width without one: a picture that is lower where it is narrower
        may need one without it and none with it, and would go back and forth for ever.
        """
        whole, layout = self.contentsRect(), self._page.layout()
        if whole.width() <= 0 or layout is None:
            return
        policy, scrolls = Qt.ScrollBarPolicy, _needed(layout, whole.width()) > whole.height()
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff)
        width, room = self.viewport().width(), self.viewport().height()
        self._page.resize(width, max(_needed(layout, width), room))

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


def _needed(layout: QLayout, width: int) -> int:
    """The least height of a page at a width."""
    return layout.minimumHeightForWidth(width) if layout.hasHeightForWidth() else layout.minimumSize().height()
