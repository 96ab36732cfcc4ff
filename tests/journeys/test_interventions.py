"""Numbers set by hand: typed into any map, listed, switched, spread, removed; what follows, explained and undone."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QRadioButton, QToolBar

from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.engine import Problem, compute, verify
from attn_gui.views.dialogs.questions import WeightDialog

SMALL = "worked-example.npz"
LABEL = Label("edit", {})
WEIGHT = {"kind": "set", "stage": "weights", "at": {"batch": 0, "head": 1, "query": 3, "key": 2}, "values": 0.9}
OFF = {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
TAKEN = {"kind": "copy", "stage": "scores", "at": {"head": 2, "query": (1, 3)}, "source": {"head": 0}}
OUTPUT = {"kind": "scale", "stage": "output", "at": {"query": 4}, "factor": -0.5}

LISTED = {
    "en": [
        "A[3, 2] of head 1 set to 0.9",
        "O of head 0 × 0",
        "S[1 … 2, ·] of head 2 taken from head 0",
        "Y[4, ·] × −0.5",
    ],
    "zh": ["头 1 的 A[3, 2] 设为 0.9", "头 0 的 O × 0", "头 2 的 S[1 … 2, ·] 取自头 0", "Y[4, ·] × −0.5"],
}

PARTS = [
    ("softcap", "capped", {"head": 0}, {"softcap": 2.0}),
    ("rotary_positions", "rotated_key", {"row": 0}, {"rotary_theta": 10.0, "num_heads": 2}),
    ("output_projection", "output", {"column": 8}, {"w_output": np.eye(8, 9)}),
]

ROW, COLUMN = 10, 13
LEFT = Qt.MouseButton.LeftButton


def set_by_hand(person, *records):
    person.program.document.apply(SetFields({"interventions": records}, LABEL))
    person.wait()


def test_numbers_set_by_hand_are_shown_with_what_follows_and_what_they_would_be(person):
    shape = np.shape(person.values("scores"))
    record = {"kind": "set", "stage": "scores", "at": {"head": 0}, "values": np.zeros(shape)}
    set_by_hand(person, record, {"kind": "scale", "stage": "weights", "factor": 2.0})
    assert person.find("table.interventions.0.values").model().rowCount() == shape[0]
    values = np.array([[3.0]])
    person.program.document.apply(SetCells("interventions.0.values", (slice(1, 2), slice(0, 1)), values, LABEL))
    person.wait()
    assert person.value("scores", 1, 0) == 3.0
    assert np.allclose(np.sum(person.values("weights")[1]), 2.0)

    person.again("a jump through the history shows what was set by hand there")
    shape = np.shape(person.values("weights"))
    off = {"kind": "scale", "stage": "value", "factor": 0.5}
    row = {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 1}, "values": np.full(shape[1], 0.25)}
    set_by_hand(person, off, row)
    document = person.program.document
    before = np.asarray(person.values("weights"))
    document.apply(SetCells("interventions.1.values", (slice(0, 1),), np.array([9.0]), LABEL))
    set_by_hand(person, {**row, "values": np.array(document.problem.interventions[1].values)})
    person.wait()
    after = np.asarray(person.values("weights"))
    assert after[1, 0] == 9.0
    for index, wanted in ((-2, before), (2, after)):
        document.stack.setIndex(document.stack.index() + index)
        person.wait()
        assert np.array_equal(person.values("weights"), wanted)
        assert np.allclose(person.values("head_output"), compute(document.problem)["head_output"][0, 0])

    person.again("a weight set by hand is shown with what follows and what it would be")
    person.do("language_zh")
    before = np.asarray(person.values("weights"))
    evaluation = person.program.computation.evaluation
    set_by_hand(person, {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 1, "key": 0}, "values": 0.875})
    assert person.program.computation.evaluation is evaluation, "nothing is computed anew"
    assert person.value("weights", 1, 0) == 0.875
    assert np.array_equal(np.delete(np.asarray(person.values("weights")), 1, axis=0), np.delete(before, 1, axis=0))
    expected = compute(person.program.document.problem)
    assert np.allclose(person.values("head_output"), expected["head_output"][0, 0])
    person.click_cell("weights", 1, 0)
    assert "0.875" in person.explanation()
    assert f"{before[1, 0]:.4f}" in person.explanation()
    person.do("undo")
    person.wait()
    assert np.array_equal(person.values("weights"), before)


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
    person.do("undo", "undo")
    assert person.program.document.problem == problem_of(WEIGHT, OFF, TAKEN)

    # one is done to all heads as one step
    person = opened(WEIGHT, OUTPUT)

    def by_menu():
        person.program.view.set(head=1)
        person.choose_cell("weights", 3, 1)
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
    person.window.mask_panel.layersChanged.emit(({"kind": "causal", "enabled": False},), "switch", "causal")
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


def line(minilm, stage):
    """The line that is open in a map, if one is."""
    lines = minilm.find(f"heatmap.{stage}").findChildren(QLineEdit)
    return next((each for each in lines if each.isVisible()), None)


def begin(minilm, stage, text, row=ROW, column=COLUMN):
    """Choose a cell of a map, open a line with F2, and type over its number."""
    minilm.choose_cell(stage, row, column)
    minilm.press("F2", "Ctrl+A", "Del")
    minilm.type(text)


def typed(minilm, stage, text, row=ROW, column=COLUMN):
    begin(minilm, stage, text, row, column)
    minilm.press("Return")


@pytest.fixture
def minilm(launch):
    return launch()


def test_a_typed_score_moves_the_weights_alone_is_marked_and_explained_and_one_step(minilm):
    before = minilm.program.document.snapshot()
    typed(minilm, "scaled", "2")
    typed(minilm, "scaled", "-3")  # once more: it takes the place of the first
    assert minilm.value("scaled", ROW, COLUMN) == -3
    changed = before.replace(
        interventions=[
            {"kind": "set", "stage": "scaled", "at": {"batch": 0, "head": 3, "query": ROW, "key": COLUMN}, "values": -3}
        ]
    )
    expected, plain = compute(changed)["weights"][0, 3], compute(before)["weights"][0, 3]
    assert expected[ROW, COLUMN] < plain[ROW, COLUMN]
    for row, column in ((ROW, COLUMN), (ROW, 0), (ROW + 1, COLUMN)):
        assert minilm.value("weights", row, column) == expected[row, column]
    assert verify(minilm.program.document.problem).ok
    said = minilm.explanation()
    assert "−3:" in said
    assert "4.885" in said  # the model's own scaled score
    marks = minilm.find("heatmap.scaled").overlay.marks
    assert marks.by_hand == ((slice(ROW, ROW + 1), slice(COLUMN, COLUMN + 1)),)
    minilm.program.view.set(head=4)
    assert minilm.find("heatmap.scaled").overlay.marks.by_hand == ()
    minilm.program.view.set(head=3)
    (record,) = minilm.program.document.problem.interventions
    assert record.values == -3
    for _ in range(2):
        minilm.do("undo")
    assert minilm.program.document.problem == before
    typed(minilm, "scaled", "1/3")
    assert minilm.value("scaled", ROW, COLUMN) == np.float32(1 / 3)
    minilm.do("undo")
    assert minilm.program.document.problem == before
    minilm.do("redo")
    assert minilm.value("scaled", ROW, COLUMN) == np.float32(1 / 3)

    minilm.again("a text that is no number keeps its line and changes nothing")
    before = minilm.program.document.snapshot()
    for text in ("x1", "#DIV/0!", ""):
        typed(minilm, "scaled", text)
        editor = line(minilm, "scaled")
        assert editor.isVisible()
        assert editor.property("wrong") == "true"
        minilm.press("Escape")
        assert minilm.program.document.problem == before
        assert minilm.program.document.stack.count() == 0

    minilm.again("a number typed into a given matrix is a number of its table")
    typed(minilm, "query", "7")
    assert minilm.program.document.problem.interventions == ()
    assert minilm.number("query", ROW, 3 * 32 + COLUMN) == 7

    minilm.again("a double click types and ends a zoom first")
    heatmap = minilm.find("heatmap.weights")
    minilm.choose_cell("weights", ROW, COLUMN)
    place = heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mouseDClick(heatmap, LEFT, pos=heatmap.mapFrom(heatmap, place))
    assert line(minilm, "weights") is not None
    minilm.press("Escape")
    heatmap.box.zoom(240, (ROW, COLUMN))
    assert not heatmap.box.whole
    place = heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mouseDClick(heatmap, LEFT, pos=heatmap.mapFrom(heatmap, place))
    assert heatmap.box.whole

    minilm.again("a minimized window keeps the line and a command or the end of its map enters it")
    begin(minilm, "scaled", "-3")
    minilm.window.showMinimized()
    minilm.look()
    minilm.window.showNormal()
    minilm.look()
    assert minilm.focus() is line(minilm, "scaled")
    minilm.press("Return")
    assert minilm.value("scaled", ROW, COLUMN) == -3
    begin(minilm, "scaled", "-4")
    minilm.do("pin")
    assert minilm.value("scaled", ROW, COLUMN) == -4
    begin(minilm, "scaled", "-5")
    minilm.find("heatmap.scaled").hide()
    assert minilm.value("scaled", ROW, COLUMN) == -5

    minilm.again("the state before cannot be typed into")
    minilm.do("pin", "show_before")
    minilm.choose_cell("weights", ROW, COLUMN)
    minilm.press("F2")
    assert line(minilm, "weights") is None

    minilm.again("the map comes back from behind a large page before its number is typed")
    minilm.choose_cell("scaled", ROW, COLUMN)
    minilm.program.late.pages.open("code")
    minilm.program.late.pages.set_large(True)
    assert not minilm.find("heatmap.scaled").isVisible()
    minilm.do("set_number")
    assert minilm.find("heatmap.scaled").isVisible()
    assert line(minilm, "scaled").hasFocus()
    minilm.press("Ctrl+A")
    minilm.type("-3", end="Return")
    minilm.program.late.pages.set_large(True)
    minilm.program.late.interventions.go_to(0)
    assert minilm.find("heatmap.scaled").isVisible()
    assert minilm.find("heatmap.scaled").hasFocus()

    minilm.again("problems of several items set the item on show")
    rng = np.random.default_rng(3)
    problem = Problem(
        query=rng.normal(size=(3, 5, 6)), key=rng.normal(size=(3, 7, 6)), value=rng.normal(size=(3, 7, 4)), num_heads=2
    )
    minilm.program.document.open(problem, name="three")
    minilm.wait()
    minilm.program.view.set(batch=1, head=1)
    typed(minilm, "scores", "9", 2, 3)
    scores = minilm.program.computation.evaluation
    assert scores.block("scores", 1, 1, slice(2, 3), slice(3, 4))[0, 0] == 9
    assert scores.block("scores", 0, 1, slice(2, 3), slice(3, 4))[0, 0] != 9

    minilm.again("a line goes with its problem")
    begin(minilm, "scaled", "-3")
    rng = np.random.default_rng(3)
    other = Problem(query=rng.normal(size=(5, 6)), key=rng.normal(size=(7, 6)), value=rng.normal(size=(7, 4)))
    minilm.program.document.open(other, name="other")
    minilm.wait()
    assert minilm.program.document.problem == other
    assert line(minilm, "scaled") is None

    minilm.again("a number typed over one set by hand in a given matrix is what the map shows")
    # It went into the matrix below, and the map kept its number.
    column = 3 * 32 + COLUMN
    record = {"kind": "set", "stage": "query", "at": {"batch": 0, "row": ROW, "column": column}, "values": 5}
    minilm.program.document.open(minilm.program.document.snapshot().replace(interventions=[record]))
    minilm.wait()
    minilm.program.view.set(head=3)
    for row, by_hand in ((ROW + 1, False), (ROW, True)):
        below = minilm.number("query", row, column)
        typed(minilm, "query", "7", row)
        assert minilm.value("query", row, COLUMN) == 7
        assert minilm.number("query", row, column) == (below if by_hand else 7)
        (record,) = minilm.program.document.problem.interventions
        assert float(record.values) == (7.0 if by_hand else 5.0)


def test_a_weight_asks_what_becomes_of_the_others(minilm):
    before, cell = minilm.program.document.snapshot(), minilm.value("weights", ROW, COLUMN)
    minilm.answering(WeightDialog, lambda _: minilm.press("Escape"), lambda: typed(minilm, "weights", "0.25"))
    assert line(minilm, "weights") is None
    assert minilm.focus() is minilm.find("heatmap.weights")
    assert minilm.find("heatmap.weights").chosen == (ROW, COLUMN)
    assert minilm.value("weights", ROW, COLUMN) == cell
    assert minilm.program.document.snapshot() == before
    assert minilm.program.document.stack.count() == 0
    begin(minilm, "weights", "0.25")
    minilm.answering(WeightDialog, lambda _: minilm.press("Escape"), lambda: minilm.do("pin"))
    assert not minilm.action("unpin").isEnabled()

    minilm.again("rescaling beside a sink keeps its part of the row")
    # The sink is one key more: it, too, keeps its proportion to the others. It is spoken of where there is one.
    document, said = minilm.program.document, []

    def leave(dialog):
        said.extend(label.text() for label in dialog.findChildren(QLabel))
        said.append(dialog.findChild(QRadioButton, "weight.rescaled").text())
        minilm.press("Escape")

    minilm.answering(WeightDialog, leave, lambda: typed(minilm, "weights", "0.25"))
    assert "sink" not in " ".join(said)
    document.open(document.snapshot().replace(sink=np.full(12, 1.0)))
    minilm.wait()
    minilm.program.view.set(head=3)
    row = minilm.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0].astype(
        float
    )
    said.clear()

    def answer(dialog):
        said.append([label.text() for label in dialog.findChildren(QLabel)])
        said.append([dialog.findChild(QRadioButton, "weight.rescaled").text()])
        dialog.accept()

    minilm.answering(WeightDialog, answer, lambda: typed(minilm, "weights", "0.25"))
    assert all("sink" in " ".join(words) for words in said)
    found = minilm.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0].astype(
        float
    )
    shares = np.append(row, 1 - row.sum())
    shares *= 0.75 / (1 - row[COLUMN])
    shares[COLUMN] = 0.25
    np.testing.assert_allclose(np.append(found, 1 - found.sum()), shares, atol=1e-6)

    minilm.again("the row that still sums to one leads and nothing is remembered unasked")

    def answer(dialog):
        radios = dialog.findChildren(QRadioButton)
        assert min(radios, key=lambda radio: radio.y()).objectName() == "weight.rescaled"
        assert minilm.focus() is dialog.findChild(QRadioButton, "weight.rescaled")
        minilm.press("Return")

    for text in ("0.9", "0.8"):  # asked each time
        minilm.answering(WeightDialog, answer, lambda text=text: typed(minilm, "weights", text))
        row = minilm.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0]
        assert row[COLUMN] == np.float32(text)
        assert row.sum() == pytest.approx(1, abs=1e-6)

    minilm.again("a row that no scaling of the others brings to one is set alone")
    document = minilm.program.document
    document.open(document.snapshot().replace(mask=[{"kind": "causal"}]))  # the first row has one key
    minilm.wait()
    minilm.program.view.set(head=3)

    def answer(dialog):
        assert not dialog.findChild(QRadioButton, "weight.rescaled").isEnabled()
        assert dialog.findChild(QRadioButton, "weight.alone").isChecked()
        minilm.press("Escape")

    for typing in (("1.5", ROW, COLUMN), ("nan", ROW, COLUMN), ("0.5", 0, 0)):
        minilm.answering(WeightDialog, answer, lambda typing=typing: typed(minilm, "weights", *typing))

    minilm.again("a weight asks once what becomes of the others")
    row = minilm.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0].copy()

    def answer(dialog):
        dialog.findChild(QRadioButton, "weight.rescaled").click()
        dialog.remembered.click()
        dialog.accept()

    minilm.answering(WeightDialog, answer, lambda: typed(minilm, "weights", "0.9"))
    found = minilm.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0]
    others = np.delete(np.arange(len(row)), COLUMN)
    expected = row[others].astype(float) * (0.1 / row[others].astype(float).sum())
    assert found[COLUMN] == np.float32(0.9)
    # each is rounded to float32 once, and the sum of 15 of them as often
    np.testing.assert_allclose(found[others], expected, rtol=16 * np.finfo(np.float32).eps)
    typed(minilm, "weights", "0.8")  # without a question now
    assert minilm.value("weights", ROW, COLUMN) == np.float32(0.8)
    assert minilm.action("weights_rescaled").isChecked()

    minilm.again("a cell of any map is explained once it was typed and a weight can be set alone")
    minilm.do("weights_alone")
    other = minilm.value("weights", ROW, 0)
    for stage in ("concat", "weights", "head_output"):
        typed(minilm, stage, "0.25", column=3)
        assert minilm.value(stage, ROW, 3) == 0.25
        assert "0.25" in minilm.explanation()
        assert minilm.value("weights", ROW, 0) == other
        minilm.do("undo")
