"""Layout of the maps of the product picture: whole pixels, one row height and column width for all that meet."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion

STEEPEST = 3
"""Cells of a stage of queries and keys are at most so many times as wide as high, or as high as wide."""

LEAST_SHARE, LEAST_SHARE_ABOVE = 6, 5
"""Matrices beside and above the stage insist on no more than these parts of the picture, however large the type is."""

ALONE_ABOVE = 6
"""A matrix above the result alone, with none above the stage, takes no more than this part: else it is left out."""


class Needs(NamedTuple):
    """Sizes to be laid out: numbers of cells, and pixels for words. A count of 0 means that there is no such map."""

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
    largest_cell: int = 64
    comfortable_cell: int = 16
    scroll_bar: int = 12

    @property
    def rows_above(self) -> int:
        """The rows of the map above the stage, or where there is none above its result."""
        return self.top_rows or self.factor_rows


class Places(NamedTuple):
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
    def cells(self) -> QRegion:
        """The pixels of all maps."""
        region = QRegion(self.stage)
        for rect in (self.left, self.top, self.factor, self.result):
            region += rect or QRect()
        return region


class Side(NamedTuple):
    """One axis of the stage: its pixels and how many cells they show."""

    pixels: int
    cells: float

    @property
    def cell(self) -> float:
        return self.pixels / self.cells


def lay_out(needs: Needs, width: int, height: int) -> Places:
    """The largest stage that leaves its operands their least room; what remains goes to the operands."""
    least_side = min(needs.least_side, width // LEAST_SHARE)
    least_top = min(needs.least_top, height // LEAST_SHARE_ABOVE)
    needs = needs._replace(least_side=least_side, least_top=least_top)
    if not needs.top_rows and (needs.gap + least_top) * ALONE_ABOVE > height:
        needs = needs._replace(factor_rows=0)
    across, down = stage_sides(needs, *_free_for_stage(needs, width, height))

    sides = bool(needs.left_columns) + bool(needs.result_columns)
    spare_width = width - 2 * needs.padding - needs.row_labels - across.pixels - sides * needs.gap
    if down.cells < needs.rows:
        spare_width -= needs.scroll_bar
    share = spare_width // sides if sides else 0
    largest = max(1, int(max(across.cell, down.cell)))
    left = operand_pixels(needs.left_columns, share, largest, needs.least_side)
    right = operand_pixels(needs.result_columns, share, largest, needs.least_side)
    spare_height = height - 2 * needs.padding - needs.head - needs.column_labels - needs.bars - down.pixels - needs.gap
    above = operand_pixels(needs.top_rows, spare_height, largest, needs.least_top)
    factor = operand_pixels(needs.factor_rows, spare_height, largest, needs.least_top)

    missing = needs.corner - needs.row_labels - left - needs.gap if needs.top_rows else 0
    x = needs.padding + needs.row_labels + max(0, min(missing, spare_width - left - right))
    y = needs.padding + needs.head + needs.column_labels
    corner_x = x + (left + needs.gap if needs.left_columns else 0)
    corner_y = y + (max(above, factor) + needs.gap if needs.rows_above else 0)
    result_x = corner_x + across.pixels + needs.gap
    return Places(
        QRect(corner_x, corner_y, across.pixels, down.pixels),
        down.cells,
        across.cells,
        needs.row_labels,
        QRect(x, corner_y, left, down.pixels) if needs.left_columns else None,
        QRect(corner_x, corner_y - needs.gap - above, across.pixels, above) if needs.top_rows else None,
        QRect(result_x, corner_y - needs.gap - factor, right, factor) if needs.factor_rows else None,
        QRect(result_x, corner_y, right, down.pixels) if needs.result_columns else None,
    )


def _free_for_stage(needs: Needs, width: int, height: int) -> tuple[int, int]:
    """The pixels across and down that the least room of the operands leaves to the stage."""
    beside = needs.gap + needs.least_side
    free_width = width - 2 * needs.padding - needs.row_labels
    free_width -= (beside if needs.left_columns else 0) + (beside if needs.result_columns else 0)
    free_height = height - 2 * needs.padding - needs.head - needs.column_labels - needs.bars
    free_height -= needs.gap + needs.least_top if needs.rows_above else 0
    return max(free_width, 1), max(free_height, 1)


def stage_sides(needs: Needs, width: int, height: int) -> tuple[Side, Side]:
    """Columns and rows of the stage in the room there is: whole pixels a cell where that is at least one."""
    rows, columns = max(needs.rows, 1), max(needs.columns, 1)
    if not needs.square:
        return (_fitted(columns, width, needs.largest_cell), _fitted(rows, height, needs.largest_cell))
    if rows >= columns:
        long_side, short_side = _long_and_short(needs, rows, columns, height, width)
        return short_side, long_side
    long_side, short_side = _long_and_short(needs, columns, rows, width, height)
    return long_side, short_side


def operand_pixels(cells: int, room: int, largest_cell: int, least: int = 0) -> int:
    """Pixels of the free side of an operand: whole cells if at least one pixel each, else all the room.

    Cells grow beyond the largest where the operand would otherwise take less than `least`.
    """
    if not cells:
        return 0
    room = max(room, 1)
    return cells * min(room // cells, max(largest_cell, least // cells)) if cells <= room else room


def _long_and_short(needs: Needs, long: int, short: int, long_room: int, short_room: int) -> tuple[Side, Side]:
    """Square cells, unequal ones where one side has many more cells, and scrolling where even that is too thin."""
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
        return Side(seen * cell, seen), Side(short * int(widest), short)
    return _side(long, cell, long_room), _side(short, widest, short_room)


def _side(cells: int, cell: float, room: int) -> Side:
    pixels = cells * int(cell) if cell >= 1 else max(1, min(room, round(cells * cell)))
    return Side(pixels, cells)


def _fitted(cells: int, room: int, largest_cell: int) -> Side:
    return Side(operand_pixels(cells, room, largest_cell), cells)
