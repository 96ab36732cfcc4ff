"""Where maps stand: small ones fill the window, and flipping from stage to stage overlays them."""

from __future__ import annotations

from itertools import product

import pytest
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


@pytest.mark.parametrize(("lang", "scheme"), [("zh", "light"), ("en", "dark")])
def test_the_worked_example_fills_a_small_screen_with_numbers_in_all_its_cells(launch, lang, scheme):
    person = launch(WORKED, lang=lang, width=1366, height=700)
    person.do(f"theme_{scheme}")
    cells = place(person, "weights")
    assert min(cells.width(), cells.height()) >= 300
    for name in ("heatmap.weights", "operand.left", "operand.top", "operand.factor", "operand.result"):
        assert not fault(person.find(name))
        assert person.find(name).drawing.cells.numbers is not None, name
    assert not person.find("heads.weights").isVisible()
    assert not person.has("node.concat")


def test_a_sentence_of_a_real_model_shows_its_numbers_on_a_small_screen(launch):
    person = launch(SENTENCE, lang="zh", width=1366, height=700)
    assert not fault(person.find("heads.weights"))
    for stage in ("weights", "scores"):
        assert place(person, stage).height() >= 16 * 18
    assert person.find("heatmap.weights").drawing.cells.numbers is not None  # scores have no room for a decimal


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_maps_of_queries_and_keys_stand_at_one_place(launch, lang):
    person = launch(lang=lang)
    stages = ("scores", "scaled", "biased", "masked", "weights")
    for example, size in product((WORKED, SENTENCE), ((1440, 900), (1366, 700), (1024, 700))):
        problem = open_file(resource("examples", example)).problem
        person.again(example, problem.replace(mask=(CAUSAL, {"kind": "alibi"})))
        person.window.resize(*size)
        laid_out(person)
        assert len({place(person, stage).getRect() for stage in stages}) == 1, (example, size)


def test_a_map_comes_back_to_its_place_after_all_stages_a_page_and_a_zoom(launch):
    person = launch(WORKED, width=1366, height=700)
    before = place(person, "weights")
    person.do("all_stages")
    person.do("product")
    assert place(person, "weights") == before
    heatmap = person.find("heatmap.weights")
    heatmap.setFocus()
    person.press("+", "0")
    assert place(person, "weights") == before


def test_lines_part_large_cells_and_not_small_ones(launch):
    for example, lines in ((WORKED, True), (SENTENCE, False)):
        person = launch(example, width=1366, height=700)
        place(person, "weights")
        heatmap = person.find("heatmap.weights")
        image, cell = heatmap.grab().toImage(), heatmap.cell_rect(0, 1)
        edge = image.pixelColor(cell.left(), cell.top() + 3)
        assert (edge != image.pixelColor(cell.left() + 1, cell.top() + 3)) == lines
