"""Every dialog that a menu opens: seen whole, named, told of, still under the wheel, and gone with its answer."""

from __future__ import annotations

import re
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSize
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
    QMessageBox,
    QPlainTextEdit,
    QRadioButton,
    QScrollArea,
    QScrollBar,
    QTabBar,
)

from attn_gui.views.text_views import WrappedLabel
from tests.journeys.conftest import Person
from tests.journeys.shell.test_every_widget import nameless, turnable, value_of
from tests.seen import faults, worded

KINDS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
)
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
NAMED = {"All", "None", "全部", "全选", "无", "都不选", "全不选"}  # what they do is what they say


def without_tip(dialog):
    controls = {control for kind in KINDS for control in dialog.findChildren(kind) if control.isVisible()}
    for control in sorted(controls, key=lambda each: each.objectName()):
        inner = isinstance(control.parentWidget(), PARTS) or control.window() is not dialog  # such as a list's own
        if isinstance(control, QScrollBar) or inner:
            continue
        if getattr(control, "text", str)() in NAMED:
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
    person = launch("minilm-layer2.npz", lang=lang, width=1366, height=700)
    person.click_cell("weights", 1, 1)
    person.wait()
    before, found = dialogs(person), []

    def look(dialog, name):
        untold = () if name in UNTOLD else without_tip(dialog)
        wrong = *wrong_in(dialog), *untold, *nameless(dialog), *broken(dialog), *turned(dialog)
        found.extend(f"{name}: {one}" for one in wrong)
        assert lang == "en" or in_chinese(dialog), name
        dialog.reject()

    for name in DIALOGS:
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


def test_a_target_of_a_projected_problem_says_which_row_moves(launch):
    """There X is what may be changed, in place of Q and K, and its choice says so."""
    person = launch("thinking-machines.npz")
    person.click_cell("weights", 0, 1)
    person.wait()
    tips = {}

    def look(dialog):
        tips.update({radio.objectName(): radio.toolTip() for radio in dialog.findChildren(QRadioButton)})
        dialog.reject()

    person.answering(QDialog, look, lambda: person.do("set_target"))
    assert set(tips) == {"target.x", "target.bias"}
    assert "row of X" in tips["target.x"]


def test_tips_of_a_new_problem_stay_true_while_it_is_chosen(person):

    def look(dialog):
        keys = dialog.findChild(QAbstractSpinBox, "new.m")
        for kind, words in (("direct", "How many keys"), ("self", "rows of X too"), ("cross", "How many keys")):
            person.click(dialog.findChild(QRadioButton, f"new.{kind}"))
            assert words in keys.toolTip()
        dialog.reject()

    person.answering(QDialog, look, lambda: person.do("new"))
