"""Room in a figure of maps: labels at its sides (turned, cut, d_k), color bar, sentences at the foot, whether numbers
fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from attn_gui.figure.cell_painting import paint_by_hand, paint_values
from attn_gui.figure.colors import ALLOWED
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING, Theme
from attn_gui.figure.heatmap import MapAxis, MapFigure, legend_lines, paint_cells, paint_legend, snapped
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.number_formats import (
    CELL_MARGIN,
    ZERO_WEIGHT,
    CellNumbers,
    Values,
    cell_decimals,
    cell_text,
    dot_text,
    level_texts,
    scientific_digits,
)
from attn_gui.figure.text.rich_text import elided, label_step, token_label, wrapped, write_symbols
from attn_gui.figure.writers import END, MIDDLE, PX_PER_CM, START, TooSmall, write_line, write_text
from attn_gui.formats.untrusted_bytes import visible_text

LEAST_CELL = 0.5 * PX_PER_CM
LARGEST_CELL = 1.2 * PX_PER_CM
LONGEST_SIDE, LONGEST_IMAGE_SIDE = 60 * PX_PER_CM, 40 * PX_PER_CM
"""By default cells are at least 0.5 cm as long as the maps of a figure stay within this side; then they shrink."""

READABLE_CELLS = 24
"""Up to this many cells a side, default cells are large enough for values of two decimals."""

STEEPEST = 3.0
LONGEST_ROW_LABEL, LONGEST_COLUMN_LABEL = 120.0, 96.0
LEAST_MAP = 24.0
LEAST_SIDE = 2 * PX_PER_CM
BAR_WIDTH = (120.0, 640.0)
BAR_HEIGHT = 8.0
MARGIN = float(SPACING.m)
PANEL_GAP = float(SPACING.l)
LABEL_PITCH = FONT_SIZE.micro + 1.0
MEASURED_LABELS = 1000


class CutLabels(NamedTuple):
    """Labels of one axis by their cells, cut to their room: every `step`-th stands, and the `chosen` one in place of
    those that it would touch; `turned` ones are read from below."""

    texts: Mapping[int, str]
    step: int
    turned: bool
    room: float
    chosen: int | None


@dataclass(frozen=True)
class HeatmapLayout:
    """A figure's page and what stands where on it."""

    width: float
    height: float
    title: QPointF
    names_baseline: float
    maps: tuple[QRectF, ...]
    panel_titles: tuple[QPointF, ...]
    grid: QRectF
    row_labels: CutLabels
    column_labels: CutLabels
    bar: QRectF | None
    legend: tuple[tuple[int, ...], ...]
    legend_top: float
    note: tuple[str, ...]
    note_top: float


def plan(
    figure: MapFigure, width: float | None = None, height: float | None = None, scale: float = 1.0
) -> HeatmapLayout:
    """Lay a figure out at its own size, or to a width, a height or both; TooSmall when its labels leave no room.

    All lengths are those before everything is magnified by `scale`.
    """
    return _Planner(figure, scale).plan(width, height)


def default_cells(figure: MapFigure, scale: float = 1.0) -> tuple[float, float]:
    """Return width and height of the cells of a figure at its own size."""
    return _Planner(figure, scale).default_cells()


