"""Targets of weights and scores by one linear system, whose rank decides whether a change can reach them.

K Δq = √d_k (δ e_j + c 1) for a query row, with c free; q · Δk = √d_k δ for a key row; δ e_j + c 1 itself for a bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.graph.powers import length
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES, Score, verdicts
from attn_gui.engine.scores.verdicts import Reason
from attn_gui.engine.stages import STAGE

from . import BIAS
from .row import Row
from .systems import centered, shortest

FLAT = 20.0  # tanh of it is 1 in float64


@dataclass(frozen=True)
class Step:
    """The change of one row, before any rounding; `score` instead where it must be found step by step."""

    change: Array
    feasible: bool
    reason: Reason
    condition: float = 1.0
    score: float | None = None


def blocked(row: Row, stage: str, key: int) -> Reason | None:
    """The reason why no change at all can move the cell."""
    if STAGE[stage].shares:
        if not row.open[key]:
            return Reason(verdicts.CLOSED, key=key)
        if row.open.sum() == 1 and row.problem.sink is None:
            return Reason(verdicts.ALONE, key=key)
    value = row.read(stage)[key]
    if STAGE[stage].behind_mask and np.isneginf(value):
        return Reason(verdicts.CLOSED, key=key)
    if not np.isfinite(value):
        raise FieldError(verdicts.WILD, stage=stage)
    return None


def check_way(row: Row, stage: str, by: str) -> None:
    """Raise FieldError for a way of changing the row that the cell does not read."""
    stages, biased = row.evaluation.stages, row.evaluation.part(Role.BIAS)
    if by != BIAS:
        _score_of(row.problem)
    elif biased is not None and stages.index(stage) < stages.index(biased):
        raise FieldError(verdicts.BEFORE_BIAS, stage=stage)


def growth(row: Row, stage: str, key: int, target: float) -> float:
    """The growth of the key's logit over all others that a weight needs; for other cells, of the cell itself."""
    if not STAGE[stage].shares:
        return target - float(row.read(stage)[key])
    temperature = row.problem.temperature or 1.0
    logits = row.logits / temperature
    others = logits[row.open & (np.arange(len(logits)) != key)]
    row_max = float(others.max())
    log_sum = row_max + math.log(float(np.exp(others - row_max).sum()))
    step = temperature * (math.log(target) - math.log1p(-target) - (float(logits[key]) - log_sum))
    if not math.isfinite(step):
        raise FieldError(verdicts.WILD, stage=stage)
    return step


# --- by the query row ----------------------------------------------------------------------------
def by_query(row: Row, stage: str, key: int, target: float) -> Step:
    problem = row.problem
    score, slope = _score_of(problem), SCORES[problem.score].slope(problem.score_params)
    if slope is None:
        raise FieldError(verdicts.NOT_LINEAR, score=problem.score)
    if problem.softcap is not None:
        raise FieldError(verdicts.SOFTCAP_QUERY)
    if score.common and not STAGE[stage].shares:
        raise FieldError(verdicts.GAUSSIAN_SCORE)
    step = growth(row, stage, key, target)
    keys, scale = row.key_vectors(), problem.effective_scale * slope
    here = np.arange(len(keys)) == key
    if STAGE[stage].shares:
        wanted = row.open
        matrix, right = centered(keys[wanted] * scale), centered(np.where(here[wanted], step, 0.0))
        demands = len(matrix) - 1
    else:
        others = keys[row.open & ~here] * scale
        own = keys[here] * (1.0 if stage == row.evaluation.scores else scale)
        matrix = np.concatenate([own, centered(others)]) if len(others) else own
        right = np.concatenate([[step], np.zeros(len(others))])
        demands = max(len(others), 1)
    if not (np.isfinite(matrix).all() and np.isfinite(row.query_vector()).all()):
        raise FieldError(verdicts.WILD, stage="key")
    solved = shortest(matrix, right, demands, length(keys[row.open | here]) * abs(scale))
    reason = Reason(verdicts.REACHED, by="query")
    if not solved.met:
        reason = Reason(verdicts.UNREACHABLE, rank=solved.rank, more=solved.rank + 1)
    return Step(row.unturned("query", row.query, solved.x), solved.met, reason, solved.condition)


# --- by one key row ------------------------------------------------------------------------------
def by_key(row: Row, stage: str, key: int, target: float) -> Step:
    """Move this key's score in the row alone; the smallest move of the key that does it."""
    score = _score_of(row.problem)
    step, cap = _score_step(row, stage, key, growth(row, stage, key, target))
    if step is None:
        return Step(np.zeros(0), False, Reason(verdicts.NO_LEVER, key=key, why="scale"))
    query, old = row.query_vector(), row.key_vectors(slice(key, key + 1))[0]
    found = score.move_key(key, query, old, step, row.problem.score_params)
    if found is None:
        wanted = float(row.read(row.evaluation.scores)[key]) + step
        return Step(np.zeros(0), cap is None, cap or Reason(verdicts.REACHED_KEY), score=wanted)
    if not (np.isfinite(query).all() and np.isfinite(old).all()):
        raise FieldError(verdicts.WILD, stage=row.evaluation.scores)
    move, reason = found[0], found[1] or cap
    return Step(row.unturned("key", key, move), reason is None, reason or Reason(verdicts.REACHED_KEY))


def _score_step(row: Row, stage: str, key: int, step: float) -> tuple[float | None, Reason | None]:
    """A step of the cell as one of the score; None where the scale is 0. The reason tells of a softcap in the way."""
    problem, evaluation, reason = row.problem, row.evaluation, None
    if stage == evaluation.scores:
        return step, None
    if problem.effective_scale == 0:
        return None, None
    scaled_scores, capped = evaluation.part(Role.SCALE), evaluation.part(Role.CAP)
    if problem.softcap is not None and scaled_scores and capped and stage != scaled_scores:
        cap, scaled = problem.softcap, float(row.read(scaled_scores)[key])
        needed = float(row.read(capped)[key]) + step
        if abs(needed) >= cap:
            reason = Reason(verdicts.CAPPED, cap=cap, needed=needed)
            step = math.copysign(FLAT * cap, needed) - scaled
        else:
            step = cap * math.atanh(needed / cap) - scaled
    return step / problem.effective_scale, reason


def _score_of(problem: Problem) -> Score:
    """The score function. Raises FieldError for one that nothing moves."""
    score = SCORES[problem.score]
    if not score.looks:
        raise FieldError(verdicts.AVERAGE)
    return score


# --- by the bias ---------------------------------------------------------------------------------
def by_bias(row: Row, stage: str, key: int, target: float) -> Step:
    """A bias is added to the logits as it is; the smallest change is shared out among the open keys."""
    change = np.where(np.arange(row.problem.m) == key, growth(row, stage, key, target), 0.0)
    if STAGE[stage].shares:
        change[row.open] = centered(change[row.open])
    return Step(change, True, Reason(verdicts.REACHED, by=BIAS))
