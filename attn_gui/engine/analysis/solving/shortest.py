"""One number brought to its target by the shortest change: reached along the gradient, then shortened on the way."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.powers import length

MOST_STEPS, MOST_SLIDES, HALVINGS = 200, 100, 40
IDLE = 8  # steps in a row that bring next to nothing: there is no more to be had
STRAIGHT = 1e-6  # of the change's length: so little of it beside the gradient adds 1e-12 to the length
CLOSE = {"float64": 1e-9, "float32": 1e-5}  # a residual over max(1, |target|) that counts as reached


class Question(Protocol):
    """A number that depends on the change of a row, and how near to its target is near enough."""

    @property
    def enough(self) -> float: ...
    @property
    def length(self) -> float:
        """The largest length of a step."""

    def gap(self, change: Array) -> float:
        """Target − value; the change stays in force until the next one is asked about."""

    def slope(self, change: Array) -> Array:
        """The gradient of the value at the change that is in force."""


def shortest(question: Question, start: Array) -> tuple[Array, int, float]:
    """(change, steps, gap): the shortest change near `start` that closes the gap, or what comes nearest to that.

    Where the values above the target form a convex set, as they do for a weight that is to grow, no change is shorter.
    """
    change, steps, left = reached(question, start)
    if abs(left) <= question.enough:
        change, slides = _shortened(question, change)
        steps, left = steps + slides, question.gap(change)
    return change, steps, abs(left)


def reached(question: Question, change: Array) -> tuple[Array, int, float]:
    """Gauss–Newton of one equation with damped steps (Nocedal, Wright, "Numerical Optimization", 2006, §10.3)."""
    left, idle = question.gap(change), 0
    for count in range(MOST_STEPS):
        if abs(left) <= question.enough or not np.isfinite(left) or idle == IDLE:
            return change, count, left
        slope = question.slope(change)
        steepness = length(slope)
        if not 0 < steepness < np.inf:
            return change, count, left
        step = slope / steepness * min(max(left / steepness, -question.length), question.length)
        for _ in range(HALVINGS):
            now = question.gap(change + step)
            if abs(now) < abs(left):
                break
            step = step / 2
        else:
            return change, count, question.gap(change)
        idle = idle + 1 if abs(now) > 0.99 * abs(left) else 0
        change, left = change + step, now
    return change, MOST_STEPS, left


def _shortened(question: Question, change: Array) -> tuple[Array, int]:
    """Take away what lies beside the gradient, and go back to the target, until only what is needed is left.

    Gradient projection (Nocedal, Wright, 2006, §16.7; Rosen 1961): a change of the smallest length is parallel to the
    gradient.
    """
    share = 1.0
    for count in range(MOST_SLIDES):
        slope, way = question.slope(change), length(change)
        steepness = length(slope)
        if not 0 < steepness < np.inf:
            return change, count
        along = slope / steepness
        beside = change - along * float((along * change).sum())
        if length(beside) <= STRAIGHT * way:
            return change, count
        for _ in range(HALVINGS):
            found, _, left = reached(question, change - share * beside)
            if abs(left) <= question.enough and length(found) < way:
                break
            share /= 2
        else:
            question.gap(change)
            return change, count
        change, share = found, min(1.0, 2 * share)
    return change, MOST_SLIDES
