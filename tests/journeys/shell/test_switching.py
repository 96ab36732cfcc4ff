"""The language switched in the middle of work: the window is then as if it had been started that way."""

import re

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHeaderView, QListView, QTabBar, QWidget

SAID = (
    "text",
    "title",
    "windowTitle",
    "toolTip",
    "accessibleName",
    "accessibleDescription",
    "placeholderText",
    "specialValueText",
    "suffix",
    "prefix",
    "statusTip",
)
TIME = re.compile(r"[\d.]+ ms")
LETTERS = re.compile("[\u4e00-\u9fff]")
QTS_OWN = ("ScrollLeftButton", "ScrollRightButton")  # of tab bars: Qt names them once
DOCUMENTS_OWN = ("snapshots.list",)  # kept states have names of their own, given when they were kept


def work(person) -> None:
    """In the middle of it: an edit, an undone one, masks, a chosen cell, a zoomed map, a selected block."""
    person.press("Ctrl+Home", "Down", "Right")
    person.type_into("query", 3, 97, "0.25")
    person.type_into("key", 2, 97, "4")
    person.press("Ctrl+Z")
    next(a for a in person.window.mask_panel.kinds.actions() if a.data() == "causal").trigger()
    person.click_cell("weights", 10, 4)
    heatmap = person.find("heatmap.weights")
    person.turn_wheel(heatmap, 2, heatmap.cell_rect(10, 4).center())
    person.select("query", 4, 98, 3, 2)
    person.rest()
    settle()


def settle() -> None:
    for _ in range(5):  # layouts and what follows the next paint ask for a few more turns of the loop
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def words(window: QWidget) -> dict[str, str]:
    """Everything that the window says: texts, tips, names for screen readers, items, headers, tabs, actions."""
    found: dict[str, str] = {}
    widgets = [
        widget
        for widget in (window, *window.findChildren(QWidget))
        if widget.objectName() not in QTS_OWN + DOCUMENTS_OWN
    ]
    for place, widget in enumerate(widgets):
        name = f"{place} {type(widget).__name__} {widget.objectName()}"
        for part in SAID:
            if callable(getattr(widget, part, None)):
                found[f"{name}.{part}"] = str(getattr(widget, part)())
        for number, text in enumerate(items(widget)):
            found[f"{name}[{number}]"] = text
    for action in window.findChildren(QAction):
        for part in ("text", "iconText", "toolTip"):
            found[f"action {len(found)} {action.objectName()}.{part}"] = getattr(action, part)()
    return {name: TIME.sub("ms", text) for name, text in found.items() if text}


def differing(found: dict[str, str], wanted: dict[str, str]) -> list[str]:
    """The first few differences, one a line."""
    names = sorted(found.keys() | wanted.keys())
    return [
        f"{name}: {found.get(name)!r}, not {wanted.get(name)!r}"
        for name in names
        if found.get(name) != wanted.get(name)
    ][:12]


def items(widget: QWidget) -> list[str]:
    if isinstance(widget, QComboBox):
        return [widget.itemText(k) for k in range(widget.count())]
    if isinstance(widget, QTabBar):
        return [widget.tabText(k) for k in range(widget.count())]
    if isinstance(widget, QAbstractItemView) and not isinstance(widget, QHeaderView) and widget.model() is not None:
        model = widget.model()
        rows, columns = min(model.rowCount(), 20), 1 if isinstance(widget, QListView) else min(model.columnCount(), 4)
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
        return [str(model.index(i, j).data(role)) for i in range(rows) for j in range(columns) for role in roles]
    return []


def state(person) -> dict[str, object]:
    """What a switch must leave alone."""
    heatmap, table = person.find("heatmap.weights"), person.table("query")
    return {
        "numbers": [person.numbers(field) for field in ("query", "key", "value")],
        "steps": (len(person.steps()), person.action("undo").isEnabled(), person.action("redo").isEnabled()),
        "chosen": heatmap.chosen,
        "zoom": heatmap.box.in_view,
        "selection": sorted((index.row(), index.column()) for index in table.selectedIndexes()),
        "scrolled": (table.verticalScrollBar().value(), table.horizontalScrollBar().value()),
        "focus": person.focus().objectName(),
        "modified": person.window.isWindowModified(),
        "size": person.window.size(),
    }


def pages(person) -> dict[str, str]:
    """What the window says with each page of the explanation on show."""
    bar, found = person.find("inspector").findChild(QTabBar), dict[int, dict[str, str]]()
    for turn, page in enumerate((1, 2, 0) * 2):  # once more: a page is filled when it is turned to
        bar.setCurrentIndex(page)
        settle()
        if turn > 2:
            found[page] = words(person.window if page == 0 else person.find("inspector"))  # the rest is the same
    return {f"page {page}: {name}": text for page, said in found.items() for name, text in said.items()}


def test_a_switched_window_says_what_one_started_in_that_language_says(launch):
    born = launch(lang="zh")
    work(born)
    chinese = pages(born)
    born.window.resize(1366, 700)  # each bar was three pixels higher, and 16 rows beside a mask too low for numbers
    born.rest()
    low = bars_and_numbers(born)
    born.do("language_en")
    assert low == bars_and_numbers(born)
    assert low[1] is not None
    born.leave()
    person = launch(lang="en")
    work(person)
    english, before = pages(person), state(person)
    person.do("language_zh")
    person.rest()
    settle()
    assert differing(pages(person), chinese) == []
    assert state(person) == before
    assert sum(1 for text in chinese.values() if LETTERS.search(text)) > 400
    assert not any(LETTERS.search(text) for text in english.values() if text != "简体中文")


def bars_and_numbers(person):
    """How high the bars are, and how the numbers of the map are written, if they have room."""
    settle()
    bars = person.window.menuBar(), person.find("toolbar"), person.window.statusBar()
    return [bar.height() for bar in bars], person.find("heatmap.weights").cells.numbers
