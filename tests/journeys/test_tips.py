"""Every control of the computation says what it does, with the formula that it changes."""

import re

from PySide6.QtCore import Qt
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
from attn_gui.views.banner import BannerOffer
from attn_gui.views.map.colorbar import ColorBar


def test_every_control_has_a_tip_and_a_whats_this_which_is_of_its_own_window_alone_and_says_the_formula_in_force(
    launch, qtbot
):
    """A notebook or a script has windows beside this one, in the same application."""
    other, person = QWidget(), launch("worked-example.npz")
    qtbot.addWidget(other)
    foreign, named = QPushButton(other, toolTip="theirs"), QComboBox(other, objectName="control.score")
    person.do("language_zh")
    QApplication.processEvents()
    assert person.find("control.score").whatsThis()
    assert (foreign.whatsThis(), named.whatsThis(), named.toolTip()) == ("", "", "")

    person.again("that of what has the keyboard is shown: a map, what has a tip, the table of an open editor")
    for hint in ("one way out", "another", ""):  # of a button that keeps the keyboard
        person.window.banner.show_info("said", offers=[BannerOffer("a", hint, print)], focus=True)
        QApplication.processEvents()
        assert person.focus().whatsThis() == person.focus().toolTip() == hint
    person.window.banner.hide()
    heatmap, field, table = person.find("heatmap.weights"), person.find("control.dtype"), person.table("query")
    for widget, words in ((heatmap, "A = softmax"), (field, field.toolTip()), (table, "Type a number")):
        widget.setFocus()
        if widget is table:
            person.press("F2")
            assert person.focus() is not table
        person.press("Shift+F1")
        shown = [one for one in QApplication.topLevelWidgets() if one.inherits("QWhatsThat") and one.isVisible()]
        QWhatsThis.hideText()
        assert len(shown) == 1
        assert words in widget.whatsThis()
    table.window().commit_typed()
    person.do("softcap")
    field = person.find("control.softcap")
    field.setFocus()
    own = field.toolTip()
    person.program.late.tips.show()  # the first time since it was made: it has a tip, which stays
    assert field.toolTip() == own != field.whatsThis()
    foreign.setFocus()
    assert foreign.whatsThis() == ""

    person.again("switches, layers of the mask and levels have tips", "thinking-machines.npz")
    person.window.resize(1366, 700)
    bar = next(bar for bar in person.window.findChildren(ColorBar) if bar.isVisible())
    person.click(bar)
    met = set()
    found = told_nothing(person, met)
    person.press("Esc")
    person.do("masks")
    for kind in MASKS:
        person.window.mask_panel.add_layer(kind)
    person.wait()
    person.program.late.tips.show()
    assert sorted({*found, *told_nothing(person, met)}) == []

    # whatever takes the focus has a What's This
    # Maps, tables, lists and pages.
    person.click_cell("weights", 1, 0)
    person.do("snapshot")
    person.rest()
    found, met = set(), set()
    for action in ("all_stages", "product", "find", "masks", "retrieval", "gradients", "interventions"):
        person.do(action)
        person.wait()
        person.program.late.tips.show()
        found |= focusable_untold(person, met)
    assert sorted(found) == []

    person.again("maps and tables say the formula in force", "thinking-machines.npz")
    person.wait()
    person.program.late.tips.show()
    weights, table = person.find("heatmap.weights"), person.table("w_query")
    assert "A = softmax((Q Kᵀ)/√d_k)" in whats_this(person, weights)
    assert "Q = X W_Q" in whats_this(person, table)
    assert "Type a number" in whats_this(person, table)
    person.pick("scale", "none")
    person.wait()
    person.program.late.tips.show()
    assert "A = softmax(Q Kᵀ)" in whats_this(person, weights)
    person.do("language_zh")
    QApplication.processEvents()
    assert "每行是一个查询" in whats_this(person, person.find("operand.left"))
    assert "输入一个数" in whats_this(person, table)

    person.again("every control has a tip and a What's This", "minilm-layer2.npz")
    person.do("language_zh")
    # Those of a chosen cell, heads, color bars, history, snapshots, pages, masks, comparisons, too.
    for action in ("softcap", "temperature", "rotary_positions"):
        person.do(action)
    person.pick("scale", "typed")
    person.wait()
    person.program.late.tips.show()
    tabs = person.window.inspector.findChild(QTabWidget)
    met = set()
    found = told_nothing(person, met)
    person.click_cell("weights", 4, 2)
    person.rest()
    found += told_nothing(person, met)
    person.click("inspector.reach")
    person.do("snapshot", "pin")
    person.type_into("query", 0, 0, "2")
    person.do("find")
    person.rest()
    found += told_nothing(person, met)
    for page in range(1, tabs.count()):
        tabs.setCurrentIndex(page)
        person.wait()
        found += told_nothing(person, met)
    tabs.setCurrentIndex(0)
    for action in ("all_stages", "gradients", "masks"):
        person.do(action)
        person.wait()
        QTest.qWait(1)
        found += told_nothing(person, met)
    assert sorted(set(found)) == []
    told = {whats_this(person, control) for control in in_sight(person)}
    assert [text for text in told if not re.search("[一-鿿]", text)] == []

    person.again("whatever takes the focus beside a model has a whats this")
    person.program.late.models.open_known("toy-induction")
    person.wait()
    person.do("head_off")
    person.wait()
    person.program.late.tips.show()
    assert sorted(focusable_untold(person, set())) == []


KINDS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, ColorBar)
PARTS = (QAbstractItemView, QAbstractSpinBox, QComboBox)  # what lies in them is theirs


def in_sight(person):
    """The controls that a person sees, but for scroll bars and the switches of tabs."""
    for control in (each for kind in KINDS for each in person.window.findChildren(kind)):
        inner = isinstance(control, QScrollBar) or isinstance(control.parentWidget(), (*PARTS, QTabBar))
        if control.isVisible() and not inner:
            yield control


def whats_this(person, widget):
    """What Shift+F1 says of a widget while that has the keyboard."""
    person.program.late.tips.describe(widget)
    return widget.whatsThis()


def told_nothing(person, met):
    """Names of controls in sight without a tip or What's This; that of those that were `met` before is not asked."""
    return [
        f"{type(control).__name__} {control.objectName()} {getattr(control, 'text', str)()}"
        for control in in_sight(person)
        if not control.toolTip() or (is_new(control, met) and not whats_this(person, control))
    ]


def is_new(widget, met):
    """Whether a widget is met for the first time."""
    known = widget in met
    met.add(widget)
    return not known


def focusable_untold(person, met):
    """Names of what takes the focus in sight and has no What's This; parts of a control are told of by it. Not of those
    that were `met` before."""
    return {
        f"{type(widget).__name__} {widget.objectName()} {widget.accessibleName()}"
        for widget in person.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(widget, QScrollBar)
        and not isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)
        and is_new(widget, met)
        and not whats_this(person, widget)
    }
