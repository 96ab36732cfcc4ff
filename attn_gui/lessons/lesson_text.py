"""Texts of a lesson in both languages, with live numbers in braces."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from attn_gui.engine.sentences import MINUS

from .live_expression import Expression, ExpressionError, expression
from .measures import Ground

LIVE = re.compile(r"\{([^{}]*)\}|[{}]")
DECIMALS = re.compile(r"(.*):(\d)\s*", re.DOTALL)
MISSING = "–"
"""Stands for a number that the present problem does not have."""
HUGE = 1e9
"""From here on digits are written as a power of ten: the last of them would be invented."""


@dataclass(frozen=True)
class Live:
    """A number that is computed when it is shown; `decimals` None leaves up to four. `line`: its line in the file."""

    expression: Expression
    line: int
    decimals: int | None = None

    def text(self, ground: Ground) -> str:
        """The number as it stands in the text."""
        try:
            number = self.expression.number(ground)
        except ExpressionError:
            return MISSING
        return written(number, self.decimals)


Piece = str | Live


@dataclass(frozen=True)
class Text:
    """A text in English and in Chinese, cut at its live numbers; paragraphs are parted by an empty line."""

    en: tuple[Piece, ...]
    zh: tuple[Piece, ...]

    def said(self, lang: str, ground: Ground) -> str:
        """The text in one language, with the numbers as they are now."""
        pieces = {"en": self.en, "zh": self.zh}[lang]
        return "".join(piece if isinstance(piece, str) else piece.text(ground) for piece in pieces)

    def live(self) -> Iterator[Live]:
        """Every live number in it, of both languages."""
        return (piece for piece in (*self.en, *self.zh) if isinstance(piece, Live))


def pieces(text: str, line_at: Callable[[int], int], refuse: Callable[[int, str], Exception]) -> tuple[Piece, ...]:
    """Cut a text at its braces; `line_at` tells the line of a letter, `refuse` makes the error of what is no expression
    in a line, a brace without its other half among it."""
    found: list[Piece] = []
    end = 0
    for match in LIVE.finditer(text):
        inside, decimals, line = match[1], None, line_at(match.start())
        if inside is None:
            raise refuse(line, text[match.start() :].split("\n", 1)[0])
        if parted := DECIMALS.fullmatch(inside):
            inside, decimals = parted[1], int(parted[2])
        try:
            live = Live(expression(inside), line, decimals)
        except ExpressionError:
            raise refuse(line, match[0]) from None
        found += [text[end : match.start()], live]
        end = match.end()
    return tuple(piece for piece in (*found, text[end:]) if piece != "")


def written(number: float, decimals: int | None = None) -> str:
    """A number as it stands in a text: rounded to so many decimals, or to four without the zeros at their end.

    Never "−0"; what is huge, or too small for four decimals, as a power of ten.
    """
    if HUGE <= abs(number) < math.inf:
        text = f"{number:.2e}"
    elif decimals is not None:
        text = f"{number:.{decimals}f}"
    elif number != 0 and abs(number) < 1e-3:
        text = f"{number:.2e}"
    else:
        text = f"{number:.4f}".rstrip("0").rstrip(".")
    text = text if text.strip("-0.") else text.removeprefix("-")
    return text.replace("-", MINUS).replace("nan", "NaN").replace("inf", "∞")
