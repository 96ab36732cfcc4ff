"""A softmax over the queries of each key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Input, Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.softmax import Softmax


class ColumnShares(Softmax):
    """Scores of each column as shares of one."""

    along = "i"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.swapaxes(super().forward(np.swapaxes(logits, -1, -2), temperature, None), -1, -2)


class DownColumns(Mistake):
    """Columns add up to 1 instead of rows."""

    key = "softmax_down_columns"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The softmax went down the columns: each row, the keys of one query, has to add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return max(problem.n, problem.m) > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return exchanged(stages, Role.WEIGHT, lambda softmax: ColumnShares())
