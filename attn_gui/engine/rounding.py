"""How far two honest computations of the same cell may lie apart: a running error analysis along the chain.

Every stage rounds its own result and hands on what its inputs have gathered (Wilkinson, 1963; Higham, "Accuracy and
Stability of Numerical Algorithms", 2002, §3). Bounds are first order, in units of 2^−52, for both computations at once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from . import indices
from .evaluation import Evaluation
from .graph import Fetch, Node
from .indices import Box
from .layout import Array, align, contract
from .stage import Input, Linear

UNIT = 2.0**-52
ELEMENTARY = 4.0  # exp, tanh, cos and powers are off by a few units in the last place

Rule = Callable[["Rounding", Node, Box], Array]


class Rounding:
    """Bounds for the cells of an evaluation, computed where they are asked for."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._nodes = {node.name: node for node in evaluation.nodes}
        self._whole: dict[str, Array] = {}

    def bound(self, stage: str, box: Box) -> Array:
        """The largest difference that rounding explains, for each cell of a box; that of the dtype included."""
        dtype = np.finfo(self._evaluation.problem.dtype)
        with np.errstate(all="ignore"):
            own = np.abs(self._evaluation.fetch(stage, box))
            found = self.fetch(stage, box) * UNIT
            if dtype.eps > UNIT:
                found = found + own * float(dtype.eps)
            return np.where(np.isnan(found), np.inf, found + float(dtype.smallest_subnormal))

    def fetch(self, name: str, box: Box) -> Array:
        """The bounds of a box in units; what is given is exact."""
        node = self._nodes.get(name)
        if node is None or node.stage.boolean or node.stage.hidden:
            return np.zeros(indices.shape_of(box))
        if node.left.startswith("bj"):  # K and V: read again by every row
            if name not in self._whole:
                self._whole[name] = self._computed(node, indices.whole(node.shape))
            return self._whole[name][box]
        return self._computed(node, box)

    def _computed(self, node: Node, box: Box) -> Array:
        outer = node.needs(box)[0]
        found = RULES.get((node.name, type(node.stage).__name__), RULES.get((node.name, ""), _linear))(self, node, outer)
        lengths = node.needs(outer)[2]
        full = np.broadcast_to(found.reshape(found.shape[: len(node.left)]), [lengths[k] for k in node.left])
        return full.reshape(indices.shape_of(outer))[indices.within(box, outer)]

    def inputs(self, node: Node, box: Box, fetch: Fetch) -> list[Input]:
        """What the stage reads for a box, laid out by letter: numbers, or with `self.fetch` their bounds."""
        _, parts, lengths = node.needs(box)
        return [
            None if part is None else align(fetch(ref.name, part), ref.axes, node.order, lengths)
            for ref, part in zip(node.inputs, parts, strict=True)
        ]

    def numbers(self, node: Node, box: Box) -> list[Input]:
        return self.inputs(node, box, self._evaluation.fetch)

    def bounds(self, node: Node, box: Box) -> list[Input]:
        return self.inputs(node, box, self.fetch)