class _Planner:
    """The arithmetic of one layout: what stands across depends on the cells' width, what stands below on both."""

    def __init__(self, figure: MapFigure, scale: float) -> None:
        self.figure, self.scale = figure, scale
        self.rows, self.columns = figure.shape
        self.small = QFontMetricsF(figure_font(FONT_SIZE.micro))
        self.line = QFontMetricsF(figure_font(FONT_SIZE.small)).height()
        self.title_line = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True)).height()
        self.grid_columns = self._grid_columns()
        self.grid_rows = -(-len(figure.panels) // self.grid_columns)
        self.row_room = row_labels(figure.rows, LABEL_PITCH, self.small).room

    def plan(self, width: float | None, height: float | None) -> HeatmapLayout:
        cell_width, cell_height = self.default_cells()
        steepness = cell_height / cell_width
        if width is not None:
            cell_width = self._fitting_width(width)
            # rows as high as their labels, as long as that leaves the map wider than high
            readable = min(LABEL_PITCH, cell_width * self.columns / self.rows)
            cell_height = max(cell_width * steepness, readable)
        elif height is not None:
            cell_width = self._width_for_height(height, steepness)
        page_width = width if width is not None else self._page_width(cell_width)
        if height is not None:
            cell_height = self._fitting_height(height, cell_width, page_width)
        return self._layout(cell_width, cell_height, page_width, height)

    # --- cells -----------------------------------------------------------------------------------
    def default_cells(self) -> tuple[float, float]:
        """Return 0.5 cm, more for few cells or when values are wanted, less for very many."""
        least = LEAST_CELL / min(self.scale, 1.0)
        few = len(self.figure.panels) == 1 and max(self.figure.shape) <= READABLE_CELLS
        if (self.figure.show_values and self.figure.cells is None) or (self.figure.show_values is None and few):
            least = max(least, self._cell_for_values())
        if max(self.figure.shape) <= READABLE_CELLS / 4:
            least = max(least, 2 * LEAST_CELL)
        longest = (LONGEST_IMAGE_SIDE if self.figure.as_image else LONGEST_SIDE) / self.scale
        width = min(least, longest / (self.columns * self.grid_columns))
        height = min(least, longest / (self.rows * self.grid_rows))
        # a map of very many rows and one column is still to be seen
        return (
            min(width, max(STEEPEST * height, LEAST_SIDE / self.columns)),
            min(height, max(STEEPEST * width, LEAST_SIDE / self.rows)),
        )

    def _cell_for_values(self) -> float:
        """Return the side of a cell with room for two decimals."""
        side = LEAST_CELL
        while side < LARGEST_CELL:
            room = side - SPACING.s
            if all(self._fits(panel.values, room, side) for panel in self.figure.panels):
                break
            side += CELL_MARGIN / 2
        return min(side, LARGEST_CELL)

    def _fits(self, values: Values, width: float, height: float) -> bool:
        """Return whether numbers fit with two decimals, gradients with three digits."""
        if self.figure.scientific:
            found = scientific_digits(values, width, height, self.small)
            return found is not None and found.decimals == 3
        numbers = cell_decimals(values, width, height, self.small, self.figure.weights)
        return numbers is not None and numbers.decimals >= 2 and not numbers.bare

    def _grid_columns(self) -> int:
        """Return the number of panels in a row, so that the grid is about as wide as high, rather wider."""
        count = len(self.figure.panels)
        suited = math.ceil(math.sqrt(count * min(max(self.rows / self.columns, 1 / STEEPEST), STEEPEST)))
        together = self.figure.together
        return min(count, -(-suited // together) * together)

    # --- across ----------------------------------------------------------------------------------
    def _left(self) -> float:
        """Return the left edge of maps: behind the turned name of the rows and their labels."""
        return MARGIN + self.line + SPACING.s + self.row_room + SPACING.s

    def _across(self) -> float:
        """Return width of everything but cells."""
        return self._left() + (self.grid_columns - 1) * PANEL_GAP + MARGIN

    def _grid_width(self, cell_width: float) -> float:
        return cell_width * self.columns * self.grid_columns + (self.grid_columns - 1) * PANEL_GAP

    def _page_width(self, cell_width: float) -> float:
        below = self._left() + (BAR_WIDTH[0] if self.figure.show_colorbar else 0.0) + MARGIN
        return max(
            self._across() + cell_width * self.columns * self.grid_columns, self._title_width() + 2 * MARGIN, below
        )

    def _title_width(self) -> float:
        if not self.figure.show_title:
            return 0.0
        title = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True)).horizontalAdvance(self.figure.title)
        title *= WIDER_FONT
        return title + SPACING.xl + QFontMetricsF(figure_font(FONT_SIZE.small)).horizontalAdvance(self.figure.subtitle)

    def _fitting_width(self, width: float) -> float:
        maps = width - self._across()
        least = self._across() + LEAST_MAP * self.grid_columns
        if maps < LEAST_MAP * self.grid_columns:
            raise TooSmall("width", width * self.scale, least * self.scale)
        return maps / (self.columns * self.grid_columns)

    # --- down ------------------------------------------------------------------------------------
    def _above(self, labels: CutLabels) -> float:
        """Return height of title, name of the columns, panel titles of the first row and column labels."""
        room = labels.room if labels.turned else self.small.height()
        titles = self._panel_title() + SPACING.s if self._panel_title() else 0.0
        return self._names_top() + self.line + SPACING.xs + titles + room + SPACING.s

    def _names_top(self) -> float:
        return MARGIN + (self.title_line + SPACING.m if self.figure.title and self.figure.show_title else 0.0)

    def _panel_title(self) -> float:
        return self.line + SPACING.xs if any(panel.title for panel in self.figure.panels) else 0.0

    def _below(self, page_width: float) -> float:
        """Return height of color bar, legend and the margin at the bottom."""
        bar = SPACING.l + BAR_HEIGHT + SPACING.s + self.small.height() if self.figure.show_colorbar else 0.0
        return bar + self._legend_height(page_width) + self._note_height(page_width) + MARGIN

    def _legend_height(self, page_width: float) -> float:
        lines = len(legend_lines((self.figure,), page_width - self._left() - MARGIN))
        return SPACING.m + lines * (self.line + SPACING.s) if lines else 0.0

    def _note(self, page_width: float) -> tuple[str, ...]:
        metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
        return wrapped(self.figure.note, page_width - self._left() - MARGIN, metrics)

    def _note_height(self, page_width: float) -> float:
        lines = len(self._note(page_width))
        return SPACING.m + lines * self.line if lines else 0.0

    def _between(self) -> float:
        return (self.grid_rows - 1) * (PANEL_GAP + self._panel_title())

    def _fitting_height(self, height: float, cell_width: float, page_width: float) -> float:
        fixed = (
            self._above(column_labels(self.figure.columns, cell_width, self.small))
            + self._between()
            + self._below(page_width)
        )
        least = LEAST_MAP * self.grid_rows
        if height - fixed < least:
            raise TooSmall("height", height * self.scale, (fixed + least) * self.scale)
        return (height - fixed) / (self.rows * self.grid_rows)

    def _width_for_height(self, height: float, steepness: float) -> float:
        """Return the width of cells whose height then fits: labels turn and legends wrap with it, so by approach."""
        cell_width = self.default_cells()[0]
        for _ in range(4):
            page_width = self._page_width(cell_width)
            cell_width = self._fitting_height(height, cell_width, page_width) / steepness
        return cell_width

    # --- the whole -------------------------------------------------------------------------------
    def _layout(self, cell_width: float, cell_height: float, page_width: float, height: float | None) -> HeatmapLayout:
        columns = column_labels(self.figure.columns, cell_width, self.small)
        left, top = self._left(), self._above(columns)
        size = (cell_width * self.columns, cell_height * self.rows)
        pitch = (size[0] + PANEL_GAP, size[1] + PANEL_GAP + self._panel_title())
        places = [divmod(panel, self.grid_columns) for panel in range(len(self.figure.panels))]
        maps = tuple(QRectF(left + across * pitch[0], top + down * pitch[1], *size) for down, across in places)
        lift = columns.room if columns.turned else self.small.height()
        titles = tuple(
            QPointF(rect.left(), rect.top() - SPACING.s - (lift + SPACING.s if down == 0 else 0.0))
            for rect, (down, _) in zip(maps, places, strict=True)
        )
        grid = QRectF(left, top, self._grid_width(cell_width), self.grid_rows * size[1] + self._between())
        page_height = height if height is not None else grid.bottom() + self._below(page_width)
        bar = self._bar(grid, page_width)
        below = bar.bottom() + SPACING.s + self.small.height() if bar is not None else grid.bottom()
        return HeatmapLayout(
            page_width,
            page_height,
            QPointF(MARGIN, MARGIN + self.title_line * 0.8),
            self._names_top() + self.line * 0.8,
            maps,
            titles,
            grid,
            row_labels(self.figure.rows, cell_height, self.small),
            columns,
            bar,
            legend_lines((self.figure,), page_width - left - MARGIN),
            below + SPACING.m,
            self._note(page_width),
            below + self._legend_height(page_width) + SPACING.m,
        )

    def _bar(self, grid: QRectF, page_width: float) -> QRectF | None:
        if not self.figure.show_colorbar:
            return None
        width = min(max(grid.width(), BAR_WIDTH[0]), BAR_WIDTH[1], page_width - grid.left() - MARGIN)
        return QRectF(grid.left(), grid.bottom() + SPACING.l, width, BAR_HEIGHT)


def row_labels(axis: MapAxis, cell: float, metrics: QFontMetricsF) -> CutLabels:
    """Return the names of rows of a height."""
    _, widest = _measured(axis, metrics)
    return _cut_labels(axis, LABEL_PITCH, cell, min(widest, LONGEST_ROW_LABEL), metrics, turned=False)


def column_labels(axis: MapAxis, cell: float, metrics: QFontMetricsF) -> CutLabels:
    """Return the names of columns of a width, turned where they do not fit; of short numbers some are left out
    instead."""
    texts, widest = _measured(axis, metrics)
    numbers = widest <= LONGEST_COLUMN_LABEL / 2 and all(text.isdecimal() for text in texts)
    if numbers or widest + SPACING.s <= cell:
        return _cut_labels(axis, widest + (SPACING.m if numbers else SPACING.s), cell, widest, metrics, turned=False)
    return _cut_labels(axis, LABEL_PITCH, cell, min(widest, LONGEST_COLUMN_LABEL), metrics, turned=True)


def _measured(axis: MapAxis, metrics: QFontMetricsF) -> tuple[list[str], float]:
    """Return labels, of very many a part that holds the longest ones, and the width of the widest."""
    many = len(axis.labels) > MEASURED_LABELS
    texts = list(map(token_label, sorted(axis.labels, key=len)[-MEASURED_LABELS:] if many else axis.labels))
    return texts, max(map(metrics.horizontalAdvance, texts), default=0.0)


def _cut_labels(
    axis: MapAxis, size: float, cell: float, room: float, metrics: QFontMetricsF, *, turned: bool
) -> CutLabels:
    """Return the labels that have room, each `size` long across its cells."""
    step, count = label_step(size, cell), len(axis.labels)
    chosen = axis.chosen if axis.chosen is not None and axis.chosen < count else None
    places = [place for place in range(0, count, step) if chosen is None or abs(place - chosen) * cell >= size]
    places += [] if chosen is None else [chosen]
    texts = {place: elided(token_label(axis.labels[place]), room + 0.5, metrics) for place in places}
    return CutLabels(texts, step, turned, room, chosen)


# --- parts ----------------------------------------------------------------------------------------
GRADIENT_STOPS = 64
TICK = 3.0
LEAST_MARK = 3.0
WIDE_BAR = 200.0


# --- maps ----------------------------------------------------------------------------------------
def fitting_numbers(figure: MapFigure, cell_width: float, cell_height: float) -> CellNumbers | None:
    """Return the number format in cells of a size, the same way in all maps of a figure; None when they are not."""
    if figure.as_image or figure.show_values is False:
        return None
    shown = [
        np.where(display.flags == ALLOWED, panel.values, 0.0)
        for panel, display in zip(figure.panels, figure.displays, strict=True)
    ]
    metrics = QFontMetricsF(figure_font(FONT_SIZE.micro))
    if figure.scientific:
        return scientific_digits(np.stack(shown), cell_width, cell_height, metrics)
    return cell_decimals(np.stack(shown), cell_width, cell_height, metrics, figure.weights)


def paint_panel(painter: QPainter, place: QRectF, figure: MapFigure, number: int, numbers: CellNumbers | None) -> None:
    """Paint one map of a figure: cells, values, frame."""
    panel = figure.panels[number]
    paint_cells(painter, place, figure, panel)
    if numbers is not None:
        painter.setFont(figure_font(FONT_SIZE.micro))
        paint_values(painter, place, panel.values, figure.displays[number], figure.table, numbers)
    for area in panel.by_hand:
        paint_by_hand(painter, _area(place, area, figure.shape), figure.theme)
    paint_frame(painter, place, figure.theme)


def _area(place: QRectF, area: tuple[slice, slice], shape: tuple[int, int]) -> QRectF:
    """Return cells of a map within its place, to be seen however small they are."""
    (down, across), (rows, columns) = area, shape
    width, height = place.width() / columns, place.height() / rows
    left, top = place.left() + across.start * width, place.top() + down.start * height
    return QRectF(
        left,
        top,
        max((across.stop - across.start) * width, LEAST_MARK),
        max((down.stop - down.start) * height, LEAST_MARK),
    )


def paint_frame(painter: QPainter, place: QRectF, theme: Theme) -> None:
    """Paint a hairline round a rectangle."""
    painter.setPen(
        QPen(theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap, Qt.PenJoinStyle.MiterJoin)
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))


