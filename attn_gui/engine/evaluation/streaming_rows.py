"""Passes over rows of long maps: which are known, which are computed on demand, in which pieces; their entropies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import BLIND, row_entropy
from attn_gui.engine.evaluation.pooling import largest, reduced
from attn_gui.engine.evaluation.streaming_kernels import DotKernel, StageKernel, TileKernels
from attn_gui.engine.evaluation.streaming_states import EditLock, HeadCopy, RowSums, SoftmaxRows, with_sink
from attn_gui.engine.evaluation.threads import carry_out, share
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.scores import SCORES

Job = tuple[int, int, int]  # batch, head, tile
CountProgress = Callable[[int, int], None] | None

TILE_ROWS, LONG_TILE_ROWS = 256, 64  # rows of a tile; of a tile of long rows
LONG_ROW = 1 << 14  # how many cells a long row costs
USUAL = 128  # columns of K and V together that a cell of a map is multiplied with; where there are more it costs more
POINTED_ROWS = 2  # rows that somebody points at, of which a whole tile would take too long
KEYS = 1 << 12  # keys whose logits are computed in float64 at a time: so many stay in a processor's cache
WIDE = 1 << 20  # bytes of scores that a thread holds

BLOCK_ROWS, BLOCK_CELLS = 128, 1 << 18  # rows that are computed together, and cells of their map that a thread holds
# An edit of so small a part of the map is followed at once, of a larger one row by row when it is asked for.
SMALL_PART = 32

# Rows that a thread takes, and cells of their map that it holds; one that takes more gives way to a window later.
ENTROPY_ROWS, ENTROPY_CELLS = 64, 1 << 18
NO_WEIGHT = 800  # e to minus this is 0 in float64, too, and so is its product with it


class InterventionRows:
    """Rows with interventions, as flags (batch, head, query): of `logits`, of `weights`, and `any` of the two.

    Of rows in `any` the result itself is kept, since their weights need not sum to 1. Without a softmax all rows are
    among them.
    """

    def __init__(self, evaluation: DenseEvaluation, kernels: TileKernels) -> None:
        self._evaluation, self._kernels = evaluation, kernels
        self.logits, self.weights = np.zeros(kernels.shape[:3], bool), np.zeros(kernels.shape[:3], bool)
        self.lay_out()

    def lay_out(self) -> Array:
        """Read the present interventions; return flags of rows that have gained or lost all of theirs."""
        before = self.logits | self.weights
        self.logits, self.weights = np.zeros_like(before), np.zeros_like(before)
        for node in self._evaluation.nodes:
            if isinstance(node, InterventionNode) and node.stage.square:
                flags = self.weights if node.name == self._kernels.weights else self.logits
                for step in node.steps:
                    flags[step.box[:3]] = True
        if not self._kernels.normalizer.elementary:
            self.weights[:] = True
        self.any = self.logits | self.weights
        return np.asarray(self.any != before)

    def runs(self, batch: int, head: int, rows: slice) -> list[slice]:
        """Return runs of rows with interventions among some rows of a head, counted from the first of these."""
        return [slice(low, high) for low, high in indices.runs(self.any[batch, head, rows])]

    def patched(self, stage: str, place: Box, values: Array, allowed: Array | None) -> tuple[Array, Array | None]:
        """Return a map of one head, keys as rows, whose rows with interventions are those of the stages."""
        batch, head, rows = place[0].start, place[1].start, place[2]
        found = self.runs(batch, head, rows)
        if not found:
            return values, allowed
        values = np.array(values)
        allowed = None if allowed is None else np.array(np.broadcast_to(allowed, values.shape))
        for run in found:
            part = (*place[:2], slice(rows.start + run.start, rows.start + run.stop), place[3])
            values[:, run] = self._evaluation.fetch(stage, part)[0, 0].T
            if allowed is not None:
                allowed[:, run] = self._evaluation.fetch(str(self._evaluation.mask), part)[0, 0].T
        return values, allowed

    def draw(self, flags: Array, picture: Array, place: tuple[int, int], down: Array, across: Array) -> None:
        """Add flagged rows of weights to a picture of blocks (edges `down`, `across`) pooled without them."""
        rows, (batch, head) = flags[int(down[0]) : int(down[-1])], place
        keys = slice(int(across[0]), int(across[-1]))
        for row in (np.flatnonzero(rows) + int(down[0])).tolist():
            cells = self._evaluation.block(self._kernels.weights, batch, head, slice(row, row + 1), keys).T
            high, low = (reduced(ufunc, cells, across - across[0])[:, 0] for ufunc in (np.maximum, np.minimum))
            line = picture[int(np.searchsorted(down, row, "right")) - 1]
            np.copyto(line, largest(np.maximum(line, high), np.minimum(line, low)))


# --- passes ---------------------------------------------------------------------------------------
class RowPasses:
    """The rows of one evaluation and the kernels that compute them."""

    def __init__(
        self,
        evaluation: DenseEvaluation,
        kernels: TileKernels,
        edit_lock: EditLock,
        step: int | None,
        chunk: int | None,
    ) -> None:
        self._evaluation, self._kernels, self._edit_lock = evaluation, kernels, edit_lock
        self.moved: frozenset[str] = frozenset()  # kept stages of which edits have recomputed parts
        batch, heads, n, m = kernels.shape
        problem = evaluation.problem
        self.values = HeadCopy(evaluation.held(kernels.value), problem.num_kv_heads)
        self.keys = HeadCopy(evaluation.held(kernels.key), problem.num_kv_heads) if kernels.key is not None else None
        widths = self.values.width + (self.keys.width if self.keys is not None else 0)
        self.cell_cost: int = max(1, widths // USUAL)  # of a map, in such cells of usual width
        self.row_cost: int = m * self.cell_cost
        step = step or (LONG_TILE_ROWS if self.row_cost >= LONG_ROW else TILE_ROWS)
        dtype = self.values.cells.dtype
        chunk = chunk or max(256, WIDE // (step * dtype.itemsize))
        self.rows = RowSums((batch, heads, n), self.values.width, dtype, step)
        self.hand = InterventionRows(evaluation, kernels)
        self.rows.by_hand = self.hand.any
        self.layers = {
            ref.name: np.array(self._cells(ref.name))
            for ref in (*kernels.added, *kernels.gates)
            if not kernels.has_rows(ref) and evaluation.sources[ref.name].field.count(".") == 2
        }
        self.slow = StageKernel(kernels, self.keys, self.values, self.layers)
        self.fast = None
        if SCORES[problem.score].dot and self.keys is not None and evaluation.elementary_stages:
            self.fast = DotKernel(kernels, evaluation, self.keys, self.values, self.layers, chunk)

    def _cells(self, name: str) -> Array:
        cells = self._evaluation.sources[name].cells
        return np.asarray(cells[indices.whole(cells.shape)])

    # --- own copies ------------------------------------------------------------------------------
    def need(self, batch: int, group: int) -> None:
        """Copy a K/V head before it is first used: a long problem opens without waiting for all of them."""
        if self.values.ready[batch, group]:
            return
        with self._edit_lock.lock:
            if self.values.ready[batch, group]:
                return
            if self.keys is not None:
                self.keys.begin(self._evaluation.held(str(self._kernels.key)), batch, group)
            if self.fast is not None:
                self.fast.raise_bound(batch, group, slice(0, self._kernels.shape[3]))
            self.values.begin(self._evaluation.held(self._kernels.value), batch, group)

    def renew(self, name: str) -> None:
        """Copy the present cells of a layer."""
        self.layers[name] = np.array(self._cells(name))

    def follow_keys(self, batch: int, group: int, rows: slice) -> None:
        """Copy the present rows of K; where its bound grew, rows that use it may differ in their last bits."""
        assert self.keys is not None
        self.keys.follow(self._evaluation.held(str(self._kernels.key)), batch, group, rows)
        if self.fast is not None and self.fast.raise_bound(batch, group, rows):
            self._mark_group(batch, group)

    def follow_values(self, batch: int, group: int, rows: slice) -> None:
        """Copy the present rows of V."""
        self.values.follow(self._evaluation.held(self._kernels.value), batch, group, rows)

    # --- a tile ----------------------------------------------------------------------------------
    def computed(self, batch: int, head: int, rows: slice) -> SoftmaxRows:
        """Compute rows, kept or not; those with interventions by the stages."""
        self.need(batch, head // self._kernels.group)
        if self.hand.any[batch, head, rows].all():
            return self._by_hand(batch, head, rows)
        tile = with_sink(self._of_keys(batch, head, rows), self._kernels.sink(head), self._kernels.temperature)
        for run in self.hand.runs(batch, head, rows):
            tile.replace(run, self._by_hand(batch, head, slice(rows.start + run.start, rows.start + run.stop)))
        return tile

    def _by_hand(self, batch: int, head: int, rows: slice) -> SoftmaxRows:
        """Compute rows with interventions; where only weights have any, the fast kernel gives their logits."""
        quick = self.fast is not None and not self.hand.logits[batch, head, rows].any()
        tile = self.slow.by_hand(batch, head, rows, self.fast.columns if quick and self.fast is not None else None)
        return with_sink(tile, self._kernels.sink(head), self._kernels.temperature, by_hand=True)

    def _of_keys(self, batch: int, head: int, rows: slice) -> SoftmaxRows:
        """Compute rows without the sink: by the fast kernel, and by the stages those that it cannot trust."""
        if self.fast is None:
            return self.slow.tile(batch, head, rows)
        lost, unsure = self.fast.judged(batch, head, rows)
        if lost.all():
            return SoftmaxRows.filled(len(lost), self.values.width, self.values.cells.dtype, np.nan)
        tile = self.fast.tile(batch, head, rows)
        tile.row_max[lost], tile.denominator[lost], tile.numerator[lost] = np.nan, np.nan, np.nan
        for run in runs((unsure | ~np.isfinite(tile.denominator)) & ~lost):
            tile.replace(run, self.slow.tile(batch, head, slice(rows.start + run.start, rows.start + run.stop)))
        return tile

    def whole_weights(self, box: Box) -> Array:
        """Return whole rows of weights before interventions, by the stages, in float64 throughout."""
        found = np.empty(indices.shape_of(box))
        for batch, head in np.ndindex(*found.shape[:2]):
            place = (*indices.cell((box[0].start + batch, box[1].start + head)), box[2])
            self.need(place[0].start, place[1].start // self._kernels.group)
            for keys in indices.in_parts(slice(0, found.shape[3]), KEYS):
                found[batch, head, :, keys] = self.slow.columns((*place, keys), self.layers)
            logits = found[batch : batch + 1, head : head + 1]
            logits[...] = self._kernels.shares((*place, box[3]), logits)
        return found

    def transposed(self, stage: str, place: Box) -> tuple[Array, Array | None]:
        """Return (values, allowed) of a map of one head, keys as rows; `allowed` for the masked scores alone."""
        self.need(place[0].start, place[1].start // self._kernels.group)
        mask = self._kernels.mask
        closing = mask is not None and stage == self._evaluation.part(Role.CLOSE)
        if self.fast is not None:
            values = self.fast.transposed(stage, place)
        else:
            before = mask.inputs[0].name if mask is not None and closing and self._kernels.added else stage
            values = np.ascontiguousarray(self._evaluation.fetch(before, place)[0, 0].T)
        allowed = self._kernels.allowed(place) if closing else None
        return self.hand.patched(stage, place, values, None if allowed is None else allowed.T)

    def lay_out(self) -> Array:
        """Read the present interventions; return flags of rows whose kept form changes: sums, or the result itself."""
        if self.moved:  # under other names, perhaps
            kept = [node for node in self._evaluation.nodes if node.stage.input_side and not node.stage.alias]
            self.moved = frozenset(node.name for node in kept)
        other = self.hand.lay_out()
        self.rows.by_hand = self.hand.any
        return other

    def redo(self, batch: int, head: int, rows: slice) -> None:
        """Compute a few rows at once, for an edit; the caller holds the lock."""
        self.rows.put(batch, head, rows, self.computed(batch, head, rows))
        self.rows.mark_dirty(batch, head, rows)

    # --- many tiles ------------------------------------------------------------------------------
    def ensure(self, rows: Box) -> None:
        """Compute the unknown rows of a box, again after an edit; a few long rows without their tile."""
        known = self.rows.known
        if rows[2].stop - rows[2].start <= POINTED_ROWS and self.row_cost >= LONG_ROW:
            with self._edit_lock.lock, np.errstate(all="ignore"):
                for batch, head, row in np.argwhere(~known[rows]).tolist():
                    low = rows[2].start + row
                    self.redo(rows[0].start + batch, rows[1].start + head, slice(low, low + 1))
        while not known[rows].all():
            self._run(
                [
                    (batch, head, tile)
                    for batch in range(rows[0].start, rows[0].stop)
                    for head in range(rows[1].start, rows[1].stop)
                    for tile in self.rows.tiles(rows[2])
                    if not known[batch, head, self._within(rows[2], tile)].all()
                ],
                None,
                bool,
            )

    def _within(self, rows: slice, number: int) -> slice:
        tile = self.rows.tile(number)
        return slice(max(rows.start, tile.start), min(rows.stop, tile.stop))

    def complete(
        self, heads: Sequence[tuple[int, int]] | None, progress: CountProgress, cancelled: Callable[[], bool]
    ) -> bool:
        """Compute unknown rows until none is left, also of those that edits forget; False if cancelled."""
        pairs = list(np.ndindex(*self._kernels.shape[:2])) if heads is None else heads
        while jobs := list(self._unknown(pairs)):
            if cancelled() or not self._run(jobs, progress, cancelled):
                return False
        return True

    def _unknown(self, pairs: Sequence[tuple[int, ...]]) -> Iterator[Job]:
        for batch, head in pairs:
            for tile in range(self.rows.dirty.shape[2]):
                if not self.rows.known[batch, head, self.rows.tile(tile)].all():
                    yield batch, head, tile

    def settle(self, cancelled: Callable[[], bool]) -> bool:
        """Compute again, as a fresh evaluation would, all known rows that edits have updated; False if cancelled."""
        with np.errstate(all="ignore"):
            if not self._edit_lock.beside(lambda: self._evaluation.anew(self.moved), self._take_over, cancelled):
                return False
        return self._run(self._dirty_tiles(), None, cancelled) and not self.rows.dirty.any() and not self.moved

    def _take_over(self, fresh: Mapping[str, Array]) -> None:
        """Write kept stages and bounds of K as a fresh evaluation has them: an edit that changes last digits."""
        with self._edit_lock.edit():
            self._take_stages(fresh)
            self.moved = frozenset()
            for batch, group in self.fast.measure() if self.fast is not None else ():
                self._mark_group(batch, group)

    def _take_stages(self, fresh: Mapping[str, Array]) -> None:
        """Overwrite kept stages as a whole, and mark the rows that read cells whose bits changed."""
        for name, array in fresh.items():
            held = self._evaluation.held(name)
            other = (held != array) & ~(np.isnan(held) & np.isnan(array))
            np.copyto(held, array)
            if name in (self._kernels.key, self._kernels.value) and other.any():
                self.rows.dirty[:] = True
            elif name == self._kernels.query:
                for batch, row in np.argwhere(other.any(axis=-1)).tolist():
                    self.rows.dirty[batch, :, row // self.rows.step] = True
        if fresh:
            self.copy_all()

    def _mark_group(self, batch: int, group: int) -> None:
        """Mark all rows that use the bound of a K/V head: their last bits change with it."""
        self.rows.dirty[batch, group * self._kernels.group : (group + 1) * self._kernels.group] = True

    def _dirty_tiles(self) -> list[Job]:
        """Return dirty tiles that hold a known row, and mark the others clean."""
        jobs = []
        with self._edit_lock.lock:
            for batch, head, tile in np.argwhere(self.rows.dirty).tolist():
                known = bool(self.rows.known[batch, head, self.rows.tile(tile)].any())
                self.rows.dirty[batch, head, tile] = known
                if known:
                    jobs.append((batch, head, tile))
        return jobs

    def copy_all(self) -> None:
        """Copy the present K and V as a whole."""
        for copy, name in ((self.keys, self._kernels.key), (self.values, self._kernels.value)):
            if copy is not None and name is not None:
                copy.follow_all(self._evaluation.held(name))

    def _run(self, jobs: Sequence[Job], progress: CountProgress, cancelled: Callable[[], bool]) -> bool:
        return carry_out(jobs, self._put, progress, cancelled)

    def _put(self, job: Job) -> bool:
        """Compute one tile and keep it unless an edit came in between; return whether it was kept."""
        batch, head, number = job
        rows = self.rows.tile(number)

        def keep(tile: SoftmaxRows) -> None:
            self.rows.put(batch, head, rows, tile)
            self.rows.dirty[batch, head, number] = False

        with np.errstate(all="ignore"):
            return self._edit_lock.beside(lambda: self.computed(batch, head, rows), keep)


def runs(flags: Array, most: int = 16) -> list[slice]:
    """Return the runs of True in a row of flags; the one slice around them where there are more than `most`."""
    found = [slice(low, high) for low, high in indices.runs(flags)]
    return found if len(found) <= most else [slice(found[0].start, found[-1].stop)]


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
        if SMALL_PART * (rows.stop - rows.start) * (last - first) > self.high.size:
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
            found[part.start - rows.start : part.stop - rows.start] = _of_rows(kernels, passes, batch, head, part)

    share(list(indices.in_parts(rows, ENTROPY_ROWS)), work)
    lost = np.isnan(passes.rows.denominator[batch, head, rows])  # weights of NaN: whatever is computed, it is NaN
    found[lost] = np.nan
    unsure = ~lost & (~np.isfinite(found) | passes.rows.overflow_risk(place, kernels.temperature)[0, 0])
    unsure |= passes.hand.weights[batch, head, rows]
    for row in (rows.start + np.flatnonzero(unsure)).tolist():
        weights = evaluation.block(evaluation.weights, batch, head, slice(row, row + 1), slice(0, kernels.shape[3]))
        found[row - rows.start] = row_entropy(weights)[0] if (weights != 0).any() else BLIND
    return found


def _of_rows(kernels: TileKernels, passes: RowPasses, batch: int, head: int, rows: slice) -> Array:
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
