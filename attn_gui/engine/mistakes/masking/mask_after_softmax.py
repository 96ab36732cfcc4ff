"""A mask that comes after the softmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Input, Stage
from attn_gui.engine.mistakes.mistake import Mistake, closes, exchanged, takes
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.softmax import Softmax


class MaskedShares(Softmax):
    """Shares of all keys, of which those of the closed ones are taken away."""

    formula = "weights[b h i j] = logits[b h i j], temperature[]?, sink[h]?, allowed[b h i j]"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, sink, allowed = inputs
        return np.where(np.asarray(allowed, bool), super().forward(logits, temperature, sink), 0.0)


class MaskAfterSoftmax(Mistake):
    """Closed weights are 0, and the rest of the row no longer adds up to 1."""

    key = "mask_after_softmax"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The mask came after the softmax: it has to come before, so that the open weights add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        unmasked = [stage for stage in stages if not takes(stage, Role.CLOSE)]
        return exchanged(unmasked, Role.WEIGHT, lambda softmax: MaskedShares())
