"""Exponentials that are not divided by their sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Input, Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.softmax import Softmax


class Exponentials(Softmax):
    """e to the scores."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.exp(logits if temperature is None else logits / temperature)


class NotDivided(Mistake):
    """The denominator Z is left out."""

    key = "not_divided_by_z"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "These are the exponentials alone: each has to be divided by Z, the sum of its row."
    )

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return exchanged(stages, Role.WEIGHT, lambda softmax: Exponentials())
