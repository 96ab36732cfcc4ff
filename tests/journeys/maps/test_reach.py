"""Reach of a cell, forward or back: shown in every map, for the cell of a map or table that was chosen last."""

import pytest
from PySide6.QtWidgets import QApplication, QLabel

CAUSAL = "smollm2-layer10.npz"


@pytest.fixture
def settled():
    """Let the window come to rest: marks follow once the maps are painted."""

    def settle(person):
        person.window.repaint()
        for _ in range(5):
            QApplication.processEvents()

    return settle


def background(person, name, row, column):
    """The color near the corner of a cell, whatever map it is in."""
    heatmap = person.find(name) if isinstance(name, str) else name
    rect = heatmap.cell_rect(row, column)
    return heatmap.grab().toImage().pixelColor(rect.left() + rect.width() // 4, rect.top() + rect.height() // 4)


def heads_on(person, steps):
    for _ in range(steps):
        person.do("next_head")


def small_map(person, stage):
    return person.find(f"node.{stage}").map


def test_the_maps_show_what_a_cell_reaches_and_where_it_came_from_under_the_mask(launch, settled):
    person = launch()
    person.choose_cell("scaled", 10, 13)
    result = person.find("operand.result")
    reached, other = background(person, result, 10, 4), background(person, result, 4, 4)
    weight = background(person, small_map(person, "weights"), 0, 0)
    person.click(person.button("Show its reach", "inspector"))
    settled(person)
    assert background(person, result, 10, 4) == reached
    assert background(person, result, 4, 4) != other
    assert background(person, small_map(person, "weights"), 0, 0) != weight
    person.click(person.button("Show its reach", "inspector"))
    settled(person)
    assert background(person, result, 4, 4) == other

    person.again("it is the cell that was clicked last whose reach is shown")
    person.do("show_reach")
    heatmap = person.find("heatmap.weights")
    assert heatmap.overlay.marks.reached is None  # nothing is chosen yet
    shown = []
    for click in ("map", "table", "map", "table"):
        if click == "map":
            person.click_cell("weights", 10, 13)
        else:
            person.go_to("query", 10, 99)
        settled(person)
        shown.append(heatmap.overlay.marks.reached)
    one, row = ((slice(10, 11), slice(13, 14)),), ((slice(10, 11), slice(0, 16)),)
    assert shown == [one, row, one, row]

    person.again("a cell shows its reach and its origin under the mask", CAUSAL)
    person.program.view.set(head=0)
    heads_on(person, 4)
    person.click_cell("weights", 9, 6)
    person.press("R")
    person.go_to("key", 5, 70)  # head 1 of the keys, which heads 3, 4 and 5 read
    settled(person)
    assert "K[5, 70]" in [w.text() for w in person.find("inspector").findChildren(QLabel) if w.isVisible()]
    assert marked(person, "heatmap.weights") == {(i, j) for i in range(5, 14) for j in range(i + 1)}
    heads_on(person, 2)  # head 6 reads other keys
    settled(person)
    assert person.find("heatmap.weights").overlay.marks.reached == ()
    person.press("Ctrl+Shift+R")
    settled(person)
    assert person.find("heatmap.weights").overlay.marks.reached is None

    # the maps show where a cell came from, hop by hop back to Q, K and V
    person.program.view.set(head=0)
    person.choose_cell("head_output", 5, 3)
    person.click(person.button("Show its origin", "inspector"))
    settled(person)
    assert marked(person, "heatmap.head_output") == {(5, 3)}
    assert marked(person, "operand.left") == {(5, j) for j in range(6)}  # of the weights, the open ones
    assert marked(person, "operand.top") == {(j, 3) for j in range(6)}  # one column of V
    for stage, cells in (
        ("query", {(5, c) for c in range(64)}),
        ("key", {(j, c) for j in range(6) for c in range(64)}),
        ("masked", {(5, j) for j in range(14)}),
        ("scores", {(5, j) for j in range(6)}),
    ):
        person.show_stage(stage)
        settled(person)
        assert marked(person, f"heatmap.{stage}") == cells, stage
    person.click(person.button("Show its reach", "inspector"))  # one or the other
    settled(person)
    assert not person.find("inspector.origin").isChecked()
    assert marked(person, "heatmap.scores") == set()
    person.press("Ctrl+Alt+R")
    settled(person)
    assert person.find("inspector.origin").isChecked()
    person.press("Ctrl+Alt+R")
    settled(person)
    assert person.find("heatmap.scores").overlay.marks.reached is None


def marked(person, name):
    """The cells that stand out in a map."""
    areas = person.find(name).overlay.marks.reached
    return {
        (i, j)
        for rows, columns in areas
        for i in range(rows.start, rows.stop)
        for j in range(columns.start, columns.stop)
    }
