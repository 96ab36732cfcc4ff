"""All stages at once borrow the maps of the product picture and give them back."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStackedWidget, QWidget

from attn_gui.engine import Evaluation
from attn_gui.views.product import all_stages
from attn_gui.views.product.all_stages import AllStages
from attn_gui.views.product.map_labels import LEVEL, UPRIGHT
from attn_gui.views.product.product import ProductPicture


def test_all_stages_borrows_the_maps_and_gives_them_back(qtbot, evaluation, screen):
    both = QStackedWidget()
    qtbot.addWidget(both)
    both.resize(775, 595)
    product = ProductPicture(both)
    tiles = AllStages(product.maps, both)
    both.addWidget(product)
    both.addWidget(tiles)
    product.set_evaluation(evaluation, 0, 1)
    both.show()
    weights = product.stage_map()
    at_home = weights.geometry()
    both.setCurrentWidget(tiles)
    assert set(tiles.tiles) == set(evaluation.stages)
    for stage in evaluation.stages:
        heatmap = both.findChild(QWidget, f"heatmap.{stage}")
        assert heatmap.isVisible()
        assert heatmap.parentWidget() is tiles.tiles[stage]
        assert tiles.tiles[stage].rect().contains(heatmap.geometry())
    screen(both)
    product.set_evaluation(Evaluation(evaluation.problem.replace(mask=())), 0, 1)
    assert "masked" not in tiles.tiles
    both.setCurrentWidget(product)
    assert weights.parentWidget() is product
    assert weights.isVisible()
    assert not product.maps.map("scores").isVisible()
    product.set_evaluation(evaluation, 0, 1)
    assert weights.geometry() == at_home


def test_a_click_on_the_title_of_a_tile_asks_for_its_stage(qtbot, evaluation):
    product = ProductPicture()
    qtbot.addWidget(product)
    tiles = AllStages(product.maps)
    qtbot.addWidget(tiles)
    product.set_evaluation(evaluation, 0, 1)
    tiles.resize(900, 700)
    tiles.show()
    with qtbot.waitSignal(tiles.stagePicked) as picked:
        QTest.mouseClick(tiles.tiles["scores"], Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert picked.args == ["scores"]
    tiles.hide()
    product.show()


def test_tiles_show_other_tokens_at_once(qtbot, evaluation):
    product = ProductPicture()
    qtbot.addWidget(product)
    tiles = AllStages(product.maps)
    qtbot.addWidget(tiles)
    product.set_evaluation(evaluation, 0, 1)
    tiles.resize(900, 700)
    tiles.show()
    count = evaluation.problem.n
    pictures = []
    for name in ("mm", "ii", "mm"):
        product.set_tokens([name] * count, [name] * count)
        pictures.append(tiles.tiles["weights"].grab().toImage())
    assert pictures[0] != pictures[1]
    assert pictures[0] == pictures[2]


def test_tokens_above_a_tile_stand_upright_where_they_do_not_fit_beside_each_other(qtbot, evaluation):
    product = ProductPicture()
    qtbot.addWidget(product)
    tiles = AllStages(product.maps)
    qtbot.addWidget(tiles)
    product.set_evaluation(evaluation, 0, 1)
    tiles.resize(1800, 1300)
    tiles.show()
    ways = []
    for name in ("i", "a very long token"):
        product.set_tokens(["q"] * evaluation.problem.n, [name] * evaluation.problem.m)
        tiles.tiles["weights"].grab()  # which lays it out
        _, columns = tiles.tiles["weights"]._made_labels()
        ways.append(columns.way)
    assert ways == [LEVEL, UPRIGHT]


def test_another_head_repaints_no_title_and_no_token(qtbot, qapp, evaluation, monkeypatch):
    both = QStackedWidget()
    qtbot.addWidget(both)
    both.resize(900, 700)
    product = ProductPicture(both)
    tiles = AllStages(product.maps, both)
    both.addWidget(product)
    both.addWidget(tiles)
    product.set_evaluation(evaluation, 0, 1)
    product.set_tokens(["q"] * evaluation.problem.n, ["k"] * evaluation.problem.m)
    both.setCurrentWidget(tiles)
    both.show()
    qapp.processEvents()
    written = []
    monkeypatch.setattr(all_stages, "paint_words", lambda *_: written.append(1))
    before = product.maps.map("weights").cell_at(1, 1)
    product.set_evaluation(evaluation, 0, 2)
    product.set_tokens(["q"] * evaluation.problem.n, ["k"] * evaluation.problem.m)
    qapp.processEvents()
    assert product.maps.map("weights").cell_at(1, 1) != before
    assert not written
    product.set_tokens(["p"] * evaluation.problem.n, ["k"] * evaluation.problem.m)
    qapp.processEvents()
    assert written


def test_a_legend_that_needs_another_line_gets_it_in_its_tile(qtbot, qapp, evaluation):
    both = QStackedWidget()
    qtbot.addWidget(both)
    both.resize(900, 700)
    product = ProductPicture(both)
    tiles = AllStages(product.maps, both)
    both.addWidget(product)
    both.addWidget(tiles)
    product.set_evaluation(Evaluation(evaluation.problem.replace(mask=())), 0, 1)
    both.setCurrentWidget(tiles)
    both.show()
    qapp.processEvents()
    bar = product.maps.bar("weights")
    before = bar.height()
    product.set_evaluation(evaluation, 0, 1)  # of a mask the legend tells
    qapp.processEvents()
    assert bar.height() == bar.heightForWidth(bar.width()) > before
    assert tiles.tiles["weights"].rect().contains(bar.geometry())
