"""The way back: a target for one cell, and the small change of a query row, a key row or a bias that reaches it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import verdicts
from .checks import as_choice, as_number
from .evaluation import Evaluation
from .explanation import checked_index
from .indices import Box, cell
from .layout import Array
from .problem import Problem
from .rowwise import RowwiseEvaluation
from .sentences import FieldError
from .solving import MAPS, OUTPUTS
from .solving.cells import Cells, bias_box, with_own_bias
from .solving.exact import Step, blocked, by_bias, by_key, by_query, growth
from .solving.nearby import CLOSE, approach
from .solving.row import Row
from .trace import problem_in
from .verdicts import Reason

EXACT = {"query": by_query, "key": by_key, "bias": by_bias}
COARSE, LOST = 1e-6, 1e-2  # residuals over the size of the step: above the first it is told, above the second it fails


@dataclass(frozen=True)
class Solution:
    """What was found.

    `problem` holds the change, `field` and `box` say which cells it touches (a new bias layer stands last in the mask),
    `norm` how long it is. `reached` is the cell in the new problem. `residual`: for weights and scores the root of the
    summed squares by which the logits of the open keys miss what was asked, for output cells |reached − target|.
    `feasible`: whether the target can be reached (for output cells: was reached); if not, `problem` is the nearest.
    `condition` is the condition number of the linear system, 1 where there is none.
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


def solve(problem: Problem, stage: str, index: Sequence[int], target: float, by: str = "query") -> Solution:
    """The problem in which one cell has the value `target`, for the smallest change of one row.

    Weights (target in (0, 1)) and scores, scaled scores and so on: by that `query` row, that `key` row or a `bias`,
    while the odds among the other open keys of the row stay. Cells of an output: a nearby solution, by query or bias.
    `index` has one integer per axis of the stage's shape, batch included. No map is ever held.
    Raises StageError, PlaceError, and ValueError with one sentence where the question makes no sense.
    Source: the shortest solution of a linear system (Golub, Van Loan, 2013) in `solving.exact`, Gauss–Newton (Nocedal,
    Wright, 2006) in `solving.nearby`.
    """
    problem = problem_in(problem, "solve", ", stage, index, target")
    as_choice("by", by, tuple(EXACT))
    target = as_number("target", target)
    if by != "bias" and problem.projected:
        raise FieldError(verdicts.PROJECTED, by=by)
    start, field = with_own_bias(problem) if by == "bias" else (problem, by)
    evaluation = RowwiseEvaluation(start)
    place = checked_index(evaluation.node(stage), index)
    if stage in OUTPUTS:
        return _output(problem, evaluation, Cells(start, field), stage, place, target, by)
    if stage not in MAPS:
        raise FieldError(verdicts.UNSOLVABLE, stage=stage)
    if stage == "weights" and not 0 < target < 1:
        raise FieldError(verdicts.TARGET_WEIGHT, got=target)
    with np.errstate(all="ignore"):
        return _map(problem, evaluation, Cells(start, field), stage, place, target, by)


# --- weights and scores --------------------------------------------------------------------------
def _map(
    problem: Problem, evaluation: Evaluation, cells: Cells, stage: str, place: tuple[int, ...], target: float, by: str
) -> Solution:  # fmt: skip
    item, head, query, key = place
    row = Row(evaluation, item, head, query)
    box = _box(row, cells, by, key)
    if reason := blocked(row, stage, key):
        return Solution(problem, _reached(evaluation, stage, place), math.inf, False, reason, cells.field, box)
    before, asked = row.logits, growth(row, stage, key, target)
    step, old = EXACT[by](row, stage, key, target), np.array(cells.array[box], float)
    if step.score is not None:
        count, left = approach(evaluation, cells, box, "scores", (item, head, query, key), step.score)
        step = _judged(step, count, left, CLOSE[problem.dtype] * max(1.0, abs(step.score)))
    elif step.change.any():
        cells.write(evaluation, box, old + step.change.reshape(old.shape))
    reached = _reached(evaluation, stage, place)
    residual = _missed(row, before, key, asked if stage == "weights" else None, reached - target)
    step = _told(step, residual, asked)
    return Solution(
        cells.problem(), reached, residual, step.feasible, step.reason, cells.field, box, cells.moved(box, old),
        step.condition,
    )  # fmt: skip


