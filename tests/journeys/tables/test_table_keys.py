"""Enter and Tab as in a spreadsheet, and the ways out of a table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

SMALL = "worked-example.npz"


def typed(person, *steps):
    for text, key in steps:
        person.type(text)
        person.press(key)


def test_enter_and_tab_go_round_as_in_a_spreadsheet(person):
    person.size("n", 3)
    person.go_to("query", 0, 0)
    typed(person, ("1", "Tab"), ("2", "Tab"), ("3", "Return"), ("4", "Tab"), ("5", "Tab"), ("6", "Return"))
    assert person.cell("query") == (2, 0)
    assert person.numbers("query")[:2] == [["1", "2", "3"], ["4", "5", "6"]]

    person.again("enter goes back to where tab began")
    person.go_to("query", 0, 1)
    person.press("Tab", "Return")
    assert person.cell("query") == (1, 1)
    person.go_to("query", 0, 1)
    person.press("Tab", "Left", "Right", "Return")  # another move: it begins anew
    assert person.cell("query") == (1, 2)

    person.again("tab goes on in the next row and round the table")
    person.go_to("query", 0, 2)
    typed(person, ("7", "Tab"))
    assert person.cell("query") == (1, 0)
    person.press("Shift+Tab")
    assert person.cell("query") == (0, 2)
    person.go_to("query", 1, 2)
    person.press("Tab")
    assert person.cell("query") == (0, 0)
    person.press("Shift+Tab")
    assert person.cell("query") == (1, 2)
    person.press("Return")  # no row below: it stays
    assert person.cell("query") == (1, 2)

    person.again("within a selection tab and enter go round")
    person.select("query", 0, 1, 2, 2)
    seen = []
    for key in ("Tab",) * 4:
        person.press(key)
        seen.append(person.cell("query"))
    start = seen[-1]
    assert sorted(seen) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert len(person.table("query").selectedIndexes()) == 4
    seen = []
    for _ in range(4):
        person.type("5")
        person.press("Return")
        seen.append(person.cell("query"))
    assert seen[-1] == start
    assert len(set(seen)) == 4
    assert [row[1:] for row in person.numbers("query")] == [["5", "5"], ["5", "5"]]
    assert len(person.table("query").selectedIndexes()) == 4

    person.again("ctrl tab and f6 lead out of a table")
    for typing in (False, True):
        for way in ("Ctrl+Tab", "Ctrl+Shift+Tab", "F6", "Shift+F6"):
            table = person.go_to("query", 0, 0)
            if typing:
                person.type("4")
            person.press(way)
            assert person.focus() is not table, way
            assert not table.isAncestorOf(person.focus()), way
        assert person.number("query", 0, 0) == (4 if typing else 1)

    person.again("ctrl tab goes from table to table")
    table = person.go_to("query", 0, 0)
    person.press("Ctrl+Tab")
    assert person.table("key").hasFocus()
    person.press("Ctrl+Shift+Tab")
    assert table.hasFocus()

    person.again("ctrl shift home and end stretch the selection to a corner")
    person.go_to("query", 0, 1)
    person.press("Ctrl+Shift+End")
    assert chosen(person, "query") == ((0, 1), (1, 2))
    person.go_to("query", 1, 1)
    person.press("Ctrl+Shift+Home")
    assert chosen(person, "query") == ((0, 0), (1, 1))
    person.press("Ctrl+End")
    assert chosen(person, "query") == ((1, 2), (1, 2))

    person.again("ctrl click begins a selection anew")
    table = person.go_to("query", 0, 0)
    place = table.visualRect(table.model().index(1, 2)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    assert person.cell("query") == (1, 2)
    assert chosen(person, "query") == ((1, 2), (1, 2))

    person.again("arrows commit what was typed over a cell and stay in a text that is corrected")
    person.go_to("query", 0, 0)
    person.type("5")
    person.press("Right")
    assert (person.cell("query"), person.number("query", 0, 0)) == ((0, 1), 5)
    person.type("6")
    person.press("Left")
    assert (person.cell("query"), person.number("query", 0, 1)) == ((0, 0), 6)
    person.press("F2", "Right")
    assert person.cell("query") == (0, 0)
    person.press("End")
    person.type("1")
    person.press("Left")
    person.type("2")
    person.press("Return")
    assert person.number("query", 0, 0) == 521
    person.type("7")
    person.press("F2", "Left")  # from now on it is corrected
    person.type("3")
    person.press("Return")
    assert person.number("query", 1, 0) == 37

    person.again("a refused number holds the arrows")
    person.go_to("query", 0, 0)
    person.type("x")
    person.press("Right")
    assert person.cell("query") == (0, 0)
    assert person.number("query", 0, 0) == 1

    person.again("ctrl enter fills the selection in one step")
    person.select("query", 0, 0, 2, 2)
    person.type("=1/4")
    person.press("Ctrl+Return")
    assert person.numbers("query") == [["0.25", "0.25", "1"], ["0.25", "0.25", "1"]]
    assert person.steps()[-1] == "filled Q[0, 0] … [1, 1] with 0.25"
    person.press("Ctrl+Z")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]

    person.again("whole numbers have no decimals until one has")
    table = person.go_to("query", 0, 0)
    shown = [str(table.model().index(0, column).data()) for column in range(3)]
    assert shown == ["1", "0", "1"]
    person.type_into("query", 1, 1, "1,5")
    assert [str(table.model().index(0, column).data()) for column in range(3)] == ["1.000", "0.000", "1.000"]
    assert str(table.model().index(1, 1).data()) == "1.500"
    person.press("Ctrl+Z")
    assert str(table.model().index(0, 0).data()) == "1"

    person.again("a table that is chosen with space leaves the keyboard on its button")
    for example, switch in (("thinking", "_groups_switch"), ("layer", "_fields_switch")):
        person.program.files.begin_with_example(example)
        person.wait()
        before, other = getattr(person.program.window.inputs, switch).buttons()[:2]
        other.setFocus()
        person.press("Space")
        assert person.focus() is other, switch
        assert (before.isChecked(), other.isChecked()) == (False, True), switch


def chosen(person, field):
    """The selected block: first and last cell."""
    cells = [(index.row(), index.column()) for index in person.table(field).selectedIndexes()]
    return min(cells), max(cells)
