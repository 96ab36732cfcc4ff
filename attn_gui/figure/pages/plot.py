"""Plots on pages: round ticks, curves, dots, rules and notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SPACING, Theme
from attn_gui.figure.heatmap_painting import paint_axis_name, paint_frame
from attn_gui.figure.pages.page_kind import PageSpot, SpotGrid, metrics
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import format_number, significant
from attn_gui.figure.text.rich_text import elided
from attn_gui.figure.writers import END, MIDDLE, START, write_line, write_text

Numbers = npt.NDArray[np.float64]

TICK_PITCH = 44.0
TICK = 4.0
FEWEST, ROUNDING = 3.0, 1e-9
NARROWEST, WIDEST = 1e-290, 1e308
"""Lengths of an axis: a step of it, and the distance of two points, have to be numbers that can be divided by."""
SHORT, LONG = 1e-100, 1e100

DECIMALS = 12
"""So many at most; a smaller step is written with a power of ten, and one of a million and more."""


@dataclass(frozen=True)
class AxisScale:
    """An axis from `low` to `high` with its ticks, in single steps of `step`."""

    low: float
    high: float
    step: float
    least: float = 0.0  # of a step: 1 where only whole numbers mean anything

    def ticks(self) -> list[float]:
        """Return the values that have a tick, the ends included."""
        count = round((self.high - self.low) / self.step)
        return [self.low + number * self.step for number in range(count + 1)]

    def within(self, low: float, high: float, most: float) -> AxisScale:
        """Return the ticks between two values of it, at most about so many; all of it has the ticks that it has."""
        if high - low > (self.high - self.low) * (1 - ROUNDING):
            return self
        step = max(_nice_step((high - low) / max(most, FEWEST)), self.least)
        first, last = math.ceil(low / step - ROUNDING) * step, math.floor(high / step + ROUNDING) * step
        return AxisScale(first, last, step, self.least)

    def text(self, value: float) -> str:
        """Return a tick with as many decimals as the step needs."""
        decimals = -math.floor(math.log10(self.step) + 1e-9)
        tick = round(value / self.step) * self.step
        if -6 < decimals <= DECIMALS:
            return format_number(tick, max(0, decimals))
        digits = math.floor(math.log10(max(abs(self.low), abs(self.high)))) + decimals + 1
        return significant(tick, max(1, digits))


def nice_scale(numbers: Numbers, most: float, least: float = 0.0) -> AxisScale:
    """Return an axis over the finite numbers with steps of 1, 2 or 5 times a power of ten, at most about so many, and
    none below the least one."""
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    low, high = max(low, -WIDEST / 2), min(high, WIDEST / 2)
    if high - low <= max(1e-9 * max(abs(low), abs(high)), NARROWEST):
        apart = abs(low) * 0.5 if abs(low) > NARROWEST else 0.5
        low, high = low - apart, high + apart
    step = max(_nice_step((high - low) / max(most, 1.0)), least)
    return AxisScale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step, least)


def _nice_step(least: float) -> float:
    """Return the first of 1, 2 and 5 times a power of ten that is not less."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(nice * power for nice in (1, 2, 5, 10) if nice * power >= least * (1 - 1e-9))


