"""Menus and tool bar built of the actions: order, which buttons keep words when narrow, those beside the start page."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from attn_gui.app.actions.action_table import ACTIONS, FULL_MENUS, MENU_WORDS, MENUS, SUBMENUS, Row
from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.views.controls.tool_bar_controls import CompareBox, SimpleSwitch
from attn_gui.views.main_window import MainWindow
from attn_gui.views.theme import icon, restyle, scaled
from attn_gui.views.widgets import LEFT_OUT, listen_once

T = TypeVar("T")
TOOLBAR = (
    ("new", "open", "save"),
    ("undo", "redo"),
    ("lessons",),
    ("card", "export_image"),
    ("pin", "compare", "interventions"),
    ("product", "all_stages", "model"),
)
"""The groups of the tool bar from the left; search and the switch between simple and full stand at its right."""

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

TOOLS = tuple(name for group in TOOLBAR for name in group)
START_TOOLS = {"new", "open", "lessons"}
FULL_TOOLS = {"compare"} | {row.name for row in ACTIONS if row.full}
ALWAYS = (*(name for name in TOOLS if name not in FULL_TOOLS), "search_actions")

WORDED = (
    frozenset((*TOOLS, "search_actions")),
    frozenset((*ALWAYS, "pin", "interventions")),
    frozenset(ALWAYS),
    frozenset(("new", "open", "lessons")),
    frozenset[str](),
)
"""The buttons with a word beside their icon: the first of these that fits the width of the window."""


def translated(source: str, context: str = "Actions") -> str:
    """Return the label of a row or menu in the present language."""
    return QCoreApplication.translate(context, source)


class Command(NamedTuple):
    """Call of an action, with its new state if it can be checked; and whether it is checked and enabled."""

    do: Callable[..., object]
    checked: Callable[[], bool] | None = None
    enabled: Callable[[], bool] | None = None


def choices(values: Mapping[str, T], present: Callable[[], T], choose: Callable[[T], object]) -> dict[str, Command]:
    """Return the commands of a group of which one is checked: by name of the action the value that it chooses."""

    def command(value: T) -> Command:
        return Command(lambda _checked: choose(value), lambda: present() == value)

    return {name: command(value) for name, value in values.items()}


class Actions(QObject):
    """The table's rows as QActions, by name; what each does is given by `connect_commands`."""

    def __init__(self, parent: QObject, commit_typed: Callable[[], bool]) -> None:
        """Make the actions; `commit_typed` hands on what is half typed and returns False if it cannot be."""
        super().__init__(parent)
        self._commit_typed = commit_typed
        self._groups: dict[str, QActionGroup] = {}
        self._commands: dict[str, Command] = {}
        self._asked: list[str] = []  # triggered before they were connected
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

    def connect_commands(self, commands: Mapping[str, Command]) -> None:
        """Let these actions do that, unless the editor that is open refuses its text."""
        self._commands |= commands

    def catch_up(self) -> None:
        """Do what was triggered before its command was connected, as far as it is enabled."""
        asked, self._asked = self._asked, []
        for name in asked:
            self.by_name[name].trigger()

    def _act(self, name: str, checked: bool) -> None:
        action, command = self.by_name[name], self._commands.get(name)
        if command is None:
            self._asked.append(name)
            return
        committed = self._commit_typed()
        if committed:
            self.before(self._rows[name])
            command.do(*([checked] if action.isCheckable() else []))
        if action.isCheckable() or not committed:
            self.show_states()  # what was refused is not checked

    def show_states(self, *, of: Collection[str] | None = None) -> None:
        """Bring up to date what is checked and enabled, of all actions or of some."""
        lacking = cache(self.lacking)  # many rows read the same parts
        for name in self._commands if of is None else of:
            command = self._commands[name]
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
        """Return the reason why an action can be disabled, in the present language."""
        return self._reasons.get(row.name) or (translated(row.needs, row.context) if row.needs else "")

    def retranslate(self) -> None:
        """Set labels in the present language; undo and redo are named by the history."""
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


