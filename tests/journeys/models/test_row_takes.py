"""Patching by hand: rows of a second text dragged, typed or compared into the first, each one step of the history."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QListView, QPushButton

from attn_gui.app import model_run_controller
from attn_gui.models import Run, open_model, recovered
from attn_gui.paths import resource
from tests.journeys.gate import Gate

TOY = resource("models", "toy-induction")
CHANGED, CLEAN, SHORT = "k x b m f k x b p", "k x b p f k x b p", "k x b p f"
LAST = "block_output"
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def toy(launch):
    return launch(width=1366, height=700).beginning(lambda person: person.open_toy(CHANGED, CLEAN))


def second(person, text):
    person.overwrite(person.find("control.other_text", QLineEdit), text)
    person.wait()


def put_on_table(person, layer):
    person.click_head(layer, 0)
    person.wait()


def token(person, name, place):
    view = person.find(name, QListView)
    return view, view.visualRect(view.model().index(place, 0)).center()


def drag(person, place, onto):
    """Press on a token of the second text, move, let go over one of the first."""
    source, begin = token(person, "model.second_tokens", place)
    first, end = token(person, "model.tokens", onto)
    there = source.viewport().mapFromGlobal(first.viewport().mapToGlobal(end))
    QTest.mousePress(source.viewport(), LEFT, pos=begin)
    for step in (0.3, 0.7, 1.0):
        QTest.mouseMove(source.viewport(), begin + QPoint(*((there - begin) * step).toTuple()))
    QTest.mouseRelease(source.viewport(), LEFT, pos=there)
    person.wait()


def runs(*texts):
    model = open_model(TOY)
    return [model.run(text) for text in texts]


def logits(person):
    return person.program.late.model.answer.run.logits


def close(found, wanted):
    return np.abs(found - wanted).max() <= 2e-5 * np.abs(wanted).max()


def test_rows_of_the_second_text_are_taken_by_mouse_keys_and_menu(toy):
    put_on_table(toy, 0)
    before, untouched = logits(toy), toy.program.document.problem
    drag(toy, 4, 4)
    record = toy.program.document.problem.interventions[-1]
    assert (record.kind, record.stage, record.at["query"]) == ("set", LAST, 4)
    changed, clean = runs(CHANGED, CLEAN)
    assert close(logits(toy), changed.patch(clean, 0, LAST, {"query": 4}).logits)
    assert not close(logits(toy), before)
    toy.press("Ctrl+Z")
    toy.wait()
    assert toy.program.document.problem == untouched
    assert np.array_equal(logits(toy), before)
    drag(toy, 4, 6)
    wanted = {"layer": 0, "kind": "set", "stage": LAST, "at": {"query": 6}, "values": clean.stage(0, LAST)[:, 4]}
    assert close(logits(toy), changed.replace(interventions=[wanted]).logits)

    toy.again("a token let go elsewhere changes nothing")
    problem = toy.program.document.problem
    source, begin = token(toy, "model.second_tokens", 3)
    for end in (begin, begin + QPoint(0, 300)):
        QTest.mousePress(source.viewport(), LEFT, pos=begin)
        QTest.mouseMove(source.viewport(), begin + QPoint(0, 60))
        QTest.mouseRelease(source.viewport(), LEFT, pos=end)
        toy.wait()
    assert toy.program.document.problem is problem

    toy.again("everything taken recovers the whole difference")
    changed, clean = runs(CHANGED, CLEAN)
    for layer in (0, 1):
        put_on_table(toy, layer)
        toy.click("model.take_all")
        toy.wait()
        run = toy.program.late.model.answer.run
        assert recovered(changed, clean, run, "f", "t") == pytest.approx(1, abs=1e-4)
        assert close(run.logits, clean.logits)
        toy.press("Ctrl+Z")
        toy.wait()
        assert not close(logits(toy), clean.logits)

    toy.again("by keys alone")
    put_on_table(toy, 1)
    toy.find("model.second_tokens").setFocus()
    toy.press("Home", *["Right"] * 3)
    assert toy.find("control.taken_place", QComboBox).currentData() == "3"
    toy.choose(toy.find("control.taken_stage", QComboBox), "head_output")
    toy.choose(toy.find("control.taken_place", QComboBox), "8")
    toy.find("model.second_tokens").setFocus()
    toy.press("Return")
    toy.wait()
    record = toy.program.document.problem.interventions[-1]
    assert (record.stage, record.at["query"]) == ("head_output", 8)
    _, clean = runs(CHANGED, CLEAN)
    assert np.allclose(record.values, clean.stage(1, "head_output")[:, :, 3:4], atol=1e-6)

    toy.again("texts of other lengths give rows of the same length only")
    second(toy, SHORT)
    everything = toy.find("model.take_all", QPushButton)
    assert not everything.isEnabled()
    assert "6" in everything.toolTip()
    assert "10" in everything.toolTip()
    drag(toy, 4, 8)
    assert toy.program.document.problem.interventions[-1].at["query"] == 8
    problem = toy.program.document.problem
    toy.choose(toy.find("control.taken_stage", QComboBox), "weights")
    drag(toy, 4, 4)
    assert toy.program.document.problem is problem
    assert "6" in toy.banner()
    second(toy, "")
    assert not toy.find("model.second").isVisible()

    toy.again("the row of the chosen cell is taken from the menu")
    second(toy, "")
    put_on_table(toy, 1)
    toy.do("product")
    toy.show_stage("weights")
    toy.click_cell("weights", 8, 3)
    assert not toy.action("take_second_row").isEnabled()
    toy.do("model")
    second(toy, CLEAN)
    toy.do("take_second_row")
    toy.wait()
    changed, clean = runs(CHANGED, CLEAN)
    assert close(logits(toy), changed.patch(clean, 1, "weights", {"query": 8}).logits)


def test_takes_are_switched_and_kept_in_a_small_session(toy, tmp_path):
    put_on_table(toy, 0)
    before = logits(toy)
    drag(toy, 4, 4)
    taken, problem = logits(toy), toy.program.document.problem
    toy.find("model.changes").setFocus()
    toy.press("Space")
    toy.wait()
    assert close(logits(toy), before)
    toy.press("Space")
    toy.wait()
    assert np.array_equal(logits(toy), taken)
    path = tmp_path / "taken.attn"
    toy.save_as(path)
    toy.program.files.open_example("worked")
    toy.wait()
    toy.open(path)
    toy.wait()
    assert toy.program.document.problem == problem
    assert np.array_equal(logits(toy), taken)

    toy.again("a branch that was abandoned and the second text are in a small file")
    # The layer's matrices were in it, once for each branch, and the second text was not.
    drag(toy, 3, 3)
    toy.press("Ctrl+Z")
    toy.wait()
    drag(toy, 4, 4)
    assert len(toy.program.document.snapshots.all) == 1
    path = tmp_path / "mary.attn"
    toy.save_as(path)
    assert path.stat().st_size < toy.program.document.problem.w_query.nbytes
    before, patched = toy.program.document.problem, toy.program.document.snapshots.all[0].problem()
    toy.program.files.open_example("worked")
    toy.wait()
    toy.open(path)
    toy.wait()
    assert toy.find("control.other_text", QLineEdit).text() == CLEAN
    assert toy.find("model.second").isVisible()
    assert toy.program.document.problem == before
    assert toy.program.document.snapshots.all[0].problem() == patched
    assert not toy.window.isWindowModified()
    second(toy, CHANGED)
    assert not toy.window.isWindowModified()


def test_the_layer_of_the_second_text_is_compared_and_its_cells_are_taken(toy, monkeypatch):
    put_on_table(toy, 1)
    assert not toy.action("take_before").isEnabled()
    toy.click("model.compare")
    toy.wait()
    toy.do("product")
    toy.show_stage("weights")
    toy.do("show_before")
    toy.wait()
    changed, clean = runs(CHANGED, CLEAN)
    assert toy.value("weights", 8, 3) == pytest.approx(clean.attention(1)[0, 8, 3], abs=1e-5)
    toy.click_cell("weights", 8, 3)
    toy.do("choose_row")
    toy.do("take_before")
    toy.wait()
    record = toy.program.document.problem.interventions[-1]
    assert record.at["query"] == 8
    assert close(logits(toy), changed.patch(clean, 1, "weights", {"head": 0, "query": 8}).logits)
    assert toy.value("weights", 8, 3) == pytest.approx(clean.attention(1)[0, 8, 3], abs=1e-5)
    toy.press("Ctrl+Z")
    toy.wait()
    assert toy.program.document.problem.interventions == ()

    toy.again("the comparison follows the layer on the table")
    put_on_table(toy, 1)
    toy.click("model.compare")
    toy.wait()
    _, clean = runs(CHANGED, CLEAN)
    assert np.array_equal(toy.program.baseline.problem.x, clean.problem(1).x)
    put_on_table(toy, 0)
    assert np.array_equal(toy.program.baseline.problem.x, clean.problem(0).x)
    second(toy, "")
    assert toy.program.baseline.problem is None

    toy.again("rows of the run before are not taken for those of a longer text")
    # They were the rows of as many tokens as the text before has, and the others stayed without a word.
    put_on_table(toy, 1)
    gate = Gate()
    gate.open()
    monkeypatch.setattr(model_run_controller, "answer", gate.before(model_run_controller.answer))
    gate.close()
    toy.overwrite(toy.find("control.text", QLineEdit), f"{CHANGED} {CHANGED}")
    while toy.program.late.models.busy:
        QTest.qWait(1)
    before = toy.program.document.problem
    assert before.n > len(CLEAN.split()) + 1
    for act in ("model.take_all", "model.compare"):
        toy.click(act)
        assert "still being run" in toy.banner()
        toy.find("banner").hide()
    gate.open()
    toy.wait()
    assert toy.program.document.problem is before

    toy.again("a layer that is read while another one is put on the table is not compared with that")
    put_on_table(toy, 1)
    gate, problem, other = Gate(), Run.problem, toy.program.late.model.second
    held = gate.before(problem)
    monkeypatch.setattr(
        Run, "problem", lambda run, *given, **named: (held if run is other else problem)(run, *given, **named)
    )
    toy.click("model.compare")
    gate.await_work()
    toy.program.late.models.set_layer(0)
    while toy.program.document.study.layer or toy.program.late.model.busy:
        QTest.qWait(1)
    gate.open()
    toy.wait()
    while toy.program.late.copy_rows.busy:
        QTest.qWait(1)
    _, clean = runs(CHANGED, CLEAN)
    assert np.array_equal(toy.program.baseline.problem.x, clean.problem(0).x)
