"""Aᵀ V in the place of A V."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged, rewired
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class WeightsTransposed(Mistake):
    """The values are weighted by a column of the weights; it goes unnoticed with as many queries as keys."""

    key = "weights_transposed"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "A column of the weights was taken: the values are weighted by the row of their query."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.m == problem.n > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        column = ("weights[b (g r) i j]", "weights[b (g r) j i]")
        return exchanged(stages, Role.MIX, lambda mix: rewired(mix, column))
