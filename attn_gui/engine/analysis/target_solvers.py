"""Solvers for a target of a row, odds kept (linear by query, key, bias; Gauss–Newton by X); the `Solution` as printed.

`target_solution.solve` chooses among them, and says there which is for what:

    by_query, by_key, by_bias  one linear system, or less: the smallest change that keeps the odds among the other keys,
                               or a proof that there is none
    KeptOdds                   the same odds where nothing is linear, as for a row of X: Gauss–Newton, several targets
    CellObjective              one cell alone, whose gap `shortest_change` searches step by step
    QuickRow                   what solving reads of a long row, read once: for answers while somebody drags a target
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from attn_gui.engine import verdicts
from attn_gui.engine.analysis.sensitivity import gradient
from attn_gui.engine.analysis.shortest_change import BIAS, EPS, EditedArray, LogOdds, gauss_newton
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.indices import cell, length
from attn_gui.engine.graph.intervention_nodes import InterventionNode
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES, Score
from attn_gui.engine.stages import STAGE
from attn_gui.engine.verdicts import Reason

SURELY_OUTSIDE = 1e-3  # of the right-hand side: so much is no rounding, whatever the condition number

FLAT = 20.0  # tanh of it is 1 in float64

MOST = 60  # steps towards several targets at once
HALVINGS = 30


# --- row of a map ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class SolvedRow:
    """The row of query `query`, head `head` and batch item `item` in all maps; numbers are float64 copies."""

    evaluation: Evaluation
    item: int
    head: int
    query: int

    @property
    def problem(self) -> Problem:
        return self.evaluation.problem

    def read(self, stage: str) -> Array:
        """Return the row in one of the maps, (m,)."""
        box = (*cell((self.item, self.head, self.query)), slice(0, self.problem.m))
        return np.array(self.evaluation.fetch(stage, box)[0, 0, 0])

    @property
    def logits(self) -> Array:
        """The logits of the row, before the temperature."""
        return self.read(self.softmax_reads)

    @property
    def softmax_reads(self) -> str:
        """The stage that the softmax reads."""
        logits = self.evaluation.logits
        assert logits is not None, "solving refuses given weights"
        return logits

    @property
    def open(self) -> Array:
        """Booleans (m,): keys that take part in the softmax. Raises ValueError where the weights are no softmax."""
        logits = self.logits
        if np.isnan(logits).any() or np.isposinf(logits).any():
            raise FieldError(verdicts.WILD, stage=self.evaluation.scores)
        return np.asarray(~np.isneginf(logits))

    # --- vectors ---------------------------------------------------------------------------------
    def _part(self, name: str, rows: slice) -> Box:
        return slice(self.item, self.item + 1), rows, self.evaluation.head_columns(name, self.head)

    def query_vector(self) -> Array:
        """Return the query as the scores read it, (d_k,): turned where positions are rotary."""
        name = self.evaluation.latest["query"]
        return np.array(self.evaluation.fetch(name, self._part(name, slice(self.query, self.query + 1)))[0, 0])

    def key_vectors(self, rows: slice | None = None) -> Array:
        """Return the keys as the scores read them, (m, d_k)."""
        name = self.evaluation.latest["key"]
        return np.array(self.evaluation.fetch(name, self._part(name, rows or slice(0, self.problem.m)))[0])

    def unturned(self, name: str, row: int, vector: Array) -> Array:
        """Return the change of a row of Q or K (`name`) that gives this one after the rotary turn; lengths stay."""
        if (latest := self.evaluation.latest[name]) == name:
            return vector
        node = self.evaluation.node(latest)
        box = self._part(name, slice(row, row + 1))
        pieces = node.pull_back(box, vector[None, None], self.evaluation.fetch)
        return np.asarray(next(piece for source, _, piece in pieces if source == node.inputs[0].name)).reshape(-1)

    def cells(self, name: str, row: int) -> Box:
        """Return the box of one head's row in `query` or `key`, or of a whole row of `x`, in the field's own axes."""
        if name == "x":
            return row_box(self.problem.x.shape, self.item, row)
        _, rows, columns = self._part(name, slice(row, row + 1))
        leading = (slice(self.item, self.item + 1),) if getattr(self.problem, name).ndim == 3 else ()
        return (*leading, rows, columns)


def row_box(shape: tuple[int, ...], item: int, row: int) -> Box:
    """Return the box of a whole row of an array that may have a batch axis."""
    leading = (slice(item, item + 1),) if len(shape) == 3 else ()
    return (*leading, slice(row, row + 1), slice(0, shape[-1]))


# --- request and answer ---------------------------------------------------------------------------
@dataclass(frozen=True)
class Solution:
    """The answer of a solver.

    `problem` holds the change; `field` and `box` are the cells it touches (a new bias layer is the last of the mask),
    `norm` its length. `reached` is the number of the cell in it. `residual` is |reached − target|; where closed
    formulas keep the odds, the root of the summed squares by which the open keys' logits miss the demand. `odds`:
    "kept" or "free" for those among the other open keys; None for output cells, and where nothing moves. `feasible`:
    whether the target can be reached, or without a closed formula was reached; if not, `problem` is the nearest, or the
    nearest found, as `reason` says. `condition` is the condition number of the linear system, 1 without one.
    """

    problem: Problem
    reached: float
    residual: float
    feasible: bool
    reason: Reason
    field: str
    box: Box
    norm: float = 0.0
    condition: float = 1.0
    odds: str | None = None

    def __repr__(self) -> str:
        cells = ", ".join(f"{cut.start}:{cut.stop}" for cut in self.box)
        return (
            f"Solution(reached={self.reached!r}, feasible={self.feasible}, residual={self.residual:.3g}, "
            f"norm={self.norm:.6g}, odds={self.odds!r}, {self.field}[{cells}], reason={str(self.reason)!r})"
        )


@dataclass
class TargetQuestion:
    """A target for one cell of a stage, and the cells that may change for it: those of `box`, by the field `by`.

    `old` are the numbers of these cells before any change.
    """

    evaluation: Evaluation
    cells: EditedArray
    box: Box
    stage: str
    place: tuple[int, ...]
    target: float
    by: str
    cancelled: Callable[[], bool]

    def __post_init__(self) -> None:
        self.old = np.array(self.cells.array[self.box], float)

    @property
    def row(self) -> SolvedRow:
        """The row in which the cell of a map is."""
        return SolvedRow(self.evaluation, *self.place[:3])

    @property
    def key(self) -> int:
        return self.place[-1]

    @property
    def of_weight(self) -> bool:
        """Whether the cell is a share of its row, which is moved by its log-odds."""
        return STAGE[self.stage].shares

    @property
    def problem(self) -> Problem:
        return self.evaluation.problem

    @property
    def reached(self) -> float:
        """The present number of the cell."""
        return float(self.evaluation.box(self.stage, cell(self.place)).item())

    def change(self, values: Array) -> None:
        """Set the cells that may change to their old numbers plus `values`."""
        self.cells.write(self.evaluation, self.box, self.old + values.reshape(self.old.shape))

    def slope(self, stage: str, box: Box, weights: Array) -> Array:
        """Return the gradient of Σ weights · stage over a box by the cells that may change, in their shape."""
        return gradient(self.evaluation, stage, box, weights, self.cells.field)[self.box]

    def answer(
        self, residual: float, feasible: bool, reason: Reason, *, odds: str | None = None, condition: float = 1.0
    ) -> Solution:
        """Return the solution that the cells hold now."""
        return Solution(
            self.cells.problem(),
            self.reached,
            residual,
            feasible,
            reason,
            self.cells.field,
            self.box,
            self.cells.moved(self.box, self.old),
            condition,
            odds,
        )


# --- least squares --------------------------------------------------------------------------------
@dataclass(frozen=True)
class LeastSquares:
    """The shortest `x` with the smallest ‖A x − b‖; `met` if that is 0 up to rounding."""

    x: Array
    rank: int
    condition: float
    met: bool


def shortest(matrix: Array, right: Array, demands: int, size: float) -> LeastSquares:
    """Solve least squares by singular values (Golub, Van Loan, "Matrix Computations", 2013, §5.5).

    `matrix` is (equations, unknowns), of which at most `demands` are independent; `size` is the norm of the numbers
    whose differences are its entries. b is in the range of A if adding it as a column does not raise the rank.
    """
    left, values, across = np.linalg.svd(matrix, full_matrices=False)
    size = max(size, float(values[0]))
    rank = int((values > max(matrix.shape) * EPS * size).sum())
    along = left[:, :rank].T @ right
    outside = length(right - left[:, :rank] @ along)
    slack = 8 * max(matrix.shape) * EPS * size / float(values[rank - 1]) if rank else 0.0
    met = rank == demands or outside <= min(SURELY_OUTSIDE, slack) * length(right)
    condition = float(values[0] / values[rank - 1]) if rank else 1.0
    return LeastSquares(across[:rank].T @ (along / values[:rank]), rank, condition, met)


def centered(matrix: Array) -> Array:
    """Return rows less their mean: equations to each of which the same number may be added."""
    return np.asarray(matrix - matrix.mean(axis=0)) if len(matrix) else matrix


# --- exact targets --------------------------------------------------------------------------------
# Targets of weights and scores by one linear system, whose rank decides whether a change can reach them.
#
# K Δq = √d_k (δ e_j + c 1) for a query row, with c free; q · Δk = √d_k δ for a key row; δ e_j + c 1 itself for a
# bias.
@dataclass(frozen=True)
class RowChange:
    """The change of one row, before rounding; or `score`, a target for the score to be found step by step."""

    change: Array
    feasible: bool
    reason: Reason
    condition: float = 1.0
    score: float | None = None


def reason_against_change(ask: TargetQuestion) -> Reason | None:
    """Return why no change can move the cell; None where one can. Raises FieldError where it is not finite."""
    row, key = ask.row, ask.key
    if ask.of_weight:
        if not row.open[key]:
            return Reason(verdicts.CLOSED, key=key)
        if row.open.sum() == 1 and row.problem.sink is None:
            return Reason(verdicts.ALONE, key=key)
    value = row.read(ask.stage)[key]
    if STAGE[ask.stage].behind_mask and np.isneginf(value):
        return Reason(verdicts.CLOSED, key=key)
    if not np.isfinite(value):
        raise FieldError(verdicts.WILD, stage=ask.stage)
    return None


def check_way(ask: TargetQuestion) -> None:
    """Raise FieldError where the cell does not depend on the field that is to change."""
    stages, biased = ask.evaluation.stages, ask.evaluation.part(Role.BIAS)
    if ask.by != BIAS:
        _score_of(ask.problem)
    elif biased is not None and stages.index(ask.stage) < stages.index(biased):
        raise FieldError(verdicts.BEFORE_BIAS, stage=ask.stage)


def growth(ask: TargetQuestion) -> float:
    """Return by how much the cell has to grow; of a weight, by how much the key's logit has to grow over all others."""
    row, key = ask.row, ask.key
    if not ask.of_weight:
        return ask.target - float(row.read(ask.stage)[key])
    temperature = row.problem.temperature or 1.0
    logits = row.logits / temperature
    others = logits[row.open & (np.arange(len(logits)) != key)]
    row_max = float(others.max())
    log_sum = row_max + math.log(float(np.exp(others - row_max).sum()))
    step = temperature * (math.log(ask.target) - math.log1p(-ask.target) - (float(logits[key]) - log_sum))
    if not math.isfinite(step):
        raise FieldError(verdicts.WILD, stage=ask.stage)
    return step


