"""Scores that are not scaled."""

from __future__ import annotations

from attn_gui.engine.mistakes.mistake import Mistake, scaled_by
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP


class NotScaled(Mistake):
    """The step is left out."""

    key = "not_scaled"
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The scores were not scaled: each has to be multiplied by the scale, 1/√d_k unless another one is given, "
        "before the softmax.",
    )

    def applies(self, problem: Problem) -> bool:
        return problem.effective_scale != 1.0

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, 1.0)
