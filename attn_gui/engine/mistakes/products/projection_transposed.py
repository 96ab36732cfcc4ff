"""X Wᵀ in the place of X W."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.mistakes.mistake import Mistake, rewired
from attn_gui.engine.problem.fields import WEIGHTS
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class ProjectionTransposed(Mistake):
    """W_Q, W_K and W_V as nn.Linear keeps them, [out, in]; it goes unnoticed where they are square."""

    key = "projection_transposed"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Rows of X were multiplied by rows of W: it has to be X·W, with the columns of W."
    )

    def applies(self, problem: Problem) -> bool:
        weights = [getattr(problem, name) for name in WEIGHTS]
        return problem.projected and all(len({*array.shape[-2:]}) == 1 < array.shape[-1] for array in weights)

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return [rewired(stage, *((f"{name}[e p]", f"{name}[p e]") for name in WEIGHTS)) for stage in stages]
