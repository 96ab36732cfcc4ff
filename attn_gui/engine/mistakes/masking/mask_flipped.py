"""A mask whose meaning is turned round."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.stage import Input, Stage
from attn_gui.engine.mistakes.mistake import Mistake, closes
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.stages.mask import Allowed


class Flipped(Allowed):
    """Keys that a layer closes."""

    def __init__(self, stage: Allowed) -> None:
        vars(self).update(vars(stage))

    def forward(self, *inputs: Input) -> Array:
        return ~super().forward(*inputs)


class MaskFlipped(Mistake):
    """Closed keys are attended to, open ones are not."""

    key = "mask_flipped"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The mask was read the wrong way round: the hatched keys are those that must not count."
    )

    def applies(self, problem: Problem) -> bool:
        return closes(problem)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return [Flipped(stage) if isinstance(stage, Allowed) else stage for stage in stages]