ACCESS_KEY_OR_DOTS = re.compile(r"\(&.\)|&|…")


def _plain(label: str) -> str:
    """Return a label without its access key and its dots."""
    return ACCESS_KEY_OR_DOTS.sub("", label)


def _tip(action: QAction) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{_plain(action.text())} ({keys})" if keys else _plain(action.text())


def _is_shown(entry: QAction) -> bool:
    """Return whether a menu shows an entry; a menu in it has to have some."""
    inner = entry.menu()
    return entry.isVisible() and not (isinstance(inner, QMenu) and inner.isEmpty())


class ToolBar(QToolBar):
    """Says when it has another width."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class Bars(QObject):
    """Builds menus and tool bar from the table of actions; they stand from the first paint on, and a click before the
    program is there waits for it.
    """

    def __init__(self, window: MainWindow, *, simple: bool) -> None:
        super().__init__(window)
        self._window, self._simple = window, simple
        self._asked: frozenset[str] = frozenset()
        self._starting = self._wide = False  # whether it is known how wide the bar is
        self.actions = Actions(window, window.commit_typed)
        self.menus = {key: QMenu(window) for key, _ in MENUS}
        self._entries: dict[str, list[QAction]] = {key: [] for key, _ in MENUS}  # those of the full window
        self._full: set[QAction] = set()  # what the simple one leaves out
        self._bar = ToolBar(window)
        self._tools: dict[str, QAction] = {}  # those of the bar
        self.compare, self.switch = CompareBox(self._bar), SimpleSwitch(self._bar)
        self._build_menus()
        self._build_toolbar()
        self._bar.resized.connect(self._on_bar_resized)
        self._label()

    def retranslate(self) -> None:
        self.actions.retranslate()
        self.compare.retranslate()
        self.switch.retranslate()
        self._label()
        self._fill_toolbar()

    def _label(self) -> None:
        for key, label in MENUS:
            self.menus[key].setTitle(translated(label))
        bar, chinese = self._window.menuBar(), str(not translated(MENUS[0][1]).isascii()).lower()
        if bar.property("chinese") != chinese:  # the style sheet keeps its height the same
            bar.setProperty("chinese", chinese)
            restyle(bar)
        for row in ACTIONS:
            if row.icon:
                self.actions[row.name].setIcon(icon(row.icon))

    def set_simple(self, simple: bool, asked: frozenset[str] = frozenset()) -> None:
        """Show the menus and tools of the simple window or of the full one; tools that are `asked` for in both."""
        if simple != self._simple:
            self._simple = simple
            for action in self._full:
                action.setProperty(LEFT_OUT, simple)
            for key in self._entries:
                self._fill(key)
            self.show_menus()
        elif asked == self._asked:
            return
        self._asked = asked
        self._fill_toolbar()

    def every_action(self) -> Iterator[tuple[tuple[str, ...], str, QAction]]:
        """Yield (titles of the menus that lead there, other words for them, action) in the order of the full menus."""
        nested = {name for inner in SUBMENUS.values() for name in inner}
        for key, menu in self.menus.items():
            if key not in nested:
                yield from self._actions_of(menu, (), "")

    def is_left_out(self, action: QAction) -> bool:
        """Return whether the menus on show leave an action out."""
        return self._simple and action in self._full

    def _actions_of(
        self, menu: QMenu, above: tuple[str, ...], words: str
    ) -> Iterator[tuple[tuple[str, ...], str, QAction]]:
        here, key = (*above, menu.title()), menu.objectName().removeprefix("menu.")
        words = f"{words} {MENU_WORDS.get(key, '')}"
        for action in self._entries.get(key) or menu.actions():
            if isinstance(inner := action.menu(), QMenu):
                yield from self._actions_of(inner, here, words)
            elif not action.isSeparator():
                yield here, words, action

    def add(self, rows: Sequence[Row]) -> None:
        """Put more rows at the end of their menus, which `show_menus` brings up to date."""
        self.actions.add(rows)
        for row in rows:
            self._enter(row)
            action = self.actions[row.name]
            self._window.addAction(action)
            if not self.is_left_out(action):
                self.menus[row.menu].addAction(action)

    def show_menus(self) -> None:
        """Leave out the menus of which every entry is left out; those filled anew each time stay.

        A menu whose own ones are still to be filled shows no other titles at first than later.
        """
        left_out = self._full if self._simple else set[QAction]()
        for key in reversed(self.menus):
            entries = [entry for entry in self._entries[key] if not entry.isSeparator()]
            offered = (entry for entry in entries if entry not in left_out)
            self.menus[key].menuAction().setVisible(not entries or any(map(_is_shown, offered)))

    def put_first(self, key: str, actions: Sequence[QAction]) -> None:
        """Put more actions at the head of a menu, above a line."""
        menu = self.menus[key]
        first = menu.actions()[0]
        menu.insertActions(first, actions)
        self._entries[key][:0] = [*actions, menu.insertSeparator(first)]

    def button(self, name: str) -> QWidget | None:
        """Return the button of an action on the tool bar; None where it has none."""
        return self._bar.widgetForAction(self.actions[name])

    def size_icons(self) -> None:
        """Make icons as large as the zoom of the window asks."""
        side = scaled(SIZE.icon)
        self._bar.setIconSize(QSize(side, side))
        self._fill_toolbar()

    # --- menus -----------------------------------------------------------------------------------
    def _build_menus(self) -> None:
        for key, menu in self.menus.items():
            menu.setObjectName(f"menu.{key}")
        for row in ACTIONS:
            if row.separator:
                line = QAction(self.menus[row.menu])
                line.setSeparator(True)
                self._entries[row.menu].append(line)
            self._enter(row)
            self._window.addAction(self.actions[row.name])
        for key, inner in SUBMENUS.items():
            for name in inner:
                entries, entry = self._entries[key], self.menus[name].menuAction()
                place = entries.index(self.actions[BEFORE[name]]) if name in BEFORE else len(entries)
                entries.insert(place, entry)
                if name in FULL_MENUS:
                    self._leave_to_full(entry)
        for key in self.menus:
            self._fill(key)
        nested = {name for inner in SUBMENUS.values() for name in inner}
        for key, menu in self.menus.items():
            if key not in nested:
                self._window.menuBar().addMenu(menu)
        self.show_menus()

    def _enter(self, row: Row) -> None:
        action = self.actions[row.name]
        self._entries[row.menu].append(action)
        if row.full:
            self._leave_to_full(action)

    def _leave_to_full(self, action: QAction) -> None:
        self._full.add(action)
        action.setProperty(LEFT_OUT, self._simple)

    def _fill(self, key: str) -> None:
        """Let a menu have the entries of its level: an action that is only invisible would lose its keys."""
        menu, wanted = self.menus[key], [entry for entry in self._entries[key] if not self.is_left_out(entry)]
        if wanted and menu.actions() != wanted:
            for entry in menu.actions():
                menu.removeAction(entry)
            menu.addActions(wanted)

    # --- tool bar --------------------------------------------------------------------------------
    def _build_toolbar(self) -> None:
        self._bar.setObjectName("toolbar")
        self._bar.setMovable(False)
        self._bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        filler = QWidget(self._bar)
        filler.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._tools = {name: self.actions[name] for name in (*TOOLS, "search_actions") if name != "compare"}
        self._tools["compare"] = self._bar.addWidget(self.compare)
        self._tools["stretch"] = self._bar.addWidget(filler)
        self._tools["switch"] = self._bar.addWidget(self.switch)
        self._lines = [self._bar.addSeparator() for _ in TOOLBAR]
        self.switch.picked.connect(self._on_switch_picked)
        self._window.startShown.connect(self._on_start_shown)
        self.actions["simple"].toggled.connect(self.switch.set_simple)
        self.switch.set_simple(self._simple)
        self.size_icons()
        self._window.addToolBar(self._bar)

    def _on_start_shown(self, shown: bool) -> None:
        """Disable saving and undo on the start page, which has no document."""
        if shown != self._starting:
            self._starting = shown
            self._fill_toolbar()

    def _on_switch_picked(self, simple: bool) -> None:
        if simple != self._simple:
            self.actions["simple"].trigger()

    def _fill_toolbar(self) -> None:
        """Show as many tools as there is room for: search and switch would be out of sight beyond the others."""
        for most in range(len(TOOLS), -1, -1):
            self._put_tools(frozenset(TOOLS[:most]))
            if not self._wide or self._fit_words():
                break
        layout = self._bar.layout()
        assert layout is not None
        layout.activate()  # in the midst of a resize nothing else would

    def _on_bar_resized(self) -> None:
        self._wide = True
        self._fill_toolbar()

    def _put_tools(self, some: frozenset[str]) -> None:
        """Show and hide tools at their places; those that stay keep their buttons."""
        self._tools["compare"].setVisible(  # taken out, it would belong to no window
            "compare" in some and self._is_offered("compare")
        )
        wanted = self._wanted_tools(some)
        if self._bar.actions() == wanted:
            return
        for action in self._bar.actions():
            if action not in wanted:
                self._bar.removeAction(action)
        for place, action in enumerate(wanted):
            there = self._bar.actions()[place:]
            if action not in there[:1]:
                self._bar.insertAction(there[0], action) if there else self._bar.addAction(action)
                button = self._bar.widgetForAction(action)
                if isinstance(button, QToolButton):
                    listen_once(button, action)

    def _wanted_tools(self, some: frozenset[str]) -> list[QAction]:
        """Return those of some tools that are offered, from left to right, a line between groups of which any is."""
        wanted: list[QAction] = []
        for line, group in zip(self._lines, TOOLBAR, strict=True):
            offered = [name for name in group if name in some and self._is_offered(name)]
            wanted += [line] if offered and wanted else []
            wanted += [self._tools[name] for name in group if name in offered or name == "compare"]
        return [*wanted, *map(self._tools.__getitem__, ("stretch", "search_actions", "switch"))]

    def _is_offered(self, name: str) -> bool:
        """Return whether the window, simple or full, has a tool, and the start page has it, too, while it is shown."""
        if self._starting and name not in START_TOOLS:
            return False
        return name in self._asked or not (self._simple and name in FULL_TOOLS)

    def _fit_words(self) -> bool:
        """Write words beside as many icons as there is room for; whether there is room for the icons at least."""
        for words in WORDED:
            for name in (*TOOLS, "search_actions"):
                button = self._bar.widgetForAction(self._tools[name]) if name != "compare" else None
                if isinstance(button, QToolButton):
                    styles = Qt.ToolButtonStyle
                    worded = name in words
                    button.setToolButtonStyle(styles.ToolButtonTextBesideIcon if worded else styles.ToolButtonIconOnly)
            layout = self._bar.layout()
            assert layout is not None
            layout.invalidate()  # buttons that have just come are hidden yet, and would say nothing
            width = self._bar.sizeHint().width()
            if width + self._room_kept() <= self._bar.width():
                return True
        return width <= self._bar.width()

    def _room_kept(self) -> int:
        """Return the pixels of the tools that are left out, as icons: what stays has its words in both windows or in
        none."""
        there, icon_width = self._bar.actions(), scaled(SIZE.icon + 2 * SPACING.m) + SPACING.s
        tools = [name for name in TOOLS if self._tools[name] not in there or not self._tools[name].isVisible()]
        boxes = self.compare.sizeHint().width() if "compare" in tools else 0
        lines = sum(line not in there for line in self._lines[1:])
        return boxes + len(set(tools) - {"compare"}) * icon_width + lines * (2 * SPACING.m + SPACING.s)
