"""The lesson on induction: four clicks, each seen by what the reader did, the prediction falls and comes back."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QTableView, QToolBar

from attn_gui.models import open_model
from attn_gui.paths import resource

PATH = resource("lessons", "15-induction.md")
TEXT = "k x b p f k x b p"
OFF = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}


def settle(person):
    person.wait()
    while person.program.late.lessons.busy:
        QTest.qWait(1)
    person.wait()
    QTest.qWait(1)


@pytest.fixture
def reader(launch, request):
    person = launch("worked-example.npz", lang=getattr(request, "param", "en"), width=1366, height=700)
    person.drop(PATH)
    settle(person)
    assert person.find("lesson").isVisible()
    return person


def next_step(person):
    person.click("lesson.skip")
    settle(person)


def click_head(person, layer, head):
    person.click_head(layer, head)
    settle(person)


def is_done(person):
    done, do = person.find("lesson.done").isVisible(), person.find("lesson.do").isVisible()
    assert done != do, "either it is done, or it can be done for the reader"
    return done


def probability(person, token="f"):
    rows = person.find("model.predictions", QTableView).model()
    shown = {rows.index(row, 0).data(): rows.index(row, 1).data() for row in range(rows.rowCount())}
    return float(str(shown[token]).replace("−", "-"))


def undo_button(person):
    bar = next(bar for bar in person.window.findChildren(QToolBar) if person.action("undo") in bar.actions())
    return bar.widgetForAction(person.action("undo"))


def said(person):
    return "\n".join(person.program.late.lessons._panel._words.paragraphs)


@pytest.mark.parametrize("reader", ["en", "zh"], indirect=True)
def test_four_clicks_find_the_head_and_what_it_depends_on(reader):
    document = reader.program.document
    assert (document.study.text, document.study.layer) == (TEXT, 0)
    assert not reader.window.isWindowModified()
    reader.click(reader.find("lesson.choice.1", QAbstractButton))
    settle(reader)
    assert reader.find("lesson.verdict").text().startswith(("Correct.", "正确。"))
    assert probability(reader) > 0.99
    before, logits = document.problem, reader.program.late.model.answer.run.logits

    next_step(reader)
    assert not is_done(reader)
    click_head(reader, 0, 2)  # the one that looks at the same letter itself
    assert not is_done(reader)
    assert not reader.find("lesson.left").isVisible(), "to look at a head changes no number"
    click_head(reader, 1, 1)
    assert is_done(reader)
    assert document.study.layer == 1

    next_step(reader)
    assert reader.find("heatmap.weights").isVisible()
    cell = reader.program.view.look.cell
    assert (cell.stage, cell.row, cell.column, reader.program.view.look.head) == ("weights", 9, 5, 2)
    assert f"{reader.value('weights', 9, 5):.3f}" in said(reader)

    next_step(reader)
    assert not is_done(reader)
    click_head(reader, 0, 1)
    assert not is_done(reader)
    click_head(reader, 0, 0)
    assert is_done(reader)

    next_step(reader)
    assert not is_done(reader)
    reader.click("model.head_off")
    settle(reader)
    assert is_done(reader)
    truth = open_model(resource("models", "toy-induction")).run(TEXT, interventions=[OFF])
    fallen = dict(truth.predictions(top=27))["f"]
    assert fallen < 0.01
    assert probability(reader) == pytest.approx(fallen, abs=1e-4)
    assert f"{fallen:.4f}" in said(reader)

    next_step(reader)
    assert not is_done(reader)
    reader.click(undo_button(reader))
    settle(reader)
    assert is_done(reader)
    assert document.problem == before
    assert np.array_equal(reader.program.late.model.answer.run.logits, logits)
    assert probability(reader) > 0.99
    next_step(reader)
    assert reader.find("lesson.end").isVisible()


def test_what_is_not_done_is_done_by_the_button_and_taken_over_by_the_next_step(reader):
    for place in range(6):
        if reader.find("lesson.do").isVisible() and place % 2:
            reader.click("lesson.do")
            settle(reader)
            assert is_done(reader)
        state = reader.program.late.lessons._states[place]
        assert (reader.program.document.study.layer, reader.program.document.study.text) in {
            (scene.study.layer, TEXT) for scene in (state.begin, state.end)
        }
        next_step(reader)
    assert reader.find("lesson.end").isVisible()


def test_other_numbers_are_told_and_the_step_is_found_again_until_another_document_comes(reader):
    next_step(reader)
    reader.type_into("w_query", 0, 0, "9")
    settle(reader)
    assert reader.find("lesson.left").isVisible()
    reader.click("lesson.return")
    settle(reader)
    assert not reader.find("lesson.left").isVisible()
    reader.press("Ctrl+Z")
    settle(reader)
    assert reader.number("w_query", 0, 0) == 9
    assert reader.find("lesson.left").isVisible()

    # a document that is no model puts the lesson away
    reader.program.files.open_example("worked")
    settle(reader)
    assert not reader.find("lesson").isVisible()
    assert reader.program.document.study is None
    assert len(reader.steps()) == 1
