"""An edit of a few keys: their old terms are taken out of every row and the new ones put in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.layout import Array

from .rows import LOUD, Rows

# where this would lose digits the row has to be computed anew; written so that NaN is unsound
STALE = 20.0  # a score so far above the reference, in units of T
FADED, HALVED = 0.05, 0.5  # a total that has become so small, at all or by one edit
WORN = 8.0  # shares taken out so far times their logits: their rounding, in units of the last place, stays in the row
DROWNED = 4096.0  # a term so many times as large as the sum that is left


@dataclass(frozen=True)
class Terms:
    """Logits (rows, keys) and values (keys, d_v) of the edited keys; of the values only what stands in `columns`."""

    logits: Array
    values: Array


def exchange(
    state: Rows, place: tuple[int, int, slice], old: Terms, new: Terms, columns: slice, heat: float
) -> Array:
    """Take the old terms out and put the new ones in. Returns which rows (booleans) have to be computed anew.

    `columns` are the columns of the values that the edit may have changed, all of them if a logit has.
    """
    top, before = state.top[place], state.total[place]
    given = (old.logits - top[:, None]) / heat
    taken = given if new.logits is old.logits else (new.logits - top[:, None]) / heat
    minus = np.exp(given)
    plus = minus if taken is given else np.exp(taken)
    gone = minus.sum(axis=1)
    total = before if plus is minus else before + (plus.sum(axis=1) - gone)
    factors, values = _product(minus, plus, old.values[:, columns], new.values[:, columns])
    change, size = _added(factors.astype(state.sums.dtype), values)
    sums = state.sums[place][:, columns]
    sums += change
    state.total[place] = total
    state.worn[place] += gone * (1 + np.abs(top) / heat) / np.where(total > 0, total, 1.0)
    sound = np.asarray((total > HALVED * before) & (total > FADED) & (np.abs(top) < LOUD * heat))
    sound &= (taken.max(axis=1) < STALE) & (state.worn[place] < WORN)
    sound &= ((size <= DROWNED * np.abs(sums)) | _stays(sums, change)).all(axis=1)
    sound |= np.isnan(before) & (old.logits < np.inf).all(axis=1) & (new.logits < np.inf).all(axis=1)
    closed = np.asarray((np.isneginf(old.logits) & np.isneginf(new.logits)).all(axis=1))
    return ~(sound | closed)


def _stays(sums: Array, change: Array) -> Array:
    """Where a sum is NaN or infinite by keys that are not edited: then it stays so."""
    return np.asarray(~np.isfinite(sums) & (np.abs(change) < np.sqrt(np.finfo(sums.dtype).max)))


def _product(minus: Array, plus: Array, old: Array, new: Array) -> tuple[Array, Array]:
    """Factors (rows, terms) and values (terms, d_v) whose product is the change of the sums."""
    if plus is minus:
        return plus, new - old
    if new is old or np.array_equal(new, old):
        return plus - minus, new
    return np.concatenate([plus, minus], axis=1), np.concatenate([new, -old])


def _added(factors: Array, values: Array) -> tuple[Array, Array]:
    """The product, and how large its terms are; a factor of zero keeps NaN and infinity out."""
    change = factors @ values
    if not np.isfinite(values).all():
        change[~factors.any(axis=1)] = 0.0
    size = np.abs(change) if factors.shape[1] == 1 else np.abs(factors) @ np.abs(values)
    return change, size
