"""Base of the lines above the pictures that belong to something under way, with a cross that ends it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.icons import icon
from attn_gui.views.theme import current_theme


class ToolLine(QWidget):
    """A tinted row; a subclass adds its widgets to `_row`, `_close` last, and listens to that."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._close = QToolButton(self)
        self._close.setIcon(icon("close"))
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(SPACING.xl, SPACING.s, SPACING.m, SPACING.s)
        self._row.setSpacing(SPACING.m)

    # --- what Qt asks ----------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.accent_soft)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)