class PlotAxes(NamedTuple):
    """The rectangle of a plot, that of the plot with all its labels, its two scales and what they count."""

    plot: QRectF
    room: QRectF
    across: AxisScale
    up: AxisScale
    names: tuple[str, str]

    def place(self, x: float, y: float) -> QPointF:
        """Return the place of a point of the plot on the page."""
        right = (x - self.across.low) / (self.across.high - self.across.low)
        above = (y - self.up.low) / (self.up.high - self.up.low)
        return QPointF(self.plot.left() + right * self.plot.width(), self.plot.bottom() - above * self.plot.height())

    def numbers_at(self, point: QPointF) -> tuple[float, float]:
        """Return the numbers of a place on the page, the inverse of `place`."""
        right = (point.x() - self.plot.left()) / self.plot.width()
        above = (self.plot.bottom() - point.y()) / self.plot.height()
        across, up = self.across, self.up
        return across.low + right * (across.high - across.low), up.low + above * (up.high - up.low)

    @property
    def is_usual(self) -> bool:
        """Whether its lengths are numbers that scenes of Qt and pyqtgraph can compute with."""
        return all(SHORT < scale.high - scale.low < LONG for scale in (self.across, self.up))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint frame, ticks, labels and names."""
        paint_frame(painter, self.plot, theme)
        small = metrics("micro")
        feet = [(tick, self.place(tick, self.up.low)) for tick in self.across.ticks()]
        sides = [(tick, self.place(self.across.low, tick)) for tick in self.up.ticks()]
        painter.setPen(QPen(theme.line_strong, 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLines([QLineF(foot, foot + QPointF(0, TICK)) for _, foot in feet])
        painter.drawLines([QLineF(side, side - QPointF(TICK, 0)) for _, side in sides])
        painter.setFont(figure_font(FONT_SIZE.micro))
        painter.setPen(theme.text2)
        for tick, foot in feet:
            write_text(painter, foot + QPointF(0, TICK + SPACING.xs + small.ascent()), self.across.text(tick), MIDDLE)
        for tick, side in sides:
            write_text(painter, side + QPointF(-TICK - SPACING.s, small.capHeight() / 2), self.up.text(tick), END)
        across, up = (
            elided(name, room, metrics("small"))
            for name, room in zip(self.names, (self.plot.width(), self.plot.height()), strict=True)
        )
        line = metrics("small")
        foot = QPointF(self.plot.center().x(), self.room.bottom() - line.descent())
        side = QPointF(self.room.left() + line.ascent(), self.plot.center().y())
        paint_axis_name(painter, foot, across, theme.text2, turned=False)
        paint_axis_name(painter, side, up, theme.text2, turned=True)

    def points(self, x: Numbers, y: Numbers) -> list[QPointF]:
        """Return the places of the points whose numbers are finite."""
        seen = np.isfinite(x) & np.isfinite(y)
        return [self.place(a, b) for a, b in zip(x[seen].tolist(), y[seen].tolist(), strict=True)]


def axes_in(room: QRectF, x: Numbers, y: Numbers, names: tuple[str, str], *, whole: bool = False) -> PlotAxes:
    """Return axes over some numbers, with all their labels inside a rectangle; an axis without a name takes less
    room, and one across of `whole` numbers has no ticks between them."""
    line, micro = metrics("small"), metrics("micro")
    bottom = room.bottom() - line.height() - SPACING.s - micro.height() - TICK - SPACING.xs
    top = room.top() + micro.capHeight() / 2
    up = nice_scale(y, (bottom - top) / TICK_PITCH)
    labels = max(micro.horizontalAdvance(up.text(tick)) for tick in up.ticks())
    left = room.left() + (line.height() + SPACING.s if names[1] else 0) + labels + TICK + SPACING.s
    across = nice_scale(x, (room.right() - left) / TICK_PITCH, 1.0 if whole else 0.0)
    right = room.right() - max(SPACING.s, micro.horizontalAdvance(across.text(across.high)) / 2)
    plot = QRectF(left, top, right - left, bottom - top)
    return PlotAxes(plot, room, across, up, names)


def paint_line(painter: QPainter, places: Sequence[QPointF], color: QColor, *, dashed: bool = False) -> None:
    """Paint one line through places."""
    pen = QPen(color, LINE.row_and_column)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if dashed:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(list(places)))


def paint_dot(painter: QPainter, at: QPointF, color: QColor, radius: float, rim: QPen | None = None) -> None:
    """Paint a filled dot, with an outline if there is a pen for one."""
    painter.setPen(rim or QPen(Qt.PenStyle.NoPen))
    painter.setBrush(color)
    painter.drawEllipse(at, radius, radius)


# --- plot -----------------------------------------------------------------------------------------
RIM = 1.5
"""Width of the outline of a dot that is filled with another color."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (count,) joined by a line, marked with dots, or both; points that are not finite are left out."""

    x: Numbers
    y: Numbers
    color: QColor
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    """Of the line; NoPen draws dots alone."""
    dot: float = 0.0
    """Radius of the dots in logical pixels; 0 draws none."""
    opacity: Numbers | None = None
    """Of each dot (count,), 0 to 255."""
    fill: QColor | None = None
    """Color inside the dots, which are outlines then."""

    def __eq__(self, other: object) -> bool:
        """Return whether both draw the same."""
        return isinstance(other, Curve) and self._drawn() == other._drawn()

    def points(self) -> tuple[Numbers, Numbers]:
        """Return the finite points, x and y."""
        seen = self._finite()
        return self.x[seen], self.y[seen]

    def dot_colors(self) -> list[QColor]:
        """Return the color inside the dot of each finite point."""
        opacity = np.full(len(self.x), 255.0) if self.opacity is None else self.opacity
        colors = [QColor(self.color if self.fill is None else self.fill) for _ in range(int(self._finite().sum()))]
        for color, share in zip(colors, opacity[self._finite()], strict=True):
            color.setAlpha(round(float(share)))
        return colors

    def paint(self, painter: QPainter, axes: PlotAxes) -> None:
        """Paint the line, then the dots."""
        places = axes.points(self.x, self.y)
        if self.style != Qt.PenStyle.NoPen:
            paint_line(painter, places, self.color, dashed=self.style == Qt.PenStyle.DashLine)
        if self.dot:
            rim = None if self.fill is None else QPen(self.color, RIM)
            for place, color in zip(places, self.dot_colors(), strict=True):
                paint_dot(painter, place, color, self.dot, rim)

    def _drawn(self) -> tuple[object, ...]:
        arrays = [None if array is None else array.tobytes() for array in (self.x, self.y, self.opacity)]
        return *arrays, self.color, self.style, self.dot, self.fill

    def _finite(self) -> npt.NDArray[np.bool_]:
        return np.isfinite(self.x) & np.isfinite(self.y)


