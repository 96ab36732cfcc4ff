"""Step-by-step search for the shortest change that reaches a target, where no linear system does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from typing import Protocol

import numpy as np

from attn_gui.engine import verdicts
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.indices import length, lengths
from attn_gui.engine.masks import Bias, Layer
from attn_gui.engine.problem import Problem
from attn_gui.engine.verdicts import Reason

BIAS = "bias"  # the way of a bias of the row's own, which is added to its logits

WAYS = ("query", "key", BIAS, "x")  # fields that may be changed for a target

MOST_STEPS, MOST_SLIDES, HALVINGS = 200, 100, 40
IDLE = 8  # steps in a row that bring next to nothing: there is no more to be had
STRAIGHT = 1e-6  # of the change's length: so little of it beside the gradient adds 1e-12 to the length
CLOSE = {"float64": 1e-9, "float32": 1e-5}  # a residual over max(1, |target|) that counts as reached
FIRST, FURTHER = 500, 100  # looks at the number on the way from no change, and on each way from another start
PROBES, STARTS = 250, 3  # random changes that are looked at, and those of them that are starts
SPREAD = -1.5, 1.2  # powers of ten: the lengths of random changes over that of a step

EPS = float(np.finfo(float).eps)
LOWERED_TOWARDS = 4  # other keys towards which a weight is tried to be lowered
ASCENT, FLAT = 200, 1e-7

LARGEST_BIAS = 1 << 24  # numbers of a bias layer that is made for one row


# --- shortest change ------------------------------------------------------------------------------
# One number brought to its target by the shortest change: reached along the gradient, then shortened on the way.
#
# Where the way from no change ends before the target, the search begins again from the best of many changes.
class Objective(Protocol):
    """A number that depends on the change of a row, and how close to its target is close enough."""

    @property
    def enough(self) -> float: ...
    @property
    def length(self) -> float:
        """The largest length of a step."""

    @property
    def over(self) -> bool:
        """Whether the number has been computed as often as it may be."""

    def gap(self, change: Array) -> float:
        """Return target − value for a change, which stays applied until the next call."""

    def slope(self, change: Array) -> Array:
        """Return the gradient of the value at the change that is applied."""


class CostlyObjective(Objective, Protocol):
    """An objective that takes a while to compute."""

    @property
    def zero(self) -> Array:
        """The change of nothing."""

    def allow(self, looks: int) -> None:
        """Let the number be computed `looks` times from now on."""


def search_steps(question: CostlyObjective) -> tuple[int, float]:
    """Return (steps, gap): apply the shortest change found that closes the gap, or the one that comes nearest to it.

    Searches from several starts, with a limit of the work: it is not proved that there is no better change.
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


def _promising(question: CostlyObjective) -> list[Array]:
    """Return the random changes, short and long ones in all directions, that come nearest to the target."""
    question.allow(PROBES)
    random = np.random.default_rng(PROBES)  # the same in every run
    sizes = question.length * 10.0 ** random.uniform(*SPREAD, PROBES)
    changes = [size * random.normal(size=question.zero.shape) for size in sizes]
    gaps = [abs(question.gap(change)) for change in changes]
    return [changes[place] for place in np.argsort(gaps)[:STARTS] if np.isfinite(gaps[place])]


def shortest(question: Objective, start: Array) -> tuple[Array, int, float]:
    """Return (change, steps, gap): the shortest change near `start` that closes the gap, or the one that comes nearest.

    Where the values above the target form a convex set, as for a weight that is to grow, no change at all is shorter.
    """
    change, steps, left = gauss_newton(question, start)
    if abs(left) <= question.enough:
        change, slides = _shortened(question, change)
        steps, left = steps + slides, question.gap(change)
    return change, steps, abs(left)


def gauss_newton(question: Objective, change: Array) -> tuple[Array, int, float]:
    """Solve the equation by Gauss–Newton with damped steps (Nocedal, Wright, "Numerical Optimization", 2006, §10.3)."""
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


