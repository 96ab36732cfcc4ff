"""The product picture as a figure in a file: the matrices around a stage, their sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation, Plane, symbol
from attn_gui.engine.arrays import Progress, silent, within
from attn_gui.engine.stages import is_derived
from attn_gui.figure.compose import UNREAD, bare_figure, check_cell, check_columns, check_item, title_of, with_numbers
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap import MapAxis, MapFigure, MapPanel, legend_lines, paint_legend, snapped
from attn_gui.figure.heatmap_layout import BAR_HEIGHT, MARGIN, CutLabels, column_labels, default_cells, row_labels
from attn_gui.figure.heatmap_painting import (
    axis_color,
    begin_page,
    dots_text,
    fitting_numbers,
    paint_bar,
    paint_column_labels,
    paint_note,
    paint_panel,
    paint_row_labels,
    paint_title,
)
from attn_gui.figure.stage_formulas import STAGE_PLACE, StageOperands, by_hand_of, picture_of, stage_plane
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.rich_text import wrapped
from attn_gui.figure.writers import PX_PER_CM, TooSmall, write_line
from attn_gui.languages import N_
from attn_gui.pictures.planes import PlaneLike

# --- figure ---------------------------------------------------------------------------------------
PLACES = ("left", "top", "factor", STAGE_PLACE, "result")
MOST_CELLS = 1 << 26
"""Cells of a matrix beside a long stage that are read at once."""

_TOO_MANY = N_("{letter} has {rows} × {columns} numbers, too many for a product picture.")
_NO_PRODUCT = N_("The stage {stage} is no product of matrices here: there is nothing to stand around it.")


@dataclass(frozen=True, eq=False)
class ProductFigure:
    """The maps by their places, that of the stage with names of its rows and columns; a sentence for the foot."""

    title: str
    maps: Mapping[str, MapFigure]
    note: str = ""

    @property
    def stage(self) -> MapFigure:
        """The map in the corner."""
        return self.maps[STAGE_PLACE]


def has_product(evaluation: Evaluation, stage: str) -> bool:
    """Return whether a stage is a product of matrices in this problem; derived maps stand alone."""
    return not is_derived(stage) and bool(picture_of(stage, evaluation).operands())


def compose_product(
    evaluation: Evaluation, settings: ExportSettings, head: int, blocks: int, progress: Progress = silent
) -> ProductFigure:
    """Return the product picture of a stage and head; of long maps with at most so many blocks a side.

    Raises ValueError with a sentence for a stage that is no product.
    """
    stage = settings.stage
    check_item(evaluation.problem, settings.batch)
    if not has_product(evaluation, stage):
        raise Refusal(_NO_PRODUCT, stage=stage)
    picture, middle = picture_of(stage, evaluation), stage_plane(evaluation, stage, settings.batch, head)
    check_cell(middle, settings.stage, settings.cell)
    planes: dict[str, tuple[str, str, PlaneLike]] = {STAGE_PLACE: (stage, symbol(stage), middle)}
    for place, operand in picture.operands().items():
        planes[place] = (operand.name, operand.symbol, operand.plane(evaluation, settings.batch, head))
    for name, _, plane in planes.values():
        if isinstance(plane, Plane):
            check_columns(evaluation, name, (plane.head,))
    maps = {
        place: _map(*planes[place], settings, blocks, within(progress, number, len(planes)))
        for number, place in enumerate(planes)
    }
    maps[STAGE_PLACE] = _labeled(maps[STAGE_PLACE], evaluation, picture, settings.cell)
    title = " · ".join(title_of(evaluation.problem, settings, (middle.head,)))
    return ProductFigure(title, maps)


def _map(
    name: str, letter: str, plane: PlaneLike, settings: ExportSettings, blocks: int, progress: Progress
) -> MapFigure:
    """Return one of the maps, its symbol as title and its shape beside it."""
    figure = replace(
        bare_figure(plane, settings, settings.color_scale(name)),
        title=letter,
        panels=(MapPanel(UNREAD, by_hand=by_hand_of(plane)),),
    )
    rows, columns = plane.shape
    size = min(rows, blocks), min(columns, blocks)
    if figure.cells is None and rows * columns > MOST_CELLS:
        raise Refusal(_TOO_MANY, letter=letter, rows=f"{rows:,}", columns=f"{columns:,}")
    return with_numbers(
        replace(figure, subtitle=f"{rows} × {columns}"), (plane,), settings.color_scale(name), size, progress
    )


def _labeled(
    figure: MapFigure, evaluation: Evaluation, picture: StageOperands, cell: tuple[int, int] | None
) -> MapFigure:
    """Return tokens at the axes of queries and keys, those of a chosen cell always."""
    problem = evaluation.problem
    names = {"query": problem.query_tokens, "key": problem.names_of_keys}

    def named(role: str, axis: MapAxis, chosen: int | None) -> MapAxis:
        tokens = names.get(role)
        fits = tokens is not None and len(tokens) == len(axis.labels)
        return MapAxis(role if role in names else axis.name, tokens if fits and tokens else axis.labels, chosen)

    row, column = cell or (None, None)
    rows, columns = named(picture.rows, figure.rows, row), named(picture.columns, figure.columns, column)
    return replace(figure, rows=rows, columns=columns)


LEAST_SIDE = 1.5 * PX_PER_CM
"""A matrix beside the stage is not thinner than this if its cells need not be larger than the stage's."""

