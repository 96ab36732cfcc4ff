"""The map in the middle of a small screen: large enough, every token named, whatever is said beside it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from attn_gui.engine import Problem
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.product import map_labels, product_layout
from attn_gui.views.product.map_labels import AxisLabels
from tests.seen import fault

SENTENCE = "Something was refused, and this sentence says at some length what, where and why it was so. " * 2


def shown(person):
    """Until the window is laid out."""
    person.wait()
    for _ in range(5):
        QApplication.processEvents()


def named(person, monkeypatch):
    """The tokens beside the rows and over the columns, as they are painted anew."""
    found = []
    paint = AxisLabels._paint_one

    def note(labels, painter, cell, *, chosen):
        found.append((labels.way, cell))
        paint(labels, painter, cell, chosen=chosen)

    monkeypatch.setattr(AxisLabels, "_paint_one", note)
    person.program.window.product.arrange()
    person.program.window.product.grab()
    monkeypatch.undo()
    return set(found)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_a_small_screen_the_map_is_large_names_every_token_and_is_moved_by_no_notice(launch, monkeypatch, lang):
    person = launch("minilm-layer2.npz", lang=lang)
    product = person.program.window.product
    for size in ((1440, 900), (1366, 700), (1024, 700)):
        person.window.resize(*size)
        person.find("banner").hide()
        shown(person)
        assert min(product.places.stage.width(), product.places.stage.height()) >= 240, size
        assert not fault(person.find("heatmap.weights")), size
        labels = named(person, monkeypatch)
        assert {cell for way, cell in labels if way == "rows"} == set(range(16)), size
        assert {cell for way, cell in labels if way != "rows"} == set(range(16)), size
        before = QRect(product.places.stage), product.mapTo(person.window, product.rect().topLeft())
        person.program.window.banner.show_error(SENTENCE + "x" * 200)
        shown(person)
        assert (product.places.stage, product.mapTo(person.window, product.rect().topLeft())) == before, size
        assert not fault(person.find("banner")), size
        assert (person.window.width(), person.window.height()) == size
    person.program.files.begin_with_example("layer")
    for size in ((1366, 700), (1440, 900), (1024, 700)):
        person.window.resize(*size)
        shown(person)
        assert not fault(person.find("node.weights")), "a formula row that scrolls keeps its steps whole"


def test_the_numbers_over_a_zoomed_map_leave_the_caption_beside_it_alone(launch, monkeypatch):
    """2000 over the first column in view stood on the letters of Kᵀ."""
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((20, 4)), rng.standard_normal((3000, 4))
    person = launch(width=1366, height=700)
    person.again("many keys", Problem(query=query, key=key, value=key))
    person.show_stage("weights")
    product, heatmap = person.program.window.product, person.find("heatmap.weights")
    painted, paint = [], map_labels._paint_label

    def note(painter, label, chosen, place, style, alignment):
        if alignment == map_labels.SIDES[map_labels.LEVEL]:
            half = QFontMetricsF(style.font).horizontalAdvance(label) / 2
            painted.append((label, place.center().x() - half, place.center().x() + half))
        paint(painter, label, chosen, place, style, alignment)

    monkeypatch.setattr(map_labels, "_paint_label", note)
    for first in (1000, 1000.5, 2000):
        heatmap.box.set_window((0, 20, first, first + 600))
        shown(person)
        painted.clear()
        product.arrange()
        product.grab()
        stage = product.places.stage
        assert len(painted) >= 3, first
        assert min(left for _, left, _ in painted) >= stage.left() - SPACING.s - 1, first
        assert max(right for _, _, right in painted) <= stage.right() + product_layout.gap(tight=True), first
