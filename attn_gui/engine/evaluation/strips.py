"""Evaluations of maps that are read and never kept: pooled strip by strip."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.pooling import Picture, block_edges, pool_parts
from attn_gui.engine.evaluation.readout import BLIND, row_entropy
from attn_gui.engine.graph.nodes import Node

# --- strips ---------------------------------------------------------------------------------------


AT_ONCE = 1 << 20  # cells of a map that are read at a time
Part = tuple[slice, slice] | None


class PooledByStrips(Evaluation):
    """An evaluation that holds no maps: a block's largest number is found from its cells."""

    # --- pictures --------------------------------------------------------------------------------
    def pooled(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: Part = None) -> Picture:
        """(values, allowed) of a picture of a stage in rows × columns blocks, or of a part of its blocks.

        Of each block the number of largest magnitude over open cells, sign kept; NaN wins.
        """
        height, width = self._lengths(stage, head)
        down, across = block_edges(height, rows), block_edges(width, columns)
        if part is not None:
            down, across = down[part[0].start : part[0].stop + 1], across[part[1].start : part[1].stop + 1]
        return self._pooled(stage, batch, head, down, across)

    def pooled_once(self, stage: str, batch: int, head: int | None, rows: int, columns: int, part: slice) -> Picture:
        """Pool some rows of blocks as `pooled` does, which keeps nothing either."""
        return self.pooled(stage, batch, head, rows, columns, (part, slice(0, columns)))

    def pooled_at(self, stage: str, batch: int, head: int, down: Array, across: Array) -> Picture | None:
        """`pooled` over blocks of a map whose edges are given."""
        return self._pooled(stage, batch, head, down, across) if self.is_map(stage) else None

    def _pooled(self, stage: str, batch: int, head: int | None, down: Array, across: Array) -> Picture:
        entry = self.node(stage).stage
        own = head if entry.per_head else None
        masked = entry.behind_mask and (own is not None or not entry.per_head)

        def block(rows: slice, columns: slice) -> Picture:
            values = self.block(stage, batch, head, rows, columns)
            return values, self.allowed(batch, own, rows, columns) if masked else None

        return pool_parts(block, down, across, AT_ONCE)

    def _lengths(self, stage: str, head: int | None) -> tuple[int, int]:
        """Rows and columns of what is shown of a stage for a head."""
        *_, rows, columns = self.shape(stage)
        if head is None or self.node(stage).stage.per_head:
            return rows, columns
        mine = self.head_columns(stage, head)
        return rows, mine.stop - mine.start

    def is_map(self, stage: str) -> bool:
        """Whether a stage has both a query and a key axis."""
        return self.node(stage).stage.square


# --- given weights --------------------------------------------------------------------------------
# The evaluation of long maps that are given: they are read where they lie, and never copied.


class GivenEvaluation(PooledByStrips):
    """Keeps what the given weights mix, and of the maps themselves nothing beside the problem's own array."""

    def _kept(self, node: Node) -> bool:
        return not node.stage.square and super()._kept(node)

    def _tiles(self, node: Node, box: Box) -> Iterator[Box]:
        """Rows of one head at a time where whole rows of a map are read for them."""
        if not node.stage.per_head:
            yield box
            return
        step = max(1, AT_ONCE // self.problem.m)
        for item in range(box[0].start, box[0].stop):
            for head in range(box[1].start, box[1].stop):
                for low in range(box[2].start, box[2].stop, step):
                    rows = slice(low, min(low + step, box[2].stop))
                    yield slice(item, item + 1), slice(head, head + 1), rows, box[3]

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Cells of maps that have to be computed before a picture can show these rows: none, as they are given."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether cells of these rows can be read without computing whole rows of weights."""
        return True

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """−Σ a·log a of rows of weights in nats; BLIND for a row without any."""
        found, step = np.empty(rows.stop - rows.start), max(1, AT_ONCE // self.problem.m)
        for low in range(rows.start, rows.stop, step):
            part = slice(low, min(low + step, rows.stop))
            weights = self.block(self.weights, batch, head, part, slice(0, self.problem.m)).astype(np.float64)
            with np.errstate(all="ignore"):
                mine = np.where((weights != 0).any(axis=1), row_entropy(weights), BLIND)
            found[low - rows.start : part.stop - rows.start] = mine
        return found
