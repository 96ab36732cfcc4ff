"""The evaluation that solving works on: one row of the maps at a time, however long the sequence."""

from __future__ import annotations

from attn_gui.engine.evaluation import Evaluation
from attn_gui.engine.graph import Node
from attn_gui.engine.stages import BEFORE

KEPT = frozenset(stage.name for stage in BEFORE)


class RowwiseEvaluation(Evaluation):
    """Keeps Q, K and V in float64; of all else it computes the cells that are read, and keeps none."""

    def _kept(self, node: Node) -> bool:
        return node.name in KEPT
