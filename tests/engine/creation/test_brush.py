"""Shapes of the brush, cell by cell against their definitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine.creation import mask_cells
from attn_gui.engine.creation.mask_cells import SHAPES, Path, first_layer, line, paint_cells

N, M = 11, 7

DEFINITIONS: dict[str, Callable[[int, int, Path], bool]] = {
    "cell": lambda i, j, path: (i, j) in path,
    "rectangle": lambda i, j, path: between(i, path, 0) and between(j, path, 1),
    "row": lambda i, j, path: between(i, path, 0),
    "column": lambda i, j, path: between(j, path, 1),
    "band": lambda i, j, path: between(j - i, [(b - a,) for a, b in path], 0),
}


def between(number: int, path: list[tuple[int, ...]] | Path, axis: int) -> bool:
    ends = path[0][axis], path[-1][axis]
    return min(ends) <= number <= max(ends)


cells = st.tuples(st.integers(0, N - 1), st.integers(0, M - 1))


@pytest.mark.parametrize("key", SHAPES)
@given(st.lists(cells, min_size=1, max_size=4), st.integers(1, 3 * M))
def test_a_shape_covers_what_its_definition_says(key: str, path: Path, at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mask_cells, "AT_ONCE", at_once)
        layer = first_layer(SHAPES[key], path, N, M)
    expected = [[not DEFINITIONS[key](i, j, path) for j in range(M)] for i in range(N)]
    np.testing.assert_array_equal(layer.cells, expected)


@pytest.mark.parametrize("key", SHAPES)
@given(st.lists(cells, min_size=1, max_size=4))
def test_what_is_outlined_is_what_is_covered(key: str, path: Path) -> None:
    outlined = np.zeros((N, M), bool)
    for area in SHAPES[key].areas(path, N, M):
        outlined[area] = True
    np.testing.assert_array_equal(outlined, ~first_layer(SHAPES[key], path, N, M).cells)


@pytest.mark.parametrize("key", SHAPES)
@given(st.lists(cells, min_size=1, max_size=4))
def test_the_same_gesture_opens_what_it_has_closed(key: str, path: Path) -> None:
    closed = first_layer(SHAPES[key], path, N, M).cells
    assert closed is not None
    area = SHAPES[key].area(path, N, M)
    assert paint_cells(closed[area], SHAPES[key], path, area, opens=True).all()


def test_a_layer_that_does_not_tell_rows_apart_takes_the_columns():
    row = np.ones((3, 1, M), bool)
    area = slice(2, 5), slice(1, 4)
    found = paint_cells(row[1:2, :, area[1]], SHAPES["rectangle"], [(2, 1), (4, 3)], area, opens=False)
    assert found.tolist() == [[[False] * 3]]
    column = np.ones((N, 1), bool)
    found = paint_cells(column[area[0]], SHAPES["cell"], [(2, 1), (3, 3)], area, opens=False)
    assert found.tolist() == [[False], [False], [True]]


@given(cells, cells)
def test_a_line_has_no_gaps_and_no_detours(first, last):
    found = line(first, last)
    assert (found[0], found[-1]) == (first, last)
    steps = [max(abs(a - c), abs(b - d)) for (a, b), (c, d) in pairwise(found)]
    assert all(step <= 1 for step in steps)
    assert len(found) == max(abs(first[0] - last[0]), abs(first[1] - last[1]), 1) + 1
