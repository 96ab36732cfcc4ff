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
    QScrollBar,
    QTabBar,
)

KINDS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)
PARTS = (QAbstractItemView, QAbstractSpinBox, QComboBox, QTabBar, QDialogButtonBox)
DIALOGS = (
    "new",
    "export_image",
    "export_data",
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
        if isinstance(control, QScrollBar) or isinstance(control.parentWidget(), PARTS):
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
