"""Layout of the maps of a product figure: the same row height and column width for all that meet."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from attn_gui.figure.maps.layout import (
    BAR_HEIGHT,
    LABEL_PITCH,
    LONGEST_COLUMN_LABEL,
    LONGEST_ROW_LABEL,
    MARGIN,
    Labels,
    are_short_numbers,
    default_cells,
    sample_of,
)
from attn_gui.figure.maps.legend import legend_lines
from attn_gui.figure.maps.map_figure import Axis
from attn_gui.figure.output.page import PX_PER_CM, TooSmall
from attn_gui.figure.products.product_figure import PLACES, STAGE, ProductFigure
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.labels import elided, label_step, wrapped
from attn_gui.figure.tokens import FONT_SIZE, SPACING

LEAST_SIDE = 1.5 * PX_PER_CM
"""A matrix beside the stage is not thinner than this if its cells need not be larger than the stage's."""

FEW_CELLS = 8
"""So many cells of a matrix beside the stage are as large as those of the stage, whatever its size."""

GAP = float(SPACING.l)
BAR_CELL = 104.0
STEPS = 40


@dataclass(frozen=True)
class Bar:
    """A color bar at the foot, with the symbol of its map before it."""

    place: str
    symbol: QPointF
    rect: QRectF


@dataclass(frozen=True)
class ProductLayout:
    """A page and what stands where on it; captions are baselines of the symbols above the maps."""

    width: float
    height: float
    title: QPointF
    maps: dict[str, QRectF]
    captions: dict[str, QPointF]
    row_labels: Labels
    column_labels: Labels
    factor_labels: Labels | None
    bars: tuple[Bar, ...]
    legend: tuple[tuple[int, ...], ...]
    legend_top: float
    note: tuple[str, ...]
    note_top: float


def plan_product(
    figure: ProductFigure, width: float | None = None, height: float | None = None, scale: float = 1.0
) -> ProductLayout:
    """Lay a product figure out at its own size, or within a width, a height or both; TooSmall when there is no room.

    The cells are as large as there is room for; what is left of the width goes to the matrices beside the stage. All
    lengths are those before everything is magnified by `scale`.
    """
    cells = default_cells(figure.stage, scale)
    if width is None and height is None:
        return _laid_out(figure, cells)

    def fits(cells: tuple[float, float], wide: float = 0.0) -> bool:
        found = _laid_out(figure, cells, width, height, wide)
        return (width is None or found.width <= width) and (height is None or found.height <= height)

    low = _largest(64 * PX_PER_CM / min(cells), lambda size: fits((cells[0] * size, cells[1] * size)))
    least = LEAST_SIDE / (min(cells) * max(figure.stage.shape))
    if low < least:
        found = _laid_out(figure, (cells[0] * least, cells[1] * least), width)
        if width is not None and found.width > width:
            raise TooSmall("width", width * scale, found.width * scale)
        raise TooSmall("height", (height or 0.0) * scale, found.height * scale)
    cells = cells[0] * low, cells[1] * low
    wide = 0.0 if width is None else _largest(width, lambda wide: fits(cells, wide))
    return _laid_out(figure, cells, width, height, wide)


def _largest(most: float, fits: Callable[[float], bool]) -> float:
    """The largest length up to `most` that fits, by halving."""
    low, high = 0.0, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _laid_out(
    figure: ProductFigure,
    cells: tuple[float, float],
    width: float | None = None,
    height: float | None = None,
    wide: float = 0.0,
) -> ProductLayout:
    """The layout with these cells, on a page of at least this width and height; matrices beside the stage may be
    `wide`."""
    small, line = QFontMetricsF(figure_font(FONT_SIZE.micro)), QFontMetricsF(figure_font(FONT_SIZE.small)).height()
    sizes = _sizes(figure, cells, wide)
    rows = _row_labels(figure.stage.rows, cells[1], small)
    columns = _column_labels(figure.stage.columns, cells[0], small)
    factor = _factor_labels(figure, sizes, small)
    caption = line + SPACING.xs
    gap = GAP + caption
    lift = columns.room if columns.turned else small.height()
    strong, titled = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True)), figure.stage.show_title
    head = strong.height() + SPACING.m if titled else 0.0
    left = MARGIN + rows.room + SPACING.s
    maps = _places(sizes, left, MARGIN + head + caption + lift + SPACING.s, gap)
    stage = maps[STAGE]
    captions = _captions(maps, lift)
    title = strong.horizontalAdvance(figure.title) if titled else 0.0
    right = max(rect.right() for rect in maps.values()) + (factor.room + SPACING.m if factor is not None else 0.0)
    page = max(right + MARGIN, title + 2 * MARGIN, left + BAR_CELL + MARGIN, width or 0.0)
    room = page - left - MARGIN
    bars = _bars(figure, left, stage.bottom() + GAP, room, small) if figure.stage.show_colorbar else ()
    below = max((bar.rect.bottom() + SPACING.s + small.height() for bar in bars), default=stage.bottom())
    legend = legend_lines(tuple(figure.maps.values()), room)
    note_top = below + SPACING.m + (len(legend) * (line + SPACING.s) if legend else 0.0)
    note = wrapped(figure.note, room, QFontMetricsF(figure_font(FONT_SIZE.small)))
    bottom = note_top + len(note) * line if note else note_top - (0.0 if legend else SPACING.m)
    return ProductLayout(
        page,
        max(bottom + MARGIN, height or 0.0),
        QPointF(MARGIN, MARGIN + strong.height() * 0.8),
        maps,
        captions,
        rows,
        columns,
        factor,
        bars,
        legend,
        below + SPACING.m,
        note,
        note_top,
    )


