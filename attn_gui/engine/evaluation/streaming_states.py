"""State of every row of weights: the maximum that is taken off its logits, the denominator and the numerator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array, Box

LARGE = 1000.0  # times T: exp of logits beside so large a maximum magnifies their rounding
COUNTED, VANISHED = -700.0, -760.0  # times T: from here on exp is above 0, and here it is 0, whatever is taken off


@dataclass(frozen=True)
class Tile:
    """Computed rows: `row_max` and `denominator` (rows,) in float64, `numerator` (rows, d_v).

    `row_max` is what is taken off the logits before exp: the largest of them, or a number near it that bounds them.
    """

    row_max: Array
    denominator: Array
    numerator: Array


def add_wild(numerator: Array, above: Array, value: Array) -> Array:
    """Add NaN and infinities of one value (d_v,) to the numerators of rows, where its weight is above 0.

    `above` are its logits less what is taken off, over T. Returns the rows, as booleans, of which exp cannot tell.
    """
    counted, wild = np.asarray(above > COUNTED), ~np.isfinite(value)
    numerator[np.ix_(counted, wild)] += value[wild]
    return ~(counted | (above < VANISHED))


def with_sink(tile: Tile, sink: float | None, temperature: float, *, by_hand: bool = False) -> Tile:
    """The rows with the power of a sink in their denominators; rows without an open key stay 0.

    A sink above what is taken off a row's logits is taken off instead. By hand the numerator is the result itself.
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
    return Tile(top, tile.denominator * factor + own, numerator)


def bytes_of_row(width: int, dtype: np.dtype[np.generic]) -> int:
    """The bytes that are held of a row: of d_v numbers the numerator, and what stands beside it."""
    return width * dtype.itemsize + 3 * np.dtype(float).itemsize + 2 * np.dtype(bool).itemsize


class Rows:
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

    def put(self, batch: int, head: int, rows: slice, tile: Tile) -> None:
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
        """Numerators over denominators, as float64; a row without open keys is 0."""
        denominator = np.where(self.by_hand[box[:3]], 1.0, self.denominator[box[:3]])[..., None]
        numerator = self.numerator[box]
        return np.asarray(numerator / np.where(denominator == 0, 1.0, denominator))

    def overflow_risk(self, box: Box, temperature: float) -> Array:
        """Rows of a box (batch, head, rows), as booleans, whose logits are too large for parts: computed whole."""
        return np.asarray(~(np.abs(self.row_max[box[:3]]) < LARGE * temperature))

    def weights(self, logits: Array, box: Box, temperature: float) -> Array:
        """The weights of a box of logits, which may hold any columns of its rows."""
        row_max, denominator = self.row_max[box[:3]][..., None], self.denominator[box[:3]][..., None]
        weights = np.exp((logits - row_max) / temperature) / np.where(denominator == 0, 1.0, denominator)
        if not np.isfinite(denominator).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)
