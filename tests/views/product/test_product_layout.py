"""Layout of the maps of the product picture, also where there is hardly any room."""

from __future__ import annotations

from PySide6.QtGui import QFontMetricsF

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.names import AxisNames
from attn_gui.views.product.map_labels import label_width
from attn_gui.views.product.product_layout import (
    TALLEST_COLUMN_LABEL,
    WIDEST_ROW_LABEL_COMPACT,
    ProductNeeds,
    label_font,
    lay_out,
)
from tests.failing import each


@each("size", [(0, 0), (40, 30), (200, 160), (700, 500)])
@each("shape", [(1, 1), (5, 1), (1, 7), (3, 300), (300, 3), (4096, 4096)])
def test_there_is_always_a_cell_to_show(size, shape):
    rows, columns = shape
    needs = ProductNeeds(
        rows=rows, columns=columns, left_columns=32, top_rows=32, factor_rows=columns, result_columns=16
    )
    places = lay_out(needs, *size)
    assert places.stage.width() >= 1
    assert places.stage.height() >= 1
    assert 1 <= places.rows <= rows
    assert 1 <= places.columns <= columns


LARGE_TYPE = {
    "least_side": 160,
    "least_top": 128,
    "gap": 36,
    "padding": 24,
    "row_labels": 122,
    "bars": 72,
    "comfortable_cell": 36,
    "largest_cell": 128,
}


def test_large_type_leaves_a_small_map_square():
    needs = ProductNeeds(16, 16, left_columns=32, top_rows=32, factor_rows=16, result_columns=32, **LARGE_TYPE)
    stage = lay_out(needs, 684, 660).stage
    assert stage.width() == stage.height() >= 16 * 9


def test_large_type_pushes_no_map_of_a_long_sequence_out_of_the_picture():
    needs = ProductNeeds(512, 512, left_columns=32, top_rows=32, factor_rows=512, result_columns=32, **LARGE_TYPE)
    places = lay_out(needs, 684, 660)
    assert places.rows == places.columns == 512
    assert places.stage.width() == places.stage.height() >= 160
    for place in (places.left, places.top, places.factor, places.result):
        assert min(place.width(), place.height()) >= 90
    assert max(places.result.right(), places.factor.right()) < 684 - 24
    assert places.stage.bottom() < 660 - 72


@each(("compact", "most"), [(False, TALLEST_COLUMN_LABEL), (True, WIDEST_ROW_LABEL_COMPACT)])
@each("token", ["because", "Thinking", "Machines"])
def test_a_usual_token_is_not_cut_where_it_is_chosen(qapp, compact, most, token):
    """The strip of a chosen label leaves its letters less by the ends of the chip."""
    room = label_width(AxisNames([token]), label_font(compact), most) - 3 * SPACING.s
    assert room >= QFontMetricsF(label_font(compact, 600)).horizontalAdvance(token)
