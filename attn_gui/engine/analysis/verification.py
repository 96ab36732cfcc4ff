"""Verify: how far rounding may put a cell off; rows that add up to 1, closed weights, order of keys; samples.

`verify` does both. Every stage is computed anew in plain loops (`reference`) and compared cell by cell: a cell may
differ by what rounding can add up to on the way to it (`Rounding`), not by more. Beside that five things must hold:

    rows_sum_to_one          the weights of a row sum to 1, or to 0 where no key is open
    closed_weights_are_zero  behind a mask a weight is exactly 0
    concat_undoes_split      heads cut apart and joined again are what they were
    order_of_keys_is_free    without positions, keys permuted together with their values change nothing
    future_has_no_influence  under a causal mask NaN in later keys leaves every bit of earlier rows as it was

Of small maps all is compared (`WHOLE`), of larger ones a seeded sample of query rows, as the report says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import prod

import numpy as np

from attn_gui.engine import verdicts
from attn_gui.engine.analysis.mask_lint import added_switches
from attn_gui.engine.analysis.reference import UnknownKindError, reference, refuse_unknown
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import Note
from attn_gui.engine.evaluation.dense import DenseEvaluation, RowwiseEvaluation, heads_of
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.trace import Trace, problem_in
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.stage import UNIT
from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.engine.masks import Causal, Layer
from attn_gui.engine.normalizers import NORMALIZERS, Keywise
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES

SLACK = 8  # units of rounding by which a sum of weights may be off, beside one for each key
WHOLE = 200_000  # cells of the maps: up to so many are computed again as a whole
SCANNED = 1 << 25  # cells of the weights: of larger maps a sample of tiles is looked at
TILE = 1 << 18  # cells of the maps that are looked at together
KEEP = 1 << 26  # bytes: larger stages of other evaluations are computed by blocks
LARGEST = float(np.finfo(float).max)
GIVEN_SUM = 1e-3  # by so much rows of given weights may miss 1: files round them to a few digits

Chosen = Mapping[int, Sequence[int]]  # batch item: query rows

COMPARED = 1 << 21  # cells of the maps: so many are computed by the engine in another way, for the invariants
KEY_ROWS = 64  # rows of K and V that a sample holds
NOTHING = 1e-300  # a tolerance below is shown as 0: the cell was given, not computed
UNKNOWN = {
    "score": verdicts.UNKNOWN_SCORE,
    "normalization": verdicts.UNKNOWN_NORMALIZATION,
    "mask layer": verdicts.UNKNOWN_LAYER,
    "intervention": verdicts.UNKNOWN_INTERVENTION,
    "block": verdicts.UNKNOWN_BLOCK,
    "stage": verdicts.UNKNOWN_STAGE,
}
_WORDS = {True: "ok", False: "FAILED", None: "-"}
LOOPS = 200_000_000  # multiplications: where K and V of an item would need more, a sample takes them as they are


# Bounds of rounding: how far two computations of a cell may lie apart, by a running error analysis of the chain.
#
# Every stage rounds its own result (`Stage.rounding`) and hands on what its inputs have gathered (Wilkinson, 1963;
# Higham, "Accuracy and Stability of Numerical Algorithms", 2002, §3). Bounds are first order, in units of 2^−52, for
# both computations at once. Of a long problem in float32 the sums over keys are made in float32, from the scores on:
# what their bounds have gathered counts in units of 2^−23 there.
class Rounding:
    """Bounds on the rounding errors of an evaluation's cells, computed where they are read."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._nodes = {node.name: node for node in evaluation.nodes}
        self._sums = evaluation.computed(evaluation.mixed) if evaluation.mixed in evaluation.stages else ""
        self._unit = float(np.finfo(evaluation.problem.dtype).eps) / UNIT if evaluation.in_dtype else 1.0
        self._whole: dict[str, Array] = {}
        self._last: dict[str, tuple[Box, Array]] = {}  # each stage reads those before it

    def bound(self, stage: str, box: Box) -> Array:
        """Return for each cell of a box the largest difference that rounding explains, in the dtype, too."""
        dtype = np.finfo(self._evaluation.problem.dtype)
        with np.errstate(all="ignore"):
            found = self.fetch(stage, box) * UNIT
            if dtype.bits < 64:
                found = found + np.abs(self._evaluation.fetch(stage, box)) * float(dtype.eps)
            return np.where(np.isnan(found), np.inf, found + 4 * float(dtype.smallest_subnormal))

    def fetch(self, name: str, box: Box) -> Array:
        """Return the bounds of a box in units of 2^−52; 0 for what is given."""
        node = self._nodes.get(name)
        if name == "scale" and self._evaluation.problem.scale is None:  # a root of d_k, and one over it
            return 2 * np.abs(self._evaluation.fetch(name, box))
        if node is None or node.stage.boolean or self._is_exact(node):
            return np.broadcast_to(0.0, indices.shape_of(box))
        if not node.left.startswith("bj"):
            if name not in self._last or self._last[name][0] != box:
                parts = [self._compute(node, one) for one in heads_of(node, box)]
                self._last[name] = box, np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
            return self._last[name][1]
        if name not in self._whole:  # every row reads all of K and V again
            self._whole[name] = self._compute(node, indices.whole(node.shape))
        return self._whole[name][box]

    def _is_exact(self, node: Node) -> bool:
        """Return whether a node hands on what is given, or stands behind no stage."""
        hidden = node.stage.hidden and plain_name(node.name) not in self._evaluation.stages
        return hidden or (node.stage.alias and node.inputs[0].name in self._evaluation.sources)

    def _compute(self, node: Node, box: Box) -> Array:
        found = node.bound(box, self._evaluation.fetch, self.fetch)
        return found * self._unit if node.name == self._sums else found


