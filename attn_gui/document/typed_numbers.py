"""Numbers as people type them: 1,5, 1/3, calculations (2*pi), refused ones; decimals in tables, shortest texts."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from attn_gui.document.edits import Refusal
from attn_gui.engine.errors import short_power
from attn_gui.formats.file_messages import quoted
from attn_gui.formats.text.headings import LONGEST_NUMBER, NOT_A_NUMBER, NotANumber, normalized, number

POWERS_FROM = 1e6  # from this magnitude on a number stands in a table with a power of ten

NAMES = {"pi": math.pi, "e": math.e}
OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,  # floats alone: 9**9**9 overflows at once
}
_DECIMAL_COMMA = re.compile(r"[+-]?(?:0|[1-9]\d*)?,(?:\d{1,2}|\d{4,})(?:[eE][+-]?\d+)?|[+-]?0?,\d+(?:[eE][+-]?\d+)?")
"""A comma that cannot part thousands: 1,5 and 0,125 are numbers, 1,234 might be two."""

_TOKEN = re.compile(r"(?>(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+|sqrt|pi|e|[-+*/()\s])++")
"""Letters of a calculation: Python itself would read 1_0 and 0x10, too. Nothing is tried twice, as in 111111…x."""


class NumberError(Refusal):
    """Text that is not a number; see `Refusal`."""


def parse_number(text: str, dtype: DTypeLike = np.float64) -> float:
    """Return the number that a person typed: as `number` of the formats reads it, 1,5 or a calculation.

    Calculations are made of numbers, + − * / ^, brackets, %, sqrt, pi and e, with or without "=" in front: =1/3, 50%,
    sqrt(2). Raises NumberError.
    """
    if len(text) > LONGEST_NUMBER:
        raise NumberError(NOT_A_NUMBER, text=quoted(text[:LONGEST_NUMBER]))
    typed = normalized(text).removeprefix("=").strip()
    if _DECIMAL_COMMA.fullmatch(typed):
        typed = typed.replace(",", ".")
    try:
        return number(typed if typed != normalized(text) else text, dtype)
    except NotANumber as error:
        found = calculate(typed) if error.template == NOT_A_NUMBER else None
        if found is None:
            raise NumberError(error.template, **error.values) from None
    return parse_number(repr(found), dtype)


def calculate(text: str) -> float | None:
    """Return the value of a calculation; None for other text, and where there is no finite real value."""
    source = text.replace("×", "*").replace("·", "*").replace("÷", "/").replace("√", "sqrt").replace("π", "pi")
    source = re.sub(r"(?<=[\d.)])\s*%(?!\s*[\w.(])", "/100", source)
    source = re.sub(r"sqrt\s*(\d+\.?\d*)", r"sqrt(\1)", source.lower())
    if not _TOKEN.fullmatch(source.replace("^", "*")):
        return None
    try:
        value = _value(ast.parse(source.replace("^", "**"), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, MemoryError, RecursionError):
        return None
    return value if math.isfinite(value) else None


def _value(node: ast.expr) -> float:
    """Return the value of a part of a calculation. Raises ValueError for anything but arithmetic."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in NAMES:
        return NAMES[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.UnaryOp):  # --1 is a slip
        return -_value(node.operand) if isinstance(node.op, ast.USub) else _value(node.operand)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "sqrt" and len(node.args) == 1 and not node.keywords:
        return math.sqrt(_value(node.args[0]))
    raise ValueError(ast.unparse(node))


def shortest(value: float, dtype: DTypeLike = np.float64) -> str:
    """Return the shortest ASCII text that gives the same number of `dtype` back: "0.1", "1e-7", "-0"."""
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
    digits, mark, power = short_power(text).partition("e")
    return digits.removesuffix(".0") + mark + power


def shown(value: float, decimals: int = 3, scientific: bool = False) -> str:
    """Return a number for a table: fixed decimals, a true minus sign, "NaN", "∞", never "−0".

    1.000e6 from a million on, and 1.0e−7 where fixed decimals would show a number as 0; with `scientific` always so.
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
    text = short_power(f"{value:.{decimals}e}")
    return (text if value else text.removeprefix("-")).replace("-", "−")
