"""The map in the middle of a small screen: large enough, every token named, whatever is said beside it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication

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
@pytest.mark.parametrize("size", [(1366, 700), (1024, 700)], ids=str)
def test_on_a_small_screen_the_map_is_large_and_names_every_token(launch, monkeypatch, lang, size):
    person = launch("minilm-layer2.npz", lang=lang, width=size[0], height=size[1])
    shown(person)
    places = person.program.window.product.places
    assert min(places.stage.width(), places.stage.height()) >= 240
    assert not fault(person.find("heatmap.weights"))
    labels = named(person, monkeypatch)
    assert {cell for way, cell in labels if way == "rows"} == set(range(16))
    assert {cell for way, cell in labels if way != "rows"} == set(range(16))


@pytest.mark.parametrize("size", [(1366, 700), (1024, 700), (1440, 900)], ids=str)
def test_no_notice_moves_the_map_and_all_of_it_is_read(launch, size):
    person = launch("minilm-layer2.npz", width=size[0], height=size[1])
    person.find("banner").hide()
    shown(person)
    product = person.program.window.product
    before = QRect(product.places.stage), product.mapTo(person.window, product.rect().topLeft())
    person.program.window.banner.show_error(SENTENCE + "x" * 200)
    shown(person)
    assert (product.places.stage, product.mapTo(person.window, product.rect().topLeft())) == before
    assert not fault(person.find("banner"))
    assert (person.window.width(), person.window.height()) == size


@pytest.mark.parametrize("size", [(1366, 700), (1440, 900), (1024, 700)], ids=str)
def test_a_formula_row_that_scrolls_keeps_its_steps_whole(launch, size):
    person = launch("transformer-layer.npz", width=size[0], height=size[1])
    shown(person)
    assert not fault(person.find("node.weights"))
