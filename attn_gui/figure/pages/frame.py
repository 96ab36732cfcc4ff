"""The frame of a page: its title above, its sentences below, and the room between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attn_gui.figure.maps.layout import MARGIN
from attn_gui.figure.maps.map_parts import paint_note
from attn_gui.figure.output.page import PX_PER_CM
from attn_gui.figure.output.text import write_line
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.page_drawing import NoRoom
from attn_gui.figure.text.fonts import WIDER_FONT
from attn_gui.figure.text.labels import wrapped
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.formats.visible_text import visible_text

OWN_WIDTH = 14 * PX_PER_CM
ROUNDING = 1e-6  # of sums of sizes in pixels


@dataclass(frozen=True)
class Frame:
    """A page with a title and what is said below it, sentences at its foot, and `body` for what it shows.

    `heading` and `saying` are the lines of `title` and `subtitle`: nothing of a page is cut.
    """

    ink: Ink
    width: float
    height: float
    body: QRectF
    title: str
    subtitle: str
    heading: tuple[str, ...]
    saying: tuple[str, ...]
    note: tuple[str, ...]

    def paint(self, painter: QPainter) -> None:
        """Paint title, subtitle and sentences."""
        theme, strong, small = self.ink.theme, metrics("sentence", strong=True), metrics("small")
        top = MARGIN
        for line in self.heading:
            at = QPointF(MARGIN, top + strong.ascent())
            write_line(painter, at, line, theme.text, FONT_SIZE.sentence, strong=True)
            top += strong.height()
        for line in self.saying:
            write_line(painter, QPointF(MARGIN, top + SPACING.xs + small.ascent()), line, theme.text2, FONT_SIZE.small)
            top += small.height()
        foot = self.height - MARGIN - len(self.note) * metrics("small").height()
        paint_note(painter, self.note, QPointF(MARGIN, foot), theme)


def body_width(width: float | None) -> float:
    """The width of the body of a page of a width, or of its own."""
    return (OWN_WIDTH if width is None else width) - 2 * MARGIN


def framed(
    ink: Ink,
    width: float | None,
    height: float | None,
    *,
    title: str,
    subtitle: str = "",
    note: str = "",
    tall: Callable[[float], float],
    least: tuple[float, float],
) -> Frame:
    """A frame at its own size or at a given one; `tall` gives the body's own height for its width.

    NoRoom where less than `least` (width, height) would be left for the body.
    """
    width, title = OWN_WIDTH if width is None else width, ink.titled(title)
    across = body_width(width)
    if across < least[0] - ROUNDING:
        raise NoRoom("width", width, least[0] + 2 * MARGIN)
    small, strong = metrics("small"), metrics("sentence", strong=True)
    heading, saying, lines = (
        tuple(map(visible_text, wrapped(text, across / WIDER_FONT, font))) if text else ()
        for text, font in ((title, strong), (subtitle, small), (note, small))
    )
    top = MARGIN + len(heading) * strong.height() + SPACING.m
    top += (len(saying) * small.height() + SPACING.xs) if saying else 0
    foot = MARGIN + (len(lines) * small.height() + SPACING.m if lines else 0)
    height = top + max(tall(across), least[1]) + foot if height is None else height
    room = height - top - foot
    if room < least[1] - ROUNDING:
        raise NoRoom("height", height, least[1] + top + foot)
    return Frame(ink, width, height, QRectF(MARGIN, top, across, room), title, subtitle, heading, saying, lines)
