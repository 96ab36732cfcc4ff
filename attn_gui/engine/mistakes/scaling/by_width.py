"""Scores that are divided by d_k instead of its root."""

from __future__ import annotations

from attn_gui.engine.mistakes.mistake import Mistake, divides_by_root, scaled_by
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class ByWidth(Mistake):
    """The root is forgotten."""

    key = "divided_by_d_k"
    said = QT_TRANSLATE_NOOP("Mistakes", "The scores were divided by d_k: it has to be its square root, √d_k.")

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.d_k > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, 1.0 / problem.d_k)
