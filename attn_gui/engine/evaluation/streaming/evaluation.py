"""The evaluation for long sequences: nothing that has both a query and a key axis is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node, reach
from attn_gui.engine.evaluation.dense import Evaluation, Recomputed
from attn_gui.engine.evaluation.readout import NOTHING
from attn_gui.engine.evaluation.streaming.edits.edit import Edit
from attn_gui.engine.evaluation.streaming.edits.versions import Versions
from attn_gui.engine.evaluation.streaming.row_states import bytes_of_row
from attn_gui.engine.evaluation.streaming.score_chain import Chain, check_work
from attn_gui.engine.evaluation.streaming.stage_pools import Pictures
from attn_gui.engine.graph import indices
from attn_gui.engine.memory import check
from attn_gui.engine.problem.checks import as_box
from attn_gui.engine.problem.problem import Problem

from .entropy import entropies
from .passes import Passes
from .threads import one_blas_thread, share

MANY, OUTPUT_ROWS = 1 << 16, 256  # cells of the output that are many, and rows of it that are computed at a time
AT_ONCE, FEWEST_ROWS = 1 << 18, 32  # cells of a map that a thread computes at a time, but at least so many rows
PROJECTED = 1 << 22  # cells of Q, K and V that are projected at a time


class StreamingEvaluation(Evaluation):
    """Holds Q, K and V, and the maximum, denominator and numerator of every row; all else is computed when read.

    Rows are computed when they are asked for, or by `complete`. An edit of few keys takes their old terms out of the
    rows and puts the new ones in; where that would lose digits the row is computed again. `settle` makes what edits
    have left equal to a fresh computation, bit for bit. `complete` and `settle` may run in another thread
    while cells are edited; a problem of another structure needs an evaluation of its own then. Whatever is read in
    another thread while an edit comes in holds old numbers beside new ones: whoever reads so has to drop it.
    Raises FieldError for a score that cannot be computed by rows at this size, and where what is kept would take more
    than a share of the free memory.
    """

    in_dtype = True
    _by_rows: tuple[str, ...] = ()  # what is read off the kept rows

    def __init__(self, problem: Problem, *, tile: int | None = None, chunk: int | None = None) -> None:
        self._versions = Versions()
        self._size = tile, chunk
        super().__init__(problem, keep=0)

    def _build(self, problem: Problem) -> None:
        check_work(problem)
        with self._versions.edit(), one_blas_thread():
            self._kind = np.dtype(problem.dtype)
            super()._build(problem)
            self._chain = Chain(self)
            self._by_rows = self._chain.softmax.name, self._chain.mixing.name
            self._passes = Passes(self, self._chain, self._versions, *self._size)
            self._pictures = Pictures(self, self._chain, self._passes, self._versions)

    def _lay_out(self, problem: Problem, arrays: Mapping[str, Array] = NOTHING) -> None:
        super()._lay_out(problem, arrays)
        cells = sum(prod(node.shape) for node in self._nodes if self._kept(node) and not node.stage.alias)
        cells += problem.batch_size * problem.num_kv_heads * problem.m * (problem.d_k + problem.d_v)  # copied by head
        rows = prod(problem.map_shape[:3]) * bytes_of_row(problem.d_v, self._kind)
        check(cells * self._kind.itemsize + rows)

    def _kept(self, node: Node) -> bool:
        return node.stage.input_side

    # --- reading ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """The numbers of a box of any stage or source, as float64 (or booleans); unknown rows are computed first."""
        if name == self.projection and self._kind == np.float32 and indices.count(box) > MANY:
            found = self._narrow_output(box)
            if found is not None:
                return found
        if name not in self._by_rows:
            return super().fetch(name, box)
        with np.errstate(all="ignore"):
            self._passes.ensure(box[:3])
            if name == self._chain.mixing.name:
                return self._passes.rows.output(box)
            return self._weights(box)

    def box(self, stage: str, box: Box) -> Array:
        """A box of a stage; many cells of a map are computed on all threads, never at once in float64."""
        box = as_box(stage, self.shape(stage), box)
        width = box[-1].stop - box[-1].start
        if len(box) < 4 or indices.count(box) <= AT_ONCE or not width:
            return super().box(stage, box)
        found = np.empty(indices.shape_of(box), self._kind)
        step = max(FEWEST_ROWS, AT_ONCE // width)

        def work(place: tuple[int, int, int]) -> None:
            batch, head, low = place
            rows = slice(low, min(low + step, box[2].stop))
            tile = super(StreamingEvaluation, self).box(stage, (*indices.cell((batch, head)), rows, box[3]))
            found[batch - box[0].start, head - box[1].start, low - box[2].start : rows.stop - box[2].start] = tile[0, 0]

        heads = [
            (batch, head) for batch in range(box[0].start, box[0].stop) for head in range(box[1].start, box[1].stop)
        ]
        share([(*pair, low) for pair in heads for low in range(box[2].start, box[2].stop, step)], work)
        found.flags.writeable = False
        return found

    def _weights(self, box: Box) -> Array:
        """Shares from the kept rows; a row of very large scores is computed as a whole, by one and the same product.

        In float32 all rows are, unless many are read in part: what is kept is off by the rounding of their scores.
        """
        whole = *box[:3], slice(0, self.problem.m)
        if self._kind == np.float32 and indices.count(whole) <= max(AT_ONCE, 2 * indices.count(box)):
            return self._passes.whole_weights(whole)[..., box[3]]
        rows, temperature = self._passes.rows, self._chain.temperature
        weights = rows.weights(self._chain.logits(box), box, temperature)
        for batch, head, row in np.argwhere(rows.overflow_risk(box, temperature)).tolist():
            place = indices.cell((box[0].start + batch, box[1].start + head, box[2].start + row))
            weights[batch, head, row] = self._chain.softmax.compute((*place, whole[3]), super().fetch)[1][..., box[3]]
        return np.asarray(weights)

    def _narrow_output(self, box: Box) -> Array | None:
        """Many cells of the output in float32, by rows on all threads; None where it is not a finite product."""
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
        """Rows of a head that have been computed: booleans (n,)."""
        return np.array(self._passes.rows.known[batch, head])

    # --- passes ----------------------------------------------------------------------------------
    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Compute every row that is not known, of the given (batch, head) pairs or of all; False if cancelled.

        `progress(done, all)` is called from any thread. Edits may come in between: what they make stale is redone.
        """
        return self._passes.complete(heads, progress, cancelled)

    def settle(
        self, *, progress: Callable[[int, int], None] | None = None, cancelled: Callable[[], bool] = bool
    ) -> bool:
        """Compute again what edits have updated: then all equals a fresh evaluation bit for bit. False if cancelled.

        Who edits meanwhile has to cancel it before the first cell is written: of what is read of a problem between that
        and `update` nothing may be kept.
        """
        return self._passes.settle(progress, cancelled) and self._pictures.settle(cancelled)

    @property
    def settled(self) -> bool:
        """Whether everything known equals a fresh computation bit for bit."""
        return not (self._passes.rows.dirty.any() or self._passes.moved or self._pictures.patched)

    @property
    def unsettled(self) -> frozenset[tuple[int, int]]:
        """The (batch, head) pairs of which `settle` may change last digits."""
        dirty = self._passes.rows.dirty.any(axis=-1) | bool(self._passes.moved)
        return frozenset((int(batch), int(head)) for batch, head in np.argwhere(dirty))

    # --- changing --------------------------------------------------------------------------------
    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow cells that have changed in place; `problem` already holds them.

        As in the dense evaluation; many rows that change at once are left to be computed when they are read.
        """
        start = time.perf_counter()
        if problem.bare_structure != self.problem.bare_structure:
            return super().update(problem, changed)
        with self._versions.edit(), one_blas_thread(), np.errstate(all="ignore"):
            wired, other = self._nodes, np.zeros(self._chain.shape[:3], bool)
            moved = self._take_up(problem)
            if self._nodes is not wired:  # they name interventions by their places, so also where no cell has moved
                self._chain.lay_out()
                self._by_rows = self._chain.softmax.name, self._chain.mixing.name
                other = self._passes.lay_out()
            named = self._named(changed) | moved
            reached = self._joined(reach(self._nodes, named, super().fetch), moved)
            cells = self._refill(reached)
            edit = Edit(self._chain, self._passes, named, reached, other)
            cells |= edit.carry_out()
            drawn = self._joined(reached, self._opened(moved))
            self._pictures.follow(drawn, other)
        return Recomputed(self._shown(drawn), self._shown(cells), time.perf_counter() - start)

    def _opened(self, moved: Mapping[str, list[Box]]) -> dict[str, list[Box]]:
        """Cells behind the mask that count as open or closed otherwise, since weights or masked scores are by hand."""
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
        """Rows of a kept stage, of one or more items, as many as may be held in float64."""
        if len(node.shape) < 3:
            yield box
            return
        width = max(indices.count(box[2:]), self.problem.queries.shape[-1])
        rows = max(1, min(PROJECTED // width, box[1].stop - box[1].start))
        items = max(1, PROJECTED // (rows * width))
        for first in range(box[0].start, box[0].stop, items):
            for low in range(box[1].start, box[1].stop, rows):
                some = slice(first, min(first + items, box[0].stop)), slice(low, min(low + rows, box[1].stop))
                yield (*some, box[2])

    # --- pictures --------------------------------------------------------------------------------
    def pooled(
        self,
        stage: str,
        batch: int,
        head: int | None,
        rows: int,
        columns: int,
        part: tuple[slice, slice] | None = None,
    ) -> tuple[Array, Array | None]:
        """(values, allowed) of a picture of a stage in rows × columns blocks, or of a part of its blocks.

        Of each block the value of largest magnitude over allowed cells, sign kept; NaN wins, so that it is seen.
        `allowed` (blocks with an open cell) only behind the mask. The blocks of maps looked at last are kept.
        """
        return self._pictures.pooled(stage, batch, head, rows, columns, part)

    def pooled_at(
        self, stage: str, batch: int, head: int, down: Array, across: Array
    ) -> tuple[Array, Array | None] | None:
        """`pooled` over blocks of a map whose edges are given, kept nowhere; None where `block` has to do it."""
        return self._pictures.window(stage, batch, head, down, across) if self.is_map(stage) else None

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether cells of these rows can be read without computing whole rows of weights."""
        return bool(self._rows_behind(stage, batch, head, rows).all())

    def _rows_behind(self, stage: str, batch: int, head: int | None, rows: slice) -> Array:
        """Known rows among the rows of weights behind some rows of a stage, as booleans."""
        entry = self.node(stage).stage
        if entry.input_side or stage in self._chain.maps:
            return np.ones(0, bool)
        alone = entry.per_head and head is not None
        return np.asarray(self._passes.rows.known[batch, head if alone else slice(None), rows])

    def pooled_once(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice
    ) -> tuple[Array, Array | None]:
        """Pool some rows of blocks as `pooled` does, with nothing kept: for a large picture that is made bit by bit."""
        return self._pictures.pooled_once(stage, batch, head, rows, columns, part)

    def is_map(self, stage: str) -> bool:
        """Whether a stage has both a query and a key axis."""
        return stage == self.weights or stage in self._chain.maps

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Cells of maps that have to be computed before `pooled` in so many columns can show these rows.

        Those of wide heads count several times, as each takes so much longer.
        """
        known = self._rows_behind(stage, batch, head, rows)
        cells = (known.size - int(np.count_nonzero(known))) * self.problem.m
        if self.is_map(stage):
            cells += self._pictures.lacking(stage, batch, head or 0, rows, columns)
        return cells * self._passes.cell_cost

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """−Σ a·log a of rows of weights in nats; −1 for a row that sees no key."""
        return entropies(self, self._chain, self._passes, batch, head, rows)
