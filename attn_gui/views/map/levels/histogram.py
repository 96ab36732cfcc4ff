"""Histogram of the numbers of a map between its levels."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from attn_gui.figure.colors import LUT_SIZE, Lut
from attn_gui.figure.display import Levels, Values, to_display
from attn_gui.figure.text.numbers import level_texts
from attn_gui.views.theme import current_theme, scaled

BINS = 48
HEIGHT = 44
FAINTEST = 1.5  # pixels of a bar that stands for a single number


class Histogram(QWidget):
    """Bars in the colors of their numbers, as high as the root of their count; lines where the levels are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("levels.histogram")
        self.setAccessibleName(self.tr("How the values are spread"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.counts, self.edges = np.zeros(0, int), np.zeros(0)
        self._levels, self._table = Levels(0.0, 1.0), np.zeros(LUT_SIZE, np.uint32)

    def set_sample(self, sample: Values, levels: Levels, table: Lut) -> None:
        """Finite numbers of the map, its levels, and the colors between them."""
        self._levels, self._table = levels, table
        scale = max(float(np.abs(sample).max(initial=0.0)), abs(levels.low), abs(levels.high))
        # of numbers as large as can be the range itself would overflow
        low, high = (
            min(float(sample.min(initial=levels.low)), levels.low) / scale,
            max(float(sample.max(initial=levels.high)), levels.high) / scale,
        )
        counts, edges = np.histogram(sample.astype(np.float64) / scale, bins=BINS, range=(low, high))
        self.counts, self.edges = (counts if sample.size else counts[:0]), edges * scale
        self._describe(sample)
        self.update()

    def _describe(self, sample: Values) -> None:
        if not sample.size:
            self.setAccessibleDescription(self.tr("no finite value"))
            return
        ends = level_texts(float(sample.min()), float(sample.max()), (0.0, 1.0))
        self.setAccessibleDescription(self.tr("from {low} to {high}").format(low=ends[0], high=ends[1]))

    def sizeHint(self) -> QSize:
        return QSize(scaled(160), scaled(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        painter.fillRect(self.rect(), theme.sunken)
        if not self.counts.size:
            return
        width = self.width() / BINS
        middles = self.edges[:-1] / 2 + self.edges[1:] / 2
        colors = self._table[to_display(middles, None, self._levels).indices]
        heights = np.sqrt(self.counts / self.counts.max()) * (self.height() - 2)
        for place in np.flatnonzero(self.counts).tolist():
            tall = max(float(heights[place]), FAINTEST)
            bar = QRectF(place * width, self.height() - tall, max(width - 1, 1), tall)
            painter.fillRect(bar, QColor.fromRgb(int(colors[place])))
            painter.setPen(QPen(theme.line_strong, 0))
            painter.drawRect(bar)
        painter.setPen(QPen(theme.accent, 1))
        painter.drawLines([QLineF(x, 0, x, self.height()) for x in map(self._across, self._ends())])

    def _ends(self) -> tuple[float, float]:
        return self._levels.low, self._levels.high

    def _across(self, value: float) -> float:
        """The position of a value, in pixels."""
        low, high = float(self.edges[0]), float(self.edges[-1])
        unit = max(abs(low), abs(high))
        share = (value / unit - low / unit) / (high / unit - low / unit)
        return min(max(share * self.width(), 0.5), self.width() - 0.5)
