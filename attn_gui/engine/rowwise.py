"""The evaluation for a few rows of the maps, however long the sequence: solving and verifying work on it."""

from __future__ import annotations

from .evaluation import Evaluation
from .graph import Node
from .stages import BEFORE

KEPT = frozenset(stage.name for stage in BEFORE)


class RowwiseEvaluation(Evaluation):
    """Keeps Q, K and V in float64; of all else it computes the cells that are read, and keeps none."""

    def _kept(self, node: Node) -> bool:
        return node.name in KEPT
