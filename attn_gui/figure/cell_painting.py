"""Marks in cells, in window and files: hatching, NaN and ∞, numbers, “?” of exercises, rings of changes by hand, lines.

Every function takes the rectangle that the whole array covers, row 0 on top, in the painter's coordinates;
to paint a part, pass the part of the array and its rectangle.
"""

from __future__ import annotations

from functools import lru_cache
from threading import get_ident
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF, QStaticText, QTransform

from attn_gui.figure.colors import (
    ALLOWED,
    BLACK,
    CLOSED,
    NAN,
    NEG_INF,
    POS_INF,
    WHITE,
    Display,
    Floats,
    Lut,
    argb,
    dark_text,
    value_text_color,
)
from attn_gui.figure.design_tokens import FONT_WEIGHT, LINE, SIZE, Theme
from attn_gui.figure.text.number_formats import CellNumbers, Values, cell_texts, format_number
from attn_gui.figure.writers import MIDDLE, write_text

SMALLEST_MARK = 5.0
"""Below this many pixels a cell holds no cross or triangle: a NaN cell is then filled with the color of its mark."""

BY_HAND_CORNER = 5.0

MOST_MARKS = 10_000


LEAST_COVER, MOST_COVER = 9.0, 22
"""Of a covered cell: the least side that has room for its question mark, and the largest letter of that."""


def paint_marks(
    painter: QPainter, rect: QRectF, display: Display, table: Lut, theme: Theme, *, small: bool = False
) -> None:
    """Hatch closed cells and mark NaN and ±∞ with text, or with a cross and triangles where the text does not fit.

    `small` is for thumbnails: closer hatching and never text. Colors of cells are the caller's (`argb`).
    """
    if not display.flags.any():
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_hatch(painter, rect, display.flags == CLOSED, theme, SIZE.hatch_small_map if small else SIZE.hatch)
    _paint_nan(painter, rect, display, theme, small)
    for flag, entry in ((POS_INF, -1), (NEG_INF, 0)):
        _paint_infinity(painter, rect, display, flag, int(table[entry]), small)
    painter.restore()


def paint_sample(painter: QPainter, rect: QRectF, flag: int, table: Lut, theme: Theme) -> None:
    """Paint a cell with a flag as the map draws it."""
    entry = len(table) - 1 if flag == POS_INF else 0
    cell = Display(np.array([[entry]], dtype=np.uint16), np.array([[flag]], dtype=np.uint8))
    painter.fillRect(rect, QColor.fromRgb(int(argb(cell, table, theme)[0, 0])))
    paint_marks(painter, rect, cell, table, theme, small=True)


def paint_by_hand(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Paint a ring inside cells that are changed by hand, and a corner cut off, as a note in a spreadsheet has it."""
    side = min(BY_HAND_CORNER, rect.width() / 2, rect.height() / 2)
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.edit, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin))
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.edit)
    corner = rect.topRight()
    painter.drawPolygon(QPolygonF([corner, corner - QPointF(side, 0), corner + QPointF(0, side)]))
    painter.restore()


def paint_covered(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Paint nothing of a cell but a question mark in a dashed frame, as large as there is room."""
    painter.save()
    painter.fillRect(rect, theme.surface)
    pen = QPen(theme.accent, 1.0, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)
    pen.setDashPattern([4.0, 3.0])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1.5, 1.5, -1.5, -1.5))
    side = min(rect.width(), rect.height())
    if side >= LEAST_COVER:
        font = painter.font()
        font.setPixelSize(max(7, min(round(side * 0.6), MOST_COVER)))
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "?")
    painter.restore()