def _shortened(question: Objective, change: Array) -> tuple[Array, int]:
    """Shorten a change that reaches the target: remove what is not parallel to the gradient, and return to the target.

    Gradient projection (Nocedal, Wright, 2006, §16.7; Rosen 1961): the shortest change is parallel to the gradient.
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
            found, _, left = gauss_newton(question, change - share * beside)
            shorter = abs(left) <= question.enough and length(found) < way
            if shorter or question.over:
                break
            share /= 2
        if not shorter:
            question.gap(change)
            return change, count
        change, share = found, min(1.0, 2 * share)
    return change, MOST_SLIDES


# --- odds among the other keys free ---------------------------------------------------------------
# Targets of a weight with the odds among the other keys free, where logits are linear in what changes.
#
# The log-odds of a weight, z_j − log Σ e^(z_i) over the others, are concave in the row. So a weight is raised by one
# shortest change, and its largest value, if there is one, proves itself: there the key is a mean of the others.
class LogOdds:
    """The distance of one weight's log-odds from a target: an objective where logits are linear in the change.

    A change c makes the logits of the open keys, over the temperature, `logits` + `vectors` · c / temperature: `logits`
    (keys,) are divided by it already, `vectors` (keys, d) is None where the change is one of the logits themselves.
    `key` is the place of the weight among the open keys; no step is longer than `length`, or 1 where that is less.
    """

    def __init__(
        self, logits: Array, vectors: Array | None, temperature: float, key: int, target: float, length: float
    ) -> None:
        self._logits, self._vectors, self._temperature, self._key = logits, vectors, temperature, key
        self._others = np.arange(len(logits)) != key
        self.target = math.log(target) - math.log1p(-target)
        self.enough = 64 * EPS * max(1.0, abs(self.target), float(np.abs(logits).max()))
        self.length = max(1.0, length)
        self.zero = np.zeros(len(logits) if vectors is None else vectors.shape[1])

    over = False  # it costs next to nothing

    def gap(self, change: Array) -> float:
        return self.target - self.value(change)

    def value(self, change: Array) -> float:
        """Return the log-odds of the weight after a change."""
        logits = self._at(change)
        others = logits[self._others]
        row_max = float(others.max())
        return float(logits[self._key]) - row_max - math.log(float(np.exp(others - row_max).sum()))

    def slope(self, change: Array) -> Array:
        weights = -self.weights(change)
        weights[self._key] = 1.0
        return np.asarray(weights if self._vectors is None else weights @ self._vectors) / self._temperature

    def weights(self, change: Array) -> Array:
        """Return the weights (keys,) that the other keys have without this one; 0 for the key."""
        logits = self._at(change)
        powers = np.where(self._others, np.exp(logits - logits[self._others].max()), 0.0)
        return np.asarray(powers / powers.sum())

    def _at(self, change: Array) -> Array:
        grown = change if self._vectors is None else self._vectors @ change
        return np.asarray(self._logits + grown / self._temperature)

    # --- where to begin, and where it ends -------------------------------------------------------
    def starts(self) -> list[Array]:
        """Return the changes from which to search: no change, and for a weight that is to fall those that raise another
        key's logit just enough, for the keys that need the shortest.
        """
        found = [self.zero]
        if self.gap(self.zero) >= 0:
            return found
        need = np.where(self._others, -self.target - (self._logits - self._logits[self._key]), np.inf)
        need = need * self._temperature
        apart = self._apart()
        with np.errstate(all="ignore"):
            way = np.where(apart > 0, np.maximum(need, 0.0) / apart, np.inf)
        for other in np.argsort(way)[:LOWERED_TOWARDS]:
            if np.isfinite(way[other]):
                found.append(self._towards(int(other)) * (way[other] / apart[other]))
        return found

    def _apart(self) -> Array:
        if self._vectors is None:
            return np.full(len(self._logits), math.sqrt(2))
        return np.asarray(lengths(self._vectors - self._vectors[self._key], 1)[:, 0])

    def _towards(self, other: int) -> Array:
        if self._vectors is not None:
            return np.asarray(self._vectors[other] - self._vectors[self._key])
        way = np.zeros(len(self._logits))
        way[other], way[self._key] = 1.0, -1.0
        return way

    def highest(self) -> tuple[Array, bool]:
        """Return (change, proved): the change with the largest log-odds, by Newton's method.

        It is proved to be the largest where the gradient is 0 up to rounding, since the log-odds are concave.
        """
        assert self._vectors is not None
        change, damping = self.zero, 1e-9
        size = float(np.abs(self._vectors).max()) or 1.0
        for _ in range(ASCENT):
            slope, weights = self.slope(change), self.weights(change)
            if float(np.abs(slope).max()) * self._temperature <= FLAT * size:
                return change, True
            spread = self._vectors - weights @ self._vectors
            curve = (spread * weights[:, None]).T @ spread / self._temperature**2
            curve[np.diag_indices_from(curve)] += damping * size**2
            step = np.linalg.solve(curve, slope)
            if self.value(change + step) > self.value(change):
                change, damping = change + step, max(damping / 4, 1e-12)
            else:
                damping *= 10
        return change, False


def free_change(question: LogOdds, by: str, key: int) -> tuple[Array, int, Reason | None]:
    """Return (change, steps, reason): the shortest change found that reaches the target, and None for the reason.

    Where none does, the one that comes nearest, and why; `by` and `key` are named in that reason.
    """
    tried = [shortest(question, start) for start in question.starts()]
    good = [one for one in tried if one[2] <= question.enough]
    if good:
        change, steps, _ = min(good, key=lambda one: length(one[0]))
        return change, steps, None
    change, steps, left = min(tried, key=lambda one: one[2])
    if by == BIAS or question.gap(question.zero) < 0:
        return change, steps, Reason(verdicts.STUCK, steps=steps, residual=left)
    highest, proved = question.highest()
    most = math.exp(-np.logaddexp(0.0, -question.value(highest)))  # 0 for a key far below the others, as by a bias
    if proved and question.gap(highest) > question.enough:
        return highest, steps, Reason(verdicts.HULL, key=key, by=by, most=most)
    return change, steps, Reason(verdicts.STUCK, steps=steps, residual=left)


# --- unknown cells --------------------------------------------------------------------------------
class EditedArray:
    """A writable copy of the array `field` of a problem; `problem()` is the problem with it."""

    def __init__(self, problem: Problem, field: str) -> None:
        self._problem, self.field = problem, field
        self.array = np.array(problem.arrays()[field])
        self._live = Problem.over(problem.fields() | self._changed())

    def _changed(self) -> dict[str, object]:
        position = Layer.position_of(self.field)
        if position is None:
            return {self.field: self.array}
        layers = list(self._problem.mask)
        layers[position] = Bias(enabled=True, values=self.array)
        return {"mask": tuple(layers)}

    def write(self, evaluation: Evaluation, box: Box, values: Array) -> None:
        """Write numbers into a box and update the evaluation."""
        with np.errstate(over="ignore"):
            self.array[box] = np.asarray(values).reshape(self.array[box].shape)
        evaluation.update(self._live, {self.field: [box]})

    def moved(self, box: Box, old: Array) -> float:
        """Return the length of the change of a box."""
        change = np.asarray(self.array[box], float) - old
        return length(change[np.isfinite(change)])

    def problem(self) -> Problem:
        return self._problem.replace(**self._changed())


def with_own_bias(problem: Problem) -> tuple[Problem, str]:
    """Return (problem, field): the problem with a bias layer with a number for every cell of the maps, and its field.

    A layer of zeros is added where no bias has a number for each cell. Raises ValueError if it would be too large.
    """
    sizes = problem.map_shape
    for position, layer in enumerate(problem.mask):
        if not isinstance(layer, Bias) or not layer.enabled:
            continue
        if (1,) * (4 - layer.values.ndim) + layer.values.shape == sizes:  # none is shared among items, heads or rows
            return problem, layer.field(position)
    shared = next((k for k in range(2) if sizes[k] > 1), 2)
    if prod(sizes) > LARGEST_BIAS:
        raise FieldError(verdicts.BIAS_SIZE, count=f"{prod(sizes):,}", most=f"{LARGEST_BIAS:,}")
    layer = Bias(values=np.zeros(sizes[shared:], problem.dtype))
    return problem.replace(mask=(*problem.mask, layer)), layer.field(len(problem.mask))


def bias_box(shape: Sequence[int], place: tuple[slice, ...]) -> Box:
    """Return a box of the maps as one of the bias array, in its own axes."""
    return tuple(place[4 - len(shape) :])
