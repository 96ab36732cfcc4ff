"""A weight that is still solved for when the person has let go and does something else: what was done last stays."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui import engine
from attn_gui.app.editing import targets
from attn_gui.engine import Problem
from attn_gui.views.dialogs.action_search import ActionSearch
from tests.journeys.gate import Gate

LEFT = Qt.MouseButton.LeftButton
ROW, COLUMN = 5, 9


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
        start = heatmap.cell_rect(ROW, COLUMN).center()
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
    drawn.type_into("query", ROW, 0, "5")
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
    while drawn.program.document.problem == before:
        QTest.qWait(1)
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
