"""The target tool: a number of a map drawn up and down, and the query that follows it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from attn_gui.app.state.computation import Computation

LEFT = Qt.MouseButton.LeftButton
ROW, COLUMN = 10, 13


def pull(person, stage, pixels, moves=5):
    """Press on a cell, draw it up in some moves, and let it go there."""
    heatmap = person.find(f"heatmap.{stage}")
    viewport, start = heatmap, heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mousePress(viewport, LEFT, pos=start)
    for move in range(1, moves + 1):
        QTest.mouseMove(viewport, start - QPoint(0, pixels * move // moves))
    QTest.mouseRelease(viewport, LEFT, pos=start - QPoint(0, pixels))
    person.program.late.target_drag.finish()


def take_in_hand(person):
    if not person.action("target_tool").isChecked():
        person.do("target_tool")
    person.show_stage("weights")


@pytest.fixture
def person(launch):
    return launch().beginning(take_in_hand)


def test_a_gesture_is_one_step_and_escape_takes_it_back(person, qtbot, monkeypatch):
    before = person.program.document.snapshot()
    pull(person, "weights", -40, moves=9)
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
    person.do("undo")
    assert person.program.document.problem == before

    person.again("a click without a move changes nothing")
    pull(person, "weights", 0)
    assert person.program.document.stack.count() == 0
    assert person.program.view.look.cell[1:] == (ROW, COLUMN)

    person.again("the brush and the target tool are not in hand at once")
    person.do("mask_tool")
    assert not person.action("target_tool").isChecked()
    person.do("target_tool")
    assert not person.action("mask_tool").isChecked()

    person.again("put away the mouse moves maps again")
    person.do("target_tool")
    pull(person, "weights", 40)
    assert person.program.document.stack.count() == 0

    person.again("escape takes a gesture back while it is held and then puts the tool away")
    before, heatmap = person.program.document.snapshot(), person.find("heatmap.weights")
    start = heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mousePress(heatmap, LEFT, pos=start)
    QTest.mouseMove(heatmap, start - QPoint(0, 20))
    QTest.mouseMove(heatmap, start - QPoint(0, 40))
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
    heatmap.setFocus()
    person.press("Esc")
    assert person.program.document.problem == before
    QTest.mouseMove(heatmap, start - QPoint(0, 60))
    QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 60))
    person.program.late.target_drag.finish()
    assert person.program.document.problem == before
    assert person.action("target_tool").isChecked()
    person.press("Esc")
    assert not person.action("target_tool").isChecked()
    assert person.program.view.look.cell is not None

    person.again("beside another state the tool says why nothing moves")
    person.do("pin")
    person.do("show_before")
    before = person.program.document.snapshot()
    pull(person, "weights", 40)
    assert "show Now first" in person.banner()
    assert person.program.document.problem == before

    person.again("a gesture that begins before the numbers are there goes on with them")
    pending, heatmap = [True], person.find("heatmap.weights")
    start = heatmap.cell_rect(ROW, COLUMN).center()
    with monkeypatch.context() as late:
        late.setattr(Computation, "pending", property(lambda _: pending[0]))
        QTest.mousePress(heatmap, LEFT, pos=start)
        QTest.mouseMove(heatmap, start - QPoint(0, 20))
        pending[0] = False
        QTest.mouseMove(heatmap, start - QPoint(0, 40))
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
    QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 40))
    person.program.late.target_drag.finish()

    person.again("put away in the middle of a gesture it takes the next one")
    heatmap = person.find("heatmap.weights")
    start = heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mousePress(heatmap, LEFT, pos=start)
    QTest.mouseMove(heatmap, start - QPoint(0, 20))
    heatmap.setFocus()
    person.press("Esc")
    person.press("Esc")
    QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 20))
    assert not person.action("target_tool").isChecked()
    person.do("target_tool")
    pull(person, "weights", 40)
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