THINNEST = 4.0
"""No matrix is thinner than this, of however few rows or columns beside very many."""

MOST_SHARE = 0.5
"""Of more cells it is not longer than this part of the stage: it shares the rows or columns of the stage, not the size
of its cells, as in the window."""

FEW_CELLS = 8
"""So many cells of a matrix beside the stage are as large as those of the stage, whatever its size."""

STEEPEST = 3.0
"""Cells become at most so many times as wide as they would be by themselves, where a page is wider than its maps."""

GAP = float(SPACING.l)
BAR_CELL = 104.0
STEPS = 40


@dataclass(frozen=True)
class ProductBar:
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
    row_labels: CutLabels
    column_labels: CutLabels
    factor_labels: CutLabels | None
    bars: tuple[ProductBar, ...]
    legend: tuple[tuple[int, ...], ...]
    legend_top: float
    note: tuple[str, ...]
    note_top: float


def plan_product(
    figure: ProductFigure, width: float | None = None, height: float | None = None, scale: float = 1.0
) -> ProductLayout:
    """Lay a product figure out at its own size, or within a width, a height or both; TooSmall when there is no room.

    The cells are as large as there is room for; what is left of the width goes to the matrices beside the stage, then
    to all columns. All lengths are those before everything is magnified by `scale`.
    """
    cells = default_cells(figure.stage, scale)
    if width is None and height is None:
        return _laid_out(figure, cells)

    def fits(cells: tuple[float, float], wide: float = 0.0) -> bool:
        found = _laid_out(figure, cells, width, height, wide)
        return (width is None or found.width <= width) and (height is None or found.height <= height)

    low = _largest(64 * PX_PER_CM / min(cells), lambda size: fits((cells[0] * size, cells[1] * size)))
    least = min(1.0, LEAST_SIDE / (min(cells) * max(figure.stage.shape)))  # its own size is never too small
    if low < least:
        found = _laid_out(figure, (cells[0] * least, cells[1] * least), width)
        if width is not None and found.width > width:
            raise TooSmall("width", width * scale, found.width * scale)
        raise TooSmall("height", (height or 0.0) * scale, found.height * scale)
    cells = cells[0] * low, cells[1] * low
    if width is None:
        return _laid_out(figure, cells, width, height)
    wide = _largest(width, lambda wide: fits(cells, wide))
    longer = _largest(STEEPEST, lambda by: fits((cells[0] * by, cells[1]), wide))
    return _laid_out(figure, (cells[0] * max(longer, 1.0), cells[1]), width, height, wide)


def _largest(most: float, fits: Callable[[float], bool]) -> float:
    """Return the largest length up to `most` that fits, to a millionth of it, by halving."""
    low, high = 0.0, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
        if high - low < low * 1e-6:
            break
    return low


def _laid_out(
    figure: ProductFigure,
    cells: tuple[float, float],
    width: float | None = None,
    height: float | None = None,
    wide: float = 0.0,
) -> ProductLayout:
    """Return the layout with these cells, on a page of at least this width and height; matrices beside the stage may
    be `wide`."""
    small, line = QFontMetricsF(figure_font(FONT_SIZE.micro)), QFontMetricsF(figure_font(FONT_SIZE.small)).height()
    sizes = _sizes(figure, cells, wide)
    rows = row_labels(figure.stage.rows, cells[1], small)
    columns = column_labels(figure.stage.columns, cells[0], small)
    factor = _factor_labels(figure, sizes, small)
    caption = line + SPACING.xs
    gap = GAP + caption
    lift = columns.room if columns.turned else small.height()
    strong, titled = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True)), figure.stage.show_title
    head = strong.height() + SPACING.m if titled else 0.0
    left = MARGIN + rows.room + SPACING.s
    maps = _places(sizes, left, MARGIN + head + caption + lift + SPACING.s, gap)
    stage = maps[STAGE_PLACE]
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
    """Return the corner of the words over every map; over the topmost they stand above the labels of its columns."""
    labeled = "top" if "top" in maps else STAGE_PLACE
    return {
        place: QPointF(rect.left(), rect.top() - SPACING.s - (lift + SPACING.s if place == labeled else 0.0))
        for place, rect in maps.items()
    }


def _places(sizes: dict[str, tuple[float, float]], left: float, head: float, gap: float) -> dict[str, QRectF]:
    """Return the rectangle of every map, the first at (left, head); labels of columns stand on the topmost."""
    corner_x = left + (sizes["left"][0] + GAP if "left" in sizes else 0.0)
    over = max((sizes[place][1] for place in ("top", "factor") if place in sizes), default=0.0)
    corner_y = head + (over + gap if over else 0.0)
    right = corner_x + sizes[STAGE_PLACE][0] + GAP
    corners = {STAGE_PLACE: (corner_x, corner_y), "left": (left, corner_y), "result": (right, corner_y)}
    for place, x in (("top", corner_x), ("factor", right)):
        if place in sizes:
            corners[place] = (x, corner_y - gap - sizes[place][1])
    return {place: QRectF(*corner, *sizes[place]) for place, corner in corners.items() if place in sizes}


