"""Frames of pages: a page at the least size that it asks for has room, whatever sums of sizes leave by rounding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.figure.pages.base import MARGIN, NoRoom, PageStyle, framed

SIZES = st.floats(0.1, 5000)


@given(SIZES, SIZES, SIZES, st.text(max_size=200))
def test_a_page_has_room_at_its_own_size_and_at_the_least(width, least, tall, note):
    def made(width: float, height: float | None) -> float:
        size = least / 3, least
        return framed(
            PageStyle("light", "en"), width, height, title="", note=note, tall=lambda _: tall, least=size
        ).height

    wide = max(width, least / 3 + 2 * MARGIN)
    assert made(wide, None) > least
    with pytest.raises(NoRoom) as lack:
        made(wide, 0.01)
    assert made(wide, lack.value.least) == lack.value.least
    with pytest.raises(NoRoom) as lack:
        made(0.01, None)
    made(lack.value.least, None)
