"""The history says what each step moved of the chosen cell, and which moved it most."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView

from attn_gui.engine import compute
from attn_gui.views.snapshots import NOTE_ROLE
from attn_gui.views.step_list import MOVE_ROLE

SMALL = "worked-example.npz"


def tells(person):
    model = person.find("history.steps", QListView).model()
    return [str(model.index(row, 0).data(MOVE_ROLE) or "") for row in range(model.rowCount())]


def ranking(person):
    model = person.find("blame.list", QListView).model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    return [(str(row.data()), str(row.data(NOTE_ROLE))) for row in rows]


def test_each_step_says_what_it_moved_of_the_chosen_cell_and_the_largest_is_on_top(launch):
    person = launch(SMALL)
    person.show_stage("weights")
    person.click_cell("weights", 1, 0)
    values = [person.value("weights", 1, 0)]
    for field, row, text in (("query", 1, "3"), ("query", 0, "2"), ("key", 1, "0.5"), ("value", 0, "9")):
        person.type_into(field, row, 0, text)
        values.append(person.value("weights", 1, 0))
    person.rest()
    found = tells(person)
    assert [bool(told) for told in found] == [False, True, False, True, False], "Q[0] and V do not move A[1, 0]"
    for number in (1, 3):
        told = [float(text) for text in found[number].split(" → ")]
        assert told == pytest.approx(values[number - 1 : number + 1], abs=1e-4)
    tip = person.find("history.steps", QListView).model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "A[1, 0]" in tip
    person.press("Ctrl+Z")
    person.click_cell("weights", 0, 0)
    person.rest()
    assert [bool(told) for told in tells(person)][:4] == [False, False, True, True]

    person.again("the step that moved it most is on top and a click goes there")
    person.show_stage("weights")
    person.click_cell("weights", 1, 0)
    assert not person.action("blame").isEnabled()
    for field, row, text in (("query", 1, "1.01"), ("key", 1, "7"), ("query", 0, "5"), ("key", 0, "1.02")):
        person.type_into(field, row, 0, text)
    person.rest()
    now = person.program.document.problem
    person.do("blame")
    person.rest()
    found = ranking(person)
    assert len(found) == 3, "Q[0] does not move A[1, 0]"
    without = now.key.copy()
    without[1, 0] = 0.0
    moved = compute(now)["weights"][0, 0, 1, 0] - compute(now.replace(key=without))["weights"][0, 0, 1, 0]
    assert "K[1, 0]" in found[0][0]
    assert float(found[0][1].replace("−", "-")) == pytest.approx(moved, abs=1e-5)
    shares = [float(name.partition(" %")[0]) for name, _ in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=2)
    steps = person.find("blame.list", QListView)
    QTest.mouseClick(
        steps.viewport(), Qt.MouseButton.LeftButton, pos=steps.visualRect(steps.model().index(0, 0)).center()
    )
    assert person.program.document.stack.index() == 2
    assert person.program.document.problem.key[1, 0] == 7.0
    assert not person.find("blame").isVisible(), "it was of another state"

    person.again("a number by hand after another is told")
    person.show_stage("scores")
    for text in ("0.5", "0.25"):
        person.click_cell("scores", 1, 0)
        person.press("F2", "Ctrl+A")
        person.type(text)
        person.press("Return")
    person.rest()
    assert person.program.document.problem.interventions[0].values == 0.25
    person.do("blame")
    person.rest()
    (told, moved), *others = ranking(person)
    assert not others, "the last one decides alone"
    assert told.startswith("100 %")
    assert float(moved.replace("−", "-")) == -0.25

    person.again("the ranking follows the language")
    person.show_stage("weights")
    person.click_cell("weights", 1, 0)
    for field, row, text in (("query", 1, "3"), ("key", 1, "0.5")):
        person.type_into(field, row, 0, text)
    person.rest()
    person.do("blame")
    person.rest()
    english = person.find("blame.list").accessibleName(), ranking(person)
    person.do("language_zh")
    QCoreApplication.processEvents()
    assert person.find("blame.list").accessibleName() == "对 A[1, 0] 影响最大的步骤"
    person.do("language_en")
    QCoreApplication.processEvents()
    assert (person.find("blame.list").accessibleName(), ranking(person)) == english

    person.again("a step that changes fields or sizes is gone back exactly")
    document = person.program.document
    states = [document.snapshot()]
    for act in (
        lambda: person.type_into("query", 0, 0, "4"),
        lambda: person.pick("scale", "none"),
        lambda: person.size("n", 4),
        lambda: person.type_into("query", 3, 0, "8"),
        lambda: person.size("n", 2),
        lambda: person.type_into("query", 0, 0, "1"),
    ):
        act()
        person.wait()
        states.append(document.snapshot())
    assert document.past(99).problems() == states
    assert document.past(2).problems() == states[-3:]
    document.stack.setIndex(3)
    assert document.past(99).problems() == states[:4]
    assert all(np.array_equal(a, b) for a, b in zip(states[3].query, document.problem.query, strict=True))
