"""Numbers typed into tables: what the keys do, what is refused and why, what counts as an edit."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from tests.failing import each


@pytest.fixture
def minilm(launch):
    return launch()


def editor(person):
    """The line that is being typed into."""
    focus = person.focus()
    assert isinstance(focus, QLineEdit), focus
    return focus


def refusal(person):
    """The sentence below the cell."""
    said = [
        label.text()
        for label in person.window.findChildren(QLabel)
        if label.property("bubble") == "error" and label.isVisible()
    ]
    return said[0] if said else ""


@each(
    ("field", "stage", "cell"),
    [("key", "weights", (10, 4)), ("key", "scores", (0, 4)), ("value", "head_output", (10, 1))],
)
def test_a_number_in_k_and_v_repaints_what_it_reaches(minilm, field, stage, cell):
    person = minilm
    person.again(stage)
    person.show_stage(stage)
    before, drawn_before = person.value(stage, *cell), person.pixel(stage, *cell)[0]
    person.type_into(field, 4, 97, "40")
    assert person.value(stage, *cell) != before
    painted, told = person.pixel(stage, *cell)
    assert painted == told
    assert painted != drawn_before
    (step,) = person.steps()[1:]
    assert step.startswith(f"{'K' if field == 'key' else 'V'}[4, 97]: ")
    assert step.endswith(" → 40")


WRITTEN = {
    "1/3": 1 / 3,
    "-2/5": -0.4,
    "1e-3": 1e-3,
    ".5": 0.5,
    "1２": 12.0,
    "３．５": 3.5,
    "−4": -4.0,
    "-inf": -math.inf,
    "  7": 7.0,
    "nan": math.nan,
}
REFUSED = {
    "1,500": "use a point",
    "abc": "not a number",
    "1/0": "divides by zero",
    "1e999": "too large",
    "1.2.3": "not a number",
}


def test_numbers_as_people_write_them_are_shown_with_three_decimals_and_kept_whole(person):
    for text, value in WRITTEN.items():
        person.type_into("query", 0, 2, text)
        found = person.number("query", 0, 2)
        assert found == value or (math.isnan(found) and math.isnan(value)), text
    assert len(person.steps()) == 1 + len(WRITTEN)
    person.type_into("query", 0, 0, "1/3")
    index = person.table("query").model().index(0, 0)
    assert index.data(Qt.ItemDataRole.DisplayRole) == "0.333"
    person.do("decimals_6")
    assert index.data(Qt.ItemDataRole.DisplayRole) == "0.333333"
    assert person.number("query", 0, 0) == 1 / 3
    assert len(person.steps()) == 2 + len(WRITTEN)

    person.again("bad text stays with the reason until esc restores or it is mended")
    before = person.numbers("query")
    for text, reason in REFUSED.items():
        person.type_into("query", 0, 1, text)
        assert editor(person).text() == text
        assert reason in refusal(person)
        assert "Esc" in refusal(person)
        person.press("Esc")
        assert person.numbers("query") == before
        assert not refusal(person)
        assert person.table("query").hasFocus()
    assert len(person.steps()) == 1
    person.type_into("query", 0, 1, "1.5x")
    line = editor(person)
    person.press("Backspace", "Backspace", "Backspace")
    assert not refusal(person)
    person.type(".5")
    assert line.text() == "1.5"
    person.press("Return")
    assert person.number("query", 0, 1) == 1.5
    assert len(person.steps()) == 2

    person.again("enter tab and shift move on")
    person.type_into("query", 0, 0, "5")
    assert person.cell("query") == (1, 0)
    person.type("6")
    person.press("Tab")
    assert person.cell("query") == (1, 1)
    person.type("7")
    person.press("Shift+Return")
    assert person.cell("query") == (0, 1)
    person.type("8")
    person.press("Shift+Tab")
    assert person.cell("query") == (0, 0)
    assert person.numbers("query") == [["5", "8", "1"], ["6", "7", "1"]]
    assert len(person.steps()) == 5

    person.again("f2 edits the number as the shortest text that gives it")
    person.type_into("query", 0, 0, "0.1")
    person.go_to("query", 0, 0)
    person.press("F2")
    assert editor(person).text() == "0.1"
    person.press("End")
    person.type("25")
    person.press("Return")
    assert person.number("query", 0, 0) == 0.125

    person.again("delete zeroes the selection as one step and what is cut is on the clipboard too")
    before = person.numbers("key")
    person.select("key", 0, 1, 2, 2)
    person.press("Del")
    assert person.numbers("key") == [[before[0][0], "0", "0"], [before[1][0], "0", "0"]]
    assert len(person.steps()) == 2
    person.press("Ctrl+Z")
    assert person.numbers("key") == before
    person.select("key", 0, 1, 2, 2)
    person.press("Ctrl+X")
    assert person.clipboard() == "\n".join("\t".join(row[1:]) for row in before)
    assert person.numbers("key") == [[row[0], "0", "0"] for row in before]
    assert person.steps()[1:] == ["cut K[0, 1] … [1, 2]"]
    person.go_to("key", 0, 1)
    person.press("Ctrl+V")
    assert person.numbers("key") == before

    person.again("fill down and right and all of a selection")
    person.type_into("query", 0, 0, "4")
    person.select("query", 0, 0, 2, 1)
    person.press("Ctrl+D")
    assert [row[0] for row in person.numbers("query")] == ["4", "4"]
    person.select("query", 1, 0, 1, 3)
    person.press("Ctrl+R")
    assert person.numbers("query")[1] == ["4", "4", "4"]
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]
    person.press("Ctrl+Shift+Z")
    assert person.number("query", 0, 0) == 4
    before = person.numbers("value")
    person.clipboard("2.5")
    person.select("value", 0, 0, 2, 2)
    person.press("Ctrl+V")
    assert person.numbers("value") == [["2.5", "2.5"], ["2.5", "2.5"]]
    person.press("Ctrl+Z")  # one step
    assert person.numbers("value") == before

    person.again("nan and infinity are marked never hidden")
    person.type_into("query", 0, 0, "nan")
    person.show_stage("scores")
    assert math.isnan(person.value("scores", 0, 0))
    assert not math.isnan(person.value("scores", 1, 0))
    clean = person.colors("scores", 1, 0)
    assert person.colors("scores", 0, 0) != clean
    person.type_into("query", 0, 0, "inf")
    assert math.isinf(person.value("scores", 0, 0))
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.value("scores", 0, 0) == 1

    person.again("v leaves the weights alone")
    before = person.values("weights")
    person.type_into("value", 1, 0, "9")
    assert person.values("weights") == before
    assert person.value("head_output", 1, 0) == pytest.approx(
        before[1][0] * person.number("value", 0, 0) + before[1][1] * 9
    )

    person.again("double click on a row header renames its token")
    header = person.table("query").verticalHeader()
    place = header.viewport().rect().topLeft()
    place.setY(header.sectionViewportPosition(1) + header.sectionSize(1) // 2)
    place.setX(header.width() // 2)
    QTest.mouseDClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    person.press("Ctrl+A")
    person.type("cat")
    person.press("Return")
    assert person.table("query").model().headerData(1, Qt.Orientation.Vertical) == "cat"
    assert person.steps()[-1] == "renamed row 1"
    person.do("undo")
    assert person.table("query").model().headerData(1, Qt.Orientation.Vertical) != "cat"


def test_an_unchanged_value_is_no_edit_and_of_a_changed_one_it_is_said_what_was_recomputed(launch):
    person = launch()
    person.go_to("query", 3, 97)
    person.press("F2", "Return")
    person.press("F2", "Tab")
    person.go_to("query", 3, 97)
    person.type(str(person.number("query", 3, 97)))
    person.press("Return")
    assert len(person.steps()) == 1
    assert not person.action("undo").isEnabled()
    assert not person.window.isWindowModified()
    person.type_into("query", 2, 97, "-2.5")
    assert "head 3, row 2: 16 scores, 16 weights, 32 outputs" in person.status()
