"""Long planes: read in parts, their cells and pixels exactly, their entropies while nothing else happens."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QObject

from attn_gui.engine import Evaluation, Plane, Problem
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.pooling import pool_blocks
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.colors import AUTO, LEVEL_RULES, MOST
from attn_gui.pictures import entropies as module
from attn_gui.pictures import planes
from attn_gui.pictures.entropies import HeadEntropies
from attn_gui.pictures.planes import Span
from attn_gui.pictures.tile_cache import TileCache
from attn_gui.views.map import cells_picture, color_scales
from attn_gui.views.map.cells_picture import bins_of
from attn_gui.views.map.color_scales import counts_of, levels_of_plane
from tests.failing import each


class Asked:
    """A matrix that remembers the largest block that it was asked for."""

    signed = True

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.largest = values, 0
        self.shape = values.shape

    def block(self, rows, columns):
        found = self.values[rows, columns]
        self.largest = max(self.largest, found.size)
        return found, None

    def cells(self, box):
        return box[-2], box[-1]


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setattr(planes, "AT_ONCE", 1000)
    monkeypatch.setattr(color_scales, "COUNTED", 2000)
    monkeypatch.setattr(cells_picture, "OVERVIEW", 16)
    values = np.random.default_rng(0).normal(size=(101, 67))
    values[53, 29] = -40.0
    return Asked(values)


@each("window", [(0.0, 101.0, 0.0, 67.0), (3.5, 97.25, 10.0, 60.5)])
def test_a_picture_is_pooled_in_pieces(long, window):
    rows, columns = Span(101, 23, *window[:2]), Span(67, 31, *window[2:])
    values, allowed, _ = bins_of(long, rows, columns, slice(0, rows.bins), slice(0, columns.bins))
    whole, _ = pool_blocks(long.values, None, rows.cell_edges, columns.cell_edges)
    assert allowed is None
    assert np.array_equal(values, whole)
    assert long.largest <= 1000


def test_levels_see_the_one_spike_and_most_of_them_do_not(long):
    assert levels_of_plane(long, LEVEL_RULES[AUTO]).high == 40.0
    assert levels_of_plane(long, LEVEL_RULES[MOST]).high < 5.0
    assert long.largest <= 1000


def test_a_long_map_tells_that_it_holds_nan_without_counting_them(long):
    assert counts_of(long) == {}
    long.values[7, 5] = np.nan
    assert counts_of(long) == {1: 0}
    assert long.largest <= 1000


# --- cells and pixels of one axis belong to each other exactly ------------------------------------


@st.composite
def spans(draw: st.DrawFn) -> Span:
    count, pixels = draw(st.integers(1, 60)), draw(st.integers(1, 90))
    if draw(st.booleans()):
        return Span(count, pixels)
    low = draw(st.floats(0, count - 0.5))
    return Span(count, pixels, low, low + draw(st.floats(0.5, count)))


@given(spans())
def test_bins_cover_all_pixels_and_all_cells_in_view_once(span: Span) -> None:
    assert span.pixel_edges[0] == 0
    assert span.pixel_edges[-1] == span.pixels
    assert (span.pixel_edges[1:] >= span.pixel_edges[:-1]).all()
    assert (span.cell_edges[1:] > span.cell_edges[:-1]).all()
    assert span.shown.start <= span.low
    assert span.shown.stop >= span.high


@given(spans())
@example(Span(20, 398, 0.0, 10.001))  # the last cell in view is cut so far that it has no pixel: a line there crashed
def test_every_line_between_cells_is_on_a_pixel(span: Span) -> None:
    lines = span.firsts(slice(0, span.bins)).tolist()
    assert lines == sorted(set(lines))
    assert all(0 < line < span.pixels for line in lines)


@given(spans())
def test_every_pixel_finds_its_bin_and_every_cell_its_pixels(span: Span) -> None:
    for pixel in range(span.pixels):
        found = span.bin_at(pixel)
        assert found is not None
        assert span.bins_at(pixel, pixel) == slice(found, found + 1)
        pixels = span.pixels_of(slice(found, found + 1))
        assert pixels.start <= pixel < pixels.stop
    for cell in range(span.shown.start, span.shown.stop):
        bins = span.bins_of(slice(cell, cell + 1))
        assert bins.stop - bins.start == 1
        cells = span.cells_of(bins)
        assert cells.start <= cell < cells.stop


def test_whole_cells_take_whole_pixels() -> None:
    span = Span(7, 7 * 13)
    assert [span.pixels_of_cells(slice(k, k + 1)) for k in range(7)] == [slice(13 * k, 13 * k + 13) for k in range(7)]
    assert not span.pooled
    assert span.whole


def test_pixels_outside_and_cells_outside_belong_to_nothing() -> None:
    span = Span(10, 50, 2, 7)
    assert span.bin_at(-1) is None
    assert span.bin_at(50) is None
    for cells in (slice(0, 2), slice(7, 10)):
        bins = span.bins_of(cells)
        assert bins.stop == bins.start


def test_an_axis_without_cells_or_pixels_is_empty() -> None:
    for span in (Span(0, 20), Span(5, 0)):
        assert span.bins == 0
        assert span.bin_at(0) is None
        assert span.pixels_of_cells(slice(0, 1)) == slice(0, 0)


# --- entropies of long heads are measured while nothing else happens ------------------------------


@pytest.fixture
def evaluation() -> Evaluation:
    random = np.random.default_rng(3)
    query, key, value = (random.normal(size=(rows, 6)) for rows in (11, 13, 13))
    return DenseEvaluation(Problem(query=query, key=key, value=value, num_heads=2))


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 26)  # two rows


def mean(evaluation: Evaluation, head: int) -> float:
    return float(row_entropy(evaluation.block("weights", 0, head, slice(0, 11), slice(0, 13))).mean())


def long_planes(evaluation: Evaluation) -> list[Plane]:
    return [Plane(evaluation, "weights", 0, head) for head in range(2)]


def test_a_long_head_is_measured_when_idle(qtbot, evaluation, small_steps):
    owner = QObject()  # a parent that is not held takes its children with it
    measured = HeadEntropies(owner)
    with qtbot.waitSignals([measured.measured] * 2):
        measured.set_planes(long_planes(evaluation))
        assert measured.mean(0) is None
    assert measured.mean(0) == pytest.approx(mean(evaluation, 0))
    assert measured.mean(1) == pytest.approx(mean(evaluation, 1))


def test_a_row_is_measured_at_once(evaluation):
    owner = QObject()  # a parent that is not held takes its children with it
    measured = HeadEntropies(owner)
    measured.set_planes(long_planes(evaluation))
    assert measured.mean(1) == pytest.approx(mean(evaluation, 1))


@each("kind", [DenseEvaluation, StreamingEvaluation])
def test_a_row_set_by_hand_counts_whatever_its_sign(qtbot, evaluation, kind):
    """A weight of 2 has an entropy below 0; a row that sees no key has none."""
    by_hand = {"kind": "set", "stage": "weights", "at": {"head": 0, "query": 0, "key": 0}, "values": 2.0}
    closed = np.ones((11, 13), dtype=bool)
    closed[4] = False
    masked = evaluation.problem.replace(interventions=(by_hand,), mask=({"kind": "custom", "allowed": closed},))
    owner, measured = QObject(), kind(masked)
    weights = DenseEvaluation(masked).block("weights", 0, 0, slice(0, 11), slice(0, 13))
    entropies = row_entropy(weights)
    assert entropies[0] < 0
    found = HeadEntropies(owner)
    if kind is StreamingEvaluation:
        TileCache(measured, owner)
    found.set_planes(long_planes(measured))
    qtbot.waitUntil(lambda: found.mean(0) is not None)
    assert found.mean(0) == pytest.approx(np.delete(entropies, 4).mean())
