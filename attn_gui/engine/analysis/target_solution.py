"""“Set to…”: the smallest change that gives a cell a number; which method for which cell, by which row or a bias.

A cell of an output, or of a map where no closed formula holds (a sink, norms of Q or K, a change by hand): steps along
the gradient, `_output` and `_by_steps`. A cell of any other map:

- odds kept, by query, key or bias: a linear system for the logits, `EXACT`, and steps where the score is not linear in
  the row: `_kept`; by x Gauss–Newton for all odds at once: `_kept_by_x`;
- odds free, a weight by bias, or by query where scores are linear: the shortest change of its log-odds, `free_change`;
- odds free, anything else: steps along the gradient, `search_steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from attn_gui.engine import errors, verdicts
from attn_gui.engine.analysis import shortest_change
from attn_gui.engine.analysis.explanation import is_a_sum
from attn_gui.engine.analysis.target_solvers import (
    CellObjective,
    KeptOdds,
    RowChange,
    Solution,
    SolvedRow,
    TargetQuestion,
    by_bias,
    by_key,
    by_query,
    check_way,
    growth,
    reason_against_change,
    row_box,
)
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.checks import as_choice, as_number
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.trace import problem_in
from attn_gui.engine.graph.indices import cell, length
from attn_gui.engine.graph.nodes import as_index
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import STAGE
from attn_gui.engine.verdicts import Reason

__all__ = ["Solution", "solve"]

EXACT = {"query": by_query, "key": by_key, shortest_change.BIAS: by_bias}
COARSE, LOST = 1e-6, 1e-2  # residuals over the step: a note above the first, a refusal above the second

ODDS = ("kept", "free")


# --- targets of weights and scores ----------------------------------------------------------------
def solution_without_effect(ask: TargetQuestion, problem: Problem) -> Solution | None:
    """Return the answer where no change moves a cell, else None. Raises FieldError where the row does not count."""
    reason = reason_against_change(ask)
    if reason is not None:
        return Solution(problem, ask.reached, math.inf, False, reason, ask.cells.field, ask.box)
    check_way(ask)
    return None


def answer_map(ask: TargetQuestion, odds: str | None) -> Solution:
    """Return the answer for a cell of a map that can be moved; `odds` as asked for."""
    free = (odds or _default(ask)) == "free" and ask.by != "key"
    if free and not (ask.by == shortest_change.BIAS and not ask.of_weight):
        return _free(ask, asked=odds is not None)
    return _kept_by_x(ask) if ask.by == "x" else _kept(ask)


def _default(ask: TargetQuestion) -> str:
    """Return "kept" where the odds can probably be kept, so that the linear system has a solution, else "free"."""
    if ask.by not in ("query", "x"):
        return "kept"
    few = int(ask.row.open.sum()) <= ask.problem.d_k + 1
    return "kept" if few and (ask.by == "x" or _linear(ask)) else "free"


def _linear(ask: TargetQuestion) -> bool:
    """Return whether the stage is linear in the query row, up to a number that all keys share."""
    problem, score = ask.problem, SCORES[ask.problem.score]
    linear = score.slope(problem.score_params) is not None and (ask.of_weight or not score.common)
    return problem.softcap is None and linear


# --- kept ----------------------------------------------------------------------------------------
def _kept(ask: TargetQuestion) -> Solution:
    before, asked = ask.row.logits, growth(ask)
    step = EXACT[ask.by](ask, asked)
    if step.score is not None:
        count, left = shortest_change.search_steps(CellObjective(ask, ask.evaluation.scores, step.score))
        step = _judged(step, count, left, shortest_change.CLOSE[ask.problem.dtype] * max(1.0, abs(step.score)))
    elif step.change.any():
        ask.change(step.change)
    residual = _missed(ask, before, asked)
    step = _with_residual(step, residual, asked)
    return ask.answer(residual, step.feasible, step.reason, odds="kept", condition=step.condition)


def _kept_by_x(ask: TargetQuestion) -> Solution:
    before, asked = ask.row.logits, growth(ask)
    steps = KeptOdds(ask, asked).solve()
    residual = _missed(ask, before, asked)
    if residual <= shortest_change.CLOSE[ask.problem.dtype] * max(1.0, abs(asked)):
        return ask.answer(residual, True, Reason(verdicts.REACHED_X, steps=steps), odds="kept")
    return ask.answer(residual, False, Reason(verdicts.STUCK, steps=steps, residual=residual), odds="kept")


def _missed(ask: TargetQuestion, before: Array, asked: float) -> float:
    """Return how far the logits are from those asked for; a number common to all other keys does not count."""
    row, key, off = ask.row, ask.key, ask.reached - ask.target
    others = np.flatnonzero(np.isfinite(before) & (np.arange(len(before)) != key))
    moved = row.logits - before
    if len(others):
        moved -= moved[others[0]]  # before anything small is taken from what may be large
    rest = moved[others]
    if ask.of_weight:
        rest, off = np.append(rest, moved[key] - asked), 0.0
    apart = rest - rest.mean() if len(rest) else rest
    return math.hypot(off, length(apart))


def _judged(step: RowChange, count: int, left: float, enough: float) -> RowChange:
    """Return a step found by search, with whether it reaches the target."""
    if left > enough:
        return replace(step, feasible=False, reason=Reason(verdicts.STUCK, steps=count, residual=left))
    return replace(step, reason=Reason(verdicts.NEARBY, steps=count)) if step.feasible else step


def _with_residual(step: RowChange, residual: float, asked: float) -> RowChange:
    """Return the step with its residual, judged in the precision of the dtype."""
    size, values = max(1.0, abs(asked)), {"residual": residual, "condition": step.condition}
    if not step.feasible or residual <= COARSE * size:
        return step
    if residual <= LOST * size:
        return replace(step, reason=Reason(verdicts.INEXACT, **values))
    return replace(step, feasible=False, reason=Reason(verdicts.TOO_LONG, **values))


# --- free ----------------------------------------------------------------------------------------
def _free(ask: TargetQuestion, *, asked: bool) -> Solution:
    """Return the answer for one number alone: the shortest change of the row that gives it."""
    count, width = int(ask.row.open.sum()), ask.problem.d_k
    steps, failed = _moved(ask)
    residual = abs(ask.reached - ask.target)
    if residual > shortest_change.CLOSE[ask.problem.dtype] * max(1.0, abs(ask.target)):
        reason = failed or Reason(verdicts.STUCK, steps=steps, residual=residual)
        return ask.answer(residual, False, reason, odds="free")
    reason = Reason(verdicts.FREE, by=ask.by, steps=steps)
    if not asked and count > width + 1:
        reason = Reason(verdicts.FREE_NEEDED, by=ask.by, steps=steps, open=count, width=width)
    return ask.answer(residual, True, reason, odds="free")


def _moved(ask: TargetQuestion) -> tuple[int, Reason | None]:
    """Change the cells for the target; return the number of steps, and why it is out of reach where that is known."""
    if ask.of_weight and (ask.by == shortest_change.BIAS or (ask.by == "query" and _linear(ask))):
        row = ask.row
        change, steps, failed = shortest_change.free_change(_log_odds(ask), ask.by, ask.key)
        ask.change(_as_cells(row, ask.by, change))
        return steps, failed
    return shortest_change.search_steps(CellObjective(ask, ask.stage, ask.target))[0], None


def _log_odds(ask: TargetQuestion) -> shortest_change.LogOdds:
    """Return the objective for one weight of the row, among its open keys."""
    problem, row = ask.problem, ask.row
    wanted, temperature = row.open, problem.temperature or 1.0
    vectors, reach = None, 1.0
    if ask.by == "query":
        slope = SCORES[problem.score].slope(problem.score_params)
        assert slope is not None, "only a score that is linear in the query is asked about so"
        scale = problem.effective_scale * slope
        vectors, reach = row.key_vectors()[wanted] * scale, length(row.query_vector())
        if not (np.isfinite(vectors).all() and np.isfinite(reach)):
            raise FieldError(verdicts.WILD, stage="key")
    key = int(wanted[: ask.key].sum())
    return shortest_change.LogOdds(row.logits[wanted] / temperature, vectors, temperature, key, ask.target, reach)


def _as_cells(row: SolvedRow, by: str, change: Array) -> Array:
    """Return a change of the turned query row, or of the open keys' logits, as a change of the field's cells."""
    if by == "query":
        return row.unturned("query", row.query, change)
    found = np.zeros(row.problem.m)
    found[row.open] = change
    return found


# --- solution -------------------------------------------------------------------------------------
def solve(
    problem: Problem,
    stage: str,
    index: Sequence[int],
    target: float,
    by: str = "query",
    odds: str | None = None,
    *,
    cancelled: Callable[[], bool] = bool,
) -> Solution:
    """Return the problem in which one cell has the value `target`, for the smallest change of one row.

    Weights (target in (0, 1)) and scores, scaled scores and so on: by that `query` row, that `key` row, a `bias`, or
    the row of `x` behind the query. `odds` "kept": those among the other open keys of the row stay; "free": they go
    along; None: kept where up to d_k + 1 keys are open and the score is linear, free where they hardly ever could be
    kept, or where nothing keeps them (a sink, a norm of Q or K, a change by hand).
    Cells of an output: by query, x or bias, a nearby solution. Where there is no closed formula, steps are taken from
    several starts, with a limit of the work: what is not reached is the nearest that was found.
    `index` has one integer per axis of the stage's shape, batch included. No map is ever held.
    Raises SolvingStopped soon after `cancelled()` has become true; StageError, PlaceError, and ValueError or TypeError
    with one sentence where the question makes no sense.
    Source: the shortest solution of a linear system (Golub, Van Loan, 2013) in `target_solvers`, Gauss–Newton and
    gradient projection (Nocedal, Wright, 2006) in `shortest_change`.
    """
    problem = problem_in(problem, "solve", ", stage, index, target")
    as_choice("by", by, shortest_change.WAYS)
    odds = None if odds is None else as_choice("odds", odds, ODDS)
    target = as_number("target", target)
    _check_fields(problem, by)
    start, field = shortest_change.with_own_bias(problem) if by == shortest_change.BIAS else (problem, by)
    evaluation = RowwiseEvaluation(start)
    place = as_index(evaluation.node(stage), index)
    entry = evaluation.node(stage).stage
    _check_target(entry, target, by)
    cells = shortest_change.EditedArray(start, field)
    ask = TargetQuestion(
        evaluation, cells, _box(evaluation, cells, stage, place, by), stage, place, target, by, cancelled
    )
    if not entry.square:
        return _output(ask)
    if not evaluation.elementary:
        return _by_steps(ask, odds)
    closed = problem.sink is None and not problem.norms_heads  # there are closed formulas
    with np.errstate(all="ignore"):
        return solution_without_effect(ask, problem) or (answer_map(ask, odds) if closed else _by_steps(ask, odds))


def _by_steps(ask: TargetQuestion, odds: str | None) -> Solution:
    """Return the answer for a cell of a map without closed formulas.

    Where more than the key's own logit changes, the odds among the others cannot be kept.
    """
    kept = ask.by == "key" and ask.evaluation.elementary
    if odds == "kept" and not kept:
        raise FieldError(verdicts.NOT_KEPT)
    return replace(_output(ask), odds="kept" if kept else "free")


def _check_target(stage: Stage, target: float, by: str) -> None:
    if not stage.settable:
        raise FieldError(verdicts.UNSOLVABLE, stage=stage.name)
    if not stage.square and by == "key":
        raise FieldError(verdicts.KEY_OF_OUTPUT)
    if stage.fractions and not 0 < target < 1:
        raise FieldError(verdicts.TARGET_WEIGHT, got=target)


def _check_fields(problem: Problem, by: str) -> None:
    """Raise FieldError where the problem has no scores, or not the field that is to change."""
    if not problem.compares:
        raise FieldError(errors.NO_SCORES)
    if by == "x" and not problem.projected:
        raise FieldError(verdicts.NO_X)
    if by in ("query", "key") and problem.projected:
        raise FieldError(verdicts.PROJECTED, by=by)


def _box(
    evaluation: Evaluation, cells: shortest_change.EditedArray, stage: str, place: tuple[int, ...], by: str
) -> Box:
    """Return the cells of the field that may change: of one head for a map, of every head that an output depends on."""
    problem, item, query = evaluation.problem, place[0], place[-2]
    if by == shortest_change.BIAS:
        heads = cell(place[1:2]) if len(place) == 4 else (slice(0, problem.num_heads),)
        return shortest_change.bias_box(
            cells.array.shape, (*cell((item,)), *heads, *cell((query,)), slice(0, problem.m))
        )
    if by == "x" or not evaluation.node(stage).stage.square:
        return row_box(cells.array.shape, item, query)
    return SolvedRow(evaluation, item, place[1], query).cells(by, place[3] if by == "key" else query)


def _output(ask: TargetQuestion) -> Solution:
    if not math.isfinite(ask.reached):
        raise FieldError(verdicts.WILD, stage=ask.stage)
    steps, left = shortest_change.search_steps(CellObjective(ask, ask.stage, ask.target))
    feasible = left <= shortest_change.CLOSE[ask.problem.dtype] * max(1.0, abs(ask.target))
    reason = Reason(verdicts.NEARBY, steps=steps) if feasible else _outside(ask)
    residual = abs(ask.reached - ask.target)
    return ask.answer(residual, feasible, reason or Reason(verdicts.STUCK, steps=steps, residual=residual))


def _outside(ask: TargetQuestion) -> Reason | None:
    """Return why the target is out of reach: a weighted mean stays among its values, with a sink also 0; else None."""
    problem, evaluation, place = ask.problem, ask.evaluation, ask.place
    mean = not STAGE[ask.stage].square and is_a_sum(evaluation, ask.stage)
    if ask.by == "x" or not mean or any(record.enabled for record in problem.interventions):
        return None
    item, query, column = place[0], place[-2], place[-1]
    head, column = (place[1], column) if ask.stage == evaluation.mixed else divmod(column, problem.d_v)
    mine = evaluation.head_columns("value", head)
    box = (slice(item, item + 1), slice(0, problem.m), slice(mine.start + column, mine.start + column + 1))
    values = evaluation.fetch("value", box)[0, :, 0][SolvedRow(evaluation, item, head, query).open]
    if not len(values):
        return Reason(verdicts.CLOSED_ROW)
    low, high = float(values.min()), float(values.max())
    if problem.sink is None:
        return None if low < ask.target < high else Reason(verdicts.OUTSIDE, low=low, high=high)
    return None if min(low, 0) < ask.target < max(high, 0) else Reason(verdicts.OUTSIDE_SINK, low=low, high=high)
