"""All stages at once borrow the maps of the product picture and give them back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from attn_gui.engine import DenseEvaluation
from attn_gui.views.product import all_stages
from attn_gui.views.product.all_stages import AllStages
from attn_gui.views.product.map_labels import LEVEL, UPRIGHT
from attn_gui.views.product.product import ProductPicture


@pytest.fixture
def both(qtbot, evaluation):
    """The product picture, which is on show, and all stages; large enough for tokens beside each other."""
    both = QStackedWidget()
    qtbot.addWidget(both)
    both.resize(1800, 1300)
    both.product = ProductPicture(both)
    both.all = AllStages(both.product.maps, both)
    for widget in (both.product, both.all):
        both.addWidget(widget)
    both.product.set_evaluation(evaluation, 0, 1)
    both.show()
    return both


def test_all_stages_borrows_the_maps_and_gives_them_back(both, evaluation, screen):
    product, tiles = both.product, both.all.tiles
    weights = product.stage_map()
    at_home = weights.geometry()
    both.setCurrentWidget(both.all)
    assert set(tiles) == {*evaluation.stages} - {"output"}  # without W_O it is the joined heads once more
    for stage in tiles:
        heatmap = both.findChild(QWidget, f"heatmap.{stage}")
        assert heatmap.isVisible()
        assert heatmap.parentWidget() is tiles[stage]
        assert tiles[stage].rect().contains(heatmap.geometry())
    screen(both)
    product.set_evaluation(DenseEvaluation(evaluation.problem.replace(mask=())), 0, 1)
    assert "masked" not in tiles
    both.setCurrentWidget(product)
    assert weights.parentWidget() is product
    assert weights.isVisible()
    assert not product.maps.map("scores").isVisible()
    product.set_evaluation(evaluation, 0, 1)
    assert weights.geometry() == at_home


def test_a_click_on_the_title_of_a_tile_asks_for_its_stage(qtbot, both):
    both.setCurrentWidget(both.all)
    with qtbot.waitSignal(both.all.stagePicked) as picked:
        QTest.mouseClick(both.all.tiles["scores"], Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert picked.args == ["scores"]


def test_tiles_show_other_tokens_at_once_upright_where_they_do_not_fit_beside_each_other(both, evaluation):
    both.setCurrentWidget(both.all)
    tile, pictures, ways = both.all.tiles["weights"], [], []
    for name in ("mm", "ii", "mm", "a very long token"):
        both.product.set_tokens(["q"] * evaluation.problem.n, [name] * evaluation.problem.m)
        pictures.append(tile.grab().toImage())
        ways.append(tuple(tile._made_labels())[1].way)
    assert pictures[0] == pictures[2] != pictures[1]
    assert ways == [LEVEL, LEVEL, LEVEL, UPRIGHT]


def test_another_head_repaints_no_title_and_no_token(both, evaluation, monkeypatch):
    maps, written = both.product.maps, []

    def show(head, token):
        both.product.set_evaluation(evaluation, 0, head)
        both.product.set_tokens([token] * evaluation.problem.n, ["k"] * evaluation.problem.m)
        QApplication.processEvents()
        return maps.map("weights").cell_at(1, 1)

    both.setCurrentWidget(both.all)
    before = show(1, "q")
    monkeypatch.setattr(all_stages, "paint_words", lambda *_: written.append(1))
    assert show(2, "q") != before
    assert not written
    show(2, "p")
    assert written


def test_a_legend_that_needs_another_line_gets_it_in_its_tile(both, evaluation):
    both.resize(900, 700)
    both.product.set_evaluation(DenseEvaluation(evaluation.problem.replace(mask=())), 0, 1)
    both.setCurrentWidget(both.all)
    QApplication.processEvents()
    bar = both.product.maps.bar("weights")
    before = bar.height()
    both.product.set_evaluation(evaluation, 0, 1)  # of a mask the legend tells
    QApplication.processEvents()
    assert bar.height() == bar.heightForWidth(bar.width()) > before
    assert both.all.tiles["weights"].rect().contains(bar.geometry())
