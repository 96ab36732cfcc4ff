"""Sums kept of each long row: terms out and in, rounding, ∞ or overflow in a sum, when a row is computed afresh."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.threads import share
from attn_gui.engine.graph import indices

LARGE = 1000.0  # times T: exp of logits beside so large a maximum magnifies their rounding
COUNTED, VANISHED = -700.0, -760.0  # times T: from here on exp is above 0, and here it is 0, whatever is taken off

# where this would lose digits the row has to be computed again; written so that NaN is unsound
MOST_ABOVE = 20.0  # a score so far above the maximum taken off, in units of T
LEAST, LEAST_KEPT = 0.05, 0.5  # a denominator so small, at all or next to that before the edit
MOST_DRIFT = 8.0  # exp scores taken out times their logits: what rounding they leave, in units of the last place
MOST_CANCELED = 4096.0  # a term so many times as large as the sum that is left

T = TypeVar("T")


# --- row states -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class SoftmaxRows:
    """Sums over the keys of some rows: `row_max` and `denominator` (rows,) in float64, `numerator` (rows, d_v).

    `row_max` is what is subtracted from the logits before exp: the largest of them, or a bound near it.
    """

    row_max: Array
    denominator: Array
    numerator: Array

    @staticmethod
    def filled(count: int, width: int, dtype: np.dtype[np.generic], number: float) -> SoftmaxRows:
        """Return rows of one number everywhere."""
        return SoftmaxRows(np.full(count, number), np.full(count, number), np.full((count, width), number, dtype))

    def replace(self, rows: slice, other: SoftmaxRows) -> None:
        """Overwrite some of these rows with others."""
        self.row_max[rows], self.denominator[rows] = other.row_max, other.denominator
        self.numerator[rows] = other.numerator


def add_wild(numerator: Array, above: Array, value: Array) -> Array:
    """Add to the numerators of rows the NaN and infinities of one value (d_v,), where the row gives it a weight above
    0.

    `above` (rows,) are the value's logits less the row maxima, over T. Returns booleans (rows,): where exp is so near
    underflow that it does not tell.
    """
    counted, wild = np.asarray(above > COUNTED), ~np.isfinite(value)
    numerator[np.ix_(counted, wild)] += value[wild]
    return ~(counted | (above < VANISHED))


def with_sink(tile: SoftmaxRows, sink: float | None, temperature: float, *, by_hand: bool = False) -> SoftmaxRows:
    """Return the rows with exp of a sink added to their denominators; rows without an open key stay 0.

    A sink above a row's `row_max` is subtracted in its place. With `by_hand` the numerators are the results themselves,
    and stay.
    """
    if sink is None:
        return tile
    seen = tile.denominator != 0
    top = np.where(seen, np.maximum(tile.row_max, sink), tile.row_max)
    factor = np.where(seen & (top > tile.row_max), np.exp((tile.row_max - top) / temperature), 1.0)
    own = np.where(seen, np.exp((sink - top) / temperature), 0.0)
    numerator = tile.numerator
    if not by_hand:
        scaled = np.where(factor[:, None] == 0, 0.0, numerator * factor[:, None])  # no weight is left: nor NaN, nor ∞
        numerator = scaled.astype(numerator.dtype)
    return SoftmaxRows(top, tile.denominator * factor + own, numerator)


def bytes_of_row(width: int, dtype: np.dtype[np.generic]) -> int:
    """Return the bytes that are kept of a row: its numerator of d_v numbers, and the numbers beside it."""
    return width * dtype.itemsize + 3 * np.dtype(float).itemsize + 2 * np.dtype(bool).itemsize


class RowSums:
    """All rows of all heads. A row that is not `known` has to be computed before it is read.

    `dirty` tiles hold rows that edits have updated, so that they may differ from a fresh pass by rounding.
    """

    def __init__(self, shape: tuple[int, int, int], width: int, dtype: np.dtype[np.generic], step: int) -> None:
        self.step = step
        self.row_max, self.denominator = np.zeros(shape), np.zeros(shape)
        self.drift = np.zeros(shape)  # how much rounding edits may have left
        self.numerator = np.zeros((*shape, width), dtype)
        self.known = np.zeros(shape, bool)
        self.by_hand = np.zeros(shape, bool)  # rows whose numerator is the result itself
        self.dirty = np.zeros((*shape[:2], -(-shape[2] // step)), bool)

    def put(self, batch: int, head: int, rows: slice, tile: SoftmaxRows) -> None:
        self.row_max[batch, head, rows], self.denominator[batch, head, rows] = tile.row_max, tile.denominator
        self.numerator[batch, head, rows] = tile.numerator
        self.drift[batch, head, rows] = 0
        self.known[batch, head, rows] = True

    def mark_dirty(self, batch: int, head: int, rows: slice) -> None:
        self.dirty[batch, head, rows.start // self.step : -(-rows.stop // self.step)] = True

    def tile(self, number: int) -> slice:
        return slice(number * self.step, min((number + 1) * self.step, self.known.shape[2]))

    def tiles(self, rows: slice) -> range:
        return range(rows.start // self.step, -(-rows.stop // self.step))

    def output(self, box: Box) -> Array:
        """Return numerators over denominators at a box, as float64; 0 for rows without open keys."""
        denominator = np.where(self.by_hand[box[:3]], 1.0, self.denominator[box[:3]])[..., None]
        numerator = self.numerator[box]
        return np.asarray(numerator / np.where(denominator == 0, 1.0, denominator))

    def overflow_risk(self, box: Box, temperature: float) -> Array:
        """Return flags (batch, head, rows): logits so large that rows have to be computed as a whole."""
        return np.asarray(~(np.abs(self.row_max[box[:3]]) < LARGE * temperature))

    def weights(self, logits: Array, box: Box, temperature: float) -> Array:
        """Return the weights of logits at a box, which may hold any of the keys of its rows."""
        row_max, denominator = self.row_max[box[:3]][..., None], self.denominator[box[:3]][..., None]
        weights = np.exp((logits - row_max) / temperature) / np.where(denominator == 0, 1.0, denominator)
        if not np.isfinite(denominator).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)


# --- updated terms --------------------------------------------------------------------------------
@dataclass(frozen=True)
class KeyTerms:
    """Logits (rows, keys) and values (keys, d_v) of edited keys; of the values, the `columns` that may have changed."""

    logits: Array
    values: Array


def update_terms(
    state: RowSums, place: tuple[int, int, slice], old: KeyTerms, new: KeyTerms, columns: slice, temperature: float
) -> Array:
    """Subtract the old terms of edited keys from the sums of rows and add the new ones.

    `columns` are the columns of the values that may have changed: all of them where a logit has. Returns booleans
    (rows,): rows that would lose too many digits, and have to be computed again.
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
    """Return booleans like `numerator`: cells that are NaN or infinite because of keys that are not edited."""
    return np.asarray(~np.isfinite(numerator) & (np.abs(change) < np.sqrt(np.finfo(numerator.dtype).max)))


