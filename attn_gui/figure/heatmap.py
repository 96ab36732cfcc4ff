"""Maps in a figure, one or a sheet of heads: how cells are painted, the legend below; words in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from attn_gui.engine import Plane
from attn_gui.engine.arrays import Progress, check, silent, within
from attn_gui.engine.evaluation.pooling import block_edges, pool, pool_blocks
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.figure.cell_painting import (
    SMALLEST_MARK,
    hatch_lines,
    paint_by_hand,
    paint_covered,
    paint_hatch,
    paint_marks,
    paint_sample,
)
from attn_gui.figure.colors import (
    ALLOWED,
    AT_ONCE,
    CLOSED,
    FLAGGED,
    NAN,
    UNIT,
    Allowed,
    Display,
    Levels,
    Lut,
    argb,
    color_table,
    flag_counts,
    to_display,
)
from attn_gui.figure.design_tokens import FONT_SIZE, SIZE, SPACING, THEMES, Theme
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import Values, format_number
from attn_gui.figure.writers import write_text
from attn_gui.pictures.planes import Edges


# --- words: a figure's language is its own, not the window's -------------------------------------
class FigureWords(NamedTuple):
    """The words of one language; `layer`, `head`, `item` hold a place for a number, `pooled…` for rows and columns."""

    axes: Mapping[str, str]
    layer: str
    head: str
    item: str
    not_allowed: str
    by_hand: str
    pooled: str
    pooled_blocks: str
    states: tuple[str, str]
    gradient: str


FIGURE_WORDS: Mapping[str, FigureWords] = MappingProxyType(
    {
        "en": FigureWords(
            {"query": "query", "key": "key", "row": "row", "column": "column"},
            layer="Layer {}",
            head="head {}",
            item="item {}",
            not_allowed="not allowed",
            by_hand="changed by hand",
            pooled="Pooled: each pixel shows the cell of largest magnitude among up to {rows} × {columns} cells.",
            pooled_blocks="Pooled: long maps show the cell of largest magnitude among up to {rows} × {columns} cells.",
            states=("before", "now"),
            gradient="gradient of {}",
        ),
        "zh": FigureWords(
            {"query": "查询", "key": "键", "row": "行", "column": "列"},
            layer="第 {} 层",
            head="头 {}",
            item="样本 {}",
            not_allowed="已屏蔽",
            by_hand="手动修改",
            pooled="已合并：每个像素显示至多 {rows} × {columns} 个单元格中绝对值最大的一个。",
            pooled_blocks="已合并：较长的图显示至多 {rows} × {columns} 个单元格中绝对值最大的一个。",
            states=("之前", "现在"),
            gradient="{} 的梯度",
        ),
    }
)


# --- figures of maps ------------------------------------------------------------------------------
DRAWN_CELLS = 10_000
"""Up to this many cells of a map are rectangles; above, the map is one image of a pixel per cell."""


@dataclass(frozen=True)
class MapAxis:
    """One side of a map: what it counts ("query", "key", "row", "column"), a label a cell, and the `chosen` cell whose
    label stands whatever others have room."""

    name: str
    labels: Sequence[str]
    chosen: int | None = None


@dataclass(frozen=True, eq=False)
class MapPanel:
    """One map: a matrix, which of its cells a mask leaves open (None: all), its title on a sheet, and the areas of
    the map that are changed by hand."""

    values: Values
    allowed: Allowed | None = None
    title: str = ""
    by_hand: tuple[tuple[slice, slice], ...] = ()

    def rows(self, part: slice) -> tuple[Values, Allowed | None]:
        """Return some rows of it."""
        return self.values[part], None if self.allowed is None else self.allowed[part]


@dataclass(frozen=True, eq=False)
class MapFigure:
    """Maps of one shape with common axes, levels and colors. Raises ValueError when there is no cell to show.

    `show_values` None writes values where they fit, True makes cells large enough for them, False leaves them out.
    Without `show_title` title and subtitle are not drawn. A `transparent` figure leaves the page as it is. Of maps
    too long to be held the panels are pictures in fewer blocks, and `cells` tells the shape of the maps. Cells that are
    `covered` for an exercise are NaN, and have a question mark. `note` is a
    sentence at the foot; `scientific` numbers have powers of ten where they are small. So many panels as belong
    `together` are not parted by the end of a row.
    """

    panels: tuple[MapPanel, ...]
    rows: MapAxis
    columns: MapAxis
    levels: Levels
    title: str = ""
    subtitle: str = ""
    weights: bool = False
    scientific: bool = False
    palette: str = "signed"
    theme: Theme = field(default_factory=lambda: THEMES["light"])
    words: FigureWords = field(default_factory=lambda: FIGURE_WORDS["en"])
    show_values: bool | None = None
    show_colorbar: bool = True
    show_title: bool = True
    transparent: bool = False
    cells: tuple[int, int] | None = None
    note: str = ""
    together: int = 1
    covered: bool = False

    def __post_init__(self) -> None:
        shapes = {panel.values.shape for panel in self.panels}
        if len(shapes) != 1 or 0 in next(iter(shapes)):
            raise ValueError("There is nothing to draw: a figure needs at least one row and one column.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of every map."""
        rows, columns = self.cells or self.panels[0].values.shape
        return rows, columns

    @property
    def as_image(self) -> bool:
        """Whether a map has too many cells to be drawn one by one."""
        rows, columns = self.shape
        return rows * columns > DRAWN_CELLS

    @property
    def marked(self) -> bool:
        """Whether any cell is changed by hand."""
        return any(panel.by_hand for panel in self.panels)

    @property
    def writes_levels(self) -> bool:
        """Whether its levels may be written: none is the number of a covered cell."""
        left_out = self.covered and any(bool(np.isnan(panel.values).any()) for panel in self.panels)
        return not left_out or self.levels == UNIT

    @cached_property
    def table(self) -> Lut:
        """The colors between the levels."""
        return color_table(self.palette, self.theme.name, self.levels)

    @cached_property
    def displays(self) -> tuple[Display, ...]:
        """The panels' cells as indices and flags; of large maps more than needs to be held."""
        return tuple(to_display(panel.values, panel.allowed, self.levels) for panel in self.panels)

    @cached_property
    def counts(self) -> dict[int, tuple[int, ...]]:
        """Number of cells that are closed, NaN, +∞, −∞ in the maps of each of the states `together`; what does not
        occur is left out; 0 for "some"."""
        totals: list[Counter[int]] = [Counter() for _ in range(self.together)]
        for number, panel in enumerate(self.panels):
            step = max(1, AT_ONCE // panel.values.shape[1])
            for low in range(0, len(panel.values), step):
                totals[number % self.together].update(flag_counts(*panel.rows(slice(low, low + step))))
        flags = dict.fromkeys(flag for total in totals for flag in total if flag != NAN or not self.covered)
        return {flag: tuple(total[flag] if self.cells is None else 0 for total in totals) for flag in flags}


# --- backgrounds of the cells and marks on them: as rectangles, as one image, or pixel by pixel ----
OVERLAP = 0.4
"""Pixels that a cell reaches under the next one in vector formats, so that no viewer shows seams between them."""

HATCHED_BLOCKS = (512, 64)
"""A map that is an image is hatched over blocks of cells, at most so many a side; fewer when cells are scattered."""

MOST_HATCH_LINES = 20_000


def paint_cells(painter: QPainter, place: QRectF, figure: MapFigure, panel: MapPanel) -> None:
    """Paint background and marks of all cells; where device pixels are fewer, the largest magnitude under each."""
    pixels = _device_pixels(painter, place)
    rows, columns = panel.values.shape
    if pixels is not None:
        _paint_pixels(painter, place, figure, panel, pixels)
        rows, columns = min(rows, pixels[0]), min(columns, pixels[1])
    elif figure.as_image:
        _paint_image(painter, place, figure, panel)
    else:
        _paint_rectangles(painter, place, figure, to_display(panel.values, panel.allowed, figure.levels))
    painter.setFont(figure_font(FONT_SIZE.micro))
    if rows * columns <= DRAWN_CELLS:
        display = to_display(*pool(panel.values, panel.allowed, rows, columns), figure.levels)
        if figure.covered:
            display = _paint_covered(painter, place, display, figure.theme)
        paint_marks(painter, place, display, figure.table, figure.theme)
    else:
        _paint_many_marks(painter, place, figure, panel, (rows, columns))


def _paint_covered(painter: QPainter, place: QRectF, display: Display, theme: Theme) -> Display:
    """Paint question marks on the cells that are covered; return the other marks."""
    (rows, columns), missing = display.shape, display.flags == NAN
    for row, column in np.argwhere(missing).tolist():
        left, top = place.width() * column / columns, place.height() * row / rows
        cell = QRectF(place.x() + left, place.y() + top, place.width() / columns, place.height() / rows)
        paint_covered(painter, cell, theme)
    return Display(display.indices, np.where(missing, np.uint8(ALLOWED), display.flags))


def _paint_rectangles(painter: QPainter, place: QRectF, figure: MapFigure, display: Display) -> None:
    """Paint every cell as a rectangle, row by row, so that each covers what its neighbors reach under it."""
    rows, columns = display.shape
    width, height = place.width() / columns, place.height() / rows
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for row, colors in enumerate(argb(display, figure.table, figure.theme).tolist()):
        down = height + (OVERLAP if row < rows - 1 else 0.0)
        for column, color in enumerate(colors):
            across = width + (OVERLAP if column < columns - 1 else 0.0)
            cell = QRectF(place.left() + column * width, place.top() + row * height, across, down)
            painter.fillRect(cell, QColor.fromRgb(color))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _paint_image(painter: QPainter, place: QRectF, figure: MapFigure, panel: MapPanel) -> None:
    """Paint one pixel a cell, magnified by the viewer without smoothing."""
    rows, columns = panel.values.shape
    colors = _colors(figure, panel.values, panel.allowed, tiny=_is_tiny(place, (rows, columns)))
    image = QImage(colors.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(place, image)


def _paint_pixels(
    painter: QPainter, place: QRectF, figure: MapFigure, panel: MapPanel, pixels: tuple[int, int]
) -> None:
    """Paint every device pixel in sight by itself: rectangles would leave gaps by rounding."""
    rows, columns = panel.values.shape
    device = painter.deviceTransform().mapRect(place)
    left, top = round(device.left()), round(device.top())
    inverse, _ = painter.deviceTransform().inverted()
    first, last = max(-top, 0), min(painter.device().height() - top, pixels[0])
    tiny = _is_tiny(place, (min(rows, pixels[0]), min(columns, pixels[1])))
    column_edges, across = _bins(columns, pixels[1], slice(0, pixels[1]))
    step = max(1, AT_ONCE * pixels[0] // (max(rows, pixels[0]) * max(columns, pixels[1])))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    for low in range(first, last, step):
        part = slice(low, min(low + step, last))
        row_edges, down = _bins(rows, pixels[0], part)
        cells = pool_blocks(panel.values, panel.allowed, row_edges, column_edges)
        colors = np.ascontiguousarray(_colors(figure, *cells, tiny=tiny)[down][:, across])
        image = QImage(colors.data, pixels[1], len(down), pixels[1] * 4, QImage.Format.Format_RGB32)
        painter.drawImage(inverse.mapRect(QRectF(left, top + low, pixels[1], len(down))), image)


def _bins(cells: int, pixels: int, part: slice) -> tuple[Edges, Edges]:
    """Return blocks behind a part of a side's pixels: the edges of the blocks of cells that they show, and which one
    each."""
    if pixels < cells:
        return block_edges(cells, pixels)[part.start : part.stop + 1], np.arange(part.stop - part.start)
    under = (2 * np.arange(part.start, part.stop) + 1) * cells // (2 * pixels)
    return np.arange(under[0], under[-1] + 2), under - under[0]


def _colors(figure: MapFigure, values: Values, allowed: Allowed | None, *, tiny: bool) -> npt.NDArray[np.uint32]:
    """Return a color a cell; of cells too small for marks color alone must say NaN."""
    display = to_display(values, allowed, figure.levels)
    colors = argb(display, figure.table, figure.theme)
    if tiny:
        colors[display.flags == NAN] = figure.theme.nan_mark.rgb()
    return colors


def _paint_many_marks(
    painter: QPainter, place: QRectF, figure: MapFigure, panel: MapPanel, shape: tuple[int, int]
) -> None:
    if panel.allowed is not None and not panel.allowed.all():
        _paint_block_hatch(painter, place, figure, panel.allowed, shape)
    if not _is_tiny(place, shape):
        display = to_display(*pool(panel.values, panel.allowed, *shape), figure.levels)
        flags = np.where(display.flags == CLOSED, np.uint8(ALLOWED), display.flags)
        marked = Display(display.indices, flags)
        paint_marks(painter, place, marked, figure.table, figure.theme, small=True)


def _is_tiny(place: QRectF, shape: tuple[int, int]) -> bool:
    """Return whether cells are too small for marks."""
    rows, columns = shape
    return min(place.width() / columns, place.height() / rows) < SMALLEST_MARK


def _paint_block_hatch(
    painter: QPainter, place: QRectF, figure: MapFigure, allowed: Allowed, shape: tuple[int, int]
) -> None:
    nothing = np.broadcast_to(np.float32(0), allowed.shape)
    for blocks in HATCHED_BLOCKS:
        _, opened = pool(nothing, allowed, min(blocks, shape[0]), min(blocks, shape[1]))
        assert opened is not None
        if len(hatch_lines(~opened, place, SIZE.hatch)) <= MOST_HATCH_LINES:
            paint_hatch(painter, place, ~opened, figure.theme)
            return


def _device_pixels(painter: QPainter, place: QRectF) -> tuple[int, int] | None:
    """Return rows and columns of device pixels under a rectangle; None on a device without pixels of its own."""
    if not isinstance(painter.device(), QImage):
        return None
    device = painter.deviceTransform().mapRect(place)
    return max(round(device.height()), 1), max(round(device.width()), 1)


def snapped(painter: QPainter, place: QRectF) -> QRectF:
    """Return the rectangle moved to whole device pixels, where there are any: edges stay sharp."""
    if not isinstance(painter.device(), QImage):
        return place
    transform = painter.deviceTransform()
    device = transform.mapRect(place)
    left, top, right, bottom = (round(v) for v in (device.left(), device.top(), device.right(), device.bottom()))
    inverse, _ = transform.inverted()
    return inverse.mapRect(QRectF(left, top, max(right - left, 1), max(bottom - top, 1)))


# --- legend: what is changed by hand, and how many cells are not allowed, NaN, +∞ or −∞ ------------
SWATCH = 12.0
BY_HAND = -1
"""Beside the flags of cells: the mark of those that are changed by hand."""


def legend_lines(maps: Sequence[MapFigure], width: float) -> tuple[tuple[int, ...], ...]:
    """Return the flags to be explained in maps, broken into lines of a width; empty when all holds finite computed
    numbers."""
    metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
    lines: list[list[int]] = []
    used = 0.0
    marked = (BY_HAND,) if any(figure.marked for figure in maps) else ()
    for flag in (*_counts(maps), *marked):
        needed = SWATCH + SPACING.s + metrics.horizontalAdvance(legend_text(maps, flag)) + SPACING.xl
        if not lines or used + needed - SPACING.xl > width:
            lines.append([])
            used = 0.0
        lines[-1].append(flag)
        used += needed
    return tuple(map(tuple, lines))


def paint_legend(
    painter: QPainter, maps: Sequence[MapFigure], lines: tuple[tuple[int, ...], ...], corner: QPointF
) -> None:
    """Paint the legend's lines with their left upper corner at a point."""
    figure = maps[0]
    painter.setFont(figure_font(FONT_SIZE.small))
    metrics = QFontMetricsF(painter.font())
    for number, line in enumerate(lines):
        x, y = corner.x(), corner.y() + number * (metrics.height() + SPACING.s)
        for flag in line:
            text = legend_text(maps, flag)
            swatch = QRectF(x, y + (metrics.height() - SWATCH) / 2, SWATCH, SWATCH)
            if flag == BY_HAND:
                painter.fillRect(swatch, figure.theme.surface)
                paint_by_hand(painter, swatch, figure.theme)
            else:
                of = next(each for each in maps if flag in each.counts)
                paint_sample(painter, swatch, flag, of.table, figure.theme)
            painter.setPen(QPen(figure.theme.line_strong, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(swatch)
            painter.setPen(figure.theme.text2)
            x += SWATCH + SPACING.s
            write_text(painter, QPointF(x, y + metrics.ascent()), text)
            x += metrics.horizontalAdvance(text) + SPACING.xl


def legend_text(maps: Sequence[MapFigure], flag: int) -> str:
    """Return what the legend says of a flag: its name, and how many cells have it."""
    words = maps[0].words
    if flag == BY_HAND:
        return words.by_hand
    name = words.not_allowed if flag == CLOSED else format_number(FLAGGED[flag], 0)
    return f"{name}  {_counts(maps)[flag]}".rstrip()


def _counts(maps: Sequence[MapFigure]) -> dict[int, str]:
    """Return the number of flagged cells in all maps, one for each state where they differ; empty for "some"."""
    found = {}
    for flag in dict.fromkeys(flag for figure in maps for flag in figure.counts):
        each = [figure.counts[flag] for figure in maps if flag in figure.counts]
        sums = dict.fromkeys(map(sum, zip(*each, strict=True))) if all(map(any, each)) else {}
        found[flag] = " | ".join(map(str, sums))
    return found


# --- reading: whole maps, or of long problems pictures with one block a pixel, in strips -----------
STRIP = 1 << 21
"""Blocks of a picture, or cells of a map, that are worked with at a time."""


def picture(plane: Plane, rows: int, columns: int, progress: Progress = silent) -> tuple[Values, Allowed | None]:
    """Return (values, allowed) of a plane of a long problem in rows × columns blocks, at most as many as it has cells.

    Of each block the cell of largest magnitude over allowed cells, sign kept; NaN wins. Raises FieldError where so many
    blocks are more than a share of the free memory.
    """
    height, width = plane.shape
    rows, columns = min(rows, height), min(columns, width)
    check(rows * columns * (np.dtype(plane.evaluation.problem.dtype).itemsize + 1))  # and whether each is allowed
    _prepare(plane, within(progress, 0, 2))
    values = np.empty((rows, columns), plane.evaluation.problem.dtype)
    allowed: Allowed | None = None
    step = max(1, STRIP // (columns * -(-height // rows)))
    for low in range(0, rows, step):
        part = slice(low, min(low + step, rows))
        exact = (rows, columns) == (height, width)
        values[part], opened = plane.block(part, slice(0, width)) if exact else plane.pooled_once(rows, columns, part)
        if opened is not None:
            allowed = np.empty((rows, columns), bool) if allowed is None else allowed
            allowed[part] = opened
        progress((1 + part.stop / rows) / 2)
    return values, allowed


def pooled_map(plane: Plane, side: int, progress: Progress) -> tuple[Values, Allowed | None]:
    """Return (values, allowed) of a plane of any problem in at most so many blocks a side, pooled as `picture` says."""
    rows, columns = (min(side, cells) for cells in plane.shape)
    if is_long(plane.evaluation.problem):
        return picture(plane, rows, columns, progress)
    found = pool(*plane.block(slice(0, plane.shape[0]), slice(0, plane.shape[1])), rows, columns)
    progress(1.0)
    return found


def _prepare(plane: Plane, progress: Progress) -> None:
    """Have the rows of weights computed that the stage is made of."""
    evaluation, stage = plane.evaluation, plane.stage
    entry = evaluation.node(stage).stage
    if entry.input_side or (entry.square and not entry.shares):
        return
    heads = range(evaluation.problem.num_heads)
    if entry.per_head:
        heads = range(plane.head or 0, (plane.head or 0) + 1)
    evaluation.complete([(plane.batch, head) for head in heads], progress=lambda done, all_: progress(done / all_))
