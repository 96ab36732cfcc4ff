"""Levels, colors, cells and the layout of maps: numbers are seen as what they are, at every size."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from attn_gui.figure.cell_painting import hatch_lines, paint_marks, paint_values
from attn_gui.figure.colors import (
    ALLOWED,
    CLOSED,
    LUT_SIZE,
    LUT_ZERO,
    NAN,
    NEG_INF,
    PALETTES,
    POS_INF,
    CellNumbers,
    Levels,
    argb,
    auto_levels,
    color_table,
    luminance,
    lut,
    percentile_levels,
    to_display,
    value_text_color,
)
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.heatmap import MapAxis, MapFigure, MapPanel
from attn_gui.figure.heatmap_layout import HeatmapLayout, plan
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.writers import PX_PER_CM
from tests.failing import each

WILD = st.floats(width=64) | st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, 0.0])
MATRICES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=7), elements=WILD)


@given(MATRICES, st.booleans(), st.data())
def test_anything_becomes_indices_within_the_table(values: np.ndarray, signed: bool, data: st.DataObject) -> None:
    allowed = data.draw(st.none() | hnp.arrays(np.bool_, values.shape))
    levels = auto_levels(values, allowed, signed=signed, keys=101)
    display = to_display(values, allowed, levels)
    assert display.shape == values.shape
    assert (display.indices < LUT_SIZE).all()
    shown = np.ones(values.shape, bool) if allowed is None else allowed
    assert (display.flags[~shown] == CLOSED).all()
    for flag, test in ((NAN, np.isnan), (POS_INF, np.isposinf), (NEG_INF, np.isneginf), (ALLOWED, np.isfinite)):
        assert ((display.flags == flag) == (shown & test(values))).all()
    assert (display.indices[shown & (values == levels.high)] == LUT_SIZE - 1).all()
    assert (display.indices[shown & np.isposinf(values)] == LUT_SIZE - 1).all()
    assert (display.indices[shown & np.isneginf(values)] == 0).all()
    if signed:
        assert (display.indices[shown & (values == 0)] == LUT_ZERO).all()


@each(
    "values",
    [
        np.zeros((0, 0)),
        np.zeros((2, 3)),
        np.full((2, 3), np.nan),
        np.array([[-np.inf, np.nan]]),
        np.array([[5e-324]]),
        np.array([[1e308, -1e308]]),
        np.float16([[60000, -np.inf]]),
    ],
)
@each("signed", [False, True])
def test_levels_are_never_degenerate(values: object, signed: bool) -> None:
    for levels in (auto_levels(values, signed=signed, keys=65), percentile_levels(values, signed=signed)):
        assert np.isfinite([levels.low, levels.high]).all()
        assert levels.low < levels.high
        to_display(values, None, levels)


def test_signed_levels_are_symmetric_and_ignore_what_is_closed_or_not_finite() -> None:
    values = np.array([[1.0, -7.0, np.inf], [900.0, np.nan, -np.inf]])
    allowed = np.array([[True, True, True], [False, True, True]])
    assert auto_levels(values, allowed, signed=True, keys=3) == Levels(-7.0, 7.0)


def test_percentile_levels_leave_an_outlier_out() -> None:
    values = np.ones((20, 10))
    values[3, 4] = -1000.0
    assert percentile_levels(values, signed=True) == Levels(-1.0, 1.0)
    spike = np.zeros((100, 100))
    spike[3, 4] = 5.0  # 99 % are exactly 0: levels from 0 to 0 would be none
    assert percentile_levels(spike, signed=False) == Levels(0.0, 5.0)


@each("scale", [1.0, 0.3, 1e-320, 1e300, 1e308])
def test_colors_follow_the_value_at_every_scale(scale: float) -> None:
    values = np.array([[-1.0, -0.5, 0.0, 0.5, 1.0, 1.5]]) * scale
    low, quarter, zero, upper, high, beyond = to_display(values, None, Levels(-scale, scale)).indices[0].tolist()
    assert (low, zero, high, beyond) == (0, LUT_ZERO, LUT_SIZE - 1, LUT_SIZE - 1)
    assert 127 <= quarter <= 129
    assert 382 <= upper <= 384


EVERY = [(name, theme) for name in PALETTES for theme in THEMES]


@each(("name", "theme"), EVERY)
def test_values_can_be_read_on_every_color(name: str, theme: str) -> None:
    for color, light in zip(lut(name, theme).tolist(), luminance(lut(name, theme)), strict=True):
        text = 1.0 if value_text_color(color).red() == 255 else 0.0
        assert ((max(text, light) + 0.05) / (min(text, light) + 0.05)) >= 4.5


@each("name", [palette.name for palette in PALETTES.values() if palette.diverging])
@each(("low", "high"), [(-5.0, 20.0), (-20.0, 5.0), (-1e308, 1.7e308), (-5e-324, 1.0), (-3.0, 1e-9)])
def test_levels_that_are_not_symmetric_leave_zero_in_the_middle(name: str, low: float, high: float) -> None:
    levels, table = Levels(low, high), lut(name)
    colors = color_table(name, "light", levels)
    found = colors[to_display(np.array([low, 0.0, high]), None, levels).indices]
    assert found[1] == table[LUT_ZERO]
    assert found[2 if high > -low else 0] == table[-1 if high > -low else 0]
    side = np.array([np.flatnonzero(table == color)[0] for color in colors.tolist()])
    assert (np.diff(side) >= 0).all()


def painted(
    values: list[list[float]],
    allowed: npt.NDArray[np.bool_] | None = None,
    *,
    cell: int,
    theme: str = "light",
    numbers: CellNumbers | None = None,
    small: bool = False,
) -> npt.NDArray[np.uint32]:
    """The pixels of a map with its marks, `cell` pixels a cell."""
    matrix = np.array(values)
    rows, columns = matrix.shape
    table = lut("signed", theme)
    display = to_display(matrix, allowed, Levels(-1, 1))
    pixels = np.ascontiguousarray(argb(display, table, THEMES[theme]).repeat(cell, 0).repeat(cell, 1))
    image = QImage(pixels.data, columns * cell, rows * cell, columns * cell * 4, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setFont(figure_font(10))
    rect = QRectF(0, 0, columns * cell, rows * cell)
    paint_marks(painter, rect, display, table, THEMES[theme], small=small)
    if numbers is not None:
        paint_values(painter, rect, matrix, display, table, numbers)
    painter.end()
    return pixels | 0xFF000000


def drawn(pixels: npt.NDArray[np.uint32], cell: int, row: int, column: int) -> set[int]:
    """The colors in a cell."""
    block = pixels[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
    return set(np.unique(block).tolist())


def test_hatching_covers_closed_cells_and_no_others() -> None:
    closed = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]], dtype=bool)
    covered = np.zeros(closed.shape)
    for line in hatch_lines(closed, QRectF(5, 3, 80, 60), 7.0):
        for part in np.linspace(0.002, 0.998, 400):
            point = line.pointAt(part)
            row, column = int((point.y() - 3) // 20), int((point.x() - 5) // 20)
            assert closed[row, column]
            covered[row, column] += line.length() / 400
    # a square of 20 under lines every 7 pixels along a row holds 20 · 20 · √2 / 7 pixels of line
    assert covered[closed] == pytest.approx(20 * 20 * 2**0.5 / 7, rel=0.2)


@each("theme", THEMES)
@each("small", [False, True])
@each("cell", [5, 12, 40])
def test_every_special_value_looks_different(cell: int, small: bool, theme: str) -> None:
    values = [[np.nan, np.inf], [-np.inf, 0.0], [1.0, 1.0]]
    allowed = np.array([[True, True], [True, True], [True, False]])
    pixels = painted(values, allowed, cell=cell, small=small, theme=theme)
    kinds = [drawn(pixels, cell, row, column) for row in range(3) for column in range(2)]
    assert len({frozenset(colors) for colors in kinds}) == 6
    assert THEMES[theme].masked.rgb() in kinds[5]
    assert len(kinds[5]) > 1  # hatched
    assert pixels[cell + cell // 2, cell + cell // 2] == lut("signed", theme)[LUT_ZERO]  # a number is left alone


@each(("value", "allowed", "written"), [(0.0, True, True), (1.0, True, True), (-1.0, True, True), (1.0, False, False)])
def test_values_are_written_in_open_cells_only(value: float, allowed: bool, written: bool) -> None:
    mask = np.array([[allowed]])
    bare, full = (painted([[value]], mask, cell=40, numbers=numbers) for numbers in (None, CellNumbers(2)))
    assert bool((bare != full).any()) == written
    if written:
        lighter = luminance(full[bare != full]).mean() > luminance(bare).mean()
        assert lighter == (value != 0.0)  # both ends are dark in the light theme


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


@each(("width", "height"), [(1.0, None), (None, 2.0), (3.0, 1.0)])
def test_too_small_a_page_is_refused_with_the_least_size(width: float | None, height: float | None) -> None:
    figure = a_figure(16, 16)
    sizes = [None if side is None else side * PX_PER_CM for side in (width, height)]
    with pytest.raises(ValueError, match=r"^A (width|height) of .*; \d+\.\d cm is the least\.$") as said:
        plan(figure, *sizes)
    least = float(str(said.value).split("; ")[1].split()[0]) * PX_PER_CM
    plan(figure, least if width else None, None if width else least)


@each("columns", [16, 101, 3001])
@each("tokens", [False, True])
def test_labels_never_run_into_each_other(columns: int, tokens: bool) -> None:
    layout = plan(a_figure(columns, columns, tokens=tokens), 15 * PX_PER_CM)
    metrics = QFontMetricsF(figure_font(10))
    for labels, cell in zip((layout.column_labels, layout.row_labels), cell_of(layout, columns, columns), strict=True):
        upright = labels is layout.row_labels or labels.turned
        size = metrics.capHeight() if upright else max(map(metrics.horizontalAdvance, labels.texts.values()))
        assert labels.step * cell > size
        assert len(labels.texts) == -(-columns // labels.step)


@each("columns", [16, 101, 3001])
@each("tokens", [False, True], one_of=2)
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
