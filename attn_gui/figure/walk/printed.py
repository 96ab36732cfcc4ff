"""Numbers as a walk prints them: as few digits as leave every printed equation true for who computes it again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from attn_gui.figure.text.numbers import MINUS, format_number

DIGITS, DECIMALS = 4, 4
"""Digits of a number, and decimals of one below 1, unless an equation asks for more."""
MOST_STEPS, TIE = 300, 1e-7
"""Rounds in which equations are mended, and how far from a half a number still counts as one."""
LARGEST, SMALLEST = 1e7, 1e-4
"""Magnitudes that are written without a power of ten."""
LEAST_DECIMAL = 1e-3
"""A smaller number has all its digits."""

Compute = Callable[[Sequence[float]], float]


class Equation(NamedTuple):
    """A printed equation: its right side, how it is computed, and the printed numbers that it is computed from."""

    result: float
    compute: Compute
    operands: tuple[float, ...]


class PrintedNumbers:
    """Texts of numbers: of one number always the same. `add` the equations that are printed, then `settle`."""

    def __init__(self) -> None:
        self._extra: dict[float, int] = {}
        self._equations: list[Equation] = []

    def add(self, result: float, compute: Compute, operands: Sequence[float]) -> None:
        """Add an equation that is to hold as printed."""
        if math.isfinite(result) and all(map(math.isfinite, operands)):
            self._equations.append(Equation(result, compute, tuple(operands)))

    def settle(self) -> None:
        """Give operands more digits, one at a time, until every equation holds; one that no digits help stays."""
        for _ in range(MOST_STEPS):
            wrong = [one for one in self._equations if not self._holds(one, self._printed(one))]
            wrong = [one for one in wrong if self._holds(one, one.operands)]
            if not wrong:
                return
            for equation in wrong:
                number = self._most_harmful(equation)
                self._extra[number] = self._extra.get(number, 0) + 1

    def text(self, number: float) -> str:
        """Return a number with a true minus sign; whole ones and short fractions without zeros at their end."""
        text = self._rounded(number, number)
        short = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
        return short if value_of(short) == number else text

    def _rounded(self, number: float, like: float) -> str:
        """Return a number as precisely as another one is written."""
        size, extra = abs(like), self._extra.get(like, 0)
        if not math.isfinite(number) or not math.isfinite(like):
            return format_number(number, 0)
        if size and not SMALLEST <= size < LARGEST:
            return (
                f"{number:.{DIGITS - 1 + extra}e}".replace("e+0", "e")
                .replace("e-0", "e-")
                .replace("e+", "e")
                .replace("-", MINUS)
            )
        decimals = DIGITS - 1 - math.floor(math.log10(size)) if size else DECIMALS
        return format_number(number, max(0, decimals if size < LEAST_DECIMAL else min(decimals, DECIMALS)) + extra)

    def _printed(self, equation: Equation) -> list[float]:
        return [value_of(self.text(number)) for number in equation.operands]

    def _holds(self, equation: Equation, operands: Sequence[float]) -> bool:
        """Return whether the printed result is what comes out of these operands, rounded; a half either way."""
        unit = self._unit(equation.result)
        error = abs(_computed(equation, operands) - value_of(self.text(equation.result)))
        return error <= unit / 2 * (1 + TIE)

    def _unit(self, number: float) -> float:
        """Return what one more in the last printed digit is worth."""
        text = self._rounded(number, number)
        mantissa, _, power = text.replace(MINUS, "-").partition("e")
        return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))

    def _most_harmful(self, equation: Equation) -> float:
        """Return the operand whose missing digits change the result most."""
        printed, found = self._printed(equation), []
        whole = _computed(equation, printed)
        for place, number in enumerate(equation.operands):
            exact = [*printed[:place], number, *printed[place + 1 :]]
            found.append((abs(_computed(equation, exact) - whole), -self._extra.get(number, 0), number))
        return max(found)[2]


def _computed(equation: Equation, operands: Sequence[float]) -> float:
    """Return what comes out of operands; NaN where that is no number."""
    try:
        return equation.compute(operands)
    except (OverflowError, ZeroDivisionError, ValueError):
        return math.nan


def value_of(text: str) -> float:
    """Return the number that a printed text stands for."""
    return float(text.replace(MINUS, "-").replace("∞", "inf"))
