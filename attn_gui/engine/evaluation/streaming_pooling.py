"""Pictures of long maps: extremes of blocks of cells, kept and pooled again; rows drawn apart; entropies of rows, of
which those count that have weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import BLIND, PicturePart, row_entropy
from attn_gui.engine.evaluation.pooling import Picture, block_edges, largest, pool_blocks, reduced
from attn_gui.engine.evaluation.streaming_kernels import TileKernels
from attn_gui.engine.evaluation.streaming_rows import RowPasses
from attn_gui.engine.evaluation.streaming_states import EditLock
from attn_gui.engine.evaluation.threads import carry_out, share
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import Role

PICTURE_ROWS = 512  # rows of a map that are turned from logits into weights at a time
# Up to so many rows of a head may have to be read as weights beside a picture made of logits; of more, the weights
# themselves are pooled.
MOST_ROWS_APART = 64
COARSE_LOGIT = 1 << 13  # times T: next to so large a logit float32 has no digits left for the differences of its row

# Blocks that are kept take this share of the bytes of all weights; but so many in any case, as a short map may be wide
# to compute, and no more.
KEPT_SHARE = 8  # 1/8
LEAST_KEPT_BYTES, MOST_KEPT_BYTES = 1 << 24, 1 << 29
BlocksKey = tuple[str, int, int, int]  # stage, batch, head, columns

BLOCK_ROWS, BLOCK_CELLS = 128, 1 << 18  # rows that are computed together, and cells of their map that a thread holds
SMALL_EDIT = 32  # an edit of up to 1/32 of a map is followed at once, of more row by row when the map is asked for

# Rows that a thread takes, and cells of their map that it holds; one that takes more gives way to a window later.
ENTROPY_ROWS, ENTROPY_CELLS = 64, 1 << 18
NO_WEIGHT = 800  # e to minus this is 0 in float64, too, and so is its product with it


class BlockExtremes:
    """Extremes of one map of one head by blocks of keys, for pictures.

    `high` and `low` (rows, blocks) are over open cells; `open` (rows, blocks) says where there are any, None without a
    mask. Rows are those of `part`, counted from `first`; `edges` (blocks + 1,) are the keys where blocks begin and end.
    `read(rows, keys)` gives (values, allowed) with keys as rows. Rows are computed when they are asked for, also from
    other threads; `forget` follows edits.
    """

    def __init__(
        self,
        part: slice,
        across: Array,
        dtype: np.dtype[np.generic],
        masked: bool,
        edit_lock: EditLock,
        read: Callable[[slice, slice], tuple[Array, Array | None]],
    ) -> None:
        self.first, self.edges = part.start, across
        rows = part.stop - part.start
        shape = (rows, len(self.edges) - 1)
        self.high, self.low = np.empty(shape, dtype), np.empty(shape, dtype)
        self.open = np.zeros(shape, bool) if masked else None
        self.known = np.zeros(rows, bool)
        self.patched = np.zeros(-(-rows // BLOCK_ROWS), bool)  # which steps of rows edits have changed in part
        self._stale: list[tuple[slice, slice]] = []  # rows × blocks that edits have changed
        self._edit_lock, self._read = edit_lock, read

    def forget(self, rows: slice, keys: slice) -> None:
        """Forget the extremes of cells that have changed; the caller holds the lock."""
        first = int(np.searchsorted(self.edges, keys.start, "right")) - 1
        last = int(np.searchsorted(self.edges, keys.stop, "left"))
        if SMALL_EDIT * (rows.stop - rows.start) * (last - first) > self.high.size:
            self.known[rows] = False
        else:
            self._stale.append((rows, slice(first, last)))

    def mark_patched(self, rows: slice) -> None:
        """Mark rows that may differ in their last bits from what a fresh picture has; the caller holds the lock."""
        self.patched[rows.start // BLOCK_ROWS : -(-rows.stop // BLOCK_ROWS)] = True

    @property
    def bytes(self) -> int:
        return self.high.nbytes + self.low.nbytes + (self.open.nbytes if self.open is not None else 0)

    def lacking(self, rows: slice) -> int:
        """Return the number of cells that `ensure` would compute; the caller holds the lock."""
        stale = sum(
            (part.stop - part.start) * int(self.edges[blocks.stop] - self.edges[blocks.start])
            for part, blocks in self._stale
        )
        unknown = sum(part.stop - part.start for part in self._unknown(rows))
        return int(stale + unknown * self.edges[-1])

    def ensure(self, rows: slice) -> None:
        """Compute unknown rows, again where an edit comes in between."""
        with self._edit_lock.lock:
            stale, self._stale = self._stale, []
            for part, blocks in stale:
                self.mark_patched(part)
                for some in indices.in_parts(part, 1 << 14):
                    self._write(some, blocks, self._extremes(some, blocks))
        while jobs := self._unknown(rows):
            carry_out(jobs, self._put, None, bool)

    def settle(self, cancelled: Callable[[], bool]) -> bool:
        """Compute again the rows that edits have patched; False if cancelled."""
        self.ensure(slice(0, 0))
        while (steps := np.flatnonzero(self.patched)).size:
            jobs = [slice(step * BLOCK_ROWS, min((step + 1) * BLOCK_ROWS, len(self.known))) for step in steps.tolist()]
            if not carry_out(jobs, self._put, None, cancelled):
                return False
        return True

    def _unknown(self, rows: slice) -> list[slice]:
        first = rows.start // BLOCK_ROWS
        parts = [
            slice(low, min(low + BLOCK_ROWS, len(self.known)))
            for low in range(first * BLOCK_ROWS, rows.stop, BLOCK_ROWS)
        ]
        return [part for part in parts if not self.known[part].all()]

    def _put(self, rows: slice) -> bool:
        """Compute the extremes of whole rows and keep them unless an edit came in between; return whether kept."""
        count, wide = self.high.shape[1], max(1, BLOCK_CELLS * self.high.shape[1] // (BLOCK_ROWS * int(self.edges[-1])))
        cuts = list(indices.in_parts(slice(0, count), wide))

        def keep(found: list[tuple[Array, Array, Array | None]]) -> None:
            for cut, extremes in zip(cuts, found, strict=True):
                self._write(rows, cut, extremes)
            self.known[rows], self.patched[rows.start // BLOCK_ROWS] = True, False

        return self._edit_lock.beside(lambda: [self._extremes(rows, cut) for cut in cuts], keep)

    def _write(self, rows: slice, blocks: slice, found: tuple[Array, Array, Array | None]) -> None:
        self.high[rows, blocks], self.low[rows, blocks] = found[0].T, found[1].T
        if self.open is not None:
            self.open[rows, blocks] = True if found[2] is None else found[2].T

    def _extremes(self, rows: slice, blocks: slice) -> tuple[Array, Array, Array | None]:
        """Return (high, low, open) with blocks as rows: reducing along the first axis is several times as fast."""
        keys = slice(int(self.edges[blocks.start]), int(self.edges[blocks.stop]))
        with np.errstate(all="ignore"):
            values, allowed = self._read(rows, keys)
        inside = self.edges[blocks.start : blocks.stop + 1] - keys.start
        if allowed is None or allowed.all():
            return reduced(np.maximum, values, inside), reduced(np.minimum, values, inside), None
        high, low = (np.where(allowed, values, values.dtype.type(end)) for end in (-np.inf, np.inf))
        opened = reduced(np.logical_or, np.broadcast_to(allowed, values.shape), inside)
        return reduced(np.maximum, high, inside), reduced(np.minimum, low, inside), opened


# Pictures of stages in few blocks: of each block the value of largest magnitude, sign kept, NaN before all others.
class BlockCache:
    """Blocks of the maps that were looked at last, for pictures.

    Every map before the softmax is a rising function of one of two or three, and the largest weight of a block is where
    its largest logit is: extremes of these few maps serve the pictures of all.
    """

    def __init__(
        self, evaluation: DenseEvaluation, kernels: TileKernels, passes: RowPasses, edit_lock: EditLock
    ) -> None:
        self._evaluation, self._kernels, self._passes, self._edit_lock = evaluation, kernels, passes, edit_lock
        self._blocks: dict[BlocksKey, BlockExtremes] = {}  # those asked for last stand last
        weights = int(np.prod(kernels.shape, dtype=object)) * np.dtype(evaluation.problem.dtype).itemsize
        self._weights_name = evaluation.weights
        self._rising_stages = {evaluation.part(Role.SCALE), evaluation.part(Role.CAP)}  # as the scores rise
        self._most_bytes = min(MOST_KEPT_BYTES, max(LEAST_KEPT_BYTES, weights // KEPT_SHARE))

    # --- asking ----------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None
    ) -> Picture:
        """Return (values, allowed) of the blocks `part` of a picture of rows × columns blocks."""
        if stage not in self._kernels.maps and stage != self._weights_name:
            return self._pool_without_keys(stage, batch, head, rows, columns, part), None
        assert head is not None
        across = slice(0, len(block_edges(self._kernels.shape[3], columns)) - 1) if part is None else part[1]
        down = block_edges(self._kernels.shape[2], rows)
        down = down if part is None else down[part[0].start : part[0].stop + 1]
        source = self._ensure_source(stage, batch, head, down)
        blocks = self._find_extremes(source, batch, head, columns)
        return self._pool_extremes(stage, source, blocks, batch, head, down, across)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool as `pooled` does, for some rows of blocks, from extremes that are not kept."""
        if stage not in self._kernels.maps and stage != self._weights_name:
            return self._pool_without_keys(stage, batch, head, rows, columns, (part, slice(0, columns))), None
        assert head is not None
        down = block_edges(self._kernels.shape[2], rows)[part.start : part.stop + 1]
        return self._pool_unkept(stage, batch, head, down, block_edges(self._kernels.shape[3], columns))

    def window(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """Return (values, allowed) of blocks with given edges in a map; None where scores are too large for it."""
        if stage == self._weights_name:
            place = (*indices.cell((batch, head)), slice(int(down[0]), int(down[-1])))
            self._passes.ensure(place)
            if self._passes.rows.overflow_risk(place, self._kernels.temperature).any():
                return None
        return self._pool_unkept(stage, batch, head, down, across)

    def _pool_unkept(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture:
        source = self._ensure_source(stage, batch, head, down)
        blocks = self._make_extremes(source, batch, head, across, slice(int(down[0]), int(down[-1])))
        return self._pool_extremes(stage, source, blocks, batch, head, down, slice(0, len(across) - 1))

    def _pool_extremes(
        self, stage: str, source: str, blocks: BlockExtremes, batch: int, head: int, down: Array, across: slice
    ) -> Picture:
        """Return (values, allowed) from extremes of the map `source`; `down` are the edges of the rows."""
        inside = down - blocks.first
        here = slice(int(inside[0]), int(inside[-1]))
        with np.errstate(all="ignore"):
            blocks.ensure(here)
            if stage == self._weights_name:
                self._passes.ensure((*indices.cell((batch, head)), slice(int(down[0]), int(down[-1]))))
            with self._edit_lock.lock:
                values = self._pool_values(stage, source, blocks, batch, head, inside, across)
                allowed = None
                if blocks.open is not None:
                    allowed = reduced(np.logical_or, blocks.open[here, across], inside - here.start)
        return values, allowed

    def follow(self, reached: Mapping[str, Sequence[Box]], other: Array) -> None:
        """Forget what an edit has reached, and mark rows whose kept form changes (`other`); under the lock."""
        for (name, batch, head, _), blocks in self._blocks.items():
            for low, high in indices.runs(other[batch, head]):
                blocks.mark_patched(slice(low, high))
            for box in reached.get(name, ()):
                if indices.intersection(box[:2], indices.cell((batch, head))) is not None:
                    blocks.forget(box[2], box[3])

    def settle(self, cancelled: Callable[[], bool]) -> bool:
        """Compute again the rows that edits have patched; False if cancelled."""
        return all(blocks.settle(cancelled) for blocks in list(self._blocks.values()))

    @property
    def patched(self) -> bool:
        """Whether edits have patched any block."""
        return any(blocks.patched.any() for blocks in list(self._blocks.values()))

    def lacking(self, stage: str, batch: int, head: int, rows: slice, columns: int) -> int:
        """Return the number of cells of maps to compute before a picture of these rows can be shown."""
        with self._edit_lock.lock:
            blocks = self._blocks.get(
                (self._find_source(stage, batch, head), batch, head, min(columns, self._kernels.shape[3]))
            )
            unseen = (rows.stop - rows.start) * self._kernels.shape[3]
            return unseen if blocks is None else blocks.lacking(rows)

    # --- which blocks ----------------------------------------------------------------------------
    def _find_extremes(self, source: str, batch: int, head: int, columns: int) -> BlockExtremes:
        """Return the extremes of a map of one head; those used longest ago make room for new ones."""
        with self._edit_lock.lock:
            key = (source, batch, head, min(columns, self._kernels.shape[3]))
            n, m = self._kernels.shape[2:]
            found = self._blocks.pop(key, None) or self._make_extremes(*key[:3], block_edges(m, columns), slice(0, n))
            self._blocks[key] = found
            room = self._most_bytes
            for other in list(self._blocks)[-2::-1]:
                room -= self._blocks[other].bytes
                if room < 0:
                    del self._blocks[other]
            return found

    def _ensure_source(self, stage: str, batch: int, head: int, down: Array) -> str:
        """Compute the rows of weights behind a picture; return the map whose extremes it is drawn from."""
        if stage == self._weights_name:
            self._passes.ensure((*indices.cell((batch, head)), slice(int(down[0]), int(down[-1]))))
        return self._find_source(stage, batch, head)

    def _find_source(self, stage: str, batch: int, head: int) -> str:
        """Return the map whose extremes serve a stage: that of the weights where many rows stand apart."""
        own = stage == self._weights_name and int(np.count_nonzero(self._flag_apart(batch, head))) > MOST_ROWS_APART
        return stage if own else self._find_logits_source(stage)

    def _flag_apart(self, batch: int, head: int) -> Array:
        """Return flags of rows of weights that are read one by one: with interventions, or coarse in float32."""
        state, by_hand = self._passes.rows, np.asarray(self._passes.hand.weights[batch, head])
        if np.dtype(self._evaluation.problem.dtype) != np.float32:
            return by_hand
        denominator = state.denominator[batch, head]
        large = np.abs(state.row_max[batch, head]) > COARSE_LOGIT * self._kernels.temperature
        return np.asarray(by_hand | (state.known[batch, head] & large & np.isfinite(denominator) & (denominator != 0)))

    def _find_logits_source(self, stage: str) -> str:
        name = self._kernels.logits_name if stage == self._weights_name else stage
        shared = self._evaluation.elementary_stages and not self._passes.hand.logits.any()
        return self._evaluation.scores if name in self._rising_stages and shared else name

    def _make_extremes(self, name: str, batch: int, head: int, across: Array, part: slice) -> BlockExtremes:
        """Return new extremes of some rows of a map."""

        def read(rows: slice, keys: slice) -> Picture:
            rows = slice(part.start + rows.start, part.start + rows.stop)
            if name == self._weights_name:
                allowed = self._evaluation.allowed(batch, head, rows, keys)
                values = self._evaluation.block(name, batch, head, rows, keys)
                return np.ascontiguousarray(values.T), None if allowed is None else allowed.T
            return self._passes.transposed(name, (*indices.cell((batch, head)), rows, keys))

        dtype = np.dtype(self._evaluation.problem.dtype)
        masked = name == self._evaluation.part(Role.CLOSE) or (name == self._weights_name and self._evaluation.closes)
        return BlockExtremes(part, across, dtype, masked, self._edit_lock, read)

    # --- from blocks to a picture ----------------------------------------------------------------
    def _pool_values(
        self, stage: str, source: str, blocks: BlockExtremes, batch: int, head: int, down: Array, across: slice
    ) -> Array:
        if stage == self._weights_name != source:
            return self._pool_weights(blocks, batch, head, down, across)
        cut, inside = slice(int(down[0]), int(down[-1])), down - down[0]
        high = reduced(np.maximum, blocks.high[cut, across], inside)
        low = reduced(np.minimum, blocks.low[cut, across], inside)
        return self._scale_and_cap(largest(high, low), stage)

    def _scale_and_cap(self, scores: Array, stage: str) -> Array:
        """Return scores as the stage shows them: scaled, bent by the softcap."""
        if stage == self._weights_name or self._find_logits_source(stage) == stage:
            return scores
        if stage in self._rising_stages:
            scores = scores * scores.dtype.type(self._kernels.scale)
        cap = self._kernels.softcap
        capped = cap is not None and stage == self._evaluation.part(Role.CAP)
        return np.asarray(cap * np.tanh(scores / cap) if capped else scores)

    def _pool_weights(self, blocks: BlockExtremes, batch: int, head: int, down: Array, across: slice) -> Array:
        """Return pooled weights of blocks, from logarithms: exp is taken of the largest of each block only."""
        found = np.empty((len(down) - 1, across.stop - across.start), blocks.high.dtype)
        step = max(1, PICTURE_ROWS * len(found) // int(down[-1] - down[0]))
        for first in range(0, len(found), step):
            some = down[first : first + step + 1]
            cut = slice(int(some[0]), int(some[-1]))
            subtrahends = self._subtrahends(blocks, batch, head, cut)
            logits = self._log_weights_pooled(blocks, cut, across, subtrahends, some - some[0])
            if logits is None:
                logits = self._log_weights_of_all(blocks, cut, across, subtrahends, some - some[0])
            np.minimum(logits, 0, out=logits)
            np.exp(logits, out=found[first : first + step])
        edges_across = blocks.edges[across.start : across.stop + 1]
        apart = self._flag_apart(batch, head)
        self._passes.hand.draw(apart, found, (batch, head), down + blocks.first, edges_across)
        return found

    def _log_weights_pooled(
        self, blocks: BlockExtremes, rows: slice, across: slice, subtrahends: Sequence[Array], inside: Array
    ) -> Array | None:
        """Return logarithms of weights, pooled unscaled; None unless logits are a positive multiple of the blocks."""
        factor = 1 / self._kernels.temperature
        if self._find_logits_source(self._weights_name) == self._evaluation.scores:
            factor *= self._kernels.scale
        if not factor > 0 or self._kernels.softcap is not None or len(subtrahends) > 1:
            return None
        off = (subtrahends[0] / factor).astype(blocks.high.dtype)
        logits = reduced(np.maximum, blocks.high[rows, across] - off[:, None], inside)
        return None if np.isnan(logits).any() else np.asarray(logits * logits.dtype.type(factor))

    def _log_weights_of_all(
        self, blocks: BlockExtremes, rows: slice, across: slice, subtrahends: Sequence[Array], inside: Array
    ) -> Array:
        logits = self._highest(blocks, rows, across)
        for subtrahend in subtrahends:
            logits -= subtrahend.astype(logits.dtype)[:, None]
        if np.isnan(logits).any():
            logits[np.isneginf(blocks.high[rows, across])] = -np.inf
        return reduced(np.maximum, logits, inside)

    def _highest(self, blocks: BlockExtremes, rows: slice, across: slice) -> Array:
        """Return the largest logit of every block, over T."""
        factor = blocks.high.dtype.type(1 / self._kernels.temperature)
        if self._find_logits_source(self._weights_name) != self._evaluation.scores:
            return np.asarray(blocks.high[rows, across] * factor)
        high = blocks.high if self._kernels.scale >= 0 else blocks.low
        return np.asarray(self._scale_and_cap(high[rows, across], self._kernels.logits_name) * factor)

    def _subtrahends(self, blocks: BlockExtremes, batch: int, head: int, rows: slice) -> list[Array]:
        """Return arrays (rows,) that make logits over T logarithms of weights when they are subtracted one after the
        other.

        Beside very large scores row maxima are computed as those of the blocks are, so that they cancel.
        """
        state, temperature = self._passes.rows, self._kernels.temperature
        cut = slice(blocks.first + rows.start, blocks.first + rows.stop)
        row_max, denominator = state.row_max[batch, head, cut] / temperature, state.denominator[batch, head, cut]
        log_z = np.where(denominator == 0, np.inf, np.log(denominator))
        apart = self._flag_apart(batch, head)[cut]
        log_z[apart] = np.inf  # they are drawn by themselves
        risk = state.overflow_risk((*indices.cell((batch, head)), cut), temperature)[0, 0]
        risk &= np.isfinite(denominator) & ~apart
        if not risk.any():
            return [row_max + log_z]
        highest = self._highest(blocks, rows, slice(0, blocks.high.shape[1]))[risk].max(axis=1)
        sink = self._kernels.sink(head)  # may be what was taken off, far above all keys
        row_max[risk] = highest if sink is None else np.maximum(highest, sink / temperature)
        return [row_max, log_z]

    # --- stages without keys ---------------------------------------------------------------------
    def _pool_without_keys(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None
    ) -> Array:
        everything = self._evaluation.shape(stage)
        width = everything[-1]
        if head is not None and len(everything) == 3:
            mine = self._evaluation.head_columns(stage, head)
            width = mine.stop - mine.start
        down, across = block_edges(everything[-2], rows), block_edges(width, columns)
        if part is not None:
            down, across = down[part[0].start : part[0].stop + 1], across[part[1].start : part[1].stop + 1]
        cuts = (slice(int(down[0]), int(down[-1])), slice(int(across[0]), int(across[-1])))
        values = self._evaluation.block(stage, batch, head, *cuts)
        return pool_blocks(values, None, down - down[0], across - across[0])[0]


# Entropy of rows of weights, from their logits in one pass: −Σ a·log a = Σ a·(log Z − s).
def entropies(
    evaluation: DenseEvaluation, kernels: TileKernels, passes: RowPasses, batch: int, head: int, rows: slice
) -> Array:
    """Return the entropy in nats of every row, BLIND where no key is open; computes rows that are not known first."""
    found = np.empty(rows.stop - rows.start)
    place = (*indices.cell((batch, head)), rows)
    passes.ensure(place)

    def work(part: slice) -> None:
        with np.errstate(all="ignore"):
            found[part.start - rows.start : part.stop - rows.start] = _row_entropies(kernels, passes, batch, head, part)

    share(list(indices.in_parts(rows, ENTROPY_ROWS)), work)
    lost = np.isnan(passes.rows.denominator[batch, head, rows])  # weights of NaN: whatever is computed, it is NaN
    found[lost] = np.nan
    unsure = ~lost & (~np.isfinite(found) | passes.rows.overflow_risk(place, kernels.temperature)[0, 0])
    unsure |= passes.hand.weights[batch, head, rows]
    for row in (rows.start + np.flatnonzero(unsure)).tolist():
        weights = evaluation.block(evaluation.weights, batch, head, slice(row, row + 1), slice(0, kernels.shape[3]))
        found[row - rows.start] = row_entropy(weights)[0] if (weights != 0).any() else BLIND
    return found


def _row_entropies(kernels: TileKernels, passes: RowPasses, batch: int, head: int, rows: slice) -> Array:
    """Return the entropies of rows as far as their logits give them: NaN and ∞ are for the caller to look into."""
    temperature, keys = kernels.temperature, kernels.shape[3]
    denominator = passes.rows.denominator[batch, head, rows]
    row_max = passes.rows.row_max[batch, head, rows]
    log_z = row_max / temperature + np.log(np.where(denominator == 0, 1.0, denominator))
    found, weighed = np.zeros(rows.stop - rows.start), np.zeros(rows.stop - rows.start, bool)
    wide = max(1, ENTROPY_CELLS // len(found))
    for cut in indices.in_parts(slice(0, keys), wide):
        logits, allowed = passes.transposed(kernels.logits_name, (*indices.cell((batch, head)), rows, cut))
        logits = logits * logits.dtype.type(1 / temperature) if temperature != 1 else logits
        below = log_z.astype(logits.dtype) - logits  # before it is summed up: the rest of two large sums is rounding
        if allowed is not None:
            np.copyto(below, NO_WEIGHT, where=~allowed)
        np.minimum(below, NO_WEIGHT, out=below)
        weights = np.negative(below)
        np.exp(weights, out=weights)
        found += np.einsum("ji,ji->i", weights, below)
        weighed |= weights.any(axis=0)
    return np.where(weighed, np.maximum(found, 0.0), BLIND)
