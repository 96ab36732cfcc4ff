"""What is typed for a number is handed on once, as people write it, or refused with a sentence: never another one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from attn_gui.views.controls.count_box import CountBox, ItemBox, SizeBox
from attn_gui.views.controls.typed_field import NumberField, RefusalTip
from tests.failing import each


def an_item_box(parent):
    box = ItemBox(parent)
    box.set_items(4, 90)
    return box


KINDS = {
    "count": lambda parent: CountBox(parent, maximum=99),
    "size": lambda parent: SizeBox(parent, maximum=99),
    "item": an_item_box,
}


class Host(QWidget):
    """A window with a field, another place to go to, and a record of what the field said."""

    def __init__(self, qtbot, make):
        super().__init__()
        self.qtbot, self.field, self.elsewhere = qtbot, make(self), QLineEdit(self)
        column = QVBoxLayout(self)
        for widget in (self.field, self.elsewhere):
            column.addWidget(widget)
        self.resize(420, 160)
        self.committed, self.refused = [], []
        if hasattr(self.field, "committed"):
            self.field.committed.connect(self.committed.append)
            self.field.refused.connect(self.refused.append)
        qtbot.addWidget(self)
        self.show()
        self.activateWindow()
        qtbot.waitUntil(self.isActiveWindow)
        self.field.setFocus()

    def write(self, text):
        self.field.selectAll()
        if text:
            self.qtbot.keyClicks(self.field, text)
        else:
            self.press(Qt.Key.Key_Delete)

    def press(self, key):
        self.qtbot.keyClick(self.field, key)

    def enter(self, text):
        self.write(text)
        self.press(Qt.Key.Key_Return)

    @property
    def tip(self):
        return next((tip for tip in self.findChildren(RefusalTip) if tip.isVisible()), None)


@each("kind", KINDS)
@each("text", ["1,5", "1.5", "1 5", "1e1", "1'5", "2x", "-3", "1234"])
def test_what_is_no_count_is_refused_as_it_was_typed(qtbot, kind, text):
    host = Host(qtbot, KINDS[kind])
    box, before = host.field, host.field.value()
    stays = f"“{text}” was not taken; {before} stays."
    for leave, said in ((lambda: host.press(Qt.Key.Key_Escape), None), (host.elsewhere.setFocus, stays)):
        box.setFocus()
        host.write(text)
        assert box.cleanText() == text
        host.press(Qt.Key.Key_Return)
        assert box.cleanText() == text
        assert host.tip is not None
        leave()
        assert (box.value(), box.cleanText()) == (before, str(before))
        assert (host.tip and host.tip.text()) == said
    box.setFocus()
    assert host.tip is None


@each(
    ("options", "text", "committed", "said"),
    [
        ({}, "0.25", [0.25], None),
        ({}, "1/8", [0.125], None),
        ({}, "-2", [-2.0], None),
        ({"optional": True, "positive": True}, "", [None], None),
        ({}, "1,500", [], "point"),
        *(({"positive": True}, text, [], "above 0") for text in ("0", "-1", "inf", "nan")),
    ],
)
def test_a_number_is_handed_on_once_or_refused(qtbot, options, text, committed, said):
    host = Host(qtbot, lambda parent: NumberField(parent, **options))
    host.field.set_value(30.0)
    host.enter(text)
    host.elsewhere.setFocus()
    assert host.committed == committed
    assert host.field.value() == (committed or [30.0])[0]
    assert all(said in sentence for sentence in host.refused) if said else not host.refused


def test_a_refused_text_stays_to_be_mended_until_it_is_left(qtbot):
    host = Host(qtbot, NumberField)
    host.field.set_dtype("float32")
    host.field.set_value(float.fromhex("0x1.99999ap-4"))
    assert host.field.text() == "0.1", "its own digits"
    for leave in (lambda: host.press(Qt.Key.Key_Escape), host.elsewhere.setFocus):
        host.field.setFocus()
        host.enter("abc")
        assert host.field.selectedText() == "abc"
        assert host.tip.text() == host.refused[-1]
        leave()
        assert (host.field.text(), host.committed) == ("0.1", [])


# --- A visit to a size box is one gesture, and what cannot be is refused with a sentence ---


@pytest.fixture
def host(qtbot):
    host = Host(qtbot, SizeBox)
    host.elsewhere.setFocus()
    host.field.set_value(16)
    host.field.setFocus()
    return host


def test_escape_restores_the_number_before_the_visit(host):
    host.press(Qt.Key.Key_Up)
    host.press(Qt.Key.Key_Escape)
    assert host.field.text() == "16"
    assert host.field.property("tone") == ""
    host.elsewhere.setFocus()
    assert host.committed == []


def test_a_number_out_of_range_is_refused_with_its_range(host):
    for typed in ("0", "99999"):
        host.enter(typed)
        assert host.refused[-1] == f"{typed} is out of range: 1 to 65536. Esc keeps 16."
        assert host.field.lineEdit().selectedText() == typed
        assert host.tip.accessibleName() == host.refused[-1]
        assert host.rect().contains(host.tip.geometry())
    host.field.set_allowed((1, 2, 65536, 131072))
    for typed in ("65535", "131072"):
        host.enter(typed)
    assert host.refused[2:] == [
        "65535 is not possible. Possible: 1, 2, 65536. Esc keeps 16.",
        "131072 is out of range: 1 to 65536. Esc keeps 16.",
    ]
    assert host.committed == []


def test_a_number_of_the_document_above_the_range_is_held_until_another_one_is_typed(host):
    host.field.set_value(70000)
    assert (host.field.text(), host.field.value()) == ("70000", 70000)
    assert host.field.commit_typed()
    host.elsewhere.setFocus()
    assert (host.field.text(), host.committed, host.refused) == ("70000", [], [])
    host.field.setFocus()
    host.press(Qt.Key.Key_Down)
    host.press(Qt.Key.Key_Return)
    assert host.committed == [69999]
    host.field.set_value(3)
    host.enter("70000")
    assert host.refused == ["70000 is out of range: 1 to 65536. Esc keeps 3."]


def test_the_wheel_turns_no_size(host):
    for focus in (host.field, host.elsewhere):
        focus.setFocus()
        place = host.field.mapTo(host, host.field.rect().center())
        QTest.wheelEvent(host.windowHandle(), QPointF(place), QPoint(0, 120))
        QApplication.processEvents()
    assert host.field.value() == 16
    assert host.committed == []
