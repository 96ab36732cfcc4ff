"""Boxes of cells: what joins many of them, and at which price."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine.graph import indices

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
