"""Closed scores that are 0 instead of −∞."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Input, Stage, given
from attn_gui.engine.mistakes.mistake import Mistake, closes, exchanged
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.mask import Mask


class Zeroed(Mask):
    """Scores times the mask."""

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = given(inputs)
        return np.where(allowed, logits, 0.0)


class ClosedAsZero(Mistake):
    """The mask multiplies the scores, and a score of 0 still has a share."""

    key = "closed_as_zero"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Masked scores were set to 0, and e⁰ = 1 still counts: they have to be −∞ before the softmax."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return exchanged(stages, Role.CLOSE, lambda mask: Zeroed())
