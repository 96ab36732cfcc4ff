"""The simple window: what a first lesson needs, where the full one has it; the rest is one search away."""

from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QMenu,
    QWidget,
)

from attn_gui.views.dialogs.action_search import ActionSearch
from tests.failing import share
from tests.seen import fault

SMALL = "worked-example.npz"
SOUGHT = (("zh", "精度", "精度", "control.dtype"), ("en", "verify", "Verify the numbers", "inspector.verify"))
"""In which language what is typed to find what leads where."""


@pytest.fixture
def begin(launch):
    """Start as for the first time: nobody has chosen the full window."""
    store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "attn_gui", "attn_gui")
    store.remove("simple")
    store.sync()
    return launch


def in_sight(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def operable(person) -> list[QWidget]:
    """What a person can operate now; a table, a box with its arrows and the menu bar count as one each."""
    holders = (QAbstractItemView, QAbstractSpinBox, QComboBox)

    def counts(widget: QWidget) -> bool:
        outer = widget.parentWidget()
        while outer is not None and not isinstance(outer, holders):
            outer = outer.parentWidget()
        takes = widget.focusPolicy() != Qt.FocusPolicy.NoFocus or isinstance(widget, QAbstractButton)
        return outer is None and takes and widget.isEnabled() and in_sight(widget)

    return [widget for widget in person.window.findChildren(QWidget) if counts(widget)]


def places(person) -> dict[str, QRect]:
    """Where everything that has a name stands, once the tool bar is laid out."""
    person.rest()
    QApplication.processEvents()
    named = {w.objectName(): w for w in person.window.findChildren(QWidget) if in_sight(w)}
    named = {name: widget for name, widget in named.items() if name and not name.startswith("qt_")}
    bar = person.find("toolbar")
    named |= {
        a.objectName(): button
        for a in bar.actions()
        if a.objectName() and (button := bar.widgetForAction(a)) is not None and in_sight(button)
    }
    return {name: QRect(w.mapTo(person.window, QPoint()), w.size()) for name, w in named.items()}


def test_a_first_start_shows_little_and_the_switch_the_rest_with_nothing_moved(begin):
    person = begin(SMALL, width=1366, height=700)
    person.click_cell("weights", 1, 1)
    assert person.find("switch.simple", QAbstractButton).isChecked()
    assert len(operable(person)) <= 38  # three of them color bars
    assert {"action.export_image", "inspector.copy"} <= places(person).keys()  # one click each
    assert not in_sight(person.program.window.precision)
    before, map_before = places(person), person.find("heatmap.weights").grab().toImage()
    assert not {"control.dtype", "control.score", "control.num_kv_heads", "history", "control.compare"} & before.keys()

    person.click("switch.full")
    after = places(person)
    assert {"control.dtype", "control.score", "control.num_kv_heads", "history", "control.compare"} <= after.keys()
    moved = {name for name in before.keys() & after.keys() if before[name].topLeft() != after[name].topLeft()}
    assert moved == set()
    assert person.find("heatmap.weights").grab().toImage() == map_before
    assert person.program.settings.flag("simple", True) is False

    person.do("simple")
    assert places(person) == before


def test_the_simple_window_brings_what_is_asked_for_and_what_a_search_finds(begin):
    person = begin(SMALL)
    menus = [person.window.findChild(QMenu, f"menu.{name}") for name in ("pages", "heads", "readings", "brush")]
    assert not [menu.title() for menu in menus if menu.menuAction().isVisible()], "nothing is left in them"
    column = person.find("zone.explain")
    feet = set()
    for cell in (("weights", 1, 1), ("weights", 0, 0)):
        person.click_cell(*cell)
        button = person.find("inspector.copy")
        assert fault(button) == ""
        feet.add(column.height() - button.mapTo(column, button.rect().bottomLeft()).y())
    assert len(feet) == 1
    assert feet.pop() < 24
    person.do("release_cell")
    assert not in_sight(button)

    person.again("numbers set by hand bring their list")
    assert "action.interventions" not in places(person)
    person.do("head_off")
    assert "action.interventions" in places(person)
    person.do("undo")
    assert "action.interventions" not in places(person)

    person.again("a ready made comparison has its switch once")
    person.do("compare_with_scale")
    assert "comparison.side_by_side" in places(person)
    assert not {"control.compare", "action.pin"} & places(person).keys()

    person.again("keys of what is left out still work")
    person.press("Ctrl+B")
    assert "control.compare" in places(person)

    # context menus show what the window shows: they had all 26 entries of the full window
    person.click("switch.simple")
    person.again("context menus")
    person.click_cell("weights", 1, 1)
    full = {f"action.{row.name}" for row in person.program.bars.actions.rows if row.full}

    def offered(name):
        target = person.find(name)
        at = target.rect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, target.mapToGlobal(at))
        QApplication.sendEvent(getattr(target, "viewport", lambda: target)(), event)
        menu = QApplication.activePopupWidget()
        names = [action.objectName() for action in menu.actions() if action.isVisible() and action.objectName()]
        menu.close()
        return names

    zones = ("heatmap.weights", "table.query", "node.weights", "inspector.terms")
    for name in zones:
        simple = offered(name)
        assert simple
        assert full.isdisjoint(simple), name
    person.click("switch.full")
    person.click_cell("weights", 1, 1)
    for name in zones:
        assert not full.isdisjoint(offered(name)), name

    person.again("the search finds what is left out and switches")
    for lang, typed, name, leads_to in share(SOUGHT, 2):
        person.click("switch.simple")
        person.do(f"language_{lang}")
        person.answering(ActionSearch, partial(choose, person, typed, name), lambda: person.press("Ctrl+Shift+P"))
        assert person.find("switch.full", QAbstractButton).isChecked()
        if leads_to != "inspector.verify":
            assert person.focus().objectName() == leads_to
        else:
            assert in_sight(person.window.inspector.verify)


def choose(person, typed: str, name: str, palette: ActionSearch) -> None:
    """Choose what is found only in the full window, to which it switches."""
    said = {"en": "Switches to the full window", "zh": "将切换到完整界面"}[person.program.appearance.language]
    palette.findChild(QWidget, "palette.search").insert(typed)
    tree = palette.findChild(QWidget, "palette.found")
    rows = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    row = next(row for row in rows if row.text(0).endswith(name) and row.text(1) == said)
    tree.setCurrentItem(row)
    person.press("Return")
