"""Context of an explained cell, and how cells and numbers are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from attn_gui.engine import STAGE, Cell
from attn_gui.engine.arrays import Box
from attn_gui.engine.problem import Problem
from attn_gui.figure.text.labels import token_text
from attn_gui.views.words.names import letter

LARGE = 1e6
MINUS = "\N{MINUS SIGN}"


class Reached(NamedTuple):
    """The boxes of a stage that a cell reaches, and the lengths of the stage's axes."""

    stage: str
    boxes: Sequence[Box]
    shape: tuple[int, ...]


class ExplainContext(NamedTuple):
    """The chosen cell as it is shown (row and column within the shown head), the tokens, the problem, its reach.

    `trail` holds (stage, row, column as shown) of the cells that led to it, the first one first.
    """

    head: int
    row: int
    column: int
    query_tokens: Sequence[str] | None
    key_tokens: Sequence[str] | None
    problem: Problem
    reach: Sequence[Reached] = ()
    trail: Sequence[tuple[str, int, int]] = ()

    def query_name(self, row: int) -> str:
        """The token of a query, or its number."""
        return _token(self.query_tokens, row)

    def key_name(self, row: int) -> str:
        """The token of a key, or its number."""
        return _token(self.key_tokens, row)

    def shown_name(self, stage: str, row: int, column: int) -> str:
        """`A[10, 13]`: columns of Q, K and V count over the whole matrix, others within the head."""
        if not STAGE[stage].input_side:
            return cell_name(stage, (row, column))
        return cell_name(stage, (row, column + self.head_of(stage) * self.head_width(stage)))

    def head_of(self, stage: str) -> int:
        """The shown head as Q, K or V count it: K and V may have fewer."""
        problem = self.problem
        return self.head // (problem.num_heads // problem.kv_heads) if STAGE[stage].by_key else self.head

    def head_width(self, stage: str) -> int:
        """The number of columns of Q, K or V of a head: keys may be wider than queries."""
        problem, entry = self.problem, STAGE[stage]
        if entry.target.name == "value":
            return problem.d_v
        return problem.d_key if entry.by_key else problem.d_k


def cell_name(name: str, index: Sequence[object]) -> str:
    """`A[10, 13]`: the symbol and the last two indices; a number without axes is its symbol alone."""
    places = ", ".join(str(place) for place in tuple(index)[-2:])
    return f"{letter(name)}[{places}]" if places else letter(name)


def running_name(first: Cell, last: Cell, letter: str) -> str:
    """`Q[10, c]`: the name of cells whose index runs from that of the first to that of the last."""
    return cell_name(first.name, [a if a == b else letter for a, b in zip(first.index, last.index, strict=True)])


def role_of(name: str) -> str:
    """The role of the rows of Q, K and V; empty for other matrices."""
    if name not in STAGE or not STAGE[name].input_side:
        return ""
    return "key" if STAGE[name].by_key else "query"


def number(value: float, decimals: int = 4) -> str:
    """A number in a sentence: fixed decimals, a true minus, powers of ten where fixed decimals would say nothing."""
    if value == 0:
        return "0"
    if math.isfinite(value) and abs(value) < 0.5 * 10.0**-decimals:
        return _power_of_ten(value)
    return column_number(value, decimals)


def column_number(value: float, decimals: int) -> str:
    """A number in a column: fixed decimals also for small ones, so that points stand below one another."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+∞" if value > 0 else MINUS + "∞"
    if abs(value) >= LARGE:
        return _power_of_ten(value)
    text = f"{value:.{decimals}f}"
    return text.replace("-", MINUS if float(text) else "")


def column_writer(values: Iterable[float], decimals: int) -> Callable[[float], str]:
    """The number format of a column: powers of ten where the largest, or one of them, would lose its
    digits otherwise."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if 0 < largest < 10.0 ** (1 - decimals):
        return lambda value: number(value, decimals) if value == 0 or not math.isfinite(value) else _power_of_ten(value)
    return lambda value: number(value, decimals) if value else column_number(value, decimals)


def _power_of_ten(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def _token(tokens: Sequence[str] | None, row: int) -> str:
    """A token as it is shown; one of blanks alone is its number."""
    return (token_text(tokens[row]).strip() if tokens and row < len(tokens) else "") or str(row)
