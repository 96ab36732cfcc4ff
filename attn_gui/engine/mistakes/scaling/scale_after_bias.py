"""Scores that are scaled after a bias, such as an additive mask, was added to them."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, takes
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class ScaleAfterBias(Mistake):
    """Two steps in the wrong order."""

    key = "scaled_after_mask"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scale came after the mask or bias that is added: it has to come before, on the scores alone."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.effective_scale != 1.0 and any(layer.enabled and layer.adds for layer in problem.mask)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        late = [stage for stage in stages if takes(stage, Role.SCALE)]
        rest = [stage for stage in stages if not takes(stage, Role.SCALE)]
        last = max(place for place, stage in enumerate(rest) if takes(stage, Role.SCORE, Role.BIAS))
        return [*rest[: last + 1], *late, *rest[last + 1 :]]
