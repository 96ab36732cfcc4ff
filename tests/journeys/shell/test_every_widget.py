"""Rules for every control, dialog and menu: the wheel, names, roles, letters, the keyboard, and all of it in sight."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import groupby

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QTableView,
    QTabWidget,
    QWidget,
)

from attn_gui.views.banner import BannerOffer
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.zones import ZONES, stops, zone_with_focus
from tests.failing import share
from tests.journeys.conftest import Person
from tests.seen import fault, faults, is_cut, worded

PAINTED = (Heatmap, ColorBar)
"""Qt knows them as plain areas; another role takes a factory in Python, with which whole runs of the tests crashed."""

NO_ROLE = (QAccessible.Role.Client, QAccessible.Role.NoRole, QAccessible.Role.Pane, QAccessible.Role.Grouping)

NAMED = re.compile(
    r"mainWindow|(control|table|heatmap|node|heads|panel|page)\.[a-z_.0-9]+(?<!\.progress)|spine|inspector"
)
"""Names by which scripts and screen readers find what they need; a line of progress holds words and a button."""

KINDS = (QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)
PARTS = (QAbstractItemView, QAbstractSpinBox, QComboBox, QTabBar, QDialogButtonBox)

DIALOGS = (
    "new",
    "export_image",
    "export_data",
    "card",
    "tokens",
    "set_target",
    "multiply_cells",
    "take_cells",
    "worksheets",
    "search_actions",
    "shortcuts",
    "about",
)

UNTOLD = ("shortcuts", "about")  # which only tell
LOWEST = QSize(1366 - 10, 768 - 40)
"""The room for a dialog on the smallest screen, its frame left out."""

ALIKE = {"All", "None", "全部", "全选", "无", "都不选", "全不选"}  # what they do is what they say
SIZES = [(1366, 700), (1920, 1080)]
SENTENCE = "This says at some length what was refused, where it was refused, and what was expected instead of it. " * 2
ACCESS_KEY = re.compile(r"(?<!&)(?:&&)*&([^&\s])")


def value_of(widget: QWidget) -> object:
    return widget.currentIndex() if isinstance(widget, QComboBox) else widget.value()


def turnable(root: QWidget) -> Iterator[QWidget]:
    for kind in (QComboBox, QAbstractSpinBox, QAbstractSlider):
        yield from (widget for widget in root.findChildren(kind) if not isinstance(widget, QScrollBar))


def with_everything(person) -> None:
    """Every control of the spine and of the mask panel is there."""
    person.do("softcap", "temperature")
    person.do("rotary_positions") if person.action("rotary_positions").isEnabled() else None
    person.pick("scale", "typed")
    for kind in ("causal", "window", "padding", "custom"):
        person.window.mask_panel.add_layer(kind)
    person.do("masks")


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


def test_what_takes_the_focus_has_a_name_is_turned_by_no_wheel_before_and_is_reached_in_sight(launch):
    person = launch("thinking-machines.npz")
    menus = {menu.menuAction() for menu in person.window.findChildren(QMenu)}
    actions = [each for each in person.window.findChildren(QAction) if each not in menus and not each.isSeparator()]
    named = {each.text(): each.objectName() for each in actions}
    assert {text for text, name in named.items() if text and not re.fullmatch(r"action\.[a-z0-9_]+", name)} == set()

    person.beginning(with_everything)
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

    # what takes the focus says what it is
    person.click_cell("weights", 0, 1)
    person.do("masks")
    found = nameless(person.window)
    person.press("Esc")
    tabs = person.window.inspector.findChild(QTabWidget)
    assert tabs.accessibleName() == "Explain"
    for page in range(tabs.count()):
        tabs.setCurrentIndex(page)
        found += nameless(person.window)
    person.do("all_stages")
    found += nameless(person.window)
    assert sorted(set(found)) == []

    # what scripts find by name has a name for readers too
    widgets = [person.window, *person.window.findChildren(QWidget)]
    unnamed = {
        each.objectName() for each in widgets if NAMED.fullmatch(each.objectName()) and not each.accessibleName()
    }
    assert unnamed == set()

    # captions lead to their controls, and F6 to a zone
    person.beginning(lambda _person: None).again("captions lead to their controls")
    for name, words in (("score", "score"), ("scale", "scale"), ("dtype", "precision"), ("n", "queries n")):
        assert labelled(person.find(f"control.{name}")) == words

    stops(person.window)[0].setFocus()
    person.press("F6")
    assert person.focus().objectName() == "control.n"
    person.press("Shift+F6")
    assert person.focus() is stops(person.window)[0]
    assert person.focus().objectName().startswith("node.")

    person.again("Tab goes through the zones in order", "transformer-layer.npz")
    person.click_cell("weights", 0, 1)
    met = tabbed(person)
    assert [zone for zone, _ in groupby(met)] == list(ZONES)

    for steps in share((4, 5), 2):  # 175 % and 200 %
        person.again("a low screen has the whole window in large type, and the keyboard leads into sight")
        person.program.appearance.step_zoom(steps)
        person.wait()
        person.window.resize(1350, 650)
        person.look()
        assert person.window.height() == 650
        bars = person.program.bars
        for button in (person.find("switch.full"), person.find("switch.simple"), bars.button("search_actions")):
            assert button.visibleRegion().boundingRect() == button.rect()
        assert bars.button("new") is not None
        person.find("control.n").setFocus()
        passed = []
        while not person.focus().objectName().startswith("heatmap"):
            passed.append(person.focus())
            assert passed[-1].visibleRegion().boundingRect().height() > 0, passed[-1]
            person.press("Ctrl+Tab" if isinstance(passed[-1], QTableView) else "Tab")
        assert person.find("control.d_model_fixed") in passed
        areas = person.window.findChildren(QScrollArea)
        bar = next(area for area in areas if area.isAncestorOf(passed[0])).verticalScrollBar()
        order = stops(person.window)
        for start, way in ((person.focus(), "Shift+F6"), (order[order.index(passed[0]) - 1], "Tab")):
            start.setFocus()
            bar.setValue(bar.maximum())
            person.press(way)
            assert person.focus() is passed[0]
            assert passed[0].visibleRegion().boundingRect() == passed[0].rect()
        person.choose_cell("weights", 0, 1)
        person.do("walk")
        person.look()
        assert person.window.height() == 650, "the window grew below the screen, with the bar of the walk"
        play = person.find("walk.play")
        assert play.visibleRegion().boundingRect() == play.rect()
        person.press("Esc")
        person.do("zoom_reset")
        person.look()
        assert bars.button("model").isVisible(), "what had no room is back"


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


def without_tip(dialog):
    controls = {control for kind in KINDS for control in dialog.findChildren(kind) if control.isVisible()}
    for control in sorted(controls, key=lambda each: each.objectName()):
        inner = isinstance(control.parentWidget(), PARTS) or control.window() is not dialog  # such as a list's own
        if isinstance(control, QScrollBar) or inner:
            continue
        if getattr(control, "text", str)() in ALIKE:
            continue
        if not control.toolTip() or not control.whatsThis():
            yield f"{control.objectName()} {type(control).__name__}"


def in_chinese(dialog):
    tips = [control.whatsThis() for kind in KINDS for control in dialog.findChildren(kind)]
    return all(re.search("[一-鿿]", tip) for tip in tips if tip)


def wrong_in(dialog):
    """Faults of a dialog: what it says and its buttons are in sight, or scroll without being cut at their sides."""
    QApplication.processEvents()
    wrong = faults(dict.fromkeys((*worded(dialog), dialog.focusWidget() or dialog)))
    for area in dialog.findChildren(QScrollArea):
        if area.widget() is not None and area.isVisible() and area.widget().width() > area.viewport().width():
            wrong.append(f"{area.widget()} is cut at its side")
    if dialog.size().expandedTo(LOWEST) != LOWEST:
        wrong.append(f"{dialog.size()} is more than a low screen has")
    return wrong


def turned(dialog):
    """Controls without the focus that a turn of the wheel changes."""
    for widget in filter(lambda one: one.isVisible() and one.isEnabled(), turnable(dialog)):
        widget.clearFocus()
        before = value_of(widget)
        Person.turn_wheel(widget, -1)
        if value_of(widget) != before:
            yield f"{widget.objectName()} is turned"


def broken(dialog):
    """Sentences that may break inside a size."""
    for label in (label for label in dialog.findChildren(QLabel) if label.wordWrap()):
        if " × " in QLabel.text(label) or not isinstance(label, WrappedLabel):
            yield f"{label.objectName()} {label.text()}"


def dialogs(person):
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return [type(dialog).__name__ for dialog in person.window.findChildren(QDialog)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_dialog_is_in_sight_named_told_of_and_goes_with_its_answer(launch, lang):
    person = launch("minilm-layer2.npz", lang=lang, width=800, height=700)
    assert person.window.width() == 800, "its narrow form needs no more"
    person.window.resize(1366, 700)
    person.click_cell("weights", 1, 1)
    person.wait()
    before, found = dialogs(person), []

    def look(dialog, name):
        untold = () if name in UNTOLD else without_tip(dialog)
        wrong = *wrong_in(dialog), *untold, *nameless(dialog), *broken(dialog), *turned(dialog)
        found.extend(f"{name}: {one}" for one in wrong)
        assert lang == "en" or in_chinese(dialog), name
        dialog.reject()

    for name in share(DIALOGS, 2):
        person.answering(QDialog, partial(look, name=name), partial(person.do, name))
        assert dialogs(person) == before, name
    for ask in (lambda: person.press("Ctrl+V"), lambda: person.do("save_as")):  # the first about the two meanings
        person.go_to("query", 0, 0)
        person.clipboard("0,05\n0,25")
        person.answering(QDialog, lambda dialog: dialog.reject(), ask)
        assert dialogs(person) == before
    person.type_into("query", 0, 0, "5")

    def answer(box, button):
        found.extend(wrong_in(box))
        box.button(button).click()

    for button in (QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard):
        person.answering(QMessageBox, partial(answer, button=button), person.program.files.may_leave)
        assert dialogs(person) == before, "the question whether to save"
    assert not found, "\n".join(found)


def settled(person):
    person.wait()
    for _ in range(5):  # what one panel asks for reaches the others in a few turns
        QApplication.processEvents()


def notice(person):
    offers = [BannerOffer(f"A way out, number {place}", "", lambda: None) for place in range(4)]
    person.program.window.banner.show_error(SENTENCE + "name_of_a_file_" * 9, offers=offers, focus=True)
    return [person.find("banner")]


def refusal_at_a_cell(person):
    person.go_to("value", 0, 0)
    person.type("abc", end="Return")
    return [tip for tip in person.window.findChildren(QWidget, "refusal") if tip.isVisible()]


def refusal_at_a_size(person):
    person.overwrite(person.find("control.n"), "0")
    return [person.find("refusal")]


def masks(person):
    person.do("masks")
    return [person.find("panel.mask")]


def finding(person):
    person.do("find")
    return [person.find("find")]


def comparison(person):
    person.do("pin")
    person.type_into("query", 0, 0, "3")
    person.do("show_difference")
    return [person.find("comparison")]


def history(person):
    return [person.find("history"), person.window.statusBar()]


def exercise(person):
    person.choose_cell("weights", 1, 1)
    person.do("leave_out")
    person.until(lambda: not person.program.late.exercises.busy)
    person.overwrite(person.find("exercise.answer", QLineEdit), "17")
    person.until(lambda: not person.program.late.exercises.busy)
    return [person.find("exercise"), person.find("exercise.verdict")]


def brush(person):
    person.do("mask_tool")
    return [person.find("brush")]


def by_hand(person):
    person.do("interventions")
    return [person.find("panel.interventions")]


SAID = notice, refusal_at_a_cell, refusal_at_a_size, finding, comparison, history, exercise, brush, masks, by_hand


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_the_window_says_is_in_sight_with_room_and_no_two_entries_share_an_access_key(launch, lang):
    found = []
    person = launch("worked-example.npz", lang=lang, width=SIZES[0][0], height=SIZES[0][1])
    for say in share(SAID, 2):
        person.again(say.__name__)
        settled(person)
        said = say(person)
        for size in SIZES:
            person.window.resize(*size)
            settled(person)
            widgets = dict.fromkeys(part for panel in said for part in (panel, *worded(panel)))
            widgets[person.focus()] = None
            found += [f"{say.__name__} {size}: {one}" for one in faults(widgets)]
            assert (person.window.width(), person.window.height()) == size
        person.press("Esc")  # out of what is refused
    assert not found, "\n".join(found)

    person.again("every button of the tool bar")
    for size in [(1024, 700), (1200, 700), *SIZES, (1199, 700)]:
        person.window.resize(*size)
        settled(person)
        bar = person.find("toolbar")
        buttons = [bar.widgetForAction(action) for action in bar.actions() if action.icon()]
        assert len(buttons) > 8
        assert faults(button for button in buttons if button is not None) == [], size

    # every word of the window has its room
    for example in share(("worked-example", "thinking-machines", "minilm-layer2"), 3):
        person.again(example, f"{example}.npz")
        person.click_cell("weights", 1, 0)
        for size in [(1440, 900), (1024, 700)]:
            person.window.resize(*size)
            settled(person)
            found = [widget for widget in worded(person.window) if not widget.visibleRegion().isEmpty()]
            found = [widget for widget in found if not isinstance(widget, QLineEdit)]  # its text scrolls
            assert len(found) > 20
            assert [fault(widget) for widget in found if is_cut(widget)] == [], size
            assert (person.window.width(), person.window.height()) == size

    # no two entries of a menu share an access key
    window = person.window
    menus = [menu for menu in window.findChildren(QMenu) if menu.objectName().startswith("menu.")]
    assert {"menu.file", "menu.edit", "menu.view", "menu.compute", "menu.help"} <= {m.objectName() for m in menus}
    named = {menu.objectName(): menu.actions() for menu in menus} | {"menu bar": window.menuBar().actions()}
    for menu in menus:
        menu.aboutToShow.emit()
    for name, actions in named.items():
        shown = [action.text() for action in actions if action.isVisible() and not action.isSeparator()]
        counted = letters(shown)
        assert [letter for letter, count in counted.items() if count > 1] == [], name
        if name in ("menu.file", "menu.edit", "menu.view", "menu.compute", "menu.help", "menu bar"):
            assert counted.total() == len(shown), f"{name}: an entry without a letter among {shown}"


def letters(texts):
    """How often each access key is given."""
    found = (ACCESS_KEY.search(text) for text in texts)
    return Counter(match.group(1).upper() for match in found if match)
