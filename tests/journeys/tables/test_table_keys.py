"""Enter and Tab as in a spreadsheet, and the ways out of a table."""

from __future__ import annotations

import pytest

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
