"""The two forms of a formula: step by step, and as one equation from the scores of a query on, with its Z."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.engine.analysis.explanation import Explanation


class Equations(NamedTuple):
    """The chain "a = … = … = 0.6110", and beside it what has a name of its own in it: "Z = …"."""

    chain: str
    parts: tuple[str, ...]


def by_step(explanation: Explanation) -> Equations:
    """The formula of the cell, one step back."""
    sides = (explanation.symbols_latex, explanation.numbers_latex, explanation.value_latex)
    return Equations(_chain(*sides), tuple(explanation.parts_latex))


def as_one(explanation: Explanation) -> Equations | None:
    """The sum over the keys, divided by Z; None for a cell that is no such sum."""
    query = explanation.per_query
    if query is None:
        return None
    total = _chain(query.total_symbols_latex, query.total_numbers_latex, query.total_latex)
    return Equations(_chain(query.symbols_latex, query.numbers_latex, query.value_latex), (total,) if total else ())


def _chain(*sides: str) -> str:
    return " = ".join(side for side in sides if side)
