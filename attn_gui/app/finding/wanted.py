"""Text typed to find a cell: what it means, and the cells of a matrix that fit."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attn_gui.document.number_text import NumberError, parse_number
from attn_gui.formats.text.numerals import normalized

_PLACE = re.compile(r"\s*[\[(（]?\s*(\d{1,9})\s*[,，;；]\s*(\d{1,9})\s*[\])）]?\s*")
_DECIMALS = re.compile(r"\.(\d+)")


class Place(NamedTuple):
    """Row and column, counted from 0."""

    row: int
    column: int


class Wanted(NamedTuple):
    """The text as it may name rows and columns, and the number that it is, if it is one."""

    text: str
    number: float | None
    tolerance: float


def place_in(text: str) -> Place | None:
    """The place that a text means: `12, 3`, also in brackets; None for another text."""
    found = _PLACE.fullmatch(text)
    return None if found is None else Place(int(found[1]), int(found[2]))


def wanted_by(text: str, decimals: int, scientific: bool) -> Wanted:
    """Numbers that are shown alike count as one: at `decimals`, or at as many as are typed if these are more."""
    try:
        number = parse_number(text)
    except NumberError:
        return Wanted(text.strip(), None, 0.0)
    if not number and (decimals or scientific):
        return Wanted(text.strip(), number, 0.0)  # what is not 0 is shown with a power of ten
    plain = normalized(text)
    typed = _DECIMALS.search(plain)
    size = abs(number)
    small = 0 < size < 0.5 * 10.0**-decimals  # so small that it is shown with a power of ten, and fewer digits
    powers = small or scientific or size >= 1e6
    power = math.floor(math.log10(size)) if powers and size and math.isfinite(size) else 0
    least = max(decimals - 2, 0) if small and not scientific else decimals
    places = len(typed[1]) if typed else 0
    digits = max(least, places if "e" in plain.lower() else places + power)  # of the mantissa, where there is one
    return Wanted(text.strip(), number, 0.5 * 10.0 ** (power - digits) * (1 + 1e-9))


def fitting(block: NDArray[Any], allowed: NDArray[np.bool_] | None, wanted: Wanted) -> NDArray[np.bool_]:
    """The cells of a block whose number is the wanted one, closed ones left out."""
    assert wanted.number is not None
    values = block.astype(np.float64, copy=False)
    if math.isfinite(wanted.number):
        with np.errstate(invalid="ignore"):
            found = np.abs(values - wanted.number) <= wanted.tolerance
    else:
        found = np.isnan(values) if math.isnan(wanted.number) else values == wanted.number
    return found if allowed is None else found & allowed


def named_alike(names: Sequence[str], wanted: Wanted) -> list[int]:
    """The places of the names that the text is a part of, whatever the case; whole names before parts of them."""
    text = wanted.text.casefold()
    if not text:
        return []
    whole = [place for place, name in enumerate(names) if name.strip().casefold() == text]
    return whole or [place for place, name in enumerate(names) if text in name.casefold()]
