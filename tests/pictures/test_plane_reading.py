"""Long planes are never asked for in one block, and look as if they had been."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Plane, Problem
from attn_gui.engine.evaluation.pooling import pool_blocks
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.levels import AUTO, LEVEL_RULES, MOST
from attn_gui.pictures import plane_reading, planes
from attn_gui.pictures.geometry import Span
from attn_gui.pictures.plane_reading import bins_of
from attn_gui.views.map import color_scales
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
    monkeypatch.setattr(plane_reading, "OVERVIEW", 16)
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


def test_a_map_that_is_computed_as_it_is_read_draws_its_own_picture():
    random = np.random.default_rng(1)
    query, key, value = (random.normal(size=(97, 8)) for _ in range(3))
    evaluation = StreamingEvaluation(Problem(query=query, key=key, value=value, num_heads=2))
    plane = Plane(evaluation, "weights", 0, 1)
    whole, _ = plane.block(slice(0, 97), slice(0, 97))
    large, small = Span(97, 41), Span(97, 11)
    for span, leads in ((large, True), (small, False)):
        values, _, _ = bins_of(plane, span, span, slice(0, span.bins), slice(0, span.bins), leads=leads)
        expected, _ = pool_blocks(whole, None, span.cell_edges, span.cell_edges)
        assert values.max() == pytest.approx(whole.max())
        assert values.shape == expected.shape
    part, _, _ = bins_of(plane, large, large, slice(3, 5), slice(7, 19), leads=True)
    expected, _ = pool_blocks(whole, None, large.cell_edges[3:6], large.cell_edges[7:20])
    assert part == pytest.approx(expected)
