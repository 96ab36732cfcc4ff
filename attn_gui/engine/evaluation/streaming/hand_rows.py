"""Rows of maps in which numbers are changed by hand: the stages themselves compute them, as a whole."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.hand_node import ByHand
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.pooling import largest, reduced
from attn_gui.engine.evaluation.streaming.score_chain import Chain
from attn_gui.engine.graph import indices


class HandRows:
    """Flags (batch, head, query): `logits` of rows that softmax reads, `weights` of its results, `any` of both.

    What is kept of the rows of `any` is the result itself, since its weights need not sum to 1.
    """

    def __init__(self, evaluation: Evaluation, chain: Chain) -> None:
        self._evaluation, self._chain = evaluation, chain
        self.logits, self.weights = np.zeros(chain.shape[:3], bool), np.zeros(chain.shape[:3], bool)
        self.lay_out()

    def lay_out(self) -> Array:
        """Take up the interventions as they are now; the rows (booleans) that were by hand or are, not both."""
        before = self.logits | self.weights
        self.logits, self.weights = np.zeros_like(before), np.zeros_like(before)
        for node in self._evaluation.nodes:
            if isinstance(node, ByHand) and node.stage.square:
                flags = self.weights if node.name == self._chain.weights else self.logits
                for step in node.steps:
                    flags[step.box[:3]] = True
        self.any = self.logits | self.weights
        return np.asarray(self.any != before)

    def runs(self, batch: int, head: int, rows: slice) -> list[slice]:
        """The stretches of such rows among some rows of a head, counted from the first of these."""
        return [slice(low, high) for low, high in indices.runs(self.any[batch, head, rows])]

    def patched(self, stage: str, place: Box, values: Array, allowed: Array | None) -> tuple[Array, Array | None]:
        """A map at a box of one head, keys as rows, with the columns of such rows as the stages have them."""
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
        """Put the flagged rows of weights into a picture whose blocks have these edges, and that leaves them out."""
        rows, (batch, head) = flags[int(down[0]) : int(down[-1])], place
        keys = slice(int(across[0]), int(across[-1]))
        for row in (np.flatnonzero(rows) + int(down[0])).tolist():
            cells = self._evaluation.block(self._chain.weights, batch, head, slice(row, row + 1), keys).T
            high, low = (reduced(ufunc, cells, across - across[0])[:, 0] for ufunc in (np.maximum, np.minimum))
            line = picture[int(np.searchsorted(down, row, "right")) - 1]
            np.copyto(line, largest(np.maximum(line, high), np.minimum(line, low)))
