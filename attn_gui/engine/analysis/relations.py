"""The largest weights of queries, and cosines between rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.indices import leveled


# --- largest weights ------------------------------------------------------------------------------
@dataclass(frozen=True)
class Relation:
    """A weight: its head, query and key."""

    head: int
    query: int
    key: int
    weight: float


def largest_weights(
    evaluation: Evaluation,
    batch: int,
    heads: Sequence[int],
    queries: range,
    least: float,
    most: int,
    progress: Callable[[float], None],
) -> tuple[list[Relation], float]:
    """Return the `most` largest weights of every query and head, largest first, none below `least`, and the mean of
    all.

    Neither 0 nor NaN nor a negative weight is any; in the mean they count as 0. It is a mean, since the sum of weights
    that are set by hand may be beyond float64. One head's rows are held at a time. `progress` gets the share done and
    ends the work by raising.
    """
    found, mean = [], 0.0
    rows, keys = slice(queries.start, queries.stop), slice(0, evaluation.problem.m)
    for number, head in enumerate(heads):
        progress(number / len(heads))
        block = np.nan_to_num(evaluation.block(evaluation.weights, batch, head, rows, keys), nan=0.0)
        mean += float((np.maximum(block, 0.0) / (block.size * len(heads))).sum(dtype=np.float64))
        for query, row in zip(queries, block, strict=True):
            for key in _largest(row, most):
                if row[key] > 0 and row[key] >= least:
                    found.append(Relation(head, query, int(key), float(row[key])))
    progress(1.0)
    return found, mean


def _largest(row: np.ndarray[tuple[int, ...], np.dtype[np.float64]], most: int) -> list[int]:
    """Return places of the largest numbers, largest first; of equal ones the first."""
    places = np.flatnonzero(row >= np.partition(row, -most)[-most]) if row.size > most else np.arange(row.size)
    return [int(place) for place in places[np.argsort(-row[places], kind="stable")][:most]]


# --- cosine similarity ----------------------------------------------------------------------------
def cosines(rows: Array) -> Array:
    """Return x_i · x_j / (‖x_i‖ ‖x_j‖) of (n, d) rows as (n, n).

    0 where one of them is all zeros, as in the score `cosine`.

    No norm overflows or vanishes. A row that is not finite gives NaN.
    """
    with np.errstate(all="ignore"):
        level = leveled(np.asarray(rows, dtype=np.float64), -1)[0]
        norms = np.sqrt((level**2).sum(axis=-1, keepdims=True))
        unit = level / np.where(norms == 0, 1.0, norms)
        found = np.clip(unit @ unit.T, -1.0, 1.0)
    found[~np.isfinite(rows).all(axis=-1)] = np.nan
    found[:, ~np.isfinite(rows).all(axis=-1)] = np.nan
    return np.asarray(found)


def mean_of_others(found: Array) -> float:
    """Return the mean cosine of two different tokens; NaN for one token alone."""
    n = len(found)
    return float((found.sum() - np.trace(found)) / (n * (n - 1))) if n > 1 else float("nan")
