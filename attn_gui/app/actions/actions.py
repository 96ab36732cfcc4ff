"""Every action of the program, and the menus and the tool bar that show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from attn_gui.app.actions.action_table import ACTIONS, MENU_WORDS, MENUS, SUBMENUS, Row
from attn_gui.figure.tokens import SIZE
from attn_gui.views.controls.choice_box import CompareBox
from attn_gui.views.main_window import MainWindow
from attn_gui.views.theme import icon, scaled
from attn_gui.views.widgets import listen_once

# --- actions --------------------------------------------------------------------------------------
# Every action of the program as a row of one table: menus, tool bar, shortcuts list and search read it.


T = TypeVar("T")
TOOLBAR = (
    "open",
    "save",
    None,
    "undo",
    "redo",
    None,
    "card",
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
        self.before: Callable[[Row], object] = lambda row: None
        """Called before an action is done: what stands in the place of the document may have to go."""
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
            self.before(self._rows[name])
            command.do(*([checked] if action.isCheckable() else []))
        if action.isCheckable() or not settled:
            self.show_states()  # what was refused is not checked

    def show_states(self) -> None:
        """Bring what is checked and enabled up to date."""
        lacking = cache(self.lacking)  # many rows read the same parts
        for name, command in self._commands.items():
            if name in self._turning:
                self._label([self._turning[name]])
            elif command.checked is not None:
                self.by_name[name].setChecked(command.checked())
            row = self._rows[name]
            reason = lacking(row.reads) if row.reads else ""
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


# --- menus and tool bar ---------------------------------------------------------------------------
# Menus and tool bar, built from the table of actions; what the actions do is `commands`.


BEFORE = {
    "recent": "save",
    "examples": "save",
    "models": "save",
    "copy_as": "paste",
    "paste_special": "clear",
    "rows": "clear",
    "lessons": "open_lesson",
}
"""Submenus that do not stand at the end, with the action that they stand before."""


WORDED = (
    frozenset(TOOLBAR),
    frozenset(TOOLBAR) - {"save", "undo", "redo", "card"},
    frozenset({"open", "export_image", "pin", "interventions"}),
)
"""The buttons with a word beside their icon: the first of these that fits the width of the window."""


class Bars(QObject):
    """Stands in the window from its first paint on; a click before the program is there waits for it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.actions = Actions(window, window.settle)
        self.menus = {key: QMenu(window) for key, _ in MENUS}
        self._bar = QToolBar(window)
        self.compare = CompareBox(self._bar)
        self._build_menus()
        self._build_toolbar()
        self._bar.installEventFilter(self)
        self._label()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.actions.retranslate()
        self.compare.retranslate()
        self._label()
        self._fit_words()

    def _label(self) -> None:
        for key, label in MENUS:
            self.menus[key].setTitle(translated(label))
        for row in ACTIONS:
            if row.icon:
                self.actions[row.name].setIcon(icon(row.icon))

    def every_action(self) -> Iterator[tuple[tuple[str, ...], str, QAction]]:
        """(titles of the menus that lead there, other words for them, action) in the order of the menus."""
        nested = {name for inner in SUBMENUS.values() for name in inner}
        for key, menu in self.menus.items():
            if key not in nested:
                yield from self._actions_of(menu, (), "")

    def _actions_of(
        self, menu: QMenu, above: tuple[str, ...], words: str
    ) -> Iterator[tuple[tuple[str, ...], str, QAction]]:
        here = (*above, menu.title())
        words = f"{words} {MENU_WORDS.get(menu.objectName().removeprefix('menu.'), '')}"
        for action in menu.actions():
            if isinstance(inner := action.menu(), QMenu):
                yield from self._actions_of(inner, here, words)
            elif not action.isSeparator():
                yield here, words, action

    def add(self, rows: Sequence[Row]) -> None:
        """Put more rows at the end of their menus."""
        self.actions.add(rows)
        for row in rows:
            self.menus[row.menu].addAction(self.actions[row.name])
            self._window.addAction(self.actions[row.name])

    def button(self, name: str) -> QWidget | None:
        """The button of an action on the tool bar; None where it has none."""
        return self._bar.widgetForAction(self.actions[name])

    def size_icons(self) -> None:
        """Icons as large as the zoom of the window asks."""
        side = scaled(SIZE.icon)
        self._bar.setIconSize(QSize(side, side))
        self._fit_words()

    def _build_menus(self) -> None:
        for key, menu in self.menus.items():
            menu.setObjectName(f"menu.{key}")
        for row in ACTIONS:
            menu = self.menus[row.menu]
            if row.separator:
                menu.addSeparator()
            menu.addAction(self.actions[row.name])
            self._window.addAction(self.actions[row.name])
        for key, inner in SUBMENUS.items():
            for name in inner:
                if name in BEFORE:
                    self.menus[key].insertMenu(self.actions[BEFORE[name]], self.menus[name])
                else:
                    self.menus[key].addMenu(self.menus[name])
        nested = {name for inner in SUBMENUS.values() for name in inner}
        for key, menu in self.menus.items():
            if key not in nested:
                self._window.menuBar().addMenu(menu)

    def _build_toolbar(self) -> None:
        self._bar.setObjectName("toolbar")
        self._bar.setMovable(False)
        self.size_icons()
        self._bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for name in TOOLBAR:
            if name is None:
                self._bar.addSeparator()
            elif name == "stretch":
                filler = QWidget(self._bar)
                filler.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
                self._bar.addWidget(filler)
            elif name == "compare":
                self._bar.addWidget(self.compare)
            else:
                self._bar.addAction(self.actions[name])
                listen_once(self._bar.widgetForAction(self.actions[name]), self.actions[name])
        self._window.addToolBar(self._bar)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._bar and event.type() == QEvent.Type.Resize:
            self._fit_words()
        return super().eventFilter(watched, event)

    def _fit_words(self) -> None:
        """Write words beside as many icons as there is room for: what does not fit would be out of sight."""
        for words in WORDED:
            for name in (name for name in TOOLBAR if name is not None and name in self.actions.by_name):
                button = self._bar.widgetForAction(self.actions[name])
                if isinstance(button, QToolButton):
                    styles = Qt.ToolButtonStyle
                    worded = name in words
                    button.setToolButtonStyle(styles.ToolButtonTextBesideIcon if worded else styles.ToolButtonIconOnly)
            if self._bar.sizeHint().width() <= self._bar.width():
                return
