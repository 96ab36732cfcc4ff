"""Levels, colors, cells and the layout of maps: numbers are seen as what they are, at every size."""

from __future__ import annotations

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

from attn_gui.figure import heatmap_layout
from attn_gui.figure.cells import hatch_lines, paint_marks, paint_values
from attn_gui.figure.colors import LUT_SIZE, LUT_ZERO, PALETTES, luminance, lut, value_text_color
from attn_gui.figure.design_tokens import SIGNED_STOPS, THEMES, WEIGHTS_STOPS
from attn_gui.figure.display import (
    ALLOWED,
    CLOSED,
    NAN,
    NEG_INF,
    POS_INF,
    CellNumbers,
    Levels,
    argb,
    auto_levels,
    percentile_levels,
    to_display,
)
from attn_gui.figure.heatmap import MapAxis, MapFigure, MapPanel
from attn_gui.figure.heatmap_layout import HeatmapLayout, plan
from attn_gui.figure.levels import color_table
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
        np.zeros((3, 0)),
        np.zeros((2, 3)),
        np.full((2, 3), np.nan),
        np.full((2, 3), np.inf),
        np.array([[-np.inf, np.nan]]),
        np.array([[5e-324]]),
        np.array([[1e308, -1e308]]),
        [[1, 2], [3, 4]],
        np.float16([[60000, -np.inf]]),
        np.array([[1, 2.5]], dtype=object),
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


@each(("keys", "high"), [(2, 1.0), (64, 1.0), (65, 0.25)])
def test_weights_are_colored_up_to_1_for_up_to_64_keys(keys: int, high: float) -> None:
    assert auto_levels(np.array([[0.25, 0.01]]), signed=False, keys=keys) == Levels(0.0, high)


def test_weights_too_small_to_be_seen_on_0_to_1_are_colored_up_to_the_largest() -> None:
    assert auto_levels(np.full((50, 50), 0.081), signed=False, keys=50) == Levels(0.0, 0.081)


def test_percentile_levels_leave_an_outlier_out() -> None:
    values = np.ones((20, 10))
    values[3, 4] = -1000.0
    assert percentile_levels(values, signed=True) == Levels(-1.0, 1.0)
    spike = np.zeros((100, 100))
    spike[3, 4] = 5.0  # 99 % are exactly 0: levels from 0 to 0 would be none
    assert percentile_levels(spike, signed=False) == Levels(0.0, 5.0)


@each(("low", "high"), [(1, 1), (2, 1), (0, np.inf), (np.nan, 1)])
def test_levels_that_mean_nothing_are_refused_with_a_sentence(low: float, high: float) -> None:
    with pytest.raises(ValueError, match=r"level.*\.$|Levels.*\.$"):
        Levels(low, high)


@each("scale", [1.0, 0.3, 1e-320, 1e300, 1e308])
def test_colors_follow_the_value_at_every_scale(scale: float) -> None:
    values = np.array([[-1.0, -0.5, 0.0, 0.5, 1.0, 1.5]]) * scale
    low, quarter, zero, upper, high, beyond = to_display(values, None, Levels(-scale, scale)).indices[0].tolist()
    assert (low, zero, high, beyond) == (0, LUT_ZERO, LUT_SIZE - 1, LUT_SIZE - 1)
    assert 127 <= quarter <= 129
    assert 382 <= upper <= 384


def test_a_small_difference_far_from_zero_is_seen_in_single_precision() -> None:
    values = np.array([[1000.0, 1000.5, 1001.0]], dtype=np.float32)
    assert to_display(values, None, Levels(1000.0, 1001.0)).indices.tolist() == [[0, 256, 511]]


@each("theme", THEMES)
def test_pixels_take_the_colors_of_the_table_and_of_the_theme(theme: str) -> None:
    values = np.array([[-2.0, 0.0, 2.0], [np.nan, np.inf, 1.0]])
    allowed = np.array([[True, True, True], [True, True, False]])
    table = lut("signed", theme)
    pixels = argb(to_display(values, allowed, Levels(-2, 2)), table, THEMES[theme])
    nan, closed = THEMES[theme].nan.rgb(), THEMES[theme].masked.rgb()
    assert pixels.tolist() == [[table[0], table[LUT_ZERO], table[-1]], [nan, table[-1], closed]]
    assert pixels.flags.c_contiguous


def test_a_mask_wins_over_nan_and_is_counted_apart() -> None:
    display = to_display(np.array([[np.nan, np.nan, -np.inf]]), np.array([[False, True, False]]), Levels(0, 1))
    assert display.counts() == {CLOSED: 2, NAN: 1}


EVERY = [(name, theme) for name in PALETTES for theme in THEMES]


def rgb(token: str) -> int:
    return 0xFF000000 | int(token[1:], 16)