# --- labels --------------------------------------------------------------------------------------
def paint_row_labels(painter: QPainter, place: QRectF, labels: CutLabels, rows: int, *, right: bool = False) -> None:
    """Paint names of rows, to the left of a map or to its right, in the painter's color."""
    down = QFontMetricsF(figure_font(FONT_SIZE.micro)).capHeight() / 2
    x = place.right() + SPACING.s + 1 if right else place.left() - SPACING.s - 1
    for row, text in labels.texts.items():
        painter.setFont(figure_font(FONT_SIZE.micro, strong=row == labels.chosen))
        middle = place.top() + (row + 0.5) * place.height() / rows
        write_text(painter, QPointF(x, middle + down), text, START if right else END)


def paint_column_labels(painter: QPainter, place: QRectF, labels: CutLabels, columns: int) -> None:
    """Paint names of columns above a map, in the painter's color."""
    across = QFontMetricsF(figure_font(FONT_SIZE.micro)).capHeight() / 2
    for column, text in labels.texts.items():
        painter.setFont(figure_font(FONT_SIZE.micro, strong=column == labels.chosen))
        foot = QPointF(place.left() + (column + 0.5) * place.width() / columns, place.top() - SPACING.s - 1)
        if not labels.turned:
            write_text(painter, foot, text, MIDDLE)
            continue
        painter.save()
        painter.translate(foot)
        painter.rotate(-90)
        write_text(painter, QPointF(0, across), text)
        painter.restore()


