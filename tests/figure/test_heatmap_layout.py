from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from attn_gui.figure import heatmap_layout
from attn_gui.figure.display import Levels
from attn_gui.figure.heatmap import MapAxis, MapFigure, MapPanel
from attn_gui.figure.heatmap_layout import HeatmapLayout, plan
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.writers import PX_PER_CM
from tests.failing import each

HALF_CM = 0.5 * PX_PER_CM


def a_figure(rows: int, columns: int, *, maps: int = 1, tokens: bool = True, **fields: Any) -> MapFigure:
    values = np.linspace(-6.66, 6.66, rows * columns).reshape(rows, columns)
    names = [f"token{i}" if tokens else str(i) for i in range(max(rows, columns))]
    panels = tuple(MapPanel(values, None, f"head {i}" if maps > 1 else "") for i in range(maps))
    return MapFigure(
        panels,
        MapAxis("query", names[:rows]),
        MapAxis("key", names[:columns]),
        Levels(-6.66, 6.66),
        title="Scaled scores · head 3",
        subtitle=f"{rows} × {columns}",
        **fields,
    )


def cell_of(layout: HeatmapLayout, rows: int, columns: int) -> tuple[float, float]:
    return layout.maps[0].width() / columns, layout.maps[0].height() / rows


@each(("rows", "columns"), [(1, 1), (2, 3), (16, 16), (17, 31), (100, 100)])
@each("maps", [1, 3])
def test_cells_have_at_least_half_a_centimeter(rows: int, columns: int, maps: int) -> None:
    if maps * columns > 100:
        maps = 1
    cell = cell_of(plan(a_figure(rows, columns, maps=maps)), rows, columns)
    assert min(cell) >= HALF_CM - 1e-9
    assert cell[0] == cell[1]


@each(("width", "height"), [(8.5, None), (None, 9.0), (12.0, 7.0), (30.0, 30.0)])
@each("tokens", [False, True])
@each(("rows", "columns", "maps"), [(16, 16, 1), (7, 31, 1), (5, 5, 6)])
def test_the_page_has_the_size_asked_for(
    rows: int, columns: int, maps: int, tokens: bool, width: float | None, height: float | None
) -> None:
    layout = plan(
        a_figure(rows, columns, maps=maps, tokens=tokens),
        None if width is None else width * PX_PER_CM,
        None if height is None else height * PX_PER_CM,
    )
    if width is not None:
        assert layout.width == pytest.approx(width * PX_PER_CM)
    if height is not None:
        assert layout.height == pytest.approx(height * PX_PER_CM)
    last = layout.maps[-1]
    assert last.right() <= layout.width - 7
    assert last.height() > 20
    assert layout.bar is not None
    assert last.bottom() < layout.bar.top() < layout.bar.bottom() + 15 < layout.height


@each(("width", "height"), [(1.0, None), (None, 2.0), (3.0, 1.0)])
def test_too_small_a_page_is_refused_with_the_least_size(width: float | None, height: float | None) -> None:
    figure = a_figure(16, 16)
    sizes = [None if side is None else side * PX_PER_CM for side in (width, height)]
    with pytest.raises(ValueError, match=r"^A (width|height) of .*; \d+\.\d cm is the least\.$") as said:
        plan(figure, *sizes)
    least = float(str(said.value).split("; ")[1].split()[0]) * PX_PER_CM
    plan(figure, least if width else None, None if width else least)


@each("width", [None, 4 * PX_PER_CM])
@each("title", ["Weights · head 0", "注意力权重 · 头 0"])
def test_the_size_beside_a_title_is_whole_or_left_out(monkeypatch, title: str, width: float | None) -> None:
    written = []
    monkeypatch.setattr(heatmap_layout, "write_line", lambda _painter, _at, text, *_rest, **_more: written.append(text))
    figure = replace(a_figure(2, 2, tokens=False), title=title)
    image = QImage(400, 400, QImage.Format.Format_ARGB32)
    with QPainter(image) as device:
        heatmap_layout.paint_map(device, QRectF(0, 0, 400, 400), figure, plan(figure, width))
    assert written[0] == title
    assert [text for text in written if "×" in text or "…" in text] == (["2 × 2"] if width is None else [])


