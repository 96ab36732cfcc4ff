"""The screen after many partial repaints shows what a full repaint does, and pictures that go leave nothing."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.views.product.product import ProductPicture

N, HEADS = 24, 2
STEPS = 1000


@pytest.fixture
def evaluation():
    rng = np.random.default_rng(7)
    matrices = {name: rng.standard_normal((N, 8 * HEADS)) for name in ("query", "key", "value")}
    return DenseEvaluation(Problem(**matrices, num_heads=HEADS, mask=({"kind": "causal"},)))


def made(evaluation):
    product = ProductPicture()
    product.set_evaluation(evaluation, 0, 0, "weights")
    product.set_tokens(None, None)
    product.resize(420, 380)
    product.show()
    QApplication.processEvents()
    return product


class Hand:
    """Does something at random to a product picture: by mouse and wheel, or as an edit and a click in a table do.

    The dashed outline of an edit is left out: Qt draws dashes that are cut off up to a pixel beside where they were.
    """

    def __init__(self, product):
        self.product, self.chance = product, random.Random(5)
        self.ways = (
            *(self.choose, self.press, self.hover, self.wheel, self.drag, self.home, self.refresh),
            *(self.mark, self.focus, self.stage, self.head, self.resize),
        )

    @property
    def heatmap(self):
        return self.product.stage_map()

    def cell(self):
        return tuple(self.chance.randrange(length) for length in self.heatmap.shape)

    def area(self):
        first, last = self.cell(), self.cell()
        return tuple(slice(min(pair), max(pair) + 1) for pair in zip(first, last, strict=True))

    def spot(self):
        maps = [self.heatmap, *self.product.operands.shown.values()]
        heatmap = self.chance.choice(maps)
        return heatmap, QPoint(self.chance.randrange(heatmap.width()), self.chance.randrange(heatmap.height()))

    def choose(self):
        stage = self.heatmap.objectName().removeprefix("heatmap.")
        self.product.set_chosen((stage, *self.cell()))

    def press(self):
        heatmap, at = self.spot()
        QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=at)

    def hover(self):
        QTest.mouseMove(*self.spot())

    def wheel(self):
        heatmap, at = self.spot()
        around, turned = QPointF(heatmap.mapToGlobal(at)), QPoint(0, self.chance.choice((120, 120, -120)))
        nothing, no_keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        event = QWheelEvent(
            QPointF(at), around, QPoint(), turned, nothing, no_keys, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(heatmap, event)

    def drag(self):
        heatmap, at = self.spot()
        QTest.mousePress(heatmap, Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseMove(heatmap, at + QPoint(self.chance.randrange(-40, 40), self.chance.randrange(-40, 40)))
        QTest.mouseRelease(heatmap, Qt.MouseButton.LeftButton, pos=at)

    def home(self):
        self.heatmap.box.reset()

    def refresh(self):
        self.heatmap.refresh(*self.area())

    def mark(self):
        name = self.chance.choice(("painted", "by_hand", "blank", "reached", "block"))
        area = self.area()
        marks = {"block": area if self.chance.random() < 0.5 else None} if name == "block" else {name: (area,)}
        nothing = {"painted": (), "by_hand": (), "blank": (), "reached": None}
        self.heatmap.overlay.set_marks(**{**nothing, **marks})

    def focus(self):
        self.heatmap.overlay.set_marks(focus=self.chance.random() < 0.5)

    def stage(self):
        self.product.set_stage(self.chance.choice(("weights", "masked", "head_output", "query")))

    def head(self):
        maps = self.product.maps
        self.product.set_evaluation(maps.evaluation, 0, self.chance.randrange(HEADS))

    def resize(self):
        self.product.resize(420 + self.chance.randrange(3), 380 + self.chance.randrange(3))


def on_screen(product):
    return product.screen().grabWindow(product.winId()).toImage()


def test_no_pixel_is_left_behind(qtbot, evaluation):
    product = made(evaluation)
    qtbot.addWidget(product)
    hand = Hand(product)
    for step in range(STEPS):
        way = hand.chance.choice(hand.ways)
        way()
        for _ in range(3):  # a scene tells its view in a turn of its own, and that is painted in the next
            QApplication.processEvents()
        if step % 4 == 3:  # some steps are painted together
            before = on_screen(product)
            product.repaint()
            assert on_screen(product) == before, f"after {way.__name__}, step {step}"


def test_pictures_that_go_leave_nothing(qtbot, evaluation):
    gone, before = [], len(pg.ViewBox.AllViews)
    for _ in range(50):
        product = made(evaluation)
        heatmap = product.stage_map()
        heatmap.box.set_window((2, 8, 3, 9))
        gone += map(weakref.ref, (product, heatmap, heatmap.box, heatmap.view))
        product.close()
        product.deleteLater()
        del product, heatmap
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [kept() for kept in gone if kept() is not None] == []
    assert len(pg.ViewBox.AllViews) <= before, "boxes of maps that were never shown, too"
