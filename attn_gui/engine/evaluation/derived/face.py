"""An evaluation that shows another one in a way of its own: it has its stages, nodes and mask, and other numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.evaluation.backward import Backward
from attn_gui.engine.evaluation.dense import Evaluation, Recomputed
from attn_gui.engine.evaluation.forward import Forward
from attn_gui.engine.graph.sources import Source


class Face(Evaluation):
    """Evaluation in which all but the numbers is that of `of`; a subclass says what `fetch` gives."""

    def __init__(self, of: Evaluation) -> None:
        self.of, self.problem, self.mask, self.last_parts = of, of.problem, of.mask, None
        self.stages = of.stages

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
    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """A block of a matrix of the problem, by its dotted name."""
        return self.of.field_block(field, batch, rows, columns)

    def allowed(self, batch: int, head: int | None, rows: slice, columns: slice) -> Array | None:
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
        """Compute what is not known yet; False if cancelled."""
        return self.of.complete(heads, progress=progress, cancelled=cancelled)

    def update(self, problem: object, changed: Mapping[str, Sequence[Box]]) -> Recomputed:
        """Follow nothing: after an edit another one is laid over the evaluation."""
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
