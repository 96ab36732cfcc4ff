"""Two states beside one another, pinned or ready made, in maps, tables and inspector; cells taken from one of them."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QSlider, QToolBar

from attn_gui.document.edits import Label, SetCells, SetFields
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.engine import Problem, compute, new_problem
from attn_gui.engine.analysis.head_readings import READINGS, rows_of
from attn_gui.figure.operands import stage_plane
from attn_gui.formats import save
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.head_strip import HeadThumb
from attn_gui.views.inspector.cell_relations import number
from attn_gui.views.map.map_drawing import MapDrawing, MapState
from attn_gui.views.map.thumbnail import Thumbnail

LEFT = Qt.MouseButton.LeftButton
H, N, M, D, V = 2, 5, 7, 3, 4
ROWS = ("query", "key", "value")


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


def test_a_pinned_state_stays_beside_the_present_one(person, problem, tmp_path):
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

    person.again("an edit moves the difference by its own cells")
    person.do("pin")
    person.pick("compare", "difference")
    assert not drawn(person, "scores").any()
    assert person.find("heatmap.scores").levels.symmetric
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

    person.again("tables show the other state and refuse to be typed into")
    person.do("pin")
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

    person.again("one number set by hand before is shown where there are several now")
    one = {"kind": "set", "stage": "scores", "values": 0.625}
    person.program.document.apply(SetFields({"interventions": (one,)}, Label("one")))
    person.do("pin")
    several = {**one, "values": np.zeros((N, M))}
    person.program.document.apply(SetFields({"interventions": (several,)}, Label("several")))
    person.do("show_before")
    model = person.find("table.interventions.0.values").model()
    assert [model.rowCount(), model.columnCount()] == [1, 1]
    assert model.index(0, 0).data(MatrixModel.ValueRole) == 0.625

    person.again("states of other shapes are not compared")
    person.do("pin")
    person.pick("compare", "difference")
    person.size("n", N + 1)
    assert "other shapes" in said(person)
    assert person.find("heatmap.weights").shape == (N + 1, M)
    person.do("undo")
    assert said(person).startswith("Shown: the difference")

    person.again("numbers are typed into now where it is shown for want of another state")
    person.do("pin")
    person.go_to("query", 0, 0)
    person.do("insert_rows")
    person.wait()
    person.pick("compare", "difference")
    assert "cannot be compared" in said(person)
    person.choose_cell("scores", 1, 1)
    person.type("-7", end="Return")
    assert person.value("scores", 1, 1) == -7

    person.again("a comparison costs at most one more repaint")
    # Of the large map, from the edit until nothing waits to be painted.
    heatmap = person.find("heatmap.weights")
    heatmap.overlay.clear_flash()
    person.do("pin")
    counts = {}
    for mode in ("now", "difference", "wipe", "side_by_side"):
        person.pick("compare", mode)
        model = person.program.first.tables.models["query"]
        QApplication.processEvents()
        paints = Paints(heatmap)
        model.typed.emit(2, 1, 0.5 + len(counts))
        heatmap.overlay.clear_flash()  # which fades by paints of its own
        QApplication.processEvents()
        counts[mode] = paints.count
    assert counts["now"] >= 1
    assert max(counts.values()) <= counts["now"] + 1

    person.again("a table of two states is empty where one of them is gone")
    row = {"kind": "set", "stage": "scores", "at": {"head": 0, "query": 1}}
    for values in (0.5, np.arange(M) / 8):
        record = {**row, "values": values}
        person.program.document.apply(SetFields({"interventions": (record,)}, Label("by hand")))
    person.do("pin")
    person.pick("compare", "difference")
    model = person.find("table.interventions.0.values").model()
    person.program.document.stack.undo()
    assert model.cell(0, 1)[0] == ""
    person.wait()
    batch = {name: np.stack([array, array]) for name, array in problem.arrays().items() if name in ROWS}
    person.program.document.open(problem.replace(**batch, mask=()))
    person.wait()
    person.do("pin")
    person.program.view.set(batch=1, compare="before")
    read = person.program.first.tables.states.reader("query", lambda: None)
    assert read().shape == (N, H * D)
    person.program.view.look = replace(person.program.view.look, batch=2)
    assert read() is None

    person.again("another document is not compared with the pinned one")
    person.do("pin")
    save(problem.replace(scale=2.0), tmp_path / "other.npz")
    person.open(tmp_path / "other.npz")
    person.wait()
    assert not person.find("comparison").isVisible()
    assert not person.action("show_wipe").isEnabled()


def test_a_ready_made_comparison_is_shown_in_every_mode_and_goes_with_what_it_shows(person, problem, qtbot):
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

    person.again("both languages say what is compared")
    ready(person, "with-mask")
    person.pick("compare", "difference")
    person.do("language_zh")
    QApplication.processEvents()
    assert said(person) == "显示的是差异：有掩码 − 无掩码。"
    assert person.find("control.compare", QComboBox).itemText(2) == "差异"
    person.click_cell("weights", 0, M - 1)
    assert "→ 已屏蔽" in person.window.place.text()
    person.do("language_en")

    person.again("split maps show before left of the bar and now right of it")
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

    person.again("the left half of a split follows edits where it is ready made")
    ready(person, "with-mask")
    person.pick("compare", "wipe")
    person.type_into("query", 2, 0, "4")
    query = problem.query.copy()
    query[2, 0] = 4
    edited = problem.replace(query=query)
    before, now = (compute(state)["weights"][0, 0] for state in (edited.replace(mask=()), edited))
    shown, sure = drawn(person, "weights"), np.arange(M) != M // 2  # whose middle lies under the bar
    assert np.array_equal(shown[:, sure], np.where(np.arange(M) < 3, before, now)[:, sure])
    for column in (1, 5):
        painted, answered = person.pixel("weights", 2, column)
        assert painted == answered

    person.again("split maps that undo takes away go without an error")
    for larger in ("head_duplicate", "output_projection", "softcap"):
        person.do(larger)
        person.wait()
        ready(person, "with-mask")
        person.do("show_wipe", "undo")
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        person.wait()
        person.type_into("query", 0, 0, "2")
        person.wait()
        assert person.program.view.look.compare == "wipe"
        person.do("show_now", "undo")

    person.again("a comparison asked for beside a gradient is shown")
    person.click_cell("weights", 1, 1)
    person.do("show_gradient")
    person.wait()
    ready(person, "with-scale")
    person.wait()
    assert person.program.view.look.compare == "side_by_side"
    assert person.find("heatmap.before").isVisible()

    person.again("the reach of now is not laid over the state before")
    person.choose_cell("key", 6, 1)
    person.do("show_reach")
    ready(person, "with-mask")
    for mode, veiled in (("now", True), ("before", False), ("now", True)):
        person.pick("compare", mode)
        person.window.repaint()
        for _ in range(5):
            QApplication.processEvents()
        marks = [drawing.overlay.marks.reached for drawing in person.window.findChildren(MapDrawing)]
        assert any(areas is not None for areas in marks) == veiled

    person.again("readings of the state before follow its own numbers")
    every = [{"kind": "set", "stage": "weights", "values": np.full((N, M), 1 / M)}]
    person.program.document.apply(SetFields({"interventions": tuple(every)}, Label("by hand")))
    ready(person, "with-interventions")
    person.pick("compare", "before")
    person.do("reading_largest")

    def below():
        return [thumb.accessibleName() for thumb in person.find("heads.weights").findChildren(HeadThumb)]

    def true():
        person.wait()
        evaluation, reading = person.program.view.explained, READINGS["largest"]
        rows = [partial(rows_of, evaluation, 0, head) for head in range(H)]
        wanted = [reading.written(reading.measure(evaluation.problem, each)) for each in rows]
        return all(f" {text}" in name for text, name in zip(wanted, sorted(below()), strict=True))

    qtbot.waitUntil(true)
    old = below()
    person.program.document.apply(SetCells("query", (slice(0, 5), slice(0, 6)), np.full((5, 6), 3.0), Label("edit")))
    qtbot.waitUntil(true)
    assert below() != old

    person.again("split maps of one document are painted while the maps of the next come one by one")
    # The left halves were still of other sizes then; the walk met it where a model was opened.
    ready(person, "with-scale")
    person.do("show_wipe")
    person.action("known_toy_induction").trigger()
    person.wait()
    assert person.program.document.study is not None


class Paints(QObject):
    """Counts how often a map is painted."""

    def __init__(self, heatmap):
        super().__init__(heatmap)
        self.count = 0
        heatmap.installEventFilter(self)

    def eventFilter(self, _watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


class Clicks:
    """A person who counts: every press of the mouse, a choice from a menu or list being two."""

    def __init__(self, person):
        self.person, self.count = person, 0

    def menu(self, name):
        action = self.person.window.findChild(QAction, f"action.{name}")
        assert action.isEnabled(), f"{name} is grey"
        self.count += 2
        action.trigger()

    def tool(self, name):
        bar = self.person.find("toolbar", QToolBar)
        self.count += 1
        self.person.click(bar.widgetForAction(self.person.action(name)))

    def cell(self, *place):
        self.count += 1
        self.person.click_cell(*place)

    def pick(self, name, key):
        self.count += 2
        self.person.pick(name, key)

    def button(self, button):
        self.count += 1
        self.person.click(button)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_with_and_without_the_root_is_explained_and_exported_in_five_clicks(launch, lang, tmp_path):
    person = launch("minilm-layer2.npz", lang=lang)
    person.program.settings.put("export_image", {"folder": str(tmp_path), "format": "svg"})
    problem, head = person.program.document.problem, person.program.view.look.head
    weights = [compute(state)["weights"][0, head, 10, 13] for state in (problem.replace(scale=1.0), problem)]
    clicks = Clicks(person)
    clicks.menu("compare_with_scale")
    clicks.cell("weights", 10, 13)
    told = person.explanation()
    assert all(number(weight) in told for weight in weights)

    def save_it(dialog):
        assert dialog.compare.currentData() == "side_by_side", "what is on show is proposed"
        clicks.button(dialog.buttons.button(dialog.buttons.StandardButton.Save))

    person.answering(ExportDialog, save_it, lambda: clicks.tool("export_image"))
    person.wait()
    (path,) = tmp_path.glob("*.svg")
    assert path.name == f"minilm-layer2-weights-h{head}-before-now.svg"
    text = path.read_text(encoding="utf-8")
    assert all(name in text for name in (("without scaling", "with scaling") if lang == "en" else ("无缩放", "有缩放")))
    assert clicks.count <= 5
    assert not person.window.isWindowModified()


def test_a_head_is_switched_off_its_effect_read_and_other_problems_are_compared(launch, problem):
    person = launch("smollm2-layer10.npz")
    own = person.program.document.problem
    person.show_stage("output" if own.w_output is not None else "concat")
    stage = person.program.view.look.stage
    now = compute(own)[stage][0]
    ready(person, "with-head")
    person.pick("compare", "difference")
    mine = person.program.computation.evaluation.head_columns("concat", person.program.view.look.head)
    change = drawn(person, stage)
    assert np.array_equal(change[:, mine], now[:, mine]), "without W_O the output is the joined heads"
    assert not np.delete(change, np.arange(mine.start, mine.stop), axis=1).any()
    person.click_cell(stage, 3, mine.start)
    assert f"0 → {now[3, mine.start]:.6f}".replace("-", "−") in person.window.place.text()
    person.do("unpin")
    assert np.array_equal(drawn(person, stage), now)
    assert not person.window.isWindowModified()

    # a full a large and a growing problem are compared
    at = [{"query": row, "key": column} for row in range(N) for column in range(M)]
    full = [{"kind": "scale", "stage": "scores", "at": each, "factor": 2.0} for each in at * 8][:256]
    person.again("a head that cannot be switched off beside what is set by hand", problem.replace(interventions=full))
    ready(person, "with-head")
    assert "256" in said(person)
    person.program.document.apply(SetFields({"interventions": tuple(full[1:])}, Label("one less")))
    person.wait()
    assert "256" not in said(person)
    assert person.program.baseline.comparable
    person.program.document.stack.undo()
    person.wait()
    assert "256" in said(person)

    # tables of a difference take no memory of their own
    # Of a mask of 30,000 tokens it was 7 GB, on the window's thread, unweighed.
    allowed, ones = np.tri(1200, dtype=bool), np.ones((1200, 1))
    large = Problem(query=ones, key=ones, value=ones, mask=[{"kind": "custom", "allowed": allowed}])
    person.again("tables of a difference take no memory of their own", large)
    person.do("pin")
    person.type_into("mask.0.allowed", 0, 0, "0")
    person.pick("compare", "difference")
    person.wait()
    tracemalloc.start()
    person.program.first.tables.show()
    person.table("mask.0.allowed").grab()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert person.number("mask.0.allowed", 0, 0) == -1
    assert peak < 2 * allowed.size

    # a map out of sight that shows an item that is gone is not split
    small = new_problem("direct", n=3, m=3, num_heads=2, d_k=3, d_v=3, fill="random")
    person.again("a map out of sight that shows an item that is gone is not split", small)
    person.size("batch_size", 2)
    person.wait()
    out_of_sight = Thumbnail(person.window)
    out_of_sight.set_shown(MapState(plane=stage_plane(person.program.view.shown, "weights", 1, 0)))
    ready(person, "with-scale")
    person.do("show_wipe")
    assert out_of_sight.drawing.split is not None
    person.do("undo")
    person.wait()
    assert person.program.view.look.compare == "wipe"
    assert out_of_sight.drawing.split is None


def test_cells_of_the_pinned_state_come_back(launch):
    person = launch("worked-example.npz")
    person.click_cell("weights", 0, 0)
    assert not person.action("take_before").isEnabled(), "there is no other state"
    before = np.array(person.values("weights"))
    person.do("pin")
    person.wait()
    person.type_into("query", 1, 0, "7")
    person.wait()
    moved = np.array(person.values("weights"))
    assert not np.array_equal(moved[1], before[1])
    for mode in ("show_now", "show_before", "show_difference", "show_side_by_side", "show_wipe"):
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

    person.again("a matrix that is given takes the numbers themselves")
    person.do("pin")
    person.wait()
    old = person.number("query", 1, 0)
    person.type_into("query", 1, 0, "7")
    person.wait()
    person.choose_cell("query", 1, 0)
    person.do("take_before")
    person.wait()
    assert person.number("query", 1, 0) == old
    assert person.program.document.problem.interventions == ()

    person.again("a step that the other state has not takes what stands there before")
    person.do("pin", "masks")
    person.window.mask_panel.add_layer("causal")
    person.window.mask_panel.close_panel()
    person.wait()
    before = np.array(person.values("scaled"))
    person.choose_cell("masked", 0, 1)
    person.do("take_before")
    person.wait()
    assert np.array(person.values("masked"))[0, 1] == before[0, 1]
    (record,) = person.program.document.problem.interventions
    assert (record.kind, record.stage) == ("set", "masked")
