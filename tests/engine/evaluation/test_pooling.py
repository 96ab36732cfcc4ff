from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_gui.engine.evaluation.pooling import block_edges, pool, pool_blocks

WILD = st.floats(-100, 100, width=32) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0])


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 13), st.integers(1, 11)), elements=WILD),
    st.integers(1, 13),
    st.integers(1, 11),
    st.data(),
)
def test_a_block_shows_its_largest_magnitude(values: np.ndarray, rows: int, columns: int, data: st.DataObject) -> None:
    values = np.asarray(values, order=data.draw(st.sampled_from("CF")))  # rows or columns one behind the other
    allowed = data.draw(st.none() | hnp.arrays(np.bool_, values.shape))
    pooled, opened = pool(values, allowed, rows, columns)
    down, across = block_edges(values.shape[0], rows), block_edges(values.shape[1], columns)
    assert pooled.shape == (len(down) - 1, len(across) - 1)
    assert (opened is None) == (allowed is None)
    for i, j in np.ndindex(pooled.shape):
        block = np.s_[down[i] : down[i + 1], across[j] : across[j + 1]]
        cells = values[block].ravel() if allowed is None else values[block][allowed[block]]
        if opened is not None:
            assert opened[i, j] == bool(cells.size)
        if not cells.size:
            continue
        if np.isnan(cells).any():
            assert np.isnan(pooled[i, j])
        else:
            assert abs(pooled[i, j]) == np.abs(cells).max()
            assert pooled[i, j] in cells


def test_a_part_of_a_picture_can_be_redone_alone() -> None:
    values = np.random.default_rng(7).standard_normal((103, 97))
    down, across = block_edges(103, 10), block_edges(97, 13)
    whole, _ = pool(values, None, 10, 13)
    part, _ = pool_blocks(values, None, down[3:8], across[5:12])
    assert (part == whole[3:7, 5:11]).all()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_nothing_pools_to_nothing(shape: tuple[int, int]) -> None:
    pooled, opened = pool(np.zeros(shape), np.zeros(shape, bool), 3, 3)
    assert pooled.size == 0
    assert opened is not None
