"""Heads cut out of the columns in turns."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged, rewired
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class HeadsInterleaved(Mistake):
    """Head g takes the columns g, g + h, g + 2h … instead of d_k neighbors."""

    key = "heads_interleaved"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The heads were split in turns, column by column: each head takes d_k columns side by side."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.num_heads > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        turns = (
            ("(g r d)", "(d g r)"),
            ("(g d)", "(d g)"),
            ("(g f)", "(f g)"),  # keys of a width of their own
            ("value[b j (g c)]", "value[b j (c g)]"),
        )
        for role in (Role.SCORE, Role.MIX):
            stages = exchanged(stages, role, lambda stage: rewired(stage, *turns))
        return stages
