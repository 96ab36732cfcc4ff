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
    person.program.late.pulling.finish()


@pytest.fixture
def person(launch):
    person = launch()
    person.do("target_tool")
    person.show_stage("weights")
    return person


def test_a_weight_is_drawn_to_nine_tenths_by_its_query_alone(person, qtbot):
    before = person.program.document.snapshot()
    pull(person, "weights", 58)  # of 200 pixels for the whole range: .6110 + .29
    qtbot.waitUntil(lambda: abs(person.value("weights", ROW, COLUMN) - (0.6110 + 58 / 200)) < 1e-3)
    after = person.program.document.problem
    moved = [k for k in range(before.n) if (before.query[k] != after.query[k]).any()]
    assert moved == [ROW]
    assert (before.key == after.key).all()
    assert person.program.document.stack.count() == 1


def test_a_gesture_is_undone_by_one_step(person, qtbot):
    before = person.program.document.snapshot()
    pull(person, "weights", -40, moves=9)
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
    person.do("undo")
    assert person.program.document.problem == before


def test_a_click_without_a_move_changes_nothing(person):
    pull(person, "weights", 0)
    assert person.program.document.stack.count() == 0
    assert person.program.view.look.cell[1:] == (ROW, COLUMN)


def test_the_brush_and_the_target_tool_are_not_in_hand_at_once(person):
    person.do("mask_tool")
    assert not person.action("target_tool").isChecked()
    person.do("target_tool")
    assert not person.action("mask_tool").isChecked()


def test_put_away_the_mouse_moves_maps_again(person):
    person.do("target_tool")
    pull(person, "weights", 40)
    assert person.program.document.stack.count() == 0


def test_escape_takes_a_gesture_back_while_it_is_held_and_then_puts_the_tool_away(person, qtbot):
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
    person.program.late.pulling.finish()
    assert person.program.document.problem == before
    assert person.action("target_tool").isChecked()
    person.press("Esc")
    assert not person.action("target_tool").isChecked()
    assert person.program.view.look.cell is not None


def test_beside_another_state_the_tool_says_why_nothing_moves(person):
    person.do("pin")
    person.do("show_before")
    before = person.program.document.snapshot()
    pull(person, "weights", 40)
    assert "show Now first" in person.banner()
    assert person.program.document.problem == before


def test_a_gesture_that_begins_before_the_numbers_are_there_goes_on_with_them(person, qtbot, monkeypatch):
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
    person.program.late.pulling.finish()


def test_put_away_in_the_middle_of_a_gesture_it_takes_the_next_one(person, qtbot):
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
