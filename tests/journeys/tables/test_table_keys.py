"""Enter and Tab as in a spreadsheet, and the ways out of a table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

SMALL = "worked-example.npz"


@pytest.fixture
def person(launch):
    return launch(SMALL)  # Q is 2 × 3


def typed(person, *steps):
    for text, key in steps:
        person.type(text)
        person.press(key)


def test_rows_typed_with_tab_and_enter(person):
    person.size("n", 3)
    person.go_to("query", 0, 0)
    typed(person, ("1", "Tab"), ("2", "Tab"), ("3", "Return"), ("4", "Tab"), ("5", "Tab"), ("6", "Return"))
    assert person.cell("query") == (2, 0)
    assert person.numbers("query")[:2] == [["1", "2", "3"], ["4", "5", "6"]]


def test_enter_goes_back_to_where_tab_began(person):
    person.go_to("query", 0, 1)
    person.press("Tab", "Return")
    assert person.cell("query") == (1, 1)
    person.go_to("query", 0, 1)
    person.press("Tab", "Left", "Right", "Return")  # another move: it begins anew
    assert person.cell("query") == (1, 2)


def test_tab_goes_on_in_the_next_row_and_round_the_table(person):
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


def test_within_a_selection_tab_and_enter_go_round(person):
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


@pytest.mark.parametrize("typing", [False, True])
def test_ctrl_tab_and_f6_lead_out_of_a_table(person, typing):
    for key, back in (("Ctrl+Tab", "Ctrl+Shift+Tab"), ("F6", "Shift+F6")):
        for way in (key, back):
            table = person.go_to("query", 0, 0)
            if typing:
                person.type("4")
            person.press(way)
            assert person.focus() is not table, way
            assert not table.isAncestorOf(person.focus()), way
    assert person.number("query", 0, 0) == (4 if typing else 1)


def test_ctrl_tab_goes_from_table_to_table(person):
    table = person.go_to("query", 0, 0)
    person.press("Ctrl+Tab")
    assert person.table("key").hasFocus()
    person.press("Ctrl+Shift+Tab")
    assert table.hasFocus()


@pytest.mark.parametrize("switch", ["_groups_switch", "_fields_switch"])
def test_a_table_that_is_chosen_with_space_leaves_the_keyboard_on_its_button(launch, switch):
    person = launch("thinking-machines.npz")
    inputs = person.program.window.inputs
    if switch == "_fields_switch":
        person.program.files.begin_with_example("layer")
        person.wait()
    before, chosen = getattr(inputs, switch).buttons()[:2]
    chosen.setFocus()
    person.press("Space")
    assert person.focus() is chosen
    assert (before.isChecked(), chosen.isChecked()) == (False, True)


def chosen(person, field):
    """The selected block: first and last cell."""
    cells = [(index.row(), index.column()) for index in person.table(field).selectedIndexes()]
    return min(cells), max(cells)


def test_ctrl_shift_home_and_end_stretch_the_selection_to_a_corner(person):
    person.go_to("query", 0, 1)
    person.press("Ctrl+Shift+End")
    assert chosen(person, "query") == ((0, 1), (1, 2))
    person.go_to("query", 1, 1)
    person.press("Ctrl+Shift+Home")
    assert chosen(person, "query") == ((0, 0), (1, 1))
    person.press("Ctrl+End")
    assert chosen(person, "query") == ((1, 2), (1, 2))


def test_ctrl_click_begins_a_selection_anew(person):
    table = person.go_to("query", 0, 0)
    place = table.visualRect(table.model().index(1, 2)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    assert person.cell("query") == (1, 2)
    assert chosen(person, "query") == ((1, 2), (1, 2))


def test_arrows_commit_what_was_typed_over_a_cell_and_stay_in_a_text_that_is_corrected(person):
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


def test_a_refused_number_holds_the_arrows(person):
    person.go_to("query", 0, 0)
    person.type("x")
    person.press("Right")
    assert person.cell("query") == (0, 0)
    assert person.number("query", 0, 0) == 1


def test_ctrl_enter_fills_the_selection_in_one_step(person):
    person.select("query", 0, 0, 2, 2)
    person.type("=1/4")
    person.press("Ctrl+Return")
    assert person.numbers("query") == [["0.25", "0.25", "1"], ["0.25", "0.25", "1"]]
    assert person.steps()[-1] == "filled Q[0, 0] … [1, 1] with 0.25"
    person.press("Ctrl+Z")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]


def test_whole_numbers_have_no_decimals_until_one_has(person):
    table = person.go_to("query", 0, 0)
    shown = [str(table.model().index(0, column).data()) for column in range(3)]
    assert shown == ["1", "0", "1"]
    person.type_into("query", 1, 1, "1,5")
    assert [str(table.model().index(0, column).data()) for column in range(3)] == ["1.000", "0.000", "1.000"]
    assert str(table.model().index(1, 1).data()) == "1.500"
    person.press("Ctrl+Z")
    assert str(table.model().index(0, 0).data()) == "1"


def test_the_wheel_changes_no_size(person):
    box = person.find("control.n")
    box.setFocus()
    event = QWheelEvent(
        QPointF(5, 5),
        box.mapToGlobal(QPointF(5, 5)),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, event)
    assert box.value() == 2
