"""A pointer, a press and what waits, while maps still show the document before: no place of it means one of another."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from attn_gui.app.maps.gradients import REST_MS
from attn_gui.app.state import computation
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem
from attn_gui.views.dialogs.target_dialog import TargetDialog
from tests.failing import each
from tests.journeys.gate import Gate

LARGE = "minilm-layer2.npz"
LEFT = Qt.MouseButton.LeftButton


def small() -> Problem:
    """Two queries and three keys, of tokens that the other document has not."""
    tokens = {"query_tokens": ("zwei", "drei"), "key_tokens": ("x", "y", "z")}
    return Problem(query=np.eye(2), key=np.ones((3, 2)), value=np.eye(3), **tokens)


@pytest.fixture
def person(launch):
    """Who looks at the weights of 16 tokens."""
    return launch(LARGE).beginning(lambda person: person.show_stage("weights"))


def told(person) -> None:
    person.look()
    person.wait()


@each("place", [(12, 13), (0, 1)])
def test_a_pointer_that_moves_says_nothing_of_the_new_document_by_the_picture_of_the_old(person, place):
    person.again(str(place))
    heatmap = person.find("heatmap.weights")
    old = heatmap.cell_rect(*place).center()
    person.program.files.begin_problem(small(), "small")
    QTest.mouseMove(heatmap, old)
    assert not person.program.computation.notified, "the window may paint before the next map is told"
    assert "(" not in person.window.place.text()
    told(person)
    QTest.mouseMove(heatmap, heatmap.cell_rect(1, 2).center())
    assert "drei → z (1, 2)" in person.window.place.text()


def test_what_is_clicked_painted_or_pressed_is_what_is_seen_then(person, qtbot):
    """A press is never lost: the rest is told first, and it means the cell of the new map below the pointer."""
    heatmap = person.find("heatmap.weights")
    old = heatmap.cell_rect(12, 13).center()
    person.program.files.begin_problem(small(), "small")
    QTest.mouseClick(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, old)
    assert person.program.computation.notified
    cell = person.program.view.look.cell
    assert cell is None or (cell.stage == "weights" and (cell.row, cell.column) == heatmap.cell_under(old))

    person.again("a key pressed in the same turn acts on the new document")
    person.click_cell("weights", 12, 13)
    person.program.files.begin_problem(small(), "small")
    person.press("Space", "F2", "Return")
    told(person)
    assert person.program.document.problem == small(), "no cell of it is chosen"

    person.again("a page that still shows the document before leads nowhere")
    person.click_cell("weights", 12, 13)
    person.do("gradient_maps")
    told(person)
    while person.program.late.pages.busy:
        QTest.qWait(2)
    page = person.find("page.gradient_maps")
    spot = page.canvas.drawing.fields[0].spot(0, 0)
    assert spot.cell is not None
    person.program.files.begin_problem(small(), "small")
    person.program.view.notify_all()
    page.spotChosen.emit(spot)
    assert person.program.view.look.cell is None
    told(person)

    person.again("a target is not looked for in another document")

    # Which took the place of the one that the dialog is about, as one that is read beside the window may.
    def answer(dialog):
        dialog.field.setText("0.5")
        person.program.files.begin_problem(small(), "small")
        dialog.field.setText("0.25")
        targets = person.program.late.targets
        while targets._rest.isActive():
            QTest.qWait(5)
        targets.finish()
        QTest.qWait(5)
        dialog.reject()

    person.click_cell("weights", 12, 13)
    person.answering(TargetDialog, answer, lambda: person.do("set_target"))
    told(person)
    assert person.program.document.problem == small()

    person.again("a page that the problem no longer has is not exported")
    # It stays and says what it needs.
    person.do("meaning")
    told(person)
    button = person.find("button.page_export", QAbstractButton)
    assert button.isEnabled()
    person.program.files.begin_problem(Problem(query=[[1.0]], key=[[1.0]] * 3, value=[[1.0]] * 3), "small")
    button.click()
    told(person)
    assert not person.action("meaning").isEnabled()
    assert person.find("page.meaning").isVisible()
    qtbot.waitUntil(lambda: not button.isEnabled())

    person.again("a brush never paints into another document by the old picture")
    person.do("mask_tool")
    told(person)
    heatmap = person.find("heatmap.masked" if person.has("heatmap.masked") else "heatmap.scaled")
    old = heatmap.cell_rect(12, 13).center()
    QTest.mousePress(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, old)
    person.program.files.begin_problem(small(), "small")
    QTest.mouseMove(heatmap, old + QPoint(30, 0))
    QTest.mouseRelease(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, old + QPoint(30, 0))
    told(person)
    assert person.program.document.problem == small(), "the stroke was of the other document"


@each("way", ["another document", "another structure", "a smaller one"])
def test_the_difference_beside_a_gradient_is_of_the_problem_that_it_was_taken_of(person, way):
    """The timer of the finite difference fires between the new evaluation and the turn in which maps are told."""
    additive = {"w_score_query": np.eye(2), "w_score_key": np.eye(2), "w_score": np.ones(2)}
    problem = Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2), score="additive", score_params=additive)
    person.program.files.begin_problem(problem, "additive")
    told(person)
    person.show_stage("weights")
    person.click_cell("weights", 0, 0)
    person.press("Ctrl+7")
    assert person.program.late.gradients.busy
    end = time.monotonic() + (REST_MS + 5) / 1000
    while time.monotonic() < end:  # the window is busy, and the timer is due
        pass
    if way == "another structure":
        fields = {"score": "dot", "score_params": {}}
        person.program.document.apply(SetFields(fields, Label("other")))
    elif way == "a smaller one":
        person.program.files.begin_problem(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]), "one")
    else:
        weights = {name: np.eye(2) for name in ("w_query", "w_key", "w_value")}
        person.program.files.begin_problem(Problem(x=np.eye(2), **weights), "projected")
    person.program.late.gradients._check()  # as where it is due before anybody is told
    told(person)
    while person.program.late.gradients.busy:
        QTest.qWait(2)


def test_nothing_is_painted_while_the_maps_show_the_problem_before(person, monkeypatch):
    """A long problem is computed beside the window; until then its mask is not the one that is seen."""
    person.do("mask_tool")
    told(person)
    gate = Gate()
    monkeypatch.setattr(computation, "evaluation_of", gate.before(computation.evaluation_of))
    monkeypatch.setattr(computation, "QUICK_CELLS", 0)
    person.program.files.begin_problem(small(), "small")
    assert person.program.computation.pending
    heatmap = person.program.window.product.stage_map()
    QTest.mouseClick(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, heatmap.cell_rect(12, 13).center())
    problem, said = person.program.document.snapshot(), person.banner()
    gate.open()
    told(person)
    assert problem == small()
    assert "still being computed" in said
