"""Attention pooling as regression, as a figure: points, and the curve through the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from attn_gui.engine import Evaluation
from attn_gui.engine.evaluation.choice import is_long
from attn_gui.figure.fonts import figure_font
from attn_gui.figure.maps.compose import check_item
from attn_gui.figure.maps.layout import MARGIN, too_small
from attn_gui.figure.maps.painter import WIDER_FONT, begin, paint_title
from attn_gui.figure.maps.parts import paint_axis_name, paint_frame
from attn_gui.figure.numbers import format_number
from attn_gui.figure.options import FigureOptions
from attn_gui.figure.output.page import PX_PER_CM
from attn_gui.figure.output.text import END, MIDDLE, write_line, write_text
from attn_gui.figure.tokens import FONT_SIZE, LINE, SPACING, THEMES, Theme
from attn_gui.figure.words import WORDS, Words

Numbers = npt.NDArray[np.float64]

OWN_WIDTH, OWN_SHAPE = 12 * PX_PER_CM, 0.68
LEAST_PLOT = 2 * PX_PER_CM
TICK_PITCH = 44.0
TICK = 4.0
DOT = 3.0
SHADE = 180
"""Of 255: dots that lie on one another are darker."""


@dataclass(frozen=True, eq=False)
class CurveFigure:
    """Keys and values (m,), queries and outputs (n,)."""

    keys: Numbers
    values: Numbers
    queries: Numbers
    outputs: Numbers
    title: str = ""
    theme: Theme = field(default_factory=lambda: THEMES["light"])
    words: Words = field(default_factory=lambda: WORDS["en"])
    transparent: bool = False


def has_curve(evaluation: Evaluation) -> bool:
    """Whether every query, key and value is one number, and there are not too many."""
    problem = evaluation.problem
    return problem.d_k == problem.d_v == 1 and not is_long(problem)


def compose_curve(evaluation: Evaluation, options: FigureOptions, head: int) -> CurveFigure:
    """The curve of a head; ValueError with a sentence where a query, key or value is more than a number."""
    problem, words = evaluation.problem, WORDS[options.lang]
    check_item(problem, options.batch)
    if not has_curve(evaluation):
        raise ValueError(
            f"A curve needs one number for every query, key and value, and not too many of them; here d_k is "
            f"{problem.d_k} and d_v is {problem.d_v}."
        )
    keys, values, queries, outputs = (
        _column(evaluation, stage, options.batch, head) for stage in ("key", "value", "query", "head_output")
    )
    title = [words.curve] + ([words.head.format(head)] if problem.num_heads > 1 else [])
    title += [words.item.format(options.batch)] if problem.batch_size > 1 else []
    named = " · ".join(title)
    return CurveFigure(keys, values, queries, outputs, named, THEMES[options.theme], words, options.transparent)


def _column(evaluation: Evaluation, stage: str, batch: int, head: int) -> Numbers:
    rows = slice(0, evaluation.shape(stage)[-2])
    return np.array(evaluation.block(stage, batch, head, rows, slice(0, 1))[:, 0], dtype=np.float64)


# --- where things stand --------------------------------------------------------------------------
@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high` with its ticks, in single steps of `step`."""

    low: float
    high: float
    step: float

    def ticks(self) -> list[float]:
        """The values that have a tick, the ends included."""
        count = round((self.high - self.low) / self.step)
        return [self.low + number * self.step for number in range(count + 1)]

    def text(self, value: float) -> str:
        """A tick with as many decimals as the step needs."""
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        return format_number(round(value / self.step) * self.step, min(decimals, 12))


@dataclass(frozen=True)
class CurveLayout:
    """A page, the plot on it, its axes, and in how many lines it says what dots and line stand for."""

    width: float
    height: float
    plot: QRectF
    key_lines: int
    across: Scale
    up: Scale

    def place(self, x: float, y: float) -> QPointF:
        """The place of a point of the plot on the page."""
        right = (x - self.across.low) / (self.across.high - self.across.low)
        above = (y - self.up.low) / (self.up.high - self.up.low)
        return QPointF(self.plot.left() + right * self.plot.width(), self.plot.bottom() - above * self.plot.height())


def plan_curve(
    figure: CurveFigure, width: float | None = None, height: float | None = None, scale: float = 1.0
) -> CurveLayout:
    """Lay a curve out at its own size, or to a width, a height or both; ValueError when there is no room.

    All lengths are those before everything is magnified by `scale`.
    """
    width = width if width is not None else height / OWN_SHAPE if height is not None else OWN_WIDTH
    height = height if height is not None else width * OWN_SHAPE
    line = QFontMetricsF(figure_font(FONT_SIZE.small)).height()
    small = QFontMetricsF(figure_font(FONT_SIZE.micro))
    top = MARGIN + QFontMetricsF(figure_font(FONT_SIZE.sentence, strong=True)).height() + SPACING.m
    key_lines = 1 if _key_width(figure) <= width - 3 * MARGIN - line else 2
    top += key_lines * (line + SPACING.s)
    bottom = height - MARGIN - line - SPACING.s - small.height() - TICK - SPACING.xs
    up = nice_scale(np.concatenate([figure.values, figure.outputs]), (bottom - top) / TICK_PITCH)
    labels = max(small.horizontalAdvance(up.text(tick)) for tick in up.ticks())
    left = MARGIN + line + SPACING.s + labels + TICK + SPACING.s
    right = width - MARGIN - SPACING.l
    for side, given, room in (("width", width, right - left), ("height", height, bottom - top)):
        if room < LEAST_PLOT:
            raise ValueError(too_small(side, given * scale, (given + LEAST_PLOT - room) * scale))
    across = nice_scale(np.concatenate([figure.keys, figure.queries]), (right - left) / TICK_PITCH)
    return CurveLayout(width, height, QRectF(left, top, right - left, bottom - top), key_lines, across, up)


