"""Menus and tool bar, built from the table of actions; what the actions do is `commands`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from attn_gui.app.actions.actions import ACTIONS, MENU_WORDS, MENUS, SUBMENUS, TOOLBAR, Actions, Row, translated
from attn_gui.figure.tokens import SIZE
from attn_gui.views.controls.choice_box import CompareBox
from attn_gui.views.main_window import MainWindow
from attn_gui.views.theme import icon, scaled
from attn_gui.views.widgets import listen_once

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
    frozenset(TOOLBAR) - {"save", "undo", "redo"},
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
