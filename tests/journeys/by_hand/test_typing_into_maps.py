"""Numbers typed into the maps: any cell of any stage, with what follows from it, explained and undone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QRadioButton

from attn_gui.engine import Problem, compute, verify
from attn_gui.views.dialogs.questions import WeightDialog

ROW, COLUMN = 10, 13
LEFT = Qt.MouseButton.LeftButton


def line(person, stage):
    """The line that is open in a map, if one is."""
    lines = person.find(f"heatmap.{stage}").findChildren(QLineEdit)
    return next((each for each in lines if each.isVisible()), None)


def begin(person, stage, text, row=ROW, column=COLUMN):
    """Choose a cell of a map, open a line with F2, and type over its number."""
    person.show_stage(stage)
    person.click_cell(stage, row, column)
    person.press("F2", "Ctrl+A", "Del")
    person.type(text)


def typed(person, stage, text, row=ROW, column=COLUMN):
    begin(person, stage, text, row, column)
    person.press("Return")


@pytest.fixture
def person(launch):
    return launch()


def test_a_typed_score_moves_the_weights_alone_is_marked_and_explained_and_one_step(person):
    before = person.program.document.snapshot()
    typed(person, "scaled", "2")
    typed(person, "scaled", "-3")  # once more: it takes the place of the first
    assert person.value("scaled", ROW, COLUMN) == -3
    changed = before.replace(
        interventions=[
            {"kind": "set", "stage": "scaled", "at": {"batch": 0, "head": 3, "query": ROW, "key": COLUMN}, "values": -3}
        ]
    )
    expected, plain = compute(changed)["weights"][0, 3], compute(before)["weights"][0, 3]
    assert expected[ROW, COLUMN] < plain[ROW, COLUMN]
    for row, column in ((ROW, COLUMN), (ROW, 0), (ROW + 1, COLUMN)):
        assert person.value("weights", row, column) == expected[row, column]
    assert verify(person.program.document.problem).ok
    said = person.explanation()
    assert "−3:" in said
    assert "4.885" in said  # the model's own scaled score
    marks = person.find("heatmap.scaled").overlay.marks
    assert marks.by_hand == ((slice(ROW, ROW + 1), slice(COLUMN, COLUMN + 1)),)
    person.program.view.set(head=4)
    assert person.find("heatmap.scaled").overlay.marks.by_hand == ()
    person.program.view.set(head=3)
    (record,) = person.program.document.problem.interventions
    assert record.values == -3
    for _ in range(2):
        person.do("undo")
    assert person.program.document.problem == before
    typed(person, "scaled", "1/3")
    assert person.value("scaled", ROW, COLUMN) == np.float32(1 / 3)
    person.do("undo")
    assert person.program.document.problem == before
    person.do("redo")
    assert person.value("scaled", ROW, COLUMN) == np.float32(1 / 3)

    person.again("a text that is no number keeps its line and changes nothing")
    before = person.program.document.snapshot()
    for text in ("x1", "#DIV/0!", ""):
        typed(person, "scaled", text)
        editor = line(person, "scaled")
        assert editor.isVisible()
        assert editor.property("wrong") == "true"
        person.press("Escape")
        assert person.program.document.problem == before
        assert person.program.document.stack.count() == 0

    person.again("a number typed into a given matrix is a number of its table")
    typed(person, "query", "7")
    assert person.program.document.problem.interventions == ()
    assert person.number("query", ROW, 3 * 32 + COLUMN) == 7

    person.again("a double click types and ends a zoom first")
    heatmap = person.find("heatmap.weights")
    person.show_stage("weights")
    person.click_cell("weights", ROW, COLUMN)
    place = heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mouseDClick(heatmap, LEFT, pos=heatmap.mapFrom(heatmap, place))
    assert line(person, "weights") is not None
    person.press("Escape")
    heatmap.box.zoom(240, (ROW, COLUMN))
    assert not heatmap.box.whole
    place = heatmap.cell_rect(ROW, COLUMN).center()
    QTest.mouseDClick(heatmap, LEFT, pos=heatmap.mapFrom(heatmap, place))
    assert heatmap.box.whole

    person.again("a minimized window keeps the line and a command or the end of its map enters it")
    begin(person, "scaled", "-3")
    person.window.showMinimized()
    person.look()
    person.window.showNormal()
    person.look()
    assert person.focus() is line(person, "scaled")
    person.press("Return")
    assert person.value("scaled", ROW, COLUMN) == -3
    begin(person, "scaled", "-4")
    person.do("pin")
    assert person.value("scaled", ROW, COLUMN) == -4
    begin(person, "scaled", "-5")
    person.find("heatmap.scaled").hide()
    assert person.value("scaled", ROW, COLUMN) == -5

    person.again("the state before cannot be typed into")
    person.do("pin")
    person.do("show_before")
    person.show_stage("weights")
    person.click_cell("weights", ROW, COLUMN)
    person.press("F2")
    assert line(person, "weights") is None

    person.again("the map comes back from behind a large page before its number is typed")
    person.show_stage("scaled")
    person.click_cell("scaled", ROW, COLUMN)
    person.program.late.pages.open("code")
    person.program.late.pages.set_large(True)
    assert not person.find("heatmap.scaled").isVisible()
    person.do("set_number")
    assert person.find("heatmap.scaled").isVisible()
    assert line(person, "scaled").hasFocus()
    person.press("Ctrl+A")
    person.type("-3")
    person.press("Return")
    person.program.late.pages.set_large(True)
    person.program.late.interventions.go_to(0)
    assert person.find("heatmap.scaled").isVisible()
    assert person.find("heatmap.scaled").hasFocus()

    person.again("problems of several items set the item on show")
    rng = np.random.default_rng(3)
    problem = Problem(
        query=rng.normal(size=(3, 5, 6)), key=rng.normal(size=(3, 7, 6)), value=rng.normal(size=(3, 7, 4)), num_heads=2
    )
    person.program.document.open(problem, name="three")
    person.wait()
    person.program.view.set(batch=1, head=1)
    typed(person, "scores", "9", 2, 3)
    scores = person.program.computation.evaluation
    assert scores.block("scores", 1, 1, slice(2, 3), slice(3, 4))[0, 0] == 9
    assert scores.block("scores", 0, 1, slice(2, 3), slice(3, 4))[0, 0] != 9

    person.again("a line goes with its problem")
    begin(person, "scaled", "-3")
    rng = np.random.default_rng(3)
    other = Problem(query=rng.normal(size=(5, 6)), key=rng.normal(size=(7, 6)), value=rng.normal(size=(7, 4)))
    person.program.document.open(other, name="other")
    person.wait()
    assert person.program.document.problem == other
    assert line(person, "scaled") is None

    person.again("a number typed over one set by hand in a given matrix is what the map shows")
    # It went into the matrix below, and the map kept its number.
    column = 3 * 32 + COLUMN
    at = {"batch": 0, "row": ROW, "column": column}
    record = {"kind": "set", "stage": "query", "at": at, "values": 5}
    person.program.document.open(person.program.document.snapshot().replace(interventions=[record]))
    person.wait()
    person.program.view.set(head=3)
    for row, by_hand in ((ROW + 1, False), (ROW, True)):
        below = person.number("query", row, column)
        typed(person, "query", "7", row)
        assert person.value("query", row, COLUMN) == 7
        assert person.number("query", row, column) == (below if by_hand else 7)
        (record,) = person.program.document.problem.interventions
        assert float(record.values) == (7.0 if by_hand else 5.0)


def test_a_weight_asks_what_becomes_of_the_others(person):
    before, cell = person.program.document.snapshot(), person.value("weights", ROW, COLUMN)
    person.answering(WeightDialog, lambda _: person.press("Escape"), lambda: typed(person, "weights", "0.25"))
    assert line(person, "weights") is None
    assert person.focus() is person.find("heatmap.weights")
    assert person.find("heatmap.weights").chosen == (ROW, COLUMN)
    assert person.value("weights", ROW, COLUMN) == cell
    assert person.program.document.snapshot() == before
    assert person.program.document.stack.count() == 0
    begin(person, "weights", "0.25")
    person.answering(WeightDialog, lambda _: person.press("Escape"), lambda: person.do("pin"))
    assert not person.action("unpin").isEnabled()

    person.again("rescaling beside a sink keeps its part of the row")
    # The sink is one key more: it, too, keeps its proportion to the others. It is spoken of where there is one.
    document, said = person.program.document, []

    def leave(dialog):
        said.extend(label.text() for label in dialog.findChildren(QLabel))
        said.append(dialog.findChild(QRadioButton, "weight.rescaled").text())
        person.press("Escape")

    person.answering(WeightDialog, leave, lambda: typed(person, "weights", "0.25"))
    assert "sink" not in " ".join(said)
    document.open(document.snapshot().replace(sink=np.full(12, 1.0)))
    person.wait()
    person.program.view.set(head=3)
    row = person.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0].astype(
        float
    )
    said.clear()

    def answer(dialog):
        said.append([label.text() for label in dialog.findChildren(QLabel)])
        said.append([dialog.findChild(QRadioButton, "weight.rescaled").text()])
        dialog.accept()

    person.answering(WeightDialog, answer, lambda: typed(person, "weights", "0.25"))
    assert all("sink" in " ".join(words) for words in said)
    found = person.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0].astype(
        float
    )
    shares = np.append(row, 1 - row.sum())
    shares *= 0.75 / (1 - row[COLUMN])
    shares[COLUMN] = 0.25
    np.testing.assert_allclose(np.append(found, 1 - found.sum()), shares, atol=1e-6)

    person.again("the row that still sums to one leads and nothing is remembered unasked")

    def answer(dialog):
        radios = dialog.findChildren(QRadioButton)
        assert min(radios, key=lambda radio: radio.y()).objectName() == "weight.rescaled"
        assert person.focus() is dialog.findChild(QRadioButton, "weight.rescaled")
        person.press("Return")

    for text in ("0.9", "0.8"):  # asked each time
        person.answering(WeightDialog, answer, lambda text=text: typed(person, "weights", text))
        row = person.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0]
        assert row[COLUMN] == np.float32(text)
        assert row.sum() == pytest.approx(1, abs=1e-6)

    person.again("a row that no scaling of the others brings to one is set alone")
    document = person.program.document
    document.open(document.snapshot().replace(mask=[{"kind": "causal"}]))  # the first row has one key
    person.wait()
    person.program.view.set(head=3)

    def answer(dialog):
        assert not dialog.findChild(QRadioButton, "weight.rescaled").isEnabled()
        assert dialog.findChild(QRadioButton, "weight.alone").isChecked()
        person.press("Escape")

    for typing in (("1.5", ROW, COLUMN), ("nan", ROW, COLUMN), ("0.5", 0, 0)):
        person.answering(WeightDialog, answer, lambda typing=typing: typed(person, "weights", *typing))

    person.again("a weight asks once what becomes of the others")
    row = person.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0].copy()

    def answer(dialog):
        dialog.findChild(QRadioButton, "weight.rescaled").click()
        dialog.remembered.click()
        dialog.accept()

    person.answering(WeightDialog, answer, lambda: typed(person, "weights", "0.9"))
    found = person.program.computation.evaluation.block("weights", 0, 3, slice(ROW, ROW + 1), slice(None))[0]
    others = np.delete(np.arange(len(row)), COLUMN)
    expected = row[others].astype(float) * (0.1 / row[others].astype(float).sum())
    assert found[COLUMN] == np.float32(0.9)
    # each is rounded to float32 once, and the sum of 15 of them as often
    np.testing.assert_allclose(found[others], expected, rtol=16 * np.finfo(np.float32).eps)
    typed(person, "weights", "0.8")  # without a question now
    assert person.value("weights", ROW, COLUMN) == np.float32(0.8)
    assert person.action("weights_rescaled").isChecked()

    person.again("a cell of any map is explained once it was typed and a weight can be set alone")
    person.do("weights_alone")
    other = person.value("weights", ROW, 0)
    for stage in ("concat", "weights", "head_output"):
        typed(person, stage, "0.25", column=3)
        assert person.value(stage, ROW, 3) == 0.25
        assert "0.25" in person.explanation()
        assert person.value("weights", ROW, 0) == other
        person.do("undo")
