"""Zooming and moving the plot of a page: wheel, drag, double click; ticks, dots and lines while zoomed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainterPath,
    QPen,
    QSinglePointEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsRectItem, QGraphicsSceneResizeEvent, QGraphicsSimpleTextItem, QWidget

from attn_gui.figure.design_tokens import FONT_SIZE, LINE, SPACING, Theme
from attn_gui.figure.pages.plot import RIM, TICK, TICK_PITCH, AxisScale, Curve, PlotField, PlotNote, PlotRule
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.rich_text import elided, subscripted
from attn_gui.figure.writers import END
from attn_gui.views.map.map_view import SceneView

CLOSEST = 1e-3
"""Part of an axis that remains in view at the least."""
ROUNDING = 1e-9
LINE_PITCH = 28.0
"""Pixels between ticks that stand above one another, of a plot that is zoomed."""
SLACK = 4.0
"""Pixels that an axis has beyond its labels: one that fits to the pixel is left out for rounding."""
RING = 3.0
"""Distance of the ring of a pointed point from its middle, beyond its dot."""
ABOVE = 10
EDGE = 6.0
"""Pixels beyond the frame that a dot on it may reach, of a plot that is not zoomed."""


class LivePlot(SceneView):
    """Shows the plot of one field of a page, over its parent, in whose coordinates the signals carry a point.

    What is meant by a point, and keys, are the parent's business, as they are everywhere on a page.
    """

    clicked = Signal(QPointF)  # where, in the widget that it lies on
    pointed = Signal(QPointF)  # of the pointer, when it or what it is over moved

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._field: PlotField | None = None
        self._factor = 1.0
        self._marks: list[Any] = []  # an item of pyqtgraph, or of Qt's, for each mark of the plot
        self.box = PlotBox(enableMenu=False, defaultPadding=0)
        self.axes = PlotAxis("bottom", self.box), PlotAxis("left", self.box)
        self._line = pg.InfiniteLine(angle=90)
        self._rings = pg.PlotDataItem(pen=None, symbol="o")
        self._frame = QGraphicsRectItem()
        for item in (*self.axes, self._frame, self.box):
            self.addItem(item)
        self._frame.setZValue(self.box.zValue() - 1)  # boxes stand far back; dots on the frame are seen whole
        for item in (self._line, self._rings):
            item.setZValue(ABOVE)
            self.box.addItem(item)
        self.box.sigRangeChanged.connect(self._place)
        self.scene().sigMouseClicked.connect(self._on_clicked)

    def set_field(self, field: PlotField, factor: float) -> None:
        """Show a field's plot, at `factor` pixels for one of the page; what is zoomed stays so."""
        whole = self._field is None or self.whole
        before, self._field, self._factor = (self._field, self._factor), field, factor
        # first: what follows moves the range, and with it the notes, which are found by the places of their marks
        self._set_marks(() if before[0] is None or before[1] != factor else before[0].plot.marks)
        axes, theme = field.plot.axes, field.plot.theme
        place = self._scaled(axes.room).united(self._scaled(axes.plot)).adjusted(-SLACK, 0, 1, 0)
        self.setGeometry(place.toAlignedRect())
        self.setBackground(theme.surface)
        self._frame.setPen(pg.mkPen(theme.line_strong))
        small = QFontMetricsF(figure_font(FONT_SIZE.small))
        lengths = axes.plot.width(), axes.plot.height()
        for axis, scale, name, length in zip(self.axes, self._scales(), axes.names, lengths, strict=True):
            axis.set_style(scale, elided(name, length, small), theme, factor)
        self._limit(axes.across, axes.up)
        if whole:
            self.show_all()
        self._place()

    def _set_marks(self, before: tuple[Curve | PlotRule | PlotNote, ...]) -> None:
        """Show the marks; of those that are shown, `before`, only what differs is drawn anew."""
        assert self._field is not None
        marks = self._field.plot.marks
        if list(map(type, before)) != list(map(type, marks)):
            for item in self._marks:
                (self.scene() if isinstance(item, QGraphicsSimpleTextItem) else self.box).removeItem(item)
            self._marks, before = [self._made(mark) for mark in marks], ()
        for number, (item, mark) in enumerate(zip(self._marks, marks, strict=True)):
            if not before or before[number] != mark:
                self._fill(item, mark)

    def set_mark(self, column: int | None) -> None:
        """Point at one of the field's places: a line, and rings round the points of curves there."""
        assert self._field is not None
        self._line.setVisible(column is not None)
        self._rings.setVisible(column is not None)
        if column is None:
            return
        x, theme = float(self._field.x[column]), self._field.plot.theme
        found = [
            (y, curve.dot)
            for curve in self._field.plot.marks
            if isinstance(curve, Curve) and curve.style == Qt.PenStyle.SolidLine
            for at, y in zip(*curve.points(), strict=True)
            if at == x
        ]
        self._line.setPen(pg.mkPen(theme.ink, width=LINE.focus / 2))
        self._line.setValue(x)
        size = 2 * (RING + max((dot for _, dot in found), default=0.0)) * self._factor
        self._rings.setData(
            np.full(len(found), x),
            np.array([y for y, _ in found]),
            symbolSize=size,
            symbolPen=_pen(theme.ink.rgba(), LINE.focus / 2 * self._factor),
            symbolBrush=_brush(0),
            antialias=True,
        )

    # --- zoom ------------------------------------------------------------------------------------
    @property
    def whole(self) -> bool:
        """Whether all of the plot is in view."""
        assert self._field is not None
        return all(
            high - low > (scale.high - scale.low) * (1 - ROUNDING)
            for (low, high), scale in zip(self.box.viewRange(), self._scales(), strict=True)
        )

    def show_all(self) -> None:
        """End the zoom."""
        across, up = self._scales()
        self.box.setRange(xRange=(across.low, across.high), yRange=(up.low, up.high), padding=0)

    def zoom(self, delta: int, column: int | None) -> None:
        """Turn a wheel by `delta` over one of the field's places, or over the middle."""
        assert self._field is not None
        (left, right), (low, high) = self.box.viewRange()
        x = (left + right) / 2 if column is None else float(self._field.x[column])
        size = 1.02 ** (delta * self.box.state["wheelScaleFactor"])
        self.box.scaleBy((size, size), QPointF(x, (low + high) / 2))

    def bring(self, column: int) -> None:
        """Move the zoomed part by the shortest way until it holds one of the field's places."""
        assert self._field is not None
        (left, right), x = self.box.viewRange()[0], float(self._field.x[column])
        if across := min(0.0, x - left) or max(0.0, x - right):
            self.box.translateBy(x=across)

    # --- places ----------------------------------------------------------------------------------
    def to_page(self, point: QPointF) -> QPointF | None:
        """Return the point of the page, as it is without a zoom, that a point of the parent shows.

        None beside the plot.
        """
        place = self.box.geometry()
        at = point - QPointF(self.pos())
        if self._field is None or not place.contains(at):
            return None
        (left, right), (low, high) = self.box.viewRange()
        x = left + (at.x() - place.left()) / place.width() * (right - left)
        y = high - (at.y() - place.top()) / place.height() * (high - low)
        return self._field.plot.axes.place(x, y)

    def from_page(self, point: QPointF) -> QPointF:
        """Return the point of the parent that shows a point of the page's plot."""
        assert self._field is not None
        return self._shown(*self._field.plot.axes.numbers_at(point)) + QPointF(self.pos())

    def _shown(self, x: float, y: float) -> QPointF:
        """Return the point of the scene that shows two numbers."""
        place, ((left, right), (low, high)) = self.box.geometry(), self.box.viewRange()
        across, up = (x - left) / (right - left), (y - low) / (high - low)
        return QPointF(place.left() + across * place.width(), place.bottom() - up * place.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the whole window grows
        else:
            super().wheelEvent(event)
            self._emit_pointed(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        event.accept()  # the parent would take it for a click

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._emit_pointed(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._emit_pointed(event)

    def _emit_pointed(self, event: QSinglePointEvent) -> None:
        event.accept()
        self.pointed.emit(event.position() + QPointF(self.pos()))

    # --- pieces ----------------------------------------------------------------------------------
    def _scales(self) -> tuple[AxisScale, AxisScale]:
        assert self._field is not None
        return self._field.plot.axes.across, self._field.plot.axes.up

    def _limit(self, across: AxisScale, up: AxisScale) -> None:
        self.box.setLimits(
            xMin=across.low,
            xMax=across.high,
            yMin=up.low,
            yMax=up.high,
            minXRange=(across.high - across.low) * CLOSEST,
            minYRange=(up.high - up.low) * CLOSEST,
        )

    def _scaled(self, rect: QRectF) -> QRectF:
        return QRectF(rect.topLeft() * self._factor, rect.size() * self._factor)

    def _made(self, mark: Curve | PlotRule | PlotNote) -> Any:
        if isinstance(mark, PlotNote):
            return QGraphicsSimpleTextItem(self.box)
        item = pg.PlotDataItem() if isinstance(mark, Curve) else pg.InfiniteLine(angle=90)
        self.box.addItem(item)
        return item

    def _fill(self, item: Any, mark: Curve | PlotRule | PlotNote) -> None:
        if isinstance(mark, Curve):
            x, y = mark.points()
            item.setData(
                x,
                y,
                pen=None if mark.style == Qt.PenStyle.NoPen else self._pen(mark),
                symbol="o" if mark.dot else None,
                symbolSize=2 * mark.dot * self._factor,
                symbolPen=_pen() if mark.fill is None else _pen(mark.color.rgba(), RIM * self._factor),
                symbolBrush=[_brush(color.rgba()) for color in mark.dot_colors()],
                antialias=True,
                skipFiniteCheck=True,
            )
        elif isinstance(mark, PlotRule):
            item.setValue(mark.x)
            item.setPen(pg.mkPen(mark.color, width=self._factor, style=Qt.PenStyle.DotLine))
        else:
            item.setText(mark.text)
            item.setFont(self._font())
            item.setBrush(mark.color)

    def _pen(self, curve: Curve) -> QPen:
        pen: QPen = pg.mkPen(curve.color, width=LINE.row_and_column * self._factor, style=curve.style)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        return pen

    def _font(self) -> QFont:
        return figure_font(FONT_SIZE.micro * self._factor)

    def _place(self, *_: object) -> None:
        """Give box and axes their places, with room for the widest tick that is in view now, and notes theirs."""
        if self._field is None:
            return
        plot, corner = self._field.plot, QPointF(self.pos())
        self.box.set_margin(EDGE * self._factor if self.whole else 0.0)
        place = self._scaled(plot.axes.plot).translated(-corner).toRect()
        place.setLeft(place.left() + max(0, math.ceil(self.axes[1].widening())))
        self.box.setGeometry(QRectF(place))
        self.axes[0].set_rect(
            QRectF(place.left(), place.bottom() + 1, place.width(), self.height() - place.bottom() - 1)
        )
        self._frame.setRect(QRectF(place))
        self.axes[1].set_rect(QRectF(0, place.top(), place.left(), place.height()))
        shifted = place.left() - self._scaled(plot.axes.plot).left()
        for item, mark in zip(self._marks, plot.marks, strict=False):
            if isinstance(mark, PlotNote):
                item.setPos(item.parentItem().mapFromScene(self._note_place(mark, QPointF(shifted, -corner.y()))))

    def _note_place(self, note: PlotNote, corner: QPointF) -> QPointF:
        """Return the top left of a note: beside its point, or in its place, which `corner` leads to from the page's."""
        assert self._field is not None
        axes, metrics = self._field.plot.axes, QFontMetricsF(self._font())
        place = note.at * self._factor + corner
        x, y = note.x, note.y
        about = QPointF(axes.across.low if x is None else x, axes.up.low if y is None else y)
        beside = self._shown(about.x(), about.y()) + (note.at - axes.place(about.x(), about.y())) * self._factor
        start = QPointF(place.x() if x is None else beside.x(), place.y() if y is None else beside.y())
        ahead = metrics.horizontalAdvance(note.text) if note.anchor == END else 0.0
        return start - QPointF(ahead, metrics.ascent())

    def _on_clicked(self, event: Any) -> None:
        """Take a click of pyqtgraph's, which is no drag."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.show_all()
        else:
            self.clicked.emit(QPointF(event.scenePos()) + QPointF(self.pos()))


@cache
def _brush(color: int) -> QBrush:
    """Return one brush for a color: pyqtgraph draws a symbol anew for every object that it has not seen."""
    return QBrush(QColor.fromRgba(color))


@cache
def _pen(color: int = 0, width: float = 0.0) -> QPen:
    """Return one pen for a color and a width, whatever symbols are scaled by; none by default."""
    if not width:
        return QPen(Qt.PenStyle.NoPen)
    pen = QPen(QColor.fromRgba(color), width)
    pen.setCosmetic(True)
    return pen


class PlotBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """A box that cuts what it holds off some pixels beyond its frame."""

    _margin = 0.0

    def set_margin(self, pixels: float) -> None:
        """Set how many pixels beyond the frame are shown."""
        if pixels != self._margin:
            self.prepareGeometryChange()
            self._margin = pixels

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(self.rect().adjusted(-self._margin, -self._margin, self._margin, self._margin))
        return path


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis with the ticks of the page, and of a zoomed part in steps of 1, 2 or 5."""

    def __init__(self, side: str, box: pg.ViewBox) -> None:
        super().__init__(side)
        self._scale = AxisScale(0.0, 1.0, 1.0)
        self._seen = self._scale
        self._worn: object = None
        self.enableAutoSIPrefix(False)
        self.linkToView(box)

    def set_style(self, scale: AxisScale, name: str, theme: Theme, factor: float) -> None:
        """Take the scale of all of it, the name below or beside it, colors and sizes, if they are others."""
        worn = scale, name, theme, factor
        if worn == self._worn:
            return
        self._worn, self._scale = worn, scale
        font = figure_font(FONT_SIZE.micro * factor)
        self.setPen(pg.mkPen(None))  # the box has a border
        self.setTickPen(pg.mkPen(theme.line_strong))
        self.setTextPen(pg.mkPen(theme.text2))
        gap = SPACING.xs if self.orientation == "bottom" else SPACING.s
        self.setStyle(
            tickLength=round(TICK * factor),
            tickTextOffset=round(gap * factor),
            tickFont=font,
            tickAlpha=255,
            textFillLimits=[(0, math.inf)],
            autoExpandTextSpace=False,
            autoReduceTextSpace=False,
            hideOverlappingLabels=round(TICK_PITCH),
        )
        self.label.setFont(figure_font(FONT_SIZE.small * factor))
        self.setLabel(subscripted(name), color=theme.text2.name())
        self.showLabel(bool(name))

    def set_rect(self, place: QRectF) -> None:
        """Give it its rectangle."""
        if self.orientation == "bottom":
            self.setHeight(place.height())
        else:
            self.setWidth(place.width())
        self.setGeometry(place)

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | None = None) -> None:
        super().resizeEvent(event)
        if self.label is not None:
            margin = self.label.document().documentMargin()
            if self.orientation == "left":
                self.label.setX(SLACK - margin)
            else:
                self.label.setY(self.size().height() - self.label.boundingRect().height() + margin)

    def widening(self) -> float:
        """Return how much wider the widest tick that is in view is than that of all of it."""
        low, high = self.range
        seen = self._scale.within(low, high, self.size().height() / LINE_PITCH)
        return self._widest(seen) - self._widest(self._scale)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        pitch = TICK_PITCH if self.orientation == "bottom" else LINE_PITCH
        self._seen = self._scale.within(low, high, size / pitch)
        return [(self._seen.step, self._seen.ticks())]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [self._seen.text(value) for value in values]

    def _widest(self, scale: AxisScale) -> float:
        metrics = QFontMetricsF(self.style["tickFont"])
        return max((metrics.horizontalAdvance(scale.text(tick)) for tick in scale.ticks()), default=0.0)
