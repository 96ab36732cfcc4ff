"""Outlines of STIX Two Math: of each character, and of the taller forms of brackets, roots and sums."""

from __future__ import annotations

import threading
from functools import cache
from typing import NamedTuple

from PySide6.QtGui import QFont, QPainterPath, QRawFont, QTransform

from attn_gui.paths import resource

FONT = "STIXTwoMath-Subset.ttf"
TALLER = "()[]√∑"
"""Characters of which the shipped font holds taller forms, from `FIRST_TALLER` on, `FORMS` places for each."""

FIRST_TALLER, FORMS = 0xE000, 16


class Glyph(NamedTuple):
    """An outline at one unit an em, its baseline at 0 and y downward; `ascent` and `descent` are those of its ink."""

    path: QPainterPath
    advance: float
    ascent: float
    descent: float

    @property
    def overhang(self) -> float:
        """The overhang of the ink of a slanted letter on the right."""
        return max(0.0, self.path.boundingRect().right() - self.advance)


@cache
def glyph(character: str) -> Glyph:
    """The outline of a character. Raises ValueError for one that the font lacks."""
    font = _font()
    found = font.glyphIndexesForString(character)
    if len(found) != 1 or not found[0]:
        raise ValueError(f"no glyph for {character!r}")
    em = font.pixelSize()
    path = QTransform.fromScale(1 / em, 1 / em).map(font.pathForGlyph(found[0]))
    ink = path.boundingRect()
    return Glyph(path, font.advancesForGlyphIndexes(found)[0].x() / em, -ink.top(), ink.bottom())


@cache
def forms(character: str) -> tuple[Glyph, ...]:
    """The character and its taller forms, from low to high."""
    if character not in TALLER:
        return (glyph(character),)
    first = FIRST_TALLER + FORMS * TALLER.index(character)
    codes = (chr(code) for code in range(first, first + FORMS))
    return glyph(character), *(glyph(code) for code in codes if _font().supportsCharacter(ord(code)))


class _Fonts(threading.local):
    """The font of each thread: Qt lets one be used only in the thread that made it."""

    font: QRawFont | None = None


_FONTS = _Fonts()


def _font() -> QRawFont:
    if _FONTS.font is None:
        _FONTS.font = QRawFont(str(resource("fonts", FONT)), 1000.0, QFont.HintingPreference.PreferNoHinting)
        assert _FONTS.font.isValid(), "the font of formulas comes with the program"
    return _FONTS.font
