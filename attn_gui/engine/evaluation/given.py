"""The evaluation of long maps that are given: they are read where they lie, and never copied."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.evaluation.derived.strips import AT_ONCE, PooledByStrips
from attn_gui.engine.evaluation.metrics import BLIND, row_entropy


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