# --- invariants -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Invariant:
    """The result of one check: `name` is its key, `holds` None where it does not apply, `note` a sentence."""

    name: str
    holds: bool | None
    note: Note


def invariants(
    evaluation: Evaluation, chosen: Chosen | None = None, seed: int = 0, pause: Callable[[], object] = bool
) -> tuple[Invariant, ...]:
    """Return all invariants; those that compare with another computation look at the `chosen` rows only (None: at all).

    The weights of all rows are checked, or of large maps those of a seeded sample, as the note says. `pause` is called
    again and again; what it raises ends the work.
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
def of_the_weights(evaluation: Evaluation, seed: int, pause: Callable[[], object]) -> tuple[Invariant, Invariant]:
    """Check that rows sum to 1 and that weights behind a mask are exactly 0, both on the same tiles."""
    sums: _Sums | _GivenSums | None = None if evaluation.problem.compares else _GivenSums()
    if evaluation.problem.compares and NORMALIZERS[evaluation.problem.normalize].shares:
        sums = _Sums(evaluation.problem)
    zeros, rows = _Zeros(), 0
    for box in _tiles(evaluation.problem, seed):
        pause()
        if sums is not None:
            sums.add(evaluation, box)
        if evaluation.closes:
            zeros.add(evaluation, box)
        rows += box[2].stop - box[2].start
    found = sums.found() if sums is not None else NO_SUM, zeros.found() if evaluation.closes else NO_MASK
    every = prod(evaluation.problem.map_shape[:3])
    one, other = (_sampled(invariant, verdicts.SAMPLE_OF_WEIGHTS, rows, every) for invariant in found)
    return one, other


class _Sums:
    """Rows that see a key sum to 1, others are all zero; rows with a NaN or +∞ among scores and sink have no sum."""

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
        self.wrong += int((~strange & ~(off <= (weights.shape[-1] + SLACK + units) * UNIT)).sum())
        self.worst = max(self.worst, float(np.where(np.isnan(off), np.inf, off).max()))

    def _expected(self, logits: Array, box: Box) -> tuple[Array, Array]:
        """Return the expected sum of every row, 1 less the share of the sink, and its error in units of 2^−52."""
        normalizer = NORMALIZERS[self.problem.normalize]
        seen = np.where(normalizer.blind(logits), 0.0, 1.0)
        if isinstance(normalizer, Keywise):  # of which one may be too large to be a number
            seen = np.where(np.isnan(normalizer.totals(normalizer.parts(logits))[..., 0]), np.nan, seen)
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
    """Given weights: no sum is required, but what is unusual about them is said."""

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
    """Behind a mask a weight is exactly 0."""

    def __init__(self) -> None:
        self.closed = self.wrong = 0

    def add(self, evaluation: Evaluation, box: Box) -> None:
        hidden = ~evaluation.fetch(str(evaluation.mask), box)
        self.closed += int(hidden.sum())
        self.wrong += int((evaluation.fetch(evaluation.weights, box)[hidden] != 0).sum())

    def found(self) -> Invariant:
        note = Note(verdicts.CLOSED_ZERO, {"count": self.closed, "wrong": self.wrong})
        return Invariant("closed_weights_are_zero", not self.wrong, note)


NO_SUM = Invariant("rows_sum_to_one", None, Note(verdicts.NO_SUM))  # the weights are no shares
NO_MASK = Invariant("closed_weights_are_zero", None, Note(verdicts.NO_MASK))


def _tiles(problem: Problem, seed: int) -> Iterator[Box]:
    """Yield boxes of whole rows that cover the maps, or a seeded sample of them."""
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
    """Return an invariant with a note that only part was checked, where so it is."""
    if rows == every or invariant.holds is None:
        return invariant
    return replace(invariant, note=Note(template, {"sentence": invariant.note, "count": rows, "all": every}))


def _of_queries(invariant: Invariant, problem: Problem, chosen: Chosen) -> Invariant:
    rows = sum(map(len, chosen.values()))
    return _sampled(invariant, verdicts.SAMPLE_OF_QUERIES, rows, problem.batch_size * problem.n)


def concat_undoes_split(evaluation: Evaluation, chosen: Chosen) -> Invariant:
    """Check that Q split into heads and joined again is Q, and that the joined output is that of the heads."""
    problem, joined, holds = evaluation.problem, evaluation.joined, True
    if not problem.mixes:
        return Invariant("concat_undoes_split", None, Note(verdicts.NO_HEADS))
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
    """Return whether arrays are equal bit for bit, but for the sign of zeros."""
    return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=True))


# --- of the keys ---------------------------------------------------------------------------------
def order_of_keys_is_free(evaluation: Evaluation, chosen: Chosen, seed: int, pause: Callable[[], object]) -> Invariant:
    """Check that without positions permuting keys together with their values changes nothing."""
    problem = evaluation.problem
    rules = any(layer.enabled and layer.positional for layer in problem.mask) or _by_hand(problem)
    if not problem.mixes:
        return Invariant("order_of_keys_is_free", None, Note(verdicts.NO_VALUES))
    if problem.turns or rules or not SCORES[problem.score].equal_keys:
        return Invariant("order_of_keys_is_free", None, Note(verdicts.HAS_POSITIONS))
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
    """Return whether an intervention is enabled: it names places, which a permutation would move."""
    return any(record.enabled for record in problem.interventions)


def _reordered(problem: Problem, order: Array) -> Problem:
    """Return the problem with keys, values and columns of the mask permuted."""
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


def future_has_no_influence(evaluation: Evaluation, chosen: Chosen, pause: Callable[[], object]) -> Invariant:
    """Check that under a causal layer NaN in later keys leaves every bit of earlier rows as it was."""
    name, problem = "future_has_no_influence", evaluation.problem
    layer = next((layer for layer in problem.mask if layer.enabled and isinstance(layer, Causal)), None)
    if _by_hand(problem):
        return Invariant(name, None, Note(verdicts.BY_HAND))
    if layer is None:
        return Invariant(name, None, Note(verdicts.NO_CAUSAL))
    ahead = problem.m - problem.n if layer.align == "end" else 0
    cuts = {row: max(0, row + ahead + 1) for row in (0, problem.n // 2, problem.n - 1)}
    cuts = {row: key for row, key in cuts.items() if key < problem.m}
    if not cuts:
        return Invariant(name, None, Note(verdicts.NO_FUTURE))
    calm = _other(problem, chosen)  # made as the poisoned ones are: sums have the same order
    holds = all(
        _unmoved(calm, _other(_poisoned(problem, key), chosen), row, chosen, pause) for row, key in cuts.items()
    )
    return _of_queries(Invariant(name, holds, Note(verdicts.FUTURE, {"count": len(cuts)})), problem, chosen)


def _poisoned(problem: Problem, first: int) -> Problem:
    """Return the problem with NaN from key `first` on; in self-attention the later queries are NaN, too."""
    names = ("key", "value") if not problem.projected else ("x",) if problem.context is None else ("context",)
    arrays = {name: np.array(getattr(problem, name)) for name in names}
    for array in arrays.values():
        array[..., first:, :] = np.nan
    return Problem.over(problem.fields() | arrays)


def _unmoved(calm: Evaluation, poisoned: Evaluation, last: int, chosen: Chosen, pause: Callable[[], object]) -> bool:
    """Return whether the chosen rows up to `last`, inclusive, are the same from the weights on."""
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
    """Return an evaluation to compare with: of everything, or for a sample of the rows that are read."""
    every = sum(map(len, chosen.values())) == problem.batch_size * problem.n
    whole = every and prod(problem.map_shape) <= WHOLE
    return DenseEvaluation(problem, KEEP) if whole else RowwiseEvaluation(problem)


# --- rows and numbers ----------------------------------------------------------------------------
def row_boxes(shape: tuple[int, ...], item: int, rows: Sequence[int]) -> list[Box]:
    """Return boxes of a stage that hold the given rows of a batch item, one for each run of rows."""
    flags = np.zeros(shape[-2], bool)
    flags[list(rows)] = True
    outer = (*indices.cell((item,)), *indices.whole(shape[1:-2]))
    return [(*outer, slice(low, high), slice(0, shape[-1])) for low, high in indices.runs(flags)]


def distance(one: Array, other: Array) -> Array:
    """Return |one − other|: 0 where both are the same infinity or both NaN, infinite where only one of them is."""
    apart = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, np.abs(one - other))
    return np.where(np.isnan(apart), np.inf, apart)


# --- verification ---------------------------------------------------------------------------------
class VerificationStopped(Exception):
    """The verification was canceled."""


@dataclass(frozen=True)
class StageCheck:
    """The worst cell of one stage: the largest difference, among cells beyond their tolerance if there are any.

    `relative` is the difference over the largest finite number of the stage. A NaN or infinity on one side only is an
    infinite difference. `cells` counts the compared cells, `wrong` those beyond their tolerance.
    """

    stage: str
    difference: float
    relative: float
    index: tuple[int, ...]
    tolerance: float
    cells: int
    wrong: int

    @property
    def within(self) -> bool:
        return not self.wrong

    def line(self) -> str:
        """Return the result in one line, as the command line prints it."""
        tolerance = self.tolerance if self.tolerance > NOTHING else 0.0
        place = f" at {self.index}" if self.difference else ""
        return (
            f"{self.stage:<24} {_WORDS[self.within]:<6} worst difference {self.difference:.3g} "
            f"(relative {self.relative:.3g}){place}, tolerance {tolerance:.3g}, {self.cells} cells"
        )


@dataclass(frozen=True)
class Report:
    """Result of `verify`: `rows` of `all_rows` query rows (batch items × n) were recomputed; `reason` explains
    tolerances.

    `unjudged` says why no stage was compared, where the reference does not know how to compute them.
    """

    stages: tuple[StageCheck, ...]
    invariants: tuple[Invariant, ...]
    rows: int
    all_rows: int
    seed: int
    reason: Note
    unjudged: Note | None = None
    suspicions: tuple[Note, ...] = ()  # what of the problem is often not meant, although it is computed rightly

    @property
    def sampled(self) -> bool:
        return self.rows < self.all_rows

    @property
    def ok(self) -> bool:
        """Whether rounding explains every difference, and every invariant that applies holds."""
        return self.complaint is None and self.unjudged is None

    @property
    def worst(self) -> float:
        """The largest difference of any cell; NaN where nothing was compared."""
        return max((check.difference for check in self.stages), default=math.nan)

    @property
    def complaint(self) -> str | None:
        """One sentence on the first thing that is wrong; None where nothing is."""
        for check in self.stages:
            if not check.within:
                return (
                    f"{check.stage} differs from the reference by {check.difference:.3g} at {check.index}, "
                    f"more than the tolerance {check.tolerance:.3g}."
                )
        broken = next((invariant for invariant in self.invariants if invariant.holds is False), None)
        return None if broken is None else f"{broken.name} does not hold: {broken.note}"

    def lines(self) -> Iterator[str]:
        """Yield the report: what was recomputed, a line for every stage and invariant, and what the tolerances are."""
        if self.unjudged is not None:
            yield str(self.unjudged)
        elif self.sampled:
            yield f"Recomputed {self.rows} of {self.all_rows} query rows in plain loops (a sample, seed {self.seed})."
        else:
            yield f"Recomputed all {self.all_rows} query rows in plain loops."
        yield from (check.line() for check in self.stages)
        for invariant in self.invariants:
            yield f"{invariant.name:<24} {_WORDS[invariant.holds]:<6} {invariant.note}"
        if self.stages:
            yield str(self.reason)
        yield from map(str, self.suspicions)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"Report(ok={self.ok}, worst={self.worst:.3g}, {len(self.stages)} stages, {self.rows} rows)"


def verify(
    source: Problem | Trace | Evaluation,
    seed: int = 0,
    *,
    cancelled: Callable[[], bool] = bool,
    progress: Callable[[float], object] = float,
) -> Report:
    """Recompute a problem in plain loops and compare every stage, cell by cell; check the invariants.

    Whole up to 200,000 cells of n·m·h (batch items counted); above that a seeded sample of query rows, with all that
    leads to them. The mask is compared as −∞ in `masked`. Each stage is compared in its own shape.
    Raises nothing because of numbers: what differs is said in the result. Raises VerificationStopped soon after
    `cancelled()` has become true; `progress` is called with the share that is done, and what it raises ends the work.
    Source: bounds of rounding as in Higham, "Accuracy and Stability of Numerical Algorithms" (2002), §3.
    """

    def pause() -> None:
        if cancelled():
            raise VerificationStopped
        done = next(steps)  # half is for the rows: how long the rest is shows only then
        progress(done / (done + problem.num_heads * max(1, rows)))

    evaluation = _evaluation(source)
    problem = evaluation.problem
    unjudged = _unjudged(evaluation)
    chosen = _chosen(problem, seed, WHOLE) if unjudged is None else {}
    rows, steps = sum(map(len, chosen.values())), count()
    return Report(
        _stages(evaluation, chosen, seed, pause) if unjudged is None else (),
        invariants(evaluation, _chosen(problem, seed, COMPARED), seed, pause),
        rows,
        problem.batch_size * problem.n,
        seed,
        Note(verdicts.ROUNDING),
        unjudged,
        tuple(note for _, note in added_switches(problem)),
    )


def _unjudged(evaluation: Evaluation) -> Note | None:
    """Return the reason why the reference cannot judge the stages; None where it can."""
    try:
        refuse_unknown(evaluation.problem, evaluation.stages)
    except UnknownKindError as unknown:
        return Note(UNKNOWN[unknown.kind], {"name": unknown.name})
    return None


def _stages(evaluation: Evaluation, chosen: Chosen, seed: int, pause: Callable[[], object]) -> tuple[StageCheck, ...]:
    """Return the comparison of the chosen rows of every stage with the reference."""
    problem, rounding = evaluation.problem, Rounding(evaluation)
    compared = {stage: _Comparison(stage) for stage in evaluation.stages}
    with np.errstate(all="ignore"):
        for item, rows in chosen.items():
            keys = _keys(problem, item, seed)
            found = reference(problem, item, rows, keys, _given(evaluation, item), pause)
            for stage, comparison in compared.items():
                pause()
                asked = keys if evaluation.node(stage).stage.by_key else rows
                comparison.add(evaluation, rounding, item, asked, np.array(found[stage]))
    return tuple(comparison.check() for comparison in compared.values())


def _evaluation(source: object) -> Evaluation:
    """Return the evaluation to verify; of a problem too large to compare as a whole one that keeps only K and V."""
    if isinstance(source, Trace):
        return source.evaluation
    if isinstance(source, Evaluation):
        return source
    problem = problem_in(source, "verify")
    small = np.prod(problem.map_shape, dtype=object) <= WHOLE
    return DenseEvaluation(problem) if small else RowwiseEvaluation(problem)


# --- what is compared ----------------------------------------------------------------------------
def _chosen(problem: Problem, seed: int, cells: int) -> dict[int, Sequence[int]]:
    """Return {batch item: query rows}: all, or a sample of about so many cells, at least one row."""
    batch, heads, n, m = problem.map_shape
    if batch * heads * n * m <= WHOLE:
        return {item: range(n) for item in range(batch)}
    count = min(batch * n, max(1, cells // (heads * m)))
    places = np.sort(np.random.default_rng(seed).choice(batch * n, count, replace=False))
    return {int(item): [int(k) % n for k in places if k // n == item] for item in np.unique(places // n)}


def _keys(problem: Problem, item: int, seed: int) -> Sequence[int]:
    if np.prod(problem.map_shape) <= WHOLE or problem.m <= KEY_ROWS:
        return range(problem.m)
    found = np.random.default_rng((seed, item)).choice(problem.m, KEY_ROWS, replace=False)
    return [int(k) for k in np.sort(found)]


def _given(evaluation: Evaluation, item: int) -> dict[str, Array]:
    """Return K and V as the engine has them, where recomputing them for a sample would take too long."""
    problem = evaluation.problem
    work = problem.m * problem.d_context * problem.num_kv_heads * (problem.d_k + problem.d_v)
    if not problem.projected or work <= LOOPS or np.prod(problem.map_shape) <= WHOLE:
        return {}
    boxes = {name: row_boxes(evaluation.shape(name), item, range(problem.m))[0] for name in ("key", "value")}
    return {name: evaluation.fetch(evaluation.computed(name), box)[0] for name, box in boxes.items()}


class _Comparison:
    """The worst cell of a stage so far."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.worst, self.index = (False, -1.0, 0.0), (0,)
        self.largest, self.cells, self.wrong = 0.0, 0, 0

    def add(self, evaluation: Evaluation, rounding: Rounding, item: int, rows: Sequence[int], expected: Array) -> None:
        expected = expected.astype(evaluation.problem.dtype).astype(float)
        start = 0
        for box in row_boxes(evaluation.shape(self.stage), item, rows):
            stop = start + box[-2].stop - box[-2].start
            found = evaluation.box(self.stage, box).astype(float)
            apart = distance(found, expected[..., start:stop, :][None])
            self._note(box, apart, rounding.bound(self.stage, box))
            self.largest = max(self.largest, float(np.where(np.isfinite(found), np.abs(found), 0.0).max()))
            start = stop

    def _note(self, box: Box, apart: Array, bound: Array) -> None:
        beyond = apart > np.fmin(bound, LARGEST)
        self.cells, self.wrong = self.cells + apart.size, self.wrong + int(beyond.sum())
        candidates = np.where(beyond, apart, -1.0) if beyond.any() else apart
        place = np.unravel_index(int(candidates.argmax()), apart.shape)
        worst = bool(beyond.any()), float(apart[place]), float(bound[place])
        if worst > self.worst:
            self.worst = worst
            self.index = tuple(int(k) + cut.start for k, cut in zip(place, box, strict=True))

    def check(self) -> StageCheck:
        _, difference, tolerance = self.worst
        relative = difference / self.largest if self.largest else difference
        return StageCheck(self.stage, difference, relative, self.index, tolerance, self.cells, self.wrong)
