"""Words and lines between maps: captions, chips, and the thin lines that join two maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from attn_gui.figure.display import Levels
from attn_gui.figure.text.labels import elided
from attn_gui.figure.text.numbers import level_texts
from attn_gui.figure.tokens import RADIUS, SPACING, Theme
from attn_gui.formats.visible_text import visible_text
from attn_gui.views.theme import current_theme, scaled, ui_font

Word = tuple[str, str, str, int]
"""Text, size of the tokens, color of the theme, weight."""


def painted_ground(widget: QWidget, paint: Callable[[QPainter], None]) -> QPixmap:
    """The words of a widget on its ground without any mark, painted once: every click and every outline that fades
    repaints some of it."""
    ratio = widget.devicePixelRatioF()
    ground = QPixmap(widget.size() * ratio)
    ground.setDevicePixelRatio(ratio)
    ground.fill(current_theme().surface)
    painter = QPainter(ground)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint(painter)
    painter.end()
    return ground


def words_width(words: Sequence[Word]) -> float:
    """The width of a row of words."""
    widths = [QFontMetricsF(ui_font(size, weight)).horizontalAdvance(text) for text, size, _, weight in words]
    return sum(widths) + scaled(SPACING.m) * max(0, len(widths) - 1)


def range_text(levels: Levels) -> str:
    """The range of the colors as text, where there is no room for a color bar: ±4.09."""
    low, high = level_texts(levels.low, levels.high, (0.0, 1.0))
    return f"±{high}" if levels.symmetric else f"{low} … {high}"


def paint_words(painter: QPainter, words: Sequence[Word], left: float, baseline: float, theme: Theme) -> float:
    """Words in a row from the left; returns where the next one would begin."""
    for text, size, color, weight in words:
        painter.setFont(ui_font(size, weight))
        painter.setPen(getattr(theme, color))
        painter.drawText(QPointF(left, baseline), text)
        left += QFontMetricsF(painter.font()).horizontalAdvance(text) + scaled(SPACING.m)
    return left


def block_height(words: Sequence[Word]) -> float:
    """The height of words below one another."""
    return sum(QFontMetricsF(ui_font(size, weight)).height() + scaled(SPACING.xs) for _, size, _, weight in words)


def paint_block(painter: QPainter, words: Sequence[Word], right: float, top: float, theme: Theme) -> None:
    """Words below one another, aligned to the right."""
    for text, size, color, weight in words:
        painter.setFont(ui_font(size, weight))
        painter.setPen(getattr(theme, color))
        metrics = QFontMetricsF(painter.font())
        painter.drawText(QPointF(right - metrics.horizontalAdvance(text), top + metrics.ascent()), text)
        top += metrics.height() + scaled(SPACING.xs)


def chip_width(text: str) -> float:
    """The width of a chip with its distance from other words."""
    words = QFontMetricsF(ui_font("small", 600)).horizontalAdvance(visible_text(text))
    return words + 2 * scaled(SPACING.s) + scaled(SPACING.m)


def paint_chip(painter: QPainter, text: str, role: str, right: float, bottom: float, room: float, theme: Theme) -> None:
    """A token on the soft ground of its role, its lower right corner at a point."""
    painter.setFont(ui_font("small", 600))
    metrics = QFontMetricsF(painter.font())
    text = elided(visible_text(text), room - 2 * scaled(SPACING.s), metrics)
    width = metrics.horizontalAdvance(text) + 2 * scaled(SPACING.s)
    if not text.rstrip("…") or width > room:
        return
    box = QRectF(right - width, bottom - metrics.height(), width, metrics.height())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(getattr(theme, f"{role}_soft"))
    painter.drawRoundedRect(box, RADIUS.chip, RADIUS.chip)
    painter.setPen(getattr(theme, role))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def gap_lines(first: QRect, second: QRect, pixels: slice) -> tuple[QRect, ...]:
    """The thin pair of lines that joins a row or a column of two maps, where it lies in the second one."""
    if pixels.stop <= pixels.start:
        return ()
    ends = pixels.start, pixels.stop - 1
    if first.right() < second.left():  # beside one another: from frame to frame
        left, width = first.right() + 2, second.left() - first.right() - 3
        return tuple(QRect(left, second.top() + at, width, 1) for at in ends)
    top, height = first.bottom() + 2, second.top() - first.bottom() - 3
    return tuple(QRect(second.left() + at, top, 1, height) for at in ends)
