"""The one routine that paints a figure, whatever the device: an image, an SVG or a PDF page."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPen

from attn_gui.figure.cells import paint_values
from attn_gui.figure.display import ALLOWED
from attn_gui.figure.fonts import figure_font
from attn_gui.figure.grounds import paint_cells, snapped
from attn_gui.figure.labels import elided, visible_text
from attn_gui.figure.layout import MARGIN, Labels, Layout, plan
from attn_gui.figure.legend import paint_legend
from attn_gui.figure.map_figure import MapFigure
from attn_gui.figure.numbers import CellNumbers, cell_decimals, level_text
from attn_gui.figure.tokens import FONT_SIZE, SPACING

GRADIENT_STOPS = 64
TICK = 3.0
WIDER_FONT = 1.1


def paint_map(painter: QPainter, rect: QRectF, figure: MapFigure, layout: Layout | None = None) -> None:
    """Paint a figure into a rectangle given in logical pixels of 1/96 inch: maps, axes, color bar, legend.

    Without a layout it is made for the rectangle; ValueError when that is too small for the labels.
    """
    layout = layout or plan(figure, rect.width(), rect.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
    painter.fillRect(rect, figure.theme.surface)
    painter.translate(rect.topLeft())
    _paint_title(painter, figure, layout)
    _paint_axes(painter, figure, layout)
    numbers = _common_numbers(figure, layout)
    for number, (panel, place, title) in enumerate(
        zip(figure.panels, layout.maps, layout.panel_titles, strict=True)
    ):
        place = snapped(painter, place)
        _paint_text(painter, title, panel.title, figure.theme.text2, FONT_SIZE.small, strong=True)
        paint_cells(painter, place, figure, panel)
        if numbers is not None:
            painter.setFont(figure_font(FONT_SIZE.micro))
            paint_values(painter, place, panel.values, figure.displays[number], figure.table, numbers)
        _paint_frame(painter, place, figure)
    if layout.bar is not None:
        _paint_bar(painter, figure, layout.bar)
    paint_legend(painter, figure, layout.legend, QPointF(layout.grid.left(), layout.legend_top))
    _paint_note(painter, figure, layout)
    painter.restore()


# --- values and frames ---------------------------------------------------------------------------
def _common_numbers(figure: MapFigure, layout: Layout) -> CellNumbers | None:
    """How values are written, the same way in all maps; None when they are not."""
    if figure.as_image or figure.show_values is False:
        return None
    rows, columns = figure.shape
    shown = [
        np.where(display.flags == ALLOWED, panel.values, 0.0)
        for panel, display in zip(figure.panels, figure.displays, strict=True)
    ]
    cell = layout.maps[0].width() / columns, layout.maps[0].height() / rows
    metrics = QFontMetricsF(figure_font(FONT_SIZE.micro))
    return cell_decimals(np.stack(shown), *cell, metrics, figure.weights)


def _paint_frame(painter: QPainter, place: QRectF, figure: MapFigure) -> None:
    painter.setPen(QPen(figure.theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap,
                        Qt.PenJoinStyle.MiterJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))


# --- text ----------------------------------------------------------------------------------------
def _paint_title(painter: QPainter, figure: MapFigure, layout: Layout) -> None:
    room = layout.width - 2 * MARGIN
    strong = QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True))
    title = elided(visible_text(figure.title), room, strong)
    _paint_text(painter, layout.title, title, figure.theme.text, FONT_SIZE.sentence, strong=True)
    # a viewer of an SVG may have to take a wider font
    used = strong.horizontalAdvance(title) * WIDER_FONT + SPACING.m
    subtitle = elided(visible_text(figure.subtitle), room - used, QFontMetricsF(figure_font(FONT_SIZE.small)))
    _paint_text(painter, layout.title + QPointF(used, 0), subtitle, figure.theme.text3, FONT_SIZE.small)


def _paint_axes(painter: QPainter, figure: MapFigure, layout: Layout) -> None:
    """Names of both axes, the labels of the first column of maps and of the first row."""
    _paint_names(painter, figure, layout)
    painter.setPen(figure.theme.text2)
    painter.setFont(figure_font(FONT_SIZE.micro))
    metrics = QFontMetricsF(painter.font())
    rows, columns = figure.shape
    for place in layout.maps:
        place = snapped(painter, place)
        if place.left() < layout.grid.left() + 1:
            for position, text in _along(layout.row_labels, place.top(), place.height() / rows):
                x = place.left() - SPACING.s - 1 - metrics.horizontalAdvance(text)
                painter.drawText(QPointF(x, position + metrics.capHeight() / 2), text)
        if place.top() < layout.grid.top() + 1:
            for position, text in _along(layout.column_labels, place.left(), place.width() / columns):
                _paint_column_label(painter, QPointF(position, place.top() - SPACING.s - 1), text, layout, metrics)


def _along(labels: Labels, start: float, cell: float) -> list[tuple[float, str]]:
    """The middle of every labeled cell, and its label."""
    return [(start + (number * labels.step + 0.5) * cell, text) for number, text in enumerate(labels.texts)]


def _paint_column_label(
    painter: QPainter, foot: QPointF, text: str, layout: Layout, metrics: QFontMetricsF
) -> None:
    if not layout.column_labels.turned:
        painter.drawText(foot - QPointF(metrics.horizontalAdvance(text) / 2, 0), text)
        return
    painter.save()
    painter.translate(foot)
    painter.rotate(-90)
    painter.drawText(QPointF(0, metrics.capHeight() / 2), text)
    painter.restore()


def _paint_names(painter: QPainter, figure: MapFigure, layout: Layout) -> None:
    painter.setFont(figure_font(FONT_SIZE.small))
    metrics = QFontMetricsF(painter.font())
    for axis, turned in ((figure.columns, False), (figure.rows, True)):
        name = figure.words.axes.get(axis.name, axis.name)
        painter.setPen({"query": figure.theme.query, "key": figure.theme.key}.get(axis.name, figure.theme.text2))
        half = metrics.horizontalAdvance(name) / 2
        painter.save()
        if turned:
            painter.translate(MARGIN + metrics.ascent(), layout.grid.center().y())
            painter.rotate(-90)
        else:
            painter.translate(layout.grid.center().x(), layout.names_baseline)
        painter.drawText(QPointF(-half, 0), name)
        painter.restore()


def _paint_text(
    painter: QPainter, at: QPointF, text: str, color: QColor, pixels: float, *, strong: bool = False
) -> None:
    if text:
        painter.setFont(figure_font(pixels, strong=strong))
        painter.setPen(color)
        painter.drawText(at, text)


def _paint_note(painter: QPainter, figure: MapFigure, layout: Layout) -> None:
    painter.setFont(figure_font(FONT_SIZE.small))
    metrics = QFontMetricsF(painter.font())
    painter.setPen(figure.theme.text2)
    for number, line in enumerate(layout.note):
        baseline = layout.note_top + number * metrics.height() + metrics.ascent()
        painter.drawText(QPointF(layout.grid.left(), baseline), line)


# --- color bar -----------------------------------------------------------------------------------
def _paint_bar(painter: QPainter, figure: MapFigure, place: QRectF) -> None:
    place = snapped(painter, place)
    gradient = QLinearGradient(place.topLeft(), place.topRight())
    last = len(figure.table) - 1
    for stop in range(GRADIENT_STOPS + 1):
        entry = round(stop / GRADIENT_STOPS * last)
        gradient.setColorAt(stop / GRADIENT_STOPS, QColor.fromRgb(int(figure.table[entry])))
    painter.fillRect(place, QBrush(gradient))
    _paint_frame(painter, place, figure)
    painter.setFont(figure_font(FONT_SIZE.micro))
    metrics = QFontMetricsF(painter.font())
    low, high = figure.levels.low, figure.levels.high
    ticks = 4 if place.width() >= 200 else 2
    painter.setPen(QPen(figure.theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    at = [place.left() + place.width() * tick / ticks for tick in range(ticks + 1)]
    painter.drawLines([QLineF(x, place.bottom() + 0.5, x, place.bottom() + TICK) for x in at])
    painter.setPen(figure.theme.text2)
    for tick, x in enumerate(at):
        text = level_text(low * (1 - tick / ticks) + high * (tick / ticks), max(abs(low), abs(high)))
        width = metrics.horizontalAdvance(text)
        left = min(max(x - width / 2, place.left()), place.right() - width)
        painter.drawText(QPointF(left, place.bottom() + SPACING.s + metrics.ascent()), text)
