"""Labels and sentences of a picture: tokens, cut or wrapped to a width, and which of many have room."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

from attn_gui.formats.visible_text import visible_text

_NICE_STEPS = (1, 2, 5)


def token_text(token: str) -> str:
    """Return a token without the blanks and the marks for a blank (Ġ, ▁) that tokenizers put around words.

    One of nothing else stays as it is.
    """
    return token.strip().lstrip("Ġ▁").strip() or token


def token_label(token: str) -> str:
    """Return a token as it stands beside its row or column."""
    return visible_text(token_text(token))


def elided(text: str, width: float, metrics: QFontMetricsF) -> str:
    """Return a text cut to a width, with an ellipsis."""
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def wrapped(text: str, width: float, metrics: QFontMetricsF) -> tuple[str, ...]:
    """Return a sentence in lines of a width, broken at blanks (never inside "4 × 5"), or anywhere in a text that has
    none, but not before the marks that close a clause in Chinese."""
    lines: list[str] = []
    for word in re.findall(r"[\u2e80-\uffef][，。；：、？！）》”]*|(?:[^\s\u2e80-\uffef]| [×·] (?=\S))+\s*|\s+", text):
        if lines and metrics.horizontalAdvance((lines[-1] + word).rstrip()) <= width:
            lines[-1] += word
        else:
            lines.append(word)
    return tuple(line.rstrip() for line in lines)


def label_step(size: float, cell: float) -> int:
    """Return every how many cells a label fits: 1, 2, 5, 10, 20, … for labels of a size over cells of a size."""
    power = 1
    while True:
        for nice in _NICE_STEPS:
            if nice * power * cell >= size:
                return nice * power
        power *= 10
