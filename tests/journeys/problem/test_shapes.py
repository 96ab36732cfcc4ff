"""Heads, widths, lengths, items and precision: what happens to the numbers, and every step undone to the bit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSpinBox

SMALL = "worked-example.npz"


def refusal(person):
    """The sentence below a box."""
    said = [label.text() for label in person.window.findChildren(QLabel, "refusal") if label.isVisible()]
    return said[0] if said else ""


def shown(person, name):
    return person.find(f"control.{name}", QSpinBox).value()


def block(person, field, rows, columns):
    numbers = person.numbers(field)
    return [row[columns] for row in numbers[rows]]


def test_heads_and_widths_change_and_every_step_is_undone(launch):
    person = launch()
    before = [person.numbers(field) for field in ("query", "key", "value")]
    weight = person.value("weights", 10, 13)
    for heads, width in ((6, 64), (4, 96)):
        person.size("num_heads", heads)
        assert shown(person, "d_k") == shown(person, "d_v") == width
        assert [person.numbers(field) for field in ("query", "key", "value")] == before
        assert person.find("heatmap.head_output").shape == (16, width)
    assert person.steps()[1:] == ["heads 12 → 6", "heads 6 → 4"]
    person.press("Ctrl+Z", "Ctrl+Z")
    assert shown(person, "num_heads") == 12
    assert person.value("weights", 10, 13) == weight
    assert not person.window.isWindowModified()

    person.again("a head count that does not divide is refused with those that do")
    person.size("num_heads", 5)
    assert "5 heads cannot share 384 columns of Q and 384 of V evenly" in refusal(person)
    assert "4, 6, 8, 12" in refusal(person)
    assert person.find("control.num_heads").hasFocus()
    person.press("Esc")
    assert shown(person, "num_heads") == 12
    assert not refusal(person)
    assert len(person.steps()) == 1

    person.again("the arrows step through counts that divide")
    person.find("control.num_heads").setFocus()
    person.press("Down", "Down", "Down")
    assert shown(person, "num_heads") == 4
    person.press("Return")
    assert person.steps()[1:] == ["heads 12 → 4"]

    person.again("the shown head stays within the heads")
    person.size("head", 11)
    assert shown(person, "head") == 11
    before = person.value("weights", 0, 0)
    person.size("num_heads", 4)
    assert shown(person, "head") == 3
    assert person.value("weights", 0, 0) != before

    person.again("k and v heads are shared")
    keys = person.numbers("key")
    person.size("num_kv_heads", 3)
    assert person.table("key").model().columnCount() == 3 * 32
    assert person.numbers("key") == [row[:96] for row in keys]
    person.size("num_heads", 4)  # 3 no longer divides: the largest below that does, said in the status bar
    assert shown(person, "num_kv_heads") in (1, 2, 4)
    assert "K/V heads" in person.status()
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.numbers("key") == keys

    person.again("k v heads that do not divide are refused")
    person.size("num_kv_heads", 5)
    assert "1, 2, 3, 4, 6, 12" in refusal(person)
    person.press("Esc")
    assert len(person.steps()) == 1

    person.again("each head keeps its first columns")
    query, value = person.numbers("query"), person.numbers("value")
    person.size("d_k", 3)
    assert person.numbers("query") == [[row[32 * h + c] for h in range(12) for c in range(3)] for row in query]
    assert person.numbers("value") == value
    person.size("d_k", 5)
    assert [row[5:8] for row in person.numbers("query")] == [row[32:35] for row in query]
    person.size("d_v", 2)
    assert person.numbers("value") == [[row[32 * h + c] for h in range(12) for c in range(2)] for row in value]
    assert person.steps()[1:] == ["dₖ 32 → 3", "dₖ 3 → 5", "dᵥ 32 → 2"]
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert (person.numbers("query"), person.numbers("value")) == (query, value)

    person.again("there and back in one visit is nothing")
    person.find("control.n").setFocus()
    person.press("Down", "Up", "Tab")
    person.find("control.d_k").setFocus()
    person.press("Down", "Down", "Up", "Up", "Return")
    assert len(person.steps()) == 1
    assert not person.window.isWindowModified()

    person.again("heads leave and join with their columns when d k is kept")
    before = person.numbers("query")
    person.click("control.d_model_fixed")
    person.size("num_heads", 5)
    assert person.table("query").model().columnCount() == 5 * 32
    assert person.numbers("query") == [row[:160] for row in before]
    assert shown(person, "d_k") == 32
    person.size("num_heads", 13)
    assert person.table("query").model().columnCount() == 13 * 32
    assert [row[:160] for row in person.numbers("query")] == [row[:160] for row in before]
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.numbers("query") == before

    person.again("d model is shown for direct problems and typed for projected ones")
    box = person.find("control.d_model", QSpinBox)
    assert box.value() == 384
    assert box.isReadOnly()
    person.program.files.begin_with_example("thinking")
    person.wait()
    width = shown(person, "d_model")
    numbers = person.numbers("x")
    person.size("d_model", width + 1)
    assert person.table("x").model().columnCount() == width + 1
    assert person.table("w_query").model().rowCount() == width + 1
    assert [row[:width] for row in person.numbers("x")] == numbers
    person.press("Ctrl+Z")
    assert person.numbers("x") == numbers


def test_lengths_items_and_precision_change_and_every_step_is_undone(person):
    query, key, value = (person.numbers(field) for field in ("query", "key", "value"))
    person.size("n", 3)
    assert person.numbers("query")[:2] == query
    assert person.find("heatmap.weights").shape == (3, 2)
    person.size("m", 5)
    assert (person.numbers("key")[:2], person.numbers("value")[:2]) == (key, value)
    assert person.find("heatmap.weights").shape == (3, 5)
    added = person.numbers("key")[2:]
    person.press("Ctrl+Z", "Ctrl+Shift+Z")
    assert person.numbers("key")[2:] == added  # the same numbers come again
    person.press("Ctrl+Z", "Ctrl+Z")
    assert [person.numbers(field) for field in ("query", "key", "value")] == [query, key, value]
    assert person.values("weights")[0] == pytest.approx([0.5, 0.5])

    person.again("one visit is one step")
    person.find("control.n").setFocus()
    person.press("Up", "Up", "Up", "Up", "Up", "Down", "Tab")
    assert person.steps()[1:] == ["queries 2 → 6"]
    person.press("Ctrl+Z")
    assert shown(person, "n") == 2

    person.again("zero and words are refused")
    person.size("d_k", 0)
    assert "0 is out of range" in refusal(person)
    person.press("Esc")
    person.overwrite(person.find("control.d_k"), "")
    assert "whole number" in refusal(person)
    person.press("Esc")
    assert shown(person, "d_k") == 3
    assert len(person.steps()) == 1

    person.again("items of a batch")
    assert not person.find("control.batch").isEnabled()
    first = person.numbers("query")
    person.size("batch_size", 3)
    assert person.find("control.batch").isEnabled()
    person.size("batch", 2)
    assert person.numbers("query") != first
    person.type_into("query", 0, 0, "8")
    assert person.number("query", 0, 0) == 8
    person.type_into("key", 0, 0, "1")
    here = person.value("weights", 0, 0)
    person.size("batch", 0)
    assert person.numbers("query") == first
    assert person.values("weights")[0] == pytest.approx([0.5, 0.5])
    assert here != pytest.approx(0.5)
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert person.numbers("query") == first
    assert shown(person, "batch_size") == 1

    person.again("undo shows the item again only while there is one")
    person.size("batch_size", 2)
    person.size("batch", 1)
    person.press("Ctrl+Z")
    assert shown(person, "batch") == 0
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]

    person.again("single precision rounds and undo restores every bit")
    person.type_into("query", 0, 0, "0.1234567890123")
    person.pick("dtype", "float32")
    assert person.numbers("query")[0][0] == "0.12345679"
    assert "float32" in person.status()
    person.press("Ctrl+Z")
    assert person.numbers("query")[0][0] == "0.1234567890123"
    assert person.find("control.dtype").currentData() == "float64"

    person.again("a half typed size is handed on when the box is left")
    box = person.find("control.n")
    person.overwrite(box, "4", end="")
    assert len(person.steps()) == 1
    QTest.mouseClick(person.table("key").viewport(), Qt.MouseButton.LeftButton)
    assert person.steps()[1:] == ["queries 2 → 4"]

    person.again("a chosen cell that a change of sizes takes away is let go of")
    person.show_stage("query")
    person.click_cell("query", 1, 2)
    person.size("d_k", 2)
    assert person.find("heatmap.query").chosen is None
    assert "(1, 2)" not in person.status()
    person.press("Ctrl+Z")
    person.click_cell("query", 1, 2)
    person.press("Ctrl+Shift+Z")
    assert "(1, 2)" not in person.status()
