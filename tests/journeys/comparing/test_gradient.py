"""Gradients in the place of the numbers: one switch, on maps and tables, with the finite difference beside."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from attn_gui.app.maps import gradients
from attn_gui.app.state import computation
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem, compute, sensitivity
from attn_gui.formats import save
from attn_gui.views.dialogs.export_dialog import ExportDialog
from tests.journeys.gate import PATIENCE, Gate

SMALL = "worked-example.npz"


def settle(person):
    person.wait()
    while person.program.late.gradients.busy:
        QTest.qWait(2)


def drawn(person, stage):
    return np.array(person.values(stage))


def said(person):
    return person.find("comparison").text()


@pytest.fixture
def person(launch):
    person = launch(SMALL)
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    return person


def test_one_switch_puts_gradients_on_maps_and_tables_and_takes_them_away(person, tmp_path, monkeypatch):
    problem = person.program.document.problem
    before = drawn(person, "weights"), person.numbers("query")
    exact = sensitivity(compute(problem), "head_output", (0, 0, 1, 0))
    person.press("Ctrl+7")
    settle(person)
    assert person.find("control.compare", QComboBox).currentData() == "gradient"
    assert np.allclose(drawn(person, "weights"), [[0, 0], problem.value[:, 0]])
    assert np.array_equal(np.array(person.numbers("query"), float), exact["query"])
    assert np.array_equal(np.array(person.numbers("value"), float), exact["value"])
    levels = person.find("heatmap.weights").levels
    assert levels.low == -levels.high == -3
    assert person.find("heatmap.weights").parent().findChildren(type(person.find("heatmap.weights")))
    largest = max(np.abs(each).max() for name, each in exact.items() if each.ndim)
    assert f"{largest:.4g}" in said(person)
    assert "finite differences" in said(person)
    person.press("Ctrl+3")
    settle(person)
    assert np.array_equal(drawn(person, "weights"), before[0])
    assert person.numbers("query") == before[1]
    assert not person.find("comparison").isVisible()
    assert not person.window.isWindowModified()

    person.again("another cell another sum and another size take another gradient")
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    person.pick("compare", "gradient")
    settle(person)
    person.click_cell("head_output", 0, 1)
    settle(person)
    problem = person.program.document.problem
    trace = compute(problem)
    assert np.allclose(drawn(person, "weights")[0], problem.value[:, 1])
    person.pick("gradient", "weighted")
    settle(person)
    cotangent = np.zeros_like(trace["head_output"])
    cotangent[0, 0, 0] = trace["head_output"][0, 0, 0]
    exact = sensitivity(trace, "head_output", cotangent=cotangent)
    assert np.allclose(np.array(person.numbers("key"), float), exact["key"])
    person.size("n", 3)
    settle(person)
    assert np.array(person.numbers("query"), float).shape[0] == 3
    assert person.program.view.shown.kind == "gradient"

    person.again("tables of gradients are read only and show the way back")
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    person.press("Ctrl+7")
    settle(person)
    kept = person.program.document.problem.query.copy()
    person.go_to("query", 0, 0)
    person.type("5")
    assert np.array_equal(person.program.document.problem.query, kept)
    person.click(person.button("Show the present state", "zone.inputs"))
    assert person.program.view.look.compare == "now"

    person.again("the figure of a gradient is exported")
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    person.press("Ctrl+7")
    settle(person)

    def export(dialog):
        assert dialog.compare.currentData() == "gradient"
        dialog.set_choice(dialog.result_choice().__class__(**{**vars(dialog.result_choice()), "folder": str(tmp_path),
                                                              "format": "svg"}))  # fmt: skip
        dialog.accept()

    person.answering(ExportDialog, export, lambda: person.do("export_image"))
    person.wait()
    (path,) = tmp_path.glob("*.svg")
    assert "gradient" in path.name
    assert "gradient of O[1, 0]" in path.read_text(encoding="utf-8")

    person.again("an exercise is not given away")
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    person.press("Ctrl+7")
    settle(person)
    person.do("leave_out")
    assert person.program.view.look.compare == "now"
    assert not person.action("show_gradient").isEnabled()

    person.again("a table that comes while the gradient is of the numbers before waits for its own")
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    # The walk met it in a longer problem, whose passes run beside the window.
    person.press("Ctrl+7")
    settle(person)
    monkeypatch.setattr(computation, "is_quickly_computed", lambda _problem: False)
    person.do("head_norms")
    settle(person)
    problem = person.program.document.problem
    exact = sensitivity(compute(problem), "head_output", (0, 0, 1, 0))
    assert np.array_equal(np.array(person.numbers("query_norm"), float).ravel(), exact["query_norm"])


def test_a_long_problem_is_drawn_beside_the_window(launch, tmp_path):
    random = np.random.default_rng(0).standard_normal
    problem = Problem(**{name: random((1500, 4)) for name in ("query", "key", "value")})
    path = tmp_path / "long.npz"
    save(problem, path)
    person = launch(path)
    person.wait()
    person.program.view.set(stage="head_output", cell=ChosenCell("head_output", 700, 1))
    person.pick("compare", "gradient")
    settle(person)
    exact = sensitivity(compute(problem), "head_output", (0, 0, 700, 1))
    assert person.number("value", 1, 1) == exact["value"][1, 1]
    assert person.value("weights", 700, 3) == problem.value[3, 1]
    assert person.value("weights", 699, 3) == 0
    person.type_into("query", 0, 0, "1")  # it offers the way back
    person.press("Ctrl+3")
    settle(person)
    assert person.number("value", 1, 1) == problem.value[1, 1]


def test_a_gradient_of_the_numbers_before_is_not_laid_over_those_of_another_size(launch, tmp_path, monkeypatch):
    """It ends in the very moment in which the other numbers are there, and nobody is told of them yet."""
    numbers = np.random.default_rng(0).standard_normal((500, 32))
    path = tmp_path / "large.npz"
    save(Problem(query=numbers, key=numbers, value=numbers, num_heads=4), path)
    person = launch(path)
    person.wait()
    gate, over, laid, take, view = Gate(), threading.Event(), [], gradients._taken, person.program.view

    def taken(*given):
        gate.hold()
        try:
            return take(*given)
        finally:
            over.set()

    def end_now(_opened):
        gate.open()
        assert over.wait(PATIENCE)
        while person.program.late.gradients._taking.busy:
            QApplication.sendPostedEvents(None, QEvent.Type.MetaCall.value)

    lay = view.set_overlay

    def watched(face):
        if face is not None:
            laid.append((face.problem.n, person.program.computation.evaluation.problem.n))
        lay(face)

    monkeypatch.setattr(gradients, "_taken", taken)
    view.set(cell=ChosenCell("weights", 20, 30))
    monkeypatch.setattr(view, "set_overlay", watched)
    person.pick("compare", "gradient")
    gate.await_work()
    person.program.computation.rebuilt.connect(end_now)
    fewer = numbers[:430]
    person.program.document.apply(SetFields({"query": fewer, "key": fewer, "value": fewer}, Label("fewer")))
    settle(person)
    assert laid == [(430, 430)]


def test_the_head_is_named_where_every_head_has_a_cell_of_that_name(launch):
    """The number that it is largest by counts over all heads; of A[0, 1] there were two."""
    rows = np.arange(12.0).reshape(3, 4) / 10
    person = launch()
    person.again("two heads", Problem(query=rows, key=rows, value=rows, num_heads=2))
    person.program.view.set(head=1, stage="weights", cell=ChosenCell("weights", 2, 1), compare="gradient")
    settle(person)
    assert "the gradient of A[2, 1] (head 1) = " in said(person)
    person.again("one head", Problem(query=rows, key=rows, value=rows))
    person.program.view.set(stage="weights", cell=ChosenCell("weights", 2, 1), compare="gradient")
    settle(person)
    assert "the gradient of A[2, 1] = " in said(person)


def test_the_maps_of_a_gradient_come_from_behind_a_large_page(person):
    """A step of a lesson shows a page in their place, and says that Ctrl+7 puts the gradient on all maps."""
    person.do("sqrt_d_k")
    person.click("button.page_large")
    assert not person.find("heatmap.head_output").isVisible()
    person.press("Ctrl+7")
    settle(person)
    assert person.find("comparison").isVisible()
    assert person.find("heatmap.head_output").isVisible()
    assert not person.find("heatmap.head_output").visibleRegion().isEmpty()
