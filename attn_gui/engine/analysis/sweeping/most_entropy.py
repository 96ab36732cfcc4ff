"""The most that the entropy of a row of weights can be, also of one that does not add up to 1."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph.facts import Role
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.stages import STAGE, stage_of

Flags = npt.NDArray[np.bool_]


def most_entropy(keys: int, by_hand: int = 0, *, sink: bool = False) -> float:
    """The largest −Σ a log a of a row with so many open keys, and so many weights besides that are changed by hand.

    A weight by hand adds 1/e at most, whatever it is. Those of the softmax add up to 1, beside a sink or weights by
    hand to a total S of at most 1: their S log(keys / S) is largest at S = keys/e, or at 1 where that is more.
    """
    less = keys < math.e and (sink or by_hand > 0)
    return (keys / math.e if less else math.log(max(keys, 1))) + by_hand / math.e


def most_of_row(evaluation: Evaluation, batch: int, head: int, query: int) -> float:
    """The most that the entropy of one row can be, by its mask, its sink and the weights that are changed by hand."""
    problem = evaluation.problem
    opened = evaluation.allowed(batch, head, slice(query, query + 1), slice(0, problem.m))
    by_hand = weights_by_hand(problem, batch, head, query)
    count = problem.m - int(by_hand.sum()) if opened is None else int((opened[0] & ~by_hand).sum())
    return most_entropy(count, int(by_hand.sum()), sink=problem.sink is not None)


def weights_by_hand(problem: Problem, batch: int, head: int, query: int) -> Flags:
    """The weights of a row that are changed by hand, as booleans (m,)."""
    found = np.zeros(problem.m, dtype=bool)
    for *place, keys in _boxes_by_hand(problem):
        if all(cut.start <= here < cut.stop for cut, here in zip(place, (batch, head, query), strict=True)):
            found[keys] = True
    return found


def has_weights_by_hand(problem: Problem) -> bool:
    """Whether any weight of a problem is changed by hand."""
    return bool(_boxes_by_hand(problem))


def most_of_any_row(problem: Problem) -> float:
    """The most that the entropy of a row of a problem can be, whatever its mask."""
    boxes = np.array([[(cut.start, cut.stop) for cut in box] for box in _boxes_by_hand(problem)], int).reshape(-1, 4, 2)
    rows, keys = boxes[:, :3], boxes[:, 3, 1] - boxes[:, 3, 0]
    meet = (rows[:, None, :, 0] < rows[None, :, :, 1]) & (rows[None, :, :, 0] < rows[:, None, :, 1])
    by_hand = min(problem.m, int((meet.all(axis=-1) @ keys).max(initial=0)))  # those in other rows do not count
    return most_entropy(problem.m - by_hand, by_hand, sink=problem.sink is not None)


def _boxes_by_hand(problem: Problem) -> list[Box]:
    """The boxes of weights that are changed by hand."""
    stage = stage_of(Role.WEIGHT)
    records = (record for record in problem.interventions if record.enabled and record.stage == stage)
    return [record.box(STAGE[stage].axes, problem.map_shape) for record in records]
