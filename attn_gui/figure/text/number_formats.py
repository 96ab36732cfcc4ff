"""Numbers written in cells, at color bars, on pages: decimals, a tiny weight as “·”, small ones as a power of ten."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QFontMetricsF

from attn_gui.engine.errors import MINUS, short_power
from attn_gui.figure.design_tokens import SIZE
from attn_gui.pictures.planes import Values as Values

INFINITY = "\N{INFINITY}"
ZERO_WEIGHT = "\N{MIDDLE DOT}"

CELL_MARGIN = 2.5
"""Pixels that the widest value leaves in its cell."""

_ROUNDING, _EXACT = 1e-15, 15  # what is left of 0 between two levels, of the larger one; the decimals that are known
_NOISE = 1e-9
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-3, 1e7


class CellNumbers(NamedTuple):
    """The number format of one map: `decimals`, whether they are weights, whether these drop the leading 0.

    `scientific`: `decimals` are digits, and small numbers have powers of ten, as gradients have.
    """

    decimals: int
    weights: bool = False
    bare: bool = False
    scientific: bool = False


def format_number(value: float, decimals: int) -> str:
    """Return a number with fixed decimals and a true minus sign; "+∞", "−∞", "NaN"; an exponent from ten million on."""
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return ("+" if value > 0 else MINUS) + INFINITY
    plain = abs(value) < _LARGEST_PLAIN
    text = f"{value:.{decimals}f}" if plain else short_power(f"{value:.{decimals}e}")
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text.replace("-", MINUS)


def is_whole(value: float) -> bool:
    """Return whether a number is whole but for the last bits of its computation; a small one is not 0 by that."""
    if not abs(value) < _LARGEST_PLAIN:
        return False
    whole = round(value)
    return abs(value - whole) < _NOISE if whole else value == 0


def scientific(value: float, digits: int = 3) -> str:
    """Return a number in a few digits, with a power of ten where it is small or large; "–" for what is no number."""
    if not math.isfinite(value):
        return "–"
    if value == 0 or 0.01 <= abs(value) < 10**digits:
        return f"{value:.{digits}g}".replace("-", MINUS)
    return short_power(f"{value:.{digits - 1}e}").replace("-", MINUS)


def significant(value: float, digits: int = 6) -> str:
    """Return a number in up to so many digits, zeros at the end left out, with a true minus sign also in its power
    of ten."""
    return short_power(f"{value:.{digits}g}").replace("-", MINUS)


def difference_text(value: float) -> str:
    """Return a difference by rounding, with a power of ten; "+∞" and "NaN" for what is none."""
    return short_power(f"{value:.1e}").replace("-", MINUS) if math.isfinite(value) else format_number(value, 0)


def sentence_number(value: float, decimals: int = 6) -> str:
    """Return a number as a sentence says it: a whole one as it is, others with fixed decimals, small ones with as many
    digits and a power of ten."""
    if is_whole(value):
        return format_number(value, 0)
    return scientific(value, decimals) if 0 < abs(value) < _SMALLEST_PLAIN else format_number(value, decimals)


def list_number(value: float, decimals: int = 3) -> str:
    """Return a number of a list with fixed decimals; one that is not 0 and would read so with a power of ten."""
    return scientific(value, 2) if 0 < abs(value) < 0.5 * 10.0**-decimals else format_number(value, decimals)


def cell_text(value: float, numbers: CellNumbers) -> str:
    """Return a value as it stands in a cell: whole ones without zeros, but a weight that rounds to 0 as "·".

    Where a weight has no room for the 0 before its point, only one that is 1 is "1".
    """
    if numbers.scientific:
        return ZERO_WEIGHT if value == 0 else scientific(value, numbers.decimals)
    text = format_number(value, 0 if not numbers.weights and is_whole(value) else numbers.decimals)
    if not numbers.weights:
        return text
    if not text.strip("0."):
        return ZERO_WEIGHT
    if not numbers.bare:
        return text
    if not text.startswith("1"):
        return text.removeprefix("0")
    if value == 1:
        return "1"
    # 0.997 is "1.0", as wide as ".99", 0.98 is "1.", as wide as ".9"
    return format_number(value, numbers.decimals - 1) + "." * (numbers.decimals == 1)


def cell_texts(values: Iterable[float], numbers: CellNumbers) -> list[str]:
    """Return the `cell_text` of every value; of weights each text is made once."""
    if not numbers.weights:
        return [cell_text(value, numbers) for value in values]
    known: dict[tuple[float, bool], str] = {}
    found = []
    for value in values:
        key = round(value, numbers.decimals), value == 1  # rounded as it is written
        if (text := known.get(key)) is None:
            text = known[key] = cell_text(value, numbers)
        found.append(text)
    return found


def cell_decimals(
    values: Values, cell_width: float, cell_height: float, metrics: QFontMetricsF, weights: bool
) -> CellNumbers | None:
    """Return the most decimals, of 2, 1 and 0, with which every finite value fits its cell; None when none do.

    Of weights that are all small up to 4, so that the largest has two digits.
    Only whole numbers have 0 decimals: 10.5 in a cell without room for "10.5" is told by its color alone.
    Measured on the largest and the smallest value with every digit as wide as the widest one, so that the decimals
    do not flicker while a digit changes. Cells lower than the token `value_min_cell_height` hold no values.
    """
    if cell_height < SIZE.value_min_cell_height or values.size == 0:
        return None
    room = cell_width - CELL_MARGIN
    finite = values[np.isfinite(values)]
    extremes = _extremes(finite)
    whole = bool((finite == np.rint(finite)).all())
    attempts, alike = _attempts(weights, max(extremes)), _widest_digits(metrics)
    if weights and bool(((values > 0) & (values < 1)).any()):
        extremes.append(0.5)  # 0 and 1 are shorter than what lies between them
    for numbers in attempts:
        if not (numbers.decimals or whole):
            return None
        texts = [cell_text(one, numbers) if weights else format_number(one, numbers.decimals) for one in extremes]
        if _widest(texts, metrics, alike) <= room:
            return numbers
    return None


def scientific_digits(
    values: Values, cell_width: float, cell_height: float, metrics: QFontMetricsF
) -> CellNumbers | None:
    """Return the most digits, of 3, 2 and 1, with which every value fits its cell, small ones with powers of ten."""
    if cell_height < SIZE.value_min_cell_height or values.size == 0:
        return None
    alike = _widest_digits(metrics)
    for digits in (3, 2, 1):
        numbers = CellNumbers(digits, scientific=True)
        texts = {cell_text(value, numbers) for value in values.ravel().tolist()}
        if _widest(texts, metrics, alike) <= cell_width - CELL_MARGIN:
            return numbers
    return None


def level_texts(low: float, high: float, shares: Iterable[float]) -> list[str]:
    """Return the numbers at these shares of a color bar, told from one another also where its ends are much alike."""
    largest, span = max(abs(low), abs(high)), high - low
    return [level_text(low * (1 - share) + high * share, largest, span) for share in shares]


def level_text(value: float, largest: float, span: float) -> str:
    """Return a number at a color bar: three digits of half the largest level, zeros at the end left out.

    Or three digits of half the `span` of the levels where that is less than the largest one.
    """
    if abs(value) <= _ROUNDING * largest:
        return "0"
    fine, most = (span, _EXACT) if 0 < span < largest else (largest, 6)
    if not 1e-4 <= largest < 1e7:
        more = math.floor(math.log10(largest)) - math.floor(math.log10(fine)) if fine < largest else 0
        digits = min(2 + more, _EXACT)
        if largest >= 1e7:
            return format_number(value, digits)
        return short_power(f"{value:.{digits}e}").replace("-", MINUS)
    text = format_number(value, min(max(2 - math.floor(math.log10(fine / 2)), 0), most))
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return significant(value, 1) if text == "0" else text


def dot_text(numbers: CellNumbers) -> str:
    """Return `· < 0.005`: which weights stand as a dot in their cells."""
    return f"{ZERO_WEIGHT} < {5 * 10.0 ** -(numbers.decimals + 1):.{numbers.decimals + 1}f}"


def _attempts(weights: bool, largest: float) -> list[CellNumbers]:
    if not weights:
        return [CellNumbers(2), CellNumbers(1), CellNumbers(0)]
    most = 2 + (0 < largest < 0.1) + (0 < largest < 0.01)
    return [CellNumbers(decimals, weights=True, bare=bare) for decimals in range(most, 0, -1) for bare in (False, True)]


def _extremes(finite: Values) -> list[float]:
    """Return the largest and smallest of finite numbers: of all, and of those written without an exponent, which are
    longer."""
    plain = finite[np.abs(finite) < _LARGEST_PLAIN]
    return list({float(end) for part in (finite, plain) if part.size for end in (part.max(), part.min())} or {0.0})


def _widest_digits(metrics: QFontMetricsF) -> dict[int, str]:
    """Return the widest digit in the place of every one, for `str.translate`."""
    digits = "0123456789"
    return dict.fromkeys(map(ord, digits), max(digits, key=metrics.horizontalAdvance))


def _widest(texts: Iterable[str], metrics: QFontMetricsF, alike: dict[int, str]) -> float:
    return max([metrics.horizontalAdvance(text.translate(alike)) for text in texts])
