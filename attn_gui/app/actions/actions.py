"""Every action of the program as a row of one table: menus, tool bar, shortcuts list and search read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from attn_gui.app.actions.action_rows import ACTIONS, DECIMALS, Row
from attn_gui.app.actions.menus import MENU_WORDS, MENUS, SUBMENUS

__all__ = [
    "ACTIONS",
    "DECIMALS",
    "MENUS",
    "MENU_WORDS",
    "SUBMENUS",
    "TOOLBAR",
    "Actions",
    "Command",
    "Row",
    "choices",
    "translated",
]

T = TypeVar("T")
TOOLBAR = (
    "open",
    "save",
    None,
    "undo",
    "redo",
    None,
    "export_image",
    None,
    "pin",
    "compare",
    None,
    "interventions",
    "stretch",
    "product",
    "all_stages",
    "model",
    "values",
    "search_actions",
)


def translated(source: str, context: str = "Actions") -> str:
    """The label of a row or menu in the present language."""
    return QCoreApplication.translate(context, source)


class Command(NamedTuple):
    """Call of an action, with its new state if it can be checked; and whether it is checked and enabled."""

    do: Callable[..., object]
    checked: Callable[[], bool] | None = None
    enabled: Callable[[], bool] | None = None


def choices(values: Mapping[str, T], present: Callable[[], T], choose: Callable[[T], object]) -> dict[str, Command]:
    """The commands of a group of which one is checked: by name of the action the value that it chooses."""

    def command(value: T) -> Command:
        return Command(lambda _checked: choose(value), lambda: present() == value)

    return {name: command(value) for name, value in values.items()}


class Actions(QObject):
    """The table's rows as QActions, by name; `tie` gives a row what it does once what is half typed is handed on."""

    def __init__(self, parent: QObject, settle: Callable[[], bool]) -> None:
        """`settle` hands on what is half typed; False if it cannot be."""
        super().__init__(parent)
        self._settle = settle
        self._groups: dict[str, QActionGroup] = {}
        self._commands: dict[str, Command] = {}
        self._asked: list[str] = []  # triggered before their commands were tied
        self._rows: dict[str, Row] = {}
        self._reasons: dict[str, str] = {}  # why some have nothing to do in the present problem
        self.lacking: Callable[[tuple[str, ...]], str] = lambda reads: ""
        """Says, in a sentence, which of these parts of attention the present problem has not."""
        self._turning: dict[str, Row] = {}  # those with another label while they are in force
        self.rows: tuple[Row, ...] = ()
        self.by_name: dict[str, QAction] = {}
        self.add(ACTIONS)

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def add(self, rows: Iterable[Row]) -> None:
        """Make the actions of these rows, too: of a catalog that is read when the window is there."""
        more = tuple(rows)
        self.rows += more
        self._rows |= {row.name: row for row in more}
        self._turning |= {row.name: row for row in more if row.back}
        self.by_name |= {row.name: self._make(row) for row in more}
        self._label(more)

    def tie(self, commands: Mapping[str, Command]) -> None:
        """Let these actions do that, unless the editor that is open refuses its text."""
        self._commands |= commands

    def catch_up(self) -> None:
        """Do what was triggered before its command was tied, as far as it is enabled."""
        asked, self._asked = self._asked, []
        for name in asked:
            self.by_name[name].trigger()

    def _act(self, name: str, checked: bool) -> None:
        action, command = self.by_name[name], self._commands.get(name)
        if command is None:
            self._asked.append(name)
            return
        settled = self._settle()
        if settled:
            command.do(*([checked] if action.isCheckable() else []))
        if action.isCheckable() or not settled:
            self.show_states()  # what was refused is not checked

    def show_states(self) -> None:
        """Bring what is checked and enabled up to date."""
        for name, command in self._commands.items():
            if name in self._turning:
                self._label([self._turning[name]])
            elif command.checked is not None:
                self.by_name[name].setChecked(command.checked())
            row = self._rows[name]
            reason = self.lacking(row.reads) if row.reads else ""
            if command.enabled is not None or row.reads:
                self.by_name[name].setEnabled(not reason and (command.enabled is None or command.enabled()))
            if reason != self._reasons.get(name, ""):
                self._reasons[name] = reason
                self._label([row])

    def needs(self, row: Row) -> str:
        """The reason why an action can be disabled, in the present language."""
        return self._reasons.get(row.name) or (translated(row.needs, row.context) if row.needs else "")

    def retranslate(self) -> None:
        """Labels in the present language; undo and redo are named by the history."""
        self._label(self.rows)

    def _label(self, rows: Iterable[Row]) -> None:
        for row in rows:
            action, label = self.by_name[row.name], row.label
            command = self._commands.get(row.name)
            if row.back and command is not None and command.checked is not None and command.checked():
                label = row.back
            action.setText(translated(label, row.context))
            action.setIconText(_plain(translated(row.short or label, row.context)))
            action.setToolTip("\n".join(filter(None, (_tip(action), self._reasons.get(row.name)))))
            action.setWhatsThis(action.toolTip())

    def _make(self, row: Row) -> QAction:
        action = QAction(self)
        action.setObjectName(f"action.{row.name}")
        action.setCheckable(row.checkable)
        action.setShortcuts(row.shortcuts())
        action.triggered.connect(lambda checked: self._act(row.name, checked))
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
