"""What must hold in every problem whatever its numbers are, checked on an evaluation without a second formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from . import indices, verdicts
from .evaluation import Evaluation
from .indices import Box
from .layout import Array
from .masks import Causal, Layer, layer_from_mapping
from .problem import Problem
from .rounding import UNIT, Rounding
from .rowwise import RowwiseEvaluation
from .sentences import Note

POSITIONAL = ("causal", "window", "prefix", "alibi", "padding")
TILE = 1 << 20  # cells of the maps that are looked at together
KEEP = 1 << 26  # bytes: larger stages of other evaluations are computed by blocks
LARGEST = float(np.finfo(float).max)

Chosen = Mapping[int, Sequence[int]]  # batch item: query rows


@dataclass(frozen=True)
class Invariant:
    """`name` is a key; `holds` is None where the problem has nothing to hold; `note` says it in one sentence."""

    name: str
    holds: bool | None
    note: Note


def invariants(evaluation: Evaluation, chosen: Chosen | None = None, seed: int = 0) -> tuple[Invariant, ...]:
    """Every invariant. Those that compare with another computation look at the `chosen` rows (None: at all).

    Of a sample nothing but its rows is computed a second time; sums and zeros of the weights are looked at in all rows.
    """
    problem = evaluation.problem
    if chosen is None:
        chosen = {item: range(problem.n) for item in range(problem.batch_size)}
    with np.errstate(all="ignore"):
        return (
            rows_sum_to_one(evaluation), closed_weights_are_zero(evaluation), concat_undoes_split(evaluation, chosen),
            order_of_keys_is_free(evaluation, chosen, seed), future_has_no_influence(evaluation, chosen),
        )  # fmt: skip


# --- of the weights ------------------------------------------------------------------------------
def rows_sum_to_one(evaluation: Evaluation) -> Invariant:
    """Rows that see a key sum to 1, others are all zero; rows with a score of NaN or +∞ have no sum."""
    worst, wild, wrong = 0.0, 0, 0
    before = evaluation.stages[evaluation.stages.index("weights") - 1]
    for box in _tiles(evaluation):
        weights, logits = evaluation.fetch("weights", box), evaluation.fetch(before, box)
        strange = np.isnan(logits).any(axis=-1) | np.isposinf(logits).any(axis=-1)
        expected = np.where(np.isneginf(logits).all(axis=-1), 0.0, 1.0)
        off = np.where(strange, 0.0, np.abs(weights.sum(axis=-1) - expected))
        wild += int(strange.sum())
        wrong += int((~(off <= (weights.shape[-1] + 8) * UNIT)).sum())
        worst = max(worst, float(np.where(np.isnan(off), np.inf, off).max()))
    note = Note(verdicts.ROWS_SUM, {"difference": worst, "wrong": wrong, "wild": wild})
    return Invariant("rows_sum_to_one", not wrong, note)


def closed_weights_are_zero(evaluation: Evaluation) -> Invariant:
    """Behind a mask a weight is exactly 0, not only small."""
    if "masked" not in evaluation.stages:
        return Invariant("closed_weights_are_zero", None, Note(verdicts.NO_MASK, {}))
    closed = wrong = 0
    for box in _tiles(evaluation):
        hidden = ~evaluation.fetch("allowed", box)
        closed += int(hidden.sum())
        wrong += int((evaluation.fetch("weights", box)[hidden] != 0).sum())
    note = Note(verdicts.CLOSED_ZERO, {"count": closed, "wrong": wrong})
    return Invariant("closed_weights_are_zero", not wrong, note)


def _tiles(evaluation: Evaluation) -> Iterator[Box]:
    """Boxes of whole rows that together are the maps."""
    batch, heads, n, m = evaluation.problem.map_shape
    step = max(1, TILE // m)
    for place in np.ndindex(batch, heads):
        for low in range(0, n, step):
            yield (*indices.cell(place), slice(low, min(low + step, n)), slice(0, m))


# --- of the heads --------------------------------------------------------------------------------
def concat_undoes_split(evaluation: Evaluation, chosen: Chosen) -> Invariant:
    """Q cut into heads and put together again is Q, and the output's heads are the parts of their concatenation."""
    heads = evaluation.problem.num_heads
    cuts = [evaluation.head_columns("query", head) for head in range(heads)]
    names, holds = ("query", "head_output", "concat"), True
    for item, asked in chosen.items():
        for boxes in zip(*(row_boxes(evaluation.shape(name), item, asked) for name in names), strict=True):
            whole, output, concat = map(evaluation.fetch, names, boxes)
            again = np.concatenate([whole[..., cut] for cut in cuts], axis=-1)
            parts = [concat[..., evaluation.head_columns("concat", head)] for head in range(heads)]
            holds &= _same(again, whole) and all(_same(part, output[:, head]) for head, part in enumerate(parts))
    return Invariant("concat_undoes_split", holds, Note(verdicts.SPLIT, {"heads": heads}))


def _same(one: Array, other: Array) -> bool:
    """Bit for bit, zeros of either sign alike."""
    return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=True))


