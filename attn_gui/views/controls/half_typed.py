"""Ends the visit to the editor that is open in a window, before anything else happens to the document."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

PASSING = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)
EDITING = frozenset("ACVXYZ")  # with Ctrl, the letters that mean the text and not the window


@runtime_checkable
class Editor(Protocol):
    """A widget that is typed into, or one that such widgets open in."""

    def settle(self) -> bool:
        """Hand on what is typed; False, with the reason beside it, if it cannot be."""


def settle(window: QWidget) -> bool:
    """Settle the editor that has the window's focus; False if it refuses, so that the command has to wait."""
    widget: QWidget | None = window.focusWidget()
    while widget is not None and not isinstance(widget, Editor):
        widget = None if widget.isWindow() else widget.parentWidget()
    return widget is None or widget is window or widget.settle()


def passes(event: QFocusEvent) -> bool:
    """Whether the focus only lends itself to a menu or another window, and the typing goes on afterwards."""
    return event.reason() in PASSING


def belongs_to_window(event: QEvent) -> bool:
    """Whether a key is about to be taken by a line of text though it is a command: Ctrl+E goes to the end on X11."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    letter = ord("A") <= event.key() <= ord("Z") and chr(event.key()) not in EDITING
    return letter and event.modifiers() == Qt.KeyboardModifier.ControlModifier
