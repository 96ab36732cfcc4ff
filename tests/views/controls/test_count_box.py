"""A count that is typed is taken as it stands or refused, never as another number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
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
