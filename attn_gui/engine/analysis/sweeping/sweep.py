"""A sweep: a quantity takes one value after another, and nothing but the rows that are read is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from attn_gui.engine.analysis.sweeping.quantities import Quantity, Row
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.problem.problem import Problem

T = TypeVar("T")


def sweep(
    problem: Problem,
    quantity: Quantity,
    values: Sequence[float],
    row: Row,
    read: Callable[[Evaluation, Row], T],
    tell: Callable[[float], None] = lambda share: None,
) -> list[T]:
    """Results of `read` for every value; `tell` hears the share that is done, and ends the work by raising.

    No stage is kept: `read` has computed what it fetches, so a row of a long problem costs a row. Raises ValueError
    with a sentence for a value that the problem cannot have.
    """
    found = []
    for number, value in enumerate(values):
        tell(number / len(values))
        changed = quantity.put(problem, float(value))
        found.append(read(Evaluation(changed, keep=0), quantity.row(changed, row)))
    tell(1.0)
    return found
