"""Gradients in the place of the numbers and on their page: one switch, finite differences beside them, in files too."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import Problem, compute, sensitivity
from attn_gui.views.dialogs.export_dialog import ExportDialog

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


def test_one_switch_puts_gradients_on_maps_and_tables_and_on_their_page_and_takes_them_away(person, tmp_path):
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

    # an exercise is not given away
    person.do("leave_out")
    assert person.program.view.look.compare == "now"
    assert not person.action("show_gradient").isEnabled()

    person.again("on their page")
    person.click_cell("weights", 1, 0)
    person.do("gradient_maps")
    for value in (None, "7"):
        if value is not None:
            person.type_into("query", 1, 2, value)
        shown, trace = settled(person), compute(person.program.document.snapshot())
        exact, a = sensitivity(trace, "weights", (0, 0, 1, 0)), trace["weights"][0, 0, 1]
        assert shown.name == "A[1, 0]"
        assert by_name(shown)["key"].tolist() == exact["key"].tolist()
        assert by_name(shown)["query"][0].tolist() == exact["query"][1].tolist()
        assert by_name(shown)["scaled"][0] == pytest.approx([a[0] * (1 - a[0]), -a[0] * a[1]], abs=1e-16)
        for one in shown.checked:
            assert one.exact == exact[one.field][one.index]
            assert one.by_difference == pytest.approx(one.exact, rel=1e-7)

    # a click on a gradient chooses the cell that it is by
    shown = settled(person)
    number = [one.name for one in shown.maps].index("key")
    canvas = person.find("page.gradient_maps").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(number, 1, 2).toPoint())
    assert person.program.view.look.cell[:3] == ("key", 1, 2)
    assert settled(person).name == "K[1, 2]"

    random = np.random.default_rng(0).standard_normal
    problem = Problem(**{name: random((1500, 4)) for name in ("query", "key", "value")})
    person.again("a long problem is drawn beside the window", problem)
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


def settled(person):
    """What the page shows once it is there."""
    person.settle("pages")
    return person.find("page.gradient_maps").content


def by_name(shown):
    return {one.name: one.cells for one in shown.maps}
