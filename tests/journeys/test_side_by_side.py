"""Both states beside each other, as a person opens, reads, edits and leaves them."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.sweep import MapRow, read_d_k, seeded, two_states
from attn_gui.formats import save
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.product.map_labels import ROWS, UPRIGHT
from attn_gui.views.widgets import Veil

LEFT = Qt.MouseButton.LeftButton
N, WIDTH = 16, 64
MINILM = "minilm-layer2.npz"


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((N, 512)), rng.standard_normal((N, 512))
    return Problem(query=query[:, :WIDTH], key=key[:, :WIDTH], value=rng.standard_normal((N, 4)))


@pytest.fixture
def person(launch, problem, tmp_path):
    save(problem, tmp_path / "seed.npz")
    return launch(tmp_path / "seed.npz")


def both(person):
    return [person.find(f"heatmap.{name}") for name in ("before", "weights")]


def drawn(heatmap):
    rows, columns = heatmap.shape
    return heatmap.plane.block(slice(0, rows), slice(0, columns))[0].astype(float)


def weights(problem):
    return [compute(state)["weights"][0, 0] for state in (problem.replace(scale=1.0), problem)]


def seen_whole(widget):
    """Whether every pixel of a widget is in sight."""
    return widget.visibleRegion().boundingRect() == widget.rect()


def painted(heatmap, row, column):
    place = heatmap.cell_rect(row, column)
    image = heatmap.grab().toImage()
    return image.pixelColor((place.center().toPointF() * image.devicePixelRatio()).toPoint())


def numbers(person):
    """Variance, entropy and gradient of both states as they are written."""
    names = [f"width.{name}.{state}" for name in ("variance", "entropy", "gradient") for state in ("before", "now")]
    return [float(person.find(name).text()) for name in names]


def wanted(problem, row):
    before, now = (read_d_k(state, MapRow(query=row)) for state in two_states(problem))
    places = (2, 2, 3)
    return [
        round(number, digits)
        for pair, digits in zip(zip(before, now, strict=True), places, strict=True)
        for number in pair
    ]


def veiled(person):
    """Whether all that tells of the document's numbers is covered, or nothing of it is."""
    panels = person.window.spine, person.window.inputs, person.window.inspector, person.window.place
    areas = [
        QRect(veil.mapTo(person.window, QPoint()), veil.size())
        for veil in person.window.findChildren(Veil)
        if veil.isVisible()
    ]
    places = [QRect(panel.mapTo(person.window, QPoint()), panel.size()) for panel in panels]
    covered = {any(area.contains(place) for area in areas) for place in places}
    assert len(covered) == 1
    return covered.pop()


