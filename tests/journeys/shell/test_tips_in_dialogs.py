"""Every control of every dialog that a menu opens has a tip and What's This, in both languages."""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QScrollBar,
    QTabBar,
)

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
    "search_actions",
    "worksheets",
)
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


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_control_of_a_dialog_has_a_tip_and_a_whats_this(launch, lang):
    person = launch("minilm-layer2.npz", lang=lang)
    person.click_cell("weights", 1, 1)
    person.wait()
    found = {}
    for name in DIALOGS:

        def look(dialog, name=name):
            found[name] = [*without_tip(dialog)]
            assert lang == "en" or in_chinese(dialog), name
            dialog.reject()

        person.answering(QDialog, look, lambda name=name: person.do(name))
    assert {name: missing for name, missing in found.items() if missing} == {}


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


def test_tips_of_a_new_problem_stay_true_while_it_is_chosen(launch):
    person = launch("worked-example.npz")

    def look(dialog):
        keys = dialog.findChild(QAbstractSpinBox, "new.m")
        for kind, words in (("direct", "How many keys"), ("self", "rows of X too"), ("cross", "How many keys")):
            person.click(dialog.findChild(QRadioButton, f"new.{kind}"))
            assert words in keys.toolTip()
        dialog.reject()

    person.answering(QDialog, look, lambda: person.do("new"))
