"""Usual mistakes (not scaled, diagonal masked too …), an entry each: when it can be made, words, the computation. Each
changes the problem or the chain of stages; one more is one entry, and what it computes above."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.fields import WEIGHTS
from attn_gui.engine.graph.intervention_nodes import nodes_of
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import Input, LinearStage, Role, Stage
from attn_gui.engine.masks import Causal, Window
from attn_gui.engine.normalizers import NORMALIZERS, Softmax
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import Allowed, Mask, Rotary, stage_of
from attn_gui.languages import N_

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


# --- what is computed by mistake ------------------------------------------------------------------
#
# Each mistake stands with what goes wrong: another problem is computed (`problem`), or stages are exchanged (`chain`).
# All else, such as stages that follow or explanations of cells, the engine computes from these as for any problem.
MOST = 1 << 20  # cells of maps that are read for one cell of heads put together wrongly
KEPT = 0.9  # what dropout with the rate of the first Transformer keeps


# --- where a mistake can be made ------------------------------------------------------------------
def _has_root(problem: Problem) -> bool:
    """Return whether there are scores, and they are divided by √d_k, as no scale is given."""
    return problem.compares and problem.scale is None and SCORES[problem.score].root_scale


def _has_softmax(problem: Problem) -> bool:
    return NORMALIZERS[problem.normalize].elementary


def _closes(problem: Problem) -> bool:
    """Return whether an enabled layer of the mask closes keys."""
    return any(layer.enabled and not layer.adds for layer in problem.mask)


def _is_causal(problem: Problem) -> bool:
    return any(layer.enabled and isinstance(layer, Causal) for layer in problem.mask)


def _has_heads(problem: Problem) -> bool:
    return problem.num_heads > 1


# --- other problems -------------------------------------------------------------------------------
def _scaled(problem: Problem, scale: float) -> Problem:
    """Return the problem with another scale; no array is copied."""
    return Problem.over(problem.fields() | {"scale": scale})


def _seeing(problem: Problem, right: int) -> Problem:
    """Return the problem whose causal layers let a query see so many keys after its own position."""
    layers = (
        Window(right=right, align=layer.align, enabled=layer.enabled) if isinstance(layer, Causal) else layer
        for layer in problem.mask
    )
    return Problem.over(problem.fields() | {"mask": tuple(layers)})


# --- other projections and positions --------------------------------------------------------------
def _transposed_projections(stages: Sequence[Stage]) -> Sequence[Stage]:
    return [rewired(stage, *((f"{name}[e p]", f"{name}[p e]") for name in WEIGHTS)) for stage in stages]


def _unprojected_values(stages: Sequence[Stage]) -> Sequence[Stage]:
    return [
        LinearStage(stage.name, " ".join(stage.axes), "value[b j p] = context[b j p]")
        if isinstance(stage, LinearStage) and WEIGHTS[-1] in stage.formula
        else stage
        for stage in stages
    ]


def _turned_neighbors(stages: Sequence[Stage]) -> Sequence[Stage]:
    """Turn pairs of columns side by side by the angles of the halves."""

    def turned(stage: Stage) -> Stage:
        def forward(*inputs: Array) -> Array:
            return np.swapaxes(stage.forward(*(np.swapaxes(cells, -1, -2) for cells in inputs)), -1, -2)

        return computed(rewired(stage, ("(h t p)", "(h p t)"), ("(g t p)", "(g p t)")), forward)

    return [turned(stage) if isinstance(stage, Rotary) else stage for stage in stages]


# --- other heads ----------------------------------------------------------------------------------
class _RecutHeads(Stage):
    """Heads of Q, K or V as `view(batch · heads, tokens, d)` cuts them: a row of one is not that of its token."""

    hidden = True

    def __init__(self, name: str, row: str, columns: str) -> None:
        cells = f"{name}[b {row} {columns}]"
        self.name, self.axes, self.along = f"recut_{name}", ("batch", "row", "column"), row + columns[1::2]
        self.formula = f"{cells} = {cells}"

    def forward(self, cells: Array) -> Array:
        batch, tokens, heads, width = cells.shape
        return np.swapaxes(cells.reshape(batch, heads, tokens, width), 1, 2)


_RECUT = _RecutHeads("query", "i", "(h d)"), _RecutHeads("key", "j", "(g d)"), _RecutHeads("value", "j", "(g c)")


def _cut_by_view(stages: Sequence[Stage]) -> Sequence[Stage]:
    places = {stage.target.name: place for place, stage in enumerate(stages) if stage.name == stage.target.name}
    after = {places[recut.target.name]: recut for recut in _RECUT}
    return [one for place, stage in enumerate(stages) for one in (stage, *(k for k in [after.get(place)] if k))]


class _RejoinedHeads(Stage):
    """The heads' results as `view(tokens, heads · d)` of them puts them side by side."""

    def __init__(self, stage: Stage) -> None:
        self.name, self.axes, self.heads, self.role = stage.name, stage.axes, stage.heads, stage.role
        self.formula, self.along = stage.formula, "ihc"

    def forward(self, mixed: Array) -> Array:
        batch, tokens, heads, width = mixed.shape
        return np.swapaxes(mixed, 1, 2).reshape(batch, tokens, heads, width)


