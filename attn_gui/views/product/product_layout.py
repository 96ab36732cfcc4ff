"""Sizes in the product picture: large map's cells, columns of Q, V and O beside it, V above or left out, labels."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QRect, QSize
from PySide6.QtGui import QFont, QFontMetricsF, QRegion

from attn_gui.engine import STAGE
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.figure.stage_formulas import KEY, QUERY, STAGE_PLACE, StageOperands, picture_of
from attn_gui.pictures.planes import Window
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.names import AxisNames
from attn_gui.views.product.map_labels import label_width, labels_fit, words_width
from attn_gui.views.product.stage_maps import MarkedLines, OperandMaps, StageMaps
from attn_gui.views.theme import scaled, ui_font

STEEPEST = 3
"""Cells of a stage of queries and keys are at most so many times as wide as high, or as high as wide."""

LEAST_SHARE, LEAST_SHARE_ABOVE = 6, 5
"""Matrices beside and above the stage insist on no more than these parts of the picture, however large the type is."""

ALONE_ABOVE = 6
"""A matrix above the result alone, with none above the stage, takes no more than this part: else it is left out."""


class ProductNeeds(NamedTuple):
    """Sizes to be laid out: numbers of cells, and pixels for words. A count of 0 means no such map."""

    rows: int
    columns: int
    left_columns: int = 0
    top_rows: int = 0
    factor_rows: int = 0
    result_columns: int = 0
    square: bool = True
    row_labels: int = 0
    column_labels: int = 0
    head: int = 0  # rows of words above everything, where no operand stands beside them
    bars: int = 0
    corner: int = 0  # width of the words left of the top map, for which spare room is used
    padding: int = 12
    gap: int = 18
    least_side: int = 80
    least_top: int = 64
    largest_cell: int = 150
    large_cell: int = 64
    largest_operand_cell: int = 96
    readable: tuple[int, int] = (0, 0)  # least width and height of a cell with its number; (0, 0): any
    readable_operand: int = 0  # width of a column of an operand with its numbers; 0: any
    still_large: int = 0  # cells of a stage that gives room to them
    comfortable_cell: int = 16
    scroll_bar: int = 12

    @property
    def rows_above(self) -> int:
        """The rows of the map above the stage, or where there is none above its result."""
        return self.top_rows or self.factor_rows


class ProductPlaces(NamedTuple):
    """Rectangles of the cells; `rows` and `columns` are how many of the stage's are in view before any zoom."""

    stage: QRect
    rows: float
    columns: float
    row_labels: int
    left: QRect | None = None
    top: QRect | None = None
    factor: QRect | None = None
    result: QRect | None = None

    @property
    def row_height(self) -> float:
        """The height of a cell of the stage, in pixels."""
        return self.stage.height() / self.rows

    @property
    def cells(self) -> QRegion:
        """The pixels of all maps."""
        region = QRegion(self.stage)
        for rect in (self.left, self.top, self.factor, self.result):
            region += rect or QRect()
        return region


class StageSide(NamedTuple):
    """One axis of the stage: its pixels and how many cells they show."""

    pixels: int
    cells: float

    @property
    def cell(self) -> float:
        return self.pixels / self.cells


