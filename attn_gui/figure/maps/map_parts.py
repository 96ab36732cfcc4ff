"""Parts of figures: a framed map with its values, labels along it, a color bar."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from attn_gui.figure.display import ALLOWED
from attn_gui.figure.maps.cells import paint_by_hand, paint_values
from attn_gui.figure.maps.grounds import paint_cells
from attn_gui.figure.maps.layout import Labels
from attn_gui.figure.maps.map_figure import MapFigure
from attn_gui.figure.output.text import END, MIDDLE, START, write_text
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.numbers import (
    ZERO_WEIGHT,
    CellNumbers,
    cell_decimals,
    cell_text,
    level_texts,
    scientific_digits,
)
from attn_gui.figure.tokens import FONT_SIZE, SPACING, Theme

GRADIENT_STOPS = 64
TICK = 3.0
LEAST_MARK = 3.0
WIDE_BAR = 200.0


# --- maps ----------------------------------------------------------------------------------------
def fitting_numbers(figure: MapFigure, cell_width: float, cell_height: float) -> CellNumbers | None:
    """The number format in cells of a size, the same way in all maps of a figure; None when they are not."""
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
    """One map of a figure: cells, values, frame."""
    panel = figure.panels[number]
    paint_cells(painter, place, figure, panel)
    if numbers is not None:
        painter.setFont(figure_font(FONT_SIZE.micro))
        paint_values(painter, place, panel.values, figure.displays[number], figure.table, numbers)
    for area in panel.by_hand:
        paint_by_hand(painter, _area(place, area, figure.shape), figure.theme)
    paint_frame(painter, place, figure.theme)


def _area(place: QRectF, area: tuple[slice, slice], shape: tuple[int, int]) -> QRectF:
    """Cells of a map within its place, to be seen however small they are."""
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
    """A hairline round a rectangle."""
    painter.setPen(
        QPen(theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap, Qt.PenJoinStyle.MiterJoin)
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))


# --- labels --------------------------------------------------------------------------------------
def paint_row_labels(painter: QPainter, place: QRectF, labels: Labels, rows: int, *, right: bool = False) -> None:
    """Names of rows, to the left of a map or to its right, in the painter's color."""
    painter.setFont(figure_font(FONT_SIZE.micro))
    down = QFontMetricsF(painter.font()).capHeight() / 2
    x = place.right() + SPACING.s + 1 if right else place.left() - SPACING.s - 1
    for position, text in _along(labels, place.top(), place.height() / rows):
        write_text(painter, QPointF(x, position + down), text, START if right else END)


def paint_column_labels(painter: QPainter, place: QRectF, labels: Labels, columns: int) -> None:
    """Names of columns above a map, in the painter's color."""
    painter.setFont(figure_font(FONT_SIZE.micro))
    across = QFontMetricsF(painter.font()).capHeight() / 2
    for position, text in _along(labels, place.left(), place.width() / columns):
        foot = QPointF(position, place.top() - SPACING.s - 1)
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
    painter.setFont(figure_font(FONT_SIZE.small))
    painter.setPen(color)
    painter.translate(at)
    painter.rotate(-90 if turned else 0)
    write_text(painter, QPointF(0, 0), name, MIDDLE)
    painter.restore()


def axis_color(name: str, theme: Theme) -> QColor:
    """Queries and keys have colors of their own."""
    return {"query": theme.query, "key": theme.key}.get(name, theme.text2)


def paint_note(painter: QPainter, lines: Sequence[str], corner: QPointF, theme: Theme) -> None:
    """Sentences at the foot of a figure."""
    painter.setFont(figure_font(FONT_SIZE.small))
    painter.setPen(theme.text2)
    metrics = QFontMetricsF(painter.font())
    for number, line in enumerate(lines):
        write_text(painter, corner + QPointF(0, number * metrics.height() + metrics.ascent()), line)


def _along(labels: Labels, start: float, cell: float) -> list[tuple[float, str]]:
    """The middle of every labeled cell, and its label."""
    return [(start + (number * labels.step + 0.5) * cell, text) for number, text in enumerate(labels.texts)]


# --- color bar -----------------------------------------------------------------------------------
def dots_text(figure: MapFigure, numbers: CellNumbers | None) -> str:
    """`· < 0.005`: the weights that stand as a dot in their cells; empty where none does."""
    if numbers is None or not numbers.weights:
        return ""
    sizes = [
        np.abs(panel.values[(display.flags == ALLOWED) & np.isfinite(panel.values)])
        for panel, display in zip(figure.panels, figure.displays, strict=True)
    ]
    least = min((float(size.min()) for size in sizes if size.size), default=math.inf)
    return f"{ZERO_WEIGHT} < {0.5 * 10.0**-numbers.decimals:g}" if cell_text(least, numbers) == ZERO_WEIGHT else ""


def paint_bar(painter: QPainter, figure: MapFigure, place: QRectF, dots: str = "") -> None:
    """The colors between the levels, and what some of them stand for; `dots` is said between two of these."""
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
    for tick, (x, text) in enumerate(zip(at, texts, strict=True)):
        write_text(painter, QPointF(x, baseline), text, START if tick == 0 else END if tick == ticks else MIDDLE)
    if dots:
        painter.setPen(figure.theme.text3)
        write_text(painter, QPointF(place.left() + begin + room / 2, baseline), dots, MIDDLE)


def _bar_texts(figure: MapFigure, width: float, metrics: QFontMetricsF, dots: str) -> tuple[list[str], float, float]:
    """The numbers below a bar, and where the room between the first two begins and how wide it is.

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
