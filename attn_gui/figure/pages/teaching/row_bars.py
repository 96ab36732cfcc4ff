"""A row of weights as bars over its keys, and the names of the keys below them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine.analysis.sweep import ScaledRow
from attn_gui.figure.output.text import MIDDLE, write_line
from attn_gui.figure.pages.ink import metrics
from attn_gui.figure.text.labels import elided, label_step, token_label
from attn_gui.figure.tokens import FONT_SIZE, SPACING, Theme

APART = 4.0
"""From this width on there is a gap between bars."""
NAMED = 24.0
"""From this width on a bar has its token."""


def paint_row_bars(painter: QPainter, place: QRectF, row: ScaledRow, color: QColor, theme: Theme) -> None:
    """Weights from 0 to 1; of more keys than pixels the largest under each; closed keys are gray."""
    painter.fillRect(place, theme.raised)
    keys = len(row.weights)
    count = min(keys, max(int(place.width()), 1))
    starts = np.arange(count) * keys // count
    tallest = np.maximum.reduceat(np.nan_to_num(row.weights, nan=0.0), starts)
    closed = np.zeros(count, bool) if row.allowed is None else ~np.logical_or.reduceat(row.allowed, starts)
    pitch = place.width() / count
    wide = pitch - (1.0 if pitch >= APART else 0.0)
    for column, weight in enumerate(tallest.tolist()):
        left = place.left() + column * pitch
        if closed[column]:
            painter.fillRect(QRectF(left, place.top(), wide, place.height()), theme.masked)
        height = min(max(weight, 0.0), 1.0) * place.height()
        painter.fillRect(QRectF(left, place.bottom() - height, wide, height), color)
    painter.setPen(QPen(theme.line_strong, 1.0))
    painter.drawLine(place.bottomLeft(), place.bottomRight())


def paint_key_names(
    painter: QPainter, place: QRectF, tokens: tuple[str, ...] | None, count: int, chosen: int, theme: Theme
) -> None:
    """Tokens below the bars, or numbers where there are none or too little room."""
    micro, pitch = metrics("micro"), place.width() / count
    named = tokens if pitch >= NAMED else None
    step = 1 if named else label_step(micro.horizontalAdvance(str(count)) + SPACING.m, pitch)
    for key in range(0, count, step):
        name = token_label(named[key]) if named else str(key)
        at = QPointF(place.left() + (key + 0.5) * pitch, place.bottom() + SPACING.xs + micro.ascent())
        color = theme.key if key == chosen else theme.text2
        write_line(painter, at, elided(name, pitch * step - 1, micro), color, FONT_SIZE.micro, anchor=MIDDLE)