def by_query(ask: TargetQuestion, step: float) -> RowChange:
    """Return the smallest change of the query by which the cell grows by `step`, see `growth`; the odds stay.

    Raises FieldError where the cell is not linear in the query, and where Q or K are not finite.
    """
    problem, row = ask.problem, ask.row
    score, slope = _score_of(problem), SCORES[problem.score].slope(problem.score_params)
    if slope is None:
        raise FieldError(verdicts.NOT_LINEAR, score=problem.score)
    if problem.softcap is not None:
        raise FieldError(verdicts.SOFTCAP_QUERY)
    if score.common and not ask.of_weight:
        raise FieldError(verdicts.GAUSSIAN_SCORE)
    keys, scale = row.key_vectors(), problem.effective_scale * slope
    here = np.arange(len(keys)) == ask.key
    if ask.of_weight:
        wanted = row.open
        matrix, right = centered(keys[wanted] * scale), centered(np.where(here[wanted], step, 0.0))
        demands = len(matrix) - 1
    else:
        others = keys[row.open & ~here] * scale
        own = keys[here] * (1.0 if ask.stage == ask.evaluation.scores else scale)
        matrix = np.concatenate([own, centered(others)]) if len(others) else own
        right = np.concatenate([[step], np.zeros(len(others))])
        demands = max(len(others), 1)
    if not (np.isfinite(matrix).all() and np.isfinite(row.query_vector()).all()):
        raise FieldError(verdicts.WILD, stage="key")
    solved = shortest(matrix, right, demands, length(keys[row.open | here]) * abs(scale))
    reason = Reason(verdicts.REACHED, by="query")
    if not solved.met:
        reason = Reason(verdicts.UNREACHABLE, rank=solved.rank, more=solved.rank + 1)
    return RowChange(row.unturned("query", row.query, solved.x), solved.met, reason, solved.condition)