def _box(row: Row, cells: Cells, by: str, key: int) -> Box:
    if by != "bias":
        return row.cells(by, row.query if by == "query" else key)
    place = (*cell((row.item, row.head, row.query)), slice(0, row.problem.m))
    return bias_box(cells.array.shape, place)


def _missed(row: Row, before: Array, key: int, asked: float | None, off: float) -> float:
    """How far the logits are from what was asked; a number common to all of the others is free."""
    others = np.flatnonzero(np.isfinite(before) & (np.arange(len(before)) != key))
    moved = row.logits - before
    if len(others):
        moved -= moved[others[0]]  # before anything small is taken from what may be large
    rest = moved[others]
    if asked is not None:
        rest, off = np.append(rest, moved[key] - asked), 0.0
    apart = rest - rest.mean() if len(rest) else rest
    return math.hypot(off, float(np.linalg.norm(apart)))


def _judged(step: Step, count: int, left: float, enough: float) -> Step:
    """A step that was found by trying."""
    if left > enough:
        return replace(step, feasible=False, reason=Reason(verdicts.STUCK, steps=count, residual=left))
    return replace(step, reason=Reason(verdicts.NEARBY, steps=count)) if step.feasible else step


def _told(step: Step, residual: float, asked: float) -> Step:
    """What the numbers of the dtype have made of a step that is right on paper."""
    size, values = max(1.0, abs(asked)), {"residual": residual, "condition": step.condition}
    if not step.feasible or residual <= COARSE * size:
        return step
    if residual <= LOST * size:
        return replace(step, reason=Reason(verdicts.INEXACT, **values))
    return replace(step, feasible=False, reason=Reason(verdicts.TOO_LONG, **values))


def _reached(evaluation: Evaluation, stage: str, place: tuple[int, ...]) -> float:
    return float(evaluation.box(stage, cell(place)).item())


# --- outputs -------------------------------------------------------------------------------------
def _output(
    problem: Problem, evaluation: Evaluation, cells: Cells, stage: str, place: tuple[int, ...], target: float, by: str
) -> Solution:  # fmt: skip
    if by == "key":
        raise FieldError(verdicts.KEY_OF_OUTPUT)
    if not math.isfinite(_reached(evaluation, stage, place)):
        raise FieldError(verdicts.WILD, stage=stage)
    item, query = place[0], place[-2]
    heads = slice(place[1], place[1] + 1) if stage == "head_output" else slice(0, problem.num_heads)
    if by == "bias":
        rows = (slice(item, item + 1), heads, slice(query, query + 1), slice(0, problem.m))
        box = bias_box(cells.array.shape, rows)
    else:
        columns = slice(0, cells.array.shape[-1])
        box = (*((slice(item, item + 1),) if cells.array.ndim == 3 else ()), slice(query, query + 1), columns)
    old = np.array(cells.array[box], float)
    steps, residual = approach(evaluation, cells, box, stage, place, target)
    reached = _reached(evaluation, stage, place)
    feasible = residual <= CLOSE[problem.dtype] * max(1.0, abs(target))
    if feasible:
        reason = Reason(verdicts.NEARBY, steps=steps)
    else:
        reason = _outside(evaluation, stage, place, target) or Reason(verdicts.STUCK, steps=steps, residual=residual)
    moved = cells.moved(box, old)
    return Solution(cells.problem(), reached, abs(reached - target), feasible, reason, cells.field, box, moved)


def _outside(evaluation: Evaluation, stage: str, place: tuple[int, ...], target: float) -> Reason | None:
    """A weighted mean never leaves the values that it is of."""
    problem = evaluation.problem
    if stage not in ("head_output", "concat") and not (stage == "output" and problem.w_output is None):
        return None
    item, query, column = place[0], place[-2], place[-1]
    head, column = (place[1], column) if stage == "head_output" else divmod(column, problem.d_v)
    mine = evaluation.head_columns("value", head)
    box = (slice(item, item + 1), slice(0, problem.m), slice(mine.start + column, mine.start + column + 1))
    values = evaluation.fetch("value", box)[0, :, 0][Row(evaluation, item, head, query).open]
    if len(values) and values.min() < target < values.max():
        return None
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    return Reason(verdicts.OUTSIDE, low=low, high=high)
