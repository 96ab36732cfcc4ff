"""Buttons of actions, which hear of a change once."""

from __future__ import annotations

from PySide6.QtCore import SIGNAL, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget


def listen_once(button: QWidget, action: QAction) -> None:
    """Keep a tool button from connecting itself anew with each change of its action, which lives as long as it.

    QToolButton of Qt 6.10 does so where the action has no menu, and drops none of them (144 bytes each): undo and redo
    change with every edit, and after 9,000 changes each one takes five times as long. The button follows its action by
    events, not by these.
    """
    changed = SIGNAL("changed()")

    def listen_no_more() -> None:
        QObject.disconnect(action, changed, button, None)  # type: ignore[call-overload]  # None, every slot: no stub

    action.changed.connect(listen_no_more)
