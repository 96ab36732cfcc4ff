"""Mistakes with the mask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.stage import Input, Role, Stage, given
from attn_gui.engine.masks import Causal, Window
from attn_gui.engine.normalizers import Softmax
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import Allowed, Mask
from attn_gui.languages import QT_TRANSLATE_NOOP

from .mistake import Mistake, OfSoftmax, closes, stages_with, takes


class FlippedMask(Allowed):
    """Keys that a layer closes."""

    def __init__(self, stage: Allowed) -> None:
        vars(self).update(vars(stage))

    def forward(self, *inputs: Input) -> Array:
        return ~super().forward(*inputs)


class MaskFlipped(Mistake):
    """Closed keys are attended to, open ones are not."""

    key = "mask_flipped"
    brief = QT_TRANSLATE_NOOP("Mistakes", "mask the wrong way round")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The mask was read the wrong way round: the hatched keys are those that must not count."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return [FlippedMask(stage) if isinstance(stage, Allowed) else stage for stage in stages]


class MultipliedMask(Mask):
    """Scores times the mask."""

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = given(inputs)
        return np.where(allowed, logits, 0.0)


class ClosedAsZero(Mistake):
    """The mask multiplies the scores, and a score of 0 still has a share."""

    key = "closed_as_zero"
    instead = Role.CLOSE, MultipliedMask
    brief = QT_TRANSLATE_NOOP("Mistakes", "masked with 0, not −∞")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Masked scores were set to 0, and e⁰ = 1 still counts: they have to be −∞ before the softmax."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)


class MaskedShares(Softmax):
    """Shares of all keys, of which those of the closed ones are taken away."""

    formula = "weights[b h i j] = logits[b h i j], temperature[]?, sink[h]?, allowed[b h i j]"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, sink, allowed = inputs
        return np.where(np.asarray(allowed, bool), super().forward(logits, temperature, sink), 0.0)


class MaskAfterSoftmax(OfSoftmax):
    """Closed weights are 0, and the rest of the row no longer adds up to 1."""

    key = "mask_after_softmax"
    brief = QT_TRANSLATE_NOOP("Mistakes", "mask after the softmax")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The mask came after the softmax: it has to come before, so that the open weights add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return super().applies(problem) and closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        unmasked = [stage for stage in stages if not takes(stage, Role.CLOSE)]
        return stages_with(unmasked, Role.WEIGHT, lambda softmax: MaskedShares())


class AddedMask(Mask):
    """Scores plus the mask: 1 for an open key."""

    def forward(self, *inputs: Input) -> Array:
        logits, allowed = given(inputs)
        return logits + allowed


class MaskAdded(Mistake):
    """The mask is added as 0 and 1, which closes nothing."""

    key = "mask_added"
    instead = Role.CLOSE, AddedMask
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The mask was added to the scores as 0 and 1: what is added is 0 for an open key, −∞ for a closed one.",
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)


class CausalTooEarly(Mistake):
    """The key at the query's own position is closed, too."""

    key = "causal_too_early"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The causal mask closed one key too many: a query sees the key at its own position, too."
    )

    def applies(self, problem: Problem) -> bool:
        return any(layer.enabled and isinstance(layer, Causal) for layer in problem.mask)

    def problem(self, problem: Problem) -> Problem:
        return _seeing(problem, -1)


class CausalTooLate(Mistake):
    """The key behind the query's own position is still open."""

    key = "causal_too_late"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The causal mask left one key too many open: a query sees none after its own position."
    )

    def applies(self, problem: Problem) -> bool:
        return any(layer.enabled and isinstance(layer, Causal) for layer in problem.mask)

    def problem(self, problem: Problem) -> Problem:
        return _seeing(problem, 1)


def _seeing(problem: Problem, right: int) -> Problem:
    """Return problem whose causal layers let a query see so many keys after its own position."""
    layers = (
        Window(right=right, align=layer.align, enabled=layer.enabled) if isinstance(layer, Causal) else layer
        for layer in problem.mask
    )
    return Problem.over(problem.fields() | {"mask": tuple(layers)})
