"""The gradient of a sum of cells, read as an evaluation is: maps and tables show it like any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attn_gui.engine.analysis.sensitivity import all_gradients
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.backward import Backward
from attn_gui.engine.evaluation.dense import Evaluation, Recomputed
from attn_gui.engine.evaluation.derived.strips import PooledByStrips
from attn_gui.engine.evaluation.forward import Forward
from attn_gui.engine.evaluation.plane import Pooling
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.node import Node
from attn_gui.engine.graph.sources import Source
from attn_gui.engine.problem.checks import as_box


class Gradient(Evaluation):
    """∂ Σ weights · stage by every cell of every stage and matrix of an evaluation, as that was when it was taken.

    A later stage has zeros: the sum does not read it. Of each stage only the box that the sum reads is kept, which of a
    map is a row. Source: reverse accumulation, as in `sensitivity`.
    """

    kind = "gradient"

    def __init__(self, of: Evaluation, stage: str, box: Box, weights: Array) -> None:
        self.of, self.problem, self.mask, self.last_parts = of, of.problem, of.mask, None
        self.stages = of.stages
        self._parts, self._by_field = all_gradients(of, stage, box, weights)

    # --- what it is made of ----------------------------------------------------------------------
    def node(self, stage: str) -> Node:
        """The stage at work. Raises StageError (a KeyError) for a stage that the problem does not have."""
        return self.of.node(stage)

    def node_at(self, stage: str, index: tuple[int, ...]) -> Node:
        """The node that makes one cell of a stage."""
        return self.of.node_at(stage, index)

    def computed(self, stage: str) -> str:
        """The name of a stage as it is before its interventions; its own where it has none."""
        return self.of.computed(stage)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.of.nodes

    @property
    def behind(self) -> Evaluation:
        return self.of

    @property
    def closes(self) -> bool:
        """Whether a mask layer is enabled that can close cells."""
        return self.of.closes

    @property
    def sources(self) -> Mapping[str, Source]:
        return self.of.sources

    # --- reading ---------------------------------------------------------------------------------
    def fetch(self, name: str, box: Box) -> Array:
        """The gradient by a box of a stage, float64; of the mask, which cells are open."""
        if name == self.mask:
            return self.of.fetch(name, box)
        found = np.zeros(indices.shape_of(box))
        if name in self._parts:
            held, cells = self._parts[name]
            common = indices.meet(held, box)
            if common is not None:
                found[indices.within(common, box)] = cells[indices.within(common, held)]
        return found

    def box(self, stage: str, box: Box) -> Array:
        """The gradient by a box of a stage, read-only, float64 for every problem."""
        found = self.fetch(stage, as_box(stage, self.shape(stage), box))
        found.flags.writeable = False
        return found

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """The gradient by a block of a matrix of the problem; NaN for switches, which have none."""
        array = self.by_field(field)
        return np.asarray((array[batch if len(array) > 1 else 0] if array.ndim == 3 else array)[rows, columns])

    @property
    def by_fields(self) -> Mapping[str, Array]:
        """{field: gradient} by every array and number of the problem."""
        return self._by_field

    def by_field(self, field: str) -> Array:
        """The gradient by a whole array of the problem, in its own shape; NaN for switches, which have none."""
        found = self._by_field.get(field)
        return np.full(self.problem.arrays()[field].shape, np.nan) if found is None else found

    def allowed(self, batch: int, head: int, rows: slice, columns: slice) -> Array | None:
        """Cells of a map that the mask leaves open."""
        return self.of.allowed(batch, head, rows, columns)

    def layers_at(self, index: tuple[int, ...]) -> list[tuple[int, bool]]:
        """The layers of the mask at one cell of a map."""
        return self.of.layers_at(index)

    # --- what an evaluation does beside being read -----------------------------------------------
    def complete(
        self,
        heads: Sequence[tuple[int, int]] | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] = bool,
    ) -> bool:
        """Nothing is left to be computed."""
        return True

    def update(self, problem: object, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow nothing: after an edit another gradient is taken."""
        return Recomputed()

    def reach(self, changed: Mapping[str, Sequence[Box]]) -> dict[str, list[Box]]:
        """The boxes of every stage that a change would reach."""
        return self.of.reach(changed)

    def forward(self, changed: Mapping[str, Sequence[Box]]) -> Forward:
        """Every cell that reads the given ones."""
        return self.of.forward(changed)

    def backward(self, cells: Mapping[str, Sequence[Box]]) -> Backward:
        """Every cell that the given ones were computed from."""
        return self.of.backward(cells)


class PooledGradient(PooledByStrips, Gradient):
    """The same of a long problem: a block's largest gradient is found from its cells."""

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Nothing has to be computed."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Everything can be read at once."""
        return True

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """The entropies of the weights themselves."""
        assert isinstance(self.of, Pooling)
        return self.of.entropies(batch, head, rows)


def gradient_of(of: Evaluation, stage: str, box: Box, weights: Array) -> Gradient:
    """The gradient of Σ weights · stage over a box, which pools its pictures where the evaluation does."""
    return (PooledGradient if isinstance(of, Pooling) else Gradient)(of, stage, box, weights)
