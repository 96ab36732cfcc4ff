"""All stages, their color bars and overviews: what partial repaints leave is what a full repaint shows."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStackedWidget

from attn_gui.engine import Evaluation, Problem
from attn_gui.figure.levels import PLAIN, TYPED, Levels, Shade
from attn_gui.views.map.colorbar import LevelBar
from attn_gui.views.product.all_stages import AllStages
from attn_gui.views.product.product import ProductPicture

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
    both.product.set_evaluation(Evaluation(Problem(**matrices, num_heads=HEADS, mask="causal")), 0, 0)
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
