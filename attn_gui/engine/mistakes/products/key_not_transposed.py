"""Q K in the place of Q Kᵀ."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged, rewired
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores import SCORES


class KeyNotTransposed(Mistake):
    """Rows of Q times columns of K; it goes unnoticed where a head of K is square."""

    key = "key_not_transposed"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Rows of Q were multiplied by columns of K: a score takes a row of Q and a row of K, Q·Kᵀ."
    )

    def applies(self, problem: Problem) -> bool:
        return SCORES[problem.score].dot and problem.m == problem.d_k

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return exchanged(stages, Role.SCORE, lambda score: rewired(score, ("key[b j (g d)]", "key[b d (g j)]")))
