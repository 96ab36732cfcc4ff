"""Boxes, arrows, bars, curves with ticks and text that beats are painted with."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from attn_gui.figure.cell_painting import hatch_lines
from attn_gui.figure.colors import value_text_color
from attn_gui.figure.design_tokens import RADIUS, Theme
from attn_gui.figure.pages.plot import AxisScale
from attn_gui.figure.text.rich_text import rich_width, strong, write_rich
from attn_gui.figure.writers import END, MIDDLE, SHARES, START

WIDTH, HEIGHT = 788.0, 360.0
"""Size that a stage is laid out at; it is magnified to its rectangle."""
TIP = 6.0
SMALL = 12.0
"""Pixels of names, ticks and side remarks, the smallest type there is."""


def eased(progress: float) -> float:
    """Return a progress that starts and ends slowly."""
    return progress * progress * (3 - 2 * progress)


def part(progress: float, start: float, stop: float) -> float:
    """Return how much of a part of a beat is over, 0 to 1, eased."""
    return eased(min(max((progress - start) / (stop - start), 0.0), 1.0))


def between(a: QPointF, b: QPointF, share: float) -> QPointF:
    """Return a point on the way from one to another."""
    return a + (b - a) * share


def tick_text(text: str) -> str:
    """Return a tick without zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


CURVE = QRectF(420.0, 63.0, 320.0, 229.0)
"""Place of a curve."""
NUMBER_GAP = 6.0
"""Between two numbers beside an axis."""


