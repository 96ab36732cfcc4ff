"""Invariants that hold in every problem whatever its numbers, checked on an evaluation without a second formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.rowwise import RowwiseEvaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import UNIT
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.fields import GIVEN
from attn_gui.engine.problem.masks import Causal, Layer
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES, verdicts

from .rounding import Rounding

WHOLE = 200_000  # cells of the maps: up to so many are computed again as a whole
SCANNED = 1 << 25  # cells of the weights: of larger maps a sample of tiles is looked at
TILE = 1 << 18  # cells of the maps that are looked at together
KEEP = 1 << 26  # bytes: larger stages of other evaluations are computed by blocks
LARGEST = float(np.finfo(float).max)
GIVEN_SUM = 1e-3  # by so much rows of given weights may miss 1: files round them to a few digits

Chosen = Mapping[int, Sequence[int]]  # batch item: query rows


@dataclass(frozen=True)
class Invariant:
    """`name` is a key; `holds` is None where the problem has nothing to hold; `note` says it in one sentence."""

    name: str
    holds: bool | None
    note: Note


def invariants(
    evaluation: Evaluation, chosen: Chosen | None = None, seed: int = 0, pause: Callable[[], object] = bool
) -> tuple[Invariant, ...]:
    """Every invariant. Those that compare with another computation look at the `chosen` rows (None: at all).

    The weights are looked at in all rows, or in a seeded sample of them where maps are large; a sample says so.
    `pause` is called again and again; what it raises ends the work.
    """
    problem = evaluation.problem
    if chosen is None:
        chosen = {item: range(problem.n) for item in range(problem.batch_size)}
    with np.errstate(all="ignore"):
        return (
            *of_the_weights(evaluation, seed, pause),
            concat_undoes_split(evaluation, chosen),
            order_of_keys_is_free(evaluation, chosen, seed, pause),
            future_has_no_influence(evaluation, chosen, pause),
        )


# --- of the weights ------------------------------------------------------------------------------
def of_the_weights(
    evaluation: Evaluation, seed: int = 0, pause: Callable[[], object] = bool
) -> tuple[Invariant, Invariant]:
    """Rows sum to 1, and weights behind a mask are exactly 0: both of the same tiles."""
    sums: _Sums | _GivenSums = _Sums(evaluation.problem) if evaluation.problem.compares else _GivenSums()
    zeros, rows = _Zeros(), 0
    for box in _tiles(evaluation.problem, seed):
        pause()
        sums.add(evaluation, box)
        if evaluation.closes:
            zeros.add(evaluation, box)
        rows += box[2].stop - box[2].start
    found = sums.found(), zeros.found() if evaluation.closes else NO_MASK
    every = prod(evaluation.problem.map_shape[:3])
    one, other = (_sampled(invariant, verdicts.SAMPLE_OF_WEIGHTS, rows, every) for invariant in found)
    return one, other


class _Sums:
    """Rows that see a key sum to 1, others are all zero; rows with a score or a sink of NaN or +∞ have no sum."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.worst, self.wild, self.wrong = 0.0, 0, 0

    def add(self, evaluation: Evaluation, box: Box) -> None:
        computed = evaluation.computed(evaluation.weights)
        weights, logits = evaluation.fetch(computed, box), evaluation.fetch(str(evaluation.logits), box)
        strange = np.isnan(logits).any(axis=-1) | np.isposinf(logits).any(axis=-1)
        expected, units = self._expected(logits, box)
        strange |= ~np.isfinite(expected)
        off = np.where(strange, 0.0, np.abs(weights.sum(axis=-1) - expected))
        self.wild += int(strange.sum())
        self.wrong += int((~strange & ~(off <= (weights.shape[-1] + 8 + units) * UNIT)).sum())
        self.worst = max(self.worst, float(np.where(np.isnan(off), np.inf, off).max()))

    def _expected(self, logits: Array, box: Box) -> tuple[Array, Array]:
        """The sum of every row, 1 less the share of the sink, and the units by which that may be off."""
        seen = np.where(np.isneginf(logits).all(axis=-1), 0.0, 1.0)
        if self.problem.sink is None:
            return seen, np.zeros(())
        top, temperature = logits.max(axis=-1), self.problem.temperature or 1.0
        total = np.exp((logits - top[..., None]) / temperature).sum(axis=-1)
        sink = self.problem.sink[box[1], None].astype(float)
        apart = (sink - top) / temperature
        found = np.where(np.isposinf(sink), np.nan, 1 / (1 + np.exp(apart) / total))  # a sink of +∞ takes NaN of a row
        return np.where(seen == 0, 0.0, found), np.where(seen == 0, 0.0, 4 * np.minimum(np.abs(apart), 1000.0))

    def found(self) -> Invariant:
        template = verdicts.ROWS_SUM if self.problem.sink is None else verdicts.ROWS_SUM_SINK
        note = Note(template, {"difference": self.worst, "wrong": self.wrong, "wild": self.wild})
        return Invariant("rows_sum_to_one", not self.wrong, note)


