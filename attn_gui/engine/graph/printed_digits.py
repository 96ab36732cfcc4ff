"""How many digits printed numbers get, so that the printed operands give the printed result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

# "text": every digit and every term; "latex": short numbers; "symbols": LaTeX with names instead of numbers
Style = Literal["text", "latex", "symbols"]

DIGITS, DECIMALS = 4, 4
"""Digits of a number, and decimals of one from `LEAST_DECIMAL` on, unless an equation asks for more."""
SMALLEST, LEAST_DECIMAL, LARGEST = 1e-4, 1e-3, 1e7
"""Magnitudes that are written without a power of ten; a number below the second one has all its digits."""
MOST_MORE = 2  # digits that an operand gets beyond those; where even they do not give the printed result, ≈ is written
EQUAL, TIE = 1e-9, 1e-7
"""How far from a short number one is written like it, and from a half one is rounded either way: relative."""

Compute = Callable[[Sequence[float]], float]


def short_number(value: float, more: int = 0) -> str:
    """Return a number in so many digits more than usual; without zeros at its end where it has no other digits.

    >>> short_number(2 / 3**0.5), short_number(0.5), short_number(3.77034e-4), short_number(3.77034e-5)
    ('1.155', '0.5', '0.0003770', '3.770e-5')
    """
    if not math.isfinite(value):
        return str(value)
    if value and not SMALLEST <= abs(value) < LARGEST:
        mantissa, power = f"{value:.{DIGITS - 1 + more}e}".split("e")
        short = mantissa.rstrip("0").rstrip(".")
        equal = math.isclose(float(f"{short}e{power}"), value, rel_tol=EQUAL)
        return f"{short if equal else mantissa}e{int(power)}"
    text = f"{value + 0.0:.{places_of(value, more)}f}"
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return short if math.isclose(float(short), value, rel_tol=EQUAL) else text


def places_of(value: float, more: int = 0) -> int:
    """Return how many decimals a number is rounded to, zeros at its end counted."""
    if not value:
        return DECIMALS + more
    size = abs(value)
    places = DIGITS - 1 - math.floor(math.log10(size))
    if SMALLEST <= size < LARGEST:
        places = max(0, places if size < LEAST_DECIMAL else min(places, DECIMALS))
    return places + more


def read_number(text: str) -> float:
    """Return a printed number, of whatever minus sign, as a number."""
    return float(text.replace("\N{MINUS SIGN}", "-").replace("∞", "inf"))


class PrintedEquation(NamedTuple):
    """A number, how it is computed, the operands, and its decimals where they are not the usual ones."""

    result: float
    compute: Compute
    operands: tuple[float, ...]
    places: int | None = None


class PrintedNumbers:
    """Texts of numbers, of one number always the same. `add` the equations that are printed, then `settle`.

    `write` prints a number with some digits more than usual; without it a number of a kind gets one digit more where
    it then has as many decimals as others of the kind: 0.5774, 1.1547.
    """

    def __init__(self, write: Callable[[float, int], str] | None = None) -> None:
        self._write, self._aligns = write or short_number, write is None
        self._align: dict[float, int] = {}  # digits by which numbers of a kind get the same decimals
        self._extra: dict[float, int] = {}  # those that equations ask for beyond them
        self._groups: dict[float, dict[float, None]] = {}  # numbers with the same digits as a number
        self._kinds: dict[object, dict[float, None]] = {}
        self._equations: list[PrintedEquation] = []

    def text(self, number: float) -> str:
        """Return a number as it is printed."""
        return self._write(number, self.more(number))

    def more(self, number: float) -> int:
        """Return how many digits more than usual a number has."""
        return self._align.get(number, 0) + self._extra.get(number, 0)

    def alike(self, numbers: Iterable[float], kind: object) -> None:
        """Give numbers of one kind the same digits."""
        group = self._kinds.setdefault(kind, {})
        for number in numbers:
            other = self._groups.get(number, {number: None})
            if other is group or self._write(number, 0) == self._write(number, MOST_MORE):
                continue
            group |= other
            self._groups |= dict.fromkeys(other, group)
            self._kinds = {each: group if found is other else found for each, found in self._kinds.items()}

    def add(self, result: float, compute: Compute, operands: Sequence[float], places: int | None = None) -> None:
        """Add an equation that is to hold as printed; its result has by default the digits that `write` gives it."""
        self._equations.append(PrintedEquation(result, compute, tuple(operands), places))

    def settle(self) -> None:
        """Give operands digits, one equation after another; one that would take too many of them gets none."""
        self._align, self._extra = self._aligned() if self._aligns else {}, {}
        reading: dict[float, list[PrintedEquation]] = {}
        for one in self._equations:
            before = self._extra.copy()
            for number in {*one.operands, one.result}:
                reading.setdefault(number, []).append(one)
            if not self._give_digits(one, reading):
                self._extra = before
                for number in {*one.operands, one.result}:
                    reading[number].pop()

    def holds(self, result: float, compute: Compute, operands: Sequence[float]) -> bool:
        """Return whether the printed operands give the printed result; a half may be rounded either way."""
        return self._holds(PrintedEquation(result, compute, tuple(operands)), self._printed(operands))

    def _aligned(self) -> dict[float, int]:
        """Return one digit more for numbers of a kind that lack one decimal that others of it have: 0.5774, 1.1547."""
        found: dict[float, int] = {}
        for group in self._kinds.values():
            places = {number: places_of(number) for number in group if math.isfinite(number)}
            most = max((min(each, DECIMALS) for each in places.values()), default=0)
            found |= {number: 1 for number, each in places.items() if each == most - 1}
        return found

    def _give_digits(self, equation: PrintedEquation, reading: Mapping[float, Sequence[PrintedEquation]]) -> bool:
        """Give digits to operands until an equation holds, and to its readers; return whether it can hold."""
        waiting = {id(equation): equation}
        while waiting:
            _, one = waiting.popitem()
            while not self._holds(one, self._printed(one.operands)):
                harmful = self._most_harmful(one)
                if harmful is None:
                    return False
                for each in self._groups.get(harmful, {harmful: None}):
                    self._extra[each] = self._extra.get(each, 0) + 1
                    waiting |= {id(other): other for other in reading.get(each, ())}
        return True

    def _printed(self, operands: Iterable[float]) -> list[float]:
        return [read_number(self.text(number)) for number in operands]

    def _holds(self, equation: PrintedEquation, operands: Sequence[float]) -> bool:
        result = equation.result
        if not math.isfinite(result):
            return True
        places = places_of(result, self.more(result)) if equation.places is None else equation.places
        error = abs(_computed(equation, operands) - round(result, places))
        return not error > 0.5 * 10.0**-places * (1 + TIE) + 1e-12 * abs(result)  # of NaN nobody can tell

    def _most_harmful(self, equation: PrintedEquation) -> float | None:
        """Return the operand whose missing digits change the result most; None where no digits help."""
        printed = self._printed(equation.operands)
        if not self._holds(equation, equation.operands):
            return None
        whole, found = _computed(equation, printed), []
        for place, number in enumerate(equation.operands):
            more = self.more(number)
            if self._extra.get(number, 0) < MOST_MORE and self._write(number, more) != self._write(number, more + 1):
                exact = [*printed[:place], number, *printed[place + 1 :]]
                found.append((abs(_computed(equation, exact) - whole), -more, number))
        return max(found)[2] if found else None


def _computed(equation: PrintedEquation, operands: Sequence[float]) -> float:
    """Return what comes out of operands; NaN where that is no number."""
    try:
        return equation.compute(operands)
    except (OverflowError, ZeroDivisionError, ValueError):
        return math.nan


def printed_operands(
    operands: Sequence[float],
    compute: Callable[..., float],
    result: float,
    places: int | None = None,
    write: Callable[[float, int], str] | None = None,
) -> list[str]:
    """Return operands as they are to be printed, so that `compute` of the printed ones rounds to the printed result.

    >>> printed_operands([0.14023, 1.39488], operator.truediv, 0.14023 / 1.39488)
    ['0.1402', '1.395']

    `result` is printed with so many decimals, or as usual; `write` prints an operand with some digits more than usual.
    """
    printed = PrintedNumbers(write)
    printed.add(result, lambda numbers: compute(*numbers), operands, places)
    printed.settle()
    return [printed.text(operand) for operand in operands]
