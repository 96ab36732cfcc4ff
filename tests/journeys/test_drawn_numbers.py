"""Numbers of maps drawn with the mouse: the query follows, the shortest change comes last, late ones change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QRadioButton

from attn_gui import engine
from attn_gui.app.editing import targets
from attn_gui.app.state.computation import Computation
from attn_gui.engine import Problem, compute, solve, verify
from attn_gui.formats import load
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.questions import WeightDialog
from tests.journeys.gate import Gate

LEFT = Qt.MouseButton.LeftButton
ROW, COLUMN = 10, 13
PLACE = (0, 0, 5, 9)
HEAD = 3
LATE_ROW, LATE_COLUMN = 5, 9


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
    person.do("pin", "show_before")
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


def problem_of():
    rng = np.random.default_rng(4)
    return Problem(**{name: rng.normal(size=(12, 8)) for name in ("query", "key", "value")}, num_heads=2)


def test_every_move_shows_its_number_and_the_end_is_the_shortest_change(launch, qtbot, monkeypatch):
    monkeypatch.setattr(targets, "PULLED_MS", 60_000)  # nothing is solved for before the end
    person = launch()
    person.program.document.open(problem_of(), name="long")
    person.wait()
    person.do("target_tool")
    person.show_stage("weights")
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


def choose_from_menus(person, action):
    """Open the menus that lead to an action one out of the other, and click on it."""
    wanted, menus = person.action(action), person.window.findChildren(QMenu)
    menu = next(each for each in menus if wanted in each.actions())
    menu.popup(person.window.mapToGlobal(QPoint(80, 80)))
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(wanted).center())


def test_drawn_the_query_follows_and_typed_by_hand_the_row_no_longer_sums_to_one(launch, qtbot, tmp_path):
    person = launch()
    before = person.program.document.snapshot()
    person.show_stage("weights")
    choose_from_menus(person, "target_tool")
    heatmap = person.find("heatmap.weights")
    viewport, start = heatmap, heatmap.cell_rect(ROW, COLUMN).center()
    value, span = person.value("weights", ROW, COLUMN), float(heatmap.levels.high - heatmap.levels.low)
    pixels = round((0.9 - value) / span * 200)
    QTest.mousePress(viewport, LEFT, pos=start)
    for move in range(1, pixels + 1):
        QTest.mouseMove(viewport, start - QPoint(0, move))
    QTest.mouseRelease(viewport, LEFT, pos=start - QPoint(0, pixels))
    qtbot.waitUntil(lambda: abs(person.value("weights", ROW, COLUMN) - 0.9) < span / 200)
    person.program.late.target_drag.finish()
    QApplication.processEvents()
    after = person.program.document.problem
    assert np.flatnonzero((after.query != before.query).any(axis=1)).tolist() == [ROW]
    assert after.interventions == ()
    assert "drew A[10, 13] from 0.6110 to 0.9" in person.steps()[-1]
    assert float(compute(after)["weights"][0, HEAD, ROW].sum()) == pytest.approx(1, abs=1e-6)
    person.save_as(tmp_path / "drawn.attn")
    assert load(tmp_path / "drawn.attn") == after
    person.press("Ctrl+Z")
    assert person.program.document.problem == before

    person.again("typed by hand the row no longer sums to one and everything says so")
    person.do("language_zh")
    before = person.program.document.snapshot()
    person.choose_cell("weights", ROW, COLUMN)
    computed, output = person.value("weights", ROW, COLUMN), person.values("head_output")

    def alone(dialog):
        QTest.mouseClick(dialog.findChild(QRadioButton, "weight.alone"), LEFT)
        dialog.accept()

    def type_in():
        person.press("F2", "Ctrl+A")
        person.type("0.9", end="Return")

    person.answering(WeightDialog, alone, type_in)
    person.press("Ctrl+H")
    panel = person.find("panel.interventions")
    assert [str(panel.list.model().index(0, 0).data())] == ["头 3 的 A[10, 13] 设为 0.9"]
    person.press("Escape")
    assert "手动修改" in person.status()
    assert f"{computed:.4f}" in person.explanation()
    after = np.array(person.values("head_output"))
    value = np.array([person.value("value", COLUMN, column) for column in range(after.shape[1])])
    expected = np.array(output)
    expected[ROW] += (0.9 - computed) * value  # what a weight moves is its value
    np.testing.assert_allclose(after, expected, atol=1e-6)
    assert verify(person.program.document.problem).ok
    person.press("Ctrl+Z")
    assert person.program.document.problem == before


@pytest.fixture
def gate(monkeypatch):
    """Holds the search for the shortest change up until it is opened, as a slow computer would."""
    found = Gate()
    monkeypatch.setattr(targets, "PULLED_MS", 60_000)
    monkeypatch.setattr(engine, "solve", found.after(engine.solve))
    yield found
    found.open()


@pytest.fixture
def drawn(launch, qtbot, gate):
    """A person who has typed a number, drawn a weight of a long row, and let it go; the last answer is to come."""
    rng = np.random.default_rng(4)
    problem = Problem(**{name: rng.normal(size=(12, 8)) for name in ("query", "key", "value")}, num_heads=2)

    def draw(person):
        gate.close()
        person.program.document.open(problem, name="long")
        person.wait()
        person.type_into("value", 0, 0, "7")
        person.wait()
        if not person.action("target_tool").isChecked():
            person.do("target_tool")
        person.show_stage("weights")
        heatmap = person.find("heatmap.weights")
        start = heatmap.cell_rect(LATE_ROW, LATE_COLUMN).center()
        QTest.mousePress(heatmap, LEFT, pos=start)
        QTest.mouseMove(heatmap, start - QPoint(0, 20))
        qtbot.waitUntil(lambda: person.program.document.stack.count() == 2)
        QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 20))
        gate.await_work()

    return launch().beginning(draw)


def settle(person, gate):
    gate.open()
    person.program.late.target_drag.finish()
    for _ in range(3):
        QApplication.processEvents()
    person.wait()


def test_the_shortest_change_still_comes_and_what_is_done_meanwhile_stays(drawn, gate):
    drawing = drawn.steps()[1:]
    before = drawn.program.document.snapshot()
    settle(drawn, gate)
    assert [step.split()[0] for step in drawn.steps()[1:]] == [step.split()[0] for step in drawing]
    assert drawn.program.document.problem != before

    drawn.again("what is undone stays undone")
    drawn.press("Ctrl+Z")
    before = drawn.program.document.snapshot()
    settle(drawn, gate)
    assert drawn.program.document.problem == before
    assert drawn.program.document.stack.index() == 1

    drawn.again("a number typed in its place stays")
    drawn.press("Ctrl+Z")
    drawn.type_into("key", 0, 0, "5")
    before, steps = drawn.program.document.snapshot(), drawn.steps()
    settle(drawn, gate)
    assert drawn.program.document.problem == before
    assert drawn.steps() == steps

    drawn.again("a number typed into the same query stays")
    drawn.type_into("query", LATE_ROW, 0, "5")
    before, steps = drawn.program.document.snapshot(), drawn.steps()
    settle(drawn, gate)
    assert drawn.program.document.problem == before
    assert drawn.steps() == steps

    drawn.again("under a dialog it waits")
    before, met = drawn.program.document.snapshot(), []

    def look(dialog):
        settle(drawn, gate)
        met.append(drawn.program.document.problem == before)
        dialog.reject()

    drawn.answering(ActionSearch, look, lambda: drawn.do("search_actions"))
    assert met == [True]
    drawn.until(lambda: drawn.program.document.problem != before)
    assert len(drawn.steps()) == 3


def test_a_number_drawn_back_to_where_it_was_leaves_the_step_before_it(launch):
    query = [[1000.0, -999.0]]  # in which the rest of a change is too small to be held
    person = launch()
    person.program.document.open(Problem(query=query, key=[[1, 1], [0, 0]], value=[[1], [2]], dtype="float32"))
    person.wait()
    person.type_into("value", 0, 0, "7")
    person.wait()
    person.do("target_tool")
    person.show_stage("weights")
    steps, heatmap = person.steps(), person.find("heatmap.weights")
    start = heatmap.cell_rect(0, 1).center()
    QTest.mousePress(heatmap, LEFT, pos=start)
    for pixels in (20, 0, 20, 0, 30):
        QTest.mouseMove(heatmap, start - QPoint(0, pixels))
        for _ in range(3):
            person.program.late.target_drag.finish()
            QApplication.processEvents()
        assert person.steps()[: len(steps)] == steps
    QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, 30))
