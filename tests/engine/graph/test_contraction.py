"""Products of arrays laid out by letter: a part of the result beside the whole."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine.graph.indices import contract


@pytest.mark.parametrize("wild", [0.5, np.nan, np.inf])
@pytest.mark.parametrize("zero_wins", [False, True])
def test_terms_added_in_order_give_a_part_the_bits_of_the_whole(rng, wild, zero_wins):
    """Also where NaN or infinity of another part is not in it."""
    a, b = rng.normal(size=(2, 5, 97, 1)), rng.normal(size=(2, 1, 97, 4))
    a[:, 1] *= rng.random((97, 1)) < 0.5
    b[0, 0, 3, 1] = wild
    with np.errstate(invalid="ignore"):
        whole = contract(a, b, axes=(2,), ordered=True, zero_wins=zero_wins)
        for item in range(2):
            for columns in (slice(0, 4), slice(2, 4)):
                mine = a[item : item + 1], b[item : item + 1, ..., columns]
                part = contract(*mine, axes=(2,), ordered=True, zero_wins=zero_wins)
                np.testing.assert_array_equal(part, whole[item : item + 1, ..., columns])