class PlotRule(NamedTuple):
    """A dotted line from the top of a plot to its bottom."""

    x: float
    color: QColor

    def paint(self, painter: QPainter, axes: PlotAxes) -> None:
        """Paint it."""
        at = axes.place(self.x, axes.up.low).x()
        painter.setPen(QPen(self.color, 1.0, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(at, axes.plot.top(), at, axes.plot.bottom()))


class PlotNote(NamedTuple):
    """A few words in a plot: `at` is where their line begins or ends on the page.

    `x` and `y` are the numbers of the point that they stand beside, which they follow in a plot that is zoomed.
    """

    text: str
    color: QColor
    at: QPointF
    anchor: str = START
    x: float | None = None
    y: float | None = None

    def paint(self, painter: QPainter, axes: PlotAxes) -> None:
        """Paint them."""
        write_line(painter, self.at, self.text, self.color, FONT_SIZE.micro, anchor=self.anchor)


@dataclass(frozen=True, eq=False)
class Plot:
    """Axes in the colors of a theme, and what is drawn on them, the last on top."""

    axes: PlotAxes
    theme: Theme
    marks: tuple[Curve | PlotRule | PlotNote, ...]

    def paint(self, painter: QPainter) -> None:
        """Paint it as files have it."""
        self.axes.paint(painter, self.theme)
        for mark in self.marks:
            mark.paint(painter, self.axes)

    def field(self, x: Numbers, spot: Callable[[int], PageSpot]) -> PlotField:
        """Return the field whose places are the finite ones of some numbers; `spot` describes one by its index."""
        order = np.argsort(x, kind="stable")
        order = order[np.isfinite(x[order])]

        def spot_of(_row: int, column: int) -> PageSpot:
            return spot(int(order[column])) if order.size else PageSpot("")

        return PlotField(self.axes.plot, spot_of, columns=max(1, order.size), plot=self, x=x[order])


@dataclass(frozen=True, eq=False, kw_only=True)
class PlotField(SpotGrid):
    """The field of a plot: a place for each of `x`, ascending, or one that says nothing; a point means the nearest."""

    plot: Plot
    x: Numbers

    def at(self, point: QPointF) -> tuple[int, int] | None:
        if not self.x.size or not self.place.contains(point):
            return None
        return 0, int(np.argmin(np.abs(self.x - self.plot.axes.numbers_at(point)[0])))

    def rect(self, row: int, column: int) -> QRectF:
        if not self.x.size:
            return self.place
        middle = self.plot.axes.place(float(self.x[column]), self.plot.axes.up.low).x()
        return QRectF(middle - 0.5, self.place.top(), 1.0, self.place.height())

    def paint(self, painter: QPainter) -> None:
        self.plot.paint(painter)
