"""Levels are taken when something else is shown and at rest, never by an edit alone; the color bar says them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from attn_gui.engine import DenseEvaluation, Plane, Problem
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.figure.colors import LOCKED, PLAIN, TYPED, ColorScale, Levels, lut
from attn_gui.figure.design_tokens import THEMES
from attn_gui.lessons.exercises import CoveredEvaluation
from attn_gui.views.map.colorbar import ColorBar
from tests.failing import each

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def shown(plane):
    values = np.zeros((10, 20))
    values[3, 4] = -3.0
    return plane(values)


@pytest.fixture
def bar(qtbot, shown, shown_map):
    heatmap = shown_map(shown)
    window = QWidget()
    window.resize(400, 400)
    color_bar = ColorBar(heatmap, window)
    qtbot.addWidget(window)
    color_bar.scalePicked.connect(lambda scale: heatmap.set_shown(replace(heatmap.shown, color_scale=scale)))
    color_bar.resize(300, color_bar.heightForWidth(300))
    window.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    window.show()
    window.setFocus()  # and not the bar, which would draw its ring
    color_bar.map, color_bar.home = heatmap, window
    return color_bar


def test_an_edit_keeps_the_levels_until_rest(shown, shown_map, qtbot):
    heatmap = shown_map(shown)
    assert heatmap.levels == Levels(-3.0, 3.0)
    shown.values[0, 0] = 8.0
    heatmap.refresh(slice(0, 1), slice(0, 1))
    assert heatmap.levels == Levels(-3.0, 3.0)
    with qtbot.waitSignal(heatmap.levelsChanged) as told:
        heatmap.retake_levels()
    assert told.args == [Levels(-8.0, 8.0)]
    with qtbot.assertNotEmitted(heatmap.levelsChanged):
        heatmap.retake_levels()


def test_a_map_that_begins_covered_has_the_levels_that_it_has_uncovered(shown_map):
    rng = np.random.default_rng(3)
    evaluation = DenseEvaluation(Problem(**{name: rng.standard_normal((3, 2)) for name in ("query", "key", "value")}))
    row, column = np.unravel_index(np.argmax(np.abs(evaluation.held("scores"))), (1, 1, 3, 3))[-2:]
    covered = CoveredEvaluation(evaluation, [Blank("scores", (0, 0, int(row), int(column)))])
    assert np.isnan(Plane(covered, "scores").block(slice(0, 3), slice(0, 3))[0]).any()
    heatmap = shown_map(Plane(covered, "scores"))
    levels = heatmap.levels
    heatmap.set_shown(replace(heatmap.shown, plane=Plane(evaluation, "scores")))
    assert heatmap.levels == levels


def test_typed_and_locked_levels_stay(shown, plane, shown_map):
    heatmap = shown_map(shown)
    heatmap.set_shown(replace(heatmap.shown, color_scale=ColorScale(TYPED, Levels(-1.0, 2.0))))
    heatmap.retake_levels()
    heatmap.set_shown(replace(heatmap.shown, plane=plane(np.full((10, 20), 5.0))))
    assert heatmap.levels == Levels(-1.0, 2.0)
    heatmap.set_shown(replace(heatmap.shown, color_scale=PLAIN))
    assert heatmap.levels == Levels(-5.0, 5.0)
    heatmap.set_shown(replace(heatmap.shown, color_scale=ColorScale(LOCKED, heatmap.levels)))
    heatmap.set_shown(replace(heatmap.shown, plane=shown))
    assert heatmap.levels == Levels(-5.0, 5.0)


def test_the_popup_shows_how_the_finite_values_are_spread(plane, shown_map, qtbot):
    values = np.zeros((10, 20))
    values[0, :4] = np.nan, np.inf, -np.inf, 3.0
    heatmap, window = shown_map(plane(values)), QWidget()
    window.resize(400, 400)
    color_bar = ColorBar(heatmap, window)
    qtbot.addWidget(window)
    window.show()
    histogram = color_bar.open_popup().histogram
    assert histogram.counts.sum() == 197
    assert sorted(histogram.counts[histogram.counts > 0].tolist()) == [1, 196]
    assert histogram.accessibleDescription() == "from 0 to 3"
    heatmap.set_shown(replace(heatmap.shown, plane=plane(np.full((2, 2), np.nan))))
    assert histogram.counts.sum() == 0
    assert histogram.accessibleDescription() == "no finite value"
    heatmap.set_shown(replace(heatmap.shown, plane=plane(np.array([[1e308, -1e308]]))))
    assert histogram.counts.sum() == 2
    histogram.grab()


def test_zero_keeps_the_middle_color_whatever_levels_are_typed(plane, shown_map):
    heatmap = shown_map(plane(np.array([[-5.0, -0.5, 0.0, 0.06, 5.0, 20.0]])), 20, 20)
    heatmap.set_shown(replace(heatmap.shown, color_scale=ColorScale(TYPED, Levels(-5.0, 20.0))))
    colors = [heatmap.cell_at(0, column)[1] for column in range(6)]
    table = lut("signed", "light")
    assert colors[2].rgb() == table[256]
    assert colors[3].red() >= colors[3].blue(), "a positive number is never blue"
    assert colors[1].blue() >= colors[1].red()
    assert colors[5].rgb() == table[511]
    assert abs(int(colors[4].lightness()) - int(colors[0].lightness())) < 40  # the same size, the same depth
    heatmap.set_shown(replace(heatmap.shown, color_scale=ColorScale(TYPED, Levels(2.0, 20.0))))
    assert heatmap.cell_at(0, 4)[1].red() > heatmap.cell_at(0, 4)[1].blue()
    heatmap.set_shown(replace(heatmap.shown, color_scale=ColorScale(TYPED, Levels(-5.0, 20.0), "viridis")))
    assert heatmap.cell_at(0, 0)[1].rgb() == lut("viridis")[0]


def test_levels_are_typed_and_wrong_ones_are_not_taken(bar):
    popup = bar.open_popup()
    low, high = popup.findChildren(QLineEdit)[:2]
    for edit, text in ((low, "-1.5"), (high, "4")):
        edit.selectAll()
        QTest.keyClicks(edit, text)
    assert bar.map.levels == Levels(-1.5, 4.0)
    for text in ("abc", "-2", "nan", "inf", "7,500"):
        high.selectAll()
        QTest.keyClicks(high, text)
        assert high.property("wrong") == "true"
    assert bar.map.levels.low == -1.5
    popup.close_panel()


@each(("width", "high", "count"), [(300, 0.0408, 5), (200, 1.6622, 3), (150, 0.0408, 3), (96, 0.0408, 2)])
def test_only_values_that_do_not_run_into_one_another_are_written(bar, screen, width, high, count):
    bar.map.set_shown(replace(bar.map.shown, color_scale=ColorScale(TYPED, Levels(-high if high > 1 else 0.0, high))))
    bar.resize(width, bar.heightForWidth(width))
    image, ticks, row_of_ticks = screen(bar), THEMES["light"].line_strong, 9
    assert sum(image.pixelColor(x, row_of_ticks) == ticks for x in range(width)) == count


def test_the_bar_says_what_a_dot_in_a_cell_stands_for_and_needs_no_room_for_it(plane, shown_map, qtbot):
    weights = np.full((3, 4), 0.25)
    weights[1] = 0.001, 0.002, 0.003, 0.994
    heatmap = shown_map(plane(weights, signed=False), 40, 40)
    color_bar = ColorBar(heatmap)
    qtbot.addWidget(color_bar)
    color_bar.recount()
    assert not color_bar.dots_text()  # no numbers, no dots
    tall = color_bar.heightForWidth(200)
    heatmap.set_shown(replace(heatmap.shown, values=True))
    heatmap.grab()
    assert color_bar.dots_text() == "· < 0.005"
    assert color_bar.heightForWidth(200) == tall
    weights[...] = 0.25
    heatmap.refresh(*(slice(0, length) for length in heatmap.shape))
    color_bar.recount()
    assert not color_bar.dots_text()