def _product(minus: Array, plus: Array, old: Array, new: Array) -> tuple[Array, Array]:
    """Return factors (rows, terms) and values (terms, d_v) whose product is what the numerator changes by."""
    if plus is minus:
        return plus, new - old
    if new is old or np.array_equal(new, old):
        return plus - minus, new
    return np.concatenate([plus, minus], axis=1), np.concatenate([new, -old])


def _added(factors: Array, values: Array) -> tuple[Array, Array]:
    """Return factors @ values and the same of their magnitudes; a factor of 0 keeps NaN and infinity out."""
    change = factors @ values
    if not np.isfinite(values).all():
        change[~factors.any(axis=1)] = 0.0
    size = np.abs(change) if factors.shape[1] == 1 else np.abs(factors) @ np.abs(values)
    return change, size


# Own copies of K and V, head by head: what stood there before an edit is needed to take its terms out.
class HeadCopy:
    """A copy of K or V (batch, row, column) as (batch, K/V head, row, column of the head), with a last column of ones.

    In a product with K the ones add a number to every key; in a product with V they give the sum of the row, too.
    """

    def __init__(self, array: Array, heads: int) -> None:
        batch, rows, columns = array.shape
        self.width = columns // heads
        self.cells = np.empty((batch, heads, rows, self.width + 1), array.dtype)
        self.ready = np.zeros((batch, heads), bool)  # a head is copied when it is first computed
        self.wild = np.zeros((batch, heads, rows), bool)  # rows that hold NaN or infinity

    def begin(self, array: Array, batch: int, head: int) -> None:
        """Copy a head for the first time."""
        self.cells[batch, head, :, self.width] = 1
        self.follow(array, batch, head, slice(0, array.shape[1]))
        self.ready[batch, head] = True

    def follow_all(self, array: Array) -> None:
        """Copy the present numbers of all heads that are copied."""
        places = [(int(batch), int(head)) for batch, head in np.argwhere(self.ready)]
        share(places, lambda place: self.follow(array, *place, slice(0, array.shape[1])))

    def heads(self, box: Box) -> range:
        """Return the range of heads that a box of the matrix overlaps."""
        return range(box[2].start // self.width, -(-box[2].stop // self.width))

    def read(self, box: Box) -> Array:
        """Return a box of whole heads of the matrix, as float64."""
        parts = [self.cells[box[0], head, box[1], : self.width] for head in self.heads(box)]
        start = box[2].start - self.heads(box)[0] * self.width
        joined = np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]
        return joined[..., start : start + indices.shape_of(box)[2]].astype(np.float64)

    def follow(self, array: Array, batch: int, head: int, rows: slice) -> None:
        """Copy the present rows of one head."""
        mine = slice(head * self.width, (head + 1) * self.width)
        self.cells[batch, head, rows, : self.width] = array[batch, rows, mine]
        self.wild[batch, head, rows] = ~np.isfinite(self.cells[batch, head, rows]).all(axis=-1)


# Work beside edits: an answer is kept only if no edit has begun, or was under way, since its numbers were read.
class EditLock:
    """The lock of one evaluation and the count of its edits, which is read with the lock held only.

    Edits hold `lock` from their first number to their last. Long work reads without it, by `beside` alone.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._edits = 0

    @contextmanager
    def edit(self) -> Iterator[None]:
        """Hold the lock while numbers change that passes read: what a pass has begun before is not kept."""
        with self.lock:
            self._edits += 1
            yield

    def beside(
        self, compute: Callable[[], T], keep: Callable[[T], object], cancelled: Callable[[], bool] = bool
    ) -> bool:
        """Compute without the lock and keep the result under it; return False, and keep nothing, if an edit came in
        between.

        An edit that is under way is waited for, since half of its numbers are still old. `cancelled` is asked last,
        under the lock.
        """
        with self.lock:
            edits = self._edits
        found = compute()
        with self.lock:
            if edits != self._edits or cancelled():
                return False
            keep(found)
            return True