class WalkCanvas:
    """A painter with the colors of a walk; on a `still` one the ends of beats have arrows in place of movements."""

    def __init__(self, painter: QPainter, theme: Theme, *, still: bool = False) -> None:
        self.painter, self.theme, self.still = painter, theme, still

    # --- text ------------------------------------------------------------------------------------
    def text(
        self,
        x: float,
        y: float,
        rich: str,
        pixels: float = 13.0,
        color: QColor | None = None,
        anchor: str = START,
        room: float | None = None,
    ) -> None:
        """Write rich text with its anchor at a point of its baseline, smaller where it is wider than its room."""
        if room is not None and (width := rich_width(rich, pixels)) > room:
            pixels = max(1.0, floor(pixels * room / width))  # fonts have whole sizes
        write_rich(self.painter, QPointF(x, y), rich, color or self.theme.text, pixels, SHARES[anchor])

    # --- boxes -----------------------------------------------------------------------------------
    def box(
        self,
        rect: QRectF,
        rich: str,
        fill: QColor | None = None,
        border: QColor | None = None,
        *,
        pixels: float = 16.0,
        color: QColor | None = None,
        width: float = 1.0,
    ) -> None:
        """Paint a number in a frame."""
        self.painter.setPen(QPen(border or self.theme.line_strong, width))
        self.painter.setBrush(fill or self.theme.surface)
        self.painter.drawRoundedRect(rect, RADIUS.chip, RADIUS.chip)
        ink = color or value_text_color((fill or self.theme.surface).rgb())
        self.text(rect.center().x(), rect.center().y() + pixels * 0.36, rich, pixels, ink, MIDDLE, rect.width() - 4)

    def slot(self, rect: QRectF) -> None:
        """Paint an empty place that a number will take."""
        self.painter.setPen(QPen(self.theme.line, 1.2, Qt.PenStyle.DashLine))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRoundedRect(rect, RADIUS.chip, RADIUS.chip)

    def bar(self, rect: QRectF, color: QColor) -> None:
        """Paint a bar without a frame."""
        if rect.width() > 0 and rect.height() > 0:
            self.painter.fillRect(rect, color)

    def hatched(self, rect: QRectF) -> None:
        """Paint a bar as masked cells are."""
        self.painter.fillRect(rect, self.theme.masked)
        self.painter.setPen(QPen(self.theme.hatch, 1.0))
        self.painter.drawLines(hatch_lines(np.array([[True]]), rect, 7.0))

    # --- lines -----------------------------------------------------------------------------------
    def line(
        self, a: QPointF, b: QPointF, color: QColor | None = None, width: float = 1.0, *, dotted: bool = False
    ) -> None:
        """Paint a line."""
        pen = QPen(color or self.theme.line_strong, width, Qt.PenStyle.DotLine if dotted else Qt.PenStyle.SolidLine)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self.painter.setPen(pen)
        self.painter.drawLine(QLineF(a, b))

    def arrow(self, a: QPointF, b: QPointF, color: QColor | None = None, width: float = 1.5) -> None:
        """Paint an arrow from one point to another."""
        way = QLineF(a, b)
        if way.length() < 1e-3:
            return
        ink = color or self.theme.text2
        self.line(a, b, ink, width)
        along = QPointF(way.dx(), way.dy()) * (1 / way.length())
        across = QPointF(-along.y(), along.x())
        back = b - along * TIP
        self.painter.setPen(QPen(ink, width))
        self.painter.drawPolyline(QPolygonF([back + across * TIP * 0.6, b, back - across * TIP * 0.6]))

    def curve(self, points: Sequence[QPointF], color: QColor, width: float = 2.0) -> None:
        """Paint a line through points."""
        pen = QPen(color, width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        self.painter.setPen(pen)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawPolyline(QPolygonF(list(points)))

    def dot(self, at: QPointF, color: QColor, *, hollow: bool = False) -> None:
        """Paint a point, or a ring."""
        self.painter.setPen(QPen(color, 1.8))
        self.painter.setBrush(self.theme.surface if hollow else color)
        self.painter.drawEllipse(at, 4.2, 4.2)

    def flight(self, start: QPointF, end: QPointF, sag: float, share: float, color: QColor) -> QPointF:
        """Paint the curve between two points that hangs below them, and return the point at a share of it."""
        first, second = (between(start, end, part_) + QPointF(0, sag) for part_ in (0.3, 0.7))
        path = QPainterPath(start)
        path.cubicTo(first, second, end)
        self.painter.setPen(QPen(color, 1.2, Qt.PenStyle.DotLine))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawPath(path)
        return path.pointAtPercent(min(max(share, 0.0), 1.0))


class CurveGraph:
    """Axes of a curve with their ticks, and points that climb to it."""

    def __init__(self, canvas: WalkCanvas, across: AxisScale, up: AxisScale) -> None:
        self._canvas, self._across, self._up = canvas, across, up
        self._written: list[QRectF] = []

    def at(self, x: float, y: float) -> QPointF:
        """Return the place of a point."""
        right = (x - self._across.low) / (self._across.high - self._across.low)
        above = (y - self._up.low) / (self._up.high - self._up.low)
        return QPointF(CURVE.left() + right * CURVE.width(), CURVE.bottom() - above * CURVE.height())

    def paint(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        """Paint the axes, and the curve through the points that are finite."""
        canvas, across, up = self._canvas, self._across, self._up
        for tick in up.ticks():
            y = self.at(across.low, tick).y()
            canvas.line(QPointF(CURVE.left(), y), QPointF(CURVE.right(), y), canvas.theme.line)
            canvas.text(CURVE.left() - 8, y + 4, tick_text(up.text(tick)), SMALL, canvas.theme.text2, END)
        canvas.line(self.at(across.low, 0.0), self.at(across.high, 0.0))
        for tick in across.ticks():
            x = self.at(tick, 0.0).x()
            canvas.line(QPointF(x, CURVE.bottom()), QPointF(x, CURVE.bottom() + 4))
            canvas.text(x, CURVE.bottom() + 16, tick_text(across.text(tick)), SMALL, canvas.theme.text2, MIDDLE)
        canvas.curve([self.at(x, y) for x, y in zip(xs, ys, strict=True) if np.isfinite(y)], canvas.theme.text)

    def paint_point(self, x: float, y: float, share: float, ink: QColor, *, right: bool = False) -> None:
        """Paint a point that has climbed a share of its way, and a line to the axis of y once it stands."""
        canvas, foot, end = self._canvas, self.at(x, 0.0), self.at(x, y)
        now = between(foot, end, share)
        canvas.line(foot, now, ink, 2.0)
        if share >= 1.0:
            canvas.line(end, QPointF(CURVE.right() if right else CURVE.left(), end.y()), ink, 1.5, dotted=True)
        canvas.dot(now, ink)

    def write_point(
        self, x: float, y: float, texts: tuple[str, str], share: float, ink: QColor, *, right: bool = False
    ) -> None:
        """Write the numbers of a point beside the axes, but not over those that stand there."""
        self._write(self.at(x, 0.0).x(), CURVE.bottom() + 33, texts[0], 12, ink, MIDDLE)
        if share >= 1.0:
            edge, side, anchor = (CURVE.right(), -10, END) if right else (CURVE.left(), 10, START)
            self._write(edge + side, self.at(x, y).y() - 7, texts[1], 13, ink, anchor)

    def _write(self, x: float, y: float, text: str, pixels: float, ink: QColor, anchor: str) -> None:
        width = rich_width(strong(text), pixels)
        place = QRectF(x - SHARES[anchor] * width, y - pixels, width + NUMBER_GAP, pixels)
        if not any(place.intersects(other) for other in self._written):
            self._written.append(place)
            self._canvas.text(x, y, strong(text), pixels, ink, anchor)
