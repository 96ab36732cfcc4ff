"""An edit of a few keys: their old terms are taken out of every row and the new ones put in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.streaming.row_states import LARGE, Rows, add_wild

# where this would lose digits the row has to be computed again; written so that NaN is unsound
MOST_ABOVE = 20.0  # a score so far above the maximum taken off, in units of T
LEAST, LEAST_KEPT = 0.05, 0.5  # a denominator so small, at all or next to that before the edit
MOST_DRIFT = 8.0  # exp scores taken out times their logits: what rounding they leave, in units of the last place
MOST_CANCELED = 4096.0  # a term so many times as large as the sum that is left


@dataclass(frozen=True)
class Terms:
    """Logits (rows, keys) and values (keys, d_v) of the edited keys; of the values only what stands in `columns`."""

    logits: Array
    values: Array


def exchange(
    state: Rows, place: tuple[int, int, slice], old: Terms, new: Terms, columns: slice, temperature: float
) -> Array:
    """Take the old terms out and put the new ones in. Returns which rows (booleans) have to be computed again.

    `columns` are the columns of the values that the edit may have changed, all of them if a logit has.
    """
    row_max, before = state.row_max[place], state.denominator[place]
    given = (old.logits - row_max[:, None]) / temperature
    taken = given if new.logits is old.logits else (new.logits - row_max[:, None]) / temperature
    minus = np.exp(given)
    plus = minus if taken is given else np.exp(taken)
    gone = minus.sum(axis=1)
    denominator = before if plus is minus else before + (plus.sum(axis=1) - gone)
    finite = np.isfinite(new.values[:, columns])
    calm = new.values[:, columns] if finite.all() else np.where(finite, new.values[:, columns], 0)
    factors, values = _product(minus, plus, old.values[:, columns], calm)
    change, size = _added(factors.astype(state.numerator.dtype), values)
    numerator = state.numerator[place][:, columns]
    numerator += change
    over = ~np.isfinite(numerator)  # too large a sum, as its mean need not be; or as it was
    unsure = np.zeros(len(before), bool)
    for term in np.flatnonzero(~finite.all(axis=1)).tolist():
        unsure |= add_wild(numerator, taken[:, term], new.values[term, columns])
    state.denominator[place] = denominator
    state.drift[place] += gone * (1 + np.abs(row_max) / temperature) / np.where(denominator > 0, denominator, 1.0)
    sound = np.asarray((denominator > LEAST_KEPT * before) & (denominator > LEAST))
    sound &= np.abs(row_max) < LARGE * temperature
    sound &= (taken.max(axis=1) < MOST_ABOVE) & (state.drift[place] < MOST_DRIFT)
    sound &= (((size <= MOST_CANCELED * np.abs(numerator)) & ~over) | _stays(numerator, change)).all(axis=1) & ~unsure
    sound |= np.isnan(before) & (old.logits < np.inf).all(axis=1) & (new.logits < np.inf).all(axis=1)
    closed = np.asarray((np.isneginf(old.logits) & np.isneginf(new.logits)).all(axis=1))
    return ~(sound | closed)


def _stays(numerator: Array, change: Array) -> Array:
    """Cells of the numerator that are NaN or infinite by keys that are not edited, and so stay it."""
    return np.asarray(~np.isfinite(numerator) & (np.abs(change) < np.sqrt(np.finfo(numerator.dtype).max)))


def _product(minus: Array, plus: Array, old: Array, new: Array) -> tuple[Array, Array]:
    """Factors (rows, terms) and values (terms, d_v) whose product is the change of the numerator."""
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
