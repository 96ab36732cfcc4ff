"""Rows of names with bars from a common zero, one or two to a row, and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.figure.output.text import END, write_line, write_within
from attn_gui.figure.pages.frame import Frame, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import Drawing, Field, Spot
from attn_gui.figure.tokens import FONT_SIZE, SPACING

ROW, LEAST_ROW = 20.0, 12.0
NAME_SHARE, LEAST_BARS = 0.35, 60.0
HALF = 0.32
"""Of a row that its bars take, to each side of its middle."""


@dataclass(frozen=True, eq=False)
class BarRow:
    """A row: its name, its values (one, or now and before), what a hover says and what a click chooses."""

    name: str
    values: tuple[float, ...]
    spot: Spot


class BarRows:
    """Lays rows out in a frame; numbers stand at the right, as `written` writes them."""

    def __init__(
        self,
        rows: Sequence[BarRow],
        ink: Ink,
        size: tuple[float | None, float | None],
        *,
        title: str,
        subtitle: str = "",
        written: Callable[[float], str],
    ) -> None:
        self.rows, self.ink, self.written = tuple(rows), ink, written
        small = metrics("small")
        self.pairs = max((len(row.values) for row in rows), default=1)
        numbers = (written(value) for row in rows for value in row.values)
        self.number = max(map(small.horizontalAdvance, numbers), default=0.0) + SPACING.m
        count = max(1, len(self.rows))
        self.frame: Frame = framed(
            ink,
            *size,
            title=title,
            subtitle=subtitle,
            tall=lambda _across: count * ROW,
            least=(self.pairs * self.number + 2 * LEAST_BARS, count * LEAST_ROW),
        )
        body = self.frame.body
        widest = max((small.horizontalAdvance(row.name) for row in self.rows), default=0.0) + SPACING.m
        self.names = min(widest, body.width() * NAME_SHARE)
        self.pitch = min(body.height() / count, 1.6 * ROW)
        left = body.left() + self.names
        self.bars = QRectF(left, body.top(), body.right() - self.pairs * self.number - left, count * self.pitch)
        finite = [value for row in self.rows for value in row.values if np.isfinite(value)]
        self.low, self.high = min([0.0, *finite]), max([0.0, *finite])
        if self.low == self.high:
            self.high = 1.0

    def drawing(self, title: str) -> Drawing:
        """The page; a hover says a row."""
        frame = self.frame
        said = "; ".join(row.spot.text for row in self.rows)
        field = Field(
            QRectF(frame.body.left(), self.bars.top(), frame.body.width(), self.bars.height()),
            lambda row, _column: self.rows[row].spot,
            max(1, len(self.rows)),
        )
        return Drawing(
            frame.width, frame.height, title, f"{frame.title}. {said}", self._paint, (field,) if self.rows else ()
        )

    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        for number, row in enumerate(self.rows):
            self._paint_row(painter, row, self.bars.top() + (number + 0.5) * self.pitch)
        if self.low < 0:
            zero = self._across(0.0)
            painter.setPen(QPen(self.ink.theme.line_strong, 1.0))
            painter.drawLine(QLineF(zero, self.bars.top(), zero, self.bars.bottom()))

    def _across(self, value: float) -> float:
        return self.bars.left() + (value - self.low) / (self.high - self.low) * self.bars.width()

    def _paint_row(self, painter: QPainter, row: BarRow, middle: float) -> None:
        theme, small = self.ink.theme, metrics("small")
        base = middle + small.capHeight() / 2
        at, room = QPointF(self.frame.body.left(), base), self.names - SPACING.m
        write_within(painter, at, row.name, theme.text, FONT_SIZE.small, room)
        thick = 2 * HALF * self.pitch / len(row.values)
        for place, value in enumerate(row.values):
            if np.isfinite(value):
                top = middle - HALF * self.pitch + place * thick
                bar = QRectF(self._across(0.0), top, self._across(value) - self._across(0.0), max(thick - 1, 1.0))
                painter.fillRect(bar.normalized(), self._color(place))
            right = self.frame.body.right() - (self.pairs - 1 - place) * self.number
            tone = theme.text if place == 0 else theme.text2
            write_line(painter, QPointF(right, base), self.written(value), tone, FONT_SIZE.small, anchor=END)

    def _color(self, place: int) -> QColor:
        return self.ink.theme.accent if place == 0 else self.ink.theme.line_strong
