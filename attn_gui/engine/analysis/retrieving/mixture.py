"""The mixture of one query: keys by their weight, and what each of their values adds to the output of a head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.analysis.contributions import farthest
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation

AT_ONCE = 1 << 12
"""Keys whose values are held at a time."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Keys of the largest weights, largest first, with their scores, None where the weights are given, and weights
    (k,), and `parts` (k, column): weight · value. `rest` (column,) is what all `others` add, `output` (column,) the
    computed sum of all.
    """

    keys: tuple[int, ...]
    scores: Array | None
    weights: Array
    parts: Array
    rest: Array
    output: Array
    others: int
    others_weight: float

    @property
    def difference(self) -> float:
        """The largest distance between a cell of the sum of the parts and that of the output; see `farthest`."""
        with np.errstate(all="ignore"):
            return farthest(self.parts.sum(axis=0) + self.rest, self.output)


def mixture(evaluation: Evaluation, batch: int, head: int, query: int, most: int) -> Mixture:
    """o_i = Σ_j a_ij v_j of one query, with at most so many keys by name; a weight of 0 adds nothing."""
    problem, row = evaluation.problem, slice(query, query + 1)
    keys = slice(0, problem.m)

    def read(stage: str) -> Array:
        return np.array(evaluation.block(stage, batch, head, row, keys)[0], float)

    scores, weights = None if evaluation.logits is None else read(evaluation.logits), read(evaluation.weights)
    order = np.argsort(-np.nan_to_num(weights, nan=np.inf), kind="stable")
    named, others = order[:most], np.sort(order[most:])
    output = np.array(evaluation.block(evaluation.mixed, batch, head, row, slice(0, None))[0], float)
    with np.errstate(all="ignore"):
        parts = np.stack([_part(evaluation, batch, head, np.array([key]), weights) for key in named])
        rest = np.zeros(len(output))
        for low in range(0, len(others), AT_ONCE):
            rest += _part(evaluation, batch, head, others[low : low + AT_ONCE], weights)
        return Mixture(
            tuple(named.tolist()),
            None if scores is None else scores[named],
            weights[named],
            parts,
            rest,
            output,
            len(others),
            float(weights[others].sum()),
        )


def _part(evaluation: Evaluation, batch: int, head: int, keys: Array, weights: Array) -> Array:
    """The sum of weight · value over some keys, in ascending order."""
    span = slice(int(keys[0]), int(keys[-1]) + 1)
    values = evaluation.block(evaluation.latest("value"), batch, head, span, slice(0, None))[keys - keys[0]]
    shares = weights[keys][:, None]
    return np.asarray(np.where(shares == 0, 0.0, shares * values.astype(np.float64)).sum(axis=0))
