"""Rules for every control of the program: the wheel, the names, the roles, the order of the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLabel,
    QMenu,
    QScrollBar,
    QTableView,
    QTabWidget,
    QWidget,
)

from attn_gui.views.main_window import MainWindow
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.zones import ZONES, stops, zone_with_focus


def value_of(widget: QWidget) -> object:
    return widget.currentIndex() if isinstance(widget, QComboBox) else widget.value()


def turnable(root: QWidget) -> Iterator[QWidget]:
    for kind in (QComboBox, QAbstractSpinBox, QAbstractSlider):
        yield from (widget for widget in root.findChildren(kind) if not isinstance(widget, QScrollBar))


def with_everything(person) -> None:
    """Every control of the spine and of the mask panel is there."""
    person.do("softcap")
    person.do("temperature")
    person.do("rotary_positions") if person.action("rotary_positions").isEnabled() else None
    person.pick("scale", "typed")
    for kind in ("causal", "window", "padding", "custom"):
        person.window.mask_panel.add_layer(kind)
    person.do("masks")


def test_no_wheel_turns_what_has_no_focus_and_no_sentence_breaks_inside_a_size(launch):
    person = launch("thinking-machines.npz")
    with_everything(person)
    seen = []

    def check(root: QWidget) -> None:
        for widget in turnable(root):
            if widget.isVisible() and widget.isEnabled():
                if widget.hasFocus():
                    widget.clearFocus()
                before = value_of(widget)
                person.turn_wheel(widget, -1)
                assert value_of(widget) == before, widget.objectName()
                assert widget.focusPolicy() & Qt.FocusPolicy.WheelFocus != Qt.FocusPolicy.WheelFocus
                seen.append(widget.objectName())

    problem = person.program.document.generation
    check(person.window)
    assert {"control.score", "control.scale", "control.scale_slider", "control.dtype", "control.n"} <= set(seen)
    assert person.program.document.generation == problem

    person.again("no sentence breaks inside a size")
    # Every label of several lines is one that keeps sizes whole; those of Qt's own message boxes aside.
    found = []

    def check(root: QWidget) -> None:
        labels = [label for label in root.findChildren(QLabel) if label.wordWrap()]
        assert labels or not isinstance(root, MainWindow)
        found.extend(label.text() for label in labels if " × " in QLabel.text(label))
        found.extend(label.objectName() for label in labels if not isinstance(label, WrappedLabel))

    with_everything(person)
    check(person.window)
    assert found == []


# --- names and roles -----------------------------------------------------------------------------
PAINTED = (Heatmap, ColorBar)
"""Qt knows them as plain areas; another role takes a factory in Python, with which whole runs of the tests crashed."""
NO_ROLE = (QAccessible.Role.Client, QAccessible.Role.NoRole, QAccessible.Role.Pane, QAccessible.Role.Grouping)


def focusable(root: QWidget) -> Iterator[QWidget]:
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.focusProxy() is None:
            yield widget


def nameless(root: QWidget) -> list[str]:
    """What takes the focus and does not say what it is."""
    found = []
    for widget in focusable(root):
        face = QAccessible.queryAccessibleInterface(widget)
        named = face.text(QAccessible.Text.Name)
        if isinstance(widget, QComboBox):  # whose name is what is chosen; the meaning has to come from elsewhere
            named = labelled(widget) or widget.accessibleName()
        painted = isinstance(widget, PAINTED)
        if not named.strip() or (face.role() in NO_ROLE and not painted):
            found.append(f"{type(widget).__name__} {widget.objectName()!r} {named!r} {face.role().name}")
    return found


def labelled(widget: QWidget) -> str:
    return next((label.text() for label in widget.window().findChildren(QLabel) if label.buddy() is widget), "")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_takes_the_focus_says_what_it_is(launch, lang, qtbot):
    person = launch("thinking-machines.npz", lang)
    with_everything(person)
    person.click_cell("weights", 0, 1)
    person.do("masks")
    found = nameless(person.window)
    person.press("Esc")
    tabs = person.window.inspector.findChild(QTabWidget)
    assert tabs.accessibleName() == {"en": "Explain", "zh": "解释"}[lang]
    for page in range(tabs.count()):
        tabs.setCurrentIndex(page)
        found += nameless(person.window)
    person.do("all_stages")
    found += nameless(person.window)
    assert sorted(set(found)) == []

    person.again("what scripts find by name has a name for readers too")
    widgets = [person.window, *person.window.findChildren(QWidget)]
    unnamed = {
        each.objectName() for each in widgets if NAMED.fullmatch(each.objectName()) and not each.accessibleName()
    }
    assert unnamed == set()
    other = {"en": "zh", "zh": "en"}[lang]
    before = person.find("page.sqrt_d_k").accessibleName()
    person.do(f"language_{other}")
    qtbot.waitUntil(lambda: person.find("page.sqrt_d_k").accessibleName() != before)


NAMED = re.compile(
    r"mainWindow|(control|table|heatmap|node|heads|panel|page)\.[a-z_.0-9]+(?<!\.progress)|spine|inspector"
)
"""Names by which scripts and screen readers find what they need; a line of progress holds words and a button."""


def test_every_command_has_a_name_captions_lead_to_their_controls_and_f6_to_a_zone(launch):
    person = launch("thinking-machines.npz")
    menus = {menu.menuAction() for menu in person.window.findChildren(QMenu)}
    actions = [each for each in person.window.findChildren(QAction) if each not in menus and not each.isSeparator()]
    named = {each.text(): each.objectName() for each in actions}
    assert {text for text, name in named.items() if text and not re.fullmatch(r"action\.[a-z0-9_]+", name)} == set()

    person.again("captions lead to their controls")
    for name, words in (("score", "score"), ("scale", "scale"), ("dtype", "precision"), ("n", "queries n")):
        assert labelled(person.find(f"control.{name}")) == words

    person.again("f6 begins at the first control of a zone")
    stops(person.window)[0].setFocus()
    person.press("F6")
    assert person.focus().objectName() == "control.n"
    person.press("Shift+F6")
    assert person.focus() is stops(person.window)[0]
    assert person.focus().objectName().startswith("node.")

    person.again("tab in a dialog goes as it is read")

    def check(dialog: QDialog) -> None:
        met, first = [], person.focus()
        for _ in range(60):
            person.press("Tab")
            met.append(person.focus())
            if person.focus() is first:
                break
        fields = [stop for stop in met if "export." in stop.objectName() + stop.parentWidget().objectName()]
        start = min(range(len(fields)), key=lambda k: top_left(fields[k]))
        fields = fields[start:] + fields[:start]
        assert len(fields) > 8
        names = [(stop.objectName(), top_left(stop)) for stop in fields]
        assert names == sorted(names, key=lambda named: named[1])

    def top_left(widget: QWidget) -> tuple[int, int]:
        place = widget.mapTo(widget.window(), QPoint())
        return place.y() // 8, place.x()

    person.answering(QDialog, lambda dialog: (check(dialog), person.press("Esc")), lambda: person.do("export_image"))


# --- the order of the keyboard -------------------------------------------------------------------
def tabbed(person) -> list[str]:
    """The zones that Ctrl+Tab and Tab pass, from the first control of the spine round the window."""
    first = stops(person.window)[0]
    first.setFocus()
    met = []
    for _ in range(150):
        focus = person.focus()
        zone = zone_with_focus(person.window)
        met.append(ZONES[zone] if zone is not None else "")
        person.press("Ctrl+Tab" if isinstance(focus, QTableView) else "Tab")
        if person.focus() is first:
            return met
    raise AssertionError("Tab does not come round")


def test_tab_goes_through_the_zones_in_order(launch):
    person = launch("transformer-layer.npz")
    person.program.window.banner.hide()
    person.click_cell("weights", 0, 1)
    met = tabbed(person)
    assert [zone for zone, _ in groupby(met)] == list(ZONES)