def _rewired_heads(*letters: tuple[str, str]) -> Chain:
    """Return the change of a chain in which scores and outputs read the columns of other heads."""

    def chain(stages: Sequence[Stage]) -> Sequence[Stage]:
        for role in (Role.SCORE, Role.MIX):
            stages = stages_with(stages, role, lambda stage: rewired(stage, *letters))
        return stages

    return chain


# --- other masks ----------------------------------------------------------------------------------
def _flipped_mask(stages: Sequence[Stage]) -> Sequence[Stage]:
    def flipped(stage: Stage) -> Stage:
        return computed(stage, lambda *layers: ~stage.forward(*layers))

    return [flipped(stage) if isinstance(stage, Allowed) else stage for stage in stages]


def _late_scale(stages: Sequence[Stage]) -> Sequence[Stage]:
    late = [stage for stage in stages if takes(stage, Role.SCALE)]
    rest = [stage for stage in stages if not takes(stage, Role.SCALE)]
    last = max(place for place, stage in enumerate(rest) if takes(stage, Role.SCORE, Role.BIAS))
    return [*rest[: last + 1], *late, *rest[last + 1 :]]


def _masked_shares(logits: Array, temperature: Input, sink: Input, allowed: Array) -> Array:
    """Return shares of all keys, of which those of the closed ones are taken away."""
    return np.where(np.asarray(allowed, bool), _SOFTMAX.forward(logits, temperature, sink), 0.0)


def _late_mask(stages: Sequence[Stage]) -> Sequence[Stage]:
    late = computed(rewired(_SOFTMAX, ("sink[h]?", "sink[h]?, allowed[b h i j]")), _masked_shares)
    return instead(Role.WEIGHT, late)([stage for stage in stages if not takes(stage, Role.CLOSE)])


# --- other weights, of logits, temperature and sink -------------------------------------------------
_SOFTMAX = Softmax()


def _shares_along(axis: int, letter: str) -> Stage:
    """Return a softmax along another axis of the maps than the keys, the last one."""

    def forward(logits: Array, temperature: Input, _sink: Input) -> Array:
        return np.swapaxes(_SOFTMAX.forward(np.swapaxes(logits, axis, -1), temperature, None), axis, -1)

    return computed(_SOFTMAX, forward, along=letter)


def _divided(logits: Array, temperature: Input, _sink: Input = None) -> Array:
    return logits if temperature is None else logits / temperature


def _powers(logits: Array, temperature: Input, _sink: Input) -> Array:
    return np.exp(_divided(logits, temperature))


def _open_scores(logits: Array, temperature: Input, _sink: Input) -> Array:
    return np.where(np.isneginf(logits), 0.0, _divided(logits, temperature))


def _proportions(logits: Array, temperature: Input, sink: Input) -> Array:
    scores = _open_scores(logits, temperature, sink)
    closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no sum is divided by there
    return np.where(closed, 0.0, scores / scores.sum(axis=-1, keepdims=True))


