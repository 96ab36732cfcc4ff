"""Text as it may stand in a picture or a workbook: nothing invisible, nothing that XML forbids, not too long."""

from __future__ import annotations

import unicodedata

LONGEST_LABEL = 200
"""Characters of a label that are looked at, long before its width is: a token can be a whole book."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def visible_text(text: str) -> str:
    """Return a text in which nothing is invisible or illegal in XML: control characters and marks of direction as
    ‹U+202E›.

    At most 200 characters. What cannot be seen would make a label lie about its token; a token of nothing but blanks
    is spelled out, too.
    """
    cut = text[:LONGEST_LABEL] + ELLIPSIS if len(text) > LONGEST_LABEL else text
    if all(character in _JOINERS or character.isspace() for character in cut):
        return "".join(map(_spelled, cut))
    return "".join(_spelled(character) if _is_hidden(character) else character for character in cut)


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
