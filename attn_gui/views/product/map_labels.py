"""Tokens or numbers along a map: turned, upright, left out; chip of the chosen one, words with an index, lines."""

from __future__ import annotations

import functools
import string
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPixmap, QRegion, QTextLayout, QTransform

from attn_gui.figure.colors import Levels
from attn_gui.figure.design_tokens import RADIUS, SPACING, Theme
from attn_gui.figure.text.number_formats import level_texts
from attn_gui.figure.text.rich_text import elided, label_step
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.pictures.planes import Span
from attn_gui.views.names import AxisNames
from attn_gui.views.text_views import WIDEST, SentenceRun, laid_out_sentence, with_scripts
from attn_gui.views.theme import current_theme, scaled, ui_font
from attn_gui.views.widgets import WidgetMixin, paint_rounded

ROWS, UPRIGHT, LEVEL = "rows", "upright", "level"
ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
SIDES = {
    ROWS: int(Qt.AlignmentFlag.AlignRight | ONE_LINE),
    UPRIGHT: int(Qt.AlignmentFlag.AlignLeft | ONE_LINE),
    LEVEL: int(Qt.AlignmentFlag.AlignHCenter | ONE_LINE),
}

BETWEEN = 1
"""Pixels that a label keeps from the sides of its column."""

FIRST_WIDE = "\u2e80"
"""The first of the letters that stand upright also in a column of words read from below: Chinese and its marks."""

MEASURED = 200
"""So many labels are all measured; of more, those with most letters: a thousand take 10 ms."""


class LabelStyle(NamedTuple):
    """Type and colors of the labels of one axis; `role` is the chip's color."""

    font: QFont
    chosen_font: QFont
    theme: Theme
    role: str


