"""Painting the mask with mouse and keyboard in every shape, one step a gesture; dropping a matrix on a table."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from tests.failing import each

N = 16
LEFT = Qt.MouseButton.LeftButton


def closed(person):
    """The cells that get no weight."""
    return {(i, j) for i, row in enumerate(person.values("weights")) for j, weight in enumerate(row) if weight == 0}


def drag(person, *cells, lift=True, stage="weights"):
    """Press on the first cell, move over the others, let go on the last."""
    heatmap = person.find(f"heatmap.{stage}")
    places = [heatmap.cell_rect(*cell).center() for cell in cells]
    QTest.mousePress(heatmap, LEFT, pos=places[0])
    for place in places[1:]:
        QTest.mouseMove(heatmap, place)
    if lift:
        QTest.mouseRelease(heatmap, LEFT, pos=places[-1])
    return heatmap


COVERED = {  # by a gesture from (3, 2) to (5, 6)
    "cell": {(3, 2), (4, 4), (5, 6), (4, 3), (4, 5)},
    "rectangle": {(i, j) for i in range(3, 6) for j in range(2, 7)},
    "row": {(i, j) for i in range(3, 6) for j in range(N)},
    "column": {(i, j) for i in range(N) for j in range(2, 7)},
    "band": {(i, j) for i in range(N) for j in range(N) if -1 <= j - i <= 1},
}


@pytest.fixture
def person(launch):
    return launch()


@each("shape", COVERED)
def test_a_drag_is_one_step_in_every_shape(person, shape):
    person.again(shape)
    person.do(f"brush_{shape}")
    assert person.action("mask_tool").isChecked()
    drag(person, (3, 2), (5, 6))
    assert closed(person) >= {(3, 2), (5, 6)}
    assert closed(person) == COVERED[shape]
    assert len(person.steps()) == 2
    before = closed(person)
    drag(person, (3, 2), (5, 6))
    assert closed(person) == set()
    person.press("Ctrl+Z")
    assert closed(person) == before
    person.press("Ctrl+Z")
    assert closed(person) == set()
    assert not person.has("heatmap.masked")


@each("shape", COVERED)
def test_the_keyboard_paints_the_same(person, shape):
    person.again(shape)
    person.do(f"brush_{shape}")
    person.find("heatmap.weights").setFocus()
    person.do("mask_tool")
    person.click_cell("weights", 3, 2)
    person.do("mask_tool")
    if shape == "cell":
        person.press("Space", "Down", "Right", "Space")
        assert closed(person) == {(3, 2), (4, 3)}
        return
    person.press("Space", "Down", "Down", "Right", "Right", "Right", "Right", "Space")
    assert closed(person) == COVERED[shape]
    assert len(person.steps()) == 2
    person.do("mask_tool")


def test_what_a_drag_covers_is_shown_before_the_button_is_let_go_and_the_brush_is_put_away(launch):
    person = launch()
    drag(person, (3, 2), (5, 6))
    assert closed(person) == set()
    assert len(person.steps()) == 1

    person.again("what a drag covers is shown before the button is let go")
    person.do("brush_rectangle")
    before = person.pixel("weights", 4, 4)[0]
    outside = person.colors("weights", 8, 8)
    heatmap = drag(person, (3, 2), (5, 6), lift=False)
    assert heatmap.overlay.marks.painted == ((slice(3, 6), slice(2, 7)),)
    assert len(person.colors("weights", 4, 4)) > 1  # hatched
    assert person.colors("weights", 8, 8) == outside
    assert closed(person) == set()
    person.press("Esc")
    assert person.pixel("weights", 4, 4)[0] == before
    QTest.mouseRelease(heatmap, LEFT, pos=heatmap.cell_rect(5, 6).center())
    assert closed(person) == set()
    assert len(person.steps()) == 1
    assert person.action("mask_tool").isChecked()
    person.press("Esc")
    assert not person.action("mask_tool").isChecked()
    assert not person.find("brush").isVisible()

    person.again("a drag past the edge takes the last cell")
    person.do("brush_rectangle")
    heatmap = person.find("heatmap.weights")
    first = heatmap.cell_rect(13, 14).center()
    beyond = heatmap.cell_rect(N - 1, N - 1).bottomRight() + QPoint(60, 40)
    QTest.mousePress(heatmap, LEFT, pos=first)
    QTest.mouseMove(heatmap, beyond)
    QTest.mouseRelease(heatmap, LEFT, pos=beyond)
    assert closed(person) == {(i, j) for i in range(13, N) for j in range(14, N)}

    person.again("a click with the mask tool closes and opens a cell")
    person.action("mask_tool").trigger()
    person.click_cell("weights", 2, 3)
    assert math.isinf(person.value("masked", 2, 3))
    assert person.value("weights", 2, 3) == 0
    person.click_cell("weights", 2, 3)
    assert math.isfinite(person.value("masked", 2, 3))
    person.action("undo").trigger()
    assert person.value("weights", 2, 3) == 0
    person.action("mask_tool").trigger()
    person.click_cell("weights", 4, 5)
    assert person.value("weights", 4, 5) > 0

    person.again("the line of the brush names its shapes and puts it away")
    assert not person.find("brush").isVisible()
    person.do("mask_tool")
    names = [button.text() for button in person.find("brush").findChildren(QToolButton) if button.text()]
    assert names == ["cells", "rectangle", "rows", "columns", "diagonal band"]
    person.click(person.button("columns", "brush"))
    drag(person, (0, 4), (0, 4))
    assert closed(person) == {(i, 4) for i in range(N)}
    close = next(
        b for b in person.find("brush").findChildren(QToolButton) if b.accessibleName() == "Put the brush away"
    )
    person.click(close)
    assert not person.find("brush").isVisible()
    again = launch()
    again.do("mask_tool")
    assert again.action("brush_column").isChecked()
