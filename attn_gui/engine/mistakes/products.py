"""Mistakes in products: wrong rows or columns multiplied, or one factor left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.fields import WEIGHTS
from attn_gui.engine.graph.stage import Input, LinearStage, Role, Stage, given
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import Rotary
from attn_gui.languages import QT_TRANSLATE_NOOP

from .mistake import Mistake, rewired_stage, stages_with


class KeyNotTransposed(Mistake):
    """Rows of Q times columns of K; it goes unnoticed where a head of K is square."""

    key = "key_not_transposed"
    brief = QT_TRANSLATE_NOOP("Mistakes", "K not transposed")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Rows of Q were multiplied by columns of K: a score takes a row of Q and a row of K, Q·Kᵀ."
    )

    def applies(self, problem: Problem) -> bool:
        return SCORES[problem.score].dot and problem.m == problem.d_k

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return stages_with(stages, Role.SCORE, lambda score: rewired_stage(score, ("key[b j (g d)]", "key[b d (g j)]")))


class QueryKeySwapped(Mistake):
    """Rows and columns of the scores exchanged; it goes unnoticed with as many queries as keys."""

    key = "query_key_swapped"
    brief = QT_TRANSLATE_NOOP("Mistakes", "Q and K exchanged")
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "Queries and keys were exchanged: rows belong to the queries and columns to the keys, Q·Kᵀ."
    )

    def applies(self, problem: Problem) -> bool:
        return SCORES[problem.score].dot and problem.m == problem.n > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        exchange = ("query[b i", "query[b j"), ("key[b j", "key[b i")
        return stages_with(stages, Role.SCORE, lambda score: rewired_stage(score, *exchange))


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
        return [rewired_stage(stage, *((f"{name}[e p]", f"{name}[p e]") for name in WEIGHTS)) for stage in stages]


class PlainSum(Mistake):
    """The weights are left out: every open key counts once."""

    key = "plain_sum"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The values were added up as they are: each has to be multiplied by its weight first."
    )

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        counted = "allowed[b (g r) i j] * " if any(stage.boolean for stage in stages) else ""
        formula = f"mixed[b (g r) i c] = {counted}value[b j (g c)]"
        return stages_with(
            stages, Role.MIX, lambda mix: LinearStage(mix.name, " ".join(mix.axes), formula, role=Role.MIX)
        )


class WeightsTransposed(Mistake):
    """The values are weighted by a column of the weights; it goes unnoticed with as many queries as keys."""

    key = "weights_transposed"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "A column of the weights was taken: the values are weighted by the row of their query."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.m == problem.n > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        column = ("weights[b (g r) i j]", "weights[b (g r) j i]")
        return stages_with(stages, Role.MIX, lambda mix: rewired_stage(mix, column))


class ValueNotProjected(Mistake):
    """W_V is left out: the rows of X, or of the second sequence, are weighted themselves."""

    key = "value_not_projected"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The rows of X were weighted themselves: the values V = X·W_V have to be computed first."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.projected and problem.d_context == problem.num_kv_heads * problem.d_v

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        def unprojected(stage: LinearStage) -> Stage:
            return LinearStage(stage.name, " ".join(stage.axes), "value[b j p] = context[b j p]")

        wanted = WEIGHTS[-1]
        return [
            unprojected(stage) if isinstance(stage, LinearStage) and wanted in stage.formula else stage
            for stage in stages
        ]


class NeighborsTurned(Rotary):
    """Pairs of columns side by side, turned by the angles of the halves."""

    def __init__(self, stage: Rotary) -> None:
        vars(self).update(vars(rewired_stage(stage, ("(h t p)", "(h p t)"), ("(g t p)", "(g p t)"))))

    def forward(self, *inputs: Input) -> Array:
        x, angle = (np.swapaxes(cells, -1, -2) for cells in given(inputs))
        return np.swapaxes(super().forward(x, angle), -1, -2)


class RotaryNeighbors(Mistake):
    """Positions turn the columns 2p and 2p + 1 together, as in the paper, instead of p and p + d_k/2."""

    key = "rotary_neighbors"
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The rotation paired neighboring columns, (0, 1), (2, 3) …: here each column turns with the one half a head "
        "further on, (0, d_k/2) …",
    )

    def applies(self, problem: Problem) -> bool:
        return problem.turns and problem.d_k > 2

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return [NeighborsTurned(stage) if isinstance(stage, Rotary) else stage for stage in stages]
