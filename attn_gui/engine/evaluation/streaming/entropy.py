"""Entropy of rows of weights, from their logits in one pass: −Σ a·log a = Σ a·(log Z − s)."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.metrics import BLIND, row_entropy
from attn_gui.engine.evaluation.streaming.score_chain import Chain
from attn_gui.engine.graph import indices

from .passes import Passes, runs
from .threads import share

TALL, AT_ONCE = 64, 1 << 18  # rows that a thread takes, and cells of their map that it holds; a thread that takes more
# gives way to a window later
NO_WEIGHT = 800  # e to minus this is 0 in float64, too, and so is its product with it


def entropies(evaluation: Evaluation, chain: Chain, passes: Passes, batch: int, head: int, rows: slice) -> Array:
    """The entropy of every row in nats, BLIND where nothing is open; rows that are not known are computed first."""
    found = np.empty(rows.stop - rows.start)
    place = (*indices.cell((batch, head)), rows)
    passes.ensure(place)

    def work(low: int) -> None:
        part = slice(low, min(low + TALL, rows.stop))
        with np.errstate(all="ignore"):
            found[low - rows.start : part.stop - rows.start] = _of_rows(chain, passes, batch, head, part)

    share(range(rows.start, rows.stop, TALL), work)
    lost = np.isnan(passes.rows.denominator[batch, head, rows])  # weights of NaN: whatever is computed, it is NaN
    found[lost] = np.nan
    unsure = ~lost & (~np.isfinite(found) | passes.rows.overflow_risk(place, chain.temperature)[0, 0])
    unsure |= passes.hand.weights[batch, head, rows]
    for run in runs(unsure) if unsure.any() else ():
        part = slice(rows.start + run.start, rows.start + run.stop)
        for row in range(part.start, part.stop):
            weights = evaluation.block(evaluation.weights, batch, head, slice(row, row + 1), slice(0, chain.shape[3]))
            found[row - rows.start] = row_entropy(weights)[0] if (weights != 0).any() else BLIND
    return found


def _of_rows(chain: Chain, passes: Passes, batch: int, head: int, rows: slice) -> Array:
    temperature, keys = chain.temperature, chain.shape[3]
    denominator = passes.rows.denominator[batch, head, rows]
    row_max = passes.rows.row_max[batch, head, rows]
    log_z = row_max / temperature + np.log(np.where(denominator == 0, 1.0, denominator))
    found, share = np.zeros((2, rows.stop - rows.start))
    wide = max(1, AT_ONCE // len(found))
    for low in range(0, keys, wide):
        cut = slice(low, min(low + wide, keys))
        logits, allowed = passes.transposed(chain.logits_name, (*indices.cell((batch, head)), rows, cut))
        logits = logits * logits.dtype.type(1 / temperature) if temperature != 1 else logits
        below = log_z.astype(logits.dtype) - logits  # before it is summed up: the rest of two large sums is rounding
        if allowed is not None:
            np.copyto(below, NO_WEIGHT, where=~allowed)
        np.minimum(below, NO_WEIGHT, out=below)
        weights = np.negative(below)
        np.exp(weights, out=weights)
        found += np.einsum("ji,ji->i", weights, below)
        share += weights.sum(axis=0)
    return np.where(share == 0, BLIND, np.maximum(found, 0.0))