# --- of the keys ---------------------------------------------------------------------------------
def order_of_keys_is_free(evaluation: Evaluation, chosen: Chosen, seed: int = 0) -> Invariant:
    """Without positions, keys and values may change places together."""
    problem = evaluation.problem
    if problem.rotary_theta is not None or any(layer.enabled and layer.kind in POSITIONAL for layer in problem.mask):
        return Invariant("order_of_keys_is_free", None, Note(verdicts.HAS_POSITIONS, {}))
    other = _other(_reordered(problem, np.random.default_rng(seed).permutation(problem.m)), chosen)
    rounding, stage = Rounding(evaluation), evaluation.stages[-1]
    worst, holds, rows = 0.0, True, 0
    for item, asked in chosen.items():
        for box in row_boxes(evaluation.shape(stage), item, asked):
            apart = distance(evaluation.fetch(stage, box), other.fetch(stage, box))
            holds = holds and bool((apart <= np.fmin(rounding.bound(stage, box), LARGEST)).all())
            worst, rows = max(worst, float(apart.max())), rows + box[-2].stop - box[-2].start
    return Invariant("order_of_keys_is_free", holds, Note(verdicts.KEY_ORDER, {"difference": worst, "count": rows}))


def _reordered(problem: Problem, order: Array) -> Problem:
    """The keys and values in another order, and with them the columns of the mask."""
    layers = tuple(_reordered_layer(layer, order) for layer in problem.mask)
    if problem.projected:
        return problem.replace(context=problem.keys[..., order, :], mask=layers)
    return problem.replace(key=problem.key[..., order, :], value=problem.value[..., order, :], mask=layers)


def _reordered_layer(layer: Layer, order: Array) -> Layer:
    if layer.cells is None or layer.cells.shape[-1] == 1:
        return layer
    cells = np.ascontiguousarray(layer.cells[..., order])
    return layer_from_mapping(layer.to_mapping() | {layer.parameters[0].name: cells})


def future_has_no_influence(evaluation: Evaluation, chosen: Chosen) -> Invariant:
    """Under a causal layer later keys may hold NaN, and what comes before keeps every bit."""
    name, problem = "future_has_no_influence", evaluation.problem
    layer = next((layer for layer in problem.mask if layer.enabled and isinstance(layer, Causal)), None)
    if layer is None:
        return Invariant(name, None, Note(verdicts.NO_CAUSAL, {}))
    ahead = problem.m - problem.n if layer.align == "end" else 0
    cuts = {row: max(0, row + ahead + 1) for row in (0, problem.n // 2, problem.n - 1)}
    cuts = {row: key for row, key in cuts.items() if key < problem.m}
    if not cuts:
        return Invariant(name, None, Note(verdicts.NO_FUTURE, {}))
    calm = _other(problem, chosen)  # kept in the same way as the others, so that sums have the same order
    holds = all(_unmoved(calm, _other(_poisoned(problem, key), chosen), row, chosen) for row, key in cuts.items())
    return Invariant(name, holds, Note(verdicts.FUTURE, {"count": len(cuts)}))


def _poisoned(problem: Problem, first: int) -> Problem:
    """NaN from key `first` on; in self-attention the later queries hold it too."""
    names = ("key", "value") if not problem.projected else ("x",) if problem.context is None else ("context",)
    arrays = {name: np.array(getattr(problem, name)) for name in names}
    for array in arrays.values():
        array[..., first:, :] = np.nan
    return problem.replace(**arrays)


def _unmoved(calm: Evaluation, poisoned: Evaluation, last: int, chosen: Chosen) -> bool:
    """Whether the chosen rows up to `last`, and that one, are the same from the weights on."""
    stages = calm.stages[calm.stages.index("weights") :]
    for item, asked in chosen.items():
        rows = sorted({last, *(row for row in asked if row < last)})
        for stage in stages:
            for box in row_boxes(calm.shape(stage), item, rows):
                if not _same(calm.fetch(stage, box), poisoned.fetch(stage, box)):
                    return False
    return True


def _other(problem: Problem, chosen: Chosen) -> Evaluation:
    """Another computation to compare with: whole, or of a sample's rows when they are read."""
    whole = sum(map(len, chosen.values())) == problem.batch_size * problem.n
    return Evaluation(problem, KEEP) if whole else RowwiseEvaluation(problem)


# --- rows and numbers ----------------------------------------------------------------------------
def row_boxes(shape: tuple[int, ...], item: int, rows: Sequence[int]) -> list[Box]:
    """The boxes of a stage that hold the given rows of a batch item, each run of rows as one."""
    if not rows:
        return []
    starts = [row for k, row in enumerate(rows) if k == 0 or rows[k - 1] != row - 1]
    stops = [row + 1 for k, row in enumerate(rows) if k == len(rows) - 1 or rows[k + 1] != row + 1]
    outer = (*indices.cell((item,)), *indices.whole(shape[1:-2]))
    return [(*outer, slice(a, b), slice(0, shape[-1])) for a, b in zip(starts, stops, strict=True)]


def distance(one: Array, other: Array) -> Array:
    """|one − other|: 0 where both are the same infinity or both NaN, infinite where only one of them is."""
    apart = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one - other))
    return np.where(np.isnan(apart), np.inf, apart)
