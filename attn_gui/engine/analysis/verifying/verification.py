"""The engine's numbers against the plain reference, and against what must hold whatever the numbers are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from attn_gui.engine.analysis.mask_lint import added_switches
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.rowwise import RowwiseEvaluation
from attn_gui.engine.evaluation.trace import Trace, problem_in
from attn_gui.engine.problem.errors import Note
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import verdicts

from .formulas_reference import Unknown
from .invariants import LARGEST, WHOLE, Chosen, Invariant, distance, invariants, row_boxes
from .reference import reference, refuse_unknown
from .rounding import Rounding

COMPARED = 1 << 21  # cells of the maps: so many are computed by the engine in another way, for the invariants
KEY_ROWS = 64  # rows of K and V that a sample holds
NOTHING = 1e-300  # a tolerance below is shown as 0: the cell was given, not computed
UNKNOWN = {
    "score": verdicts.UNKNOWN_SCORE,
    "mask layer": verdicts.UNKNOWN_LAYER,
    "intervention": verdicts.UNKNOWN_INTERVENTION,
    "block": verdicts.UNKNOWN_BLOCK,
    "stage": verdicts.UNKNOWN_STAGE,
}
_WORDS = {True: "ok", False: "FAILED", None: "-"}
LOOPS = 200_000_000  # multiplications: where K and V of an item would need more, a sample takes them as they are


class Stopped(Exception):
    """The verification was canceled."""


@dataclass(frozen=True)
class StageCheck:
    """The worst cell of one stage: that of the largest difference, if there are any among those beyond their tolerance.

    `relative` is the difference over the largest finite number of the stage; a NaN or an infinity in one of the two
    only is an infinite difference. `cells` is the number of compared cells, `wrong` of those beyond their tolerance.
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
        """The comparison in one line, as a command line prints it."""
        tolerance = self.tolerance if self.tolerance > NOTHING else 0.0
        place = f" at {self.index}" if self.difference else ""
        return (
            f"{self.stage:<24} {_WORDS[self.within]:<6} worst difference {self.difference:.3g} "
            f"(relative {self.relative:.3g}){place}, tolerance {tolerance:.3g}, {self.cells} cells"
        )


@dataclass(frozen=True)
class Report:
    """`rows` of `all_rows` query rows (batch items × n) were recomputed; `reason` says what the tolerances are.

    `unjudged` says why there was nothing to compare with, where the reference does not know what was computed.
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
        """Whether every difference is one that rounding explains, and nothing that must hold is broken."""
        return self.complaint is None and self.unjudged is None

    @property
    def worst(self) -> float:
        """The largest difference of any cell of any stage; NaN where nothing was judged."""
        return max((check.difference for check in self.stages), default=math.nan)

    @property
    def complaint(self) -> str | None:
        """One sentence on the first thing that is wrong; None where all is well."""
        for check in self.stages:
            if not check.within:
                return (
                    f"{check.stage} differs from the reference by {check.difference:.3g} at {check.index}, "
                    f"more than the tolerance {check.tolerance:.3g}."
                )
        broken = next((invariant for invariant in self.invariants if invariant.holds is False), None)
        return None if broken is None else f"{broken.name} does not hold: {broken.note}"

    def lines(self) -> Iterator[str]:
        """The report: what was recomputed, a line for every stage and invariant, and what the tolerances are."""
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
    tell: Callable[[float], object] = float,
) -> Report:
    """Recompute a problem in plain loops and compare every stage, cell by cell; check the invariants.

    Whole up to 200,000 cells of n·m·h (batch items counted); above that a seeded sample of query rows, with all that
    leads to them. The mask is compared as −∞ in `masked`. Each stage is compared in its own shape.
    Raises nothing because of numbers: what differs is said in the result. Raises Stopped soon after `cancelled()`
    has become true; `tell` is told about what share is done, and what it raises ends the work.
    Source: bounds of rounding as in Higham, "Accuracy and Stability of Numerical Algorithms" (2002), §3.
    """

    def pause() -> None:
        if cancelled():
            raise Stopped
        done = next(steps)  # half is for the rows: how long the rest is shows only then
        tell(done / (done + problem.num_heads * max(1, rows)))

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
        Note(verdicts.ROUNDING, {}),
        unjudged,
        tuple(note for _, note in added_switches(problem)),
    )


def _unjudged(evaluation: Evaluation) -> Note | None:
    """The reason why the reference cannot judge the stages; None where it can."""
    try:
        refuse_unknown(evaluation.problem, evaluation.stages)
    except Unknown as unknown:
        return Note(UNKNOWN[unknown.kind], {"name": unknown.name})
    return None


def _stages(evaluation: Evaluation, chosen: Chosen, seed: int, pause: Callable[[], object]) -> tuple[StageCheck, ...]:
    """The chosen rows of every stage against the reference."""
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
    """Evaluation to be judged; of a problem that is too large to be compared as a whole nothing is kept but K and V."""
    if isinstance(source, Trace):
        return source.evaluation
    if isinstance(source, Evaluation):
        return source
    problem = problem_in(source, "verify")
    small = np.prod(problem.map_shape, dtype=object) <= WHOLE
    return Evaluation(problem) if small else RowwiseEvaluation(problem)


# --- what is compared ----------------------------------------------------------------------------
def _chosen(problem: Problem, seed: int, cells: int) -> dict[int, Sequence[int]]:
    """{batch item: query rows}: all, or a sample of about so many cells, at least one row."""
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
    """K and V as the engine has them, where a sample cannot afford to project them once more."""
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
