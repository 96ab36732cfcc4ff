"""Scaling of dot products: how their variance grows with d_k, and what a softmax makes of a row at several scales."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attn_gui.engine.analysis.sweeping.most_entropy import most_of_row, weights_by_hand
from attn_gui.engine.analysis.sweeping.quantities import Row, ScaleFactor, SeededWidth, quantities_of
from attn_gui.engine.analysis.sweeping.row_readings import ROW_READINGS, jacobian_norm, variance, weights
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.metrics import row_entropy
from attn_gui.engine.problem.problem import Problem

WIDTHS = (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 224, 256)
"""Values of d_k for which Q and K are drawn."""
SIDE, SEED = 128, 0
"""Queries and keys that are drawn for each of them."""
AT_ONCE = 1 << 18
"""Cells of a map that are read for its statistics; of a larger one rows at even distances."""
SATURATED = 0.95
"""A row is called saturated above this weight: less than 0.1 of ‖diag(a) − aaᵀ‖ is left, whose most is 0.5."""


@dataclass(frozen=True, eq=False)
class ScaledRow:
    """A row of weights (m,) at a scale: its entropy and what that can be at most, ‖diag(a) − aaᵀ‖, and ‖∂a/∂q‖ of the
    weight of one key. Of weights that are changed by hand nothing says what the softmax does."""

    scale: float
    weights: Array
    allowed: Array | None
    entropy: float
    ceiling: float
    jacobian: float
    gradient: float
    by_hand: bool

    @property
    def saturated(self) -> bool:
        """Whether one weight of several, or beside a sink, takes nearly all."""
        return bool(not self.by_hand and self.ceiling > 0 and self.weights.max(initial=0.0) > SATURATED)


@dataclass(frozen=True, eq=False)
class Entropies:
    """Entropies (scales, rows) of some `queries` (rows,), with the most that they can be as `ceilings` (rows,)."""

    queries: Array
    values: Array
    ceilings: Array


def seeded_variances() -> Array:
    """The variance of q · k for every one of WIDTHS, over all pairs of 128 queries and 128 keys with independent
    standard normal numbers; narrower ones are the first columns of the widest. It comes near d_k."""
    rng = np.random.default_rng(SEED)
    query, key = rng.standard_normal((SIDE, max(WIDTHS))), rng.standard_normal((SIDE, max(WIDTHS)))
    return np.array([np.var(query[:, :width] @ key[:, :width].T) for width in WIDTHS])


def score_variance(problem: Problem, batch: int, head: int) -> float:
    """The variance of the scores of a head over its open cells, before the scale; NaN where there is none."""
    found = Evaluation(problem, keep=0)
    rows, keys = read_rows(problem), slice(0, problem.m)
    seen = []
    for row in rows.tolist():
        at = slice(row, row + 1)
        opened = found.allowed(batch, head, at, keys)
        scores = np.asarray(found.block(found.scores, batch, head, at, keys)[0], dtype=np.float64)
        seen.append(scores if opened is None else scores[opened[0]])
    return variance(np.concatenate(seen))


def seeded_problem(problem: Problem, width: int) -> Problem:
    """Q and K with d_k columns of standard normal numbers in the place of the problem's; its rules stay."""
    return SeededWidth().put(problem, width)


def at_scales(problem: Problem, scales: Sequence[float], row: Row) -> tuple[ScaledRow, ...]:
    """A row at each of several scales."""
    return tuple(_scaled_row(changed, scale, row) for scale, changed in _changed(problem, scales))


def entropies(problem: Problem, scales: Sequence[float], row: Row) -> Entropies:
    """The entropies of the rows of a head at each of several scales."""
    rows = read_rows(problem)
    values = np.empty((len(scales), len(rows)))
    ceilings = np.empty(len(rows))
    for number, (_, changed) in enumerate(_changed(problem, scales)):
        for place, query in enumerate(rows.tolist()):
            at = Row(row.batch, row.head, query, row.key)
            values[number, place] = row_entropy(weights(changed, at))
            ceilings[place] = most_of_row(changed, row.batch, row.head, query)
    return Entropies(rows, values, ceilings)


def read_rows(problem: Problem) -> Array:
    """The queries whose rows are read: all, or of a large map as many as make so many cells."""
    count = min(problem.n, max(AT_ONCE // problem.m, 1))
    return np.unique(np.rint(np.linspace(0, problem.n - 1, count)).astype(int))


def _changed(problem: Problem, scales: Sequence[float]) -> Iterator[tuple[float, Evaluation]]:
    quantity = next(found for found in quantities_of(problem).values() if isinstance(found, ScaleFactor))
    for scale in scales:
        yield scale, Evaluation(quantity.put(problem, scale), keep=0)


def _scaled_row(evaluation: Evaluation, scale: float, row: Row) -> ScaledRow:
    shares = weights(evaluation, row)
    at = slice(row.query, row.query + 1)
    opened = evaluation.allowed(row.batch, row.head, at, slice(0, len(shares)))
    return ScaledRow(
        scale,
        shares,
        None if opened is None else np.array(opened[0]),
        float(row_entropy(shares)),
        most_of_row(evaluation, row.batch, row.head, row.query),
        jacobian_norm(shares),
        ROW_READINGS["gradient"].read(evaluation, row),
        bool(weights_by_hand(evaluation.problem, row.batch, row.head, row.query).any()),
    )
