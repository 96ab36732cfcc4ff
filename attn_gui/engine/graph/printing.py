"""How numbers are printed in formulas: as short as they may be while printed operands give the printed result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

# "text": every digit and every term; "latex": short numbers; "symbols": LaTeX with names instead of numbers
Style = Literal["text", "latex", "symbols"]

OF_CELLS, OF_RESULTS = 3, 4
"""Decimals of the cells that a formula reads, and of what it computes."""
MOST_MORE = 6
"""Digits that an operand gets beyond those; where even they do not give the printed result, ≈ is written."""


def number_text(value: float, style: Style, decimals: int = OF_RESULTS, more: int = 0) -> str:
    if math.isnan(value):
        return r"\mathrm{NaN}" if style in ("latex", "symbols") else "nan"
    if math.isinf(value):
        return ("-" if value < 0 else "") + (r"\infty" if style in ("latex", "symbols") else "inf")
    return repr(value) if style == "text" else short_number(value, decimals, more)


def short_number(value: float, decimals: int, more: int = 0) -> str:
    """Return whole numbers as they are, others with fixed decimals; very small and very large ones as a power of
    ten.

    `more` digits are added to either form, which does not depend on them.
    """
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 0.5 * 10.0**-decimals <= abs(value) < 1e6:
        return f"{value:.{decimals + more}f}" if abs(value) < 1000 else f"{value:.{7 + more}g}"
    mantissa, exponent = f"{value:.{3 + more}e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def read_number(text: str) -> float:
    """Return a printed number, of whatever minus sign and power of ten, as a number."""
    return float(text.replace(r" \cdot 10^{", "e").rstrip("}").replace("\N{MINUS SIGN}", "-"))


def agrees(computed: float, result: float, decimals: int = OF_RESULTS, more: int = 0) -> bool:
    """Return whether a number that was computed from printed operands rounds to the result as it is printed."""
    size = abs(result)
    if 0.5 * 10.0**-decimals <= size < 1000 or result == 0:
        unit = 10.0 ** -(decimals + more)
    else:
        digits = 7 if 1000 <= size < 1e6 else 4
        unit = 10.0 ** (math.floor(math.log10(size)) + 1 - digits - more)
    printed = read_number(short_number(result, decimals, more))
    return abs(computed - printed) <= unit / 2 + 1e-12 * size  # at a tie either way of rounding is right


def fewest_digits(
    operands: Iterable[float],
    fits: Callable[[Mapping[float, int]], bool],
    kinds: Mapping[float, object] = MappingProxyType({}),
) -> dict[float, int] | None:
    """Return how many digits more than usual each of some numbers needs, each as few as the others allow.

    `fits` says whether the result comes out with the numbers printed so. Equal numbers are printed alike, and those of
    one kind get the same digits. None where `MOST_MORE` digits do not do.
    """
    more = dict.fromkeys(operands, 0)
    for most in range(MOST_MORE + 1):
        more = dict.fromkeys(more, most)
        if fits(more):
            break
    else:
        return None
    for kind in {kinds.get(operand, operand): None for operand in more}:
        alike = [operand for operand in more if kinds.get(operand, operand) == kind]
        for few in range(most + 1):
            trial = {**more, **dict.fromkeys(alike, few)}
            if few == most or fits(trial):
                more = trial
                break
    return more


def of_cell(value: float, more: int = 0) -> str:
    """Return a cell as formulas have it."""
    return short_number(value, OF_CELLS, more)


def printed_operands(
    operands: Sequence[float],
    compute: Callable[..., float],
    result: float,
    places: int = OF_RESULTS,
    write: Callable[[float, int], str] = of_cell,
) -> list[str]:
    """Return operands as they are to be printed, so that `compute` of the printed ones rounds to the printed result.

    >>> printed_operands([0.14023, 1.39488], operator.truediv, 0.14023 / 1.39488)
    ['0.1402', '1.395']

    `result` is printed with so many decimals; `write` prints an operand with some digits more than usual. Each gets as
    few as possible, none where no `MOST_MORE` do.
    """

    def texts(more: Mapping[float, int]) -> list[str]:
        return [write(operand, more[operand]) for operand in operands]

    def fits(more: Mapping[float, int]) -> bool:
        return agrees(compute(*map(read_number, texts(more))), result, places)

    usual = dict.fromkeys(operands, 0)
    finite = all(map(math.isfinite, (*operands, result)))
    return texts((fewest_digits(operands, fits) if finite else usual) or usual)
