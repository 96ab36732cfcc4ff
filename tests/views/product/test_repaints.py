"""The screen after many partial repaints shows what a full repaint does, and pictures that go leave nothing."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStackedWidget

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.levels import PLAIN, TYPED, ColorScale, Levels
from attn_gui.views.map.colorbar import LevelBar
from attn_gui.views.product.all_stages import AllStages
from attn_gui.views.product.product import ProductPicture
from tests.views.conftest import on_screen, turn_wheel

HEADS, LEFT = 2, Qt.MouseButton.LeftButton


def evaluation_of(n):
    rng = np.random.default_rng(7)
    matrices = {name: rng.standard_normal((n, 8 * HEADS)) for name in ("query", "key", "value")}
    return DenseEvaluation(Problem(**matrices, num_heads=HEADS, mask="causal"))


def made(evaluation, parent=None):
    product = ProductPicture(parent)
    product.set_evaluation(evaluation, 0, 0, "weights")
    product.set_tokens(None, None)
    product.resize(420, 380)
    return product


class Hand:
    """Does something at random: by mouse and wheel, or as an edit and a click in a table do.

    The dashed outline of an edit is left out: Qt draws dashes that are cut off up to a pixel beside where they were.
    """

    ways = ()

    def __init__(self, product, seed):
        self.product, self.maps, self.chance = product, product.maps, random.Random(seed)

    def walk(self, steps, each, shown, repaint):
        """Some steps are painted together; whatever is on the screen then is what a repaint paints."""
        done = set()
        for step in range(steps):
            way = self.chance.choice(self.ways)
            getattr(self, way)()
            done.add(way)
            for _ in range(3):  # a scene tells its view in a turn of its own, and that is painted in the next
                QApplication.processEvents()
            if step % each == each - 1:
                before = on_screen(shown)
                repaint()
                assert on_screen(shown) == before, f"after {way}, step {step}"
        assert done == set(self.ways)

    def drag(self, widget, start, *by):
        QTest.mousePress(widget, LEFT, pos=start)
        for step in by:
            QTest.mouseMove(widget, start + step)
        QTest.mouseRelease(widget, LEFT, pos=start)

    def head(self):
        self.product.set_evaluation(self.maps.evaluation, 0, self.chance.randrange(HEADS))

    def cell(self, heatmap):
        return tuple(self.chance.randrange(length) for length in heatmap.shape)


class OnTheProduct(Hand):
    ways = (
        *("choose", "press", "hover", "wheel", "move", "home", "refresh", "mark"),
        *("focus", "stage", "head", "resize"),
    )

    @property
    def heatmap(self):
        return self.product.stage_map()

    def area(self):
        first, last = self.cell(self.heatmap), self.cell(self.heatmap)
        return tuple(slice(min(pair), max(pair) + 1) for pair in zip(first, last, strict=True))

    def spot(self):
        heatmap = self.chance.choice([self.heatmap, *self.product.operands.shown.values()])
        return heatmap, QPoint(self.chance.randrange(heatmap.width()), self.chance.randrange(heatmap.height()))

    def choose(self):
        stage = self.heatmap.objectName().removeprefix("heatmap.")
        self.product.set_chosen((stage, *self.cell(self.heatmap)))

    def press(self):
        heatmap, at = self.spot()
        QTest.mouseClick(heatmap, LEFT, pos=at)

    def hover(self):
        QTest.mouseMove(*self.spot())

    def wheel(self):
        turn_wheel(*self.spot(), self.chance.choice((120, 120, -120)))

    def move(self):
        self.drag(*self.spot(), QPoint(self.chance.randrange(-40, 40), self.chance.randrange(-40, 40)))

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

    def resize(self):
        self.product.resize(420 + self.chance.randrange(3), 380 + self.chance.randrange(3))


class OnAllStages(Hand):
    ways = ("choose", "wheel", "drag_frame", "drag_end", "color_scale", "head", "focus", "home")

    @property
    def stage(self):
        return self.chance.choice(self.maps.stages)

    def choose(self):
        stage = self.stage
        self.product.set_chosen((stage, *self.cell(self.maps.map(stage))))

    def wheel(self):
        heatmap = self.maps.map(self.stage)
        turn_wheel(heatmap, heatmap.placement.cells.center(), self.chance.choice((240, 240, -240)))

    def drag_frame(self):
        shown = [overview for name in self.maps.stages if (overview := self.maps.minimap(name)).isVisible()]
        if shown:
            overview = self.chance.choice(shown)
            start, by = overview.frame().center(), QPoint(3, self.chance.choice((-2, 2)))
            self.drag(overview.childAt(start), start, by, 2 * by, 3 * by)

    def drag_end(self):
        bar, by = self.maps.bar(self.stage), QPoint(self.chance.choice((-9, 9)), 0)
        self.drag(bar, QPoint(self.chance.choice((3, bar.width() - 3)), 4), by, 2 * by, 3 * by)

    def color_scale(self):
        typed = ColorScale(TYPED, Levels(-self.chance.random(), 1.0 + self.chance.random()))
        self.product.color_scales.set(self.stage, self.chance.choice((PLAIN, typed)))

    def focus(self):
        self.maps.bar(self.stage).setFocus(Qt.FocusReason.TabFocusReason)

    def home(self):
        self.maps.map(self.stage).box.reset()


def test_no_pixel_is_left_behind_on_the_product(qtbot):
    product = made(evaluation_of(24))
    qtbot.addWidget(product)
    product.show()
    QApplication.processEvents()
    OnTheProduct(product, 5).walk(480, 4, product, product.repaint)


def test_no_pixel_is_left_behind_on_all_stages(qtbot):
    both = QStackedWidget()
    qtbot.addWidget(both)
    product = made(evaluation_of(40), both)
    tiles = AllStages(product.maps, both)
    for widget in (product, tiles):
        both.addWidget(widget)
    both.setCurrentWidget(tiles)
    both.resize(1000, 800)
    both.show()
    QApplication.processEvents()
    parts = (both, *(bar.viewport() for bar in both.findChildren(LevelBar)))
    OnAllStages(product, 11).walk(160, 2, both, lambda: [part.repaint() for part in parts])  # without what covers it


def test_pictures_that_go_leave_nothing(qtbot):
    evaluation, gone, before = evaluation_of(24), [], len(pg.ViewBox.AllViews)
    for _ in range(12):
        product = made(evaluation)
        product.show()
        QApplication.processEvents()
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
