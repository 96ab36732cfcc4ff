"""Numbers as they are written in a sentence. Imports nothing of the engine."""

from __future__ import annotations

import math
from numbers import Integral, Real

MINUS = "\N{MINUS SIGN}"
HUGE = 10**25  # a whole number that is told by its size only
WILD = {"inf": "∞", "-inf": f"{MINUS}∞", "nan": "NaN"}


def spelled(number: Real | float) -> str:
    """Short, with a true minus: 3, −2.5, −∞."""
    if isinstance(number, Integral) and abs(int(number)) >= HUGE:
        return f"{MINUS if number < 0 else ''}10^{int(math.log10(abs(int(number))))}"
    text = str(number) if isinstance(number, Integral) else f"{float(number):g}"
    return WILD.get(text) or text.replace("-", MINUS)


def size_text(count: float) -> str:
    """A number of bytes for people: 12 bytes, 1.5 MB."""
    if count < 1000:
        return f"{count} bytes"
    power = min(len(f"{count:.0f}") - 1, 14) // 3
    return f"{count / 1000**power:,.1f} {('', 'kB', 'MB', 'GB', 'TB')[power]}"
