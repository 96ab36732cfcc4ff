"""The base of usual mistakes: an entry changes the problem, or the chain of stages; the engine computes the rest."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.intervention_nodes import nodes_of
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import stage_of


class Mistake:
    """A usual mistake in computing attention by hand: an immutable entry of the catalog, which knows no problem."""

    key = ""
    said = ""  # a sentence to whoever made it: what was done, and what should be; context "Mistakes"
    brief = ""  # the same in a few words, for the key of a worksheet, {d_k} in it; nothing for a rarer mistake
    instead: tuple[Role, Callable[[], Stage]] | None = None  # the part in attention of a stage, and what stands there

    def applies(self, problem: Problem) -> bool:
        """Return whether the mistake can be made in a problem."""
        return True

    def problem(self, problem: Problem) -> Problem:
        """Return the problem that is computed by mistake; by default the right one."""
        return problem

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        """Return the stages that are computed by mistake, in order; by default the right ones but for `instead`."""
        if self.instead is None:
            return stages
        role, made = self.instead
        return stages_with(stages, role, lambda right: made())

    def of_root(self, root: float) -> float | None:
        """Return the result of the mistake where a root is asked for, not a cell; None where it does not
        concern roots."""
        return None

    def made_in(self, problem: Problem) -> Evaluation:
        """Return an evaluation of a problem with the mistake, computed where it is read."""
        return MistakenEvaluation(self.problem(problem), self.chain)


class OfSoftmax(Mistake):
    """A mistake in the softmax of a problem."""

    def applies(self, problem: Problem) -> bool:
        return NORMALIZERS[problem.normalize].elementary


class MistakenEvaluation(DenseEvaluation):
    """An evaluation of another chain of stages; it keeps nothing."""

    def __init__(self, problem: Problem, change: Callable[[Sequence[Stage]], Sequence[Stage]]) -> None:
        self._change = change
        super().__init__(problem, keep=0)

    def _wired(self) -> list[Node]:
        return nodes_of(self.problem, self._sources, self._change)


def closes(problem: Problem) -> bool:
    """Return whether an enabled layer of the mask closes keys."""
    return any(layer.enabled and not layer.adds for layer in problem.mask)


def divides_by_root(problem: Problem) -> bool:
    """Return whether the scores are divided by √d_k, as no scale is given."""
    return problem.scale is None and SCORES[problem.score].root_scale


def scaled_by(problem: Problem, scale: float) -> Problem:
    """Return the problem with another scale; no array is copied."""
    return Problem.over(problem.fields() | {"scale": scale})


def stages_with(stages: Sequence[Stage], role: Role, change: Callable[[Stage], Stage]) -> list[Stage]:
    """Return the stages with `change` applied to the one with a role in attention."""
    return [change(stage) if takes(stage, role) else stage for stage in stages]


def takes(stage: Stage, *roles: Role) -> bool:
    """Return whether a stage has one of these roles in attention, judged by its name."""
    return stage.name in map(stage_of, roles)


def rewired_stage(stage: Stage, *letters: tuple[str, str]) -> Stage:
    """Return a stage that reads other cells: each (old, new) pair is replaced in its formula."""
    other = copy.copy(stage)
    for name in ("target", "inputs"):  # read off the formula, and kept
        vars(other).pop(name, None)
    for old, new in letters:
        other.formula = other.formula.replace(old, new)
    return other