@each("columns", [16, 40, 101, 500, 3001])
@each("tokens", [False, True])
def test_labels_never_run_into_each_other(columns: int, tokens: bool) -> None:
    figure = a_figure(columns, columns, tokens=tokens)
    layout = plan(figure, 15 * PX_PER_CM)
    metrics = QFontMetricsF(figure_font(10))
    for labels, cell in zip((layout.column_labels, layout.row_labels), cell_of(layout, columns, columns), strict=True):
        upright = labels is layout.row_labels or labels.turned
        size = metrics.capHeight() if upright else max(map(metrics.horizontalAdvance, labels.texts.values()))
        assert labels.step * cell > size
        assert len(labels.texts) == -(-columns // labels.step)


@each("columns", [16, 40, 101, 500, 3001])
@each("tokens", [False, True])
def test_the_chosen_row_and_column_are_always_named(columns: int, tokens: bool) -> None:
    figure = a_figure(columns, columns, tokens=tokens)
    whole, chosen = plan(figure, 15 * PX_PER_CM), columns - 3
    axes = {name: replace(getattr(figure, name), chosen=chosen) for name in ("rows", "columns")}
    layout = plan(replace(figure, **axes), 15 * PX_PER_CM)
    for name, cell in zip(("column_labels", "row_labels"), cell_of(layout, columns, columns), strict=True):
        labels = getattr(layout, name)
        near = sorted(abs(place - chosen) for place in labels.texts)[1]
        assert labels.texts[chosen] == figure.columns.labels[chosen] or "…" in labels.texts[chosen]
        assert near * cell >= min(getattr(whole, name).step * cell, 11.0)


def test_a_figure_does_not_grow_without_bound() -> None:
    layout = plan(a_figure(16, 3001, tokens=False))
    assert layout.width < 65 * PX_PER_CM
    width, height = cell_of(layout, 16, 3001)
    assert height <= max(3 * width, 2 * PX_PER_CM / 16) + 1e-9


@each(("rows", "columns"), [(1, 3001), (3001, 1)])
def test_a_single_row_of_very_many_cells_is_still_to_be_seen(rows: int, columns: int) -> None:
    place = plan(a_figure(rows, columns, tokens=False)).maps[0]
    assert min(place.width(), place.height()) >= HALF_CM - 1e-9


@each("heads", [1, 2, 3, 5, 9, 12, 32])
def test_maps_of_a_sheet_stand_side_by_side(heads: int) -> None:
    layout = plan(a_figure(7, 11, maps=heads))
    assert len(layout.maps) == heads
    for first in range(heads):
        assert layout.grid.adjusted(-0.01, -0.01, 0.01, 0.01).contains(layout.maps[first])
        for second in range(first):
            assert not layout.maps[first].intersects(layout.maps[second])


@each("shape", [(0, 3), (3, 0)])
def test_nothing_to_draw_is_said(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        MapFigure((MapPanel(np.zeros(shape)),), MapAxis("query", []), MapAxis("key", []), Levels(0, 1))


def test_values_on_demand_make_cells_large_enough() -> None:
    least, wanted = (cell_of(plan(a_figure(30, 30, show_values=show)), 30, 30)[0] for show in (None, True))
    assert least < 30 < wanted


def test_a_long_number_over_a_column_is_turned_and_cut_as_a_word_is():
    """It ran over the page, and the numbers beside it were left out."""
    long = "31415926535897932384626433832795028841971"
    found = plan(replace(a_figure(2, 3), columns=MapAxis("key", (long, "2", "3"))))
    labels = found.column_labels
    assert labels.turned
    assert labels.texts[0].endswith("…")
    assert (labels.texts[1], labels.texts[2]) == ("2", "3")
