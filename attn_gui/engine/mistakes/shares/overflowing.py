"""A softmax that does not take off the largest score first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.stage import Input, Stage
from attn_gui.engine.mistakes.mistake import Mistake, exchanged
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.softmax import Softmax


class Raw(Softmax):
    """e^s over the sum of the row, as it is written: beyond e^709 there is no number, and ∞/∞ is none either."""

    def forward(self, *inputs: Input) -> Array:
        logits, scalar, sink = inputs
        assert logits is not None
        temperature = 1.0 if scalar is None else scalar
        powers = np.exp(logits / temperature)
        total = powers.sum(axis=-1, keepdims=True)
        closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no maximum could be taken off there
        return np.where(closed, 0.0, powers / (total if sink is None else total + np.exp(sink / temperature)))


class Overflowing(Mistake):
    """Large scores overflow, and far below 0 every power vanishes."""

    key = "maximum_not_taken_off"
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "e to a very large score overflows (and to a very small one vanishes): take the row's largest score off first, "
        "the shares stay the same.",
    )

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return exchanged(stages, Role.WEIGHT, lambda softmax: Raw())
