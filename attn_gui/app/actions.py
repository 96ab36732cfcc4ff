"""Every action of the program as a row of one table: menus, tool bar, shortcuts list and search read it."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from attn_gui.app.action_rows import ACTIONS, MENU_WORDS, MENUS, SUBMENUS, Row

__all__ = ["ACTIONS", "DECIMALS", "MENUS", "MENU_WORDS", "SUBMENUS", "TOOLBAR", "Actions", "Row", "translated"]

DECIMALS = (2, 3, 4, 6)
TOOLBAR = (
    "open",
    "save",
    None,
    "undo",
    "redo",
    None,
    "export_image",
    "stretch",
    "product",
    "all_stages",
    "values",
    "search_actions",
)


def translated(source: str) -> str:
    """The label of a row or menu in the present language."""
    return QCoreApplication.translate("Actions", source)


class Actions(QObject):
    """The table's rows as QActions, by name; `on` ties a row to what it does once what is half typed is handed on."""

    held = Signal()  # a command waits, since what is half typed cannot be handed on

    def __init__(self, parent: QObject, settle: Callable[[], bool]) -> None:
        """`settle` hands on what is half typed; False if it cannot be."""
        super().__init__(parent)
        self._settle = settle
        self._groups: dict[str, QActionGroup] = {}
        self.by_name = {row.name: self._make(row) for row in ACTIONS}
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def on(self, name: str, slot: Callable[..., object]) -> None:
        """Call `slot`, with the state of what can be checked, unless the editor that is open refuses its text."""
        action = self.by_name[name]

        def act(checked: bool) -> None:
            if not self._settle():
                self.held.emit()
            elif action.isCheckable():
                slot(checked)
            else:
                slot()

        action.triggered.connect(act)

    def retranslate(self) -> None:
        """Labels in the present language; undo and redo are named by the history."""
        for row in ACTIONS:
            action = self.by_name[row.name]
            action.setText(translated(row.label))
            action.setIconText(_plain(translated(row.short or row.label)))
            action.setToolTip(_tip(action))

    def _make(self, row: Row) -> QAction:
        action = QAction(self)
        action.setObjectName(f"action.{row.name}")
        action.setCheckable(row.checkable)
        action.setShortcuts(row.shortcuts())
        if row.group:
            group = self._groups.setdefault(row.group, QActionGroup(self))
            group.addAction(action)
        return action


def _plain(label: str) -> str:
    """A label without its access key and its dots."""
    return re.sub(r"\(&.\)|&|…", "", label)


def _tip(action: QAction) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{_plain(action.text())} ({keys})" if keys else _plain(action.text())
