"""The evaluation of long problems: sums kept for each row and no map; what is read, what an edit changes.

Of a row, one head's softmax for one query, three things are kept: m, the largest logit; Z = Σ exp((s − m) / T); and
N = Σ exp((s − m) / T) · v, a vector. N / Z is the head's output, exp((s − m) / T) / Z a weight that is read, and a key
that is edited leaves Z and N as it came: its old term is subtracted, the new one added (FlashAttention keeps the same
sums). The files, each above those that it stands on:

    streaming          the evaluation: what is read, an edit
    streaming_pooling  pictures of maps from extremes of their blocks; entropies of rows
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
from attn_gui.engine.evaluation.pooling import Picture
from attn_gui.engine.evaluation.streaming_edits import StreamingEdit
from attn_gui.engine.evaluation.streaming_kernels import TileKernels, check_work
from attn_gui.engine.evaluation.streaming_pooling import BlockCache, entropies
from attn_gui.engine.evaluation.streaming_rows import RowPasses
from attn_gui.engine.evaluation.streaming_states import EditLock, bytes_of_row
from attn_gui.engine.evaluation.threads import one_blas_thread, share
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import Node, reach
from attn_gui.engine.normalizers import Keywise
from attn_gui.engine.problem import Problem

EXACT_BYTES = np.dtype(np.float64).itemsize
MANY_OUTPUT_CELLS = 1 << 16  # more cells of the output are computed by rows, on all threads
OUTPUT_ROWS = 256  # rows of it that a thread computes at a time
AT_ONCE, FEWEST_ROWS = 1 << 18, 32  # cells of a map that a thread computes at a time, but at least so many rows
PROJECTED_CELLS = 1 << 22  # cells of Q, K and V that are projected at a time


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
        if name == self.projection and self._kept_dtype == np.float32 and indices.count(box) > MANY_OUTPUT_CELLS:
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
        rows = max(1, min(PROJECTED_CELLS // width, box[1].stop - box[1].start))
        items = max(1, PROJECTED_CELLS // (rows * width))
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
