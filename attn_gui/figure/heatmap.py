"""The grounds of a figure's cells and the marks on them: as rectangles, as one image, or pixel by pixel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from attn_gui.engine.evaluation.pooling import block_edges, pool, pool_blocks
from attn_gui.figure.display import ALLOWED, AT_ONCE, CLOSED, NAN, Allowed, Display, Values, argb, to_display
from attn_gui.figure.maps.cells import SMALLEST_MARK, hatch_lines, paint_hatch, paint_marks
from attn_gui.figure.maps.map_figure import DRAWN_CELLS, MapFigure, Panel
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.tokens import FONT_SIZE, SIZE
from attn_gui.pictures.pooled_planes import Edges

OVERLAP = 0.4
"""Pixels that a cell reaches under the next one in vector formats, so that no viewer shows seams between them."""

HATCHED_BLOCKS = (512, 64)
"""A map that is an image is hatched over blocks of cells, at most so many a side; fewer when cells are scattered."""

MOST_HATCH_LINES = 20_000


def paint_cells(painter: QPainter, place: QRectF, figure: MapFigure, panel: Panel) -> None:
    """The grounds and marks of all cells; where device pixels are fewer, the largest magnitude under each of them."""
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
        paint_marks(painter, place, display, figure.table, figure.theme)
    else:
        _paint_many_marks(painter, place, figure, panel, (rows, columns))


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


def _paint_image(painter: QPainter, place: QRectF, figure: MapFigure, panel: Panel) -> None:
    """One pixel a cell, magnified by the viewer without smoothing."""
    rows, columns = panel.values.shape
    colors = _colors(figure, panel.values, panel.allowed, tiny=_is_tiny(place, (rows, columns)))
    image = QImage(colors.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(place, image)


def _paint_pixels(painter: QPainter, place: QRectF, figure: MapFigure, panel: Panel, pixels: tuple[int, int]) -> None:
    """Every pixel of the device by itself: rectangles would leave gaps by rounding. Only those in sight are made."""
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
    """Blocks behind a part of a side's pixels: the edges of the blocks of cells that they show, and which one each."""
    if pixels < cells:
        return block_edges(cells, pixels)[part.start : part.stop + 1], np.arange(part.stop - part.start)
    under = (2 * np.arange(part.start, part.stop) + 1) * cells // (2 * pixels)
    return np.arange(under[0], under[-1] + 2), under - under[0]


def _colors(figure: MapFigure, values: Values, allowed: Allowed | None, *, tiny: bool) -> npt.NDArray[np.uint32]:
    """A color a cell; of cells too small for marks color alone must say NaN."""
    display = to_display(values, allowed, figure.levels)
    colors = argb(display, figure.table, figure.theme)
    if tiny:
        colors[display.flags == NAN] = figure.theme.nan_mark.rgb()
    return colors


def _paint_many_marks(
    painter: QPainter, place: QRectF, figure: MapFigure, panel: Panel, shape: tuple[int, int]
) -> None:
    if panel.allowed is not None and not panel.allowed.all():
        _paint_block_hatch(painter, place, figure, panel.allowed, shape)
    if not _is_tiny(place, shape):
        display = to_display(*pool(panel.values, panel.allowed, *shape), figure.levels)
        flags = np.where(display.flags == CLOSED, np.uint8(ALLOWED), display.flags)
        marked = Display(display.indices, flags)
        paint_marks(painter, place, marked, figure.table, figure.theme, small=True)


def _is_tiny(place: QRectF, shape: tuple[int, int]) -> bool:
    """Whether cells are too small for marks."""
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
    """Rows and columns of device pixels under a rectangle; None on a device without pixels of its own."""
    if not isinstance(painter.device(), QImage):
        return None
    device = painter.deviceTransform().mapRect(place)
    return max(round(device.height()), 1), max(round(device.width()), 1)


def snapped(painter: QPainter, place: QRectF) -> QRectF:
    """The rectangle moved to whole device pixels, where there are any: edges stay sharp."""
    if not isinstance(painter.device(), QImage):
        return place
    transform = painter.deviceTransform()
    device = transform.mapRect(place)
    left, top, right, bottom = (round(v) for v in (device.left(), device.top(), device.right(), device.bottom()))
    inverse, _ = transform.inverted()
    return inverse.mapRect(QRectF(left, top, max(right - left, 1), max(bottom - top, 1)))
