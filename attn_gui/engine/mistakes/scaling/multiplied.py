"""Scores that are multiplied by √d_k."""

from __future__ import annotations

from attn_gui.engine.mistakes.mistake import Mistake, divides_by_root, scaled_by
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class Multiplied(Mistake):
    """The root is on the wrong side of the fraction."""

    key = "multiplied_by_root"
    said = QT_TRANSLATE_NOOP("Mistakes", "The scores were multiplied by √d_k: they have to be divided by it.")

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.d_k > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, float(problem.d_k**0.5))
