"""The width of a Gaussian kernel that fits the data best: every value predicted from all others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph.powers import length
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.masks import Custom
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.tell import Tell, silent, within

MOST_POINTS = 1 << 21  # cells of the weights of all heads: each trial computes them again
STEPS, HALVINGS = 48, 48  # trials over the whole range, and within the best part of it
BEYOND = 30.0  # how much wider than the data and narrower than their closest points a kernel is tried
LARGEST = 1e300  # of w: beyond it, and below its inverse, nothing is left to be multiplied by
DIGITS = 6  # of w: the error is flat around its least value, so that more would mean nothing
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Fitted:
    """The w with the least error, that error, and the error of the w before; errors are means of squares."""

    w: float
    error: float
    before: float


def fit_width(points: Problem, tell: Tell = silent) -> Fitted:
    """The w for which every one of the points (see `each_from_the_others`) is predicted best, all heads together.

    The mean of the squared errors over items, heads, points and columns is least; w is rounded to six digits.
    Source: leave-one-out fit of Nadaraya-Watson regression (Härdle, Applied Nonparametric Regression, 1990, §5.1).
    """
    w = float(points.score_params["w"])
    before = _error(points, w)
    low, high = _range(points)
    trials = np.geomspace(low, high, STEPS)
    errors = []
    for count, trial in enumerate(trials):
        within(tell, 0, 2)(count / STEPS)
        errors.append(_error(points, trial))
    best = int(np.argmin(errors))
    found = _least(points, trials[max(best - 1, 0)], trials[min(best + 1, STEPS - 1)], within(tell, 1, 2))
    error, size = _error(points, found), _mean(points.value) or 1.0
    if (before / size) ** 2 - (error / size) ** 2 > np.finfo(float).eps:
        return Fitted(found, _squared(error), _squared(before))
    return Fitted(w, _squared(before), _squared(before))


def error_of_others(points: Problem) -> float:
    """The mean squared error of every point predicted from the others, with the w that they have."""
    return _squared(_error(points, float(points.score_params["w"])))


def each_from_the_others(evaluation: Evaluation) -> Problem:
    """Attention of the points (keys with their values) over one another, none over itself.

    Scale, softcap and temperature are those of the problem, masks are not used. The result shares no array with it.
    Raises FieldError for a score that is not gaussian, for fewer than two points, and for more than can be tried.
    """
    problem = evaluation.problem
    if not SCORES[problem.score].kernel_width:
        raise FieldError(sentences.FIT_SCORE, score=problem.score)
    heads, count = problem.kv_heads, problem.m
    if count < 2 or heads * problem.batch_size * count * count > MOST_POINTS:
        raise FieldError(sentences.FIT_POINTS, got=count)
    key, value = _whole(evaluation, evaluation.latest("key")), _whole(evaluation, "value")
    kept = {name: getattr(problem, name) for name in ("score", "score_params", "scale", "softcap", "temperature")}
    others = Custom(allowed=~np.eye(count, dtype=bool))
    return Problem.of({"query": key, "key": key, "value": value, "num_heads": heads, "mask": (others,)} | kept)


def _whole(evaluation: Evaluation, name: str) -> Array:
    shape = evaluation.shape(name)
    return np.asarray(evaluation.box(name, tuple(slice(0, length) for length in shape)), dtype=np.float64)


def _error(points: Problem, w: float) -> float:
    """The root of the mean squared error: it stands where the square would overflow."""
    evaluation = Evaluation(points.replace(score_params={**points.score_params, "w": float(w)}))
    joined = _whole(evaluation, evaluation.joined)
    missed = joined - np.asarray(points.value).reshape(joined.shape)
    return _mean(missed)


def _mean(array: Array) -> float:
    """The root of the mean square."""
    return length(np.asarray(array, dtype=np.float64)) / math.sqrt(array.size)


def _squared(error: float) -> float:
    return error * error


def _range(points: Problem) -> tuple[float, float]:
    """Widths from much more than all points span to much narrower than the distance of the closest two."""
    keys = np.asarray(points.key).reshape(points.batch_size, points.m, points.num_heads, -1)
    apart = []
    for one in np.moveaxis(keys, 2, 1).reshape(-1, points.m, keys.shape[-1]):
        distances = np.zeros((points.m, points.m))
        for column in one.T:
            with np.errstate(over="ignore"):  # then there is no range to be had from them
                np.hypot(distances, column[:, None] - column, out=distances)
        apart.append(distances[distances > 0])
    found = np.concatenate(apart)
    if not found.size or not np.isfinite(found).all():
        return 1 / BEYOND, BEYOND
    with np.errstate(over="ignore"):
        low, high = np.clip([1 / BEYOND / found.max(), BEYOND / found.min()], 1 / LARGEST, LARGEST)
    return float(low), float(high)


def _least(points: Problem, low: float, high: float, tell: Tell) -> float:
    """Golden-section search over log w; the error has one dip between the neighbors of the best trial."""
    known: dict[float, float] = {}

    def error(place: float) -> float:
        if place not in known:
            known[place] = _error(points, math.exp(place))
        return known[place]

    left, right = math.log(low), math.log(high)
    first, second = right - GOLDEN * (right - left), left + GOLDEN * (right - left)
    for count in range(HALVINGS):
        tell(count / HALVINGS)
        if error(first) <= error(second):
            right, second, first = second, first, second - GOLDEN * (second - left)
        else:
            left, first, second = first, second, first + GOLDEN * (right - first)
    return float(f"{math.exp((left + right) / 2):.{DIGITS}g}")