def lay_out(needs: ProductNeeds, width: int, height: int) -> ProductPlaces:
    """Return the largest stage that leaves its operands their least room; what remains goes to the operands.

    Operands share the rows and columns of the stage, not the size of its cells.
    """
    least_side = min(needs.least_side, width // LEAST_SHARE)
    least_top = min(needs.least_top, height // LEAST_SHARE_ABOVE)
    needs = needs._replace(least_side=least_side, least_top=least_top)
    if not needs.top_rows and (needs.gap + least_top) * ALONE_ABOVE > height:
        needs = needs._replace(factor_rows=0)
    needs, (across, down) = _with_numbers(needs, width, height)

    sides = bool(needs.left_columns) + bool(needs.result_columns)
    spare_width = width - 2 * needs.padding - needs.row_labels - across.pixels - sides * needs.gap
    if down.cells < needs.rows:
        spare_width -= needs.scroll_bar
    share = spare_width // sides if sides else 0
    largest = needs.largest_operand_cell
    left = operand_pixels(needs.left_columns, share, largest, needs.least_side)
    missing = max(0, needs.corner - needs.row_labels - left - needs.gap) if needs.top_rows else 0
    share = max(min(share, spare_width - left - missing), needs.least_side)
    right = operand_pixels(needs.result_columns, share, largest, needs.least_side)
    spare_height = height - 2 * needs.padding - needs.head - needs.column_labels - needs.bars - down.pixels - needs.gap
    above = operand_pixels(needs.top_rows, spare_height, largest, needs.least_top)
    if needs.top_rows and above >= needs.top_rows:  # rows of both are as high, or high enough for numbers
        largest = max(above // needs.top_rows, needs.readable[1])
    factor = operand_pixels(needs.factor_rows, spare_height, largest, needs.least_top)

    x = needs.padding + needs.row_labels + max(0, min(missing, spare_width - left - right))
    y = needs.padding + needs.head + needs.column_labels
    corner_x = x + (left + needs.gap if needs.left_columns else 0)
    corner_y = y + (max(above, factor) + needs.gap if needs.rows_above else 0)
    result_x = corner_x + across.pixels + needs.gap
    return ProductPlaces(
        QRect(corner_x, corner_y, across.pixels, down.pixels),
        down.cells,
        across.cells,
        needs.row_labels,
        QRect(x, corner_y, left, down.pixels) if needs.left_columns else None,
        QRect(corner_x, corner_y - needs.gap - above, across.pixels, above) if needs.top_rows else None,
        QRect(result_x, corner_y - needs.gap - factor, right, factor) if needs.factor_rows else None,
        QRect(result_x, corner_y, right, down.pixels) if needs.result_columns else None,
    )


def _with_numbers(needs: ProductNeeds, width: int, height: int) -> tuple[ProductNeeds, tuple[StageSide, StageSide]]:
    """Return the needs and the sides of the stage: operands insist on columns as wide as numbers need, where the stage
    keeps cells of a comfortable size beside them."""
    readable = max(needs.left_columns, needs.result_columns) * needs.readable_operand
    wider = needs._replace(least_side=max(needs.least_side, readable))
    sides = _sides_beside_words(wider, width, height)
    keeps = min(side.cell for side in sides) >= needs.still_large and sides[0].cells == needs.columns
    return (wider, sides) if keeps else (needs, _sides_beside_words(needs, width, height))


def _sides_beside_words(needs: ProductNeeds, width: int, height: int) -> tuple[StageSide, StageSide]:
    """Return columns and rows of the stage, with cells larger than large ones only where the words in the corner have
    their room."""
    close = needs._replace(corner=0, largest_cell=min(needs.large_cell, needs.largest_cell))
    fitted = (stage_sides(each, *_free_for_stage(each, width, height)) for each in (close, needs))
    return max(fitted, key=lambda sides: sides[1].cell)


def _free_for_stage(needs: ProductNeeds, width: int, height: int) -> tuple[int, int]:
    """Return the pixels across and down that corner words and the operands' least room leave to the stage."""
    beside = needs.gap + needs.least_side
    left = needs.row_labels + (beside if needs.left_columns else 0)
    free_width = width - 2 * needs.padding - max(left, needs.corner if needs.top_rows else 0)
    free_width -= beside if needs.result_columns else 0
    free_height = height - 2 * needs.padding - needs.head - needs.column_labels - needs.bars
    free_height -= needs.gap + needs.least_top if needs.rows_above else 0
    return max(free_width, 1), max(free_height, 1)


def stage_sides(needs: ProductNeeds, width: int, height: int) -> tuple[StageSide, StageSide]:
    """Return columns and rows of the stage in the room there is: whole pixels a cell where that is at least one."""
    rows, columns = max(needs.rows, 1), max(needs.columns, 1)
    if not needs.square:
        return (_fitted(columns, width, needs.largest_cell), _fitted(rows, height, needs.largest_cell))
    if rows >= columns:
        down, across = _long_and_short(needs, rows, columns, height, width)
    else:
        across, down = _long_and_short(needs, columns, rows, width, height)
    return _readable(needs, across, down, width), down


def _readable(needs: ProductNeeds, across: StageSide, down: StageSide, width: int) -> StageSide:
    """Return wider columns where the numbers fit their rows and not their columns, if there is room for it."""
    least_width, least_height = needs.readable
    narrow = across.cells == needs.columns and across.cell < least_width <= width // needs.columns
    return across._replace(pixels=needs.columns * least_width) if narrow and down.cell >= least_height else across


def operand_pixels(cells: int, room: int, largest_cell: int, least: int = 0) -> int:
    """Return the pixels of the free side of an operand: whole cells if at least one pixel each, else all the room.

    Cells grow beyond the largest where the operand would otherwise take less than `least`.
    """
    if not cells:
        return 0
    room = max(room, 1)
    return cells * min(room // cells, max(largest_cell, least // cells)) if cells <= room else room


def _long_and_short(
    needs: ProductNeeds, long: int, short: int, long_room: int, short_room: int
) -> tuple[StageSide, StageSide]:
    """Return sides of square cells, of unequal ones where one side has many more, and scrolling ones where even those
    are too thin."""
    cell = min(long_room / long, short_room / short, needs.largest_cell)
    cell = int(cell) if cell >= 1 else cell
    widest = cell
    if long >= 2 * short:
        widest = min(STEEPEST * cell, needs.largest_cell, short_room / short, long * cell / short)
        widest = int(widest) if widest >= 1 else widest
    crowded = cell < needs.comfortable_cell and long * needs.comfortable_cell > long_room
    if crowded and widest * short < needs.least_side and short <= short_room:
        widest = max(1, min(short_room // short, STEEPEST * needs.comfortable_cell))
        cell = max(1, int(cell), -(-widest // STEEPEST))
        seen = min(long, max(1, long_room // cell))  # one at least, also where there is no room at all
        return StageSide(seen * cell, seen), StageSide(short * int(widest), short)
    return _side(long, cell, long_room), _side(short, widest, short_room)


def _side(cells: int, cell: float, room: int) -> StageSide:
    pixels = cells * int(cell) if cell >= 1 else max(1, min(room, round(cells * cell)))
    return StageSide(pixels, cells)


def _fitted(cells: int, room: int, largest_cell: int) -> StageSide:
    return StageSide(operand_pixels(cells, room, largest_cell), cells)


WIDEST_ROW_LABEL, WIDEST_ROW_LABEL_COMPACT, TALLEST_COLUMN_LABEL = 96, 54, 58
LEAST_SIDE, LEAST_TOP, LEAST_TOP_TIGHT, COMFORTABLE_CELL = 80, 64, 48, 18
LARGEST_CELL, LARGE_CELL, LARGEST_OPERAND_CELL = 150, 64, 96
READABLE_WIDTH = 25
"""So wide a cell has room for a weight, or a signed number of two digits, in the least type."""
READABLE_OPERAND, STILL_LARGE = 32, 44
"""So wide a column of an operand has room for −0.6, and so large cells of the stage for −4.31."""
READABLE_TOP = 120
"""Up to so high the maps above insist on rows that have room for their numbers."""


def needs_of(
    maps: StageMaps, stage: str, *, compact: bool, tight: bool, head: int, bars: int, corner: int, turned: bool
) -> ProductNeeds:
    """Return the room for the picture of a stage: pixels of words above a map that stands alone (`head`), below
    (`bars`), and left of a map above (`corner`).

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
    return ProductNeeds(
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
        large_cell=scaled(LARGE_CELL),
        largest_operand_cell=scaled(LARGEST_OPERAND_CELL),
        readable=(scaled(READABLE_WIDTH), scaled(SIZE.value_min_cell_height)),
        readable_operand=scaled(READABLE_OPERAND),
        still_large=scaled(STILL_LARGE),
        comfortable_cell=scaled(COMFORTABLE_CELL),
    )


def places_of(
    maps: StageMaps, stage: str, size: QSize, *, compact: bool, tight: bool, head: int, bars: int, corner: int
) -> ProductPlaces:
    """Return the places for the picture of a stage.

    Tokens over columns are turned where they do not fit as they are.
    """
    labels, font = axis_labels(maps, stage)[1], label_font(tight)
    for turned in (False, True):
        needs = needs_of(maps, stage, compact=compact, tight=tight, head=head, bars=bars, corner=corner, turned=turned)
        places = lay_out(needs, size.width(), size.height())
        if labels_fit(labels, font, places.stage.width() / places.columns):
            break
    return places


def _least_top(sizes: Mapping[str, tuple[int, int]], least: int) -> int:
    """Return the pixels for the maps above the stage and above its result, at least so many logical ones."""
    rows = max(sizes.get("top", (0, 0))[0], sizes.get("factor", (0, 0))[0])
    readable = rows * scaled(SIZE.value_min_cell_height)
    return max(scaled(least), readable if readable <= scaled(READABLE_TOP) else 0)


def axis_labels(maps: StageMaps, stage: str) -> tuple[AxisNames, AxisNames]:
    """Return the labels of rows and columns of a stage: tokens, else numbers; none at columns that heads share."""
    (rows, columns), heatmap, plane = maps.labels(stage), maps.map(stage), maps.map(stage).plane
    numbers = range(0) if plane is None or heatmap.shown.bands else plane.column_numbers  # as the tables count them
    return rows or _numbers(range(heatmap.shape[0])), columns or _numbers(numbers)


@functools.lru_cache(maxsize=8)
def _numbers(numbers: range) -> AxisNames:
    """Return the names of numbers, made once: a wheel over a long sequence asks for them again and again."""
    return AxisNames(numbers)


def axis_name_width() -> float:
    """Return the pixels of "query ↓" or "key ↓" with its distance from the map."""
    return max(words_width([(name, "small", "text", 400)]) for name in axis_names().values()) + 2 * scaled(SPACING.s)


def axis_names() -> dict[str, str]:
    """Return the names over the rows, by their role."""
    return {
        QUERY: QCoreApplication.translate("ProductPicture", "query ↓"),
        KEY: QCoreApplication.translate("ProductPicture", "key ↓"),
    }


def padding(tight: bool) -> int:
    """Return the pixels between the picture and its edges."""
    return scaled(SPACING.panel_padding_compact if tight else SPACING.panel_padding)


def gap(tight: bool) -> int:
    """Return the pixels between two maps: at least a line of words."""
    return max(scaled(SPACING.map_gap_compact if tight else SPACING.map_gap), line_height())


def line_height() -> int:
    """Return the pixels of a caption with the room around it."""
    return round(QFontMetricsF(ui_font("small")).height()) + scaled(SPACING.s)


def label_font(tight: bool, weight: int = 400) -> QFont:
    """Return the type of tokens at rows and columns."""
    return ui_font("small" if tight else "body", weight)


class ProductScene:
    """State of the picture, for all that lay out, letter and mark it; `compact` is the form for narrow windows, `tight`
    that for narrow or low ones."""

    def __init__(self, maps: StageMaps, operands: OperandMaps) -> None:
        self.maps, self.operands = maps, operands
        self.stage, self.compact, self.tight = SHOWN_FIRST, False, False
        self.picture = StageOperands()

    @property
    def corner(self) -> Heatmap | None:
        """The map of the stage; None while the problem has no such stage."""
        return self.maps.map(self.stage) if self.stage in self.maps.stages else None

    @property
    def alike(self) -> tuple[str, ...]:
        """The present stage, and those that stand among the same matrices: all of queries and keys do."""
        if not STAGE[self.stage].square:
            return (self.stage,)
        return tuple(stage for stage in self.maps.stages if STAGE[stage].square)

    @property
    def pairs(self) -> Window | None:
        """The queries and keys in view, where the stage has both."""
        corner = self.corner
        return corner.box.in_view if corner is not None and STAGE[self.stage].square else None

    @property
    def bars(self) -> dict[str, ColorBar]:
        """The color bars by the place of their maps."""
        return {STAGE_PLACE: self.maps.bar(self.stage), **self.operands.shown_bars}

    @property
    def lines(self) -> MarkedLines:
        """The row and column of the stage that the chosen cell marks."""
        return self.maps.lines(self.stage)

    @property
    def labels(self) -> tuple[AxisNames, AxisNames]:
        """The labels at the rows and columns of the stage."""
        return axis_labels(self.maps, self.stage)
