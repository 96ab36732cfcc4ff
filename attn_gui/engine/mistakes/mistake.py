"""What a usual mistake is: it changes the problem, or the chain of stages; the engine computes the rest."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.intervention_nodes import nodes_of
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import stage_of

Chain = Callable[[Sequence[Stage]], Sequence[Stage]]
"""From the stages that compute a problem rightly to those that compute it by mistake, in order."""


@dataclass(frozen=True, eq=False)
class Mistake:
    """A usual mistake in computing attention by hand; it knows no problem.

    `said` is a sentence to whoever made it: what was done, and what should be. `brief` is the same in a few words, for
    the key of a worksheet, {d_k} in it; nothing for a rarer mistake. Both are of the context "Mistakes".
    """

    key: str
    said: str
    brief: str = ""
    applies: Callable[[Problem], bool] = lambda problem: True
    """Whether it can be made in a problem."""
    problem: Callable[[Problem], Problem] = lambda problem: problem
    """The problem that is computed by mistake."""
    chain: Chain = lambda stages: stages
    """The stages that are computed by mistake."""
    of_root: Callable[[float], float | None] = lambda root: None
    """The result where a root is asked for, not a cell; None where the mistake does not concern roots."""

    def made_in(self, problem: Problem) -> Evaluation:
        """Return an evaluation of a problem with the mistake, computed where it is read."""
        return MistakenEvaluation(self.problem(problem), self.chain)


class MistakenEvaluation(DenseEvaluation):
    """An evaluation of another chain of stages; it keeps nothing."""

    def __init__(self, problem: Problem, change: Chain) -> None:
        self._change = change
        super().__init__(problem, keep=0)

    def _wired(self) -> list[Node]:
        return nodes_of(self.problem, self._sources, self._change)


# --- other chains ---------------------------------------------------------------------------------
def takes(stage: Stage, *roles: Role) -> bool:
    """Return whether a stage has one of these roles in attention, judged by its name."""
    return stage.name in map(stage_of, roles)


def stages_with(stages: Sequence[Stage], role: Role, change: Callable[[Stage], Stage]) -> list[Stage]:
    """Return the stages with `change` applied to the one with a role in attention."""
    return [change(stage) if takes(stage, role) else stage for stage in stages]


def instead(role: Role, other: Stage) -> Chain:
    """Return the change of a chain that puts another stage in the place of the one with a role in attention."""
    return lambda stages: stages_with(stages, role, lambda right: other)


def reading_other_cells(role: Role, *letters: tuple[str, str]) -> Chain:
    """Return the change of a chain in which the stage with a role is `rewired`."""
    return lambda stages: stages_with(stages, role, lambda right: rewired(right, *letters))


def rewired(stage: Stage, *letters: tuple[str, str]) -> Stage:
    """Return a stage that reads other cells: each (old, new) pair is replaced in its formula."""
    other = copy.copy(stage)
    for name in ("target", "inputs"):  # read off the formula, and kept
        vars(other).pop(name, None)
    for old, new in letters:
        other.formula = other.formula.replace(old, new)
    return other


def computed(stage: Stage, forward: Callable[..., Array], **facts: str) -> Stage:
    """Return a stage whose cells are another function of its inputs; `facts` are its other attributes that differ."""
    other = copy.copy(stage)
    vars(other).update(facts, forward=forward)
    return other
