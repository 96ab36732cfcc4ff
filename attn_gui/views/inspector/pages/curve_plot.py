"""The plot of a regression: points, the curve through the answers, and the query that was chosen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.tokens import LINE
from attn_gui.views.inspector.pages.curve_points import Curve, Numbers
from attn_gui.views.theme import current_theme, scaled, theme_signal, ui_font

FAINTEST, USUAL = 40, 180  # of 255: a point without weight is still a point; all of them while no query is chosen


class CurvePlot(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows everything and is not moved: it is looked at and clicked.

    Put together from a box and two axes, since a whole PlotItem brings seven menus along that outlive it.
    """

    queryChosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._curve: Curve | None = None
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False)
        self._axes = {side: pg.AxisItem(side) for side in ("left", "bottom")}
        self._points, self._line = pg.ScatterPlotItem(), pg.PlotCurveItem(antialias=True)
        self._place, self._answer = pg.InfiniteLine(angle=90), pg.ScatterPlotItem()
        for item in (self._place, self._points, self._line, self._answer):
            self._box.addItem(item)
        self._arrange()
        self.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)
        theme_signal.changed.connect(self._follow_theme)
        self._follow_theme()

    def _arrange(self) -> None:
        frame = pg.GraphicsLayout()
        self.setCentralItem(frame)
        frame.addItem(self._axes["left"], 0, 0)
        frame.addItem(self._box, 0, 1)
        frame.addItem(self._axes["bottom"], 1, 1)
        for axis in self._axes.values():
            axis.linkToView(self._box)

    def set_names(self, across: str, up: str) -> None:
        """Name the axes."""
        self._axes["bottom"].setLabel(across)
        self._axes["left"].setLabel(up)

    def set_curve(self, curve: Curve) -> None:
        """Show these points and this curve."""
        self._curve = curve
        self._draw(curve)

    @property
    def shown_points(self) -> list[tuple[float, float]]:
        """The positions of the dots."""
        return [(float(spot.pos().x()), float(spot.pos().y())) for spot in self._points.points()]

    @property
    def shown_shades(self) -> list[int]:
        """The shades of the dots, of 255."""
        return [spot.brush().color().alpha() for spot in self._points.points()]

    @property
    def shown_line(self) -> tuple[Numbers, Numbers]:
        """The points of the line, from the left to the right."""
        x, y = self._line.getData()
        return np.asarray(x), np.asarray(y)

    def place_of(self, x: float, y: float) -> QPoint:
        """The position of a point of the plot in the widget."""
        return QPoint(self.mapFromScene(self._box.mapViewToScene(QPointF(x, y))))

    # --- drawing ---------------------------------------------------------------------------------
    def _draw(self, curve: Curve) -> None:
        theme, order = current_theme(), np.argsort(curve.queries, kind="stable")
        x, y, _ = _finite(curve.queries[order], curve.outputs[order])
        self._line.setData(x, y, pen=pg.mkPen(theme.query, width=LINE.row_and_column))
        x, y, seen = _finite(curve.keys, curve.values)
        self._points.setData(x, y, size=scaled(7), pen=None, brush=_brushes(curve.weights, seen))
        row = [] if curve.row is None else [curve.row]
        x, y, _ = _finite(curve.queries[row], curve.outputs[row])
        self._answer.setData(x, y, size=scaled(10), brush=theme.query, pen=theme.casing)
        self._place.setVisible(bool(len(x)))
        if len(x):
            self._place.setPos(float(x[0]))

    def _follow_theme(self, *_: object) -> None:
        theme = current_theme()
        self.setBackground(theme.surface)
        for axis in self._axes.values():
            axis.setPen(theme.line_strong)
            axis.setTextPen(theme.text2)
            axis.setTickFont(ui_font("micro", tabular=True))
        self._place.setPen(pg.mkPen(theme.query, style=Qt.PenStyle.DashLine))
        self.setMinimumHeight(scaled(180))
        if self._curve is not None:
            self._draw(self._curve)

    def _on_scene_mouse_clicked(self, event: object) -> None:
        if self._curve is None:
            return
        x = self._box.mapSceneToView(event.scenePos()).x()  # type: ignore[attr-defined]  # pyqtgraph's own
        apart = np.abs(self._curve.queries - x)
        if np.isfinite(apart).any():
            self.queryChosen.emit(int(np.nanargmin(apart)))


def _brushes(weights: Numbers | None, seen: npt.NDArray[np.bool_]) -> list[QColor]:
    """Brushes of the points: with a chosen query, darker with more weight."""
    shades = np.full(len(seen), float(USUAL))
    if weights is not None:
        largest = float(np.nanmax(weights, initial=0.0)) or 1.0
        shades = FAINTEST + (255 - FAINTEST) * np.nan_to_num(weights / largest)
    return [_shaded(shade) for shade in shades[seen].tolist()]


def _shaded(shade: float) -> QColor:
    color = QColor(current_theme().key)
    color.setAlpha(round(shade))
    return color


def _finite(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers, npt.NDArray[np.bool_]]:
    """The points that can be drawn, and a mask of them: pyqtgraph must not see numbers that are none."""
    seen = np.isfinite(x) & np.isfinite(y)
    return x[seen], y[seen], seen
