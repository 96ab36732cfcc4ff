"""The list of what is changed by hand: read, switched, gone to, spread, removed, by mouse or keys, each one step."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolBar

from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem, compute, verify

WEIGHT = {"kind": "set", "stage": "weights", "at": {"batch": 0, "head": 1, "query": 3, "key": 2}, "values": 0.9}
OFF = {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
TAKEN = {"kind": "copy", "stage": "scores", "at": {"head": 2, "query": (1, 3)}, "source": {"head": 0}}
OUTPUT = {"kind": "scale", "stage": "output", "at": {"query": 4}, "factor": -0.5}


def problem_of(*records):
    rng = np.random.default_rng(6)
    shapes = {"query": (5, 12), "key": (7, 12), "value": (7, 8)}
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()}, num_heads=4).replace(
        interventions=records
    )


@pytest.fixture
def opened(launch):
    person = launch()

    def start(*records):
        person.again(str(records), problem_of(*records))
        return person

    return start


def button(person):
    return person.find("toolbar", QToolBar).widgetForAction(person.action("interventions"))


def panel(person):
    """Open the list with its button on the tool bar."""
    if not person.find("panel.interventions").isVisible():
        person.click(button(person))
    return person.find("panel.interventions")


def lines(person):
    model = panel(person).list.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def choose(person, row):
    shown = panel(person).list
    QTest.mouseClick(
        shown.viewport(), Qt.MouseButton.LeftButton, pos=shown.visualRect(shown.model().index(row, 0)).center()
    )


LISTED = {
    "en": [
        "A[3, 2] of head 1 set to 0.9",
        "O of head 0 × 0",
        "S[1 … 2, ·] of head 2 taken from head 0",
        "Y[4, ·] × −0.5",
    ],
    "zh": ["头 1 的 A[3, 2] 设为 0.9", "头 0 的 O × 0", "头 2 的 S[1 … 2, ·] 取自头 0", "Y[4, ·] × −0.5"],
}


def test_everything_changed_by_hand_is_listed_switched_gone_to_spread_and_removed(opened, qtbot):
    person = opened()
    assert person.action("interventions").iconText() == "Edit results"
    words = [label.text() for label in panel(person).findChildren(type(panel(person)._none)) if label.isVisible()]
    assert any("press F2" in text for text in words)
    assert not panel(person).list.isVisible()
    person.press("Escape")
    assert not person.find("panel.interventions").isVisible()

    # space switches one off and on again
    person = opened(WEIGHT, OFF)
    before = person.value("weights", 3, 2)
    person.program.view.set(head=1)
    assert person.value("weights", 3, 2) == 0.9
    person.do("interventions")
    assert person.focus() is panel(person).list
    person.press("Space")
    plain = compute(problem_of(OFF))["weights"][0, 1, 3, 2]
    assert person.value("weights", 3, 2) == plain != before
    assert [one.enabled for one in person.program.document.problem.interventions] == [False, True]
    assert person.action("interventions").iconText() == "Edit results 1"
    assert person.steps()[-1] == "off: A[3, 2] of head 1 set to 0.9"
    assert person.focus() is panel(person).list
    person.press("Space")
    assert person.value("weights", 3, 2) == 0.9
    for _ in range(2):
        person.do("undo")
    assert person.program.document.problem == problem_of(WEIGHT, OFF)

    # going to one chooses its cell in its own map and head
    person = opened(WEIGHT, TAKEN, OUTPUT)
    choose(person, 1)
    person.press("Return")
    assert not person.find("panel.interventions").isVisible()
    assert person.find("control.head").value() == 2
    assert person.find("heatmap.scores").chosen == (1, 0)
    assert person.focus() is person.find("heatmap.scores")
    choose(person, 2)
    person.click(panel(person).go)
    assert person.find("heatmap.output").chosen == (4, 0)
    assert person.find("heatmap.output").isVisible()

    # one is removed and all are
    person = opened(WEIGHT, OFF, TAKEN)
    choose(person, 1)
    person.press("Del")
    assert [one.stage for one in person.program.document.problem.interventions] == ["weights", "scores"]
    assert person.steps()[-1] == "removed: O of head 0 × 0"
    person.click(panel(person).remove_all)
    assert person.program.document.problem == problem_of()
    assert not panel(person).list.isVisible()
    person.do("undo")
    person.do("undo")
    assert person.program.document.problem == problem_of(WEIGHT, OFF, TAKEN)

    # one is done to all heads as one step
    person = opened(WEIGHT, OUTPUT)

    def by_menu():
        person.program.view.set(head=1)
        person.show_stage("weights")
        person.click_cell("weights", 3, 1)
        assert not person.action("all_heads_by_hand").isEnabled()
        person.click_cell("weights", 3, 2)
        person.do("all_heads_by_hand")

    def by_panel():
        choose(person, 1)
        assert not panel(person).all_heads.isEnabled()
        choose(person, 0)
        person.click(panel(person).all_heads)

    for spread in (by_menu, by_panel):
        spread()
        found = person.program.computation.evaluation
        assert [found.block("weights", 0, head, slice(3, 4), slice(2, 3))[0, 0] for head in range(4)] == [0.9] * 4
        assert lines(person)[0] == "A[3, 2] of all heads set to 0.9"
        assert verify(person.program.document.problem).ok
        person.do("undo")
        assert person.program.document.problem == problem_of(WEIGHT, OUTPUT)

    # a tick is a click
    person = opened(WEIGHT)
    shown = panel(person).list
    rect = shown.visualRect(shown.model().index(0, 0))
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=rect.topLeft() + QPoint(10, rect.height() // 2))
    assert not person.program.document.problem.interventions[0].enabled

    # the list follows a document that changes under it
    person = opened(WEIGHT, OFF)
    assert len(lines(person)) == 2
    person.program.document.apply(SetFields({"interventions": ()}, Label("edit", {})))
    assert not person.find("panel.interventions").list.isVisible()

    # everything changed by hand is listed in words and counted
    person = opened(WEIGHT, OFF, TAKEN, OUTPUT)
    assert person.action("interventions").iconText() == "Edit results 4"
    assert lines(person) == LISTED["en"]
    assert panel(person).accessibleName()
    assert panel(person).list.accessibleName()
    person.do("language_zh")
    qtbot.waitUntil(lambda: lines(person) == LISTED["zh"])
    assert person.action("interventions").iconText() == "修改结果 4"


def test_what_goes_with_its_cells_is_said(opened, qtbot):
    person = opened(WEIGHT, OFF, OUTPUT)
    person.size("n", 4)
    person.wait()
    assert "A change by hand went with its cells." in person.status()  # that of query 4
    assert [record.stage for record in person.program.document.problem.interventions] == ["weights", "head_output"]
    person.do("undo")
    person.wait()
    assert "by hand" not in person.status()
    person.go_to("query", 3, 0)
    person.press("Shift+Down")
    person.do("delete_rows")
    person.wait()
    assert "2 changes by hand went with their cells." in person.status()
    assert [record.stage for record in person.program.document.problem.interventions] == ["head_output"]

    # a part can be taken away and what is changed by hand in it goes with it
    person = opened(OFF)
    document = person.program.document
    plain = document.snapshot()
    for (action, stage, at, more), enabled in product(PARTS, (True, False)):
        record = {"kind": "scale", "stage": stage, "at": at, "factor": 0.5, "enabled": enabled}
        before = plain.replace(**more, interventions=[OFF, record])
        document.open(before, name="more")
        person.wait()
        assert "by hand" not in person.status()
        person.do(action)
        person.wait()
        assert [record.stage for record in document.problem.interventions] == ["head_output"], (action, enabled)
        assert "A change by hand went with its cells." in person.status(), (action, enabled)
        person.do("undo")
        assert document.problem == before

    # a mask can be switched off under what is changed by hand
    person = opened(OFF)
    document = person.program.document
    cell = {"kind": "set", "stage": "masked", "at": {"head": 0, "query": 0, "key": 6}, "values": 1.0}
    document.open(document.problem.replace(mask=[{"kind": "causal"}], interventions=[cell, OFF]), name="masked")
    person.wait()
    layer = {"kind": "causal", "enabled": False}
    person.window.mask_panel.layersChanged.emit((layer,), "switch", "causal")
    person.wait()
    assert [record.stage for record in document.problem.interventions] == ["head_output"]
    assert "A change by hand went with its cells." in person.status()

    # a second sequence of several items can be taken away
    person, rng = opened(), np.random.default_rng(7)
    document = person.program.document
    weights = {name: rng.normal(size=(4, 4)) for name in ("w_query", "w_key", "w_value")}
    mask = [{"kind": "padding", "lengths": (5, 3)}]
    problem = Problem(x=rng.normal(size=(3, 4)), context=rng.normal(size=(2, 5, 4)), **weights, mask=mask)
    cell = {"kind": "set", "stage": "scores", "at": {"batch": 1, "query": 0, "key": 0}, "values": 1.0}
    document.open(problem.replace(interventions=[cell]), name="second")
    person.wait()
    person.do("second_sequence")
    person.wait()
    assert document.problem.self_attention
    assert document.problem.mask[0].lengths == (3,)
    assert "A change by hand went with its cells." in person.status()

    # the status bar calls the changed cell alone changed
    # Not one beside it in its row or column.
    person = opened(WEIGHT)
    person.overwrite(person.find("control.head"), "1")
    person.show_stage("weights")
    heatmap = person.find("heatmap.weights")
    for language, words in (("en", "0.900000, changed by hand"), ("zh", "0.900000（手动修改）")):
        person.do(f"language_{language}")
        for row, column in ((3, 1), (3, 2), (2, 2)):
            QTest.mouseMove(heatmap, heatmap.cell_rect(row, column).center())
            qtbot.waitUntil(lambda place=f"({row}, {column})": place in person.window.place.text())
            said = person.status()
            assert (words in said) == (words[-3:] in said) == ((row, column) == (3, 2)), said


PARTS = [
    ("softcap", "capped", {"head": 0}, {"softcap": 2.0}),
    ("rotary_positions", "rotated_key", {"row": 0}, {"rotary_theta": 10.0, "num_heads": 2}),
    ("output_projection", "output", {"column": 8}, {"w_output": np.eye(8, 9)}),
]