def by_key(ask: TargetQuestion, step: float) -> RowChange:
    """Return the smallest change of the key by which the cell grows by `step`, see `growth`.

    Raises FieldError where the query or the key is not finite.
    """
    row, key, score = ask.row, ask.key, _score_of(ask.problem)
    score_step, cap = _score_step(ask, step)
    if score_step is None:
        return RowChange(np.zeros(0), False, Reason(verdicts.NO_LEVER, key=key, why="scale"))
    query, old = row.query_vector(), row.key_vectors(slice(key, key + 1))[0]
    found = score.move_key(key, query, old, score_step, row.problem.score_params)
    if found is None:
        wanted = float(row.read(row.evaluation.scores)[key]) + score_step
        return RowChange(np.zeros(0), cap is None, cap or Reason(verdicts.REACHED_KEY), score=wanted)
    if not (np.isfinite(query).all() and np.isfinite(old).all()):
        raise FieldError(verdicts.WILD, stage=row.evaluation.scores)
    move, reason = found[0], found[1] or cap
    return RowChange(row.unturned("key", key, move), reason is None, reason or Reason(verdicts.REACHED_KEY))


def _score_step(ask: TargetQuestion, step: float) -> tuple[float | None, Reason | None]:
    """Return (step of the score for one of the cell, why it is limited); None for the step where the scale is 0."""
    problem, evaluation, reason = ask.problem, ask.evaluation, None
    if ask.stage == evaluation.scores:
        return step, None
    if problem.effective_scale == 0:
        return None, None
    scaled_scores, capped = evaluation.part(Role.SCALE), evaluation.part(Role.CAP)
    if problem.softcap is not None and scaled_scores and capped and ask.stage != scaled_scores:
        cap, scaled = problem.softcap, float(ask.row.read(scaled_scores)[ask.key])
        needed = float(ask.row.read(capped)[ask.key]) + step
        if abs(needed) >= cap:
            reason = Reason(verdicts.CAPPED, cap=cap, needed=needed)
            step = math.copysign(FLAT * cap, needed) - scaled
        else:
            step = cap * math.atanh(needed / cap) - scaled
    return step / problem.effective_scale, reason