class _GivenSums:
    """Given weights are taken as they are: nothing has to hold, and what is unusual about them is said."""

    def __init__(self) -> None:
        self.worst, self.rows, self.wrong, self.negative, self.wild = 0.0, 0, 0, 0, 0

    def add(self, evaluation: Evaluation, box: Box) -> None:
        weights = evaluation.fetch(evaluation.computed(evaluation.weights), box)
        off = np.abs(weights.sum(axis=-1) - 1)
        self.rows += off.size
        self.wrong += int((off > GIVEN_SUM).sum())
        self.worst = max(self.worst, float(np.where(np.isfinite(off), off, 0.0).max()))
        self.negative += int((weights < 0).sum())
        self.wild += int((~np.isfinite(weights)).sum())

    def found(self) -> Invariant:
        counts = {"wrong": self.wrong, "count": self.rows, "negative": self.negative, "wild": self.wild}
        note = Note(verdicts.GIVEN_SUM, {**counts, "difference": self.worst, "least": GIVEN_SUM})
        return Invariant("rows_sum_to_one", None, note)


class _Zeros:
    """Behind a mask a weight is exactly 0, not only small."""

    def __init__(self) -> None:
        self.closed = self.wrong = 0

    def add(self, evaluation: Evaluation, box: Box) -> None:
        hidden = ~evaluation.fetch(str(evaluation.mask), box)
        self.closed += int(hidden.sum())
        self.wrong += int((evaluation.fetch(evaluation.weights, box)[hidden] != 0).sum())

    def found(self) -> Invariant:
        note = Note(verdicts.CLOSED_ZERO, {"count": self.closed, "wrong": self.wrong})
        return Invariant("closed_weights_are_zero", not self.wrong, note)


NO_MASK = Invariant("closed_weights_are_zero", None, Note(verdicts.NO_MASK, {}))


