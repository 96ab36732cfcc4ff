"""The legend under a figure: what is changed by hand, and how many cells are not allowed, NaN, +∞ or −∞."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from attn_gui.figure.display import CLOSED, FLAGGED
from attn_gui.figure.maps.cells import paint_by_hand, paint_sample
from attn_gui.figure.maps.map_figure import MapFigure
from attn_gui.figure.output.text import write_text
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.tokens import FONT_SIZE, SPACING

SWATCH = 12.0
BY_HAND = -1
"""Beside the flags of cells: the mark of those that are changed by hand."""


def legend_lines(figure: MapFigure, width: float) -> tuple[tuple[int, ...], ...]:
    """The flags to be explained, broken into lines of a width; empty when every cell holds a finite computed number."""
    metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
    lines: list[list[int]] = []
    used = 0.0
    for flag in (*figure.counts, *((BY_HAND,) if figure.marked else ())):
        needed = SWATCH + SPACING.s + metrics.horizontalAdvance(_text(figure, flag)) + SPACING.xl
        if not lines or used + needed - SPACING.xl > width:
            lines.append([])
            used = 0.0
        lines[-1].append(flag)
        used += needed
    return tuple(map(tuple, lines))


def paint_legend(painter: QPainter, figure: MapFigure, lines: tuple[tuple[int, ...], ...], corner: QPointF) -> None:
    """Paint the legend's lines with their left upper corner at a point."""
    painter.setFont(figure_font(FONT_SIZE.small))
    metrics = QFontMetricsF(painter.font())
    for number, line in enumerate(lines):
        x, y = corner.x(), corner.y() + number * (metrics.height() + SPACING.s)
        for flag in line:
            text = _text(figure, flag)
            swatch = QRectF(x, y + (metrics.height() - SWATCH) / 2, SWATCH, SWATCH)
            if flag == BY_HAND:
                painter.fillRect(swatch, figure.theme.surface)
                paint_by_hand(painter, swatch, figure.theme)
            else:
                paint_sample(painter, swatch, flag, figure.table, figure.theme)
            painter.setPen(QPen(figure.theme.line_strong, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(swatch)
            painter.setPen(figure.theme.text2)
            x += SWATCH + SPACING.s
            write_text(painter, QPointF(x, y + metrics.ascent()), text)
            x += metrics.horizontalAdvance(text) + SPACING.xl


def _text(figure: MapFigure, flag: int) -> str:
    if flag == BY_HAND:
        return figure.words.by_hand
    name = figure.words.not_allowed if flag == CLOSED else format_number(FLAGGED[flag], 0)
    return f"{name}  {figure.counts[flag] or ''}".rstrip()