def _score_of(problem: Problem) -> Score:
    """Return the score function. Raises FieldError for one that nothing moves."""
    score = SCORES[problem.score]
    if not score.looks:
        raise FieldError(verdicts.AVERAGE)
    return score


def by_bias(ask: TargetQuestion, step: float) -> RowChange:
    """Return the smallest change of a bias by which the cell grows by `step`, see `growth`; the odds stay."""
    change = np.where(np.arange(ask.problem.m) == ask.key, step, 0.0)
    if ask.of_weight:
        change[ask.row.open] = centered(change[ask.row.open])
    return RowChange(change, True, Reason(verdicts.REACHED, by=BIAS))


# --- targets that move ----------------------------------------------------------------------------
# Quick answers to a target that moves, for a weight or score of a long row: what solving reads is read once.
#
# The target is reached, by a change of the query that is next to the shortest: it is not shortened any further.
@dataclass(frozen=True)
class QuickRow:
    """A query whose scores are linear in it: `vectors` (open keys, d_k) are their gradients.

    `values` are the logits over the temperature for a weight, the stage's own numbers for a score.
    """

    row: SolvedRow
    box: Box
    start: Array
    values: Array
    vectors: Array
    key: int
    size: float  # of the query
    of_weight: bool

    def at(self, target: float) -> tuple[Array, float]:
        """Return (numbers of the row, number of the cell with them) for a target."""
        if not self.of_weight:
            vector = self.vectors[self.key]
            size = length(vector)
            step = (target - float(self.values[self.key])) / size / size
            return self._cells(vector * step), target
        question = LogOdds(self.values, self.vectors, 1.0, self.key, target, self.size)
        change = gauss_newton(question, question.zero)[0]
        return self._cells(change), 1 / (1 + math.exp(-question.value(change)))

    def _cells(self, change: Array) -> Array:
        """Return the row after a change of the query as the scores read it."""
        turned = self.row.unturned("query", self.row.query, change)
        return np.asarray(self.start + turned.reshape(self.start.shape))


