"""Scores that are divided by the root of the width of all heads together."""

from __future__ import annotations

from attn_gui.engine.mistakes.mistake import Mistake, divides_by_root, scaled_by
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class ByAllHeads(Mistake):
    """√d_model in the place of √d_k, d_model being the columns of all heads."""

    key = "divided_by_root_d_model"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were divided by the root of the width of all heads: each head has d_k columns only."
    )

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.num_heads > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, float((problem.num_heads * problem.d_k) ** -0.5))
