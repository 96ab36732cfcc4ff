"""Gradients in the place of the numbers and on their page: one switch, finite differences beside them, in files too."""

from __future__ import annotations

import threading
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from attn_gui import render
from attn_gui.app.maps import gradients
from attn_gui.app.state import computation
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem, compute, sensitivity
from attn_gui.formats import save
from attn_gui.views.dialogs.export_dialog import ExportDialog
from tests.journeys.gate import PATIENCE, Gate

SMALL = "worked-example.npz"


def drawn(person, stage):
    return np.array(person.values(stage))


def said(person):
    return person.find("comparison").text()


@pytest.fixture
def person(launch):
    person = launch(SMALL)
    person.choose_cell("head_output", 1, 0)
    return person


def test_one_switch_puts_gradients_on_maps_and_tables_and_takes_them_away(person, tmp_path, monkeypatch):
    problem = person.program.document.problem
    before = drawn(person, "weights"), person.numbers("query")
    exact = sensitivity(compute(problem), "head_output", (0, 0, 1, 0))
    person.press("Ctrl+7")
    person.settle("gradients")
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
    person.settle("gradients")
    assert np.array_equal(drawn(person, "weights"), before[0])
    assert person.numbers("query") == before[1]
    assert not person.find("comparison").isVisible()
    assert not person.window.isWindowModified()

    person.again("another cell another sum and another size take another gradient")
    person.choose_cell("head_output", 1, 0)
    person.pick("compare", "gradient")
    person.settle("gradients")
    person.click_cell("head_output", 0, 1)
    person.settle("gradients")
    problem = person.program.document.problem
    trace = compute(problem)
    assert np.allclose(drawn(person, "weights")[0], problem.value[:, 1])
    person.pick("gradient", "weighted")
    person.settle("gradients")
    cotangent = np.zeros_like(trace["head_output"])
    cotangent[0, 0, 0] = trace["head_output"][0, 0, 0]
    exact = sensitivity(trace, "head_output", cotangent=cotangent)
    assert np.allclose(np.array(person.numbers("key"), float), exact["key"])
    person.size("n", 3)
    person.settle("gradients")
    assert np.array(person.numbers("query"), float).shape[0] == 3
    assert person.program.view.shown.kind == "gradient"

    person.again("tables of gradients are read only and show the way back")
    person.choose_cell("head_output", 1, 0)
    person.press("Ctrl+7")
    person.settle("gradients")
    kept = person.program.document.problem.query.copy()
    person.go_to("query", 0, 0)
    person.type("5")
    assert np.array_equal(person.program.document.problem.query, kept)
    person.click(person.button("Show the present state", "zone.inputs"))
    assert person.program.view.look.compare == "now"

    person.again("the figure of a gradient is exported")
    person.choose_cell("head_output", 1, 0)
    person.press("Ctrl+7")
    person.settle("gradients")

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
    person.choose_cell("head_output", 1, 0)
    person.press("Ctrl+7")
    person.settle("gradients")
    person.do("leave_out")
    assert person.program.view.look.compare == "now"
    assert not person.action("show_gradient").isEnabled()

    person.again("a table that comes while the gradient is of the numbers before waits for its own")
    person.choose_cell("head_output", 1, 0)
    # The walk met it in a longer problem, whose passes run beside the window.
    person.press("Ctrl+7")
    person.settle("gradients")
    monkeypatch.setattr(computation, "is_quickly_computed", lambda _problem: False)
    person.do("head_norms")
    person.settle("gradients")
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
    person.settle("gradients")
    exact = sensitivity(compute(problem), "head_output", (0, 0, 700, 1))
    assert person.number("value", 1, 1) == exact["value"][1, 1]
    assert person.value("weights", 700, 3) == problem.value[3, 1]
    assert person.value("weights", 699, 3) == 0
    person.type_into("query", 0, 0, "1")  # it offers the way back
    person.press("Ctrl+3")
    person.settle("gradients")
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
    person.settle("gradients")
    assert laid == [(430, 430)]


def test_the_head_is_named_where_every_head_has_a_cell_of_that_name(launch):
    """The number that it is largest by counts over all heads; of A[0, 1] there were two."""
    rows = np.arange(12.0).reshape(3, 4) / 10
    person = launch()
    person.again("two heads", Problem(query=rows, key=rows, value=rows, num_heads=2))
    person.program.view.set(head=1, stage="weights", cell=ChosenCell("weights", 2, 1), compare="gradient")
    person.settle("gradients")
    assert "the gradient of A[2, 1] (head 1) = " in said(person)
    person.again("one head", Problem(query=rows, key=rows, value=rows))
    person.program.view.set(stage="weights", cell=ChosenCell("weights", 2, 1), compare="gradient")
    person.settle("gradients")
    assert "the gradient of A[2, 1] = " in said(person)