def paint_hatch(
    painter: QPainter, rect: QRectF, closed: npt.NDArray[np.bool_], theme: Theme, spacing: float = SIZE.hatch
) -> None:
    """Paint 45° lines over the closed cells, `spacing` apart along a row, unbroken from cell to cell."""
    lines = hatch_lines(closed, rect, spacing)
    if lines:
        painter.setPen(QPen(theme.hatch, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLines(lines)


def paint_values(
    painter: QPainter, rect: QRectF, values: Values, display: Display, table: Lut, numbers: CellNumbers
) -> None:
    """Write every finite open value in the middle of its cell, black or white, in the painter's font."""
    width, height = _cell_size(rect, display)
    metrics = QFontMetricsF(painter.font())
    baseline = rect.top() + (height + metrics.capHeight()) / 2
    dark = dark_text(table[display.indices])
    shown = display.flags == ALLOWED
    left, top, font = rect.left(), baseline - metrics.ascent(), painter.font()
    plain = isinstance(painter.device(), QImage) and not painter.worldTransform().isScaling()
    draw = painter.drawStaticText
    for color, cells in ((BLACK, shown & dark), (WHITE, shown & ~dark)):
        painter.setPen(QColor.fromRgb(color))
        row_of, column_of = np.nonzero(cells)
        texts = cell_texts(values[cells].tolist(), numbers)
        laid_out = {text: _laid_out(text, font, get_ident()) for text in set(texts)}
        middles, downs = (left + (column_of + 0.5) * width).tolist(), (row_of * height).tolist()
        for x, down, text in zip(middles, downs, texts, strict=True):
            laid, broad = laid_out[text]
            if plain:  # hundreds of cells are painted in half the time with letters that are laid out once
                draw(QPointF(x - broad / 2, top + down), laid)
            else:
                write_text(painter, QPointF(x, baseline + down), text, MIDDLE, broad)


class LaidOut(NamedTuple):
    """A text whose letters have their places, and its width."""

    text: QStaticText
    width: float


@lru_cache(maxsize=4096)
def _laid_out(text: str, font: QFont, _thread: int) -> LaidOut:  # threads must not share one
    laid = QStaticText(text)
    laid.setTextFormat(Qt.TextFormat.PlainText)
    laid.prepare(QTransform(), font)
    return LaidOut(laid, QFontMetricsF(font).horizontalAdvance(text))


def paint_cell_lines(painter: QPainter, rect: QRectF, shape: tuple[int, int], theme: Theme) -> None:
    """Set large cells apart by lines in which the background shines through."""
    (rows, columns), background = shape, QColor(theme.surface)
    background.setAlphaF(LINE.cell_share)
    for row in range(1, rows):
        painter.fillRect(QRectF(rect.left(), rect.top() + row * rect.height() / rows, rect.width(), 1), background)
    for column in range(1, columns):
        painter.fillRect(
            QRectF(rect.left() + column * rect.width() / columns, rect.top(), 1, rect.height()), background
        )


def hatch_lines(closed: npt.NDArray[np.bool_], rect: QRectF, spacing: float) -> list[QLineF]:
    """Return the segments of the lines x + y = k · spacing that lie over closed cells, joined where cells touch.

    Computed rather than clipped: SVG and PDF painters ignore or bloat clip regions.
    """
    left, top, right, bottom = _runs(closed, rect)
    first = np.ceil((left + top) / spacing)
    count = np.maximum(np.floor((right + bottom) / spacing) - first + 1, 0).astype(np.intp)
    if not count.sum():
        return []
    run = np.repeat(np.arange(len(count)), count)
    nth = np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)
    diagonal = first[run] + nth
    offset = diagonal * spacing
    start = np.maximum(left[run], offset - bottom[run])
    end = np.minimum(right[run], offset - top[run])
    return [QLineF(a, d - a, b, d - b) for d, a, b in _joined(offset, start, end, tolerance=spacing * 1e-3)]


def _runs(cells: npt.NDArray[np.bool_], rect: QRectF) -> tuple[Floats, Floats, Floats, Floats]:
    """Return left, top, right and bottom of every run of the given cells in a row."""
    rows, columns = cells.shape
    edge = np.zeros((rows, columns + 2), dtype=np.int8)
    edge[:, 1:-1] = cells
    steps = np.diff(edge, axis=1)
    row, start = np.nonzero(steps == 1)
    _, stop = np.nonzero(steps == -1)
    width, height = rect.width() / max(columns, 1), rect.height() / max(rows, 1)
    return (
        rect.left() + start * width,
        rect.top() + row * height,
        rect.left() + stop * width,
        rect.top() + (row + 1) * height,
    )


def _joined(offset: Floats, start: Floats, end: Floats, tolerance: float) -> list[tuple[float, float, float]]:
    """Return segments (offset, start, end) with those of one line that touch made one, and those without length
    dropped."""
    keep = end - start > tolerance
    offset, start, end = offset[keep], start[keep], end[keep]
    order = np.lexsort((start, offset))
    offset, start, end = offset[order], start[order], end[order]
    if not len(offset):
        return []
    new = np.ones(len(offset), dtype=bool)
    new[1:] = (offset[1:] != offset[:-1]) | (start[1:] > end[:-1] + tolerance)
    heads = np.flatnonzero(new)
    return list(
        zip(offset[heads].tolist(), start[heads].tolist(), np.maximum.reduceat(end, heads).tolist(), strict=True)
    )


def _paint_nan(painter: QPainter, rect: QRectF, display: Display, theme: Theme, small: bool) -> None:
    width, height = _cell_size(rect, display)
    if min(width, height) < SMALLEST_MARK:
        _fill_runs(painter, rect, display.flags == NAN, theme.nan_mark)
        return
    cells = _cells(rect, display, NAN)
    if not cells:
        return
    pen_width = 1.0 if small or min(width, height) < SIZE.value_min_cell_height else 1.5
    painter.setPen(QPen(theme.nan_mark, pen_width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inset = pen_width / 2 + 0.5
    frames = [cell.adjusted(inset, inset, -inset, -inset) for cell in cells]
    painter.drawRects(frames)
    if not _write(painter, cells, format_number(float("nan"), 0), theme.nan_mark, small):
        painter.drawLines(
            [
                line
                for frame in frames
                for line in (QLineF(frame.topLeft(), frame.bottomRight()), QLineF(frame.bottomLeft(), frame.topRight()))
            ]
        )


def _paint_infinity(painter: QPainter, rect: QRectF, display: Display, flag: int, background: int, small: bool) -> None:
    if min(_cell_size(rect, display)) < SMALLEST_MARK:
        # the end color of the map is mark enough where no triangle can be made out
        return
    cells = _cells(rect, display, flag)
    if not cells:
        return
    color = value_text_color(background)
    sign = 1.0 if flag == POS_INF else -1.0
    if not _write(painter, cells, format_number(sign * float("inf"), 0), color, small):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for cell in cells:
            painter.drawPolygon(_triangle(cell, up=sign > 0))


def _triangle(cell: QRectF, *, up: bool) -> QPolygonF:
    """Return a triangle in the middle of a cell, pointing up for +∞ and down for −∞."""
    reach = min(cell.width(), cell.height()) * 0.28
    tip = -reach if up else reach
    center = cell.center()
    return QPolygonF(
        [center + QPointF(0, tip), center + QPointF(reach, -tip * 0.75), center + QPointF(-reach, -tip * 0.75)]
    )


def _write(painter: QPainter, cells: list[QRectF], text: str, color: QColor, small: bool) -> bool:
    """Write a strong text in the middle of every cell; False, nothing written, when it does not fit."""
    font = QFont(painter.font())
    font.setWeight(QFont.Weight(FONT_WEIGHT.strong))
    metrics = QFontMetricsF(font)
    width = metrics.horizontalAdvance(text)
    if small or cells[0].height() < SIZE.value_min_cell_height or cells[0].width() < width + 6:
        return False
    painter.save()
    painter.setFont(font)
    painter.setPen(color)
    for cell in cells:
        center = cell.center()
        write_text(painter, QPointF(center.x(), center.y() + metrics.capHeight() / 2), text, MIDDLE, width)
    painter.restore()
    return True


def _fill_runs(painter: QPainter, rect: QRectF, cells: npt.NDArray[np.bool_], color: QColor) -> None:
    left, top, right, bottom = (side.tolist() for side in _runs(cells, rect))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRects([QRectF(x, y, r - x, b - y) for x, y, r, b in zip(left, top, right, bottom, strict=True)])


def _cells(rect: QRectF, display: Display, flag: int) -> list[QRectF]:
    """Return the places of the cells with a flag; of very many every k-th, which says as much."""
    width, height = _cell_size(rect, display)
    rows, columns = np.nonzero(display.flags == flag)
    step = len(rows) // MOST_MARKS + 1
    rows, columns = rows[::step], columns[::step]
    return [
        QRectF(rect.left() + column * width, rect.top() + row * height, width, height)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _cell_size(rect: QRectF, display: Display) -> tuple[float, float]:
    rows, columns = display.shape
    return rect.width() / max(columns, 1), rect.height() / max(rows, 1)
