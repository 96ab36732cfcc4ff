"""The evaluation of long problems: sums kept for each row and no map; what is read, pictures pooled from blocks.

Of a row, one head's softmax for one query, three things are kept: m, the largest logit; Z = Σ exp((s − m) / T); and
N = Σ exp((s − m) / T) · v, a vector. N / Z is the head's output, exp((s − m) / T) / Z a weight that is read, and a key
that is edited leaves Z and N as it came: its old term is subtracted, the new one added (FlashAttention keeps the same
sums). The files, each above those that it stands on:

    streaming          the evaluation: what is read, an edit, pictures of maps from extremes of their blocks
    streaming_edits    which rows an edit makes stale, and whose terms it exchanges
    streaming_rows     which rows are known; passes that compute the others, tile by tile, on all cores
    streaming_kernels  the rows of one tile: by matrix products, or slowly and surely through the stages
    streaming_states   the sums, what an exchange of terms does to them, and the lock between edits and passes
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array, Box, check
from attn_gui.engine.evaluation.dense import NOTHING, DenseEvaluation
from attn_gui.engine.evaluation.evaluation import PicturePart, Recomputed
from attn_gui.engine.evaluation.pooling import Picture, block_edges, largest, pool_blocks, reduced
from attn_gui.engine.evaluation.streaming_edits import StreamingEdit
from attn_gui.engine.evaluation.streaming_kernels import TileKernels, check_work
from attn_gui.engine.evaluation.streaming_rows import BlockExtremes, RowPasses, entropies
from attn_gui.engine.evaluation.streaming_states import EditLock, bytes_of_row
from attn_gui.engine.evaluation.threads import one_blas_thread, share
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import Node, reach
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.normalizers import Keywise
from attn_gui.engine.problem import Problem

ROWS = 512  # rows of a picture's blocks that are turned into weights at a time
FEW = 64  # so many rows of a head's weights are looked at one by one for a picture
EXACT_BYTES = np.dtype(np.float64).itemsize
COARSE = 1 << 13  # times T: next to so large a logit float32 has no digits left for the differences of its row
SHARE = 8  # blocks that are kept take this share of what the weights would
LEAST, MOST = 1 << 24, 1 << 29  # but so many bytes in any case, as a short map may be wide to compute, and no more
Watched = tuple[str, int, int, int]  # stage, batch, head, columns

MANY, OUTPUT_ROWS = 1 << 16, 256  # cells of the output that are many, and rows of it that are computed at a time
AT_ONCE, FEWEST_ROWS = 1 << 18, 32  # cells of a map that a thread computes at a time, but at least so many rows
PROJECTED = 1 << 22  # cells of Q, K and V that are projected at a time


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
        self._blocks: dict[Watched, BlockExtremes] = {}  # those asked for last stand last
        weights = int(np.prod(kernels.shape, dtype=object)) * np.dtype(evaluation.problem.dtype).itemsize
        self._weights_name = evaluation.weights
        self._risen = {evaluation.part(Role.SCALE), evaluation.part(Role.CAP)}  # rising functions of the scores alone
        self._room = min(MOST, max(LEAST, weights // SHARE))

    # --- asking ----------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None
    ) -> Picture:
        """Return (values, allowed) of the blocks `part` of a picture of rows × columns blocks."""
        if stage not in self._kernels.maps and stage != self._weights_name:
            return self._direct(stage, batch, head, rows, columns, part), None
        assert head is not None
        across = slice(0, len(block_edges(self._kernels.shape[3], columns)) - 1) if part is None else part[1]
        down = block_edges(self._kernels.shape[2], rows)
        down = down if part is None else down[part[0].start : part[0].stop + 1]
        served = self._served(stage, batch, head, down)
        return self._drawn(stage, served, self._of(served, batch, head, columns), batch, head, down, across)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool as `pooled` does, for some rows of blocks, from extremes that are not kept."""
        if stage not in self._kernels.maps and stage != self._weights_name:
            return self._direct(stage, batch, head, rows, columns, (part, slice(0, columns))), None
        assert head is not None
        down = block_edges(self._kernels.shape[2], rows)[part.start : part.stop + 1]
        return self._once(stage, batch, head, down, block_edges(self._kernels.shape[3], columns))

    def window(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """Return (values, allowed) of blocks with given edges in a map; None where scores are too large for it."""
        if stage == self._weights_name:
            place = (*indices.cell((batch, head)), slice(int(down[0]), int(down[-1])))
            self._passes.ensure(place)
            if self._passes.rows.overflow_risk(place, self._kernels.temperature).any():
                return None
        return self._once(stage, batch, head, down, across)

    def _once(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture:
        served = self._served(stage, batch, head, down)
        blocks = self._made(served, batch, head, across, slice(int(down[0]), int(down[-1])))
        return self._drawn(stage, served, blocks, batch, head, down, slice(0, len(across) - 1))

    def _drawn(
        self, stage: str, served: str, blocks: BlockExtremes, batch: int, head: int, down: Array, across: slice
    ) -> Picture:
        """Return (values, allowed) from extremes of the map `served`; `down` are the edges of the rows."""
        inside = down - blocks.first
        here = slice(int(inside[0]), int(inside[-1]))
        with np.errstate(all="ignore"):
            blocks.ensure(here)
            if stage == self._weights_name:
                self._passes.ensure((*indices.cell((batch, head)), slice(int(down[0]), int(down[-1]))))
            with self._edit_lock.lock:
                values = self._picture(stage, served, blocks, batch, head, inside, across)
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
                (self._serving(stage, batch, head), batch, head, min(columns, self._kernels.shape[3]))
            )
            unseen = (rows.stop - rows.start) * self._kernels.shape[3]
            return unseen if blocks is None else blocks.lacking(rows)

    # --- which blocks ----------------------------------------------------------------------------
    def _of(self, served: str, batch: int, head: int, columns: int) -> BlockExtremes:
        """Return the extremes of a map of one head; those used longest ago make room for new ones."""
        with self._edit_lock.lock:
            key = (served, batch, head, min(columns, self._kernels.shape[3]))
            n, m = self._kernels.shape[2:]
            found = self._blocks.pop(key, None) or self._made(*key[:3], block_edges(m, columns), slice(0, n))
            self._blocks[key] = found
            room = self._room
            for other in list(self._blocks)[-2::-1]:
                room -= self._blocks[other].bytes
                if room < 0:
                    del self._blocks[other]
            return found

    def _served(self, stage: str, batch: int, head: int, down: Array) -> str:
        """Compute the rows of weights behind a picture; return the map whose extremes it is drawn from."""
        if stage == self._weights_name:
            self._passes.ensure((*indices.cell((batch, head)), slice(int(down[0]), int(down[-1]))))
        return self._serving(stage, batch, head)

    def _serving(self, stage: str, batch: int, head: int) -> str:
        """Return the map whose extremes serve a stage: that of the weights where many rows stand apart."""
        own = stage == self._weights_name and int(np.count_nonzero(self._apart(batch, head))) > FEW
        return stage if own else self._logits_serving(stage)

    def _apart(self, batch: int, head: int) -> Array:
        """Return flags of rows of weights that are read one by one: with interventions, or coarse in float32."""
        state, by_hand = self._passes.rows, np.asarray(self._passes.hand.weights[batch, head])
        if np.dtype(self._evaluation.problem.dtype) != np.float32:
            return by_hand
        denominator = state.denominator[batch, head]
        large = np.abs(state.row_max[batch, head]) > COARSE * self._kernels.temperature
        return np.asarray(by_hand | (state.known[batch, head] & large & np.isfinite(denominator) & (denominator != 0)))

    def _logits_serving(self, stage: str) -> str:
        name = self._kernels.logits_name if stage == self._weights_name else stage
        shared = self._evaluation.elementary_stages and not self._passes.hand.logits.any()
        return self._evaluation.scores if name in self._risen and shared else name

    def _made(self, name: str, batch: int, head: int, across: Array, part: slice) -> BlockExtremes:
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
    def _picture(
        self, stage: str, served: str, blocks: BlockExtremes, batch: int, head: int, down: Array, across: slice
    ) -> Array:
        if stage == self._weights_name != served:
            return self._weights(blocks, batch, head, down, across)
        cut, inside = slice(int(down[0]), int(down[-1])), down - down[0]
        high = reduced(np.maximum, blocks.high[cut, across], inside)
        low = reduced(np.minimum, blocks.low[cut, across], inside)
        return self._shown(largest(high, low), stage)

    def _shown(self, scores: Array, stage: str) -> Array:
        """Return scores as the stage shows them: scaled, bent by the softcap."""
        if stage == self._weights_name or self._logits_serving(stage) == stage:
            return scores
        if stage in self._risen:
            scores = scores * scores.dtype.type(self._kernels.scale)
        cap = self._kernels.softcap
        capped = cap is not None and stage == self._evaluation.part(Role.CAP)
        return np.asarray(cap * np.tanh(scores / cap) if capped else scores)

    def _weights(self, blocks: BlockExtremes, batch: int, head: int, down: Array, across: slice) -> Array:
        """Return pooled weights of blocks, from logarithms: exp is taken of the largest of each block only."""
        found = np.empty((len(down) - 1, across.stop - across.start), blocks.high.dtype)
        step = max(1, ROWS * len(found) // int(down[-1] - down[0]))
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
        apart = self._apart(batch, head)
        self._passes.hand.draw(apart, found, (batch, head), down + blocks.first, edges_across)
        return found

    def _log_weights_pooled(
        self, blocks: BlockExtremes, rows: slice, across: slice, subtrahends: Sequence[Array], inside: Array
    ) -> Array | None:
        """Return logarithms of weights, pooled unscaled; None unless logits are a positive multiple of the blocks."""
        factor = 1 / self._kernels.temperature
        if self._logits_serving(self._weights_name) == self._evaluation.scores:
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
        if self._logits_serving(self._weights_name) != self._evaluation.scores:
            return np.asarray(blocks.high[rows, across] * factor)
        high = blocks.high if self._kernels.scale >= 0 else blocks.low
        return np.asarray(self._shown(high[rows, across], self._kernels.logits_name) * factor)

    def _subtrahends(self, blocks: BlockExtremes, batch: int, head: int, rows: slice) -> list[Array]:
        """Return arrays (rows,) that make logits over T logarithms of weights when they are subtracted one after the
        other.

        Beside very large scores row maxima are computed as those of the blocks are, so that they cancel.
        """
        state, temperature = self._passes.rows, self._kernels.temperature
        cut = slice(blocks.first + rows.start, blocks.first + rows.stop)
        row_max, denominator = state.row_max[batch, head, cut] / temperature, state.denominator[batch, head, cut]
        log_z = np.where(denominator == 0, np.inf, np.log(denominator))
        apart = self._apart(batch, head)[cut]
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
    def _direct(
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


class StreamingEvaluation(DenseEvaluation):
    """An evaluation that keeps Q, K, V and the softmax sums of every row; all else is computed when it is read.

    Of a row the maximum, the denominator and the numerator are kept. Rows are computed when they are asked for, or by
    `complete`. An edit of few keys subtracts their old terms from the rows and adds the new ones; where that would lose
    digits the row is computed again. `settle` makes what edits have left equal to a fresh computation, bit for bit.

    `complete` and `settle` may run in another thread while cells are edited. Whatever else another thread reads while
    an edit comes in mixes old and new numbers and has to be dropped. A problem of another structure needs a new
    evaluation. Raises FieldError for a score that cannot be computed by rows at this size, and where what is kept would
    take more than a share of the free memory.
    """

    in_dtype = draws_pictures = True
    _by_rows: tuple[str, ...] = ()  # what is read off the kept rows

    def __init__(self, problem: Problem, *, tile: int | None = None, chunk: int | None = None) -> None:
        self._edit_lock = EditLock()
        self._size = tile, chunk
        super().__init__(problem, keep=0)

    def _build(self, problem: Problem, known: Mapping[str, Array] = NOTHING) -> None:
        check_work(problem)
        with self._edit_lock.edit(), one_blas_thread():
            self._kept_dtype = np.dtype(problem.dtype)
            super()._build(problem, known)
            self._kernels = TileKernels(self)
            self._by_rows = self._kernels.softmax.name, self._kernels.mixing.name
            self._passes = RowPasses(self, self._kernels, self._edit_lock, *self._size)
            self._pictures = BlockCache(self, self._kernels, self._passes, self._edit_lock)

    def _lay_out(self, problem: Problem, arrays: Mapping[str, Array] = NOTHING) -> None:
        super()._lay_out(problem, arrays)
        kept = [node for node in self._nodes if self._kept(node) and not node.stage.alias]
        size = sum(prod(node.shape) * (EXACT_BYTES if node.stage.exact else self._kept_dtype.itemsize) for node in kept)
        copied = problem.batch_size * problem.num_kv_heads * problem.m * (problem.d_k + problem.d_v)  # by head
        rows = prod(problem.map_shape[:3]) * bytes_of_row(problem.d_v, self._kept_dtype)
        check(size + copied * self._kept_dtype.itemsize + rows)

    def _kept(self, node: Node) -> bool:
        return node.stage.input_side

    # --- reading ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        if name == self.projection and self._kept_dtype == np.float32 and indices.count(box) > MANY:
            found = self._narrow_output(box)
            if found is not None:
                return found
        if name not in self._by_rows:
            return super().fetch(name, box)
        with np.errstate(all="ignore"):
            self._passes.ensure(box[:3])
            if name == self._kernels.mixing.name:
                return self._passes.rows.output(box)
            return self._weights(box)

    def read(self, stage: str, box: Box) -> Array:
        """Return a box of a stage; many cells of a map are computed on all threads, never at once in float64."""
        width = box[-1].stop - box[-1].start
        if len(box) < 4 or indices.count(box) <= AT_ONCE or not width:
            return super().read(stage, box)
        found = np.empty(indices.shape_of(box), self._kept_dtype)
        step = max(FEWEST_ROWS, AT_ONCE // width)

        def work(place: tuple[int, int, int]) -> None:
            batch, head, low = place
            rows = slice(low, min(low + step, box[2].stop))
            tile = super(StreamingEvaluation, self).read(stage, (*indices.cell((batch, head)), rows, box[3]))
            found[batch - box[0].start, head - box[1].start, low - box[2].start : rows.stop - box[2].start] = tile[0, 0]

        heads = range(box[0].start, box[0].stop), range(box[1].start, box[1].stop)
        share(list(product(*heads, range(box[2].start, box[2].stop, step))), work)
        found.flags.writeable = False
        return found

    def _weights(self, box: Box) -> Array:
        """Return weights from the kept sums; rows of very large scores are computed as a whole, always by the same
        product.

        In float32 all rows are, unless many are read in part: the kept sums are off by the rounding of their scores.
        """
        whole = *box[:3], slice(0, self.problem.m)
        if self._kept_dtype == np.float32 and indices.count(whole) <= max(AT_ONCE, 2 * indices.count(box)):
            return self._passes.whole_weights(whole)[..., box[3]]
        rows, temperature = self._passes.rows, self._kernels.temperature
        if isinstance(normalizer := self._kernels.normalizer, Keywise):
            parts = normalizer.parts(self._kernels.logits(box), np.asarray(temperature))
            return np.where(parts == 0, 0.0, parts / rows.denominator[box[:3]][..., None])
        weights = rows.weights(self._kernels.logits(box), box, temperature)
        for batch, head, row in np.argwhere(rows.overflow_risk(box, temperature)).tolist():
            place = indices.cell((box[0].start + batch, box[1].start + head, box[2].start + row))
            weights[batch, head, row] = self._kernels.softmax.compute((*place, whole[3]), super().fetch)[1][..., box[3]]
        return np.asarray(weights)

    def _narrow_output(self, box: Box) -> Array | None:
        """Return many cells of the output in float32, by rows on all threads; None where it is no finite product."""
        problem = self.problem
        if problem.w_output is None or problem.interventions:
            return None
        heads = slice(0, problem.num_heads)
        self._passes.ensure((box[0], heads, box[1]))
        found = np.empty(indices.shape_of(box), np.float32)
        weights = np.ascontiguousarray(problem.w_output[:, box[2]])

        def work(place: tuple[int, int]) -> None:
            item, low = place
            rows = slice(low, min(low + OUTPUT_ROWS, box[1].stop))
            with np.errstate(all="ignore"):
                mixed = self._passes.rows.output((slice(item, item + 1), heads, rows, slice(None)))[0]
                joined = mixed.swapaxes(0, 1).reshape(rows.stop - low, -1).astype(np.float32)
                found[item - box[0].start, low - box[1].start : rows.stop - box[1].start] = joined @ weights

        starts = range(box[1].start, box[1].stop, OUTPUT_ROWS)
        share([(item, low) for item in range(box[0].start, box[0].stop) for low in starts], work)
        if problem.b_output is not None:
            found += problem.b_output[box[2]]
        return found.astype(np.float64) if np.isfinite(found).all() else None

    def known(self, batch: int, head: int) -> Array:
        """Return booleans (n,): the rows of a head that have been computed."""
        return np.array(self._passes.rows.known[batch, head])

    # --- passes ----------------------------------------------------------------------------------
    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute every unknown row, of the given (batch, head) pairs or of all; False if cancelled.

        `progress(done, all)` is called from any thread. Rows that an edit in between makes stale are computed again.
        """
        return self._passes.complete(heads, progress, cancelled)

    def settle(self, *, cancelled: Callable[[], bool] = bool) -> bool:
        """Compute again what edits have updated, so that all equals a fresh evaluation bit for bit; False if cancelled.

        Cancel it before you write the first cell of an edit: nothing may be kept that is read between that and
        `update`.
        """
        return self._passes.settle(cancelled) and self._pictures.settle(cancelled)

    @property
    def settled(self) -> bool:
        return not (self._passes.rows.dirty.any() or self._passes.moved or self._pictures.patched)

    @property
    def unsettled(self) -> frozenset[tuple[int, int]]:
        dirty = self._passes.rows.dirty.any(axis=-1) | bool(self._passes.moved)
        return frozenset((int(batch), int(head)) for batch, head in np.argwhere(dirty))

    # --- changing --------------------------------------------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place; `problem` already holds them.

        Returns the same as the dense evaluation's. Where many rows change at once they are computed when they are read.
        """
        start = time.perf_counter()
        if problem.bare_structure != self.problem.bare_structure:
            return super().update(problem, changed)
        with self._edit_lock.edit(), one_blas_thread(), np.errstate(all="ignore"):
            wired, other = self._nodes, np.zeros(self._kernels.shape[:3], bool)
            moved = self._take_up(problem)
            if self._nodes is not wired:  # they name interventions by their places, so also where no cell has moved
                self._kernels.lay_out()
                self._by_rows = self._kernels.softmax.name, self._kernels.mixing.name
                other = self._passes.lay_out()
            named = self._named(changed) | moved
            reached = self._joined(reach(self._nodes, named, super().fetch), moved)
            cells = self._refill(reached)
            edit = StreamingEdit(self._kernels, self._passes, named, reached, other)
            cells |= edit.carry_out()
            drawn = self._joined(reached, self._opened(moved))
            self._pictures.follow(drawn, other)
        return Recomputed(self._shown(drawn), self._shown(cells), time.perf_counter() - start)

    def _opened(self, moved: Mapping[str, list[Box]]) -> dict[str, list[Box]]:
        """Return cells behind the mask that an intervention on masked scores or weights opens, or opens no longer."""
        behind = [node.name for node in self._nodes if node.stage.behind_mask]
        boxes = [box for name in behind for box in moved.get(name, ())]
        return dict.fromkeys(behind, boxes) if boxes else {}

    def _refill(self, reached: Mapping[str, list[Box]]) -> dict[str, int]:
        """Compute the changed parts of the kept stages: Q, K and V."""
        cells = {}
        for node in self._nodes:
            if node.name in reached and node.name in self._arrays and not node.stage.alias:
                cells[node.name] = sum(self._compute(node, box) for box in reached[node.name])
                self._passes.moved |= {node.name}
        return cells

    def _tiles(self, node: Node, box: Box) -> Iterator[Box]:
        """Yield boxes of a kept stage: as many rows, of one item or several, as may be held in float64."""
        if len(node.shape) < 3:
            yield box
            return
        width = max(indices.count(box[2:]), self.problem.queries.shape[-1])
        rows = max(1, min(PROJECTED // width, box[1].stop - box[1].start))
        items = max(1, PROJECTED // (rows * width))
        for some in indices.in_parts(box[0], items):
            for part in indices.in_parts(box[1], rows):
                yield some, part, box[2]

    # --- pictures --------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: PicturePart | None = None
    ) -> Picture:
        """Return (values, allowed) of a picture of a stage; the blocks of maps looked at last are kept."""
        return self._pictures.pooled(stage, batch, head, rows, columns, part)

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        return self._pictures.window(stage, batch, head, down, across) if self.is_map(stage) else None

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        return bool(self._rows_behind(stage, batch, head, rows).all())

    def _rows_behind(self, stage: str, batch: int, head: int | None, rows: slice) -> Array:
        """Return booleans: which of the rows of weights behind some rows of a stage are known."""
        entry = self.node(stage).stage
        if entry.input_side or stage in self._kernels.maps:
            return np.ones(0, bool)
        alone = entry.per_head and head is not None
        return np.asarray(self._passes.rows.known[batch, head if alone else slice(None), rows])

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        return self._pictures.pooled_once(stage, batch, head, rows, columns, part)

    def is_map(self, stage: str) -> bool:
        return stage == self.weights or stage in self._kernels.maps

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Return the number of cells of maps to compute before `pooled` in so many columns can show these rows.

        Cells of wide heads count several times, since each takes so much longer.
        """
        known = self._rows_behind(stage, batch, head, rows)
        cells = (known.size - int(np.count_nonzero(known))) * self.problem.m
        if self.is_map(stage):
            cells += self._pictures.lacking(stage, batch, head or 0, rows, columns)
        return cells * self._passes.cell_cost

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        return entropies(self, self._kernels, self._passes, batch, head, rows)