def quick_row(problem: Problem, stage: str, index: Sequence[int]) -> QuickRow | None:
    """Return the row of a cell for which `solve` leaves the odds free by default, for answers while somebody drags.

    None for short rows, for closed cells, and where scores are not linear in the query or changed by interventions, or
    weights are no softmax.
    """
    entry, slope = STAGE[stage], SCORES[problem.score].slope(problem.score_params)
    if slope is None or not _is_quick(problem, stage):
        return None
    item, head, query, key = index
    row = SolvedRow(RowwiseEvaluation(problem), item, head, query)
    wanted = row.open
    if not wanted[key] or wanted.sum() <= problem.d_k + 1:
        return None
    temperature = (problem.temperature or 1.0) if entry.shares else 1.0
    scale = slope * (1.0 if stage == row.evaluation.scores else problem.effective_scale) / temperature
    vectors, values = row.key_vectors()[wanted] * scale, row.logits if entry.shares else row.read(stage)
    place = int(wanted[:key].sum())
    size = length(row.query_vector())
    if not (np.isfinite(vectors).all() and np.isfinite(size) and vectors[place].any()):
        return None
    box = row.cells("query", query)
    start = np.array(problem.query[box], float)
    return QuickRow(row, box, start, values[wanted] / temperature, vectors, place, size, entry.shares)


def _is_quick(problem: Problem, stage: str) -> bool:
    """Return whether the cells of a stage are linear in the query, or odds of a softmax of what is."""
    entry, score = STAGE[stage], SCORES[problem.score]
    computed = not any(record.enabled for record in problem.interventions)
    linear = problem.softcap is None and not problem.norms_heads and not (score.common and not entry.shares)
    softmax = NORMALIZERS[problem.normalize].elementary and problem.sink is None
    return entry.square and not problem.projected and computed and linear and softmax


# --- probing --------------------------------------------------------------------------------------
class SolvingStopped(Exception):
    """The search was canceled."""


