"""Bounds of rounding: how far two computations of a cell may lie apart, by a running error analysis of the chain.

Every stage rounds its own result (`Stage.rounding`) and hands on what its inputs have gathered (Wilkinson, 1963;
Higham, "Accuracy and Stability of Numerical Algorithms", 2002, §3). Bounds are first order, in units of 2^−52, for
both computations at once. Of a long problem in float32 the sums over keys are made in float32, from the scores on: what
their bounds have gathered counts in units of 2^−23 there.
"""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.chain.symbols import plain_name
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.rowwise import heads_of
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import UNIT


class Rounding:
    """Bounds for the cells of an evaluation, computed where they are asked for."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._nodes = {node.name: node for node in evaluation.nodes}
        self._sums = evaluation.computed(evaluation.mixed) if evaluation.mixed in evaluation.stages else ""
        self._unit = float(np.finfo(evaluation.problem.dtype).eps) / UNIT if evaluation.in_dtype else 1.0
        self._whole: dict[str, Array] = {}
        self._last: dict[str, tuple[Box, Array]] = {}  # each stage reads those before it

    def bound(self, stage: str, box: Box) -> Array:
        """The largest difference that rounding explains for each cell of a box, the final one to the dtype included."""
        dtype = np.finfo(self._evaluation.problem.dtype)
        with np.errstate(all="ignore"):
            found = self.fetch(stage, box) * UNIT
            if dtype.bits < 64:
                found = found + np.abs(self._evaluation.fetch(stage, box)) * float(dtype.eps)
            return np.where(np.isnan(found), np.inf, found + 4 * float(dtype.smallest_subnormal))

    def fetch(self, name: str, box: Box) -> Array:
        """The bounds of a box in units; what is given is exact."""
        node = self._nodes.get(name)
        if name == "scale" and self._evaluation.problem.scale is None:  # a root of d_k, and one over it
            return 2 * np.abs(self._evaluation.fetch(name, box))
        if node is None or node.stage.boolean or self._helps(node) or self._given(node):
            return np.broadcast_to(0.0, indices.shape_of(box))
        if not node.left.startswith("bj"):
            if name not in self._last or self._last[name][0] != box:
                parts = [self._compute(node, one) for one in heads_of(node, box)]
                self._last[name] = box, np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
            return self._last[name][1]
        if name not in self._whole:  # every row reads all of K and V again
            self._whole[name] = self._compute(node, indices.whole(node.shape))
        return self._whole[name][box]

    def _helps(self, node: Node) -> bool:
        return node.stage.hidden and plain_name(node.name) not in self._evaluation.stages

    def _given(self, node: Node) -> bool:
        return node.stage.alias and node.inputs[0].name in self._evaluation.sources

    def _compute(self, node: Node, box: Box) -> Array:
        found = node.bound(box, self._evaluation.fetch, self.fetch)
        return found * self._unit if node.name == self._sums else found
