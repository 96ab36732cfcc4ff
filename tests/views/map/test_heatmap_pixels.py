"""The screen agrees with `cell_at` and `cell_rect`, for every kind of number and size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.figure.colors import lut
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.display import Levels
from attn_gui.figure.levels import TYPED, ColorScale
from attn_gui.views.map.color_scales import counts_of
from attn_gui.views.map.thumbnail import Thumbnail
from attn_gui.views.theme import apply_theme
from tests.failing import each


@pytest.fixture
def values():
    return np.random.default_rng(0).standard_normal((5, 7))


@each("scheme", ["light", "dark"])
def test_every_cell_has_the_color_of_its_value(qapp, values, plane, shown_map, screen, colors_of, scheme):
    apply_theme(qapp, scheme)
    heatmap = shown_map(plane(values))
    image, largest = screen(heatmap), np.abs(values).max()
    table = lut("signed", scheme)
    for (row, column), value in np.ndenumerate(values):
        exact, color = heatmap.cell_at(row, column)
        assert exact == value
        assert colors_of(heatmap, image, row, column) == {color.name()}
        assert color.rgb() == int(table[int((value + largest) / (2 * largest) * 511 + 0.5)])


def test_row_0_is_on_top_and_column_0_on_the_left(values, plane, shown_map):
    heatmap = shown_map(plane(values), 11, 13)
    first, last = heatmap.cell_rect(0, 0), heatmap.cell_rect(4, 6)
    assert first.topLeft() == heatmap.placement.cells.topLeft()
    assert last.bottomRight() == heatmap.placement.cells.bottomRight()
    assert (first.width(), first.height()) == (11, 13)


def test_not_allowed_nan_and_infinities_are_told_apart(plane, shown_map, screen, colors_of):
    theme = THEMES["light"]
    values = np.array([[1.0, -2.0, np.nan], [np.inf, -np.inf, 0.5]])
    allowed = np.array([[False, True, True], [True, True, True]])
    heatmap = shown_map(plane(values, allowed))
    image, table = screen(heatmap), lut("signed", "light")
    assert heatmap.cell_at(0, 0)[1] == theme.masked
    hatched = colors_of(heatmap, image, 0, 0)
    assert theme.masked.name() in hatched
    assert len(hatched) > 1
    assert heatmap.cell_at(0, 2)[1] == theme.nan
    assert theme.nan_mark.name() in colors_of(heatmap, image, 0, 2)
    assert heatmap.cell_at(1, 0)[1].rgb() == int(table[511])
    assert heatmap.cell_at(1, 1)[1].rgb() == int(table[0])
    assert heatmap.levels == Levels(-2.0, 2.0)  # of the finite, allowed cells
    assert counts_of(heatmap.plane) == {4: 1, 1: 1, 2: 1, 3: 1}


def test_infinity_never_leaves_a_picture_of_one_color(plane, shown_map, screen, colors_of):
    values = np.array([[1.0, -1.0, np.inf], [0.25, -0.25, 0.5]])
    heatmap = shown_map(plane(values), kind=Thumbnail)
    image = screen(heatmap)
    grounds = [colors_of(heatmap, image, row, column) for row in range(2) for column in range(3)]
    assert len(set().union(*grounds)) >= 6


def test_one_weight_among_four_million_stays_visible(plane, qtbot, shown_map, screen):
    values = np.zeros((2000, 2000))
    values[1234, 777] = 1.0
    heatmap = shown_map(plane(values, signed=False), 1, 1)
    heatmap.resize(300 + 2 * heatmap.margin, 250 + 2 * heatmap.margin)
    heatmap.set_shown(replace(heatmap.shown, color_scale=ColorScale(TYPED, Levels(0.0, 1.0))))
    image = screen(heatmap)
    rect = heatmap.cell_rect(1234, 777)
    assert (rect.width(), rect.height()) == (1, 1)
    value, color = heatmap.cell_at(1234, 777)
    assert value == 1.0
    assert image.pixelColor(rect.topLeft()) == color
    assert color.rgb() == int(lut("weights", "light")[511])
    assert heatmap.cell_under(rect.topLeft()) == (1234, 777)
    cells, end = heatmap.placement.cells, color.rgb()
    found = [
        (x, y)
        for x in range(cells.left(), cells.right() + 1)
        for y in range(cells.top(), cells.bottom() + 1)
        if image.pixel(x, y) == end
    ]
    assert found == [(rect.left(), rect.top())]


@each(("rows", "columns"), [(400, 3), (3, 400), (333, 211), (90, 90)])
def test_pooled_maps_answer_for_every_cell_what_they_show(plane, shown_map, screen, rows, columns):
    values = np.random.default_rng(1).standard_normal((rows, columns))
    heatmap = shown_map(plane(values), 1, 1)
    heatmap.resize(70 + 2 * heatmap.margin, 83 + 2 * heatmap.margin)
    image = screen(heatmap)
    for row, column in np.random.default_rng(2).integers(0, (rows, columns), (60, 2)).tolist():
        value, color = heatmap.cell_at(row, column)
        assert value == values[row, column]
        assert image.pixelColor(heatmap.cell_rect(row, column).center()) == color


@each("shape", [(0, 0), (0, 5), (5, 0)])
def test_a_matrix_without_cells_is_shown_as_nothing(plane, shown_map, screen, shape):
    heatmap = shown_map(plane(np.zeros(shape)), 20, 20)
    heatmap.resize(80, 80)
    screen(heatmap)
    heatmap.refresh(slice(0, 1), slice(0, 1))
    with pytest.raises(IndexError):
        heatmap.cell_at(0, 0)


def test_a_refresh_redraws_its_cells_and_no_other(values, plane, shown_map, screen, colors_of):
    shown = plane(values.copy())
    heatmap = shown_map(shown)
    before = screen(heatmap)
    shown.values[...] = -values  # only what is refreshed may show it
    shown.asked = 0
    heatmap.refresh(slice(2, 3), slice(4, 6))
    QApplication.processEvents()
    after = screen(heatmap)
    assert shown.asked <= 2
    for row in range(5):
        for column in range(7):
            changed = colors_of(heatmap, before, row, column) != colors_of(heatmap, after, row, column)
            assert changed == (row == 2 and column in (4, 5)), (row, column)


def test_a_refresh_of_a_pooled_map_asks_for_the_band_it_touches_only(plane, shown_map, screen):
    shown = plane(np.zeros((500, 500)))
    heatmap = shown_map(shown, 1, 1)
    heatmap.resize(100 + 2 * heatmap.margin, 100 + 2 * heatmap.margin)
    screen(heatmap)
    shown.values[123] = np.linspace(-1, 1, 500)
    shown.asked = 0
    heatmap.refresh(slice(123, 124), slice(0, 500))
    assert shown.asked == 5 * 500
    image = screen(heatmap)
    assert image.pixelColor(heatmap.cell_rect(123, 499).center()) == heatmap.cell_at(123, 499)[1]


def test_a_map_that_was_never_shown_answers_as_it_would_be_drawn(values, plane, shown_map, qtbot):
    from attn_gui.views.map.heatmap import Heatmap

    hidden = Heatmap()
    qtbot.addWidget(hidden)
    hidden.set_shown(replace(hidden.shown, plane=plane(values)))
    seen = shown_map(plane(values))
    for row in range(5):
        assert hidden.cell_at(row, 3) == seen.cell_at(row, 3)
    assert hidden.cell_rect(1, 1).isValid()
    hidden.plane.values[0, 0] = 0.0
    hidden.refresh(slice(0, 1), slice(0, 1))
    assert hidden.cell_at(0, 0)[0] == 0.0


def test_values_are_written_where_they_fit_and_left_out_where_not(values, plane, shown_map, screen, colors_of):
    roomy, tight = shown_map(plane(values), 40, 30), shown_map(plane(values), 40, 10)
    for heatmap in (roomy, tight):
        assert len(colors_of(heatmap, screen(heatmap), 2, 2)) == 1
        heatmap.set_shown(replace(heatmap.shown, values=True))
    assert len(colors_of(roomy, screen(roomy), 2, 2)) > 1
    assert len(colors_of(tight, screen(tight), 2, 2)) == 1


def test_a_longer_value_changes_the_decimals_of_the_whole_map(plane, shown_map, screen, colors_of):
    shown = plane(np.full((3, 3), 1.25))
    heatmap = shown_map(shown, 36, 20)
    heatmap.set_shown(replace(heatmap.shown, values=True))
    before = screen(heatmap)
    shown.values[0, 0] = -123.25
    heatmap.refresh(slice(0, 1), slice(0, 1))
    QApplication.processEvents()
    after = screen(heatmap)
    rect = heatmap.cell_rect(2, 2)
    assert before.copy(rect) != after.copy(rect)


def test_dimmed_cells_are_paler_and_come_back(values, plane, shown_map, screen, colors_of):
    heatmap = shown_map(plane(values))
    before = screen(heatmap)
    heatmap.set_shown(replace(heatmap.shown, dimmed=True))
    assert colors_of(heatmap, screen(heatmap), 1, 1) != colors_of(heatmap, before, 1, 1)
    heatmap.set_shown(replace(heatmap.shown, dimmed=False))
    assert screen(heatmap) == before


def test_palette_and_theme_recolor_what_is_shown(qapp, values, plane, shown_map, screen, colors_of):
    heatmap = shown_map(plane(values))
    heatmap.set_shown(replace(heatmap.shown, color_scale=replace(heatmap.shown.color_scale, palette="viridis")))
    color = heatmap.cell_at(1, 1)[1]
    assert colors_of(heatmap, screen(heatmap), 1, 1) == {color.name()}
    heatmap.set_shown(replace(heatmap.shown, color_scale=replace(heatmap.shown.color_scale, palette=None)))
    apply_theme(qapp, "dark")
    other = heatmap.cell_at(1, 1)[1]
    assert other != color
    assert colors_of(heatmap, screen(heatmap), 1, 1) == {other.name()}
