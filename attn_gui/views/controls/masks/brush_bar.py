"""The line above the pictures while the brush of the mask is in hand: its shapes, and the way to put it away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.action_button import listen_once
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.tool_line import ToolLine
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.theme import dress


class BrushBar(Retranslated, ToolLine):
    """A button a shape; hidden while the brush is away."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("brush")
        self._title, self._about = QLabel(self), WrappedLabel(self)
        dress(self._title, letters="body", strong=True)
        dress(self._about, letters="small", tone="text2")
        self._close.clicked.connect(self.closed)
        self._shapes = QHBoxLayout()
        self._shapes.setSpacing(SPACING.xs)
        self._row.addWidget(self._title)
        self._row.addLayout(self._shapes)
        self._row.addStretch(1)
        self._row.addWidget(self._close)
        self._column.addWidget(self._about)
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
