"""The line above the pictures while the brush of the mask is in hand: its shapes, and the way to put it away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.action_button import listen_once
from attn_gui.views.bases.elided_label import ElidedLabel
from attn_gui.views.icons import icon
from attn_gui.views.theme import current_theme, dress


class BrushBar(QWidget):
    """A button a shape; hidden while the brush is away."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("brush")
        self._title, self._about, self._close = QLabel(self), ElidedLabel(self), QToolButton(self)
        dress(self._title, letters="body", strong=True)
        dress(self._about, letters="small", tone="text2")
        self._close.setIcon(icon("close"))
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.clicked.connect(self.closed)
        self._shapes = QHBoxLayout()
        self._shapes.setSpacing(SPACING.xs)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING.xl, SPACING.s, SPACING.m, SPACING.s)
        row.setSpacing(SPACING.m)
        row.addWidget(self._title)
        row.addLayout(self._shapes)
        row.addWidget(self._about, 1)
        row.addWidget(self._close)
        self.retranslate()
        self.hide()

    def set_shapes(self, actions: Sequence[QAction]) -> None:
        """One button for each of these actions, checked as they are."""
        for action in actions:
            button = QToolButton(self)
            button.setDefaultAction(action)
            listen_once(button, action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._shapes.addWidget(button)

    def retranslate(self) -> None:
        """All words in the present language."""
        self._title.setText(self.tr("Mask brush"))
        self.setAccessibleName(self.tr("Mask brush"))
        self._about.setText(
            self.tr(
                "Drag over a map; or Space, arrows, Space. An open first cell closes what is covered, a closed one "
                "opens it. Esc drops it."
            )
        )
        self._close.setAccessibleName(self.tr("Put the brush away"))
        self._close.setToolTip(self.tr("Put the brush away"))

    # --- what Qt asks ----------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.accent_soft)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
