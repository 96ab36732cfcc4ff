"""Token labels as they may stand in a picture: nothing invisible, nothing that a file format forbids, not too long."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

LONGEST_LABEL = 200
"""Characters of a label that are looked at, long before its width is: a token can be a whole book."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
OPEN_BOX = "\N{OPEN BOX}"
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROL_PICTURES = 0x2400
_NICE_STEPS = (1, 2, 5)


def visible_text(text: str) -> str:
    """A text with control characters drawn as symbols (␀, ␊), direction marks as ‹U+202E›, the illegal in XML as �.

    At most 200 characters; blanks alone become ␣. Direction marks change the order of the other
    letters: unseen, they would make a label lie about its token.
    """
    cut = text[:LONGEST_LABEL] + ELLIPSIS if len(text) > LONGEST_LABEL else text
    if cut and not cut.strip(" \u00a0\u3000"):
        return OPEN_BOX * len(cut)
    return "".join(_visible(character) for character in cut)


def elided(text: str, width: float, metrics: QFontMetricsF) -> str:
    """A text cut to a width, with an ellipsis."""
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def label_step(size: float, cell: float) -> int:
    """Every how many cells a label fits: 1, 2, 5, 10, 20, … for labels of a size over cells of a size."""
    power = 1
    while True:
        for nice in _NICE_STEPS:
            if nice * power * cell >= size:
                return nice * power
        power *= 10


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "\N{SYMBOL FOR DELETE}"
    if character in _DIRECTION_MARKS:
        return f"‹U+{code:04X}›"
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Zl", "Zp") or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return _REPLACEMENT
    return character
