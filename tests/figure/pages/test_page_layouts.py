"""Layouts of pages: all of a page is on it, and what is marked is what is on the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages import charts
from attn_gui.figure.pages import dependence as dependence_page
from attn_gui.figure.pages.base import Drawing, PageStyle, settled
from attn_gui.figure.pages.context import PageContext
from attn_gui.figure.pages.model import HeadEffects

GROUND = QColor("#123456")


def painted(drawing: Drawing) -> np.ndarray:
    """Which pixels of a much larger sheet are painted, (rows, columns)."""
    image = QImage(int(drawing.width * 2), int(drawing.height * 3), QImage.Format.Format_RGB32)
    image.fill(GROUND)
    painter = QPainter(image)
    drawing.paint_all(painter)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    return pixels != GROUND.rgb()


@pytest.fixture
def dependence() -> Drawing:
    arrays = {name: np.random.default_rng(3).standard_normal((6, 4)) for name in ("query", "key", "value")}
    evaluation, page = DenseEvaluation(Problem(**arrays)), PAGES["dependence"]
    context = PageContext.at(evaluation, 0, 0, "weights", (0, 0))
    content = page.read(evaluation, replace(context, options=settled(page.options, context, {})), lambda share: None)
    return page.plan(content, PageStyle(), None, None)


def test_the_table_below_the_maps_is_on_the_page(dependence: Drawing) -> None:
    found = np.argwhere(painted(dependence))
    assert found[:, 0].max() < dependence.height
    assert found[:, 1].max() < dependence.width


def test_the_lines_of_the_table_stand_below_the_maps_one_under_the_other(
    dependence: Drawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[float] = []

    def write(painter: QPainter, at: QPointF, *given: object, **named: object) -> None:
        lines.append(at.y())

    monkeypatch.setattr(dependence_page, "write_line", write)
    painted(dependence)
    below = max(field.rect(field.rows - 1, 0).bottom() for field in dependence.fields)
    assert len(set(lines)) == 8, "the names, and of each row its numbers, and the orders below those of three"
    assert all(below < line <= dependence.height for line in lines)
    assert lines == sorted(lines)


@pytest.mark.parametrize("layer", [0, 2])
def test_the_whole_row_of_the_layer_on_the_table_is_marked(layer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    marked: list[tuple[int, int]] = []
    true = np.arange(12.0).reshape(3, 4)
    page = PAGES["heads_off"]
    drawing = page.plan(HeadEffects("t", true, true, layer, False), PageStyle(), None, None)
    monkeypatch.setattr(
        charts, "paint_chosen_cell", lambda _painter, _place, _shape, chosen, _style: marked.append(chosen)
    )
    painted(drawing)
    assert marked == [(layer, -1)] * 2
