"""A plot of a page as data: axes with curves, rules and notes, painted in files and live in the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.figure.output.text import START, write_line
from attn_gui.figure.pages.axes import Axes, paint_dot, paint_line
from attn_gui.figure.pages.page_drawing import Field, Spot
from attn_gui.figure.tokens import FONT_SIZE, Theme

Numbers = npt.NDArray[np.float64]

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
        """Whether both draw the same."""
        return isinstance(other, Curve) and self._drawn() == other._drawn()

    def points(self) -> tuple[Numbers, Numbers]:
        """The finite points, x and y."""
        seen = self._finite()
        return self.x[seen], self.y[seen]

    def dot_colors(self) -> list[QColor]:
        """The color inside the dot of each finite point."""
        opacity = np.full(len(self.x), 255.0) if self.opacity is None else self.opacity
        colors = [QColor(self.color if self.fill is None else self.fill) for _ in range(int(self._finite().sum()))]
        for color, share in zip(colors, opacity[self._finite()], strict=True):
            color.setAlpha(round(float(share)))
        return colors

    def paint(self, painter: QPainter, axes: Axes) -> None:
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


@dataclass(frozen=True)
class Rule:
    """A dotted line from the top of a plot to its bottom."""

    x: float
    color: QColor

    def paint(self, painter: QPainter, axes: Axes) -> None:
        """Paint it."""
        at = axes.place(self.x, axes.up.low).x()
        painter.setPen(QPen(self.color, 1.0, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(at, axes.plot.top(), at, axes.plot.bottom()))


@dataclass(frozen=True)
class Note:
    """A few words in a plot: `at` is where their line begins or ends on the page.

    `x` and `y` are the numbers of the point that they stand beside, which they follow in a plot that is zoomed.
    """

    text: str
    color: QColor
    at: QPointF
    anchor: str = START
    x: float | None = None
    y: float | None = None

    def paint(self, painter: QPainter, axes: Axes) -> None:
        """Paint them."""
        write_line(painter, self.at, self.text, self.color, FONT_SIZE.micro, anchor=self.anchor)


@dataclass(frozen=True, eq=False)
class Plot:
    """Axes in the colors of a theme, and what is drawn on them, the last on top."""

    axes: Axes
    theme: Theme
    marks: tuple[Curve | Rule | Note, ...]

    def paint(self, painter: QPainter) -> None:
        """Paint it as files have it."""
        self.axes.paint(painter, self.theme)
        for mark in self.marks:
            mark.paint(painter, self.axes)

    def field(self, x: Numbers, spot: Callable[[int], Spot]) -> PlotField:
        """The field whose places are the finite of some numbers; `spot` tells of one by its index."""
        order = np.argsort(x, kind="stable")
        order = order[np.isfinite(x[order])]

        def told(_row: int, column: int) -> Spot:
            return spot(int(order[column])) if order.size else Spot("")

        return PlotField(self.axes.plot, told, columns=max(1, order.size), plot=self, x=x[order])


@dataclass(frozen=True, eq=False, kw_only=True)
class PlotField(Field):
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