def lightness(colors: np.ndarray) -> np.ndarray:
    """OKLab's L of colors 0xffRRGGBB (Ottosson, 2020), number by number."""
    channels = np.array([colors >> shift & 0xFF for shift in (16, 8, 0)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    long = 0.4122214708 * linear[0] + 0.5363325363 * linear[1] + 0.0514459929 * linear[2]
    middle = 0.2119034982 * linear[0] + 0.6806995451 * linear[1] + 0.1073969566 * linear[2]
    short = 0.0883024619 * linear[0] + 0.2817188376 * linear[1] + 0.6299787005 * linear[2]
    return 0.2104542553 * np.cbrt(long) + 0.7936177850 * np.cbrt(middle) - 0.0040720468 * np.cbrt(short)


@each(("name", "theme"), EVERY)
def test_values_can_be_read_on_every_color(name: str, theme: str) -> None:
    for color, light in zip(lut(name, theme).tolist(), luminance(lut(name, theme)), strict=True):
        text = 1.0 if value_text_color(color).red() == 255 else 0.0
        assert ((max(text, light) + 0.05) / (min(text, light) + 0.05)) >= 4.5


@each(("name", "theme"), EVERY)
def test_a_table_is_opaque_and_cannot_be_changed(name: str, theme: str) -> None:
    table = lut(name, theme)
    assert table.dtype == np.uint32
    assert table.shape == (LUT_SIZE,)
    assert (table >> 24 == 0xFF).all()
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


@each("theme", THEMES)
def test_tokens_stand_at_zero_and_at_the_ends(theme: str) -> None:
    signed, weights = lut("signed", theme), lut("weights", theme)
    stops = dict(SIGNED_STOPS[theme])
    assert [signed[0], signed[LUT_ZERO], signed[-1]] == [rgb(stops[-1]), rgb(stops[0]), rgb(stops[1])]
    assert [weights[0], weights[-1]] == [rgb(WEIGHTS_STOPS[theme][0][1]), rgb(WEIGHTS_STOPS[theme][-1][1])]


@each("theme", THEMES)
def test_lightness_goes_one_way_from_the_paper_to_each_end(theme: str) -> None:
    away = 1 if theme == "dark" else -1
    up, down = lightness(lut("signed", theme)[LUT_ZERO:]), lightness(lut("signed", theme)[LUT_ZERO::-1])
    for half in (up, down, lightness(lut("weights", theme))):
        steps = away * np.diff(half)
        # two entries may share a color of 8 bits, none may turn back by more than such a color's own rounding
        assert steps.min() > -0.001
        assert away * (half[-1] - half[0]) > 0.5


def test_minus_and_plus_of_the_same_size_are_equally_far_from_the_paper() -> None:
    table = lut("signed", "light")
    assert abs(lightness(table[:1])[0] - lightness(table[-1:])[0]) < 0.06


@each("name", ["viridis", "cividis", "magma"])
def test_published_maps_are_those_of_the_library(name: str) -> None:
    from pyqtgraph import colormap

    published = colormap.get(name).getColors(mode="byte").astype(int)
    table = lut(name)
    mine = np.stack([(table >> shift) & 255 for shift in (16, 8, 0)], axis=-1).astype(int)
    assert np.abs(mine[np.rint(np.arange(256) / 255 * 511).astype(int)] - published[:, :3]).max() <= 1


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


def test_levels_of_one_sign_have_the_colors_of_that_sign_only() -> None:
    table = lut("signed")
    for levels, half in ((Levels(2.0, 20.0), table[LUT_ZERO:]), (Levels(-7.0, 0.0), table[: LUT_ZERO + 1])):
        colors = color_table("signed", "light", levels)
        assert np.isin(colors, half).all()
        assert {int(colors[0]), int(colors[-1])} == {int(half[0]), int(half[-1])}


def test_an_unknown_map_is_an_error() -> None:
    with pytest.raises(KeyError):
        lut("rainbow", "light")


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


def test_hatching_runs_unbroken_through_cells() -> None:
    whole = hatch_lines(np.ones((1, 1), bool), QRectF(0, 0, 70, 70), 7.0)
    parts = hatch_lines(np.ones((10, 10), bool), QRectF(0, 0, 70, 70), 7.0)
    assert len(whole) == len(parts)
    assert [line.length() for line in parts] == pytest.approx([line.length() for line in whole])


@each("shape", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_nothing_closed_is_not_hatched(shape: tuple[int, int]) -> None:
    assert hatch_lines(np.zeros(shape, bool), QRectF(0, 0, 70, 70), 7.0) == []


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


@each("theme", THEMES)
def test_a_nan_of_one_pixel_is_filled_with_the_color_of_its_mark(theme: str) -> None:
    pixels = painted([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]], cell=1, theme=theme)
    assert pixels[1, 1] == THEMES[theme].nan_mark.rgb()
    assert (pixels != pixels[0, 0]).sum() == 1


def test_plus_and_minus_infinity_point_up_and_down() -> None:
    up, down = (painted([[value]], cell=15) for value in (np.inf, -np.inf))
    widths = [[int((row != pixels[0, 0]).sum()) for row in pixels] for pixels in (up, down)]
    assert widths[0].index(max(widths[0])) > 7 > widths[1].index(max(widths[1]))


@each(("value", "allowed", "written"), [(0.0, True, True), (1.0, True, True), (-1.0, True, True), (1.0, False, False)])
def test_values_are_written_in_open_cells_only(value: float, allowed: bool, written: bool) -> None:
    mask = np.array([[allowed]])
    bare, full = (painted([[value]], mask, cell=40, numbers=numbers) for numbers in (None, CellNumbers(2)))
    assert bool((bare != full).any()) == written
    if written:
        lighter = luminance(full[bare != full]).mean() > luminance(bare).mean()
        assert lighter == (value != 0.0)  # both ends are dark in the light theme


def test_a_map_of_nothing_but_nan_is_painted_in_no_time() -> None:
    pixels = painted(np.full((600, 600), np.nan).tolist(), cell=1)
    assert (pixels == THEMES["light"].nan_mark.rgb()).all()


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
    layout = plan(a_figure(columns, columns, tokens=tokens), 15 * PX_PER_CM)
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
