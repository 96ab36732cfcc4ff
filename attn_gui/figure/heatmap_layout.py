"""Layout of a figure of maps: cell size, labels (turned, cut, d_k), color bar, legend, note."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.heatmap import MapAxis, MapFigure, legend_lines
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.number_formats import (
    CELL_MARGIN,
    Values,
    cell_decimals,
    scientific_digits,
)
from attn_gui.figure.text.rich_text import elided, label_step, token_label, wrapped
from attn_gui.figure.writers import PX_PER_CM, TooSmall

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
    def _maps_left(self) -> float:
        """Return the left edge of maps: behind the turned name of the rows and their labels."""
        return MARGIN + self.line + SPACING.s + self.row_room + SPACING.s

    def _fixed_width(self) -> float:
        """Return the width of everything but cells."""
        return self._maps_left() + (self.grid_columns - 1) * PANEL_GAP + MARGIN

    def _grid_width(self, cell_width: float) -> float:
        return cell_width * self.columns * self.grid_columns + (self.grid_columns - 1) * PANEL_GAP

    def _page_width(self, cell_width: float) -> float:
        below = self._maps_left() + (BAR_WIDTH[0] if self.figure.show_colorbar else 0.0) + MARGIN
        return max(
            self._fixed_width() + cell_width * self.columns * self.grid_columns, self._title_width() + 2 * MARGIN, below
        )

    def _title_width(self) -> float:
        if not self.figure.show_title:
            return 0.0
        title = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True)).horizontalAdvance(self.figure.title)
        title *= WIDER_FONT
        return title + SPACING.xl + QFontMetricsF(figure_font(FONT_SIZE.small)).horizontalAdvance(self.figure.subtitle)

    def _fitting_width(self, width: float) -> float:
        maps = width - self._fixed_width()
        least = self._fixed_width() + LEAST_MAP * self.grid_columns
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
        lines = len(legend_lines((self.figure,), page_width - self._maps_left() - MARGIN))
        return SPACING.m + lines * (self.line + SPACING.s) if lines else 0.0

    def _note(self, page_width: float) -> tuple[str, ...]:
        metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
        return wrapped(self.figure.note, page_width - self._maps_left() - MARGIN, metrics)

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
        left, top = self._maps_left(), self._above(columns)
        size = (cell_width * self.columns, cell_height * self.rows)
        pitch = (size[0] + PANEL_GAP, size[1] + PANEL_GAP + self._panel_title())
        places = [divmod(panel, self.grid_columns) for panel in range(len(self.figure.panels))]
        maps = tuple(QRectF(left + column * pitch[0], top + row * pitch[1], *size) for row, column in places)
        lift = columns.room if columns.turned else self.small.height()
        titles = tuple(
            QPointF(rect.left(), rect.top() - SPACING.s - (lift + SPACING.s if row == 0 else 0.0))
            for rect, (row, _) in zip(maps, places, strict=True)
        )
        grid = QRectF(left, top, self._grid_width(cell_width), self.grid_rows * size[1] + self._between())
        page_height = height if height is not None else grid.bottom() + self._below(page_width)
        bar = self._bar(grid, page_width)
        below = bar.bottom() + SPACING.s + self.small.height() if bar is not None else grid.bottom()
        return HeatmapLayout(
            width=page_width,
            height=page_height,
            title=QPointF(MARGIN, MARGIN + self.title_line * 0.8),
            names_baseline=self._names_top() + self.line * 0.8,
            maps=maps,
            panel_titles=titles,
            grid=grid,
            row_labels=row_labels(self.figure.rows, cell_height, self.small),
            column_labels=columns,
            bar=bar,
            legend=legend_lines((self.figure,), page_width - left - MARGIN),
            legend_top=below + SPACING.m,
            note=self._note(page_width),
            note_top=below + self._legend_height(page_width) + SPACING.m,
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
