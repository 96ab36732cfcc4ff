"""Base of painted buttons: Enter clicks as Space does, and the focus ring shows only for the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

RETURNING = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class KeyboardButton(QAbstractButton):
    """Button that a subclass paints; arrows are left to the widget that holds it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_keyboard = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def ring_shown(self) -> bool:
        """Whether the focus is here and came by keyboard."""
        return self.hasFocus() and self._by_keyboard

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in RETURNING:
            self._by_keyboard = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keyboard = True
        self.update()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            event.ignore()  # QAbstractButton would take the arrows