def test_scaling_opens_two_whole_maps_that_are_read_edited_slid_and_left(person, problem, tmp_path):
    person.program.settings.put("export_image", {"folder": str(tmp_path), "format": "svg"})
    person.do("compare_with_scale")
    person.do("values")  # numbers would stand where pixels are looked at
    left, right = both(person)
    assert seen_whole(left)
    assert seen_whole(right)
    assert left.size() == right.size()
    assert left.geometry().right() < right.geometry().left()
    for heatmap, expected in zip((left, right), weights(problem), strict=True):
        shown = drawn(heatmap)
        assert np.array_equal(shown, expected)
        assert np.allclose(shown.sum(axis=1), 1, atol=1e-12), "each row is a whole softmax"
        assert heatmap.levels == right.levels
        for column in range(0, N, 5):
            assert painted(heatmap, 10, column) == heatmap.cell_at(10, column)[1]
    assert person.number("query", 10, 0) == problem.query[10, 0], "the tables show numbers, not differences"

    QTest.mouseClick(left, LEFT, pos=left.cell_rect(10, 0).center())
    assert left.chosen == right.chosen == (10, 0)
    assert "0.9786" in person.explanation()
    assert "0.2866" in person.explanation()
    terms = person.find("inspector.terms").model()
    columns = [[terms.index(row, column).data() for row in range(2)] for column in (1, 2)]
    assert columns == [["0.9786", "0.0148"], ["0.2866", "0.1698"]]
    assert "a variance of about dₖ" in person.explanation()
    person.do("language_zh")
    assert "无缩放 0.9786" in person.explanation()
    person.do("language_en")
    left.setFocus()
    person.press("Down", "Right")
    assert left.chosen == right.chosen == (11, 1)
    for heatmap in (left, right):
        heatmap.setFocus()
        person.press("F2")
        assert "show Now first" in person.banner(), "no number is typed into either, and it is said why"
        person.find("banner").hide()

    person.turn_wheel(left, 4, left.cell_rect(4, 4).center())
    assert left.box.in_view == right.box.in_view != (0, N, 0, N)
    QTest.mouseDClick(right, LEFT, pos=right.cell_rect(4, 4).center())
    assert left.box.in_view == right.box.in_view == (0, N, 0, N)

    person.type_into("query", 3, 1, "2.5")
    query = problem.query.copy()
    query[3, 1] = 2.5
    edited = problem.replace(query=query)
    for heatmap, expected in zip(both(person), weights(edited), strict=True):
        assert np.allclose(drawn(heatmap), expected, rtol=0, atol=1e-15)
        assert painted(heatmap, 3, 0) == heatmap.cell_at(3, 0)[1]
    person.do("undo")

    person.click("comparison.wipe")
    assert person.find("control.wipe").isVisible()
    assert not left.isVisible()
    person.click("comparison.difference")
    before, now = weights(problem)
    assert np.array_equal(drawn(person.find("heatmap.weights")), now - before)
    person.click("comparison.side_by_side")
    assert np.array_equal(drawn(left), before)
    assert seen_whole(left)

    def save_it(dialog):
        assert dialog.compare.currentData() == "side_by_side"
        person.click(dialog.buttons.button(dialog.buttons.StandardButton.Save))

    person.answering(ExportDialog, save_it, lambda: person.do("export_image"))
    person.wait()
    (path,) = tmp_path.glob("*.svg")
    assert path.name == "seed-weights-h0-before-now.svg"
    assert all(name in path.read_text("utf-8") for name in ("without scaling", "with scaling"))

    QTest.mouseClick(left, Qt.MouseButton.LeftButton, pos=left.cell_rect(1, 0).center())
    assert person.focus() is left
    person.click("comparison.end")
    assert not left.isVisible()
    assert person.focus() is person.find("heatmap.weights"), "and not just any map"
    assert not person.find("comparison").isVisible()
    assert "a variance of about dₖ" not in person.explanation()
    assert seen_whole(person.find("heatmap.weights"))
    assert person.find("table.query").isVisible()
    assert np.array_equal(drawn(person.find("heatmap.weights")), now)

    person.again("any comparison can be seen side by side and of any stage")
    person.do("pin")
    person.type_into("key", 2, 1, "3")
    person.do("show_side_by_side")
    QTest.mouseClick(person.find("heatmap.before"), LEFT, pos=person.find("heatmap.before").cell_rect(1, 0).center())
    key = problem.key.copy()
    key[2, 1] = 3
    before, now = compute(problem), compute(problem.replace(key=key))
    for stage in ("scores", "head_output", "key", "weights"):
        person.show_stage(stage)
        left, right = person.find("heatmap.before"), person.find(f"heatmap.{stage}")
        for heatmap, trace in ((left, before), (right, now)):
            assert seen_whole(heatmap)
            assert np.array_equal(drawn(heatmap), np.squeeze(trace[stage]))
            assert heatmap.chosen == ((1, 0) if stage == "weights" else None), stage
        assert left.levels == right.levels
    person.do("all_stages")
    assert person.program.view.look.compare == "wipe", "of all stages at once both states are a wipe"
    assert person.find("heatmap.scores").isVisible()
    person.do("show_side_by_side")
    assert seen_whole(person.find("heatmap.before"))

    person.again("the list of the scale offers both states", "worked-example.npz")
    menu = person.find("menu.compare", QMenu)
    assert menu.actions()[0] == person.action("compare_with_scale"), "the menu begins with what can be compared"
    assert not person.action("compare_with_mask").isEnabled(), "there is none"
    person.find("control.scale").setFocus()
    person.pick("scale", "compared")
    assert person.program.view.look.compare == "side_by_side"
    assert person.find("control.scale").currentData() == "sqrt"
    assert seen_whole(person.find("heatmap.before"))
    assert not person.window.isWindowModified()
    person.click("comparison.end")
    assert person.find("heatmap.weights").hasFocus(), "and not the next in the order of Tab"
    person.do("compare_with_scale")
    person.again("head 3 of another document comes while both states of one with a single head are shown", MINILM)
    assert not person.find("heatmap.before").isVisible()

    rng = np.random.default_rng(6)
    arrays = {name: rng.normal(size=(5, 4)) for name in ("query", "key", "value")}
    own = Problem(**arrays, query_tokens=list("abcde"), key_tokens=[*"abcd", "a token as long as a sentence"])
    person.again("a drag of the slider hardens the weights and is one step that undo takes back", own)
    person.click_cell("weights", 3, 1)
    person.do("compare_with_scale")
    document = person.program.document
    steps = document.stack.count()
    slider, (left, right) = person.find("control.d_k_slider"), both(person)
    assert seen_whole(slider)
    assert {labels.way for labels in person.find("sides")._made_labels()} == {ROWS, UPRIGHT}
    assert slider.value() == 4
    source = person.find("control.width_of")
    assert source.currentText() == "this example"
    QTest.mouseClick(slider, LEFT, pos=QPoint(round(slider.x_of(4)), slider.height() // 4))
    assert document.stack.count() == steps, "pressed where it stands, it changes nothing"
    assert numbers(person) == wanted(own, 3)

    def at(width):
        return QPoint(round(slider.x_of(width)), slider.height() // 4)

    QTest.mousePress(slider, LEFT, pos=at(4))
    for width in (16, 64, 256):
        QTest.mouseMove(slider, at(width))
        QApplication.processEvents()
        width = slider.value()
        assert document.problem == own, "nothing is changed while it is drawn"
        for heatmap, expected_weights in zip((left, right), weights(seeded(width)), strict=True):
            assert np.array_equal(drawn(heatmap), expected_weights)
        assert numbers(person) == wanted(seeded(width), 3)
        assert left.box.in_view == right.box.in_view == (0, N, 0, N), "all of it is in view"
        assert veiled(person)
        assert source.currentText() == "random Q and K (seed 0)"
    assert "undo" in person.window.recomputed.text()
    QTest.mouseRelease(slider, LEFT, pos=at(256))
    person.wait()
    assert document.problem == seeded(width)
    assert document.stack.count() == steps + 1
    assert not veiled(person)
    assert person.table("query").model().columnCount() == width
    for heatmap, expected_weights in zip(both(person), weights(seeded(width)), strict=True):
        assert np.array_equal(drawn(heatmap), expected_weights)
        assert heatmap.chosen == (3, 1)
    _, now = weights(seeded(width))
    assert f"{now[3, 1]:.4f}" in person.explanation()

    person.overwrite(person.find("control.width"), "300")
    slider.setFocus()
    person.press("Left")
    assert document.problem == seeded(256), "an arrow goes to the next point of the curves"
    person.overwrite(person.find("control.width"), "37")
    assert document.problem == seeded(37)
    assert slider.value() == 37
    assert document.stack.count() == steps + 1, "all that is done here is one step"
    person.do("undo")
    assert document.problem == own
    assert source.currentText() == "this example"
    assert np.array_equal(drawn(person.find("heatmap.before")), weights(own)[0])
    assert slider.value() == 4

    QTest.mousePress(slider, LEFT, pos=at(4))
    QTest.mouseMove(slider, at(64))
    assert "undo" in person.window.recomputed.text()
    person.press("Esc")
    QTest.mouseRelease(slider, LEFT, pos=at(64))
    assert document.problem == own
    assert not veiled(person)
    assert "undo" not in person.window.recomputed.text(), "it said still what happens once the button is released"

    person.again("in large type both maps keep their height beside the slider", "worked-example.npz")
    person.program.appearance.step_zoom(3)  # 150 %
    person.window.resize(1366, 700)
    person.do("compare_with_scale")
    person.settle()
    slider, maps = person.find("control.d_k_slider"), both(person)
    for part in (slider, person.find("control.width"), *maps):
        assert seen_whole(part), part
    assert min(heatmap.cell_rect(0, 0).height() for heatmap in maps) > 36
    person.do("zoom_reset")
    person.settle()
    assert seen_whole(person.find("width.entropy.now"))
