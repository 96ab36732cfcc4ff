"""Every control of the computation says what it does, with the formula that it changes, in both languages."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QEvent, QRegularExpression, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QWhatsThis,
    QWidget,
)

from attn_gui.engine.masks import MASKS
from attn_gui.views.dialogs.tokens_dialog import TokensDialog
from attn_gui.views.map.colorbar import ColorBar


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_control_has_a_tip_and_a_whats_this(launch, lang):
    person = launch(lang=lang)
    for action in ("softcap", "temperature", "rotary_positions"):
        person.do(action)
    person.pick("scale", "typed")
    for score in ("gaussian", "additive"):
        person.pick("score", score)
        controls = person.window.findChildren(QWidget, QRegularExpression("^control[.]"))
        assert len(controls) > 15
        for control in controls:  # a new step tells its own a moment later
            person.until(lambda control=control: control.whatsThis())
        assert [control.objectName() for control in controls if not control.toolTip()] == []
        assert [control.objectName() for control in controls if not control.whatsThis()] == []
        if lang == "zh":
            texts = [control.whatsThis() for control in controls]
            assert [text for text in texts if not re.search("[一-鿿]", text)] == []


def test_a_window_of_another_program_keeps_its_own_words(launch, qtbot):
    """A notebook or a script has windows beside this one, in the same application."""
    other, person = QWidget(), launch()
    qtbot.addWidget(other)
    foreign, named = QPushButton(other, toolTip="theirs"), QComboBox(other, objectName="control.score")
    person.do("language_zh")
    QApplication.processEvents()
    assert person.find("control.score").whatsThis()
    assert (foreign.whatsThis(), named.whatsThis(), named.toolTip()) == ("", "", "")


def test_a_button_at_the_axes_names_the_tokens(launch):
    person = launch("worked-example.npz", width=1024, height=700)
    person.show_stage("scores")
    person.answering(TokensDialog, lambda dialog: dialog.reject(), lambda: person.click("product.tokens"))


KINDS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, ColorBar)
PARTS = (QAbstractItemView, QAbstractSpinBox, QComboBox)  # what lies in them is theirs


def in_sight(person):
    """The controls that a person sees, but for scroll bars and the switches of tabs."""
    for control in (each for kind in KINDS for each in person.window.findChildren(kind)):
        inner = isinstance(control, QScrollBar) or isinstance(control.parentWidget(), (*PARTS, QTabBar))
        if control.isVisible() and not inner:
            yield control


def told_nothing(person):
    """Names of controls in sight without a tip or What's This."""
    return [
        f"{type(control).__name__} {control.objectName()} {getattr(control, 'text', str)()}"
        for control in in_sight(person)
        if not control.toolTip() or not control.whatsThis()
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_controls_that_come_later_have_a_tip_and_a_whats_this(launch, lang):
    """Those of a chosen cell, heads, color bars, history, snapshots, pages, masks, comparisons."""
    person = launch(lang=lang)
    tabs = person.window.inspector.findChild(QTabWidget)
    found = told_nothing(person)
    person.click_cell("weights", 4, 2)
    person.rest()
    found += told_nothing(person)
    person.click("inspector.reach")
    person.do("snapshot", "pin")
    person.type_into("query", 0, 0, "2")
    person.do("find")
    person.rest()
    found += told_nothing(person)
    for page in range(1, tabs.count()):
        tabs.setCurrentIndex(page)
        person.wait()
        found += told_nothing(person)
    tabs.setCurrentIndex(0)
    for action in ("all_stages", "gradients", "masks"):
        person.do(action)
        person.wait()
        QTest.qWait(1)
        found += told_nothing(person)
    assert sorted(set(found)) == []
    if lang == "zh":
        told = {control.whatsThis() for control in in_sight(person)}
        assert [text for text in told if not re.search("[一-鿿]", text)] == []

    person.again("whatever takes the focus beside a model has a whats this")
    person.program.late.models.open_known("toy-induction")
    person.wait()
    person.do("head_off")
    person.wait()
    person.program.late.tips.show()
    assert sorted(focusable_untold(person)) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_switches_of_tables_layers_of_the_mask_and_levels_have_tips(launch, lang):
    person = launch("thinking-machines.npz", lang=lang, width=1366, height=700)
    bar = next(bar for bar in person.window.findChildren(ColorBar) if bar.isVisible())
    person.click(bar)
    found = told_nothing(person)
    person.press("Esc")
    person.do("masks")
    for kind in MASKS:
        person.window.mask_panel.add_layer(kind)
    person.wait()
    person.program.late.tips.show()
    assert sorted({*found, *told_nothing(person)}) == []

    person.again("whatever takes the focus has a whats this")
    # Maps, tables, lists and pages.
    person.click_cell("weights", 1, 0)
    person.do("snapshot")
    person.rest()
    found = set()
    for action in ("all_stages", "product", "find", "masks", "retrieval", "gradients", "interventions"):
        person.do(action)
        person.wait()
        person.program.late.tips.show()
        found |= focusable_untold(person)
    assert sorted(found) == []


def focusable_untold(person):
    """Names of what takes the focus in sight and has no What's This; parts of a control are told of by it."""
    return {
        f"{type(widget).__name__} {widget.objectName()} {widget.accessibleName()}"
        for widget in person.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(widget, QScrollBar)
        and not isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)
        and not widget.whatsThis()
    }


