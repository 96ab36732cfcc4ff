"""Mistakes in products (wrong rows or columns, one factor left out) and with heads (cut or put together wrongly)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.fields import WEIGHTS
from attn_gui.engine.graph.stage import Input, LinearStage, Role, Stage, given
from attn_gui.engine.mistakes.mistake import Mistake, OfSoftmax, rewired_stage, stages_with
from attn_gui.engine.normalizers import Softmax
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import Rotary
from attn_gui.languages import QT_TRANSLATE_NOOP


# --- products --------------------------------------------------------------------------------------
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


# --- heads -----------------------------------------------------------------------------------------
MOST = 1 << 20  # cells of maps that are read for one cell of heads put together wrongly


class HeadsInterleaved(Mistake):
    """Head g takes the columns g, g + h, g + 2h … instead of d_k neighbors."""

    key = "heads_interleaved"
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The heads were split in turns, column by column: each head takes d_k columns side by side."
    )

    def applies(self, problem: Problem) -> bool:
        return problem.num_heads > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        turns = (
            ("(g r d)", "(d g r)"),
            ("(g d)", "(d g)"),
            ("(g f)", "(f g)"),  # keys of a width of their own
            ("value[b j (g c)]", "value[b j (c g)]"),
        )
        for role in (Role.SCORE, Role.MIX):
            stages = stages_with(stages, role, lambda stage: rewired_stage(stage, *turns))
        return stages


class RecutHeads(Stage):
    """Heads of Q, K or V as `view(batch · heads, tokens, d)` cuts them: a row of one is not that of its token."""

    hidden = True

    def __init__(self, name: str, row: str, columns: str) -> None:
        cells = f"{name}[b {row} {columns}]"
        self.name, self.axes, self.along = f"recut_{name}", ("batch", "row", "column"), row + columns[1::2]
        self.formula = f"{cells} = {cells}"

    def forward(self, *inputs: Input) -> Array:
        (cells,) = given(inputs)  # batch, token, head, column
        batch, tokens, heads, width = cells.shape
        return np.swapaxes(cells.reshape(batch, heads, tokens, width), 1, 2)


class HeadsCutByView(Mistake):
    """Heads are cut out of all numbers in a row, across tokens: the axes were never exchanged."""

    key = "heads_cut_by_view"
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The heads were cut by view or reshape alone, which mixes tokens: split the columns of each row into heads, "
        "then exchange the axes of tokens and heads.",
    )
    recut: Sequence[RecutHeads] = (
        *(RecutHeads("query", "i", "(h d)"), RecutHeads("key", "j", "(g d)")),
        RecutHeads("value", "j", "(g c)"),
    )

    def applies(self, problem: Problem) -> bool:
        return problem.num_heads > 1 and max(problem.n, problem.m) > 1

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        places = {stage.target.name: place for place, stage in enumerate(stages) if stage.name == stage.target.name}
        after = {places[recut.target.name]: recut for recut in self.recut}
        return [one for place, stage in enumerate(stages) for one in (stage, *(k for k in [after.get(place)] if k))]


class RejoinedHeads(Stage):
    """The heads' results as `view(tokens, heads · d)` of them puts them side by side."""

    def __init__(self, stage: Stage) -> None:
        self.name, self.axes, self.heads, self.role = stage.name, stage.axes, stage.heads, stage.role
        self.formula, self.along = stage.formula, "ihc"

    def forward(self, *inputs: Input) -> Array:
        (mixed,) = given(inputs)  # batch, token, head, column
        batch, tokens, heads, width = mixed.shape
        return np.swapaxes(mixed, 1, 2).reshape(batch, tokens, heads, width)


class HeadsJoinedByView(Mistake):
    """Heads are laid one behind the other, and cut into rows again: the axes were never exchanged back."""

    key = "heads_joined_by_view"
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The heads were put together by view or reshape alone: exchange the axes of heads and tokens first, so that "
        "each row holds all heads of its token.",
    )

    def applies(self, problem: Problem) -> bool:
        return problem.num_heads > 1 and problem.n > 1 and prod(problem.map_shape) <= MOST

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        return stages_with(stages, Role.JOIN, RejoinedHeads)


class HeadsTiled(Mistake):
    """Shared K/V heads go round, 0 1 0 1, instead of each serving its group of query heads, 0 0 1 1."""

    key = "kv_heads_tiled"
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "The shared K/V heads were tiled, 0 1 0 1: each has to be repeated for its own group of query heads, 0 0 1 1.",
    )

    def applies(self, problem: Problem) -> bool:
        return 1 < problem.num_kv_heads < problem.num_heads

    def chain(self, stages: Sequence[Stage]) -> Sequence[Stage]:
        for role in (Role.SCORE, Role.MIX):
            stages = stages_with(stages, role, lambda stage: rewired_stage(stage, ("(g r", "(r g")))
        return stages


class AcrossHeads(Softmax):
    """Scores of the heads at one place as shares of one."""

    along = "h"

    def forward(self, *inputs: Input) -> Array:
        logits, temperature, _ = inputs
        assert logits is not None
        return np.swapaxes(super().forward(np.swapaxes(logits, 1, -1), temperature, None), 1, -1)


class SoftmaxOverHeads(OfSoftmax):
    """The heads of a place add up to 1 instead of the keys of a query."""

    key = "softmax_over_heads"
    instead = Role.WEIGHT, AcrossHeads
    said = QT_TRANSLATE_NOOP(
        "Mistakes", "The softmax went over the heads: each row of a head, the keys of one query, has to add up to 1."
    )

    def applies(self, problem: Problem) -> bool:
        return super().applies(problem) and problem.num_heads > 1


class MeanShares(Softmax):
    """The mean of the heads' weights, in each of them."""

    along = "jh"

    def forward(self, *inputs: Input) -> Array:
        weights = super().forward(*inputs)
        return np.broadcast_to(weights.mean(axis=1, keepdims=True), weights.shape)


class MeanOverHeads(OfSoftmax):
    """The weights that nn.MultiheadAttention returns unless told not to average them."""

    key = "mean_over_heads"
    instead = Role.WEIGHT, MeanShares
    said = QT_TRANSLATE_NOOP(
        "Mistakes",
        "This comes from the mean of the weights over the heads, as nn.MultiheadAttention returns it: each head has "
        "weights of its own.",
    )

    def applies(self, problem: Problem) -> bool:
        return super().applies(problem) and problem.num_heads > 1
