"""Numbers set by hand: typed into any map, listed, switched, spread, removed; what follows, explained and undone."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QRadioButton, QToolBar

from attn_gui.engine import Problem, compute, verify
from attn_gui.views.dialogs.small_dialogs import WeightDialog

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


ROW, COLUMN = 10, 13


def problem_of(*records):
    rng = np.random.default_rng(6)
    shapes = {"query": (5, 12), "key": (7, 12), "value": (7, 8)}
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()}, num_heads=4).replace(
        interventions=records
    )


@pytest.fixture
def opened(minilm):
    def start(*records):
        minilm.again(str(records), problem_of(*records))
        return minilm

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


def line(minilm, stage):
    """The line that is open in a map, if one is."""
    lines = minilm.find(f"heatmap.{stage}").findChildren(QLineEdit)
    return next((each for each in lines if each.isVisible()), None)


def begin(minilm, stage, text, row=ROW, column=COLUMN):
    """Choose a cell of a map, open a line with F2, and type over its number."""
    minilm.choose_cell(stage, row, column)
    minilm.press("F2", "Ctrl+A", "Del")
    assert minilm.find(f"heatmap.{stage}").rect().contains(line(minilm, stage).geometry())
    minilm.type(text)


def typed(minilm, stage, text, row=ROW, column=COLUMN):
    begin(minilm, stage, text, row, column)
    minilm.press("Return")


@pytest.fixture
def minilm(launch):
    return launch()


def test_a_typed_number_moves_what_follows_is_explained_and_all_changed_by_hand_is_listed(minilm, opened, qtbot):
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

    # a number typed into a given matrix is a number of its table
    typed(minilm, "query", "7")
    assert minilm.program.document.problem.interventions == ()
    assert minilm.number("query", ROW, 3 * 32 + COLUMN) == 7

    minilm.again("a weight asks what becomes of the others")
    before, cell = minilm.program.document.snapshot(), minilm.value("weights", ROW, COLUMN)
    minilm.answering(WeightDialog, lambda _: minilm.press("Escape"), lambda: typed(minilm, "weights", "0.25"))
    assert line(minilm, "weights") is None
    assert minilm.focus() is minilm.find("heatmap.weights")
    assert minilm.find("heatmap.weights").chosen == (ROW, COLUMN)
    assert minilm.value("weights", ROW, COLUMN) == cell
    assert minilm.program.document.snapshot() == before
    assert minilm.program.document.stack.count() == 0
    begin(minilm, "weights", "0.25", column=15)
    minilm.answering(WeightDialog, lambda _: minilm.press("Escape"), lambda: minilm.do("pin"))
    assert not minilm.action("unpin").isEnabled()

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

    # everything changed by hand is listed, switched, gone to, spread, removed and told where it goes
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

    # everything changed by hand is listed in words and counted
    person = opened(WEIGHT, OFF, TAKEN, OUTPUT)
    assert person.action("interventions").iconText() == "Edit results 4"
    assert lines(person) == LISTED["en"]
    assert panel(person).accessibleName()
    assert panel(person).list.accessibleName()
    person.do("language_zh")
    qtbot.waitUntil(lambda: lines(person) == LISTED["zh"])
    assert person.action("interventions").iconText() == "修改结果 4"

    # what goes with its cells is said
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
