"""Scores divided by their sum, without exponentials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Input, Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.softmax import Softmax


class Proportions(Softmax):
    """Open scores over the sum of their row."""

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        scores = np.where(np.isneginf(logits), 0.0, logits if temperature is None else logits / temperature)
        closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no sum is divided by there
        return np.where(closed, 0.0, scores / scores.sum(axis=-1, keepdims=True))


class PlainShares(Mistake):
    """The exponential is forgotten."""

    key = "no_exponential"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were divided by their own sum: the softmax takes e to each score first."
    )

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return exchanged(stages, Role.WEIGHT, lambda softmax: Proportions())
