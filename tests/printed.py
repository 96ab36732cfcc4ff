"""A pocket calculator for what is printed: reads a formula in LaTeX, and says what it comes to."""

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

TOKEN = re.compile(r"\\left|\\right|\\[a-zA-Z]+|\d+(?:\.\d+)?|\S")
FUNCTIONS = {
    r"\sqrt": math.sqrt,
    r"\tanh": math.tanh,
    r"\sin": math.sin,
    r"\cos": math.cos,
    r"\mathrm{erfc}": math.erfc,
}


def calculated(latex: str) -> float:
    """Return the number that a side of an equation comes to."""
    return _Reader(TOKEN.findall(latex.replace(r"\mathrm{erfc}", r"\erfc"))).whole()


class _Reader:
    """A parser by descent over sums, products and powers."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = [token for token in tokens if token not in (r"\left", r"\right")], 0

    def whole(self) -> float:
        found = self.sum()
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return found

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.next()
        assert not expected or token == expected, (expected, self.tokens[self.at :])
        self.at += 1
        return token

    def sum(self) -> float:
        sign = -1.0 if self.next() == "-" and self.take() else 1.0
        found = sign * self.product()
        while self.next() in ("+", "-"):
            sign = 1.0 if self.take() == "+" else -1.0
            found += sign * self.product()
        return found

    def product(self) -> float:
        found = self.power()
        while self.next() in (r"\cdot", "/"):
            found = found / self.power() if (self.take() == "/") else found * self.power()
        return found

    def power(self) -> float:
        base = self.one()
        return float(base ** self.group("{", "}")) if self.next() == "^" and self.take() else base

    def group(self, opening: str, closing: str) -> float:
        self.take(opening)
        found = self.sum()
        self.take(closing)
        return found

    def one(self) -> float:
        match self.take():
            case "{":
                self.at -= 1
                return self.group("{", "}")
            case "(":
                self.at -= 1
                return self.group("(", ")")
            case r"\frac":
                return self.group("{", "}") / self.group("{", "}")
            case "e":
                self.take("^")
                return math.exp(self.group("{", "}"))
            case r"\erfc":
                return math.erfc(self.group("(", ")"))
            case name if name in FUNCTIONS:
                return FUNCTIONS[name](self.group(*("{}" if self.next() == "{" else "()")))
            case number:
                return float(number)


def unit(printed: str) -> float:
    """Return what one is in the last place of a printed number; of a whole one, in its fourth digit at the most."""
    mantissa, _, exponent = printed.replace("{", "").replace("}", "").partition(r" \cdot 10^")
    places = -Decimal(mantissa).as_tuple().exponent
    if not exponent:
        places = places or max(4 - len(mantissa.lstrip("-")), 0)
    return 10.0 ** (int(exponent or 0) - places)


UNREADABLE = "cdots", "infty", "NaN", "Z", "approx"


def is_checked(sides: Sequence[str]) -> bool:
    """Return whether an equation (symbols, numbers, result) has numbers that can be computed with.

    Not where dots stand for some of them, where one is none, and where ≈ stands before the result.
    """
    return len(sides) == 3 and not any(part in side for part in UNREADABLE for side in sides[1:])


def disagreement(sides: Sequence[str]) -> str:
    """Return what the numbers of an equation come to, where that is not its printed result; else nothing."""
    if not is_checked(sides):
        return ""
    found, printed = calculated(sides[1]), calculated(sides[2])
    return "" if abs(found - printed) <= unit(sides[2]) * 0.5001 else f"{sides[1]} comes to {found}, not {sides[2]}"


SENTENCE = re.compile(r"([\d\s.()+−·×/÷√^e]+?) = (−?\d+(?:\.\d+)?(?:e−?\d+)?)")
SPELLED = ("·", "*"), ("×", "*"), ("÷", "/"), ("−", "-"), ("^", "**"), ("e**", "E**")


def wrong_equations(said: str) -> list[str]:
    """Return the equations of numbers in a sentence that a calculator does not find true."""
    return [f"{formula} = {printed}, not {found}" for formula, found, printed, right in _equations(said) if not right]


def equations_in(said: str) -> list[str]:
    """Return the left sides of the equations of numbers in a sentence."""
    return [formula for formula, *_ in _equations(said)]


def _equations(said: str) -> Iterator[tuple[str, float, str, bool]]:
    for match in SENTENCE.finditer(said):
        for word in re.finditer(r"\S+", match[1]):
            formula = match[1][word.start() :]
            spelled = re.sub(r"√([\d.]+)", r"\1**0.5", formula)
            for sign, python in SPELLED:
                spelled = spelled.replace(sign, python)
            try:
                found = float(eval(spelled, {"E": math.e}))
            except (SyntaxError, NameError, TypeError):
                continue
            printed = match[2].replace("−", "-")
            yield formula, found, printed, abs(found - float(printed)) <= unit_of_text(printed) * 0.5001
            break


def unit_of_text(printed: str) -> float:
    """Return what one is in the last place of a number in a sentence, which leaves zeros out from the fourth on."""
    mantissa, _, power = printed.partition("e")
    return 10.0 ** (int(power or 0) + int(Decimal(mantissa).as_tuple().exponent))
