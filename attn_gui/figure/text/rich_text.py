"""Sentences and labels painted on pages and in files: lowered indices (d_k), lines, cut texts, blanks of tokens."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.writers import SHARES, START, write_line
from attn_gui.formats.untrusted_bytes import visible_text

# --- rich text -------------------------------------------------------------------------------------
_PARTS = re.compile(r"<(/?)(\w+)(?:[^>]*?color:\s*(#\w+)[^>]*)?>|([^<]+)")
_WORDS = r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+"  # compiled where it is used: so wide a range takes 4 ms
_SYMBOL = re.compile(
    r"(?<![A-Za-z0-9_])([A-Za-z])_([A-Z]|[kvij]|ij|kv|ff|model|out|context|up|gate|down)(?![A-Za-z0-9_])"
)
_CLOSING, _OPENING = "，。：；、）,.:;)", "（("
LEADING, LEAST = 1.45, 9.0
"""Distance of lines over the size of type, and the least size of a paragraph."""
SCRIPT, RISE, FALL = 0.75, 0.36, 0.2
"""Size of raised and lowered text, how far it is raised and lowered: shares of the size of the line."""


class StyledRun(NamedTuple):
    """Characters of one form: `script` is 1 for raised, −1 for lowered ones."""

    text: str
    strong: bool
    script: int
    color: str


def escaped(text: str) -> str:
    """Return a text as rich text."""
    return html.escape(text, quote=False)


def strong(text: str) -> str:
    """Return rich text in strong type."""
    return f"<b>{text}</b>"


def colored(text: str, color: QColor) -> str:
    """Return rich text in strong type and a color."""
    return f'<b><span style="color:{color.name()}">{text}</span></b>'


def raised(text: str) -> str:
    """Return rich text as an exponent."""
    return f"<sup>{text}</sup>"


def lowered(text: str) -> str:
    """Return rich text as an index."""
    return f"<sub>{text}</sub>"


def indexed(symbol: str) -> str:
    """Return the symbol of a matrix as rich text: W_O with its O lowered."""
    letter, _, index = symbol.partition("_")
    return escaped(letter) + (lowered(escaped(index)) if index else "")


def subscripted(text: str) -> str:
    """Return a text as rich text, with the index of each symbol in it lowered: d_k, W_O, y_i."""
    return _SYMBOL.sub(lambda found: found[1] + lowered(found[2]), escaped(text))


@lru_cache(1 << 12)
def runs(rich: str) -> tuple[StyledRun, ...]:
    """Return the runs of rich text."""
    found: list[StyledRun] = []
    bold, scripts, colors = 0, [0], [""]
    for close, tag, color, text in _PARTS.findall(rich):
        if text:
            found.append(StyledRun(html.unescape(text), bold > 0, scripts[-1], colors[-1]))
        elif tag == "b":
            bold += -1 if close else 1
        elif tag in ("sup", "sub"):
            scripts.pop() if close else scripts.append(1 if tag == "sup" else -1)
        elif tag == "span":
            colors.pop() if close else colors.append(color)
    return tuple(found)


def rich_width(rich: str, pixels: float) -> float:
    """Return the width of a line of rich text."""
    return sum(_width(run, pixels) for run in runs(rich))


def write_rich(painter: QPainter, at: QPointF, rich: str, color: QColor, pixels: float, share: float = 0.0) -> None:
    """Write a line with its start at a point of its baseline, or the `share` of its width that lies before it."""
    x = at.x() - share * rich_width(rich, pixels)
    _write_runs(painter, QPointF(x, at.y()), runs(rich), color, pixels)


def write_symbols(
    painter: QPainter,
    at: QPointF,
    text: str,
    color: QColor,
    pixels: float,
    room: float = math.inf,
    *,
    strong: bool = False,
    anchor: str = START,
) -> None:
    """Write a text, the index of each symbol in it lowered, in smaller type where it is wider than its room: a figure
    has no tooltip that would say what was cut."""
    rich = f"<b>{subscripted(text)}</b>" if strong else subscripted(text)
    smaller = pixels * min(1.0, max(room, 1.0) / max(rich_width(rich, pixels), 1.0))
    write_rich(painter, at, rich, color, smaller, SHARES[anchor])


def write_paragraph(painter: QPainter, rect: QRectF, rich: str, color: QColor, pixels: float) -> None:
    """Write rich text into a rectangle, in lines from its top; in smaller type where it is too much for it."""
    lines = wrapped_runs(rich, rect.width(), pixels)
    while len(lines) * pixels * LEADING > rect.height() and pixels > LEAST:
        pixels -= 1
        lines = wrapped_runs(rich, rect.width(), pixels)
    for number, line in enumerate(lines):
        at = QPointF(rect.left(), rect.top() + (number + 0.75) * pixels * LEADING)
        _write_runs(painter, at, line, color, pixels)


def wrapped_runs(rich: str, room: float, pixels: float) -> list[list[StyledRun]]:
    """Return rich text in lines of a width, broken at blanks and between Chinese characters."""
    lines: list[list[StyledRun]] = [[]]
    used = 0.0
    for pieces in _unbroken(rich):
        *first, last = pieces
        width = sum(_width(piece, pixels) for piece in (*first, last._replace(text=last.text.rstrip())))
        if lines[-1] and used + width > room:
            lines.append([])
            used = 0.0
        for piece in pieces:
            if lines[-1] and lines[-1][-1]._replace(text=piece.text) == piece:  # one text, not one a word
                lines[-1][-1] = piece._replace(text=lines[-1][-1].text + piece.text)
            else:
                lines[-1].append(piece)
            used += _width(piece, pixels)
    return lines


def _unbroken(rich: str) -> list[list[StyledRun]]:
    """Return the words and Chinese characters of rich text, each with what may not stand in another line: its raised
    and lowered characters, and the marks that close a clause."""
    found: list[list[StyledRun]] = [[]]
    breakable = False
    for run in runs(rich):
        for text in [run.text] if run.script else re.findall(_WORDS, run.text):
            if breakable and not run.script and text[0] not in _CLOSING:
                found.append([])
            found[-1].append(run._replace(text=text))
            breakable = text[-1].isspace() or (text[-1] > "\u2e80" and text[-1] not in _OPENING)
    return found if found[-1] else []


def _write_runs(painter: QPainter, at: QPointF, line: Sequence[StyledRun], color: QColor, pixels: float) -> None:
    x = at.x()
    for run in line:
        rise = {1: -RISE, 0: 0.0, -1: FALL}[run.script] * pixels
        ink = QColor(run.color) if run.color else color
        write_line(painter, QPointF(x, at.y() + rise), run.text, ink, _size(run, pixels), strong=run.strong)
        x += _width(run, pixels)


def _size(run: StyledRun, pixels: float) -> float:
    return pixels * SCRIPT if run.script else pixels


@lru_cache(1 << 13)
def _width(run: StyledRun, pixels: float) -> float:
    return QFontMetricsF(figure_font(_size(run, pixels), strong=run.strong)).horizontalAdvance(run.text)


# --- labels and sentences: tokens cut or wrapped, and which of many have room ----------------------
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
