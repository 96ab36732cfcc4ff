"""The evaluation for a few rows of the maps, however long the sequence: solving and verifying work on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.graph import indices
from attn_gui.engine.problem.problem import Problem

from .dense import Evaluation, Recomputed

REMEMBERED = 1 << 22  # cells of a stage: so large a part is remembered until another one is read


def heads_of(node: Node, box: Box) -> list[Box]:
    """A box of a stage with heads as one box a head, where all of them together read more than may be held."""
    if len(box) < 4 or sum(indices.count(part) for part in node.needs(box)[1] if part) <= REMEMBERED:
        return [box]
    return [(box[0], slice(head, head + 1), *box[2:]) for head in range(box[1].start, box[1].stop)]


class RowwiseEvaluation(Evaluation):
    """Keeps K and V in float64; of all else it computes the cells that are read, and remembers the last ones.

    Each stage reads those before it: were nothing remembered, every stage of a row would begin at the scores again.
    """

    def _build(self, problem: Problem) -> None:
        self._last: dict[str, tuple[Box, Array]] = {}
        super()._build(problem)

    def _kept(self, node: Node) -> bool:
        return node.stage.input_side and node.stage.by_key

    def fetch(self, name: str, box: Box) -> Array:
        """The numbers of a box of any stage or source, as float64 (or booleans), kept or computed on the spot."""
        if name in self._sources or (name in self._arrays and self._arrays[name].dtype == np.float64):
            return super().fetch(name, box)
        if name not in self._last or not indices.contains(self._last[name][0], box):
            part = self._part(name, box)
            if part[1].size > REMEMBERED:
                return part[1][indices.within(box, part[0])]
            self._last[name] = part
        outer, array = self._last[name]
        return array[indices.within(box, outer)]

    def _part(self, name: str, box: Box) -> tuple[Box, Array]:
        if name in self._arrays:
            return box, super().fetch(name, box)
        node = self._by_name[name]
        if len(by_head := heads_of(node, box)) > 1:
            return box, np.concatenate([self.fetch(name, one) for one in by_head], axis=1)
        return node.compute(box, self.fetch)

    def update(self, problem: Problem, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Update as the dense evaluation does."""
        self._last.clear()
        try:
            return super().update(problem, changed)
        finally:
            self._last.clear()  # what was read on the way may be older than the last of what has changed