@dataclass(frozen=True)
class AxisLabels:
    """The labels of one axis in the box where they stand; the chosen one is a chip, painted over the others.

    Rows are labelled from the right; columns level where `labels_fit`, else upright, read from below.
    """

    span: Span
    texts: AxisNames
    box: QRectF
    style: LabelStyle
    way: str = ROWS

    def paint(self, painter: QPainter) -> None:
        """Paint every k-th label that fits, as if none were chosen."""
        if self.span.cell_size and self.texts:
            first, stop = self._shown()
            with self._turned(painter):
                for cell in range(-(-first // self._step) * self._step, stop, self._step):
                    if self._has_room(cell):
                        self._paint_one(painter, cell, chosen=False)

    def _has_room(self, cell: int) -> bool:
        """Return whether a label leaves room for the caption on the left of its map and the gap on the right.

        Labels of a map that is zoomed in may stand half outside of it.
        """
        if self.way != LEVEL:
            return True
        middle, box = self._place(cell).center().x(), self.box
        half = QFontMetricsF(self.style.font).horizontalAdvance(visible_text(self.texts[cell])) / 2
        return middle - half >= box.left() - scaled(SPACING.s) and middle + half <= box.right() + scaled(SPACING.l)

    def paint_chosen(self, painter: QPainter, chosen: int | None) -> None:
        """Paint the chip of a row or column in view, in place of the labels that it would touch."""
        if self._has(chosen):
            with self._turned(painter):
                for cell in self._touched(chosen):
                    painter.fillRect(self._place(cell).toAlignedRect(), self.style.theme.surface)
                self._paint_one(painter, chosen, chosen=True)

    def chip_region(self, chosen: int | None) -> QRegion:
        """Return the region that `paint_chosen` covers."""
        region = QRegion()
        if self._has(chosen):
            for cell in (chosen, *self._touched(chosen)):
                region += self._transform().mapRect(self._place(cell)).toAlignedRect()
        return region

    def _has(self, chosen: int | None) -> TypeGuard[int]:
        first, stop = self._shown() if self.span.cell_size and self.texts else (0, 0)
        return chosen is not None and first <= chosen < stop

    def _shown(self) -> tuple[int, int]:
        return self.span.shown.start, min(self.span.shown.stop, len(self.texts))

    def _touched(self, chosen: int) -> range:
        """Return the labels nearer to a cell than two labels may be."""
        first, stop = self._shown()
        after = max(first, chosen - self._step + 1)
        return range(-(-after // self._step) * self._step, min(stop, chosen + self._step), self._step)

    @functools.cached_property
    def _height(self) -> float:
        return QFontMetricsF(self.style.chosen_font).height()

    @functools.cached_property
    def _step(self) -> int:
        size = self._wide + _apart(self.texts) if self.way == LEVEL else self._height
        return label_step(size, self.span.cell_size)

    @functools.cached_property
    def _wide(self) -> float:
        return _widest_of(self.texts, self.style.font)

    def _transform(self) -> QTransform:
        """Return the transform from the places of labels to the painter: the box itself, or the box as it is read from
        below.
        """
        box = self.box
        return QTransform.fromTranslate(box.left(), box.bottom()).rotate(-90) if self.way == UPRIGHT else QTransform()

    @contextmanager
    def _turned(self, painter: QPainter) -> Iterator[None]:
        painter.save()
        painter.setTransform(self._transform(), combine=True)
        yield
        painter.restore()

    def _place(self, cell: int) -> QRectF:
        pixels, box = self.span.pixels_of_cells(slice(cell, cell + 1)), self.box
        if self.way == LEVEL:
            middle, least = box.left() + (pixels.start + pixels.stop) / 2, self._wide + 2 * scaled(SPACING.xs) + 1
            wide = max(pixels.stop - pixels.start - 2.0 * BETWEEN, least)
            return QRectF(middle - wide / 2, box.top(), wide, box.height())
        along = QRectF(0, 0, box.height(), box.width()) if self.way == UPRIGHT else box
        return _strip(along, pixels, self._height)

    def _paint_one(self, painter: QPainter, cell: int, *, chosen: bool) -> None:
        _paint_label(painter, self.texts[cell], chosen, self._place(cell), self.style, SIDES[self.way])


def labels_fit(labels: AxisNames, font: QFont, cell: float) -> bool:
    """Return whether labels stand over their columns without being turned.

    They do where each has room over its own; single characters and numbers always, some left out instead.
    """
    return len(labels) * cell > 0 and (_widest_of(labels, font) <= cell - _apart(labels) or _are_short(labels))


def _apart(labels: AxisNames) -> float:
    """Return the pixels between two level labels: single characters, as of Chinese, stand close."""
    return 2 * BETWEEN + (0 if len(_longest(labels)[0]) == 1 else 2 * scaled(SPACING.xs))


def _are_short(labels: AxisNames) -> bool:
    longest = _longest(labels)
    return len(longest[0]) == 1 or all(label.isdecimal() for label in longest)


@functools.lru_cache(maxsize=32)
def _longest(labels: AxisNames) -> list[str]:
    return labels.longest(MEASURED)


def label_width(labels: AxisNames, font: QFont, widest: float) -> float:
    """Return the room that labels need, at most `widest`, with that of a chip and of its distance from the map."""
    return min(_widest_of(labels, font) + 1, widest) + 3 * scaled(SPACING.s)


def _widest_of(labels: AxisNames, font: QFont) -> float:
    return _widest(labels, tuple(font.families()), font.pixelSize())


@functools.lru_cache(maxsize=32)
def _widest(labels: AxisNames, families: tuple[str, ...], size: int) -> float:
    """Return the room of any label once it is the chosen one.

    Of very many the longest are measured, and once, although every stage asks whenever maps are laid out or zoomed. Of
    numbers these are all alike in length, but not in width.
    """
    font = QFont()
    font.setFamilies(list(families))
    font.setPixelSize(size)
    font.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(font)
    measured = _longest(labels)
    if len(labels) > MEASURED and all(map(str.isdecimal, measured)):
        measured = [digit * len(measured[0]) for digit in string.digits]
    return max((metrics.horizontalAdvance(visible_text(label)) for label in measured), default=0.0)


def _strip(box: QRectF, pixels: slice, height: float) -> QRectF:
    """Return the strip of one label: its row, or at least the height of its type where rows are thinner."""
    middle, thick = (pixels.start + pixels.stop) / 2, max(pixels.stop - pixels.start - 2.0, height)
    return QRectF(box.left(), box.top() + middle - thick / 2, box.width(), thick)


def _paint_label(painter: QPainter, label: str, chosen: bool, place: QRectF, style: LabelStyle, alignment: int) -> None:
    font = style.chosen_font if chosen else style.font
    if chosen:
        fill = getattr(style.theme, style.role + "_soft", style.theme.sunken)
        paint_rounded(painter, place, RADIUS.chip, fill=fill)
    painter.setFont(font)
    painter.setPen(getattr(style.theme, style.role, style.theme.text) if chosen else style.theme.text2)
    away = scaled(SPACING.xs if alignment == SIDES[LEVEL] else SPACING.s)
    room = place.adjusted(away, 0, -away, 0)
    text = elided(visible_text(label), room.width(), QFontMetricsF(font))
    if alignment == SIDES[UPRIGHT] and all(letter >= FIRST_WIDE for letter in text):
        _paint_stacked(painter, text, room)
    else:
        painter.drawText(room, alignment, text)


def _paint_stacked(painter: QPainter, text: str, room: QRectF) -> None:
    """Paint Chinese characters below one another, the last at the map; the painter is turned to be read from below."""
    side = QFontMetricsF(painter.font()).horizontalAdvance(text) / max(len(text), 1)
    for place, letter in enumerate(reversed(text)):
        painter.save()
        painter.translate(room.left() + (place + 0.5) * side, room.center().y())
        painter.rotate(90)
        painter.drawText(QRectF(-side, -side, 2 * side, 2 * side), Qt.AlignmentFlag.AlignCenter, letter)
        painter.restore()


Word = tuple[str, str, str, int]
"""Text, size of the tokens, color of the theme, weight."""


class WordsAround(WidgetMixin):
    """Mixin of widgets with words around their maps: these are painted once, since every click and every outline that
    fades repaints some of them, and the marks of the chosen cell over them."""

    # What a widget has to say itself raises here: the metaclass of Qt excludes abc.ABC.
    _background: QPixmap | None = None
    _axes: tuple[AxisLabels, ...] | None = None  # as long as nothing moves
    _marked: QRegion | None = None  # where something marks the chosen cell; None: found once it is painted

    def _cells_region(self) -> QRegion | None:
        """Return the pixels of the maps, below which there is nothing; None while nothing is shown."""
        raise NotImplementedError

    def _made_labels(self) -> Iterable[AxisLabels]:
        """Return the labels of every axis; features have none."""
        raise NotImplementedError

    def _marked_place(self) -> tuple[int | None, int | None]:
        """Return the row and the column that are marked."""
        raise NotImplementedError

    def _paint_words(self, painter: QPainter) -> None:
        """Paint everything but the maps, the labels and the marks."""
        raise NotImplementedError

    def _labels_and_marks(self) -> list[tuple[AxisLabels, int | None]]:
        if self._axes is None:
            self._axes = tuple(self._made_labels())
        row, column = self._marked_place()
        return [(labels, row if labels.way == ROWS else column) for labels in self._axes]

    def _paint_marks(self, painter: QPainter) -> None:
        for labels, marked in self._labels_and_marks():
            labels.paint_chosen(painter, marked)

    def _marks_region(self) -> QRegion:
        """Return the region where `_paint_marks` paints."""
        region = QRegion()
        for labels, marked in self._labels_and_marks():
            region += labels.chip_region(marked)
        return region

    def repaint_words(self, *_: object) -> None:
        """Repaint all: the words say something else or stand elsewhere."""
        self._background = self._axes = self._marked = None
        self.update(QRegion(self.rect()).subtracted(self._cells_region() or QRegion()))

    def repaint_marks(self) -> None:
        """Repaint the marks: another row or column is chosen."""
        if (before := self._marked) is not None:  # else all of it is about to be painted
            self._marked = self._marks_region() if self._cells_region() is not None else QRegion()
            self.update(before + self._marked)

    def paintEvent(self, event: QPaintEvent) -> None:
        cells = self._cells_region()
        if cells is None or (exposed := event.region().subtracted(cells)).isEmpty():
            return
        if self._background is None:
            ratio = self.devicePixelRatioF()
            self._background = QPixmap(self.size() * ratio)
            self._background.setDevicePixelRatio(ratio)
            self._background.fill(current_theme().surface)
            with QPainter(self._background) as words:
                words.setRenderHint(QPainter.RenderHint.Antialiasing)
                for labels, _ in self._labels_and_marks():
                    labels.paint(words)
                self._paint_words(words)
        if self._marked is None:
            self._marked = self._marks_region()
        with QPainter(self) as painter:
            painter.setClipRegion(exposed)
            painter.drawPixmap(0, 0, self._background)
            if exposed.intersects(self._marked):
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint_marks(painter)


def words_width(words: Sequence[Word]) -> float:
    """Return the width of a row of words."""
    return sum(map(_word_width, words)) + scaled(SPACING.m) * max(0, len(words) - 1)


def _word_width(word: Word) -> float:
    text, size, _, weight = word
    if "_" in text:
        layout = _laid_out_word(word)  # its line lives as long as it does
        return layout.lineAt(0).naturalTextWidth()
    return QFontMetricsF(ui_font(size, weight)).horizontalAdvance(text)


def _laid_out_word(word: Word) -> QTextLayout:
    """Lay out a word with its subscripts lowered, such as W_O."""
    text, size, color, weight = word
    return laid_out_sentence(with_scripts(SentenceRun(text, color)), ui_font(size, weight), WIDEST)[0]


def _paint_word(painter: QPainter, word: Word, left: float, baseline: float, theme: Theme) -> None:
    text, size, color, weight = word
    if "_" in text:
        layout = _laid_out_word(word)
        line = layout.lineAt(0)
        layout.draw(painter, QPointF(left, baseline - line.y() - line.ascent()))
        return
    painter.setFont(ui_font(size, weight))
    painter.setPen(getattr(theme, color))
    painter.drawText(QPointF(left, baseline), text)


def range_text(levels: Levels) -> str:
    """Return the range of the colors as text, where there is no room for a color bar: ±4.09."""
    low, high = level_texts(levels.low, levels.high, (0.0, 1.0))
    return f"±{high}" if levels.symmetric else f"{low} … {high}"


def paint_words(painter: QPainter, words: Sequence[Word], left: float, baseline: float, theme: Theme) -> float:
    """Paint words in a row from the left; return where the next one would begin."""
    for word in words:
        _paint_word(painter, word, left, baseline, theme)
        left += _word_width(word) + scaled(SPACING.m)
    return left


def block_height(words: Sequence[Word]) -> float:
    """Return the height of words below one another."""
    return sum(QFontMetricsF(ui_font(size, weight)).height() + scaled(SPACING.xs) for _, size, _, weight in words)


def paint_block(painter: QPainter, words: Sequence[Word], right: float, top: float, theme: Theme) -> None:
    """Paint words below one another, aligned to the right."""
    for word in words:
        metrics = QFontMetricsF(ui_font(word[1], word[3]))
        _paint_word(painter, word, right - _word_width(word), top + metrics.ascent(), theme)
        top += metrics.height() + scaled(SPACING.xs)


def chip_width(text: str) -> float:
    """Return the width of a chip with its distance from other words."""
    words = QFontMetricsF(ui_font("small", 600)).horizontalAdvance(visible_text(text))
    return words + 2 * scaled(SPACING.s) + scaled(SPACING.m)


def paint_chip(painter: QPainter, text: str, role: str, right: float, bottom: float, room: float, theme: Theme) -> None:
    """Paint a token on the soft background of its role, its lower right corner at a point."""
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
    """Return the thin pair of lines that joins a row or a column of two maps, where it lies in the second one."""
    if pixels.stop <= pixels.start:
        return ()
    ends = pixels.start, pixels.stop - 1
    if first.right() < second.left():  # beside one another: from frame to frame
        left, width = first.right() + 2, second.left() - first.right() - 3
        return tuple(QRect(left, second.top() + at, width, 1) for at in ends)
    top, height = first.bottom() + 2, second.top() - first.bottom() - 3
    return tuple(QRect(second.left() + at, top, 1, height) for at in ends)
