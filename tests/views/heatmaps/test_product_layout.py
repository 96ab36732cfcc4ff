"""Where the maps of the product picture lie, also where there is hardly any room."""

from __future__ import annotations

import pytest

from attn_gui.views.heatmaps.product_layout import Needs, lay_out


@pytest.mark.parametrize("size", [(0, 0), (40, 30), (200, 160), (700, 500)])
@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (1, 7), (3, 300), (300, 3), (4096, 4096)])
def test_there_is_always_a_cell_to_show(size, shape):
    rows, columns = shape
    needs = Needs(rows=rows, columns=columns, left_columns=32, top_rows=32, factor_rows=columns, result_columns=16)
    places = lay_out(needs, *size)
    assert places.stage.width() >= 1
    assert places.stage.height() >= 1
    assert 1 <= places.rows <= rows
    assert 1 <= places.columns <= columns