def _key_width(figure: CurveFigure) -> float:
    """The width of the key on one line, in a viewer's font."""
    metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
    return sum(map(metrics.horizontalAdvance, figure.words.curve_parts)) * WIDER_FONT + 4 * DOT + 3 * SPACING.xl


def nice_scale(numbers: Numbers, most: float) -> Scale:
    """An axis over the finite numbers with steps of 1, 2 or 5 times a power of ten, at most about so many."""
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)) or not math.isfinite(high - low):
        apart = abs(low) * 0.5 or 0.5
        low, high = low - apart, high + apart
    rough = (high - low) / max(most, 1.0)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice * power for nice in (1, 2, 5, 10) if nice * power >= rough * (1 - 1e-9))
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step)


# --- painting ------------------------------------------------------------------------------------
def paint_curve(painter: QPainter, figure: CurveFigure, layout: CurveLayout) -> None:
    """Paint a curve at the origin, in logical pixels of 1/96 inch."""
    painter.save()
    page = QRectF(0, 0, layout.width, layout.height)
    begin(painter, page, None if figure.transparent else figure.theme)
    ascent = QFontMetricsF(figure_font(FONT_SIZE.sentence)).ascent()
    paint_title(painter, figure.title, "", QPointF(MARGIN, MARGIN + ascent), layout.width - 2 * MARGIN, figure.theme)
    _paint_key(painter, figure, layout)
    _paint_axes(painter, figure, layout)
    _paint_dots(painter, figure, layout)
    _paint_line(painter, figure, layout)
    painter.restore()


def _paint_key(painter: QPainter, figure: CurveFigure, layout: CurveLayout) -> None:
    """Paint the key of dots and line, above the plot, on one line or on two."""
    metrics = QFontMetricsF(figure_font(FONT_SIZE.small))
    pitch, down = metrics.height() + SPACING.s, QPointF(0, metrics.capHeight() / 2)
    dots, line = figure.words.curve_parts
    at = layout.plot.topLeft() - QPointF(0, SPACING.m + down.y() + (layout.key_lines - 1) * pitch)
    _dot(painter, at + QPointF(SPACING.m, 0), figure.theme)
    write_line(painter, at + QPointF(SPACING.xl + SPACING.s, 0) + down, dots, figure.theme.text2, FONT_SIZE.small)
    if layout.key_lines == 1:
        at += QPointF(2 * SPACING.xl + metrics.horizontalAdvance(dots) * WIDER_FONT, 0)
    else:
        at += QPointF(0, pitch)
    painter.setPen(QPen(figure.theme.query, LINE.row_and_column))
    painter.drawLine(QLineF(at, at + QPointF(SPACING.xl, 0)))
    write_line(painter, at + QPointF(SPACING.xl + SPACING.s, 0) + down, line, figure.theme.text2, FONT_SIZE.small)


def _paint_axes(painter: QPainter, figure: CurveFigure, layout: CurveLayout) -> None:
    plot, theme = layout.plot, figure.theme
    paint_frame(painter, plot, theme)
    small = QFontMetricsF(figure_font(FONT_SIZE.micro))
    feet = [(tick, layout.place(tick, layout.up.low)) for tick in layout.across.ticks()]
    sides = [(tick, layout.place(layout.across.low, tick)) for tick in layout.up.ticks()]
    painter.setPen(QPen(theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawLines([QLineF(foot, foot + QPointF(0, TICK)) for _, foot in feet])
    painter.drawLines([QLineF(side, side - QPointF(TICK, 0)) for _, side in sides])
    painter.setFont(figure_font(FONT_SIZE.micro))
    painter.setPen(theme.text2)
    for tick, foot in feet:
        write_text(painter, foot + QPointF(0, TICK + SPACING.xs + small.ascent()), layout.across.text(tick), MIDDLE)
    for tick, side in sides:
        write_text(painter, side + QPointF(-TICK - SPACING.s, small.capHeight() / 2), layout.up.text(tick), END)
    ascent = QFontMetricsF(figure_font(FONT_SIZE.small)).ascent()
    across, up = figure.words.curve_axes
    foot = QPointF(plot.center().x(), layout.height - MARGIN - SPACING.xs)
    paint_axis_name(painter, foot, across, theme.text2, turned=False)
    paint_axis_name(painter, QPointF(MARGIN + ascent, plot.center().y()), up, theme.text2, turned=True)


def _paint_dots(painter: QPainter, figure: CurveFigure, layout: CurveLayout) -> None:
    for x, y in _finite(figure.keys, figure.values):
        _dot(painter, layout.place(x, y), figure.theme)


def _paint_line(painter: QPainter, figure: CurveFigure, layout: CurveLayout) -> None:
    order = np.argsort(figure.queries, kind="stable")
    pen = QPen(figure.theme.query, LINE.row_and_column)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    points = [layout.place(x, y) for x, y in _finite(figure.queries[order], figure.outputs[order])]
    painter.drawPolyline(QPolygonF(points))


def _dot(painter: QPainter, at: QPointF, theme: Theme) -> None:
    color = QColor(theme.key)
    color.setAlpha(SHADE)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(at, DOT, DOT)


def _finite(x: Numbers, y: Numbers) -> list[tuple[float, float]]:
    """The points that can be drawn."""
    seen = np.isfinite(x) & np.isfinite(y)
    return list(zip(x[seen].tolist(), y[seen].tolist(), strict=True))