def _sizes(figure: ProductFigure, cells: tuple[float, float], wide: float) -> dict[str, tuple[float, float]]:
    """Return width and height of every map: operands have the stage's cells unless they would be longer than they
    may be, or `wide`."""
    across, down = cells
    rows, columns = figure.stage.shape
    stage = columns * across, rows * down
    long = max(MOST_SHARE * max(stage), LEAST_SIDE, FEW_CELLS * min(cells))
    wide = max(long, wide)
    sizes = {STAGE_PLACE: stage}
    for place in PLACES:
        if place in figure.maps and place != STAGE_PLACE:
            own_rows, own_columns = figure.maps[place].shape
            sizes[place] = {
                "left": (min(own_columns * across, wide), stage[1]),
                "top": (stage[0], min(own_rows * down, long)),
                "result": (min(own_columns * across, wide), stage[1]),
                "factor": (min(own_columns * across, wide), min(own_rows * down, long)),
            }[place]
    return {place: (max(wide, THINNEST), max(high, THINNEST)) for place, (wide, high) in sizes.items()}


def _factor_labels(
    figure: ProductFigure, sizes: dict[str, tuple[float, float]], metrics: QFontMetricsF
) -> CutLabels | None:
    """Return the keys again, at the rows of V."""
    if "factor" not in sizes or not math.isfinite(sizes["factor"][1]):
        return None
    return row_labels(figure.stage.columns, sizes["factor"][1] / figure.maps["factor"].shape[0], metrics)


def _bars(
    figure: ProductFigure, left: float, top: float, room: float, metrics: QFontMetricsF
) -> tuple[ProductBar, ...]:
    """Return color bars in a row, as many as have room."""
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
        found.append(ProductBar(place, QPointF(x, y + BAR_HEIGHT / 2 + metrics.capHeight() / 2), rect))
    return tuple(found)


def paint_product(painter: QPainter, figure: ProductFigure, layout: ProductLayout) -> None:
    """Paint a product figure at the origin, in logical pixels of 1/96 inch."""
    theme = figure.stage.theme
    painter.save()
    begin_page(painter, QRectF(0, 0, layout.width, layout.height), None if figure.stage.transparent else theme)
    if figure.stage.show_title:
        paint_title(painter, figure.title, "", layout.title, layout.width - 2 * MARGIN, theme)
    dots = {}
    for place, rect in layout.maps.items():
        own, rect = figure.maps[place], snapped(painter, rect)
        rows, columns = own.shape
        numbers = fitting_numbers(own, rect.width() / columns, rect.height() / rows)
        dots[place] = dots_text(own, numbers)
        paint_panel(painter, rect, own, 0, numbers)
        _paint_caption(painter, figure, place, layout.captions[place])
    _paint_labels(painter, figure, layout)
    for bar in layout.bars:
        own = figure.maps[bar.place]
        write_line(painter, bar.symbol, own.title, theme.text2, FONT_SIZE.micro, strong=True)
        paint_bar(painter, own, snapped(painter, bar.rect), dots[bar.place])
    left = min(rect.left() for rect in layout.maps.values())
    paint_legend(painter, tuple(figure.maps.values()), layout.legend, QPointF(left, layout.legend_top))
    paint_note(painter, layout.note, QPointF(left, layout.note_top), theme)
    painter.restore()


def _paint_caption(painter: QPainter, figure: ProductFigure, place: str, at: QPointF) -> None:
    """Paint the symbol of a map and its shape, as far as the map is wide."""
    own = figure.maps[place]
    write_line(painter, at, own.title, own.theme.text, FONT_SIZE.small, strong=True)
    used = QFontMetricsF(figure_font(FONT_SIZE.small, strong=True)).horizontalAdvance(own.title) * WIDER_FONT
    write_line(painter, at + QPointF(used + SPACING.s, 0), own.subtitle, own.theme.text3, FONT_SIZE.micro)


def _paint_labels(painter: QPainter, figure: ProductFigure, layout: ProductLayout) -> None:
    """Paint queries to the left of all, keys above all and beside V."""
    stage, theme, maps = figure.stage, figure.stage.theme, layout.maps
    rows, columns = stage.shape
    painter.setPen(axis_color(stage.rows.name, theme))
    paint_row_labels(painter, snapped(painter, maps.get("left", maps[STAGE_PLACE])), layout.row_labels, rows)
    painter.setPen(axis_color(stage.columns.name, theme))
    paint_column_labels(painter, snapped(painter, maps.get("top", maps[STAGE_PLACE])), layout.column_labels, columns)
    if layout.factor_labels is not None:
        place = snapped(painter, maps["factor"])
        paint_row_labels(painter, place, layout.factor_labels, figure.maps["factor"].shape[0], right=True)
