"""One number as people, spreadsheets and programs write it. Imports NumPy."""

from __future__ import annotations

import math
import re
import unicodedata

import numpy as np
from numpy.typing import DTypeLike

from attn_gui.formats.file_messages import quoted
from attn_gui.languages import QT_TRANSLATE_NOOP

LONGEST = 400
MOST_NUMBERS = 10_000_000  # that a text holds
NOT_A_NUMBER = QT_TRANSLATE_NOOP("Sentences", "“{text}” is not a number.")
COMMA = QT_TRANSLATE_NOOP("Sentences", "“{text}” has a comma: use a point, as in 1.5.")
EMPTY = QT_TRANSLATE_NOOP("Sentences", "A cell needs a number.")
BY_ZERO = QT_TRANSLATE_NOOP("Sentences", "“{text}” divides by zero.")
TOO_LARGE = QT_TRANSLATE_NOOP("Sentences", "“{text}” is too large for {dtype}: the largest is {largest}.")

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FRACTION = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*/\s*([0-9]+\.?[0-9]*|\.[0-9]+)")
_SPECIAL = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "∞": math.inf}
_COMMAS = set(",、،٫。")
# superscripts, ½ or ① would silently become other numbers: 10² is not 102
_KEPT_FORMS = ("<wide>", "<narrow>", "<font>", "<noBreak>", "<compat>")
# cannot be seen, and yet means something: a minus that was copied out of a PDF, and what formulas leave unwritten
_MEANT = frozenset("\u00ad\u2061\u2062\u2063\u2064")
_MINUS = str.maketrans({"−": "-", "‐": "-", "‑": "-", "–": "-", "﹣": "-"})


class NotANumber(ValueError):
    """Text that is no number, in one sentence: `template` with `values` filled in."""

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template, self.values = template, values


def number(text: str, dtype: DTypeLike = np.float64) -> float:
    """Return the number that `text` means, whatever the locale: 0.5, 1e-3, -2/5, nan, inf, ∞, full-width digits.

    Raises NotANumber for anything else, for a comma, and for a finite number that `dtype` cannot hold.
    """
    if len(text) > LONGEST:
        raise NotANumber(NOT_A_NUMBER, text=quoted(text[:LONGEST]))
    plain = normalized(text)
    if not plain:
        raise NotANumber(EMPTY)
    if _COMMAS & set(plain):
        raise NotANumber(COMMA, text=quoted(text))
    value = _special(plain) if plain[-1:].lower() in "nfy∞" else _finite(plain, text)
    if value is None:
        raise NotANumber(NOT_A_NUMBER, text=quoted(text))
    with np.errstate(over="ignore"):
        cast = np.float64(value).astype(dtype)
    if math.isfinite(value) and np.isinf(cast):
        raise _too_large(text, dtype)
    return value


def normalized(text: str) -> str:
    """Return `text` in ASCII where that is safe, without invisible signs; "?" where it would become another number."""
    if text.isascii():
        return text.strip()
    forms = (unicodedata.decomposition(letter).split(" ")[0] for letter in text)
    if any(form.startswith("<") and form not in _KEPT_FORMS for form in forms) or not _MEANT.isdisjoint(text):
        return "?"
    seen = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", "".join(seen)).translate(_MINUS).strip()


def _special(plain: str) -> float | None:
    value = _SPECIAL.get(plain.lstrip("+-").lower())
    if value is None or len(plain) - len(plain.lstrip("+-")) > 1:
        return None
    return -value if plain.startswith("-") else value


def _finite(plain: str, text: str) -> float | None:
    if _DECIMAL.fullmatch(plain):
        value = float(plain)
        if math.isinf(value):
            raise _too_large(text, np.float64)
        return value
    fraction = _FRACTION.fullmatch(plain)
    return None if fraction is None else _divided(fraction[1], fraction[2], text)


def _divided(upper: str, lower: str, text: str) -> float:
    from fractions import Fraction  # seldom, and takes a while

    divisor = Fraction(lower)
    if divisor == 0:
        raise NotANumber(BY_ZERO, text=quoted(text))
    try:
        value = float(Fraction(upper) / divisor)
    except OverflowError:
        raise _too_large(text, np.float64) from None
    return -value if upper.startswith("-") and value == 0 else value


def _too_large(text: str, dtype: DTypeLike) -> NotANumber:
    largest = f"{np.finfo(dtype).max:.4g}"
    return NotANumber(TOO_LARGE, text=quoted(text), dtype=np.dtype(dtype).name, largest=largest)
