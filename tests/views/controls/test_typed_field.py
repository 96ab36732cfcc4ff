"""A typed number is handed on once, in whatever form people write it, and refused with a sentence."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.controls.typed_field import NumberField, RefusalTip


class Host(QWidget):
    """A window with a field, another place to go to, and a record of what the field said."""

    def __init__(self, *, optional: bool = False, positive: bool = False) -> None:
        super().__init__()
        self.field, self.elsewhere = NumberField(self, optional=optional, positive=positive), QLineEdit(self)
        column = QVBoxLayout(self)
        column.addWidget(self.field)
        column.addWidget(self.elsewhere)
        self.committed: list[float | None] = []
        self.refused: list[str] = []
        self.field.committed.connect(self.committed.append)
        self.field.refused.connect(self.refused.append)

    def enter(self, qtbot: QtBot, text: str) -> None:
        qtbot.addWidget(self)
        self.show()
        self.activateWindow()
        qtbot.waitUntil(self.isActiveWindow)
        self.field.setFocus()
        self.field.selectAll()
        if text:
            qtbot.keyClicks(self.field, text)
        else:
            qtbot.keyClick(self.field, Qt.Key.Key_Delete)
        qtbot.keyClick(self.field, Qt.Key.Key_Return)


@pytest.mark.parametrize(("text", "value"), [("0.25", 0.25), ("1/8", 0.125), ("1e-3", 0.001), ("-2", -2.0)])
def test_numbers_as_people_write_them(qtbot: QtBot, text: str, value: float) -> None:
    host = Host()
    host.field.set_value(1.0)
    host.enter(qtbot, text)
    host.elsewhere.setFocus()
    assert host.committed == [value]
    assert host.field.value() == value


def test_text_is_refused_and_stays_to_be_mended(qtbot: QtBot) -> None:
    host = Host()
    host.field.set_value(0.5)
    host.enter(qtbot, "1,500")
    assert host.committed == []
    assert "point" in host.refused[0]
    assert host.field.selectedText() == "1,500"
    tip = host.findChild(RefusalTip)
    assert tip.isVisible()
    assert tip.text() == host.refused[0]
    qtbot.keyClick(host.field, Qt.Key.Key_Escape)
    assert host.field.text() == "0.5"
    assert not tip.isVisible()


def test_leaving_with_nonsense_keeps_the_old_number(qtbot: QtBot) -> None:
    host = Host()
    host.field.set_value(0.5)
    host.enter(qtbot, "abc")
    host.elsewhere.setFocus()
    assert host.field.text() == "0.5"
    assert host.committed == []


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan"])
def test_a_temperature_is_above_zero(qtbot: QtBot, text: str) -> None:
    host = Host(positive=True)
    host.field.set_value(1.0)
    host.enter(qtbot, text)
    assert host.committed == []
    assert "above 0" in host.refused[0]


def test_an_optional_number_can_be_taken_away(qtbot: QtBot) -> None:
    host = Host(optional=True, positive=True)
    host.field.set_value(30.0)
    host.enter(qtbot, "")
    assert host.committed == [None]
    assert host.field.value() is None


def test_a_float32_shows_its_own_digits(qtbot: QtBot) -> None:
    host = Host()
    qtbot.addWidget(host)
    host.field.set_dtype("float32")
    host.field.set_value(float.fromhex("0x1.99999ap-4"))
    assert host.field.text() == "0.1"
