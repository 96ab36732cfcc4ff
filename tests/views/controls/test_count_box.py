"""A count that is typed is taken as it stands or refused, never as another number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.controls.count_box import CountBox, ItemBox, SizeBox
from attn_gui.views.controls.typed_field import RefusalTip


def an_item_box(parent: QWidget) -> ItemBox:
    box = ItemBox(parent)
    box.set_items(4, 90)
    return box


KINDS = {
    "count": lambda parent: CountBox(parent, maximum=99),
    "size": lambda parent: SizeBox(parent, maximum=99),
    "item": an_item_box,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["1,5", "1.5", "1 5", "1e1", "1'5", "2x", "-3", "1234"])
def test_what_is_no_count_is_refused_as_it_was_typed(qtbot: QtBot, kind: str, text: str) -> None:
    host = QWidget()
    box, elsewhere = KINDS[kind](host), QLineEdit(host)
    column = QVBoxLayout(host)
    column.addWidget(box)
    column.addWidget(elsewhere)
    qtbot.addWidget(host)
    host.show()
    host.activateWindow()
    qtbot.waitUntil(host.isActiveWindow)
    before = box.value()
    stays = f"“{text}” was not taken; {before} stays."
    for leave, said in ((lambda: qtbot.keyClick(box, Qt.Key.Key_Escape), ""), (elsewhere.setFocus, stays)):
        box.setFocus()
        box.selectAll()
        qtbot.keyClicks(box, text)
        assert box.cleanText() == text
        qtbot.keyClick(box, Qt.Key.Key_Return)
        assert box.cleanText() == text
        tip = host.findChild(RefusalTip)
        assert tip is not None
        assert tip.isVisible()
        leave()
        assert (box.value(), box.cleanText()) == (before, str(before))
        assert (tip.text() if tip.isVisible() else "") == said
    box.setFocus()
    assert not tip.isVisible()


# --- A visit to a size box is one gesture, and what cannot be is refused with a sentence ---


class Host(QWidget):
    """A window with a box, another place to go to, and a record of what the box said."""

    def __init__(self) -> None:
        super().__init__()
        self.box, self.elsewhere = SizeBox(self), QLineEdit(self)
        column = QVBoxLayout(self)
        column.addWidget(self.box)
        column.addWidget(self.elsewhere)
        self.resize(420, 160)
        self.committed: list[int] = []
        self.refused: list[str] = []
        for signal, record in ((self.box.committed, self.committed), (self.box.refused, self.refused)):
            signal.connect(record.append)


@pytest.fixture
def host(qtbot: QtBot) -> Host:
    host = Host()
    qtbot.addWidget(host)
    host.show()
    host.activateWindow()
    host.elsewhere.setFocus()
    host.box.set_value(16)
    host.box.setFocus()
    host.box.selectAll()
    return host


def _type(qtbot: QtBot, host: Host, text: str) -> None:
    host.box.selectAll()
    qtbot.keyClicks(host.box, text)


def _tip(host: Host) -> RefusalTip | None:
    return next((tip for tip in host.findChildren(RefusalTip) if tip.isVisible()), None)


def test_escape_restores_the_number_before_the_visit(qtbot: QtBot, host: Host) -> None:
    qtbot.keyClick(host.box, Qt.Key.Key_Up)
    qtbot.keyClick(host.box, Qt.Key.Key_Escape)
    assert host.box.text() == "16"
    assert host.box.property("tone") == ""
    host.elsewhere.setFocus()
    assert host.committed == []


@pytest.mark.parametrize("typed", ["0", "99999"])
def test_a_number_out_of_range_is_refused_with_its_range(qtbot: QtBot, host: Host, typed: str) -> None:
    _type(qtbot, host, typed)
    qtbot.keyClick(host.box, Qt.Key.Key_Return)
    assert host.committed == []
    assert host.refused == [f"{typed} is out of range: 1 to 65536. Esc keeps 16."]
    assert host.box.lineEdit().selectedText() == typed
    tip = _tip(host)
    assert tip is not None
    assert tip.accessibleName() == host.refused[0]
    assert host.rect().contains(tip.geometry())


def test_only_numbers_of_the_range_are_named_as_possible(qtbot: QtBot, host: Host) -> None:
    host.box.set_allowed((1, 2, 65536, 131072))
    _type(qtbot, host, "65535")
    qtbot.keyClick(host.box, Qt.Key.Key_Return)
    _type(qtbot, host, "131072")
    qtbot.keyClick(host.box, Qt.Key.Key_Return)
    assert host.refused == [
        "65535 is not possible. Possible: 1, 2, 65536. Esc keeps 16.",
        "131072 is out of range: 1 to 65536. Esc keeps 16.",
    ]


def test_a_number_of_the_document_above_the_range_is_held_until_another_one_is_typed(qtbot: QtBot, host: Host) -> None:
    host.box.set_value(70000)
    assert (host.box.text(), host.box.value()) == ("70000", 70000)
    assert host.box.settle()
    host.elsewhere.setFocus()
    assert (host.box.text(), host.committed, host.refused) == ("70000", [], [])
    host.box.setFocus()
    qtbot.keyClick(host.box, Qt.Key.Key_Down)
    qtbot.keyClick(host.box, Qt.Key.Key_Return)
    assert host.committed == [69999]
    host.box.set_value(3)
    _type(qtbot, host, "70000")
    qtbot.keyClick(host.box, Qt.Key.Key_Return)
    assert host.refused == ["70000 is out of range: 1 to 65536. Esc keeps 3."]


def test_the_wheel_turns_no_size(qtbot: QtBot, host: Host) -> None:
    def turn() -> None:
        center = QPointF(host.box.rect().center())
        event = QWheelEvent(
            center,
            QPointF(host.box.mapToGlobal(center.toPoint())),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(host.box, event)

    assert host.box.hasFocus()
    turn()
    host.elsewhere.setFocus()
    turn()
    assert host.box.value() == 16
    assert host.committed == []