def _unshifted(logits: Array, temperature: Input, sink: Input) -> Array:
    """Return the softmax as it is written: beyond e^709 there is no number, and ∞/∞ is none either."""
    powers = _powers(logits, temperature, None)
    total = powers.sum(axis=-1, keepdims=True)
    closed = np.isneginf(logits).all(axis=-1, keepdims=True)  # no maximum could be taken off there
    return np.where(closed, 0.0, powers / (total if sink is None else total + _powers(sink, temperature, None)))


def _mean_of_heads(logits: Array, temperature: Input, sink: Input) -> Array:
    weights = _SOFTMAX.forward(logits, temperature, sink)
    return np.broadcast_to(weights.mean(axis=1, keepdims=True), weights.shape)


def _counted_values(stages: Sequence[Stage]) -> Sequence[Stage]:
    counted = "allowed[b (g r) i j] * " if any(stage.boolean for stage in stages) else ""
    formula = f"mixed[b (g r) i c] = {counted}value[b j (g c)]"
    return stages_with(stages, Role.MIX, lambda mix: LinearStage(mix.name, " ".join(mix.axes), formula, role=Role.MIX))


# --- catalog --------------------------------------------------------------------------------------
_ALL = (
    Mistake(
        "not_scaled",
        N_(
            "Mistakes",
            "The scores were not scaled: before the softmax each is divided by √d_k, or multiplied by a scale that is "
            "given.",
        ),
        N_("Mistakes", "no scaling"),
        applies=lambda problem: problem.effective_scale != 1.0,
        problem=lambda problem: _scaled(problem, 1.0),
    ),
    Mistake(
        "divided_by_d_k",
        N_("Mistakes", "The scores were divided by d_k: it has to be its square root, √d_k."),
        N_("Mistakes", "divided by {d_k}, not √{d_k}"),
        applies=lambda problem: _has_root(problem) and problem.d_k > 1,
        problem=lambda problem: _scaled(problem, 1.0 / problem.d_k),
    ),
    Mistake(
        "divided_by_root_d_model",
        N_(
            "Mistakes", "The scores were divided by the root of the width of all heads: each head has d_k columns only."
        ),
        applies=lambda problem: _has_root(problem) and _has_heads(problem),
        problem=lambda problem: _scaled(problem, float((problem.num_heads * problem.d_k) ** -0.5)),
    ),
    Mistake(
        "multiplied_by_root",
        N_("Mistakes", "The scores were multiplied by √d_k: they have to be divided by it."),
        applies=lambda problem: _has_root(problem) and problem.d_k > 1,
        problem=lambda problem: _scaled(problem, float(problem.d_k**0.5)),
    ),
    Mistake(
        "scaled_after_mask",
        N_(
            "Mistakes",
            "The scale came after the mask or bias that is added: it has to come before, on the scores alone.",
        ),
        applies=lambda problem: (
            problem.effective_scale != 1.0 and any(layer.enabled and layer.adds for layer in problem.mask)
        ),
        chain=_late_scale,
    ),
    Mistake(
        "root_forgotten",
        N_("Mistakes", "The root was forgotten: this is the number under it."),
        applies=lambda problem: False,  # no cell is asked for
        of_root=lambda root: root * root,
    ),
    Mistake(
        "root_inverted",
        N_("Mistakes", "This is one over the root: the root itself is asked for."),
        applies=lambda problem: False,
        of_root=lambda root: 1 / root if root else None,
    ),
    Mistake(
        "key_not_transposed",  # it goes unnoticed where a head of K is square
        N_("Mistakes", "Rows of Q were multiplied by columns of K: a score takes a row of Q and a row of K, Q·Kᵀ."),
        N_("Mistakes", "K not transposed"),
        applies=lambda problem: SCORES[problem.score].dot and problem.m == problem.d_k,
        chain=reading_other_cells(Role.SCORE, ("key[b j (g d)]", "key[b d (g j)]")),
    ),
    Mistake(
        "query_key_swapped",  # it goes unnoticed with as many queries as keys
        N_("Mistakes", "Queries and keys were exchanged: rows belong to the queries and columns to the keys, Q·Kᵀ."),
        N_("Mistakes", "Q and K exchanged"),
        applies=lambda problem: SCORES[problem.score].dot and problem.m == problem.n > 1,
        chain=reading_other_cells(Role.SCORE, ("query[b i", "query[b j"), ("key[b j", "key[b i")),
    ),
    Mistake(
        "heads_cut_by_view",  # the axes were never exchanged
        N_(
            "Mistakes",
            "The heads were cut by view or reshape alone, which mixes tokens: split the columns of each row into "
            "heads, then exchange the axes of tokens and heads.",
        ),
        applies=lambda problem: _has_heads(problem) and max(problem.n, problem.m) > 1,
        chain=_cut_by_view,
    ),
    Mistake(
        "heads_interleaved",  # head g takes the columns g, g + h, g + 2h … instead of d_k neighbors
        N_("Mistakes", "The heads were split in turns, column by column: each head takes d_k columns side by side."),
        applies=_has_heads,
        chain=_rewired_heads(
            ("(g r d)", "(d g r)"),
            ("(g d)", "(d g)"),
            ("(g f)", "(f g)"),  # keys of a width of their own
            ("value[b j (g c)]", "value[b j (c g)]"),
        ),
    ),
    Mistake(
        "kv_heads_tiled",
        N_(
            "Mistakes",
            "The shared K/V heads were tiled, 0 1 0 1: each has to be repeated for its own group of query heads, "
            "0 0 1 1.",
        ),
        applies=lambda problem: 1 < problem.num_kv_heads < problem.num_heads,
        chain=_rewired_heads(("(g r", "(r g")),
    ),
    Mistake(
        "projection_transposed",  # W as nn.Linear keeps it, [out, in]; it goes unnoticed where all are square
        N_("Mistakes", "Rows of X were multiplied by rows of W: it has to be X·W, with the columns of W."),
        applies=lambda problem: (
            problem.projected
            and all(1 < rows == columns for rows, columns in (getattr(problem, name).shape for name in WEIGHTS))
        ),
        chain=_transposed_projections,
    ),
    Mistake(
        "value_not_projected",
        N_("Mistakes", "The rows of X were weighted themselves: the values V = X·W_V have to be computed first."),
        applies=lambda problem: problem.projected and problem.d_context == problem.num_kv_heads * problem.d_v,
        chain=_unprojected_values,
    ),
    Mistake(
        "rotary_neighbors",  # positions turn the columns 2p and 2p + 1 together, as in the paper
        N_(
            "Mistakes",
            "The rotation paired neighboring columns, (0, 1), (2, 3) …: here each column turns with the one half a "
            "head further on, (0, d_k/2) …",
        ),
        applies=lambda problem: problem.turns and problem.d_k > 2,
        chain=_turned_neighbors,
    ),
    Mistake(
        "no_softmax",
        N_(
            "Mistakes",
            "The scores were taken as they are: the softmax makes each row of them weights that add up to 1.",
        ),
        applies=_has_softmax,
        chain=instead(Role.WEIGHT, computed(_SOFTMAX, _open_scores)),
    ),
    Mistake(
        "softmax_down_columns",
        N_("Mistakes", "The softmax went down the columns: each row, the keys of one query, has to add up to 1."),
        N_("Mistakes", "normalized by column"),
        applies=lambda problem: _has_softmax(problem) and max(problem.n, problem.m) > 1,
        chain=instead(Role.WEIGHT, _shares_along(-2, "i")),
    ),
    Mistake(
        "softmax_over_heads",
        N_(
            "Mistakes",
            "The softmax went over the heads: each row of a head, the keys of one query, has to add up to 1.",
        ),
        applies=lambda problem: _has_softmax(problem) and _has_heads(problem),
        chain=instead(Role.WEIGHT, _shares_along(1, "h")),
    ),
    Mistake(
        "not_divided_by_z",
        N_("Mistakes", "These are the powers of e alone: each has to be divided by Z, the sum of its row."),
        N_("Mistakes", "not divided by the sum"),
        applies=_has_softmax,
        chain=instead(Role.WEIGHT, computed(_SOFTMAX, _powers)),
    ),
    Mistake(
        "no_exponential",
        N_("Mistakes", "The scores were divided by their own sum: the softmax takes e to each score first."),
        N_("Mistakes", "no exponential"),
        applies=_has_softmax,
        chain=instead(Role.WEIGHT, computed(_SOFTMAX, _proportions)),
    ),
    Mistake(
        "maximum_not_taken_off",
        N_(
            "Mistakes",
            "e to a very large score overflows (and to a very small one vanishes): take the row's largest score off "
            "first, the shares stay the same.",
        ),
        applies=_has_softmax,
        chain=instead(Role.WEIGHT, computed(_SOFTMAX, _unshifted)),
    ),
    Mistake(
        "mask_flipped",
        N_("Mistakes", "The mask was read the wrong way round: the hatched keys are those that must not count."),
        N_("Mistakes", "mask the wrong way round"),
        applies=_closes,
        chain=_flipped_mask,
    ),
    Mistake(
        "causal_too_early",
        N_("Mistakes", "The causal mask closed one key too many: a query sees the key at its own position, too."),
        applies=_is_causal,
        problem=lambda problem: _seeing(problem, -1),
    ),
    Mistake(
        "causal_too_late",
        N_("Mistakes", "The causal mask left one key too many open: a query sees none after its own position."),
        applies=_is_causal,
        problem=lambda problem: _seeing(problem, 1),
    ),
    Mistake(
        "closed_as_zero",  # the mask multiplies the scores, and a score of 0 still has a share
        N_("Mistakes", "Masked scores were set to 0, and e⁰ = 1 still counts: they have to be −∞ before the softmax."),
        N_("Mistakes", "masked with 0, not −∞"),
        applies=_closes,
        chain=instead(Role.CLOSE, computed(Mask(), lambda logits, allowed: np.where(allowed, logits, 0.0))),
    ),
    Mistake(
        "mask_added",  # which closes nothing
        N_(
            "Mistakes",
            "The mask was added to the scores as 0 and 1: what is added is 0 for an open key, −∞ for a closed one.",
        ),
        applies=_closes,
        chain=instead(Role.CLOSE, computed(Mask(), lambda logits, allowed: logits + allowed)),
    ),
    Mistake(
        "mask_after_softmax",
        N_("Mistakes", "The mask came after the softmax: it has to come before, so that the open weights add up to 1."),
        N_("Mistakes", "mask after the softmax"),
        applies=lambda problem: _has_softmax(problem) and _closes(problem),
        chain=_late_mask,
    ),
    Mistake(
        "dropout_on",
        N_(
            "Mistakes",
            "This is 1/0.9 of the right number: dropout (p = 0.1) was left on, which enlarges what it keeps.",
        ),
        applies=_has_softmax,
        chain=instead(Role.WEIGHT, computed(_SOFTMAX, lambda *inputs: _SOFTMAX.forward(*inputs) / KEPT)),
    ),
    Mistake(
        "mean_over_heads",
        N_(
            "Mistakes",
            "This comes from the mean of the weights over the heads, as nn.MultiheadAttention returns it: each head "
            "has weights of its own.",
        ),
        applies=lambda problem: _has_softmax(problem) and _has_heads(problem),
        chain=instead(Role.WEIGHT, computed(_SOFTMAX, _mean_of_heads, along="jh")),
    ),
    Mistake(
        "plain_sum",  # the weights are left out: every open key counts once
        N_("Mistakes", "The values were added up as they are: each has to be multiplied by its weight first."),
        chain=_counted_values,
    ),
    Mistake(
        "weights_transposed",  # it goes unnoticed with as many queries as keys
        N_("Mistakes", "A column of the weights was taken: the values are weighted by the row of their query."),
        applies=lambda problem: problem.m == problem.n > 1,
        chain=reading_other_cells(Role.MIX, ("weights[b (g r) i j]", "weights[b (g r) j i]")),
    ),
    Mistake(
        "heads_joined_by_view",  # the axes were never exchanged back
        N_(
            "Mistakes",
            "The heads were put together by view or reshape alone: exchange the axes of heads and tokens first, so "
            "that each row holds all heads of its token.",
        ),
        applies=lambda problem: _has_heads(problem) and problem.n > 1 and prod(problem.map_shape) <= MOST,
        chain=lambda stages: stages_with(stages, Role.JOIN, _RejoinedHeads),
    ),
)

MISTAKES: Mapping[str, Mistake] = MappingProxyType({mistake.key: mistake for mistake in _ALL})
"""The usual mistakes by their keys."""