def paint_axis_name(painter: QPainter, at: QPointF, name: str, color: QColor, *, turned: bool) -> None:
    """Paint the name of an axis, with its middle at a point; turned, read from below."""
    painter.save()
    painter.translate(at)
    painter.rotate(-90 if turned else 0)
    write_symbols(painter, QPointF(0, 0), name, color, FONT_SIZE.small, anchor=MIDDLE)
    painter.restore()


def axis_color(name: str, theme: Theme) -> QColor:
    """Return the color of an axis: that of queries or keys, else of plain text."""
    return {"query": theme.query, "key": theme.key}.get(name, theme.text2)


def paint_note(painter: QPainter, lines: Sequence[str], corner: QPointF, theme: Theme) -> None:
    """Paint sentences at the foot of a figure."""
    metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
    for number, line in enumerate(lines):
        at = corner + QPointF(0, number * metrics.height() + metrics.ascent())
        write_symbols(painter, at, line, theme.text2, FONT_SIZE.small)


# --- color bar -----------------------------------------------------------------------------------
def dots_text(figure: MapFigure, numbers: CellNumbers | None) -> str:
    """Return `· < 0.005`: the weights that stand as a dot in their cells; empty where none does."""
    if numbers is None or not numbers.weights:
        return ""
    sizes = [
        np.abs(panel.values[(display.flags == ALLOWED) & np.isfinite(panel.values)])
        for panel, display in zip(figure.panels, figure.displays, strict=True)
    ]
    least = min((float(size.min()) for size in sizes if size.size), default=math.inf)
    return dot_text(numbers) if cell_text(least, numbers) == ZERO_WEIGHT else ""


