"""Text on any device: measured where it is painted, anchored where a viewer will measure it."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attn_gui.figure.output.svg import SvgPage
from attn_gui.figure.text.fonts import figure_font

START, MIDDLE, END = "start", "middle", "end"
_BEFORE = {START: 0.0, MIDDLE: 0.5, END: 1.0}


def write_text(painter: QPainter, at: QPointF, text: str, anchor: str = START, width: float | None = None) -> None:
    """Write a text with its start, middle or end at a point of its baseline, in the painter's font and color.

    `width` is that of the text, for callers who know it.
    """
    device = painter.device()
    if isinstance(device, SvgPage):
        device.write(painter, at, text, anchor)
        return
    if anchor != START:
        width = QFontMetricsF(painter.font()).horizontalAdvance(text) if width is None else width
        at = at - QPointF(_BEFORE[anchor] * width, 0)
    painter.drawText(at, text)


def write_line(
    painter: QPainter,
    at: QPointF,
    text: str,
    color: QColor,
    pixels: float,
    *,
    strong: bool = False,
    anchor: str = START,
) -> None:
    """Write a text in the figures' font, of a size and color; nothing for an empty one."""
    if text:
        painter.setFont(figure_font(pixels, strong=strong))
        painter.setPen(color)
        write_text(painter, at, text, anchor)


def write_within(
    painter: QPainter,
    at: QPointF,
    text: str,
    color: QColor,
    pixels: float,
    room: float,
    *,
    strong: bool = False,
    anchor: str = START,
) -> None:
    """Write a line as `write_line` does, in smaller type where it is wider than its room: a figure has no tooltip that
    would say what was cut."""
    width = QFontMetricsF(figure_font(pixels, strong=strong)).horizontalAdvance(text)
    smaller = pixels * min(1.0, room / width) if width > 0 and room > 0 else pixels
    write_line(painter, at, text, color, smaller, strong=strong, anchor=anchor)