def test_the_maps_of_a_gradient_come_from_behind_a_large_page(person):
    """A step of a lesson shows a page in their place, and says that Ctrl+7 puts the gradient on all maps."""
    person.do("sqrt_d_k")
    person.click("button.page_large")
    assert not person.find("heatmap.head_output").isVisible()
    person.press("Ctrl+7")
    person.settle("gradients")
    assert person.find("comparison").isVisible()
    assert person.find("heatmap.head_output").isVisible()
    assert not person.find("heatmap.head_output").visibleRegion().isEmpty()


def settled(reader):
    """What the page shows once it is there."""
    reader.settle("pages")
    return reader.find("page.gradient_maps").content


def by_name(shown):
    return {one.name: one.cells for one in shown.maps}


def choose_and_open(reader):
    reader.click_cell("weights", 1, 0)
    reader.do("gradient_maps")


@pytest.fixture
def reader(launch):
    return launch("worked-example.npz").beginning(choose_and_open)


def test_it_shows_the_gradient_of_the_chosen_cell_and_follows_an_edit_and_a_click(reader):
    for value in (None, "7"):
        if value is not None:
            reader.type_into("query", 1, 2, value)
        shown, trace = settled(reader), compute(reader.program.document.snapshot())
        exact, a = sensitivity(trace, "weights", (0, 0, 1, 0)), trace["weights"][0, 0, 1]
        assert shown.name == "A[1, 0]"
        assert by_name(shown)["key"].tolist() == exact["key"].tolist()
        assert by_name(shown)["query"][0].tolist() == exact["query"][1].tolist()
        assert by_name(shown)["scaled"][0] == pytest.approx([a[0] * (1 - a[0]), -a[0] * a[1]], abs=1e-16)
        for one in shown.checked:
            assert one.exact == exact[one.field][one.index]
            assert one.by_difference == pytest.approx(one.exact, rel=1e-7)

    reader.again("a click on a gradient chooses the cell that it is by")
    shown = settled(reader)
    number = [one.name for one in shown.maps].index("key")
    canvas = reader.find("page.gradient_maps").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(number, 1, 2).toPoint())
    assert reader.program.view.look.cell[:3] == ("key", 1, 2)
    assert settled(reader).name == "K[1, 2]"

    reader.again("a row has no gradient in sum and one weighted by itself")
    settled(reader)
    reader.choose(reader.find("page.gradient_maps.of", QComboBox), "sum")
    shown = settled(reader)
    assert shown.value == pytest.approx(1.0)  # weights add up to one, whatever the numbers are
    assert max((abs(one.exact) for one in shown.checked), default=0.0) < 1e-15
    reader.choose(reader.find("page.gradient_maps.of", QComboBox), "weighted")
    reader.choose(reader.find("page.gradient_maps.by", QComboBox), "tables")
    shown, trace = settled(reader), compute(reader.program.document.snapshot())
    cotangent = np.zeros((1, 1, 2, 2))
    cotangent[0, 0, 1] = trace["weights"][0, 0, 1]
    exact = sensitivity(trace, "weights", cotangent=cotangent)
    assert shown.value == pytest.approx((trace["weights"][0, 0, 1] ** 2).sum() / 2)
    for field in ("query", "key", "value"):
        assert by_name(shown)[field].tolist() == exact[field].tolist()
    assert "V" in reader.find("page.gradient_maps").canvas.accessibleDescription().split("does not change with")[1]


def test_the_columns_of_the_head_on_show_are_shown(launch):
    reader = launch("minilm-layer2.npz")
    reader.click_cell("head_output" if reader.find("heatmap.head_output").isVisible() else "weights", 10, 3)
    reader.do("gradient_maps")
    shown, look = settled(reader), reader.program.view.look
    exact = sensitivity(compute(reader.program.document.snapshot()), look.cell.stage, (0, look.head, 10, 3))
    mine = slice(32 * look.head, 32 * look.head + 32)
    assert by_name(shown)["key"] == pytest.approx(exact["key"][:, mine], abs=1e-12)
    assert np.abs(np.delete(exact["key"], np.r_[mine], axis=1)).max() == 0


def test_tiny_gradients_are_written_with_their_power_of_ten_and_long_maps_in_blocks(tmp_path):
    random = np.random.default_rng(4).standard_normal
    problem = Problem(**{name: 3 * random((3000, 16)) for name in ("query", "key", "value")})
    render(problem, tmp_path / "a.svg", picture="gradient_maps", cell=(1500, 3), set={"by": "tables"})
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "Of each block of a large map the gradient of largest magnitude." in " ".join(texts)
    assert any("e−" in text for text in texts)
