"""Numbers of maps drawn with the mouse: the query follows, and the shortest change comes last."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from attn_gui.app.editing import targets
from attn_gui.engine import Problem, solve

LEFT = Qt.MouseButton.LeftButton
ROW, COLUMN = 10, 13
PLACE = (0, 0, 5, 9)


def pull(person, stage, pixels, moves=5):
    """Press on a cell, draw it up in some moves, and let it go there."""
    heatmap = person.find(f"heatmap.{stage}")
    viewport, start = heatmap, heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mousePress(viewport, LEFT, pos=start)
    for move in range(1, moves + 1):
        QTest.mouseMove(viewport, start - QPoint(0, pixels * move // moves))
    QTest.mouseRelease(viewport, LEFT, pos=start - QPoint(0, pixels))
    person.let_work_end()


def take_in_hand(person):
    if not person.action("target_tool").isChecked():
        person.do("target_tool")
    person.show_stage("weights")


@pytest.fixture
def person(launch):
    return launch().beginning(take_in_hand)


def problem_of():
    rng = np.random.default_rng(4)
    return Problem(**{name: rng.normal(size=(12, 8)) for name in ("query", "key", "value")}, num_heads=2)


def test_a_gesture_is_one_step_which_escape_takes_back_and_ends_with_the_shortest_change(person, qtbot, monkeypatch):
    before = person.program.document.snapshot()
    pull(person, "weights", -40, moves=9)
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
    after = person.program.document.problem
    assert np.flatnonzero((after.query != before.query).any(axis=1)).tolist() == [ROW]
    assert after.interventions == ()
    assert f"drew A[10, 13] from 0.6110 to {person.value('weights', ROW, COLUMN):.4g}" in person.steps()[-1]
    person.press("Esc")  # there is no gesture any more
    assert not person.action("target_tool").isChecked()
    person.do("undo")
    assert person.program.document.problem == before

    person.again("a click without a move changes nothing")
    pull(person, "weights", 0)
    assert person.program.document.stack.count() == 0
    assert person.program.view.look.cell[1:] == (ROW, COLUMN)

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
    person.let_work_end()
    assert person.program.document.problem == before
    assert person.action("target_tool").isChecked()
    person.press("Esc")
    assert not person.action("target_tool").isChecked()
    assert person.program.view.look.cell is not None

    person.again("another change ends a gesture, and what is drawn on is a step of its own")
    QTest.mousePress(heatmap, LEFT, pos=start)
    for pixels in (20, 40):
        QTest.mouseMove(heatmap, start - QPoint(0, pixels))
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
    person.let_work_end()
    person.do("head_off")
    QTest.mouseMove(heatmap, start - QPoint(0, 60))
    QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 60))
    qtbot.waitUntil(lambda: person.program.document.stack.count() == 3)
    assert person.program.document.problem.interventions

    person.again("beside another state the tool says why nothing moves")
    person.do("pin", "show_before")
    before = person.program.document.snapshot()
    pull(person, "weights", 40)
    assert "show Now first" in person.banner()
    assert person.program.document.problem == before

    monkeypatch.setattr(targets, "PULLED_MS", 60_000)  # nothing is solved for before the end
    person.again("every move shows its number, and the end is the shortest change", problem_of())
    person.program.view.set(head=PLACE[1])
    heatmap = person.find("heatmap.weights")
    before, span = person.value("weights", *PLACE[2:]), float(heatmap.levels.high - heatmap.levels.low)
    start = heatmap.cell_rect(*PLACE[2:]).center()
    QTest.mousePress(heatmap, LEFT, pos=start)
    wanted = [before + pixels * span / targets.WAY for pixels in (10, 20, 30)]
    for pixels, expected in zip((10, 20, 30), wanted, strict=True):
        QTest.mouseMove(heatmap, start - QPoint(0, pixels))
        if pixels == 10:  # what the row is made of is read beside the window
            qtbot.waitUntil(lambda: person.program.document.stack.count() == 1)
        assert abs(person.value("weights", *PLACE[2:]) - expected) < 1e-9
        assert person.program.document.stack.count() == 1
    QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 30))
    shortest = solve(problem_of(), "weights", PLACE, wanted[-1])
    assert shortest.odds == "free"
    length = lambda: float(np.linalg.norm(person.program.document.problem.query - problem_of().query))  # noqa: E731
    qtbot.waitUntil(lambda: abs(length() - shortest.norm) < 1e-9)
    assert person.program.document.stack.count() == 1
    person.do("undo")
    assert person.program.document.problem == problem_of()