def _captions(maps: dict[str, QRectF], lift: float) -> dict[str, QPointF]:
    """The corner of the words over every map; over the topmost they stand above the labels of its columns."""
    labeled = "top" if "top" in maps else STAGE
    return {
        place: QPointF(rect.left(), rect.top() - SPACING.s - (lift + SPACING.s if place == labeled else 0.0))
        for place, rect in maps.items()
    }


def _places(sizes: dict[str, tuple[float, float]], left: float, head: float, gap: float) -> dict[str, QRectF]:
    """The rectangle of every map, the first at (left, head); labels of columns stand on the topmost."""
    corner_x = left + (sizes["left"][0] + GAP if "left" in sizes else 0.0)
    over = max((sizes[place][1] for place in ("top", "factor") if place in sizes), default=0.0)
    corner_y = head + (over + gap if over else 0.0)
    right = corner_x + sizes[STAGE][0] + GAP
    corners = {STAGE: (corner_x, corner_y), "left": (left, corner_y), "result": (right, corner_y)}
    for place, x in (("top", corner_x), ("factor", right)):
        if place in sizes:
            corners[place] = (x, corner_y - gap - sizes[place][1])
    return {place: QRectF(*corner, *sizes[place]) for place, corner in corners.items() if place in sizes}


def _sizes(figure: ProductFigure, cells: tuple[float, float], wide: float) -> dict[str, tuple[float, float]]:
    """Width and height of every map: operands have the stage's cells unless they would be longer than the stage, or
    `wide`."""
    across, down = cells
    rows, columns = figure.stage.shape
    stage = columns * across, rows * down
    long = max(*stage, LEAST_SIDE, FEW_CELLS * min(cells))
    wide = max(long, wide)
    sizes = {STAGE: stage}
    for place in PLACES:
        if place in figure.maps and place != STAGE:
            own_rows, own_columns = figure.maps[place].shape
            sizes[place] = {
                "left": (min(own_columns * across, wide), stage[1]),
                "top": (stage[0], min(own_rows * down, long)),
                "result": (min(own_columns * across, wide), stage[1]),
                "factor": (min(own_columns * across, wide), min(own_rows * down, long)),
            }[place]
    return sizes


def _row_labels(axis: Axis, cell: float, metrics: QFontMetricsF) -> Labels:
    room = min(max(map(metrics.horizontalAdvance, sample_of(axis)), default=0.0), LONGEST_ROW_LABEL)
    step = label_step(LABEL_PITCH, cell)
    return Labels(tuple(elided(text, room + 0.5, metrics) for text in axis.labels[::step]), step, False, room)


def _column_labels(axis: Axis, cell: float, metrics: QFontMetricsF) -> Labels:
    texts = sample_of(axis)
    widest = max(map(metrics.horizontalAdvance, texts), default=0.0)
    turned = widest + SPACING.s > cell and not are_short_numbers(texts, widest)
    room = min(widest, LONGEST_COLUMN_LABEL) if turned else widest
    step = label_step(LABEL_PITCH if turned else widest + SPACING.s, cell)
    return Labels(tuple(elided(text, room + 0.5, metrics) for text in axis.labels[::step]), step, turned, room)


def _factor_labels(
    figure: ProductFigure, sizes: dict[str, tuple[float, float]], metrics: QFontMetricsF
) -> Labels | None:
    """The keys again, at the rows of V."""
    if "factor" not in sizes or not math.isfinite(sizes["factor"][1]):
        return None
    return _row_labels(figure.stage.columns, sizes["factor"][1] / figure.maps["factor"].shape[0], metrics)


def _bars(figure: ProductFigure, left: float, top: float, room: float, metrics: QFontMetricsF) -> tuple[Bar, ...]:
    """Color bars in a row, as many as have room."""
    places = [place for place in PLACES if place in figure.maps]
    a_row = max(1, min(len(places), int((room + GAP) // (BAR_CELL + GAP))))
    width = (room - (a_row - 1) * GAP) / a_row
    pitch = max(BAR_HEIGHT, metrics.height()) + SPACING.s + metrics.height() + SPACING.s
    symbol = max(metrics.horizontalAdvance(figure.maps[place].title) for place in places) * 1.2 + SPACING.s
    found = []
    for number, place in enumerate(places):
        down, across = divmod(number, a_row)
        x, y = left + across * (width + GAP), top + down * pitch
        rect = QRectF(x + symbol, y, max(width - symbol, 24.0), BAR_HEIGHT)
        found.append(Bar(place, QPointF(x, y + BAR_HEIGHT / 2 + metrics.capHeight() / 2), rect))
    return tuple(found)
