"""A weight of a long row drawn with the mouse: each move is answered at once, the shortest change comes at the end."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from attn_gui.app.editing import targets
from attn_gui.engine import Problem, solve

LEFT = Qt.MouseButton.LeftButton
PLACE = (0, 0, 5, 9)


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
