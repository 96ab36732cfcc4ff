"""Solution for a target of one cell: the small change of one row or of a bias that reaches it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from attn_gui.engine.analysis.solving.answer import Ask, Solution
from attn_gui.engine.analysis.solving.map_targets import answer_map, unmoved
from attn_gui.engine.analysis.solving.probed import Probed
from attn_gui.engine.analysis.solving.row import Row, row_box
from attn_gui.engine.analysis.solving.shortest import CLOSE, searched
from attn_gui.engine.analysis.solving.unknowns import Cells, bias_box, with_own_bias
from attn_gui.engine.arrays import Box
from attn_gui.engine.chain.node import as_index
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.rowwise import RowwiseEvaluation
from attn_gui.engine.evaluation.trace import problem_in
from attn_gui.engine.graph.indices import cell
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import as_choice, as_number
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import verdicts
from attn_gui.engine.scores.verdicts import Reason
from attn_gui.engine.stages import STAGE

from .per_query import is_a_sum
from .solving import BIAS, WAYS

__all__ = ["Solution", "solve"]

ODDS = ("kept", "free")


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
    """The problem in which one cell has the value `target`, for the smallest change of one row.

    Weights (target in (0, 1)) and scores, scaled scores and so on: by that `query` row, that `key` row, a `bias`, or
    the row of `x` behind the query. `odds` "kept": those among the other open keys of the row stay; "free": they go
    along; None: kept where up to d_k + 1 keys are open and the score is linear, free where they hardly ever could be
    kept, or where nothing keeps them (a sink, a norm of Q or K, a change by hand).
    Cells of an output: by query, x or bias, a nearby solution. Where there is no closed formula, steps are taken from
    several starts, with a limit of the work: what is not reached is the nearest that was found.
    `index` has one integer per axis of the stage's shape, batch included. No map is ever held.
    Raises Stopped soon after `cancelled()` has become true; StageError, PlaceError, and ValueError or TypeError with
    one sentence where the question makes no sense.
    Source: the shortest solution of a linear system (Golub, Van Loan, 2013) in `solving.exact`, Gauss–Newton and
    gradient projection (Nocedal, Wright, 2006) in `solving.shortest`.
    """
    problem = problem_in(problem, "solve", ", stage, index, target")
    as_choice("by", by, WAYS)
    odds = None if odds is None else as_choice("odds", odds, ODDS)
    target = as_number("target", target)
    _check_way(problem, by)
    start, field = with_own_bias(problem) if by == BIAS else (problem, by)
    evaluation = RowwiseEvaluation(start)
    place = as_index(evaluation.node(stage), index)
    entry = evaluation.node(stage).stage
    _check_target(entry, target, by)
    cells = Cells(start, field)
    ask = Ask(evaluation, cells, _box(evaluation, cells, stage, place, by), stage, place, target, by, cancelled)
    if not entry.square:
        return _output(ask)
    if not evaluation.elementary:
        return _by_steps(ask, odds)
    closed = problem.sink is None and not problem.norms_heads  # there are closed formulas
    with np.errstate(all="ignore"):
        return unmoved(ask, problem) or (answer_map(ask, odds) if closed else _by_steps(ask, odds))


def _by_steps(ask: Ask, odds: str | None) -> Solution:
    """The answer for a cell of a map without closed formulas: where more than the key's own logit moves, nothing keeps
    the odds among the others."""
    kept = ask.by == "key" and ask.evaluation.elementary
    if odds == "kept" and not kept:
        raise FieldError(verdicts.NOT_KEPT)
    return replace(_output(ask), odds="kept" if kept else "free")


def _check_target(stage: Stage, target: float, by: str) -> None:
    if not stage.settable:
        raise FieldError(verdicts.UNSOLVABLE, stage=stage.name)
    if not stage.square and by == "key":
        raise FieldError(verdicts.KEY_OF_OUTPUT)
    if stage.shares and not 0 < target < 1:
        raise FieldError(verdicts.TARGET_WEIGHT, got=target)


def _check_way(problem: Problem, by: str) -> None:
    if not problem.compares:
        raise FieldError(sentences.NO_SCORES)
    if by == "x" and not problem.projected:
        raise FieldError(verdicts.NO_X)
    if by in ("query", "key") and problem.projected:
        raise FieldError(verdicts.PROJECTED, by=by)


def _box(evaluation: Evaluation, cells: Cells, stage: str, place: tuple[int, ...], by: str) -> Box:
    """The cells of the field that may change: of one head for a map, of every head that an output reads."""
    problem, item, query = evaluation.problem, place[0], place[-2]
    if by == BIAS:
        heads = cell(place[1:2]) if len(place) == 4 else (slice(0, problem.num_heads),)
        return bias_box(cells.array.shape, (*cell((item,)), *heads, *cell((query,)), slice(0, problem.m)))
    if by == "x" or not evaluation.node(stage).stage.square:
        return row_box(cells.array.shape, item, query)
    return Row(evaluation, item, place[1], query).cells(by, place[3] if by == "key" else query)


# --- outputs -------------------------------------------------------------------------------------
def _output(ask: Ask) -> Solution:
    if not math.isfinite(ask.reached):
        raise FieldError(verdicts.WILD, stage=ask.stage)
    steps, left = searched(Probed(ask, ask.stage, ask.target))
    feasible = left <= CLOSE[ask.problem.dtype] * max(1.0, abs(ask.target))
    reason = Reason(verdicts.NEARBY, steps=steps) if feasible else _outside(ask)
    residual = abs(ask.reached - ask.target)
    return ask.answer(residual, feasible, reason or Reason(verdicts.STUCK, steps=steps, residual=residual))


def _outside(ask: Ask) -> Reason | None:
    """A weighted mean never leaves the values that it is of; beside a sink 0 is one of them."""
    problem, evaluation, place = ask.problem, ask.evaluation, ask.place
    mean = not STAGE[ask.stage].square and is_a_sum(evaluation, ask.stage)
    if ask.by == "x" or not mean or any(record.enabled for record in problem.interventions):
        return None
    item, query, column = place[0], place[-2], place[-1]
    head, column = (place[1], column) if ask.stage == evaluation.mixed else divmod(column, problem.d_v)
    mine = evaluation.head_columns("value", head)
    box = (slice(item, item + 1), slice(0, problem.m), slice(mine.start + column, mine.start + column + 1))
    values = evaluation.fetch("value", box)[0, :, 0][Row(evaluation, item, head, query).open]
    if not len(values):
        return Reason(verdicts.CLOSED_ROW)
    low, high = float(values.min()), float(values.max())
    if problem.sink is None:
        return None if low < ask.target < high else Reason(verdicts.OUTSIDE, low=low, high=high)
    return None if min(low, 0) < ask.target < max(high, 0) else Reason(verdicts.OUTSIDE_SINK, low=low, high=high)
