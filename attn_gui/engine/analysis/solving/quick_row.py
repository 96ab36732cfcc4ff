"""Quick answers to a target that moves, for a weight or score of a long row: what solving reads is read once.

The target is reached, by a change of the query that is next to the shortest: it is not shortened any further.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.rowwise import RowwiseEvaluation
from attn_gui.engine.graph.powers import length
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import STAGE

from .free import LogOdds
from .row import Row
from .shortest import reached


@dataclass(frozen=True)
class QuickRow:
    """The cells of a query's row and its scores; `vectors` are what these are linear in, one for each open key.

    `values` are the logits over the temperature for a weight, the stage's own numbers for a score.
    """

    row: Row
    box: Box
    start: Array
    values: Array
    vectors: Array
    key: int
    size: float  # of the query
    of_weight: bool

    def at(self, target: float) -> tuple[Array, float]:
        """(numbers for the row, the cell's number with them)."""
        if not self.of_weight:
            vector = self.vectors[self.key]
            size = length(vector)
            step = (target - float(self.values[self.key])) / size / size
            return self._cells(vector * step), target
        question = LogOdds(self.values, self.vectors, 1.0, self.key, target, self.size)
        change = reached(question, question.zero)[0]
        return self._cells(change), 1 / (1 + math.exp(-question.value(change)))

    def _cells(self, change: Array) -> Array:
        """The row with a change of the query as the scores read it."""
        turned = self.row.unturned("query", self.row.query, change)
        return np.asarray(self.start + turned.reshape(self.start.shape))


def quick_row(problem: Problem, stage: str, index: Sequence[int]) -> QuickRow | None:
    """The row of a weight or score whose odds among other keys `solve` lets free by default.

    None for short rows, for cells that are closed, and where scores are not linear in the query or changed by hand.
    """
    entry, score = STAGE[stage], SCORES[problem.score]
    slope = score.slope(problem.score_params)
    by_hand = any(record.enabled for record in problem.interventions)
    if problem.projected or not entry.square or slope is None or problem.softcap is not None or by_hand:
        return None
    if (score.common and not entry.shares) or problem.sink is not None or problem.norms_heads:
        return None
    item, head, query, key = index
    row = Row(RowwiseEvaluation(problem), item, head, query)
    wanted = row.open
    if not wanted[key] or wanted.sum() <= problem.d_k + 1:
        return None
    temperature = (problem.temperature or 1.0) if entry.shares else 1.0
    scale = slope * (1.0 if stage == row.evaluation.scores else problem.effective_scale) / temperature
    vectors, values = row.key_vectors()[wanted] * scale, row.logits if entry.shares else row.read(stage)
    place = int(wanted[:key].sum())
    size = length(row.query_vector())
    if not (np.isfinite(vectors).all() and np.isfinite(size) and vectors[place].any()):
        return None
    box = row.cells("query", query)
    start = np.array(problem.query[box], float)
    return QuickRow(row, box, start, values[wanted] / temperature, vectors, place, size, entry.shares)
