"""The legend below a color bar: swatches and words, broken into lines of its width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from attn_gui.figure.cells import paint_sample
from attn_gui.figure.colors import Lut
from attn_gui.figure.tokens import LINE, SPACING
from attn_gui.views.theme import current_theme, scaled, ui_font

SWATCH = 14

Entry = tuple[int | None, str]  # the flag of cells and their words; without a flag words alone


class BarLegend:
    """Entries in as many lines as they need; one that is wider than a line says its count alone."""

    def __init__(self, entries: Iterable[Entry], width: float) -> None:
        self._metrics = QFontMetricsF(ui_font("small"))
        self.lines = list(self._broken(entries, width))

    @property
    def height(self) -> int:
        return len(self.lines) * self._line_height

    def paint(self, painter: QPainter, top: int, table: Lut) -> None:
        """Draw every line, the first one below `top`."""
        painter.setFont(ui_font("small"))
        y = top + scaled(SPACING.s)
        for line in self.lines:
            x = 0.0
            for flag, text in line:
                if flag is not None:
                    _paint_swatch(painter, QRect(round(x), y, scaled(SWATCH), scaled(SWATCH)), flag, table)
                painter.setPen(current_theme().text2)
                width = self._width(flag, text)
                left = x + width - self._metrics.horizontalAdvance(text)
                painter.drawText(QPointF(left, y + (scaled(SWATCH) + self._metrics.capHeight()) / 2), text)
                x += width + scaled(SPACING.l)
            y += self._line_height

    def _broken(self, entries: Iterable[Entry], width: float) -> Iterator[list[Entry]]:
        line: list[Entry] = []
        used = 0.0
        for flag, words in entries:
            text = words if self._width(flag, words) <= width else words.rpartition("  ")[2]
            needed = self._width(flag, text)
            if line and used + needed > width:
                yield line
                line, used = [], 0.0
            line.append((flag, text))
            used += needed + scaled(SPACING.l)
        if line:
            yield line

    def _width(self, flag: int | None, text: str) -> float:
        swatch = 0 if flag is None else scaled(SWATCH) + scaled(SPACING.s)
        return self._metrics.horizontalAdvance(text) + swatch

    @property
    def _line_height(self) -> int:
        return max(scaled(SWATCH), round(self._metrics.height())) + scaled(SPACING.s)


def _paint_swatch(painter: QPainter, rect: QRect, flag: int, table: Lut) -> None:
    paint_sample(painter, QRectF(rect), flag, table, current_theme())
    painter.setPen(QPen(current_theme().line_strong, LINE.hairline))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(0, 0, -1, -1))
