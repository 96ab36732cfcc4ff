"""Two states beside one another, pinned or ready made, in maps, tables and inspector; cells taken from one of them."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QSlider

from attn_gui.engine import Problem, compute
from attn_gui.figure.text.number_formats import CellNumbers
from attn_gui.formats import save

LEFT = Qt.MouseButton.LeftButton
H, N, M, D, V = 2, 5, 7, 3, 4


@pytest.fixture
def problem():
    rng = np.random.default_rng(5)
    arrays = {name: rng.normal(size=shape) for name, shape in (("query", (N, H * D)), ("key", (M, H * D)))}
    return Problem(**arrays, value=rng.normal(size=(M, H * V)), num_heads=H, mask=[{"kind": "causal", "align": "end"}])


@pytest.fixture
def person(launch, problem, tmp_path):
    path = tmp_path / "two.npz"
    save(problem, path)
    return launch(path)


def ready(person, key):
    person.do(f"compare_{key.replace('-', '_')}")


def drawn(person, stage):
    return np.array(person.values(stage))


def said(person):
    return person.find("comparison").text()


def test_a_pinned_or_ready_made_state_is_shown_in_every_mode_and_gives_its_cells(person, problem, tmp_path):
    assert not person.action("show_before").isEnabled()
    person.do("pin")
    person.type_into("query", 3, 1, "2.5")
    query = problem.query.copy()
    query[3, 1] = 2.5
    before, now = compute(problem), compute(problem.replace(query=query))
    for mode, expected in (
        ("now", now["weights"][0, 0]),
        ("before", before["weights"][0, 0]),
        ("difference", now["weights"][0, 0] - before["weights"][0, 0]),
    ):
        person.pick("compare", mode)
        assert np.array_equal(drawn(person, "weights"), expected), mode
    person.click_cell("weights", 3, 1)
    old, new = (float(trace["weights"][0, 0, 3, 1]) for trace in (before, now))
    for text in (person.window.place.text(), person.find("inspector.compared", QLabel).text()):
        for one in (f"{old:.6f}", f"{new:.6f}", f"{new - old:+.6f}".replace("-", "−")):
            assert one in text
    person.do("unpin")
    assert person.find("control.compare", QComboBox).currentData() == "now"
    assert np.array_equal(drawn(person, "weights"), now["weights"][0, 0])
    assert not person.find("comparison").isVisible()
    assert not person.find("inspector.compared").isVisible()
    person.do("undo")

    # an edit moves the difference by its own cells
    person.do("pin")
    person.pick("compare", "difference")
    assert not drawn(person, "scores").any()
    assert person.find("heatmap.scores").levels.symmetric
    dotted = CellNumbers(0, weights=True)  # as in a difference that is not whole
    person.until(lambda: person.find("heatmap.weights").cells.numbers == dotted)
    person.press("Ctrl+3")
    person.type_into("key", 2, 4, "-3")
    person.press("Ctrl+5")
    key = problem.key.copy()
    key[2, 4] = -3
    now = compute(problem.replace(key=key))["output"][0] - compute(problem)["output"][0]
    assert np.array_equal(drawn(person, "output"), now)
    person.do("undo")
    assert not drawn(person, "output").any()
    person.choose_cell("scores", 0, 0)
    assert "(unchanged)" in person.window.place.text()

    # tables show the other state and refuse to be typed into
    person.press("Ctrl+3")
    person.type_into("query", 1, 1, "7")
    person.pick("compare", "before")
    assert person.number("query", 1, 1) == problem.query[1, 1]
    person.pick("compare", "difference")
    assert person.number("query", 1, 1) == 7 - problem.query[1, 1]
    assert person.number("query", 0, 0) == 0
    person.do("undo")
    assert person.number("query", 1, 1) == 0
    person.do("redo")
    assert person.number("query", 1, 1) == 7 - problem.query[1, 1]
    view = person.table("query")
    view.setFocus()
    view.setCurrentIndex(view.model().index(1, 1))
    person.type("3")
    person.click(person.button("Show the present state", person.window.inputs.panels["query"]))
    assert person.number("query", 1, 1) == 7
    assert person.find("control.compare", QComboBox).currentData() == "now"

    # states of other shapes are not compared
    person.do("pin")
    person.pick("compare", "difference")
    person.size("n", N + 1)
    assert "other shapes" in said(person)
    assert person.find("heatmap.weights").shape == (N + 1, M)
    person.do("undo")
    assert said(person).startswith("Shown: the difference")

    # another document is not compared with the pinned one
    person.program.document.mark_kept()  # nobody is asked
    save(problem.replace(scale=2.0), tmp_path / "other.npz")
    person.open(tmp_path / "other.npz")
    person.wait()
    assert not person.find("comparison").isVisible()
    assert not person.action("show_wipe").isEnabled()

    person.again("a ready made one goes with what it shows")
    person.click_cell("weights", 4, 2)
    ready(person, "with-scale")
    assert not person.window.isWindowModified()
    assert person.find("control.compare", QComboBox).currentData() == "side_by_side"
    person.pick("compare", "difference")
    assert said(person) == "Shown: the difference, with scaling − without scaling."
    unscaled = problem.replace(scale=1.0)
    assert np.array_equal(
        drawn(person, "weights"), compute(problem)["weights"][0, 0] - compute(unscaled)["weights"][0, 0]
    )
    person.press("Ctrl+3")
    person.type_into("query", 4, 0, "1.5")
    person.press("Ctrl+4")
    assert said(person).startswith("Shown: without scaling.")
    query = problem.query.copy()
    query[4, 0] = 1.5
    assert np.array_equal(drawn(person, "weights"), compute(unscaled.replace(query=query))["weights"][0, 0])
    assert f"{compute(unscaled.replace(query=query))['weights'][0, 0, 4, 2]:.4f}" in person.explanation()
    person.pick("scale", "none")
    person.press("Ctrl+5")
    assert not drawn(person, "weights").any(), "the document is without scaling now itself"

    person.again("what one state closes is told apart")
    ready(person, "with-mask")
    person.pick("compare", "difference")
    person.click_cell("weights", 0, M - 1)
    open_ = compute(problem.replace(mask=()))["weights"][0, 0, 0, M - 1]
    assert f"{open_:.6f} → not allowed" in person.window.place.text()
    assert np.array_equal(drawn(person, "masked"), compute(problem)["masked"][0, 0] - compute(problem)["scaled"][0, 0])

    # split maps show before left of the bar and now right of it
    ready(person, "with-scale")
    person.do("values")  # numbers would stand where pixels are looked at
    person.pick("compare", "wipe")
    before, now = compute(problem.replace(scale=1.0)), compute(problem)
    heatmap = person.find("heatmap.weights")

    def is_split(at):
        """Columns left of `at` are painted and answered as before, the others as now."""
        mixed = np.where(np.arange(M) < at, before["weights"][0, 0], now["weights"][0, 0])
        assert np.array_equal(drawn(person, "weights"), mixed)
        for column in {max(at - 1, 0), min(at, M - 1)}:
            painted, answered = person.pixel("weights", N - 1, column)  # which sees every key
            assert painted == answered

    slider = person.find("control.wipe", QSlider)
    assert slider.value() == 50
    slider.setFocus()
    person.press("PgDown", "Right", "Right", "Right")
    is_split(3)  # 43 % of seven columns
    assert heatmap.levels.high == 1.0
    cells, place = heatmap.placement.cells, heatmap.cell_rect(1, 5)
    press, aim = QPoint(cells.left() + round(0.43 * cells.width()), cells.center().y()), place.center()
    person.click_cell("weights", 1, 6)
    chosen = heatmap.chosen
    QTest.mousePress(heatmap, LEFT, pos=press)
    QTest.mouseMove(heatmap, QPoint(place.right(), aim.y()))
    QTest.mouseRelease(heatmap, LEFT, pos=QPoint(place.right(), aim.y()))
    is_split(6)
    assert heatmap.chosen == chosen, "who draws the bar chooses no cell"
    slider.setFocus()
    person.press("Home")
    is_split(0)
    person.press("PgUp", "Right", "Right", "Right", "Right")
    assert slider.value() == 14
    is_split(1)
    person.pick("compare", "now")
    assert np.array_equal(drawn(person, "weights"), now["weights"][0, 0])
    assert not slider.isVisible()

    person.again("cells of the pinned state come back", "worked-example.npz")
    person.click_cell("weights", 0, 0)
    assert not person.action("take_before").isEnabled(), "there is no other state"
    before = np.array(person.values("weights"))
    person.do("pin")
    person.wait()
    person.type_into("query", 1, 0, "7")
    person.wait()
    moved = np.array(person.values("weights"))
    assert not np.array_equal(moved[1], before[1])
    for mode in ("show_now", "show_before", "show_side_by_side"):
        person.do(mode)
        person.click_cell("weights", 1, 0)
        person.do("choose_row", "take_before")
        person.wait()
        person.do("show_now")
        assert np.array_equal(np.array(person.values("weights"))[1], before[1])
        assert [record.kind for record in person.program.document.problem.interventions] == ["set"]
        person.press("Ctrl+Z")
        person.wait()
        assert np.array_equal(person.values("weights"), moved)
