"""Numbers as people type them, and the shortest text that gives a number back."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike
from PySide6.QtCore import QT_TRANSLATE_NOOP

from attn_gui.document.phrases import Refusal
from attn_gui.formats.text.numerals import NotANumber, number

POWERS_FROM = 1e6
"""From this magnitude on a number stands in a table with a power of ten."""

NO_SWITCH = QT_TRANSLATE_NOOP("Sentences", "A cell that allows or not takes 1 or 0.")


class NumberError(Refusal):
    """Text that is not a number; see `Refusal` for its sentence."""


def parse_number(text: str, dtype: DTypeLike = np.float64) -> float:
    """The number that `text` means, as `number` of the formats reads it; raises NumberError."""
    try:
        return number(text, dtype)
    except NotANumber as error:
        raise NumberError(error.template, **error.values) from None


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
    if scientific and value == 0:
        return "0"
    if scientific or abs(value) >= POWERS_FROM:
        return _powers(value, decimals)
    text = f"{value:.{decimals}f}"
    if value and decimals and not text.strip("-0."):
        return _powers(value, max(decimals - 2, 0))  # as wide as the others
    return text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")


def _powers(value: float, decimals: int) -> str:
    digits, _, power = f"{value:.{decimals}e}".partition("e")
    return f"{digits if value else digits.removeprefix('-')}e{int(power)}".replace("-", "−")
