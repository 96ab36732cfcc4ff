"""Token labels as they may stand in a picture: nothing invisible, nothing that a file format forbids, not too long."""

from __future__ import annotations

import re
import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

LONGEST_LABEL = 200
"""Characters of a label that are looked at, long before its width is: a token can be a whole book."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_NICE_STEPS = (1, 2, 5)


def visible_text(text: str) -> str:
    """A text in which nothing is invisible or illegal in XML: control characters and marks of direction as ‹U+202E›.

    At most 200 characters. What cannot be seen would make a label lie about its token; a token of nothing but blanks
    is spelled out, too.
    """
    cut = text[:LONGEST_LABEL] + ELLIPSIS if len(text) > LONGEST_LABEL else text
    if all(character in _JOINERS or character.isspace() for character in cut):
        return "".join(map(_spelled, cut))
    return "".join(_spelled(character) if _is_hidden(character) else character for character in cut)


def token_text(token: str) -> str:
    """A token without the blanks and the marks for a blank (Ġ, ▁) that tokenizers put around words.

    One of nothing else stays as it is.
    """
    return token.strip().lstrip("Ġ▁").strip() or token


def token_label(token: str) -> str:
    """A token as it stands beside its row or column."""
    return visible_text(token_text(token))


def elided(text: str, width: float, metrics: QFontMetricsF) -> str:
    """A text cut to a width, with an ellipsis."""
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def wrapped(text: str, width: float, metrics: QFontMetricsF) -> tuple[str, ...]:
    """A sentence in lines of a width, broken at blanks (never inside "4 × 5"), or anywhere in a text that has none."""
    lines: list[str] = []
    for word in re.findall(r"[\u2e80-\uffef]|(?:[^\s\u2e80-\uffef]| [×·] (?=\S))+\s*|\s+", text):
        if lines and metrics.horizontalAdvance((lines[-1] + word).rstrip()) <= width:
            lines[-1] += word
        else:
            lines.append(word)
    return tuple(line.rstrip() for line in lines)


def label_step(size: float, cell: float) -> int:
    """Every how many cells a label fits: 1, 2, 5, 10, 20, … for labels of a size over cells of a size."""
    power = 1
    while True:
        for nice in _NICE_STEPS:
            if nice * power * cell >= size:
                return nice * power
        power *= 10


def _spelled(character: str) -> str:
    return f"‹U+{ord(character):04X}›"


def _is_hidden(character: str) -> bool:
    code = ord(character)
    return (
        character in _DIRECTION_MARKS
        or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or code & 0xFFFE == 0xFFFE
        or 0xFDD0 <= code <= 0xFDEF
    )
