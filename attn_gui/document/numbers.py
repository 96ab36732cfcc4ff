"""Numbers as people type them, and the shortest text that gives a number back."""

from __future__ import annotations

import math
import re
import unicodedata
from fractions import Fraction

import numpy as np
from numpy.typing import DTypeLike
from PySide6.QtCore import QT_TRANSLATE_NOOP

from attn_gui.document.phrases import Refusal, quoted

LONGEST = 400
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FRACTION = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*/\s*([0-9]+\.?[0-9]*|\.[0-9]+)")
_SPECIAL = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "∞": math.inf}
_COMMAS = set(",、،٫。")
# superscripts, ½ or ① would silently become other numbers: 10² is not 102
_KEPT_FORMS = ("<wide>", "<narrow>", "<font>", "<noBreak>", "<compat>")
_MINUS = str.maketrans({"−": "-", "‐": "-", "‑": "-", "–": "-", "﹣": "-"})


class NumberError(Refusal):
    """Text that is not a number; see `Refusal` for its sentence."""


def parse_number(text: str, dtype: DTypeLike = np.float64) -> float:
    """The number that `text` means, whatever the locale: 0.5, 1e-3, -2/5, nan, inf, ∞, full-width digits.

    Raises NumberError for anything else, for a comma, and for a finite number that `dtype` cannot hold.
    """
    plain = _normalized(text)
    if not plain:
        raise NumberError(QT_TRANSLATE_NOOP("Sentences", "A cell needs a number."))
    if _COMMAS & set(plain):
        raise NumberError(
            QT_TRANSLATE_NOOP("Sentences", "“{text}” has a comma: use a point, as in 1.5."), text=quoted(text)
        )
    value = _special(plain) if plain[-1:].lower() in "nfy∞" else _finite(plain, text)
    if value is None:
        raise NumberError(QT_TRANSLATE_NOOP("Sentences", "“{text}” is not a number."), text=quoted(text))
    return _held_by(dtype, value, text)


def _normalized(text: str) -> str:
    """`text` in ASCII where that is safe, without what cannot be seen."""
    if text.isascii():
        return text.strip()
    forms = (unicodedata.decomposition(letter).split(" ")[0] for letter in text)
    if len(text) > LONGEST or any(form.startswith("<") and form not in _KEPT_FORMS for form in forms):
        return "?"
    seen = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", "".join(seen)).translate(_MINUS).strip()


def _special(plain: str) -> float | None:
    value = _SPECIAL.get(plain.lstrip("+-").lower())
    if value is None or len(plain) - len(plain.lstrip("+-")) > 1:
        return None
    return -value if plain.startswith("-") else value


def _finite(plain: str, text: str) -> float | None:
    if len(plain) > LONGEST:
        return None
    if _DECIMAL.fullmatch(plain):
        value = float(plain)
        if math.isinf(value):
            raise _too_large(text, np.float64)
        return value
    fraction = _FRACTION.fullmatch(plain)
    return None if fraction is None else _divided(fraction[1], fraction[2], text)


def _divided(upper: str, lower: str, text: str) -> float:
    divisor = Fraction(lower)
    if divisor == 0:
        raise NumberError(QT_TRANSLATE_NOOP("Sentences", "“{text}” divides by zero."), text=quoted(text))
    try:
        value = float(Fraction(upper) / divisor)
    except OverflowError:
        raise _too_large(text, np.float64) from None
    return -value if upper.startswith("-") and value == 0 else value


def _held_by(dtype: DTypeLike, value: float, text: str) -> float:
    with np.errstate(over="ignore"):
        cast = np.float64(value).astype(dtype)
    if math.isfinite(value) and np.isinf(cast):
        raise _too_large(text, dtype)
    return value


def _too_large(text: str, dtype: DTypeLike) -> NumberError:
    return NumberError(
        QT_TRANSLATE_NOOP("Sentences", "“{text}” is too large for {dtype}: the largest is {largest}."),
        text=quoted(text),
        dtype=np.dtype(dtype).name,
        largest=f"{np.finfo(dtype).max:.4g}",
    )


def shortest(value: float, dtype: DTypeLike = np.float64) -> str:
    """The shortest text in ASCII that gives the same number of `dtype` back, −0 included: "0.1", "1e-7", "-0"."""
    kind = np.dtype(dtype)
    if kind.kind in "bui":
        return str(int(value))
    if kind == np.float64:
        return _trimmed(repr(float(value)))
    own = np.float64(value).astype(kind)
    text = str(own)
    if np.float64(text).astype(kind) == own or own != own:
        return _trimmed(text)
    return _trimmed(repr(float(value)))  # read as float64 and rounded once more, the shorter text would miss


def _trimmed(text: str) -> str:
    digits, mark, power = text.partition("e")
    digits = digits.removesuffix(".0")
    return digits + (f"e{int(power)}" if mark else "")


def shown(value: float, decimals: int = 3, scientific: bool = False) -> str:
    """A number for a table: fixed decimals, a true minus sign, "NaN", "∞", never "−0".

    1.000e6 from a million on, and 1.0e−7 where fixed decimals would say 0 of what is not; `scientific`: always.
    """
    if not math.isfinite(value):
        return "NaN" if value != value else "∞" if value > 0 else "−∞"
    if scientific or abs(value) >= 1e6:
        return _powers(value, decimals)
    text = f"{value:.{decimals}f}"
    if value and decimals and not text.strip("-0."):
        return _powers(value, max(decimals - 2, 0))  # as wide as the others
    return text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")


def _powers(value: float, decimals: int) -> str:
    digits, _, power = f"{value:.{decimals}e}".partition("e")
    return f"{digits if value else digits.removeprefix('-')}e{int(power)}".replace("-", "−")