def test_whats_this_of_maps_and_tables_says_the_formula_in_force(launch):
    person = launch("thinking-machines.npz")
    person.wait()
    person.program.late.tips.show()
    weights, table = person.find("heatmap.weights"), person.table("w_query")
    assert "A = softmax((Q Kᵀ)/√d_k)" in weights.whatsThis()
    assert "Q = X W_Q" in table.whatsThis()
    assert "Type a number" in table.whatsThis()
    person.pick("scale", "none")
    person.wait()
    person.program.late.tips.show()
    assert "A = softmax(Q Kᵀ)" in weights.whatsThis()
    person.do("language_zh")
    QApplication.processEvents()
    assert "每行是一个查询" in person.find("operand.left").whatsThis()
    assert "输入一个数" in table.whatsThis()


def test_whats_this_of_a_map_is_shown_and_tips_follow_the_language(launch, qtbot):
    person = launch()
    person.program.late.tips.show()
    heatmap = person.find("heatmap.weights")
    heatmap.setFocus()
    spot = heatmap.cell_rect(1, 1).center()
    pointed = QHelpEvent(QEvent.Type.WhatsThis, spot, heatmap.mapToGlobal(spot))
    for way in (lambda: person.press("Shift+F1"), lambda: QApplication.sendEvent(heatmap, pointed)):
        way()
        shown = [one for one in QApplication.topLevelWidgets() if one.inherits("QWhatsThat") and one.isVisible()]
        QWhatsThis.hideText()
        assert len(shown) == 1

    person.again("tips follow the language")
    assert "S / √dₖ" in person.find("control.scale").toolTip()
    person.do("language_zh")
    QApplication.processEvents()
    assert re.search("[一-鿿]", person.find("control.scale").whatsThis())
    assert re.search("[一-鿿]", person.find("control.score").toolTip())

    person.again("heads and color bars say what they change")
    assert "O = A V" in person.find("head.3").toolTip()
    bar = next(bar for bar in person.window.findChildren(ColorBar) if bar.isVisible())
    assert "(x − low) / (high − low)" in bar.toolTip()
    person.do("language_zh")
    QApplication.processEvents()
    for control in (bar, person.find("head.3")):
        assert re.search("[一-鿿]", control.toolTip())
        assert re.search("[一-鿿]", control.whatsThis())

    person.again("a tip that a widget says itself is in the present language under whats this too")
    fold = person.find("history.fold")
    qtbot.waitUntil(lambda: bool(fold.whatsThis()))
    for language in ("language_zh", "language_en"):
        person.do(language)
        qtbot.waitUntil(lambda: fold.whatsThis() == fold.toolTip())