def _tiles(problem: Problem, seed: int) -> Iterator[Box]:
    """Boxes of whole rows that together are the maps, or a seeded sample of such boxes."""
    batch, heads, n, m = problem.map_shape
    step = min(n, max(1, TILE // m))
    down = -(-n // step)
    every = batch * heads * down
    most = max(1, SCANNED // (step * m))
    large = prod(problem.map_shape) > SCANNED and most < every
    places = np.sort(np.random.default_rng(seed).choice(every, most, replace=False)) if large else range(every)
    for place in map(int, places):
        low = place % down * step
        outer = indices.cell(divmod(place // down, heads))
        yield (*outer, slice(low, min(low + step, n)), slice(0, m))


def _sampled(invariant: Invariant, template: str, rows: int, every: int) -> Invariant:
    """Says of what was looked at in part that it was."""
    if rows == every or invariant.holds is None:
        return invariant
    return replace(invariant, note=Note(template, {"sentence": invariant.note, "count": rows, "all": every}))


def _of_queries(invariant: Invariant, problem: Problem, chosen: Chosen) -> Invariant:
    rows = sum(map(len, chosen.values()))
    return _sampled(invariant, verdicts.SAMPLE_OF_QUERIES, rows, problem.batch_size * problem.n)


# --- of the heads --------------------------------------------------------------------------------
def concat_undoes_split(evaluation: Evaluation, chosen: Chosen) -> Invariant:
    """Q cut into heads and put together again is Q, and the output's heads are the parts of their concatenation."""
    problem, joined, holds = evaluation.problem, evaluation.joined, True
    if not problem.mixes:
        return Invariant("concat_undoes_split", None, Note(verdicts.NO_HEADS, {}))
    heads = problem.num_heads
    split = ("query",) if problem.compares else ()
    cuts = [evaluation.head_columns(name, head) for name in split for head in range(heads)]
    names = evaluation.mixed, evaluation.computed(joined), *split
    for item, asked in chosen.items():
        for boxes in zip(*(row_boxes(evaluation.shape(name), item, asked) for name in names), strict=True):
            output, concat, *whole = map(evaluation.fetch, names, boxes)
            parts = [concat[..., evaluation.head_columns(joined, head)] for head in range(heads)]
            holds &= all(_same(part, output[:, head]) for head, part in enumerate(parts))
            for rows in whole:
                holds &= _same(np.concatenate([rows[..., cut] for cut in cuts], axis=-1), rows)
    found = Invariant("concat_undoes_split", holds, Note(verdicts.SPLIT, {"heads": heads}))
    return _of_queries(found, evaluation.problem, chosen)


def _same(one: Array, other: Array) -> bool:
    """Bit for bit, zeros of either sign alike."""
    return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=True))


# --- of the keys ---------------------------------------------------------------------------------
def order_of_keys_is_free(
    evaluation: Evaluation, chosen: Chosen, seed: int = 0, pause: Callable[[], object] = bool
) -> Invariant:
    """Without positions, keys and values may change places together."""
    problem = evaluation.problem
    rules = any(layer.enabled and layer.positional for layer in problem.mask) or _by_hand(problem)
    if not problem.mixes:
        return Invariant("order_of_keys_is_free", None, Note(verdicts.NO_VALUES, {}))
    if problem.turns or rules or not SCORES[problem.score].equal_keys:
        return Invariant("order_of_keys_is_free", None, Note(verdicts.HAS_POSITIONS, {}))
    other = _other(_reordered(problem, np.random.default_rng(seed).permutation(problem.m)), chosen)
    rounding, stage = Rounding(evaluation), evaluation.stages[-1]
    worst, holds, rows = 0.0, True, 0
    for item, asked in chosen.items():
        for box in row_boxes(evaluation.shape(stage), item, asked):
            pause()
            apart = distance(evaluation.fetch(stage, box), other.fetch(stage, box))
            holds = holds and bool((apart <= np.fmin(rounding.bound(stage, box), LARGEST)).all())
            worst, rows = max(worst, float(apart.max())), rows + box[-2].stop - box[-2].start
    note = Note(verdicts.KEY_ORDER, {"difference": worst, "count": rows})
    return _of_queries(Invariant("order_of_keys_is_free", holds, note), problem, chosen)


def _by_hand(problem: Problem) -> bool:
    """Whether an intervention is carried out: it speaks of places."""
    return any(record.enabled for record in problem.interventions)


def _reordered(problem: Problem, order: Array) -> Problem:
    """The keys and values in another order, and with them the columns of the mask."""
    layers = tuple(_reordered_layer(layer, order) for layer in problem.mask)
    if problem.projected:
        axes = {"context": -2}
    else:
        axes = {"key": -2, "value": -2} if problem.compares else {GIVEN: -1, "value": -2}
    arrays = {"context": problem.keys} if problem.projected else problem.arrays()
    moved = {name: np.ascontiguousarray(np.take(arrays[name], order, axis=axis)) for name, axis in axes.items()}
    return Problem.over(problem.fields() | moved | {"mask": layers})


def _reordered_layer(layer: Layer, order: Array) -> Layer:
    if layer.cells is None or layer.cells.shape[-1] == 1:
        return layer
    cells = np.ascontiguousarray(layer.cells[..., order])
    return layer.changed(**{layer.table: cells})


def future_has_no_influence(evaluation: Evaluation, chosen: Chosen, pause: Callable[[], object] = bool) -> Invariant:
    """Under a causal layer later keys may hold NaN, and what comes before keeps every bit."""
    name, problem = "future_has_no_influence", evaluation.problem
    layer = next((layer for layer in problem.mask if layer.enabled and isinstance(layer, Causal)), None)
    if _by_hand(problem):
        return Invariant(name, None, Note(verdicts.BY_HAND, {}))
    if layer is None:
        return Invariant(name, None, Note(verdicts.NO_CAUSAL, {}))
    ahead = problem.m - problem.n if layer.align == "end" else 0
    cuts = {row: max(0, row + ahead + 1) for row in (0, problem.n // 2, problem.n - 1)}
    cuts = {row: key for row, key in cuts.items() if key < problem.m}
    if not cuts:
        return Invariant(name, None, Note(verdicts.NO_FUTURE, {}))
    rowwise = isinstance(evaluation, RowwiseEvaluation) and not _is_whole(problem, chosen)
    calm = evaluation if rowwise else _other(problem, chosen)  # as the others are kept: sums have the same order
    holds = all(
        _unmoved(calm, _other(_poisoned(problem, key), chosen), row, chosen, pause) for row, key in cuts.items()
    )
    return _of_queries(Invariant(name, holds, Note(verdicts.FUTURE, {"count": len(cuts)})), problem, chosen)


def _poisoned(problem: Problem, first: int) -> Problem:
    """NaN from key `first` on; in self-attention the later queries hold it too."""
    names = ("key", "value") if not problem.projected else ("x",) if problem.context is None else ("context",)
    arrays = {name: np.array(getattr(problem, name)) for name in names}
    for array in arrays.values():
        array[..., first:, :] = np.nan
    return Problem.over(problem.fields() | arrays)


def _unmoved(calm: Evaluation, poisoned: Evaluation, last: int, chosen: Chosen, pause: Callable[[], object]) -> bool:
    """Whether the chosen rows up to `last`, and that one, are the same from the weights on."""
    stages = calm.stages[calm.stages.index(calm.weights) :]
    for item, asked in chosen.items():
        rows = sorted({last, *(row for row in asked if row < last)})
        for boxes in zip(*(row_boxes(calm.shape(stage), item, rows) for stage in stages), strict=True):
            pause()
            for stage, box in zip(stages, boxes, strict=True):
                if not _same(calm.fetch(stage, box), poisoned.fetch(stage, box)):
                    return False
    return True


def _other(problem: Problem, chosen: Chosen) -> Evaluation:
    """Computation to compare with: whole, or of a sample's rows when they are read."""
    return Evaluation(problem, KEEP) if _is_whole(problem, chosen) else RowwiseEvaluation(problem)


def _is_whole(problem: Problem, chosen: Chosen) -> bool:
    return sum(map(len, chosen.values())) == problem.batch_size * problem.n and prod(problem.map_shape) <= WHOLE


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
