"""Sums of the values in the place of weighted sums."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.linear import Linear
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class PlainSum(Mistake):
    """The weights are left out: every open key counts once."""

    key = "plain_sum"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The values were added up as they are: each has to be multiplied by its weight first."
    )

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        counted = "allowed[b (g r) i j] * " if any(stage.boolean for stage in stages) else ""
        formula = f"mixed[b (g r) i c] = {counted}value[b j (g c)]"
        return exchanged(stages, Role.MIX, lambda mix: Linear(mix.name, " ".join(mix.axes), formula, role=Role.MIX))
