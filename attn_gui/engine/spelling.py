"""Numbers as they are written in a sentence. Imports nothing of the engine."""

from __future__ import annotations

from numbers import Integral, Real

MINUS = "\N{MINUS SIGN}"
WILD = {"inf": "∞", "-inf": f"{MINUS}∞", "nan": "NaN"}


def spelled(number: Real) -> str:
    """Short, with a true minus: 3, −2.5, −∞."""
    text = str(number) if isinstance(number, Integral) else f"{float(number):g}"
    return WILD.get(text) or text.replace("-", MINUS)


def size_text(count: float) -> str:
    """A number of bytes for people: 12 bytes, 1.5 MB."""
    if count < 1000:
        return f"{count} bytes"
    power = min(len(f"{count:.0f}") - 1, 14) // 3
    return f"{count / 1000**power:,.1f} {('', 'kB', 'MB', 'GB', 'TB')[power]}"
