"""Where maps stand: small ones fill the window, and flipping from stage to stage overlays them."""

from __future__ import annotations

from itertools import product

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication

from attn_gui.formats import open_file
from attn_gui.paths import resource
from tests.seen import fault

WORKED, SENTENCE = "worked-example.npz", "minilm-layer2.npz"
CAUSAL = {"kind": "causal"}


def laid_out(person):
    person.wait()
    for _ in range(5):
        QApplication.processEvents()


def place(person, stage):
    """The pixels of the cells of a stage in the window, once that is shown."""
    person.show_stage(stage)
    laid_out(person)
    heatmap = person.find(f"heatmap.{stage}")
    assert not fault(heatmap)
    return QRect(heatmap.mapTo(person.window, heatmap.placement.cells.topLeft()), heatmap.placement.cells.size())


def test_examples_fill_a_small_screen_with_numbers_and_come_back_to_their_place(launch):
    person = launch(WORKED, lang="zh", width=1366, height=700)
    for lang, scheme in (("en", "dark"), ("zh", "light")):
        person.do(f"language_{lang}")
        person.do(f"theme_{scheme}")
        cells = place(person, "weights")
        assert min(cells.width(), cells.height()) >= 300
        for name in ("heatmap.weights", "operand.left", "operand.top", "operand.factor", "operand.result"):
            assert not fault(person.find(name))
            assert person.find(name).drawing.cells.numbers is not None, name
        assert not person.find("heads.weights").isVisible()
        assert not person.has("node.concat")

    person.again("a map comes back to its place after all stages and a zoom")
    before = place(person, "weights")
    person.do("all_stages")
    person.do("product")
    assert place(person, "weights") == before
    heatmap = person.find("heatmap.weights")
    heatmap.setFocus()
    person.press("+", "0")
    assert place(person, "weights") == before
    assert lined(person), "lines part large cells"

    person.again("a sentence of a real model shows its numbers", SENTENCE)
    assert not lined(person), "and not small ones"
    assert not fault(person.find("heads.weights"))
    for stage in ("weights", "scores"):
        assert place(person, stage).height() >= 16 * 18
    assert person.find("heatmap.weights").drawing.cells.numbers is not None  # scores have no room for a decimal


def test_maps_of_queries_and_keys_stand_at_one_place(launch):
    person = launch()
    stages = ("scores", "scaled", "biased", "masked", "weights")
    for example, lang in product((WORKED, SENTENCE), ("en", "zh")):
        problem = open_file(resource("examples", example)).problem
        person.again(example, problem.replace(mask=(CAUSAL, {"kind": "alibi"})))
        person.do(f"language_{lang}")
        for size in ((1440, 900), (1366, 700), (1024, 700)):
            person.window.resize(*size)
            laid_out(person)
            assert len({place(person, stage).getRect() for stage in stages}) == 1, (example, lang, size)


def lined(person):
    """Whether a line parts two cells."""
    heatmap = person.find("heatmap.weights")
    image, cell = heatmap.grab().toImage(), heatmap.cell_rect(0, 1)
    edge = image.pixelColor(cell.left(), cell.top() + 3)
    return edge != image.pixelColor(cell.left() + 1, cell.top() + 3)
