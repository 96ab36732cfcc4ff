"""Mistakes with the factor of the scores."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.problem import Problem
from attn_gui.languages import QT_TRANSLATE_NOOP

from .mistake import Mistake, divides_by_root, scaled_by, takes


class NotScaled(Mistake):
    """The step is left out."""

    key = "not_scaled"
    brief = QT_TRANSLATE_NOOP("Mistakes", "no scaling")
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The scores were not scaled: before the softmax each is divided by √d_k, or multiplied by a scale that is "
        "given.",
    )

    def applies(self, problem: Problem) -> bool:
        return problem.effective_scale != 1.0

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, 1.0)


class ByWidth(Mistake):
    """The root is forgotten."""

    key = "divided_by_d_k"
    brief = QT_TRANSLATE_NOOP("Mistakes", "divided by {d_k}, not √{d_k}")
    said = QT_TRANSLATE_NOOP("Mistakes", "The scores were divided by d_k: it has to be its square root, √d_k.")

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.d_k > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, 1.0 / problem.d_k)


class ByAllHeads(Mistake):
    """√d_model in the place of √d_k, d_model being the columns of all heads."""

    key = "divided_by_root_d_model"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The scores were divided by the root of the width of all heads: each head has d_k columns only."
    )

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.num_heads > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, float((problem.num_heads * problem.d_k) ** -0.5))


class TimesRoot(Mistake):
    """The root is on the wrong side of the fraction."""

    key = "multiplied_by_root"
    said = QT_TRANSLATE_NOOP("Mistakes", "The scores were multiplied by √d_k: they have to be divided by it.")

    def applies(self, problem: Problem) -> bool:
        return divides_by_root(problem) and problem.d_k > 1

    def problem(self, problem: Problem) -> Problem:
        return scaled_by(problem, float(problem.d_k**0.5))


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


class RootForgotten(Mistake):
    """The number under a root that was asked for."""

    key = "root_forgotten"
    said = QT_TRANSLATE_NOOP("Mistakes", "The root was forgotten: this is the number under it.")

    def applies(self, problem: Problem) -> bool:
        return False  # no cell is asked for

    def of_root(self, root: float) -> float | None:
        return root * root


class RootInverted(Mistake):
    """One over a root that was asked for."""

    key = "root_inverted"
    said = QT_TRANSLATE_NOOP("Mistakes", "This is one over the root: the root itself is asked for.")

    def applies(self, problem: Problem) -> bool:
        return False

    def of_root(self, root: float) -> float | None:
        return 1 / root if root else None
