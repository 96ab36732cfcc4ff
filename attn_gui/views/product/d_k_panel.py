"""The slider of d_k below two maps: its axis, curves of mean entropy, three numbers of both states.

The curves are painted by `views/live_plot.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from attn_gui.engine.analysis.sweep import (
    NARROWEST_D_K,
    OWN,
    POINTS,
    RANDOM,
    REPEATED,
    SOURCES,
    WIDEST_D_K,
    DkReading,
    Entropies,
)
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.pages.page_kind import PageSpot
from attn_gui.figure.pages.plot import AxisScale, Curve, Plot, PlotAxes, nice_scale
from attn_gui.figure.text.number_formats import format_number
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.live_plot import LivePlot
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, set_background, style_text, ui_font
from attn_gui.views.widgets import ChoiceBox, Retranslated, arrange, set_tip, space_grid

TICKS = tuple(2**power for power in range(1, 10))
STEPS = tuple(dict.fromkeys(POINTS))
"""Widths that the arrows go to: the points of the curves."""
KNOB, GROOVE = 7, 3
LEAST_PITCH = 26
"""Pixels between two ticks that are lettered."""


def share_of(width: float) -> float:
    """Return the part of the axis that lies left of a width."""
    return math.log2(width / NARROWEST_D_K) / math.log2(WIDEST_D_K / NARROWEST_D_K)


class DkSlider(QSlider):
    """Every whole number from 2 to 512 can be drawn to; arrows go from point to point of the curves.

    A style would put the knob linearly, and beside where the mouse went down: both are done here.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("control.d_k_slider")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(NARROWEST_D_K, WIDEST_D_K)
        self._ends = (0, 1)

    def set_ends(self, left: int, right: int) -> None:
        """Set the pixels of the narrowest and the widest."""
        self._ends = left, right
        self.update()

    def x_of(self, width: float) -> float:
        """Return the pixel of a width."""
        left, right = self._ends
        return left + share_of(width) * (right - left)

    def _width_at(self, x: float) -> int:
        left, right = self._ends
        share = min(max((x - left) / max(1, right - left), 0.0), 1.0)
        return round(NARROWEST_D_K * math.pow(WIDEST_D_K / NARROWEST_D_K, share))

    def _step(self, by: int) -> None:
        """Go to the next point of the curves, or so many on."""
        value = self.value()
        further = [step for step in STEPS if (step > value if by > 0 else step < value)]
        if further:
            self.setValue(further[min(by, len(further)) - 1] if by > 0 else further[max(by, -len(further))])

    def sizeHint(self) -> QSize:
        return QSize(
            scaled(160), 2 * scaled(KNOB) + round(QFontMetricsF(ui_font("small")).height()) + scaled(SPACING.s)
        )

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            (left, right), at, middle = self._ends, self.x_of(self.value()), scaled(KNOB)
            painter.setPen(QPen(theme.line, scaled(GROOVE), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
            painter.setPen(QPen(theme.accent, scaled(GROOVE), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(left, middle), QPointF(at, middle))
            painter.setPen(QPen(theme.accent, 2.5 if self.hasFocus() else 1.5))
            painter.setBrush(theme.surface)
            painter.drawEllipse(QPointF(at, middle), scaled(KNOB) - 1.5, scaled(KNOB) - 1.5)
            apart = self.x_of(TICKS[1]) - self.x_of(TICKS[0])
            for tick in TICKS[:: 1 if apart >= scaled(LEAST_PITCH) else 2]:
                here = tick == self.value()
                painter.setFont(ui_font("small", 600 if here else 400))
                painter.setPen(theme.accent if here else theme.text2)
                box = QRectF(self.x_of(tick) - scaled(20), 2 * middle, scaled(40), self.height() - 2 * middle)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(tick))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self._width_at(event.position().x()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._width_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown() and event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and event.angleDelta().y():
            self._step(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        steps = {keys.Key_Left: -1, keys.Key_Down: -1, keys.Key_Right: 1, keys.Key_Up: 1}
        steps |= {keys.Key_PageDown: -4, keys.Key_PageUp: 4, keys.Key_Home: -len(STEPS), keys.Key_End: len(STEPS)}
        if (by := steps.get(keys(event.key()))) is None:
            super().keyPressEvent(event)
        else:
            self._step(by)


# --- curves ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class PowerScale(AxisScale):
    """An axis of powers of two, which the slider below letters."""

    def text(self, value: float) -> str:
        """Return nothing."""
        return ""


NAMED = 260
"""Least width of the plot beside which the curves have their names."""
TALL, LOW = 170, 118
DOT = 3.5
"""Radius of a point in pixels."""


class DkCurves(QWidget):
    """The entropies at every d_k as a plot of pyqtgraph, and the slider on its x axis.

    The points of the present d_k are painted over a picture of the plot: drawn as a part of it, all of it would be at
    every step.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.slider = DkSlider(self)
        self._plot = LivePlot(self)
        self._points = DkPoints(self._plot)
        for over in (self._plot, self._points):
            over.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # zoomed, the knob would not fit it
        self._entropies: Entropies | None = None
        self._readings: tuple[DkReading, DkReading] | None = None
        self._names = ("", "")
        self._named = True  # whether there is room for names beside the curves; the head of the numbers has both colors
        self._title, self._tall, self._bare = "", TALL, False

    def set_words(self, title: str, names: tuple[str, str]) -> None:
        """Set the title of the y axis and the names of the two curves."""
        if (title, names) != (self._title, self._names):
            self._title, self._names = title, names
            self.draw()

    def set_curves(self, found: Entropies | None) -> None:
        """Set the curves; None while they are being computed."""
        if found != self._entropies:
            self._entropies = found
            self.draw()

    def set_readings(self, readings: tuple[DkReading, DkReading] | None) -> None:
        """Set the two points of what the maps show; None where the curves are of other numbers."""
        self._readings = readings
        if readings is not None and max(each.entropy for each in readings) > self._top:
            self.draw()
        self._place_points()

    def draw(self) -> None:
        """Show everything where it belongs."""
        if self.width() <= 0 or not self.isVisible():
            return
        theme, factor = current_theme(), scaled(100) / 100
        slider, line = self.slider.sizeHint().height(), QFontMetricsF(ui_font("small")).height()
        left = scaled(SPACING.xxl) + scaled(SPACING.m)
        names = max(QFontMetricsF(ui_font("small", 600)).horizontalAdvance(name) for name in self._names)
        self._named = self.width() - names >= scaled(NAMED)
        right = self.width() - (math.ceil(names) + scaled(SPACING.l) if self._named else scaled(SPACING.xl))
        place = QRectF(left, line + scaled(SPACING.m), max(1, right - left), 1.0)
        place.setBottom(max(place.top() + 1, self.height() - slider - scaled(SPACING.l)))
        self.slider.setGeometry(0, self.height() - slider, self.width(), slider)
        self.slider.set_ends(round(place.left()), round(place.right()))
        for curves in (self._plot, self._points):
            curves.setVisible(not self._bare)
        if self._bare:
            return
        page = QRectF(*(side / factor for side in (place.left(), place.top(), place.width(), place.height())))
        room = QRectF(0, page.top() - SPACING.s, page.right(), page.height() + 2 * SPACING.m)
        x = np.log2(np.array(POINTS, dtype=np.float64))
        both = np.array(self._entropies or [[], []], dtype=np.float64)
        here = () if self._readings is None else [each.entropy for each in self._readings]
        axes = PlotAxes(
            page, room, PowerScale(1.0, 9.0, 1.0), nice_scale(np.array([0.0, 1.0, *both.ravel(), *here]), 4), ("", "")
        )
        colors, styles = (theme.text, theme.accent), (Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine)
        marks = tuple(
            Curve(x[: len(curve)], curve, color, style)
            for curve, color, style in zip(both, colors, styles, strict=True)
        )
        self._plot.set_field(Plot(axes, theme, marks).field(x, lambda _place: PageSpot("")), factor)
        self._points.setGeometry(self._plot.geometry())
        self._points.take_plot()
        self._place_points()
        self.update()

    @property
    def _top(self) -> float:
        """The largest entropy that the plot has room for."""
        return float(self._plot.box.viewRange()[1][1])

    def _y_of(self, entropy: float) -> float:
        """Return the pixel of an entropy."""
        place, (low, high) = self._plot.box.geometry(), self._plot.box.viewRange()[1]
        y: float = self._plot.y() + place.bottom() - (entropy - low) / max(high - low, 1e-9) * place.height()
        return y

    def _place_points(self) -> None:
        if self.isVisible():
            at = QPointF(self._points.pos())
            ys = [self._y_of(each.entropy) - at.y() for each in self._readings or ()]
            self._points.place(self.slider.x_of(self.slider.value()) - at.x(), ys)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._bare:
            return
        theme, metrics = current_theme(), QFontMetricsF(ui_font("small"))
        with QPainter(self) as painter:
            painter.setFont(ui_font("small"))
            painter.setPen(theme.text2)
            painter.drawText(QPointF(scaled(SPACING.s), metrics.ascent()), self._title)
            right = self._plot.geometry().right() + scaled(SPACING.s)
            painter.setFont(ui_font("small", 600))
            for y, name, color in zip(self._last_values(), self._names, (theme.text, theme.accent), strict=False):
                painter.setPen(color)
                painter.drawText(QPointF(right, y + metrics.capHeight() / 2), name)

    def _last_values(self) -> list[float]:
        """Return where the two curves end, apart by a line at least."""
        if self._entropies is None or not self._named:
            return []
        ends = [self._y_of(curve[-1]) for curve in self._entropies]
        apart = QFontMetricsF(ui_font("small")).height()
        if abs(ends[0] - ends[1]) < apart:
            ends[1] = ends[0] - apart
        return ends

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.draw()

    def set_low(self, low: bool) -> None:
        """Take less height in a low window."""
        self._tall = LOW if low else TALL
        self.updateGeometry()

    def set_bare(self, bare: bool) -> None:
        """Leave the curves out, for the slider alone."""
        self._bare = bare
        self.updateGeometry()
        self.draw()

    def sizeHint(self) -> QSize:
        return QSize(scaled(320), self.slider.sizeHint().height() if self._bare else scaled(self._tall))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(180), min(scaled(LOW), self.sizeHint().height()))


class DkPoints(QWidget):
    """A dotted line at the present d_k, and a point on it for each state, over a plot that it hides."""

    def __init__(self, plot: LivePlot) -> None:
        super().__init__(plot.parentWidget())
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._plot, self._background = plot, QPixmap()
        self._x = 0.0
        self._ys: list[float] = []

    def take_plot(self) -> None:
        """Paint the plot as it is now."""
        self._background = self._plot.grab()
        self.update()

    def place(self, x: float, ys: list[float]) -> None:
        """Stand at these pixels."""
        before, reach = self._x, math.ceil(DOT) + 2
        self._x, self._ys = x, ys
        if self._background.devicePixelRatio() != self.devicePixelRatioF():  # on another screen
            self.take_plot()
        for at in (before, x):
            self.update(QRect(math.floor(at) - reach, 0, 2 * reach + 1, self.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, box = current_theme(), self._plot.box.geometry()
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._background)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.accent, 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(self._x, box.top()), QPointF(self._x, box.bottom()))
            for y, color in zip(self._ys, (theme.text, theme.accent), strict=False):
                painter.setPen(QPen(color, 1.5))
                painter.setBrush(color)
                painter.drawEllipse(QPointF(self._x, y), DOT, DOT)


# --- panel ----------------------------------------------------------------------------------------
class DkPanel(Retranslated, QWidget):
    """Three numbers of both states, and the slider that tells another d_k while it moves and once it rests."""

    moved = Signal(int)  # while it is drawn
    picked = Signal(int)  # let go, stepped to or typed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("d_k_panel")
        set_background(self, "surface")
        self.box, self.source = CountBox(self, minimum=NARROWEST_D_K, maximum=WIDEST_D_K), ChoiceBox(SOURCES, self)
        self.box.setObjectName("control.width")
        self.box.setKeyboardTracking(False)  # of 128, neither 1 nor 12 is meant
        self.source.setObjectName("control.width_of")
        self.curves = DkCurves(self)
        self._compact, self._low, self._bare, self._query, self._drawn = False, False, False, "", False
        self._names = ("", "")
        self._heads = [QLabel(self), QLabel(self)]
        self._captions = [QLabel(self) for _ in range(3)]
        self._numbers = [[QLabel(self) for _ in range(2)] for _ in range(3)]
        self._letter, self._note = QLabel("d<sub>k</sub> =", self), WrappedLabel(self)
        slider = self.curves.slider
        slider.valueChanged.connect(self._on_slider_moved)
        slider.sliderReleased.connect(self._on_slider_released)
        self.box.valueChanged.connect(self.picked)
        self._build()
        self.retranslate()

    def set_compact(self, compact: bool, *, low: bool) -> None:
        """Set the form for narrow windows, whose names take two lines, and for low ones, without what the slider's tip
        says, too."""
        self._compact, self._low = compact, low
        self._show_parts()
        self.curves.set_low(low)
        self.retranslate()

    def set_bare(self, bare: bool) -> None:
        """Show d_k and its slider alone, where the maps above have no room beside more."""
        if bare != self._bare:
            self._bare = bare
            self._show_parts()
            self.curves.set_bare(bare)

    def _show_parts(self) -> None:
        numbers = (label for labels in self._numbers for label in labels)
        for part in (*self._heads, *self._captions, *numbers, self.source):
            part.setVisible(not self._bare)
        self._note.setVisible(not (self._low or self._bare))

    def set_width(self, width: int) -> None:
        """Stand at a width, without a word."""
        for control in (self.box, self.curves.slider):
            with QSignalBlocker(control):
                control.setValue(width)
        self.curves.slider.update()

    def set_names(self, names: tuple[str, str], row: str) -> None:
        """Set the names of the two states and of the row whose gradient stands below."""
        if (names, row) != (self._names, self._query):
            self._names, self._query = names, row
            self.retranslate()

    def set_source(self, source: str, offered: Iterable[str]) -> None:
        """Set what Q and K of the maps are, one of those `offered`."""
        self.source.enable_only(offered)
        if source != self.source.currentData():
            self.source.set_key(source)
            self.retranslate()

    def set_readings(self, readings: tuple[DkReading, DkReading]) -> None:
        """Set both states in three numbers, and as points on the curves if these are of the same Q and K."""
        for state, reading in enumerate(readings):
            numbers = (reading.variance, 2), (reading.entropy, 2), (reading.gradient, 3)
            texts = [format_number(*number) for number in numbers]
            for labels, text in zip(self._numbers, texts, strict=True):
                labels[state].setText(text)
        self.curves.set_readings(None if self.source.currentData() == OWN else readings)

    def retranslate(self) -> None:
        for label, name in zip(self._heads, self._names, strict=True):
            label.setText(name.replace(" ", "\n", 1) if self._compact else name)
        gradient = self.tr("Gradient ‖∂a/∂s′‖, row {row}").format(row=self._query)
        entropy = self.tr("Mean entropy (bits)")
        for label, text in zip(self._captions, (self.tr("Variance of the scores"), entropy, gradient), strict=True):
            label.setText(text)
        words = {OWN: self.tr("this example"), RANDOM: self.tr("random Q and K (seed 0)")}
        self.source.set_words({**words, REPEATED: self.tr("this example, columns repeated")})
        self.source.setAccessibleName(self.tr("Q and K of the maps"))
        tip = self.tr("This example, 16 random tokens, or this example with columns of Q and K repeated or left out")
        set_tip(self.source, tip)
        self.box.setAccessibleName(self.tr("d_k, from 2 to 512"))
        set_tip(self.box, self.tr("Columns of Q and K in one head: any whole number from 2 to 512"))
        self.curves.slider.setAccessibleName(self.tr("d_k on a logarithmic axis"))
        source = self.source.currentData()
        notes = {
            RANDOM: self.tr("Let go, and random Q and K become the example; one undo (Ctrl+Z) brings yours back."),
            REPEATED: self.tr(
                "Let go, and Q and K of this width become the example; one undo (Ctrl+Z) brings yours back."
            ),
        }
        self._note.setText(notes.get(source, notes[RANDOM]))
        dragged = self.tr("Drag: both maps follow. Arrow keys go from point to point of the curve.")
        set_tip(self.curves.slider, f"{dragged} {self._note.text()}")
        curves = {
            OWN: self.tr("Mean entropy (bits) of random Q and K, not of this example"),
            RANDOM: self.tr("Mean entropy (bits) of random Q and K; the dots are the maps above"),
            REPEATED: self.tr("Mean entropy (bits), columns repeated; the dots are the maps above"),
        }
        self.curves.set_words(curves[source], self._names)

    def note(self) -> str:
        """Return the note on what happens to Q and K at the width of the slider."""
        return self._note.text()

    def _on_slider_moved(self, width: int) -> None:
        with QSignalBlocker(self.box):
            self.box.setValue(width)
        self._drawn = self.curves.slider.isSliderDown()
        (self.moved if self._drawn else self.picked).emit(width)

    def hideEvent(self, event: QHideEvent) -> None:
        self._drawn = False  # left while it is drawn, nothing is picked
        self.curves.slider.setSliderDown(False)
        super().hideEvent(event)

    def _on_slider_released(self) -> None:
        if self._drawn:  # not merely pressed where it stands
            self._drawn = False
            self.picked.emit(self.curves.slider.value())

    def _build(self) -> None:
        grid = space_grid(QGridLayout(), SPACING.l, SPACING.s)
        grid.addLayout(arrange(QHBoxLayout(), self._letter, self.box, 1, spacing=SPACING.s), 0, 0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        style_text(self._letter, "sentence", strong=True)
        for state, head in enumerate(self._heads):
            style_text(head, "small", "accent" if state else "text", strong=True)
            grid.addWidget(head, 0, 1 + state, right)
        for line, (caption, labels) in enumerate(zip(self._captions, self._numbers, strict=True), 1):
            style_text(caption, "body", "text2")
            grid.addWidget(caption, line, 0)
            for state, label in enumerate(labels):
                label.setObjectName(f"width.{('variance', 'entropy', 'gradient')[line - 1]}.{('before', 'now')[state]}")
                label.setMinimumWidth(scaled(52))
                label.setAlignment(right)
                style_text(label, "body", "accent" if state else "text", strong=True)
                grid.addWidget(label, line, 1 + state, right)
        style_text(self._note, "small", "text3")
        self.source.setSizeAdjustPolicy(self.source.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.source.setMinimumContentsLength(8)
        left = arrange(QVBoxLayout(), grid, self.source, self._note, 1, spacing=SPACING.s)
        margins = SPACING.panel_padding, SPACING.m, SPACING.panel_padding, SPACING.s
        arrange(QHBoxLayout(self), left, (self.curves, 1), margins=margins, spacing=SPACING.xl)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), current_theme().surface)
            painter.fillRect(0, 0, self.width(), 1, current_theme().line)
