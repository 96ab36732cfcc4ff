"""Targets of weights and scores: with the odds among the other open keys kept, or free."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.powers import length
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES, verdicts
from attn_gui.engine.scores.verdicts import Reason

from . import BIAS
from .answer import Ask, Solution
from .exact import Step, blocked, by_bias, by_key, by_query, check_way, growth
from .free import LogOdds, free_change
from .probed import KeptOdds, Probed
from .row import Row
from .shortest import CLOSE, searched

EXACT = {"query": by_query, "key": by_key, BIAS: by_bias}
COARSE, LOST = 1e-6, 1e-2  # residuals over the size of the step: above the first it is told, above the second it fails


def unmoved(ask: Ask, problem: Problem) -> Solution | None:
    """The answer where no change moves a cell of a map. Raises FieldError for a row that the cell does not read."""
    reason = blocked(ask.row, ask.stage, ask.key)
    if reason is not None:
        return Solution(problem, ask.reached, math.inf, False, reason, ask.cells.field, ask.box)
    check_way(ask.row, ask.stage, ask.by)
    return None


def answer_map(ask: Ask, odds: str | None) -> Solution:
    """The answer for a cell of a map that something moves; `odds` are what was asked for."""
    free = (odds or _default(ask)) == "free" and ask.by != "key"
    if free and not (ask.by == BIAS and not ask.of_weight):
        return _free(ask, asked=odds is not None)
    return _kept_by_x(ask) if ask.by == "x" else _kept(ask)


def _default(ask: Ask) -> str:
    """Whether odds are kept by default: where common keys make that a system with a solution."""
    if ask.by not in ("query", "x"):
        return "kept"
    few = int(ask.row.open.sum()) <= ask.problem.d_k + 1
    return "kept" if few and (ask.by == "x" or _linear(ask)) else "free"


def _linear(ask: Ask) -> bool:
    """Whether the stage is linear in the query row but for what all keys share."""
    problem, score = ask.problem, SCORES[ask.problem.score]
    linear = score.slope(problem.score_params) is not None and (ask.of_weight or not score.common)
    return problem.softcap is None and linear


# --- kept ----------------------------------------------------------------------------------------
def _kept(ask: Ask) -> Solution:
    row, before = ask.row, ask.row.logits
    asked = growth(row, ask.stage, ask.key, ask.target)
    step = EXACT[ask.by](row, ask.stage, ask.key, ask.target)
    if step.score is not None:
        count, left = searched(Probed(ask, ask.evaluation.scores, step.score))
        step = _judged(step, count, left, CLOSE[ask.problem.dtype] * max(1.0, abs(step.score)))
    elif step.change.any():
        ask.change(step.change)
    residual = _missed(ask, before, asked)
    step = _told(step, residual, asked)
    return ask.answer(residual, step.feasible, step.reason, odds="kept", condition=step.condition)


def _kept_by_x(ask: Ask) -> Solution:
    before, asked = ask.row.logits, growth(ask.row, ask.stage, ask.key, ask.target)
    steps = KeptOdds(ask, asked).solve()
    residual = _missed(ask, before, asked)
    if residual <= CLOSE[ask.problem.dtype] * max(1.0, abs(asked)):
        return ask.answer(residual, True, Reason(verdicts.REACHED_X, steps=steps), odds="kept")
    return ask.answer(residual, False, Reason(verdicts.STUCK, steps=steps, residual=residual), odds="kept")


def _missed(ask: Ask, before: Array, asked: float) -> float:
    """The gap between the logits and those asked for; a number common to all of the others is free."""
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


def _judged(step: Step, count: int, left: float, enough: float) -> Step:
    """A step that was found by trying."""
    if left > enough:
        return replace(step, feasible=False, reason=Reason(verdicts.STUCK, steps=count, residual=left))
    return replace(step, reason=Reason(verdicts.NEARBY, steps=count)) if step.feasible else step


def _told(step: Step, residual: float, asked: float) -> Step:
    """The result of a step in the numbers of the dtype."""
    size, values = max(1.0, abs(asked)), {"residual": residual, "condition": step.condition}
    if not step.feasible or residual <= COARSE * size:
        return step
    if residual <= LOST * size:
        return replace(step, reason=Reason(verdicts.INEXACT, **values))
    return replace(step, feasible=False, reason=Reason(verdicts.TOO_LONG, **values))


# --- free ----------------------------------------------------------------------------------------
def _free(ask: Ask, *, asked: bool) -> Solution:
    """One number alone is asked for: the shortest change of the row that gives it."""
    count, width = int(ask.row.open.sum()), ask.problem.d_k
    steps, failed = _moved(ask)
    residual = abs(ask.reached - ask.target)
    if residual > CLOSE[ask.problem.dtype] * max(1.0, abs(ask.target)):
        reason = failed or Reason(verdicts.STUCK, steps=steps, residual=residual)
        return ask.answer(residual, False, reason, odds="free")
    reason = Reason(verdicts.FREE, by=ask.by, steps=steps)
    if not asked and count > width + 1:
        reason = Reason(verdicts.FREE_NEEDED, by=ask.by, steps=steps, open=count, width=width)
    return ask.answer(residual, True, reason, odds="free")


def _moved(ask: Ask) -> tuple[int, Reason | None]:
    """Change the cells for the target: how many steps it took, and why it is out of reach where that is known."""
    if ask.of_weight and (ask.by == BIAS or (ask.by == "query" and _linear(ask))):
        row = ask.row
        change, steps, failed = free_change(_log_odds(ask), ask.by, ask.key)
        ask.change(_as_cells(row, ask.by, change))
        return steps, failed
    return searched(Probed(ask, ask.stage, ask.target))[0], None


def _log_odds(ask: Ask) -> LogOdds:
    """The question of one weight of the row, among its open keys."""
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
    return LogOdds(row.logits[wanted] / temperature, vectors, temperature, key, ask.target, reach)


def _as_cells(row: Row, by: str, change: Array) -> Array:
    """A change of the turned query row, or of the open keys' logits, as one of the cells."""
    if by == "query":
        return row.unturned("query", row.query, change)
    found = np.zeros(row.problem.m)
    found[row.open] = change
    return found
