"""Sentences of a lesson: live numbers between braces, and the digits with which these are printed.

"so {scores[0, 1]} ÷ √3 = {scaled[0, 1]}" becomes a `LessonText`; what stands in braces is read and computed by
`live_numbers`. Where the signs between numbers make an equation, each gets as many digits as it takes to hold as it is
printed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from attn_gui.engine.graph.printed_digits import PrintedNumbers
from attn_gui.engine.messages import MINUS, short_power
from attn_gui.lessons.live_numbers import ExpressionError, LessonExpression, NumberSource, WithheldError, expression

LIVE = re.compile(r"\{([^{}]*)\}|[{}]")
DECIMALS = re.compile(r"(.*):(\d)\s*", re.DOTALL)
MISSING = "–"  # stands for a number that the present problem does not have
COVERED = "?"  # stands for a number that is made of a covered cell
HUGE = 1e9  # from here on digits are written as a power of ten: the last of them would be invented

PLACE = 0xE000  # letters from here on, which no text has, stand for the live numbers of a sentence
OPERAND = r"[\ue000-\uf8ff]"
EQUATION = re.compile(rf"((?:[\d\s.()+−·×/÷√^e]|{OPERAND})+) = ({OPERAND})")
SPELLED = (
    (re.compile(rf"e\^({OPERAND}|\d+(?:\.\d+)?)"), r"exp(\1)"),
    (re.compile(rf"√({OPERAND}|\d+(?:\.\d+)?)"), r"sqrt(\1)"),
    (re.compile("[·×]"), "*"),
    (re.compile("÷"), "/"),
    (re.compile("−"), "-"),
    (re.compile(r"\^"), "**"),
)
"""How a sentence writes arithmetic, and the grammar of live numbers."""


@dataclass(frozen=True)
class LessonNumber:
    """A number that is computed when it is shown; with `decimals` None up to four. `line` is its line in the file."""

    expression: LessonExpression
    line: int
    decimals: int | None = None

    def text(self, number_source: NumberSource, more: int = 0) -> str:
        """Return the number as text, with `more` digits where an equation needs them."""
        try:
            return written(self.expression.number(number_source), self.decimals, more)
        except WithheldError:
            return COVERED
        except ExpressionError:
            return MISSING

    def number(self, number_source: NumberSource) -> float | None:
        """Return the number; None where the present problem does not have it, or it is covered."""
        try:
            return self.expression.number(number_source)
        except ExpressionError:
            return None


Piece = str | LessonNumber


@dataclass(frozen=True)
class LessonText:
    """A text in English and Chinese, split at its live numbers; empty lines separate paragraphs."""

    en: tuple[Piece, ...]
    zh: tuple[Piece, ...]

    def said(self, lang: str, number_source: NumberSource) -> str:
        """Return the text in one language, with the present numbers."""
        pieces = {"en": self.en, "zh": self.zh}[lang]
        more = digits_of_equations(pieces, number_source)
        return "".join(
            piece if isinstance(piece, str) else piece.text(number_source, more.get(place, 0))
            for place, piece in enumerate(pieces)
        )

    def plain(self, lang: str) -> str:
        """Return the text in one language without its live numbers."""
        pieces = {"en": self.en, "zh": self.zh}[lang]
        return "".join(piece for piece in pieces if isinstance(piece, str))

    def live(self) -> Iterator[LessonNumber]:
        """Yield its live numbers, of both languages."""
        return (piece for piece in (*self.en, *self.zh) if isinstance(piece, LessonNumber))


def pieces(text: str, line_at: Callable[[int], int], refuse: Callable[[int, str], Exception]) -> tuple[Piece, ...]:
    """Return the parts of a text split at braces.

    `line_at` returns the line of a character, `refuse` the error for an expression that cannot be read, or a brace
    without its other half, in a line.
    """
    found: list[Piece] = []
    end = 0
    for match in LIVE.finditer(text):
        inside, decimals, line = match[1], None, line_at(match.start())
        if inside is None:
            raise refuse(line, text[match.start() :].split("\n", 1)[0])
        if parted := DECIMALS.fullmatch(inside):
            inside, decimals = parted[1], int(parted[2])
        try:
            live = LessonNumber(expression(inside), line, decimals)
        except ExpressionError:
            raise refuse(line, match[0]) from None
        found += [text[end : match.start()], live]
        end = match.end()
    return tuple(piece for piece in (*found, text[end:]) if piece != "")


def written(number: float, decimals: int | None = None, more: int = 0) -> str:
    """Return a number as text: rounded to so many decimals, or to up to four without trailing zeros.

    Never "−0"; a number that is huge, or too small for four decimals, gets a power of ten. `more` digits are added.
    """
    if HUGE <= abs(number) < math.inf:
        text = f"{number:.2e}"
    elif decimals is not None:
        text = f"{number:.{decimals + more}f}"
    elif number != 0 and abs(number) < 1e-3:
        text = f"{number:.{2 + more}e}"
    else:
        text = f"{number:.{4 + more}f}".rstrip("0").rstrip(".")
    text = text if text.strip("-0.") else text.removeprefix("-")
    return short_power(text).replace("-", MINUS).replace("nan", "NaN").replace("inf", "∞")


# Live numbers with signs between them, "{a} · 2 + {b} · 4 = {c}": the printed ones give the printed result.
def digits_of_equations(pieces: tuple[Piece, ...], number_source: NumberSource) -> dict[int, int]:
    """Return {place: digits} that live numbers need beyond their own, so that printed equations hold."""
    letters = "".join(piece if isinstance(piece, str) else chr(PLACE + place) for place, piece in enumerate(pieces))
    found: dict[int, int] = {}
    for match in EQUATION.finditer(letters):
        for word in re.finditer(r"\S+", match[1]):  # the words before it do not belong to it
            more = _digits_of_equation(match[1][word.start() :], ord(match[2]) - PLACE, pieces, number_source)
            if more is not None:
                found |= more
                break
    return found


def _digits_of_equation(
    left: str, result: int, pieces: tuple[Piece, ...], number_source: NumberSource
) -> dict[int, int] | None:
    """Return the digits of the numbers in one formula; None if it is none, or not equal to its result."""
    places = [ord(letter) - PLACE for letter in re.findall(OPERAND, left)]
    live = {place: piece for place in (*places, result) if isinstance(piece := pieces[place], LessonNumber)}
    numbers = {place: one.number(number_source) for place, one in live.items()}
    known = {place: number for place, number in numbers.items() if number is not None and math.isfinite(number)}
    for pattern, spelled in SPELLED:
        left = pattern.sub(spelled, left)

    def computed(operands: Sequence[float]) -> float:
        following = iter(operands)
        formula = re.sub(OPERAND, lambda _: f"({next(following)!r})", left)
        return expression(formula).number(number_source)

    try:
        operands = [known[place] for place in places]
        exact = computed(operands)
        if len(known) < len(live) or not math.isclose(exact, known[result], rel_tol=1e-6, abs_tol=1e-9):
            return None
        decimals = {known[place]: live[place].decimals for place in places}
        printed = PrintedNumbers(lambda number, more: written(number, decimals[number], more))
        printed.add(known[result], computed, operands, _decimals(known[result], live[result].decimals))
        printed.settle()
    except (ExpressionError, KeyError):
        return None
    return {place: printed.more(known[place]) for place in places}


def _decimals(number: float, decimals: int | None) -> int:
    """Return the decimals with which a number is written."""
    small = decimals is None and 0 < abs(number) < 1e-3
    return 2 - math.floor(math.log10(abs(number))) if small else 4 if decimals is None else decimals
