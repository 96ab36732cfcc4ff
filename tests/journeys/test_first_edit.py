"""The main job: type a number into Q, see the weights follow, undo, export."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest


def test_a_typed_number_repaints_the_weights_and_is_undone(launch, qtbot):
    person = launch()
    before = person.value("weights", 10, 13)
    assert abs(before - 0.6110) < 5e-5  # the real model's own weight
    person.type_into("query", 10, 97, "-2.5")
    assert person.number("query", 10, 97) == -2.5
    after = person.value("weights", 10, 13)
    assert after < before
    painted, told = person.pixel("weights", 10, 13)
    assert painted == told

    person.again("only the edited row changes")
    before = {(i, j): person.value("weights", i, j) for i in (9, 10, 11) for j in (0, 13)}
    person.type_into("query", 10, 97, "3")
    for place, value in before.items():
        assert (person.value("weights", *place) == value) == (place[0] != 10)

    person.again("undo restores the number and the title")
    number, weight = person.number("query", 10, 97), person.value("weights", 10, 13)
    assert not person.window.isWindowModified()
    person.type_into("query", 10, 97, "1/3")
    assert person.window.isWindowModified()
    qtbot.waitUntil(lambda: "Q[10, 97]" in person.action("undo").text())
    QTest.keyClick(person.table("query"), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert person.number("query", 10, 97) == number
    assert person.value("weights", 10, 13) == weight
    assert not person.window.isWindowModified()
