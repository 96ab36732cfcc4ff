"""State of every row of weights: its reference, its denominator and its numerator, the sum over the values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.indices import Box
from attn_gui.engine.layout import Array

LOUD = 1000.0  # a reference of so many T: exp magnifies the rounding of the scores


@dataclass(frozen=True)
class Tile:
    """Rows computed anew: `top` and `total` (rows,) in float64, `sums` (rows, d_v)."""

    top: Array
    total: Array
    sums: Array


class Rows:
    """All rows of all heads. A row that is not `known` has to be computed before it is read.

    `dirty` tiles hold rows that edits have updated, so that they may differ from a fresh pass by rounding.
    """

    def __init__(self, shape: tuple[int, int, int], width: int, dtype: np.dtype[np.generic], step: int) -> None:
        self.step = step
        self.top, self.total = np.zeros(shape), np.zeros(shape)
        self.worn = np.zeros(shape)  # how much rounding edits may have left
        self.sums = np.zeros((*shape, width), dtype)
        self.known = np.zeros(shape, bool)
        self.dirty = np.zeros((*shape[:2], -(-shape[2] // step)), bool)

    def put(self, batch: int, head: int, rows: slice, tile: Tile) -> None:
        self.top[batch, head, rows], self.total[batch, head, rows] = tile.top, tile.total
        self.sums[batch, head, rows] = tile.sums
        self.worn[batch, head, rows] = 0
        self.known[batch, head, rows] = True

    def soil(self, batch: int, head: int, rows: slice) -> None:
        self.dirty[batch, head, rows.start // self.step : -(-rows.stop // self.step)] = True

    def tile(self, number: int) -> slice:
        return slice(number * self.step, min((number + 1) * self.step, self.known.shape[2]))

    def tiles(self, rows: slice) -> range:
        return range(rows.start // self.step, -(-rows.stop // self.step))

    def output(self, box: Box) -> Array:
        """Sums over totals, as float64; a row without open keys is 0."""
        total = self.total[box[:3]][..., None]
        sums = self.sums[box]
        return np.asarray(sums / np.where(total == 0, 1.0, total))

    def loud(self, box: Box, heat: float) -> Array:
        """Which rows of a box (batch, head, rows) must not be read but computed as a whole."""
        return np.asarray(~(np.abs(self.top[box[:3]]) < LOUD * heat))

    def weights(self, logits: Array, box: Box, heat: float) -> Array:
        """The shares of a box of logits, which may hold any columns of its rows."""
        top, total = self.top[box[:3]][..., None], self.total[box[:3]][..., None]
        weights = np.exp((logits - top) / heat) / np.where(total == 0, 1.0, total)
        if not np.isfinite(total).all():
            weights = np.where(np.isneginf(logits), 0.0, weights)
        return np.asarray(weights)
