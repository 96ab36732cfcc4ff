"""Pixels of a map in the window: what an edit repaints, how cells are read, whether numbers fit or are whole, dimmed.

They are a persistent buffer, of which an edit redraws its own rectangle only."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QRegion

from attn_gui.engine import Plane
from attn_gui.engine.analysis.sensitivity import Gradient
from attn_gui.engine.evaluation.pooling import joined
from attn_gui.figure.cell_painting import SMALLEST_MARK, paint_covered, paint_hatch, paint_marks, paint_values
from attn_gui.figure.colors import ALLOWED, CLOSED, NAN, UNKNOWN, Display, Levels, Lut, argb, color_table, to_display
from attn_gui.figure.design_tokens import LINE, SIZE, THEMES, Theme
from attn_gui.figure.text.number_formats import CELL_MARGIN, CellNumbers, cell_decimals, scientific_digits
from attn_gui.pictures import planes
from attn_gui.pictures.planes import Block, PlaneLike, Span, covers, kind_of, pooled, zeros_dotted
from attn_gui.pictures.tile import KnownCells, SampledTile
from attn_gui.pictures.tile_cache import OVERVIEW, tile_cache_of


# --- reading planes: in blocks no larger than can be held, or as what an evaluation or a tile cache draws ---
def bins_of(
    plane: PlaneLike,
    rows: Span,
    columns: Span,
    down: slice,
    right: slice,
    *,
    leads: bool = False,
    owner: object = None,
) -> KnownCells:
    """Return (values, allowed, known) of some bins, each pooled from its cells; `known` is None where all are.

    A map that `leads` may request a wider tile than exists; others use what they need. Of a long problem the `owner`
    gets what is known now; what is quickly computed, and shown cell by cell, is always known.
    """
    cache = tile_cache_of(plane)
    if cache is not None and owner is not None:
        if not _quick(plane, rows, columns, down, right):
            return cache.known_cells(owner, plane, rows, columns, down, right, leads=leads)
        cache.request_overview(owner, plane)
    return (*_read(plane, rows, columns, down, right), None)


def numbers_of(plane: PlaneLike, *, sampled: bool, owner: object = None) -> Block | None:
    """Return the numbers of a plane; of a very long one those of its tile, or if `sampled` of rows at equal distances.

    None where nothing is known yet.
    """
    if (cache := tile_cache_of(plane)) is not None and owner is not None:
        tile = cache.request_tile(owner, SampledTile(plane)) if sampled else cache.best_overview(plane)
        return tile.part_known() if tile is not None and tile.known.any() else None
    rows, columns = plane.shape
    if rows * columns <= planes.AT_ONCE:
        return plane.block(slice(0, rows), slice(0, columns))
    return _sampled(plane) if sampled else overview_of(plane)


def overview_of(plane: PlaneLike) -> Block:
    """Return a picture of the whole plane, which tells how large its numbers are."""
    rows, columns = (Span(length, min(length, OVERVIEW)) for length in plane.shape)
    return _read(plane, rows, columns, slice(0, rows.bins), slice(0, columns.bins))


def _read(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice) -> Block:
    if not (rows.pooled or columns.pooled):
        return plane.block(rows.cells_of(down), columns.cells_of(right))
    if isinstance(plane, Plane) and plane.draws_pictures and not plane.transposed and rows.whole and columns.whole:
        return plane.pooled(rows.bins, columns.bins, (down, right))
    return pooled(plane, rows.cell_edges[down.start : down.stop + 1], columns.cell_edges[right.start : right.stop + 1])


def _quick(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice) -> bool:
    """Return whether some cells of a window, shown one by one, are known or need no map."""
    if rows.pooled or columns.pooled or (rows.whole and columns.whole) or not isinstance(plane, Plane):
        return False
    cells = rows.cells_of(down), columns.cells_of(right)
    lines, across = reversed(cells) if plane.transposed else cells
    evaluation = plane.evaluation
    if (lines.stop - lines.start) * (across.stop - across.start) > planes.AT_ONCE:
        return False
    return evaluation.ready(plane.stage, plane.batch, plane.head, lines)


def _sampled(plane: PlaneLike) -> Block:
    """Return rows at equal distances."""
    rows, columns = plane.shape
    step = -(-rows * columns // planes.AT_ONCE)
    blocks = [plane.block(slice(row, row + 1), slice(0, columns)) for row in range(0, rows, step)]
    return joined(blocks)


# --- the picture ----------------------------------------------------------------------------------
DIMMED = 0.45
DOTS, DOTS_SMALL = 12, 7
LAST_GOOD = Levels(0.0, 1.0)


class CellStyle(NamedTuple):
    """The style of cells: colors, levels, whether with values; `small` maps hatch closer and never write."""

    theme: Theme
    palette: str
    levels: Levels = LAST_GOOD
    values_shown: bool = False
    dimmed: bool = False
    small: bool = False

    @property
    def table(self) -> Lut:
        return color_table(self.palette, self.theme.name, self.levels)


class CellsPicture:
    """Draws a plane into the pixels of two spans, from (0, 0) on; colors are baked, text is written over them.

    It knows nothing of widgets and scenes: what paints it asks for `render` when something else is to be seen, for
    `render_part` when some numbers are others, and repaints the pixels that it is given back.
    """

    def __init__(self, *, small: bool) -> None:
        self.area = QRect()
        self.plane: PlaneLike | None = None
        self.style = CellStyle(THEMES["light"], "signed", small=small)
        self.font = QFont()
        self.rows, self.columns = Span(0, 0), Span(0, 0)
        self.numbers: CellNumbers | None = None
        self.values: npt.NDArray[Any] = np.zeros((0, 0))
        self.display = Display(np.zeros((0, 0), np.uint16), np.zeros((0, 0), np.uint8))
        self._marked = False
        self._tiny = True  # whether marks could not be made out, so that color alone must say it
        self._allocate()

    # --- what is shown ---------------------------------------------------------------------------
    def set_geometry(self, rows: Span, columns: Span) -> None:
        """Set the pixels and the window of cells; needs a `render` afterwards."""
        same = (rows.pixels, columns.pixels) == (self.rows.pixels, self.columns.pixels)
        self.rows, self.columns = rows, columns
        self._tiny = min(rows.cell_size, columns.cell_size) < SMALLEST_MARK
        if not same:
            self.area = QRect(0, 0, columns.pixels, rows.pixels)
            self._allocate()

    def set_style(self, **changes: Any) -> None:
        """Set the style; call `render` afterwards."""
        self.style = self.style._replace(**changes)

    def render(self) -> None:
        """Draw everything again."""
        shape = self.rows.bins, self.columns.bins
        self._marked = False
        self.values = np.zeros(shape)
        self.display = Display(np.zeros(shape, np.uint16), np.zeros(shape, np.uint8))
        if self.plane is None or not all(shape):
            self.numbers = None
            self._pixels[...] = self.style.theme.surface.rgb()
        else:
            self.render_part(slice(0, self.rows.count), slice(0, self.columns.count))
        self._unwritten = QRegion(self.area)

    def render_part(self, rows: slice, columns: slice) -> QRect:
        """Draw the cells of a rectangle again; returns the pixels that look different then."""
        down, right = self.rows.bins_of(rows), self.columns.bins_of(columns)
        if self.plane is None or down.stop <= down.start or right.stop <= right.start:
            return QRect()
        values, display = self._read(down, right)
        self.values[down, right] = values
        self.display.indices[down, right] = display.indices
        self.display.flags[down, right] = display.flags
        flagged = bool(display.flags.any())
        if self._marked or flagged:
            unmarked = (ALLOWED, CLOSED) if covers(self.plane) else (ALLOWED, CLOSED, UNKNOWN)
            self._marked = not bool(np.isin(self.display.flags, unmarked).all())
        y, x = self.rows.pixels_of(down), self.columns.pixels_of(right)
        self._pixels[y, x] = self._spread(self._colored(display), down, right)
        if min(self.rows.cell_size, self.columns.cell_size) >= SIZE.lined_cell and not self.style.small:
            self._line(down, right, y, x)
        if flagged and (closed := display.flags == CLOSED).any():
            self._hatch(y, x, self._spread(closed, down, right))
        if flagged and (unknown := display.flags == UNKNOWN).any():
            self._dot(y, x, self._spread(unknown, down, right))
        numbers, before = self._fitting_numbers(), self.numbers
        self.numbers = numbers  # all values of a map have the same decimals
        rect = QRect(x.start, y.start, x.stop - x.start, y.stop - y.start) if numbers == before else QRect(self.area)
        self._unwritten += rect
        return rect

    def color_of(self, row: int, column: int) -> QColor:
        """Return the color that the cell is drawn with, whether or not it ever was.

        Of a pooled one that of its pixel.
        """
        down, right = self.rows.bins_of(slice(row, row + 1)), self.columns.bins_of(slice(column, column + 1))
        if down.stop > down.start and right.stop > right.start:
            _, display = self._read(down, right)
        else:  # outside the window: as it would be drawn
            assert self.plane is not None
            display = to_display(*self.plane.block(slice(row, row + 1), slice(column, column + 1)), self.style.levels)
        return QColor.fromRgb(int(self._colored(display)[0, 0]))

    def strongest(self, down: int, right: int) -> tuple[int, int]:
        """Return the cell of a bin whose value its pixel shows."""
        rows, columns = self.rows.cells_of(slice(down, down + 1)), self.columns.cells_of(slice(right, right + 1))
        single = rows.stop - rows.start == 1 and columns.stop - columns.start == 1
        drawn = self.display.flags.shape == (self.rows.bins, self.columns.bins)  # the last size or window may be
        if self.plane is None or single or (drawn and self.display.flags[down, right] == UNKNOWN):
            return rows.start, columns.start
        values, allowed = self.plane.block(rows, columns)
        size = np.where(np.isnan(values), np.inf, np.abs(values))
        if allowed is not None:
            size = np.where(allowed, size, -1.0)
        row, column = divmod(int(np.argmax(size)), size.shape[1])
        return rows.start + row, columns.start + column

    # --- pixels ----------------------------------------------------------------------------------
    def _allocate(self) -> None:
        height, width = max(1, self.rows.pixels), max(1, self.columns.pixels)
        self._pixels = np.zeros((height, width), np.uint32)
        self._image = QImage(self._pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
        self._written = QImage()  # the same with values and marks, as fine as the screen
        self._unwritten = QRegion(self.area)

    def _read(self, down: slice, right: slice) -> tuple[npt.NDArray[Any], Display]:
        """Return values and display of some bins."""
        assert self.plane is not None
        leads = not self.style.small
        values, allowed, known = bins_of(self.plane, self.rows, self.columns, down, right, leads=leads, owner=self)
        known = ~np.isnan(values) if covers(self.plane) else known
        return values, to_display(values, allowed, self.style.levels, known)

    def _colored(self, display: Display) -> npt.NDArray[np.uint32]:
        colors = argb(display, self.style.table, self.style.theme)
        if self._tiny:
            colors[display.flags == NAN] = self.style.theme.nan_mark.rgb()
        return colors

    def _spread(self, bins: npt.NDArray[Any], down: slice, right: slice) -> npt.NDArray[Any]:
        """Return every bin as so many pixels as it has; where cells are pooled, each has one."""
        if not self.columns.pooled:
            bins = bins.repeat(self.columns.sizes[right], axis=1)
        return bins if self.rows.pooled else bins.repeat(self.rows.sizes[down], axis=0)

    def _line(self, down: slice, right: slice, y: slice, x: slice) -> None:
        """Mix the background into the first row and the first column of pixels of each of these cells."""
        background, firsts = self.style.theme.surface.rgb(), self.rows.firsts(down)
        self._pixels[firsts, x] = _mixed(self._pixels[firsts, x], background)
        firsts = self.columns.firsts(right)
        self._pixels[y, firsts] = _mixed(self._pixels[y, firsts], background)

    def _hatch(self, y: slice, x: slice, closed: npt.NDArray[np.bool_]) -> None:
        spacing = SIZE.hatch_small_map if self.style.small else SIZE.hatch
        tile = _hatch_tile(self.style.theme.name, spacing)
        side = len(tile)
        pattern = tile[np.arange(y.start, y.stop)[:, None] % side, np.arange(x.start, x.stop) % side]
        np.copyto(self._pixels[y, x], pattern, where=closed)

    def _dot(self, y: slice, x: slice, unknown: npt.NDArray[np.bool_]) -> None:
        """Mark cells that are not computed yet: a plain background with dots far apart."""
        every = DOTS_SMALL if self.style.small else DOTS
        down, right = ((np.arange(cut.start, cut.stop) + every // 2) % every == 0 for cut in (y, x))
        self._pixels[y, x][unknown & down[:, None] & right] = self.style.theme.line_strong.rgb()

    # --- text ------------------------------------------------------------------------------------
    def _fitting_numbers(self) -> CellNumbers | None:
        plane, style = self.plane, self.style
        if plane is None or not style.values_shown or style.small or style.dimmed:
            return None
        if self.rows.pooled or self.columns.pooled or self.rows.cell_size < SIZE.value_min_cell_height:
            return None
        shown = np.where(self.display.flags >= CLOSED, 0.0, self.values)
        finite = shown[np.isfinite(shown)]
        whole = bool((finite == np.rint(finite)).all())
        # weights would rather lose their leading 0 than their distance
        width = self.columns.cell_size - (0 if plane.signed else CELL_MARGIN)
        metrics = QFontMetricsF(self.font)
        if kind_of(plane) == Gradient.kind:
            return scientific_digits(shown, width, self.rows.cell_size, metrics)
        dotted = zeros_dotted(plane)
        numbers = cell_decimals(shown, width, self.rows.cell_size, metrics, weights=dotted)
        return CellNumbers(0, weights=dotted) if whole and plane.signed and numbers is not None else numbers

    def _place(self, down: slice, right: slice) -> QRectF:
        """Return the place of these bins if every cell had exactly the same size."""
        cells = self.rows.cells_of(down), self.columns.cells_of(right)
        width, height = self.columns.cell_size, self.rows.cell_size
        return QRectF(
            (cells[1].start - self.columns.low) * width,
            (cells[0].start - self.rows.low) * height,
            (cells[1].stop - cells[1].start) * width,
            (cells[0].stop - cells[0].start) * height,
        )

    # --- painting --------------------------------------------------------------------------------
    def paint(self, painter: QPainter) -> None:
        """Paint the cells with their values and marks."""
        if not self.rows.bins or not self.columns.bins:
            return
        if self.style.dimmed:
            painter.setOpacity(painter.opacity() * DIMMED)
        if (self.numbers is None and not self._marked) or self._tiny:
            painter.drawImage(self.area, self._image)
            return
        ratio = painter.device().devicePixelRatioF()
        self._keep_written(ratio)
        size = QSizeF(self.area.size())
        painter.drawImage(QRectF(self.area), self._written, QRectF(QPointF(), size * ratio))

    def _keep_written(self, ratio: float) -> None:
        """Write values and marks once; a mark that moves over them is no reason to write them again."""
        if self._written.isNull() or self._written.devicePixelRatio() != ratio:
            width, height = (math.ceil(length * ratio) for length in (self.columns.pixels, self.rows.pixels))
            self._written = QImage(width, height, QImage.Format.Format_RGB32)
            self._written.setDevicePixelRatio(ratio)
            self._unwritten = QRegion(self.area)
        due, self._unwritten = self._unwritten.boundingRect(), QRegion()
        if not due.isEmpty():
            with QPainter(self._written) as painter:
                self._write(painter, due)

    def _write(self, painter: QPainter, rect: QRect) -> None:
        down, right = self.rows.bins_at(rect.top(), rect.bottom()), self.columns.bins_at(rect.left(), rect.right())
        part = Display(self.display.indices[down, right], self.display.flags[down, right])
        place = self._place(down, right)
        painter.setFont(self.font)
        painter.setClipRect(rect)
        painter.drawImage(rect, self._image, rect)
        if self.numbers is not None:
            paint_values(painter, place, self.values[down, right], part, self.style.table, self.numbers)
        if self._marked and covers(self.plane):
            for row, column in np.argwhere(part.flags == UNKNOWN):
                one = (
                    slice(down.start + row, down.start + row + 1),
                    slice(right.start + column, right.start + column + 1),
                )
                paint_covered(painter, self._place(*one), self.style.theme)
        if self._marked:
            hatched = part.flags >= CLOSED  # already in the buffer
            open_part = Display(part.indices, np.where(hatched, np.uint8(ALLOWED), part.flags))
            paint_marks(painter, place, open_part, self.style.table, self.style.theme, small=self.style.small)


def _mixed(colors: npt.NDArray[np.uint32], background: int) -> npt.NDArray[np.uint32]:
    """Return colors with the share of the background that a line between cells has."""
    mixed = np.zeros_like(colors)
    for shift in (0, 8, 16, 24):
        own, other = (colors >> np.uint32(shift)) & np.uint32(255), background >> shift & 255
        mixed |= np.rint(own * (1 - LINE.cell_share) + other * LINE.cell_share).astype(np.uint32) << np.uint32(shift)
    return mixed


@lru_cache(maxsize=16)
def _hatch_tile(theme_name: str, spacing: float) -> npt.NDArray[np.uint32]:
    """Return one period of the hatch on its background, to be repeated from the origin of the map."""
    theme = THEMES[theme_name]
    side = round(2 * spacing) if spacing % 1 else round(spacing)
    image = QImage(3 * side, 3 * side, QImage.Format.Format_RGB32)
    image.fill(theme.masked)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_hatch(painter, QRectF(0, 0, 3 * side, 3 * side), np.ones((1, 1), bool), theme, spacing)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(3 * side, -1)
    return pixels[side : 2 * side, side : 2 * side] | np.uint32(0xFF000000)
