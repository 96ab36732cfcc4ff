"""Rows and columns of maps through the stages' own `forward`, in float64: slow, for every score and every value."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.streaming.edits.copies import Copy
from attn_gui.engine.evaluation.streaming.row_states import LARGE, Tile
from attn_gui.engine.evaluation.streaming.score_chain import Chain, Layers
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.contraction import contract
from attn_gui.engine.graph.sources import Readable

CELLS, FEWEST = 1 << 20, 64  # cells of a map that are held at a time, and rows at least: K is read again for each part


class StageKernel:
    """Any score function; also judges what the fast kernel cannot vouch for."""

    def __init__(self, chain: Chain, keys: Copy | None, values: Copy, layers: Layers) -> None:
        self.chain, self.keys, self.values = chain, keys, values
        self._layers = layers  # own copies, as K and V are
        self.dtype = values.cells.dtype

    def tile(self, batch: int, head: int, rows: slice) -> Tile:
        """Rows from nothing. A zero weight keeps NaN and infinity of a value out; NaN in a row's scores stays in it."""
        parts = [self._part(batch, head, part) for part in self._parts(rows)]
        return Tile(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _parts(self, rows: slice) -> Iterator[slice]:
        step = max(FEWEST, CELLS // self.chain.shape[3])
        return (slice(low, min(low + step, rows.stop)) for low in range(rows.start, rows.stop, step))

    def _part(self, batch: int, head: int, rows: slice) -> tuple[Array, Array, Array]:
        box = (*indices.cell((batch, head)), rows, slice(0, self.chain.shape[3]))
        row_max, exp_scores, denominator = self._exp_scores(self.columns(box, self._layers))
        numerator = self._mixed(exp_scores, self._values(batch, head))
        if np.isfinite(numerator).all():
            return row_max, denominator, numerator
        divisor = np.where(denominator > 0, denominator, 1.0)
        mean = self._mixed(exp_scores / divisor[:, None], self._values(batch, head))
        heavy = np.asarray((np.isfinite(mean) & ~np.isfinite(numerator)).any(axis=1))  # a sum too large for a number
        divisor = np.where(heavy, divisor, 1.0)  # no other row: beside very large scores log Z would be lost
        row_max = row_max + self.chain.temperature * np.log(divisor)
        return row_max, denominator / divisor, np.where(heavy[:, None], mean, numerator)

    def by_hand(self, batch: int, head: int, rows: slice, columns: Callable[[Box], Array] | None = None) -> Tile:
        """Rows in which numbers are changed by hand, from nothing: the numerator is the result itself.

        `columns` gives their logits quickly, unless these are very large.
        """
        parts = [self._by_hand(batch, head, part, columns) for part in self._parts(rows)]
        return Tile(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _by_hand(
        self, batch: int, head: int, rows: slice, columns: Callable[[Box], Array] | None
    ) -> tuple[Array, Array, Array]:
        box = (*indices.cell((batch, head)), rows, slice(0, self.chain.shape[3]))
        logits = None if columns is None else columns(box)
        if logits is None or not (np.abs(logits.max(axis=-1)) < LARGE * self.chain.temperature).all():
            logits = self.chain.logits(box)[0, 0]
        row_max, _, denominator = self._exp_scores(logits)
        weights = self.chain.whole_weights(box, logits[None, None])[0, 0]
        return row_max, denominator, self._mixed(weights, self._values(batch, head))

    def _values(self, batch: int, head: int) -> Array:
        return np.asarray(self.values.cells[batch, head // self.chain.group, :, :-1].astype(np.float64))

    def _exp_scores(self, logits: Array) -> tuple[Array, Array, Array]:
        """Row maxima, exp((logits − row maximum) / T), and its row sums."""
        row_max = logits.max(axis=-1)
        row_max = np.where(np.isneginf(row_max), 0.0, row_max)
        exp_scores = np.exp((logits - row_max[:, None]) / self.chain.temperature)
        exp_scores = np.where(np.isneginf(logits), 0.0, exp_scores)
        return row_max, exp_scores, exp_scores.sum(axis=-1)

    def _mixed(self, exp_scores: Array, values: Array) -> Array:
        mixed = contract(exp_scores[:, :, None], values[None], axes=(1,), zero_wins=True)
        return np.asarray(mixed[:, 0].astype(self.dtype))

    def columns(self, place: Box, layers: Layers) -> Array:
        """The logits of some keys for rows of one head, as float64, from the own copy of K; `layers` as they were."""
        given: dict[str, Callable[[Box], Array]] = {name: _reader(cells) for name, cells in layers.items()}
        if self.chain.key is not None and self.keys is not None:
            given[self.chain.key] = self.keys.read
        return np.asarray(self.chain.logits(place, given)[0, 0])


def _reader(cells: Readable) -> Callable[[Box], Array]:
    def read(box: Box) -> Array:
        found = np.asarray(cells[box])
        return found if found.dtype == np.bool_ else found.astype(np.float64)

    return read
