"""Boxes of cells, joined at a price; products of arrays laid out by letter: a part beside the whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine.graph import indices
from attn_gui.engine.graph.indices import contract

EDGES = st.tuples(st.integers(0, 5), st.integers(1, 4)).map(lambda cut: slice(cut[0], cut[0] + cut[1]))
BOXES = st.lists(st.tuples(EDGES, EDGES), min_size=1, max_size=9)


@given(BOXES)
def test_joined_boxes_hold_all_and_none_lies_in_another(boxes):
    found = indices.join(boxes)
    assert len(found) <= indices.MOST_BOXES
    assert all(any(indices.contains(outer, box) for outer in found) for box in boxes)
    assert not [one for one in found for other in found if one is not other and indices.contains(other, one)]
    assert indices.around(found) == indices.around(boxes)


def test_thousands_of_boxes_are_not_held_against_each_other(monkeypatch):
    """The reach of a cell in a batch of 4,096 held up the window for 43 s; the walk met it."""
    asked, contains = [], indices.contains
    monkeypatch.setattr(indices, "contains", lambda outer, inner: asked.append(1) or contains(outer, inner))
    boxes = [(slice(item, item + 1), slice(0, 1)) for item in range(0, 8192, 2)]
    assert indices.join(boxes) == [(slice(0, 8191), slice(0, 1))]
    assert len(asked) <= len(boxes)


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
