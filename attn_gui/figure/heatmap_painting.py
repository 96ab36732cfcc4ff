"""Painting of a figure of maps: panels, frames, labels, names of axes, color bar, note, title; whether numbers fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from attn_gui.figure.cell_painting import paint_by_hand, paint_values
from attn_gui.figure.colors import ALLOWED
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING, Theme
from attn_gui.figure.heatmap import MapFigure, paint_cells, paint_legend, snapped
from attn_gui.figure.heatmap_layout import MARGIN, CutLabels, HeatmapLayout, plan
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.number_formats import (
    ZERO_WEIGHT,
    CellNumbers,
    cell_decimals,
    cell_text,
    dot_text,
    level_texts,
    scientific_digits,
)
from attn_gui.figure.text.rich_text import elided, write_symbols
from attn_gui.figure.writers import END, MIDDLE, START, write_line, write_text
from attn_gui.formats.untrusted_bytes import visible_text

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
    texts, gap_left, gap_width = _bar_texts(figure, place.width(), metrics, dots)
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
        write_text(painter, QPointF(place.left() + gap_left + gap_width / 2, baseline), dots, MIDDLE)


def _bar_texts(figure: MapFigure, width: float, metrics: QFontMetricsF, dots: str) -> tuple[list[str], float, float]:
    """Return the numbers below a bar, and where the gap between the first two begins and how wide it is.

    They are fewer where `dots` would not have room between them.
    """
    low, high = figure.levels.low, figure.levels.high
    needed = metrics.horizontalAdvance(dots) * WIDER_FONT + 2 * SPACING.s if dots else 0.0
    ticks = 4 if width >= WIDE_BAR else 2
    while True:
        shares = [tick / ticks for tick in range(ticks + 1)]
        texts = level_texts(low, high, shares)
        first, second = (metrics.horizontalAdvance(text) * WIDER_FONT for text in texts[:2])
        gap = width / ticks - first - (second if ticks == 1 else second / 2)
        if gap >= needed or ticks == 1:
            return texts, first, gap
        ticks //= 2


# --- the whole figure ----------------------------------------------------------------------------
def paint_map(painter: QPainter, rect: QRectF, figure: MapFigure, layout: HeatmapLayout | None = None) -> None:
    """Paint a figure into a rectangle given in logical pixels of 1/96 inch: maps, axes, color bar, legend.

    Without a layout it is made for the rectangle. Raises ValueError when that is too small for the labels.
    """
    layout = layout or plan(figure, rect.width(), rect.height())
    painter.save()
    begin_page(painter, rect, None if figure.transparent else figure.theme)
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


def begin_page(painter: QPainter, rect: QRectF, background: Theme | None) -> None:
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
