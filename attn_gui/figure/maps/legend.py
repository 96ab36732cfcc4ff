"""The legend under a figure: what is changed by hand, and how many cells are not allowed, NaN, +∞ or −∞."""

from __future__ import annotations

from collections.abc import Sequence

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


def legend_lines(maps: Sequence[MapFigure], width: float) -> tuple[tuple[int, ...], ...]:
    """The flags to be explained in maps, broken into lines of a width; empty when all holds finite computed numbers."""
    metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
    lines: list[list[int]] = []
    used = 0.0
    marked = (BY_HAND,) if any(figure.marked for figure in maps) else ()
    for flag in (*_counts(maps), *marked):
        needed = SWATCH + SPACING.s + metrics.horizontalAdvance(_text(maps, flag)) + SPACING.xl
        if not lines or used + needed - SPACING.xl > width:
            lines.append([])
            used = 0.0
        lines[-1].append(flag)
        used += needed
    return tuple(map(tuple, lines))


def paint_legend(
    painter: QPainter, maps: Sequence[MapFigure], lines: tuple[tuple[int, ...], ...], corner: QPointF
) -> None:
    """Paint the legend's lines with their left upper corner at a point."""
    figure = maps[0]
    painter.setFont(figure_font(FONT_SIZE.small))
    metrics = QFontMetricsF(painter.font())
    for number, line in enumerate(lines):
        x, y = corner.x(), corner.y() + number * (metrics.height() + SPACING.s)
        for flag in line:
            text = _text(maps, flag)
            swatch = QRectF(x, y + (metrics.height() - SWATCH) / 2, SWATCH, SWATCH)
            if flag == BY_HAND:
                painter.fillRect(swatch, figure.theme.surface)
                paint_by_hand(painter, swatch, figure.theme)
            else:
                of = next(each for each in maps if flag in each.counts)
                paint_sample(painter, swatch, flag, of.table, figure.theme)
            painter.setPen(QPen(figure.theme.line_strong, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(swatch)
            painter.setPen(figure.theme.text2)
            x += SWATCH + SPACING.s
            write_text(painter, QPointF(x, y + metrics.ascent()), text)
            x += metrics.horizontalAdvance(text) + SPACING.xl


def _text(maps: Sequence[MapFigure], flag: int) -> str:
    words = maps[0].words
    if flag == BY_HAND:
        return words.by_hand
    name = words.not_allowed if flag == CLOSED else format_number(FLAGGED[flag], 0)
    return f"{name}  {_counts(maps)[flag] or ''}".rstrip()


def _counts(maps: Sequence[MapFigure]) -> dict[int, int]:
    """Number of flagged cells in all maps; 0 for "some" where one of them says so."""
    flags = dict.fromkeys(flag for figure in maps for flag in figure.counts)
    counts = {flag: [figure.counts[flag] for figure in maps if flag in figure.counts] for flag in flags}
    return {flag: sum(each) if all(each) else 0 for flag, each in counts.items()}
