"""Room that the maps and words of a stage's picture need."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtGui import QFont, QFontMetricsF

from attn_gui.engine import STAGE
from attn_gui.figure.operands import KEY, QUERY, picture_of
from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.views.product.axis_labels import label_width, labels_fit
from attn_gui.views.product.lettering import words_width
from attn_gui.views.product.product_layout import Needs, Places, lay_out
from attn_gui.views.product.stage_maps import StageMaps
from attn_gui.views.theme import scaled, ui_font
from attn_gui.views.words.names import NO_NAMES, AxisNames

WIDEST_ROW_LABEL, WIDEST_ROW_LABEL_COMPACT, TALLEST_COLUMN_LABEL = 96, 54, 58
LEAST_SIDE, LEAST_TOP, LEAST_TOP_TIGHT, LARGEST_CELL, COMFORTABLE_CELL = 80, 64, 48, 64, 18
READABLE_TOP = 120
"""Up to so high the maps above insist on rows that have room for their numbers."""


def needs_of(
    maps: StageMaps, stage: str, *, compact: bool, tight: bool, head: int, bars: int, corner: int, turned: bool
) -> Needs:
    """Room for the picture of a stage: pixels of words above a map that stands alone (`head`), below (`bars`), and
    left of a map above (`corner`).

    `turned` tokens over columns are read from below and take their length.
    """
    assert maps.evaluation is not None
    picture = picture_of(stage, maps.evaluation)
    planes = {
        place: operand.plane(maps.evaluation, maps.batch, maps.head) for place, operand in picture.operands().items()
    }
    sizes = {place: plane.shape for place, plane in planes.items() if plane is not None}
    nothing = (0, 0)
    rows, columns = maps.map(stage).shape
    row_labels, column_labels = axis_labels(maps, stage)
    font = label_font(tight)
    widest = scaled(WIDEST_ROW_LABEL_COMPACT if compact else WIDEST_ROW_LABEL)
    tallest = label_width(column_labels, font, scaled(TALLEST_COLUMN_LABEL))
    return Needs(
        rows,
        columns,
        sizes.get("left", nothing)[1],
        sizes.get("top", nothing)[0],
        sizes.get("factor", nothing)[0],
        sizes.get("result", nothing)[1],
        square=STAGE[stage].square,
        row_labels=math.ceil(max(label_width(row_labels, font, widest), axis_name_width())),
        column_labels=math.ceil(tallest) if turned and column_labels else line_height(),
        head=0 if sizes else head,
        bars=bars,
        corner=corner,
        padding=padding(tight),
        gap=gap(tight),
        least_side=scaled(LEAST_SIDE),
        least_top=_least_top(sizes, LEAST_TOP_TIGHT if tight else LEAST_TOP),
        largest_cell=scaled(LARGEST_CELL),
        comfortable_cell=scaled(COMFORTABLE_CELL),
    )


def places_of(
    maps: StageMaps, stage: str, size: QSize, *, compact: bool, tight: bool, head: int, bars: int, corner: int
) -> Places:
    """The places for the picture of a stage; tokens over columns are turned where they do not fit as they are."""
    labels, font = axis_labels(maps, stage)[1], label_font(tight)
    for turned in (False, True):
        needs = needs_of(maps, stage, compact=compact, tight=tight, head=head, bars=bars, corner=corner, turned=turned)
        places = lay_out(needs, size.width(), size.height())
        if labels_fit(labels, font, places.stage.width() / places.columns):
            break
    return places


def _least_top(sizes: Mapping[str, tuple[int, int]], least: int) -> int:
    """Pixels for the maps above the stage and above its result, at least so many logical ones."""
    rows = max(sizes.get("top", (0, 0))[0], sizes.get("factor", (0, 0))[0])
    readable = rows * scaled(SIZE.value_min_cell_height)
    return max(scaled(least), readable if readable <= scaled(READABLE_TOP) else 0)


def axis_labels(maps: StageMaps, stage: str) -> tuple[AxisNames, AxisNames]:
    """The labels at the rows and columns of a stage: tokens, else numbers; nothing at columns that are features."""
    rows, columns = maps.labels(stage)
    shape = maps.map(stage).shape
    return rows or _numbers(shape[0]), (columns or _numbers(shape[1])) if STAGE[stage].square else NO_NAMES


@functools.lru_cache(maxsize=8)
def _numbers(count: int) -> AxisNames:
    """Made once: a wheel turned over a long sequence asks for them again and again."""
    return AxisNames(range(count))


def axis_name_width() -> float:
    """Pixels of "query ↓" or "key ↓" with its distance from the map."""
    return max(words_width([(name, "small", "text", 400)]) for name in axis_names().values()) + 2 * scaled(SPACING.s)


def axis_names() -> dict[str, str]:
    """The names over the rows, by their role."""
    return {
        QUERY: QCoreApplication.translate("ProductPicture", "query ↓"),
        KEY: QCoreApplication.translate("ProductPicture", "key ↓"),
    }


def padding(tight: bool) -> int:
    """Pixels between the picture and its edges."""
    return scaled(SPACING.panel_padding_compact if tight else SPACING.panel_padding)


def gap(tight: bool) -> int:
    """Pixels between two maps: at least a line of words."""
    return max(scaled(SPACING.map_gap_compact if tight else SPACING.map_gap), line_height())


def line_height() -> int:
    """Pixels of a caption with the room around it."""
    return round(QFontMetricsF(ui_font("small")).height()) + scaled(SPACING.s)


def label_font(tight: bool, weight: int = 400) -> QFont:
    """The type of tokens at rows and columns."""
    return ui_font("small" if tight else "body", weight)
