"""One number brought to its target by the shortest change: reached along the gradient, then shortened on the way.

Where the way from no change ends before the target, the search begins again from the best of many changes.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.powers import length

MOST_STEPS, MOST_SLIDES, HALVINGS = 200, 100, 40
IDLE = 8  # steps in a row that bring next to nothing: there is no more to be had
STRAIGHT = 1e-6  # of the change's length: so little of it beside the gradient adds 1e-12 to the length
CLOSE = {"float64": 1e-9, "float32": 1e-5}  # a residual over max(1, |target|) that counts as reached
FIRST, FURTHER = 500, 100  # looks at the number on the way from no change, and on each way from another start
PROBES, STARTS = 250, 3  # random changes that are looked at, and those of them that are starts
SPREAD = -1.5, 1.2  # powers of ten: the lengths of random changes over that of a step


class Question(Protocol):
    """A number that depends on the change of a row, and how near to its target is near enough."""

    @property
    def enough(self) -> float: ...
    @property
    def length(self) -> float:
        """The largest length of a step."""

    @property
    def over(self) -> bool:
        """Whether the number has been looked at as often as it may be."""

    def gap(self, change: Array) -> float:
        """Target − value; the change stays in force until the next one is asked about."""

    def slope(self, change: Array) -> Array:
        """The gradient of the value at the change that is in force."""


class Costly(Question, Protocol):
    """A number that takes a while to compute."""

    @property
    def zero(self) -> Array:
        """No change."""

    def allow(self, looks: int) -> None:
        """Let the number be looked at so often from now on."""


def searched(question: Costly) -> tuple[int, float]:
    """(steps, gap): the shortest change found that closes the gap, or that comes nearest to it, put in force.

    Steps from several starts, and no more than a set amount of work: that there is no better one is not proved.
    """
    question.allow(FIRST)
    change, steps, left = shortest(question, question.zero)
    if left > question.enough:
        for start in _promising(question):
            question.allow(FURTHER)
            other, more, gap = shortest(question, start)
            steps += more
            reached_both = max(gap, left) <= question.enough
            if length(other) < length(change) if reached_both else gap < left:
                change, left = other, gap
        left = abs(question.gap(change))
    return steps, left


def _promising(question: Costly) -> list[Array]:
    """The random changes that come nearest to the target, of short and long ones in all directions."""
    question.allow(PROBES)
    random = np.random.default_rng(PROBES)  # the same in every run
    sizes = question.length * 10.0 ** random.uniform(*SPREAD, PROBES)
    changes = [size * random.normal(size=question.zero.shape) for size in sizes]
    gaps = [abs(question.gap(change)) for change in changes]
    return [changes[place] for place in np.argsort(gaps)[:STARTS] if np.isfinite(gaps[place])]


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
        if abs(left) <= question.enough or not np.isfinite(left) or idle == IDLE or question.over:
            return change, count, left
        slope = question.slope(change)
        steepness = length(slope)
        if not 0 < steepness < np.inf:
            return change, count, left
        step = slope / steepness * min(max(left / steepness, -question.length), question.length)
        for _ in range(HALVINGS):
            now = question.gap(change + step)
            if abs(now) < abs(left) or question.over:
                break
            step = step / 2
        if not abs(now) < abs(left):
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
            shorter = abs(left) <= question.enough and length(found) < way
            if shorter or question.over:
                break
            share /= 2
        if not shorter:
            question.gap(change)
            return change, count
        change, share = found, min(1.0, 2 * share)
    return change, MOST_SLIDES
