"""Token labels along the rows and columns of a map: thinned to what fits, the chosen one always, as a chip."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from attn_gui.figure.labels import elided, label_step, visible_text
from attn_gui.figure.tokens import RADIUS, SPACING, Theme
from attn_gui.views.heatmaps.geometry import Span
from attn_gui.views.theme import scaled

LINE_SPACING = 1.25
"""Pixels that a label takes along its axis, in heights of its type."""

MEASURED, NEARLY = 5000, 2
"""So many labels are all measured; of more, some of those that have nearly as many letters as the longest."""


@dataclass(frozen=True)
class LabelStyle:
    """Type and colors of the labels of one axis; `role` is the chip's color."""

    font: QFont
    chosen_font: QFont
    theme: Theme
    role: str


def shown_labels(span: Span, labels: Sequence[str], chosen: int | None, height: float) -> Iterator[tuple[int, slice]]:
    """The cells to be labelled and their pixels: every k-th that fits, none too near to the chosen one."""
    size = span.cell_size
    if not size or not labels:
        return
    step = label_step(height * LINE_SPACING, size)
    first, last = span.shown.start, min(span.shown.stop, len(labels))
    for cell in range(-(-first // step) * step, last, step):
        if chosen is None or cell == chosen or abs(cell - chosen) >= step:
            yield cell, span.pixels_of_cells(slice(cell, cell + 1))
    if chosen is not None and first <= chosen < last and chosen % step:
        yield chosen, span.pixels_of_cells(slice(chosen, chosen + 1))


def paint_row_labels(
    painter: QPainter, span: Span, labels: Sequence[str], chosen: int | None, box: QRectF, style: LabelStyle
) -> None:
    """Right-aligned in `box`, each at the height of its row."""
    metrics = QFontMetricsF(style.chosen_font)
    for cell, pixels in shown_labels(span, labels, chosen, metrics.height() / LINE_SPACING):
        _paint_label(painter, labels[cell], cell == chosen, _along(box, pixels, metrics.height(), rows=True), style)


def paint_column_labels(
    painter: QPainter, span: Span, labels: Sequence[str], chosen: int | None, box: QRectF, style: LabelStyle
) -> None:
    """Upright, read from below, in `box`, each over its column."""
    metrics = QFontMetricsF(style.chosen_font)
    painter.save()
    painter.translate(box.left(), box.bottom())
    painter.rotate(-90)
    turned = QRectF(0, 0, box.height(), box.width())
    for cell, pixels in shown_labels(span, labels, chosen, metrics.height() / LINE_SPACING):
        place = _along(turned, pixels, metrics.height(), rows=True)
        _paint_label(painter, labels[cell], cell == chosen, place, style, Qt.AlignmentFlag.AlignLeft)
    painter.restore()


def labels_fit(labels: Sequence[str], font: QFont, cell: float) -> bool:
    """Whether every label can stand over its own column without being turned."""
    return len(labels) * cell > 0 and _widest_of(labels, font) <= cell - 2 * scaled(SPACING.s)


def paint_level_labels(
    painter: QPainter, span: Span, labels: Sequence[str], chosen: int | None, box: QRectF, style: LabelStyle
) -> None:
    """Each over its column, not turned."""
    for cell in range(span.shown.start, min(span.shown.stop, len(labels))):
        pixels = span.pixels_of_cells(slice(cell, cell + 1))
        place = QRectF(box.left() + pixels.start + 1, box.top(), pixels.stop - pixels.start - 2, box.height())
        _paint_label(painter, labels[cell], cell == chosen, place, style, Qt.AlignmentFlag.AlignHCenter)


def label_width(labels: Sequence[str], font: QFont, widest: float) -> float:
    """The room that labels need, at most `widest`, with that of a chip and of its distance from the map."""
    return min(_widest_of(labels, font) + 1, widest) + 3 * scaled(SPACING.s)


def _widest_of(labels: Sequence[str], font: QFont) -> float:
    return _widest(tuple(labels), tuple(font.families()), font.pixelSize())


@functools.lru_cache(maxsize=32)
def _widest(labels: tuple[str, ...], families: tuple[str, ...], size: int) -> float:
    """The room of any label once it is the chosen one.

    Thousands are measured once, although every stage asks whenever maps are laid out or zoomed.
    """
    font = QFont()
    font.setFamilies(list(families))
    font.setPixelSize(size)
    font.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(font)
    return max((metrics.horizontalAdvance(visible_text(label)) for label in _longest(labels)), default=0.0)


def _longest(labels: Sequence[str]) -> Sequence[str]:
    """Of very many labels some of those with most letters: measuring 65,536 of them takes a third of a second."""
    if len(labels) <= MEASURED:
        return labels
    most = max(map(len, labels))
    long = [label for label in labels if len(label) >= most - NEARLY]
    return long[:: -(-len(long) // MEASURED)]


def _along(box: QRectF, pixels: slice, height: float, *, rows: bool) -> QRectF:
    """The strip of one label: its row, or at least the height of its type where rows are thinner."""
    middle, thick = (pixels.start + pixels.stop) / 2, max(pixels.stop - pixels.start - 2.0, height)
    return QRectF(box.left(), box.top() + middle - thick / 2, box.width(), thick)


def _paint_label(
    painter: QPainter, label: str, chosen: bool, place: QRectF, style: LabelStyle,
    alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignRight,
) -> None:
    font = style.chosen_font if chosen else style.font
    if chosen:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(getattr(style.theme, style.role + "_soft", style.theme.sunken))
        painter.drawRoundedRect(place, RADIUS.chip, RADIUS.chip)
    painter.setFont(font)
    painter.setPen(getattr(style.theme, style.role, style.theme.text) if chosen else style.theme.text2)
    room = place.adjusted(scaled(SPACING.s), 0, -scaled(SPACING.s), 0)
    text = elided(visible_text(label), room.width(), QFontMetricsF(font))
    painter.drawText(room, int(alignment | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), text)
