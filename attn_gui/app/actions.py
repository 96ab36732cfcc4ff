"""Every action of the program as a row of one table: menus, tool bar, shortcuts list and search read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

Shortcut = QKeySequence.StandardKey | str | None
Keys = QKeySequence.StandardKey


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # lupdate looks for this name
    """Mark a text for translation; that of the formats would bring NumPy along before the first paint."""
    return text


@dataclass(frozen=True)
class Row:
    """One action: its name (its object name is `action.NAME`), menu, label, shortcut, icon, group."""

    name: str
    menu: str
    label: str
    shortcut: Shortcut = None
    icon: str = ""
    group: str = ""
    checkable: bool = False
    separator: bool = False
    short: str = ""  # on the tool bar, where the label is too long
    also: tuple[str, ...] = ()  # more shortcuts: + without Shift is =, and systems that know fewer standard keys

    def shortcuts(self) -> list[QKeySequence]:
        """Every shortcut, the one that is shown first; a standard key has several on most systems."""
        first = self.shortcut
        found = QKeySequence.keyBindings(first) if isinstance(first, Keys) else [QKeySequence(first)] if first else []
        return found + [keys for keys in map(QKeySequence, self.also) if keys not in found]


MENUS = (
    ("file", QT_TRANSLATE_NOOP("Actions", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Actions", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Actions", "&View")),
    ("compute", QT_TRANSLATE_NOOP("Actions", "&Compute")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
    ("recent", QT_TRANSLATE_NOOP("Actions", "Open &recent")),
    ("examples", QT_TRANSLATE_NOOP("Actions", "E&xamples")),
    ("decimals", QT_TRANSLATE_NOOP("Actions", "&Decimals")),
    ("language", QT_TRANSLATE_NOOP("Actions", "&Language")),
    ("theme", QT_TRANSLATE_NOOP("Actions", "&Theme")),
    ("history", QT_TRANSLATE_NOOP("Actions", "&Memory for history")),
    ("copy_as", QT_TRANSLATE_NOOP("Actions", "Copy &as")),
)
SUBMENUS = {"file": ("recent", "examples"), "edit": ("copy_as", "history"), "view": ("decimals", "language", "theme")}

ACTIONS = (
    Row("new", "file", QT_TRANSLATE_NOOP("Actions", "&New…"), Keys.New),
    Row("open", "file", QT_TRANSLATE_NOOP("Actions", "&Open…"), Keys.Open, "open"),
    Row("save", "file", QT_TRANSLATE_NOOP("Actions", "&Save"), Keys.Save, "save", separator=True),
    Row("save_as", "file", QT_TRANSLATE_NOOP("Actions", "Save &as…"), Keys.SaveAs, also=("Ctrl+Shift+S",)),
    Row("import_matrix", "file", QT_TRANSLATE_NOOP("Actions", "&Import into the table…"), "Ctrl+I", separator=True),
    Row("export_image", "file", QT_TRANSLATE_NOOP("Actions", "&Export image…"), "Ctrl+E", "export-image"),
    Row("export_data", "file", QT_TRANSLATE_NOOP("Actions", "Export n&umbers…"), "Ctrl+Shift+E"),
    Row("quit", "file", QT_TRANSLATE_NOOP("Actions", "&Quit"), "Ctrl+Q", separator=True),
    Row("undo", "edit", QT_TRANSLATE_NOOP("Actions", "&Undo"), Keys.Undo, "undo"),
    Row("redo", "edit", QT_TRANSLATE_NOOP("Actions", "&Redo"), Keys.Redo, "redo", also=("Ctrl+Y", "Ctrl+Shift+Z")),
    Row("cut", "edit", QT_TRANSLATE_NOOP("Actions", "Cu&t"), Keys.Cut, separator=True),
    Row("copy", "edit", QT_TRANSLATE_NOOP("Actions", "&Copy"), Keys.Copy, "copy"),
    Row("copy_with_headers", "edit", QT_TRANSLATE_NOOP("Actions", "Copy with &headers"), "Ctrl+Shift+C"),
    Row("copy_latex", "copy_as", QT_TRANSLATE_NOOP("Actions", "&LaTeX matrix")),
    Row("copy_markdown", "copy_as", QT_TRANSLATE_NOOP("Actions", "&Markdown table")),
    Row("copy_numpy", "copy_as", QT_TRANSLATE_NOOP("Actions", "&NumPy array")),
    Row("paste", "edit", QT_TRANSLATE_NOOP("Actions", "&Paste"), Keys.Paste),
    Row("clear", "edit", QT_TRANSLATE_NOOP("Actions", "Set to &zero"), None),
    Row("fill_down", "edit", QT_TRANSLATE_NOOP("Actions", "Fill &down"), "Ctrl+D"),
    Row("fill_right", "edit", QT_TRANSLATE_NOOP("Actions", "Fill ri&ght"), "Ctrl+R"),
    Row("fill_integers", "edit", QT_TRANSLATE_NOOP("Actions", "Fill with small &integers"), None, separator=True),
    Row("fill_random", "edit", QT_TRANSLATE_NOOP("Actions", "Fill with random &numbers"), None),
    Row("fill_identity", "edit", QT_TRANSLATE_NOOP("Actions", "Fill with the identit&y"), None),
    Row("tokens", "edit", QT_TRANSLATE_NOOP("Actions", "To&kens…"), "Ctrl+T", separator=True),
    Row(
        "output_projection",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Output projection &W_O"),
        None,
        checkable=True,
        separator=True,
    ),
    Row("biases", "edit", QT_TRANSLATE_NOOP("Actions", "&Biases"), None, checkable=True),
    Row("block", "edit", QT_TRANSLATE_NOOP("Actions", "Residual, &LayerNorm, Linear"), None, checkable=True),
    Row("second_sequence", "edit", QT_TRANSLATE_NOOP("Actions", "&Second sequence"), None, checkable=True),
    Row("make_direct", "edit", QT_TRANSLATE_NOOP("Actions", "Work on &Q, K, V directly"), None),
    Row("history_64", "history", "64 MB", group="history", checkable=True),
    Row("history_256", "history", "256 MB", group="history", checkable=True),
    Row("history_1024", "history", "1 GB", group="history", checkable=True),
    Row("history_4096", "history", "4 GB", group="history", checkable=True),
    Row("product", "view", QT_TRANSLATE_NOOP("Actions", "&Product"), "Ctrl+1", "product", group="mode", checkable=True),
    Row(
        "all_stages",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&All stages"),
        "Ctrl+2",
        "all-stages",
        group="mode",
        checkable=True,
    ),
    Row(
        "values",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Values in cells"),
        "Ctrl+Shift+V",
        "values",
        checkable=True,
        short=QT_TRANSLATE_NOOP("Actions", "Values"),
    ),
    Row(
        "show_reach",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Show what a cell reac&hes"),
        "Ctrl+Shift+R",
        checkable=True,
    ),
    Row("release_cell", "view", QT_TRANSLATE_NOOP("Actions", "Choose no &cell")),
    Row("copy_image", "view", QT_TRANSLATE_NOOP("Actions", "Copy ima&ge of the map"), "Ctrl+Alt+C"),
    Row("zoom_in", "view", QT_TRANSLATE_NOOP("Actions", "Zoom &in"), Keys.ZoomIn, also=("Ctrl+=",), separator=True),
    Row("zoom_out", "view", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), Keys.ZoomOut),
    Row("zoom_reset", "view", QT_TRANSLATE_NOOP("Actions", "&Normal size"), "Ctrl+0"),
    Row("reset_layout", "view", QT_TRANSLATE_NOOP("Actions", "&Reset layout"), None, separator=True),
    Row("decimals_2", "decimals", "2", group="decimals", checkable=True),
    Row("decimals_3", "decimals", "3", group="decimals", checkable=True),
    Row("decimals_4", "decimals", "4", group="decimals", checkable=True),
    Row("decimals_6", "decimals", "6", group="decimals", checkable=True),
    Row("scientific", "decimals", QT_TRANSLATE_NOOP("Actions", "&Scientific"), None, checkable=True, separator=True),
    Row("language_en", "language", "English", group="language", checkable=True),
    Row("language_zh", "language", "简体中文", group="language", checkable=True),
    Row("theme_light", "theme", QT_TRANSLATE_NOOP("Actions", "&Light"), group="theme", checkable=True),
    Row("theme_dark", "theme", QT_TRANSLATE_NOOP("Actions", "&Dark"), group="theme", checkable=True),
    Row("theme_system", "theme", QT_TRANSLATE_NOOP("Actions", "As the &system"), group="theme", checkable=True),
    Row("previous_head", "compute", QT_TRANSLATE_NOOP("Actions", "&Previous head"), "Ctrl+["),
    Row("next_head", "compute", QT_TRANSLATE_NOOP("Actions", "&Next head"), "Ctrl+]"),
    Row("masks", "compute", QT_TRANSLATE_NOOP("Actions", "&Masks…"), "Ctrl+M", separator=True),
    Row("mask_tool", "compute", QT_TRANSLATE_NOOP("Actions", "P&aint the mask"), None, checkable=True),
    Row("toggle_mask_cell", "compute", QT_TRANSLATE_NOOP("Actions", "&Open or close the chosen cell"), None),
    Row("softcap", "compute", QT_TRANSLATE_NOOP("Actions", "&Softcap"), None, checkable=True, separator=True),
    Row("temperature", "compute", QT_TRANSLATE_NOOP("Actions", "&Temperature"), None, checkable=True),
    Row("rotary_positions", "compute", QT_TRANSLATE_NOOP("Actions", "&Rotary positions"), None, checkable=True),
    Row("set_target", "compute", QT_TRANSLATE_NOOP("Actions", "Set the chosen ce&ll to…"), "Ctrl+G"),
    Row("compute_rest", "compute", QT_TRANSLATE_NOOP("Actions", "&Compute the rest"), "F9"),
    Row("verify", "compute", QT_TRANSLATE_NOOP("Actions", "&Verify the numbers"), None, separator=True),
    Row(
        "previous_place",
        "compute",
        QT_TRANSLATE_NOOP("Actions", "&Back to the previous cell"),
        "Alt+Left",
        separator=True,
    ),
    Row("next_zone", "compute", QT_TRANSLATE_NOOP("Actions", "Next &zone"), "F6"),
    Row("previous_zone", "compute", QT_TRANSLATE_NOOP("Actions", "Previous zon&e"), "Shift+F6"),
    Row("search_actions", "help", QT_TRANSLATE_NOOP("Actions", "&Search actions…"), "Ctrl+Shift+P", "search"),
    Row("shortcuts", "help", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"), "F1"),
    Row("show_log", "help", QT_TRANSLATE_NOOP("Actions", "Show the &log"), None, separator=True),
    Row("about", "help", QT_TRANSLATE_NOOP("Actions", "&About"), None),
)
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
