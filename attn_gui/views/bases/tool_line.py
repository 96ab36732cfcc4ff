"""Base of the lines above the pictures that belong to something under way, with a cross that ends it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.icons import icon
from attn_gui.views.theme import current_theme


class ToolLine(QWidget):
    """A tinted row; a subclass adds its widgets to `_row`, `_close` last, and listens to that. What needs a line of its
    own goes into `_column`, below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._close = QToolButton(self)
        self._close.setIcon(icon("close"))
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._column, self._row = QVBoxLayout(self), QHBoxLayout()
        self._column.setContentsMargins(SPACING.xl, SPACING.s, SPACING.m, SPACING.s)
        self._column.setSpacing(SPACING.xs)
        self._column.addLayout(self._row)
        self._row.setSpacing(SPACING.m)

    # --- what Qt asks ----------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.accent_soft)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)
