"""K Qᵀ in the place of Q Kᵀ."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged, rewired
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores import SCORES


class QueryKeySwapped(Mistake):
    """Rows and columns of the scores exchanged; it goes unnoticed with as many queries as keys."""

    key = "query_key_swapped"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Queries and keys were exchanged: rows belong to the queries and columns to the keys, Q·Kᵀ."
    )

    def applies(self, problem: Problem) -> bool:
        return SCORES[problem.score].dot and problem.m == problem.n > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        exchange = ("query[b i", "query[b j"), ("key[b j", "key[b i")
        return exchanged(stages, Role.SCORE, lambda score: rewired(score, *exchange))