def paint_bar(painter: QPainter, figure: MapFigure, place: QRectF, dots: str = "") -> None:
    """Paint the colors between the levels, and what some of them stand for where that may be written; `dots` is said
    between two of these."""
    gradient = QLinearGradient(place.topLeft(), place.topRight())
    last = len(figure.table) - 1
    for stop in range(GRADIENT_STOPS + 1):
        entry = round(stop / GRADIENT_STOPS * last)
        gradient.setColorAt(stop / GRADIENT_STOPS, QColor.fromRgb(int(figure.table[entry])))
    painter.fillRect(place, QBrush(gradient))
    paint_frame(painter, place, figure.theme)
    painter.setFont(figure_font(FONT_SIZE.micro))
    metrics = QFontMetricsF(painter.font())
    texts, begin, room = _bar_texts(figure, place.width(), metrics, dots)
    ticks = len(texts) - 1
    painter.setPen(QPen(figure.theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    at = [place.left() + place.width() * tick / ticks for tick in range(ticks + 1)]
    painter.drawLines([QLineF(x, place.bottom() + 0.5, x, place.bottom() + TICK) for x in at])
    painter.setPen(figure.theme.text2)
    baseline = place.bottom() + SPACING.s + metrics.ascent()
    for tick, (x, text) in enumerate(zip(at, texts, strict=True)) if figure.writes_levels else ():
        write_text(painter, QPointF(x, baseline), text, START if tick == 0 else END if tick == ticks else MIDDLE)
    if dots:
        painter.setPen(figure.theme.text3)
        write_text(painter, QPointF(place.left() + begin + room / 2, baseline), dots, MIDDLE)


def _bar_texts(figure: MapFigure, width: float, metrics: QFontMetricsF, dots: str) -> tuple[list[str], float, float]:
    """Return the numbers below a bar, and where the room between the first two begins and how wide it is.

    They are fewer where `dots` would not have room between them.
    """
    low, high = figure.levels.low, figure.levels.high
    needed = metrics.horizontalAdvance(dots) * WIDER_FONT + 2 * SPACING.s if dots else 0.0
    ticks = 4 if width >= WIDE_BAR else 2
    while True:
        shares = [tick / ticks for tick in range(ticks + 1)]
        texts = level_texts(low, high, shares)
        first, second = (metrics.horizontalAdvance(text) * WIDER_FONT for text in texts[:2])
        room = width / ticks - first - (second if ticks == 1 else second / 2)
        if room >= needed or ticks == 1:
            return texts, first, room
        ticks //= 2


def paint_map(painter: QPainter, rect: QRectF, figure: MapFigure, layout: HeatmapLayout | None = None) -> None:
    """Paint a figure into a rectangle given in logical pixels of 1/96 inch: maps, axes, color bar, legend.

    Without a layout it is made for the rectangle. Raises ValueError when that is too small for the labels.
    """
    layout = layout or plan(figure, rect.width(), rect.height())
    painter.save()
    begin(painter, rect, None if figure.transparent else figure.theme)
    if figure.show_title:
        paint_title(painter, figure.title, figure.subtitle, layout.title, layout.width - 2 * MARGIN, figure.theme)
    _paint_axes(painter, figure, layout)
    rows, columns = figure.shape
    strong = QFontMetricsF(figure_font(FONT_SIZE.small, strong=True))
    numbers = fitting_numbers(figure, layout.maps[0].width() / columns, layout.maps[0].height() / rows)
    for number, (panel, place, title) in enumerate(zip(figure.panels, layout.maps, layout.panel_titles, strict=True)):
        said = elided(visible_text(panel.title), place.width(), strong)
        write_line(painter, title, said, figure.theme.text2, FONT_SIZE.small, strong=True)
        paint_panel(painter, snapped(painter, place), figure, number, numbers)
    if layout.bar is not None:
        paint_bar(painter, figure, snapped(painter, layout.bar), dots_text(figure, numbers))
    paint_legend(painter, (figure,), layout.legend, QPointF(layout.grid.left(), layout.legend_top))
    paint_note(painter, layout.note, QPointF(layout.grid.left(), layout.note_top), figure.theme)
    painter.restore()


def begin(painter: QPainter, rect: QRectF, background: Theme | None) -> None:
    """Move to a page and fill it, if it is not to be transparent."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
    if background is not None:
        painter.fillRect(rect, background.surface)
    painter.translate(rect.topLeft())


def paint_title(painter: QPainter, title: str, subtitle: str, at: QPointF, room: float, theme: Theme) -> None:
    """Paint a title cut to the room, and at the other end of its line what is said beside it, where that fits whole."""
    strong = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True))
    title = elided(visible_text(title), room, strong)
    write_line(painter, at, title, theme.text, FONT_SIZE.sentence, strong=True)
    rest = room - strong.horizontalAdvance(title) * WIDER_FONT - SPACING.m
    subtitle = visible_text(subtitle)
    if QFontMetricsF(figure_font(FONT_SIZE.small)).horizontalAdvance(subtitle) <= rest:
        write_line(painter, at + QPointF(room, 0), subtitle, theme.text3, FONT_SIZE.small, anchor=END)


def _paint_axes(painter: QPainter, figure: MapFigure, layout: HeatmapLayout) -> None:
    """Paint names of both axes, the labels of the first column of maps and of the first row."""
    ascent = QFontMetricsF(figure_font(FONT_SIZE.small)).ascent()
    across = QPointF(layout.grid.center().x(), layout.names_baseline)
    down = QPointF(MARGIN + ascent, layout.grid.center().y())
    for axis, at in ((figure.columns, across), (figure.rows, down)):
        name, color = figure.words.axes.get(axis.name, axis.name), axis_color(axis.name, figure.theme)
        paint_axis_name(painter, at, name, color, turned=axis is figure.rows)
    painter.setPen(figure.theme.text2)
    rows, columns = figure.shape
    for place in (snapped(painter, place) for place in layout.maps):
        if place.left() < layout.grid.left() + 1:
            paint_row_labels(painter, place, layout.row_labels, rows)
        if place.top() < layout.grid.top() + 1:
            paint_column_labels(painter, place, layout.column_labels, columns)
