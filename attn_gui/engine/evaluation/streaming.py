"""Pictures of stages in few blocks: of each block the value of largest magnitude, sign kept, NaN before all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.pooling import block_edges, largest, pool_blocks, reduced
from attn_gui.engine.evaluation.streaming.edits.versions import Versions
from attn_gui.engine.evaluation.streaming.score_chain import Chain
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.facts import Role

from .blocks import Blocks
from .passes import Passes

Part = tuple[slice, slice] | None
ROWS = 512  # rows of a picture's blocks that are turned into weights at a time
FEW = 64  # so many rows of a head's weights are looked at one by one for a picture
COARSE = 1 << 13  # times T: next to so large a logit float32 has no digits left for the differences of its row
SHARE = 8  # blocks that are kept take this share of what the weights would
LEAST, MOST = 1 << 24, 1 << 29  # but so many bytes in any case, as a short map may be wide to compute, and no more
Watched = tuple[str, int, int, int]  # stage, batch, head, columns


class Pictures:
    """Keeps the blocks of the maps looked at last. Every map before softmax is a rising function of one of two or
    three, and a block's largest weight is where its largest logit is: so few extremes serve all pictures."""

    def __init__(self, evaluation: Evaluation, chain: Chain, passes: Passes, versions: Versions) -> None:
        self._evaluation, self._chain, self._passes, self._versions = evaluation, chain, passes, versions
        self._blocks: dict[Watched, Blocks] = {}  # those asked for last stand last
        weights = int(np.prod(chain.shape, dtype=object)) * np.dtype(evaluation.problem.dtype).itemsize
        self._weights_name = evaluation.weights
        self._risen = {evaluation.part(Role.SCALE), evaluation.part(Role.CAP)}  # rising functions of the scores alone
        self._room = min(MOST, max(LEAST, weights // SHARE))

    # --- asking ----------------------------------------------------------------------------------
    def pooled(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part
    ) -> tuple[Array, Array | None]:
        """(values, allowed) of the blocks in `part` of a picture of rows × columns blocks."""
        if stage not in self._chain.maps and stage != self._weights_name:
            return self._direct(stage, batch, head, rows, columns, part), None
        assert head is not None
        across = slice(0, len(block_edges(self._chain.shape[3], columns)) - 1) if part is None else part[1]
        down = block_edges(self._chain.shape[2], rows)
        down = down if part is None else down[part[0].start : part[0].stop + 1]
        served = self._served(stage, batch, head, down)
        return self._drawn(stage, served, self._of(served, batch, head, columns), batch, head, down, across)

    def pooled_once(
        self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice
    ) -> tuple[Array, Array | None]:
        """Pool as `pooled` does, for some rows of blocks, of extremes that are made for it and not kept."""
        if stage not in self._chain.maps and stage != self._weights_name:
            return self._direct(stage, batch, head, rows, columns, (part, slice(0, columns))), None
        assert head is not None
        down = block_edges(self._chain.shape[2], rows)[part.start : part.stop + 1]
        return self._once(stage, batch, head, down, block_edges(self._chain.shape[3], columns))

    def window(
        self, stage: str, batch: int, head: int, down: Array, across: Array
    ) -> tuple[Array, Array | None] | None:
        """(values, allowed) of blocks with these edges, anywhere in a map; None where scores are too large for it."""
        if stage == self._weights_name:
            place = (*indices.cell((batch, head)), slice(int(down[0]), int(down[-1])))
            self._passes.ensure(place)
            if self._passes.rows.overflow_risk(place, self._chain.temperature).any():
                return None
        return self._once(stage, batch, head, down, across)

    def _once(self, stage: str, batch: int, head: int, down: Array, across: Array) -> tuple[Array, Array | None]:
        served = self._served(stage, batch, head, down)
        blocks = self._made(served, batch, head, across, slice(int(down[0]), int(down[-1])))
        return self._drawn(stage, served, blocks, batch, head, down, slice(0, len(across) - 1))

    def _drawn(
        self, stage: str, served: str, blocks: Blocks, batch: int, head: int, down: Array, across: slice
    ) -> tuple[Array, Array | None]:
        """(values, allowed) of a part of a picture, from blocks of `served`; `down` are the edges of its rows."""
        inside = down - blocks.first
        here = slice(int(inside[0]), int(inside[-1]))
        with np.errstate(all="ignore"):
            blocks.ensure(here)
            if stage == self._weights_name:
                self._passes.ensure((*indices.cell((batch, head)), slice(int(down[0]), int(down[-1]))))
            with self._versions.lock:
                values = self._picture(stage, served, blocks, batch, head, inside, across)
                allowed = None
                if blocks.open is not None and self._evaluation.node(stage).stage.behind_mask:
                    allowed = reduced(np.logical_or, blocks.open[here, across], inside - here.start)
        return values.astype(self._evaluation.problem.dtype, copy=False), allowed

    def follow(self, reached: Mapping[str, Sequence[Box]], other: Array) -> None:
        """Forget what an edit has changed; `other` rows are read in another way now. The caller holds the lock."""
        for (name, batch, head, _), blocks in self._blocks.items():
            for low, high in indices.runs(other[batch, head]):
                blocks.mark_patched(slice(low, high))
            for box in reached.get(name, ()):
                if indices.meet(box[:2], indices.cell((batch, head))) is not None:
                    blocks.forget(box[2], box[3])

    def settle(self, cancelled: Callable[[], bool]) -> bool:
        """Compute again what edits have patched, since a part may differ from the whole in its last bits."""
        return all(blocks.settle(cancelled) for blocks in list(self._blocks.values()))

    @property
    def patched(self) -> bool:
        """Whether edits have patched any block."""
        return any(blocks.patched.any() for blocks in list(self._blocks.values()))

    def lacking(self, stage: str, batch: int, head: int, rows: slice, columns: int) -> int:
        """Cells of the map that have to be computed before a picture of these rows can be shown."""
        with self._versions.lock:
            blocks = self._blocks.get(
                (self._serving(stage, batch, head), batch, head, min(columns, self._chain.shape[3]))
            )
            unseen = (rows.stop - rows.start) * self._chain.shape[3]
            return unseen if blocks is None else blocks.lacking(rows)

    # --- which blocks ----------------------------------------------------------------------------
    def _of(self, served: str, batch: int, head: int, columns: int) -> Blocks:
        """The blocks of a map; of the others those looked at last are kept, as far as there is room."""
        with self._versions.lock:
            key = (served, batch, head, min(columns, self._chain.shape[3]))
            n, m = self._chain.shape[2:]
            found = self._blocks.pop(key, None) or self._made(*key[:3], block_edges(m, columns), slice(0, n))
            self._blocks[key] = found
            room = self._room
            for other in list(self._blocks)[-2::-1]:
                room -= self._blocks[other].bytes
                if room < 0:
                    del self._blocks[other]
            return found

    def _served(self, stage: str, batch: int, head: int, down: Array) -> str:
        """The map whose blocks serve a stage; rows of weights are known first, as these may be too large for others."""
        if stage == self._weights_name:
            self._passes.ensure((*indices.cell((batch, head)), slice(int(down[0]), int(down[-1]))))
        return self._serving(stage, batch, head)

    def _serving(self, stage: str, batch: int, head: int) -> str:
        """The map whose blocks serve a stage: of weights in many rows that logits do not tell their own."""
        own = stage == self._weights_name and int(np.count_nonzero(self._apart(batch, head))) > FEW
        return stage if own else self._logits_serving(stage)

    def _apart(self, batch: int, head: int) -> Array:
        """Flags of the rows of weights that are read one by one: by hand, or coarse in float32 as far as is known."""
        state, by_hand = self._passes.rows, np.asarray(self._passes.hand.weights[batch, head])
        if np.dtype(self._evaluation.problem.dtype) != np.float32:
            return by_hand
        denominator = state.denominator[batch, head]
        large = np.abs(state.row_max[batch, head]) > COARSE * self._chain.temperature
        return np.asarray(by_hand | (state.known[batch, head] & large & np.isfinite(denominator) & (denominator != 0)))

    def _logits_serving(self, stage: str) -> str:
        name = self._chain.logits_name if stage == self._weights_name else stage
        shared = self._evaluation.known_by_heart and not self._passes.hand.logits.any()
        return self._evaluation.scores if name in self._risen and shared else name

    def _made(self, name: str, batch: int, head: int, across: Array, part: slice) -> Blocks:
        """The blocks of some rows of a map."""

        def read(rows: slice, keys: slice) -> tuple[Array, Array | None]:
            rows = slice(part.start + rows.start, part.start + rows.stop)
            if name == self._weights_name:
                allowed = self._evaluation.allowed(batch, head, rows, keys)
                values = self._evaluation.block(name, batch, head, rows, keys)
                return np.ascontiguousarray(values.T), None if allowed is None else allowed.T
            return self._passes.transposed(name, (*indices.cell((batch, head)), rows, keys))

        dtype = np.dtype(self._evaluation.problem.dtype)
        masked = name == self._evaluation.part(Role.CLOSE) or (name == self._weights_name and self._evaluation.closes)
        return Blocks(part, across, dtype, masked, self._versions, read)

    # --- from blocks to a picture ----------------------------------------------------------------
    def _picture(
        self, stage: str, served: str, blocks: Blocks, batch: int, head: int, down: Array, across: slice
    ) -> Array:
        if stage == self._weights_name != served:
            return self._weights(blocks, batch, head, down, across)
        cut, inside = slice(int(down[0]), int(down[-1])), down - down[0]
        high = reduced(np.maximum, blocks.high[cut, across], inside)
        low = reduced(np.minimum, blocks.low[cut, across], inside)
        return self._shown(largest(high, low), stage)

    def _shown(self, scores: Array, stage: str) -> Array:
        """Scores as the stage shows them."""
        if stage == self._weights_name or self._logits_serving(stage) == stage:
            return scores
        if stage in self._risen:
            scores = scores * scores.dtype.type(self._chain.scale)
        cap = self._chain.softcap
        capped = cap is not None and stage == self._evaluation.part(Role.CAP)
        return np.asarray(cap * np.tanh(scores / cap) if capped else scores)

    def _weights(self, blocks: Blocks, batch: int, head: int, down: Array, across: slice) -> Array:
        """Logarithms first, since the largest of a block is all that is needed of exp."""
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
        self, blocks: Blocks, rows: slice, across: slice, subtrahends: Sequence[Array], inside: Array
    ) -> Array | None:
        """Log weights, pooled before they are scaled; None unless logits are a positive multiple of the blocks."""
        factor = 1 / self._chain.temperature
        if self._logits_serving(self._weights_name) == self._evaluation.scores:
            factor *= self._chain.scale
        if not factor > 0 or self._chain.softcap is not None or len(subtrahends) > 1:
            return None
        off = (subtrahends[0] / factor).astype(blocks.high.dtype)
        logits = reduced(np.maximum, blocks.high[rows, across] - off[:, None], inside)
        return None if np.isnan(logits).any() else np.asarray(logits * logits.dtype.type(factor))

    def _log_weights_of_all(
        self, blocks: Blocks, rows: slice, across: slice, subtrahends: Sequence[Array], inside: Array
    ) -> Array:
        logits = self._highest(blocks, rows, across)
        for subtrahend in subtrahends:
            logits -= subtrahend.astype(logits.dtype)[:, None]
        if np.isnan(logits).any():
            logits[np.isneginf(blocks.high[rows, across])] = -np.inf
        return reduced(np.maximum, logits, inside)

    def _highest(self, blocks: Blocks, rows: slice, across: slice) -> Array:
        """The largest logit of every block, over T."""
        factor = blocks.high.dtype.type(1 / self._chain.temperature)
        if self._logits_serving(self._weights_name) != self._evaluation.scores:
            return np.asarray(blocks.high[rows, across] * factor)
        high = blocks.high if self._chain.scale >= 0 else blocks.low
        return np.asarray(self._shown(high[rows, across], self._chain.logits_name) * factor)

    def _subtrahends(self, blocks: Blocks, batch: int, head: int, rows: slice) -> list[Array]:
        """Numbers to subtract from a row's logits, over T; of very large scores by the blocks' own arithmetic."""
        state, temperature = self._passes.rows, self._chain.temperature
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
        sink = self._chain.sink(head)  # may be what was taken off, far above all keys
        row_max[risk] = highest if sink is None else np.maximum(highest, sink / temperature)
        return [row_max, log_z]

    # --- stages without keys ---------------------------------------------------------------------
    def _direct(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part) -> Array:
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