class CellObjective:
    """The distance of one cell of a stage from a target: an objective for `shortest_change.search_steps`.

    `stage` and `target` are those of the question, or a stage of the same axes before it. A weight is measured by its
    log-odds, but not after an intervention, nor where it is of no softmax: there it may leave the range from 0 to 1.
    """

    def __init__(self, ask: TargetQuestion, stage: str, target: float) -> None:
        self._ask, self._stage, self._looks = ask, stage, 0
        node = ask.evaluation.node(stage)
        self._odds = STAGE[stage].shares and node.stage.elementary and not isinstance(node, InterventionNode)
        self._target = math.log(target) - math.log1p(-target) if self._odds else target
        self.enough = 16 * float(np.finfo(ask.problem.dtype).eps) * max(1.0, abs(self._target))
        self.length = max(1.0, length(ask.old[np.isfinite(ask.old)]))
        self.zero = np.zeros(ask.old.shape)

    def allow(self, looks: int) -> None:
        self._looks = looks

    @property
    def over(self) -> bool:
        return self._looks <= 0

    def gap(self, change: Array) -> float:
        if self._ask.cancelled():
            raise SolvingStopped
        self._looks -= 1
        self._ask.change(change)
        with np.errstate(all="ignore"):
            if self._odds:
                return self._target - self._log_odds()
            return self._target - float(self._ask.evaluation.fetch(self._stage, cell(self._ask.place)).item())

    def slope(self, change: Array) -> Array:
        self._looks -= 1  # it takes as long
        place = self._ask.place
        with np.errstate(all="ignore"):
            if not self._odds:
                return self._ask.slope(self._stage, cell(place), np.ones((1,) * len(place)))
            box = (*cell(place[:3]), slice(0, self._ask.problem.m))
            weights = -self._others_weights()
            weights[self._ask.key] = 1.0
            return self._ask.slope(self._ask.row.softmax_reads, box, weights[None, None, None] / self._temperature)

    @property
    def _temperature(self) -> float:
        return self._ask.problem.temperature or 1.0

    def _log_odds(self) -> float:
        logits, key = self._ask.row.logits / self._temperature, self._ask.key
        others = np.append(np.delete(logits, key), self._sink)
        row_max = float(others.max())
        return float(logits[key]) - row_max - math.log(float(np.exp(others - row_max).sum()))

    def _others_weights(self) -> Array:
        """Return the weights (m,) that the other keys have without this one, beside the sink; 0 for the key."""
        logits = self._ask.row.logits / self._temperature
        logits[self._ask.key] = -np.inf
        top = max(float(logits.max()), self._sink)
        powers = np.exp(logits - top)
        return np.asarray(powers / (powers.sum() + math.exp(self._sink - top)))

    @property
    def _sink(self) -> float:
        """The sink of the head over the temperature; −∞ where there is none."""
        sink = self._ask.problem.sink
        return -math.inf if sink is None else float(sink[self._ask.place[1]]) / self._temperature


class KeptOdds:
    """Several targets at once: one cell of a row, and the odds among the other open keys, which stay."""

    def __init__(self, ask: TargetQuestion, step: float) -> None:
        self._ask, self._row, self._key = ask, ask.row, ask.key
        self._together = ask.of_weight
        self._stage = self._row.softmax_reads if self._together else ask.stage
        self._open, self._before = self._row.open, self._row.logits
        self._asked = float(self._row.read(self._stage)[self._key]) + step

    def solve(self) -> int:
        """Return the number of steps, of Gauss–Newton with the shortest change (Nocedal, Wright, 2006, §10.3)."""
        change, left = np.zeros(self._ask.old.shape), self._off()
        for count in range(MOST):
            if length(left) <= 1e-13 * max(1.0, abs(self._asked)):
                return count
            slopes = self._slopes()
            aim = np.linalg.lstsq(slopes, slopes @ change.ravel() - left, rcond=1e-12)[0].reshape(change.shape)
            share = 1.0
            for _ in range(HALVINGS):
                now = self._tried(change + share * (aim - change))
                if length(now) < length(left):
                    break
                share /= 2
            else:
                self._tried(change)
                return count
            change, left = change + share * (aim - change), now
        return MOST

    def _tried(self, change: Array) -> Array:
        self._ask.change(change)
        return self._off()

    def _off(self) -> Array:
        """Return by how much each demand is missed, in the order of the rows of `_slopes`."""
        moved = self._row.logits - self._before
        own = float(self._row.read(self._stage)[self._key]) - self._asked
        if not self._together:
            return np.append(centered(moved[self._others]), own)
        moved[self._key] = own
        return centered(moved[self._open])

    def _slopes(self) -> Array:
        logits = self._row.softmax_reads
        rows = [self._slope(logits, int(key)) for key in np.flatnonzero(self._open if self._together else self._others)]
        if self._together:
            return centered(np.array(rows))
        others = [centered(np.array(rows))] if rows else []
        return np.concatenate([*others, self._slope(self._stage, self._key)[None]])

    @property
    def _others(self) -> Array:
        return np.asarray(self._open & (np.arange(len(self._open)) != self._key))

    def _slope(self, stage: str, key: int) -> Array:
        place = cell((*self._ask.place[:3], key))
        return self._ask.slope(stage, place, np.ones((1, 1, 1, 1))).ravel()
