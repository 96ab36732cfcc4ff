"""All stages at once borrow the maps of the product picture and give them back."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.levels import PLAIN, TYPED, Levels, Shade
from attn_gui.views.map.colorbar import LevelBar
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
    assert set(tiles.tiles) == {*evaluation.stages} - {"output"}  # without W_O it is the joined heads once more
    for stage in tiles.tiles:
        heatmap = both.findChild(QWidget, f"heatmap.{stage}")
        assert heatmap.isVisible()
        assert heatmap.parentWidget() is tiles.tiles[stage]
        assert tiles.tiles[stage].rect().contains(heatmap.geometry())
    screen(both)
    product.set_evaluation(DenseEvaluation(evaluation.problem.replace(mask=())), 0, 1)
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
    product.set_evaluation(DenseEvaluation(evaluation.problem.replace(mask=())), 0, 1)
    both.setCurrentWidget(tiles)
    both.show()
    qapp.processEvents()
    bar = product.maps.bar("weights")
    before = bar.height()
    product.set_evaluation(evaluation, 0, 1)  # of a mask the legend tells
    qapp.processEvents()
    assert bar.height() == bar.heightForWidth(bar.width()) > before
    assert tiles.tiles["weights"].rect().contains(bar.geometry())


# --- All stages, their color bars and overviews: what partial repaints leave is what a full repaint shows ---


N, HEADS, STEPS = 40, 2, 240
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def both(qtbot):
    """All stages of a causal problem, and the product picture that its maps come from."""
    rng = np.random.default_rng(3)
    matrices = {name: rng.standard_normal((N, 8 * HEADS)) for name in ("query", "key", "value")}
    both = QStackedWidget()
    qtbot.addWidget(both)
    both.product = ProductPicture(both)
    both.tiles = AllStages(both.product.maps, both)
    for widget in (both.product, both.tiles):
        both.addWidget(widget)
    both.product.set_evaluation(DenseEvaluation(Problem(**matrices, num_heads=HEADS, mask="causal")), 0, 0)
    both.setCurrentWidget(both.tiles)
    both.resize(1000, 800)
    both.show()
    QApplication.processEvents()
    return both


class Hand:
    """Does something at random to all stages."""

    def __init__(self, both):
        self.both, self.maps, self.chance = both, both.product.maps, random.Random(11)
        self.ways = (
            self.choose,
            self.wheel,
            self.drag_frame,
            self.drag_end,
            self.shade,
            self.head,
            self.focus,
            self.home,
        )

    def stage(self):
        return self.chance.choice(self.maps.stages)

    def choose(self):
        stage = self.stage()
        rows, columns = self.maps.map(stage).shape
        self.both.product.set_chosen((stage, self.chance.randrange(rows), self.chance.randrange(columns)))

    def wheel(self):
        heatmap = self.maps.map(self.stage())
        at = heatmap.placement.cells.center()
        around, turned = QPointF(heatmap.mapToGlobal(at)), QPoint(0, self.chance.choice((240, 240, -240)))
        nothing, no_keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        event = QWheelEvent(
            QPointF(at), around, QPoint(), turned, nothing, no_keys, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(heatmap, event)

    def drag_frame(self):
        shown = [overview for name in self.maps.stages if (overview := self.maps.minimap(name)).isVisible()]
        if shown:
            overview = self.chance.choice(shown)
            start = overview.frame().center()
            target = overview.childAt(start)
            QTest.mousePress(target, LEFT, pos=start)
            for step in range(1, 4):
                QTest.mouseMove(target, start + step * QPoint(3, self.chance.choice((-2, 2))))
            QTest.mouseRelease(target, LEFT, pos=start)

    def drag_end(self):
        bar = self.maps.bar(self.stage())
        start = QPoint(self.chance.choice((3, bar.width() - 3)), 4)
        QTest.mousePress(bar, LEFT, pos=start)
        for step in range(1, 4):
            QTest.mouseMove(bar, start + step * QPoint(self.chance.choice((-9, 9)), 0))
        QTest.mouseRelease(bar, LEFT, pos=start + QPoint(9, 0))

    def shade(self):
        typed = Shade(TYPED, Levels(-self.chance.random(), 1.0 + self.chance.random()))
        self.both.product.shades.set(self.stage(), self.chance.choice((PLAIN, typed)))

    def head(self):
        self.both.product.set_evaluation(self.maps.evaluation, 0, self.chance.randrange(HEADS))

    def focus(self):
        self.maps.bar(self.stage()).setFocus(Qt.FocusReason.TabFocusReason)

    def home(self):
        self.maps.map(self.stage()).box.reset()


def on_screen(widget):
    return widget.screen().grabWindow(widget.winId()).toImage()


def test_no_pixel_is_left_behind(both):
    hand, done = Hand(both), set()
    for step in range(STEPS):
        way = hand.chance.choice(hand.ways)
        way()
        done.add(way.__name__)
        for _ in range(3):
            QApplication.processEvents()
        if step % 2:
            before = on_screen(both)
            for widget in (both, *(bar.viewport() for bar in both.findChildren(LevelBar))):
                widget.repaint()  # without what covers it
            assert on_screen(both) == before, f"after {way.__name__}, step {step}"
    assert len(done) == len(hand.ways)
