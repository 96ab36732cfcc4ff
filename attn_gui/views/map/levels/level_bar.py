"""The level bar of a map, of pyqtgraph's parts: a strip of its colors, and an axis with the numbers they stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from attn_gui.figure.colors import LUT_SIZE, Lut
from attn_gui.figure.levels import Levels
from attn_gui.figure.text.numbers import level_texts
from attn_gui.figure.tokens import LINE, RADIUS, SPACING
from attn_gui.views.bases.scene_view import SceneView
from attn_gui.views.theme import current_theme, scaled, ui_font

BAR, TICK = 8, 4
"""Heights of the strip and of the ticks below it."""

Texts = Sequence[tuple[QRectF, object, str]]
"""Where each text stands, how it is aligned, and what it says."""

UNCUT = Qt.TextFlag.TextDontClip

WIDE = 200
"""From this width on, and that of the words between two of them, the bar has five values, below it three."""


class LevelBar(SceneView):
    """Shows colors and levels; the mouse is for the widget around it, whose frame and ring of the focus it draws."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self._box.setRange(QRectF(0, 0, 1, 1), padding=0)
        self._strip = pg.ImageItem(axisOrder="row-major")
        self._box.addItem(self._strip, ignoreBounds=True)
        self.axis = LevelAxis()
        self._shown: tuple[Lut, Levels | None, str, QSize, int] | None = None
        for item in (self._box, self.axis):
            self.addItem(item)

    def set_shown(self, table: Lut, levels: Levels | None, words: str) -> None:
        """Show the colors of a map from its lowest level to the highest, numbers unless there are no levels yet, and
        words between two of these where they have room."""
        shown = (table, levels, words, self.size(), scaled(100))
        if self._shown is not None and shown[0] is self._shown[0] and shown[1:] == self._shown[1:]:
            return
        self._shown = shown
        colors = table.view(np.uint8).reshape(1, LUT_SIZE, 4)[..., 2::-1]  # blue comes first in memory
        self._strip.setImage(colors, autoLevels=False, rect=QRectF(0, 0, 1, 1))
        self._arrange()
        self.axis.set_shown(levels, words)

    @staticmethod
    def height_needed() -> int:
        """Pixels of the strip, its ticks and its values at the present zoom."""
        return round(scaled(BAR) + scaled(TICK) + QFontMetricsF(ui_font("micro")).height())

    def _arrange(self) -> None:
        """Place strip and axis in the room of the widget, in the sizes of the present zoom."""
        width, bar = self.width(), scaled(BAR)
        self._box.setGeometry(QRectF(1, 0, max(1, width - 2), bar))
        self.axis.setHeight(self.height() - bar)  # which pyqtgraph fixes
        self.axis.setGeometry(QRectF(0, bar, width, self.height() - bar))

    def drawForeground(self, painter: QPainter, _exposed: object) -> None:
        strip = QRectF(0, 0, self.width(), scaled(BAR))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(current_theme().line_strong, LINE.hairline))
        painter.drawRect(strip.adjusted(0, 0, -1, -1))
        if self.parentWidget().hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().accent, LINE.focus))
            painter.drawRoundedRect(strip.adjusted(1, 1, -1, -1), RADIUS.frame, RADIUS.frame)


class LevelAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Writes levels below their ticks in whole pixels, none beyond the ends of the bar and none into another."""

    def __init__(self) -> None:
        super().__init__("bottom", maxTickLength=0)
        self._places: Sequence[tuple[float, float, str]] = ()
        self._words = ""

    def set_shown(self, levels: Levels | None, words: str) -> None:
        """Write these levels, none where there are none yet, with words between the first two."""
        self._words, self.style["tickFont"] = words, ui_font("micro")
        self._places = tick_places(levels, self.geometry().width(), words) if levels is not None else ()
        self.update()

    def tickPen(self) -> QPen:
        return QPen(current_theme().line_strong, LINE.hairline)

    def textPen(self) -> QPen:
        return QPen(current_theme().text2)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint at once: a picture that is kept, as pyqtgraph does, has its letters a part of a pixel off."""
        self.drawPicture(painter, *self.generateDrawSpecs(painter))

    def generateDrawSpecs(self, _painter: QPainter) -> tuple[object, object, Texts]:
        """What pyqtgraph draws: no line of its own, ticks, and texts with their places."""
        width, metrics, low = self.geometry().width(), QFontMetricsF(self.style["tickFont"]), scaled(TICK) - 1
        pen, ticks, texts = self.tickPen(), [], []
        for share, left, text in self._places:
            x = round(share * (width - 2)) + 0.5
            ticks.append((pen, QPointF(x, 0.5), QPointF(x, low - 0.5)))
            texts.append((QRectF(left, low, metrics.horizontalAdvance(text), metrics.height()), UNCUT, text))
        return (pg.mkPen(None), QPointF(), QPointF()), ticks, texts

    def drawPicture(self, painter: QPainter, axis: object, ticks: object, texts: Texts) -> None:
        """Draw as pyqtgraph does, and the words in the weaker color between the first two values."""
        super().drawPicture(painter, axis, ticks, texts)
        if self._words and len(texts) > 1:
            room = QRectF(texts[0][0].topRight(), texts[1][0].bottomLeft())
            if room.width() - QFontMetricsF(painter.font()).horizontalAdvance(self._words) >= 2 * scaled(SPACING.m):
                painter.setPen(current_theme().text3)
                painter.drawText(room, UNCUT | Qt.AlignmentFlag.AlignHCenter, self._words)


def tick_places(levels: Levels, width: float, words: str) -> list[tuple[float, float, str]]:
    """Share of the bar, left end and text of every value that is written: at the ends and in the middle, as many as
    have room beside the words that stand between two."""
    metrics = QFontMetricsF(ui_font("micro"))

    def placed(shares: Sequence[float], texts: Sequence[str]) -> list[tuple[float, float, str]]:
        """Each text below its tick, but not beyond the ends of the bar; none where two run into one another."""
        wide = [metrics.horizontalAdvance(text) for text in texts]
        centers = [share * (width - 2) for share in shares]
        lefts = [min(max(at - text / 2, 0.0), width - text) for at, text in zip(centers, wide, strict=True)]
        ends = [left + text + scaled(SPACING.s) for left, text in zip(lefts, wide, strict=True)]
        collide = any(end > left for end, left in zip(ends, lefts[1:], strict=False))
        return [] if collide else list(zip(shares, lefts, texts, strict=True))

    five = width >= scaled(WIDE) + 4 * metrics.horizontalAdvance(words)
    shares = [0.0, 0.25, 0.5, 0.75, 1.0] if five else [0.0, 0.5, 1.0]
    texts = level_texts(levels.low, levels.high, shares)
    if places := placed(shares, texts) or placed([0.0, 1.0], [texts[0], texts[-1]]):
        return places
    one = "±" * levels.symmetric + texts[-1]
    fits = metrics.horizontalAdvance(one) <= width
    return placed([0.5 if levels.symmetric else 1.0], [one]) if fits else []
