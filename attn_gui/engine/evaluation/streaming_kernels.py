"""Rows and columns of dot products by few matrix products, in the problem's dtype.

The scale is folded into Q. Where the norms of Q and K bound a tile's scores closely enough, the bound rides along as
one more column of Q (K's copy has ones there): then the only pass over the tile is `exp2`, which is fast as long as
nothing underflows. Elsewhere the true maximum is taken off, chunk by chunk, as it grows; `exp` minds no small numbers.
"""

from __future__ import annotations

import threading

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.streaming.edits.copies import Copy
from attn_gui.engine.evaluation.streaming.row_states import LARGE, Tile, add_wild
from attn_gui.engine.evaluation.streaming.score_chain import AS_THEY_ARE, Chain, Layers
from attn_gui.engine.evaluation.streaming.threads import share
from attn_gui.engine.graph import indices

LOG2E = float(np.log2(np.e))
MOST_WILD = 16  # so many keys or values of NaN or infinity are looked at one by one
TIGHT = 40.0  # a bound up to this, in powers of 2: no exp score underflows, and little rounding is added


class DotKernel:
    """Scores that are dot products, with scale, softcap, biases and masks. A denominator of NaN: an untrusted row."""

    def __init__(
        self, chain: Chain, evaluation: Evaluation, keys: Copy, values: Copy, layers: Layers, chunk: int
    ) -> None:
        self.chain, self._evaluation, self.keys, self.values, self.chunk = chain, evaluation, keys, values, chunk
        self._layers = layers  # own copies, as K and V are
        self.dtype = values.cells.dtype
        self.norm_bound = np.zeros(keys.cells.shape[:2])
        self._scratch = threading.local()

    # --- the bounds of the norms of K ------------------------------------------------------------------------
    def measure(self) -> list[tuple[int, int]]:
        """Measure all keys again; the (batch, K/V head) whose bound has changed."""
        before = self.norm_bound.copy()

        def measure(place: tuple[int, int]) -> None:
            self.norm_bound[place] = _bound(self.keys.cells[place], self.keys.wild[place])

        share([(int(batch), int(group)) for batch, group in np.argwhere(self.keys.ready)], measure)
        return [(int(b), int(g)) for b, g in np.argwhere(self.norm_bound != before)]

    def raise_bound(self, batch: int, group: int, keys: slice) -> bool:
        """Some keys have changed: the bound may have to grow at once; it shrinks when measured. Says if it grew."""
        before = self.norm_bound[batch, group]
        bound = _bound(self.keys.cells[batch, group, keys], self.keys.wild[batch, group, keys])
        self.norm_bound[batch, group] = np.maximum(before, bound)
        return bool(self.norm_bound[batch, group] != before)

    # --- whole rows ------------------------------------------------------------------------------
    def tile(self, batch: int, head: int, rows: slice) -> Tile:
        """Rows from nothing; a denominator of NaN where a number is not finite or a row cannot be trusted."""
        query, limit = self._query(batch, head, rows)
        bounded = limit is not None
        row_max, numerator = np.full(len(query), -np.inf, self.dtype), np.zeros((0, 0), self.dtype)
        for low in range(0, self.chain.shape[3], self.chunk):
            keys = slice(low, min(low + self.chunk, self.chain.shape[3]))
            place = (*indices.cell((batch, head)), rows, keys)
            allowed = self.chain.allowed(place, self._layers)
            if allowed is not None and not allowed.any():
                continue
            scores = self._scores(query, place)
            scores[:, self.keys.wild[batch, head // self.chain.group, keys]] = -np.inf  # judged by `judged`
            if not bounded:
                row_max, factor = self._lower(scores, allowed, row_max)
                if numerator.size:
                    numerator *= factor[:, None]
                exp_scores = np.exp(scores, out=scores)
            else:
                exp_scores = np.exp2(scores, out=scores)
                if allowed is not None:
                    np.multiply(exp_scores, allowed, out=exp_scores)
            part = exp_scores @ self._calm_values(batch, head // self.chain.group, keys)
            numerator = np.add(numerator, part, out=part) if numerator.size else part
        if not numerator.size:
            return self._empty(rows)
        tile = self._finished(numerator, row_max if limit is None else limit, 1.0 if limit is None else 1 / LOG2E)
        self._doubt_blind(tile, batch, head, rows)
        return self._with_wild_values(batch, head, rows, tile)

    def _doubt_blind(self, tile: Tile, batch: int, head: int, rows: slice) -> None:
        """Do not trust rows of open keys all of whose scores are −∞: over T, or bias by bias, a sum may overflow that
        is a number as a whole."""
        blind = tile.denominator == 0
        if self.chain.added and blind.any():
            allowed = self.chain.allowed(
                (*indices.cell((batch, head)), rows, slice(0, self.chain.shape[3])), self._layers
            )
            tile.denominator[blind if allowed is None else blind & allowed.any(axis=-1)] = np.nan

    def _calm_values(self, batch: int, group: int, keys: slice) -> Array:
        """Values, 0 in place of NaN and infinity: in the product these would meet weights of 0, too."""
        values = self.values.cells[batch, group, keys]
        return np.where(np.isfinite(values), values, 0) if self.values.wild[batch, group, keys].any() else values

    def _with_wild_values(self, batch: int, head: int, rows: slice, tile: Tile) -> Tile:
        """Put in the NaN and infinities of values that `_calm_values` has left out."""
        group = head // self.chain.group
        wild = np.flatnonzero(self.values.wild[batch, group])
        unsure = np.full(len(tile.denominator), len(wild) > MOST_WILD)
        for key in wild[:MOST_WILD].tolist():
            logits = self.chain.logits((*indices.cell((batch, head)), rows, slice(key, key + 1)))[0, 0, :, 0]
            above = (logits - tile.row_max) / self.chain.temperature
            unsure |= add_wild(tile.numerator, above, self.values.cells[batch, group, key, :-1])
        tile.denominator[unsure] = np.nan
        return tile

    def judged(self, batch: int, head: int, rows: slice) -> tuple[Array, Array]:
        """(rows that are NaN, rows that `tile` cannot know), by the keys that hold NaN or infinity.

        Of all others they take no part, at a score of −∞. The scores of these few keys are computed as the stages do.
        Rows are not known either where a score may overflow before scale and temperature make it small again.
        """
        keys = np.flatnonzero(self.keys.wild[batch, head // self.chain.group])
        lost, unsure = np.zeros(rows.stop - rows.start, bool), self._may_overflow(batch, head, rows)
        if len(keys) > MOST_WILD:
            return lost, np.ones_like(unsure)
        for key in keys.tolist():
            logits = self.chain.logits((*indices.cell((batch, head)), rows, slice(key, key + 1)))[0, 0, :, 0]
            lost |= np.isnan(logits) | np.isposinf(logits)
            unsure |= np.isfinite(logits)
        return lost, unsure & ~lost

    def _may_overflow(self, batch: int, head: int, rows: slice) -> Array:
        """Rows of which a score, or a scaled one, may lie beyond the numbers of the dtype."""
        assert self.chain.query is not None
        width = self.keys.width
        own = self._evaluation.held(self.chain.query)[batch, rows, head * width : (head + 1) * width]
        longest = np.sqrt(np.einsum("id,id->i", own, own)) * self.norm_bound[batch, head // self.chain.group]
        return np.asarray(~(longest * max(1.0, abs(self.chain.scale)) < np.finfo(self.dtype).max / 4))

    def _query(self, batch: int, head: int, rows: slice) -> tuple[Array, Array | None]:
        """Q times the factor with a last column for the bound, and the bound where it is used."""
        assert self.chain.query is not None
        width = self.keys.width
        own = self._evaluation.held(self.chain.query)[batch, rows, head * width : (head + 1) * width]
        factor, limit = self._factor(), None
        if not self.chain.added and self.chain.softcap is None:
            steepness = abs(factor) * LOG2E * self.norm_bound[batch, head // self.chain.group]
            limit = np.sqrt(np.einsum("id,id->i", own, own)) * self.dtype.type(steepness)
            limit = limit if limit.max() <= TIGHT else None
        query = np.zeros((len(own), width + 1), self.dtype)
        np.multiply(own, self.dtype.type(factor if limit is None else factor * LOG2E), out=query[:, :width])
        if limit is not None:
            query[:, width] = -limit
        return query, limit

    def _factor(self) -> float:
        cap = self.chain.softcap
        return self.chain.scale / self.chain.temperature if cap is None else self.chain.scale / cap

    def _scores(self, query: Array, place: Box) -> Array:
        """Scores of a chunk over T, softcap and biases included; in this thread's scratch."""
        batch, head, _, keys = (cut.start for cut in place)
        scores = self._room(len(query), place[3].stop - keys)
        np.matmul(query, self.keys.cells[batch, head // self.chain.group, place[3]].T, out=scores)
        temperature, cap = self.chain.temperature, self.chain.softcap
        if cap is not None:
            np.tanh(scores, out=scores)
            scores *= self.dtype.type(cap / temperature)
        for ref in self.chain.added:
            scores += np.multiply(self.chain.cells(ref, place, self._layers), 1 / temperature, dtype=self.dtype)
        return scores

    def _room(self, rows: int, columns: int) -> Array:
        room = getattr(self._scratch, "room", None)
        if room is None or room.size < rows * columns:
            room = self._scratch.room = np.empty(rows * self.chunk, self.dtype)
        return np.asarray(room[: rows * columns].reshape(rows, columns))

    def _lower(self, scores: Array, allowed: Array | None, row_max: Array) -> tuple[Array, Array]:
        """Take the largest score so far off; the new maximum, and the factor that earlier exp scores shrink by."""
        if allowed is not None:
            scores += np.where(allowed, self.dtype.type(0), self.dtype.type(-np.inf))
        higher = np.maximum(row_max, scores.max(axis=1))
        reference = np.where(np.isneginf(higher), self.dtype.type(0), higher)
        scores -= reference[:, None]
        return higher, np.exp(row_max - reference)

    def _finished(self, numerator: Array, reference: Array, unit: float) -> Tile:
        """The reference moved by a whole power of 2 so that the denominator lies in 1 to 2: nothing is rounded."""
        denominator = numerator[:, -1].astype(np.float64)
        power = np.where(denominator > 0, np.frexp(denominator)[1] - 1, 0)
        numerator = numerator[:, :-1] * np.exp2(-power).astype(self.dtype)[:, None]
        reference = np.where(np.isneginf(reference), 0.0, reference.astype(np.float64) * unit)
        trusted = np.isfinite(numerator).all(axis=1) & ((np.abs(reference) < LARGE) | (denominator == 0))
        denominator = np.where(trusted, np.ldexp(denominator, -power), np.nan)
        return Tile((reference + power / LOG2E) * self.chain.temperature, denominator, numerator)

    def _empty(self, rows: slice) -> Tile:
        count = rows.stop - rows.start
        return Tile(np.zeros(count), np.zeros(count), np.zeros((count, self.values.width), self.dtype))

    # --- a few columns ---------------------------------------------------------------------------
    def columns(self, place: Box, layers: Layers = AS_THEY_ARE) -> Array:
        """The logits of some keys for rows of one head, as float64, from the own copy of K; `layers` as they were."""
        assert self.chain.query is not None
        batch, head, width = place[0].start, place[1].start, self.keys.width
        own = self._evaluation.held(self.chain.query)[batch, place[2], head * width : (head + 1) * width]
        keys = self.keys.cells[batch, head // self.chain.group, place[3], :width]
        logits = (own @ keys.T).astype(np.float64)
        logits *= self.chain.scale
        if (cap := self.chain.softcap) is not None:
            logits = cap * np.tanh(logits / cap)
        for ref in self.chain.added:
            logits += self.chain.cells(ref, place, layers)
        allowed = self.chain.allowed(place, layers)
        return np.asarray(logits if allowed is None else np.where(allowed, logits, -np.inf))

    def transposed(self, stage: str, place: Box) -> Array:
        """A map before the mask at a box of one head, keys as rows, in the problem's dtype."""
        assert self.chain.query is not None
        batch, head, width = place[0].start, place[1].start, self.keys.width
        own = self._evaluation.held(self.chain.query)[batch, place[2], head * width : (head + 1) * width]
        found: Array = self.keys.cells[batch, head // self.chain.group, place[3], :width] @ own.T
        depth = self.chain.order.index(stage)
        if depth == 0:
            return found
        found *= self.dtype.type(self.chain.scale)
        if depth > 1 and (cap := self.chain.softcap) is not None:
            found = self.dtype.type(cap) * np.tanh(found / self.dtype.type(cap))
            depth -= 1
        for ref in self.chain.added if depth > 1 else ():
            found += self.chain.cells(ref, place).T
        return found


def _bound(keys: Array, wild: Array) -> float:
    """A power of √2 no less than any key's norm: it seldom changes, and with it the bits of every tile would."""
    norms = np.einsum("jd,jd->j", keys, keys)
    norms[wild] = 1.0  # they take no part
    longest = float(norms.max()) - 1.0  # without the column of ones
    return float(2.0 ** (np.ceil(np.log2(max(longest, 1e-30)) + 0.001) / 2)) if longest < 1e30 else np.inf
