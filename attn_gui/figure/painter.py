"""The one routine that paints a figure, whatever the device: an image, an SVG or a PDF page."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QLinearGradient, QPainter, QPen

from attn_gui.figure.cells import SMALLEST_MARK, hatch_lines, paint_hatch, paint_marks, paint_values
from attn_gui.figure.display import ALLOWED, CLOSED, NAN, Display, argb, pool, to_display
from attn_gui.figure.fonts import figure_font
from attn_gui.figure.labels import elided, visible_text
from attn_gui.figure.layout import MARGIN, Labels, Layout, plan
from attn_gui.figure.legend import paint_legend
from attn_gui.figure.map_figure import DRAWN_CELLS, MapFigure, Panel
from attn_gui.figure.numbers import CellNumbers, cell_decimals, format_number
from attn_gui.figure.tokens import FONT_SIZE, SIZE, SPACING

OVERLAP = 0.4
"""Pixels that a cell reaches under the next one in vector formats, so that no viewer shows seams between them."""

HATCHED_BLOCKS = (512, 64)
"""A map that is an image is hatched over blocks of cells, at most so many a side; fewer when cells are scattered."""

MOST_HATCH_LINES = 20_000

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
    for panel, display, place, title in zip(
        figure.panels, figure.displays, layout.maps, layout.panel_titles, strict=True
    ):
        place = _snapped(painter, place)
        _paint_text(painter, title, panel.title, figure.theme.text2, FONT_SIZE.small, strong=True)
        _paint_cells(painter, place, figure, panel, display)
        if numbers is not None:
            painter.setFont(figure_font(FONT_SIZE.micro))
            paint_values(painter, place, panel.values, display, figure.table, numbers)
        _paint_frame(painter, place, figure)
    if layout.bar is not None:
        _paint_bar(painter, figure, layout.bar)
    paint_legend(painter, figure, layout.legend, QPointF(layout.grid.left(), layout.legend_top))
    painter.restore()


# --- cells ---------------------------------------------------------------------------------------
def _paint_cells(painter: QPainter, place: QRectF, figure: MapFigure, panel: Panel, display: Display) -> None:
    """The grounds and marks of all cells; where device pixels are fewer, the largest magnitude under each of them."""
    pixels = _device_pixels(painter, place)
    rows, columns = figure.shape
    if pixels is not None and (pixels[0] < rows or pixels[1] < columns):
        display = to_display(*pool(panel.values, panel.allowed, *pixels), figure.levels)
    if pixels is None and not figure.as_image:
        _paint_rectangles(painter, place, figure, display)
    else:
        _paint_image(painter, place, figure, display)
    painter.setFont(figure_font(FONT_SIZE.micro))
    if display.flags.size <= DRAWN_CELLS:
        paint_marks(painter, place, display, figure.table, figure.theme)
    else:
        _paint_many_marks(painter, place, figure, display)


def _paint_rectangles(painter: QPainter, place: QRectF, figure: MapFigure, display: Display) -> None:
    """Every cell a rectangle, row by row, so that each covers what its neighbors reach under it."""
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


def _paint_image(painter: QPainter, place: QRectF, figure: MapFigure, display: Display) -> None:
    """One pixel a cell, magnified without smoothing. On a device of pixels rectangles would leave gaps by rounding."""
    rows, columns = display.shape
    colors = argb(display, figure.table, figure.theme)
    if _is_tiny(place, display):
        colors[display.flags == NAN] = figure.theme.nan_mark.rgb()
    image = QImage(colors.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(place, image)


def _paint_many_marks(painter: QPainter, place: QRectF, figure: MapFigure, display: Display) -> None:
    closed = display.flags == CLOSED
    if closed.any():
        _paint_block_hatch(painter, place, figure, closed)
    if not _is_tiny(place, display):
        marked = Display(display.indices, np.where(closed, np.uint8(ALLOWED), display.flags))
        paint_marks(painter, place, marked, figure.table, figure.theme, small=True)


def _is_tiny(place: QRectF, display: Display) -> bool:
    """Whether cells are too small for marks, so that color alone must say NaN."""
    rows, columns = display.shape
    return min(place.width() / columns, place.height() / rows) < SMALLEST_MARK


def _paint_block_hatch(painter: QPainter, place: QRectF, figure: MapFigure, closed: npt.NDArray[np.bool_]) -> None:
    for blocks in HATCHED_BLOCKS:
        _, opened = pool(np.zeros(closed.shape, np.float32), ~closed, blocks, blocks)
        assert opened is not None
        if len(hatch_lines(~opened, place, SIZE.hatch)) <= MOST_HATCH_LINES:
            paint_hatch(painter, place, ~opened, figure.theme)
            return


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
        place = _snapped(painter, place)
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


# --- color bar -----------------------------------------------------------------------------------
def _paint_bar(painter: QPainter, figure: MapFigure, place: QRectF) -> None:
    place = _snapped(painter, place)
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


def level_text(value: float, largest: float) -> str:
    """A number at a color bar: three digits of half the largest level, zeros at the end left out."""
    if not 1e-4 <= largest < 1e7:
        return "0" if value == 0 else format_number(value, 2) if largest >= 1e7 else f"{value:.2e}".replace("-", "−")
    text = format_number(value, min(max(2 - math.floor(math.log10(largest / 2)), 0), 6))
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- devices -------------------------------------------------------------------------------------
def _device_pixels(painter: QPainter, place: QRectF) -> tuple[int, int] | None:
    """Rows and columns of device pixels under a rectangle; None on a device without pixels of its own."""
    if not isinstance(painter.device(), QImage):
        return None
    device = painter.deviceTransform().mapRect(place)
    return max(round(device.height()), 1), max(round(device.width()), 1)


def _snapped(painter: QPainter, place: QRectF) -> QRectF:
    """The rectangle moved to whole device pixels, where there are any: edges stay sharp."""
    if not isinstance(painter.device(), QImage):
        return place
    transform = painter.deviceTransform()
    device = transform.mapRect(place)
    left, top, right, bottom = (round(v) for v in (device.left(), device.top(), device.right(), device.bottom()))
    inverse, _ = transform.inverted()
    return inverse.mapRect(QRectF(left, top, max(right - left, 1), max(bottom - top, 1)))
