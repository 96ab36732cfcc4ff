"""What one query mixes of the values, the largest each and the rest together; the kernel width w that fits best,
ways to pool, the function behind points."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.analysis.sensitivity import farthest
from attn_gui.engine.arrays import Array, Progress, silent, within
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph.indices import length, whole
from attn_gui.engine.masks import Custom
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES, Score
from attn_gui.languages import N_

AT_ONCE = 1 << 12  # keys whose values are held at a time

MOST_POINTS = 1 << 21  # cells of the weights of all heads: each trial computes them again
STEPS, HALVINGS = 48, 48  # trials over the whole range, and within the best part of it
BEYOND = 30.0  # how much wider than the data and narrower than their closest points a kernel is tried
LARGEST = 1e300  # of w: beyond it, and below its inverse, nothing is left to be multiplied by
DIGITS = 6  # of w: the error is flat around its least value, so that more would mean nothing
GOLDEN = (5**0.5 - 1) / 2

COMPARED_BY = ("score", "score_params", "normalize", "scale", "softcap", "temperature")

EXPLAINED = 0.6
"""Share of the variance of the values from which on `textbook_function` is behind them; noise takes the rest."""


# --- mixture of one query -------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Mixture:
    """Keys of the largest weights, largest first, with their scores, None where the weights are given, and weights
    (k,), and `parts` (k, column): weight · value. `rest` (column,) is what all `others` add, `output` (column,) the
    computed sum of all, before anything is changed in it `by_hand`.
    """

    keys: tuple[int, ...]
    scores: Array | None
    weights: Array
    parts: Array
    rest: Array
    output: Array
    others: int
    others_weight: float
    by_hand: bool = False

    @property
    def difference(self) -> float:
        """The largest distance between a cell of the sum of the parts and that of the output; see `farthest`."""
        with np.errstate(all="ignore"):
            return farthest(self.parts.sum(axis=0) + self.rest, self.output)


def mixture(evaluation: Evaluation, batch: int, head: int, query: int, most: int) -> Mixture:
    """Return o_i = Σ_j a_ij v_j of one query, with at most so many keys by name; a weight of 0 adds nothing."""
    problem, row = evaluation.problem, slice(query, query + 1)
    keys = slice(0, problem.m)

    def read(stage: str) -> Array:
        return np.array(evaluation.block(stage, batch, head, row, keys)[0], float)

    scores, weights = None if evaluation.logits is None else read(evaluation.logits), read(evaluation.weights)
    order = np.argsort(-np.nan_to_num(weights, nan=np.inf), kind="stable")
    named, others = order[:most], np.sort(order[most:])
    computed, shown = (
        np.array(evaluation.block(stage, batch, head, row, slice(0, None))[0], float)
        for stage in (evaluation.computed(evaluation.mixed), evaluation.mixed)
    )
    with np.errstate(all="ignore"):
        parts = np.stack([_part(evaluation, batch, head, np.array([key]), weights) for key in named])
        rest = np.zeros(len(computed))
        for low in range(0, len(others), AT_ONCE):
            rest += _part(evaluation, batch, head, others[low : low + AT_ONCE], weights)
        return Mixture(
            tuple(named.tolist()),
            None if scores is None else scores[named],
            weights[named],
            parts,
            rest,
            computed,
            len(others),
            float(weights[others].sum()),
            not np.array_equal(computed, shown, equal_nan=True),
        )


def _part(evaluation: Evaluation, batch: int, head: int, keys: Array, weights: Array) -> Array:
    """Return the sum of weight · value over some keys, in ascending order."""
    span = slice(int(keys[0]), int(keys[-1]) + 1)
    values = evaluation.block(evaluation.latest["value"], batch, head, span, slice(0, None))[keys - keys[0]]
    shares = weights[keys][:, None]
    return np.asarray(np.where(shares == 0, 0.0, shares * values.astype(np.float64)).sum(axis=0))


# --- kernel width that fits best ------------------------------------------------------------------
@dataclass(frozen=True)
class FittedWidth:
    """The w with the least error, that error, and the error of the w before; errors are means of squares."""

    w: float
    error: float
    before: float


def fit_width(points: Problem, progress: Progress = silent) -> FittedWidth:
    """Return the w for which every one of the points (see `each_from_the_others`) is predicted best, all heads
    together.

    The mean of the squared errors over items, heads, points and columns is least; w is rounded to six digits.
    Source: leave-one-out fit of Nadaraya-Watson regression (Härdle, Applied Nonparametric Regression, 1990, §5.1).
    """
    w = float(points.score_params["w"])
    before = _error(points, w)
    low, high = _range(points)
    trials = np.geomspace(low, high, STEPS)
    errors = []
    for count, trial in enumerate(trials):
        within(progress, 0, 2)(count / STEPS)
        errors.append(_error(points, trial))
    best = int(np.argmin(errors))
    found = _least(points, trials[max(best - 1, 0)], trials[min(best + 1, STEPS - 1)], within(progress, 1, 2))
    error, size = _error(points, found), _root_mean_square(points.value) or 1.0
    if (before / size) ** 2 - (error / size) ** 2 > np.finfo(float).eps:
        return FittedWidth(found, error * error, before * before)
    return FittedWidth(w, before * before, before * before)


def error_of_others(points: Problem) -> float:
    """Return the mean squared error of every point predicted from the others, with the w that they have."""
    error = _error(points, float(points.score_params["w"]))
    return error * error


def each_from_the_others(evaluation: Evaluation) -> Problem:
    """Return the attention of the points (keys with their values) over one another, none over itself.

    Scale, softcap and temperature are those of the problem, masks are not used. The result shares no array with it.
    Raises FieldError for a score that is not gaussian, for fewer than two points, and for more than can be tried.
    """
    problem = evaluation.problem
    if not SCORES[problem.score].kernel_width:
        raise FieldError(errors.FIT_SCORE, score=problem.score)
    heads, count = problem.kv_heads, problem.m
    if count < 2 or heads * problem.batch_size * count * count > MOST_POINTS:
        raise FieldError(errors.FIT_POINTS, got=count)
    key, value = _all_of(evaluation, evaluation.latest["key"]), _all_of(evaluation, "value")
    kept = {name: getattr(problem, name) for name in COMPARED_BY}
    others = Custom(allowed=~np.eye(count, dtype=bool))
    return Problem.of({"query": key, "key": key, "value": value, "num_heads": heads, "mask": (others,)} | kept)


def _all_of(evaluation: Evaluation, name: str) -> Array:
    return np.asarray(evaluation.box(name, whole(evaluation.shape(name))), dtype=np.float64)


def _error(points: Problem, w: float) -> float:
    """Return the root of the mean squared error, which is finite where the square would overflow."""
    evaluation = DenseEvaluation(points.replace(score_params={**points.score_params, "w": float(w)}))
    joined = _all_of(evaluation, evaluation.joined)
    missed = joined - np.asarray(points.value).reshape(joined.shape)
    return _root_mean_square(missed)


def _root_mean_square(array: Array) -> float:
    return length(np.asarray(array, dtype=np.float64)) / math.sqrt(array.size)


def _range(points: Problem) -> tuple[float, float]:
    """Return widths from much more than all points span to much narrower than the distance of the closest two."""
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


def _least(points: Problem, low: float, high: float, progress: Progress) -> float:
    """Return the w of the least error, by golden-section search over log w.

    The error is taken to have one dip between `low` and `high`, the neighbors of the best trial.
    """
    known: dict[float, float] = {}

    def error(place: float) -> float:
        if place not in known:
            known[place] = _error(points, math.exp(place))
        return known[place]

    left, right = math.log(low), math.log(high)
    first, second = right - GOLDEN * (right - left), left + GOLDEN * (right - left)
    for count in range(HALVINGS):
        progress(count / HALVINGS)
        if error(first) <= error(second):
            right, second, first = second, first, second - GOLDEN * (second - left)
        else:
            left, first, second = first, second, first + GOLDEN * (right - first)
    return float(f"{math.exp((left + right) / 2):.{DIGITS}g}")


# --- pooling rules --------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class PooledOutputs:
    """Outputs (n,) of one way to pool; `title` in the context "Pages", with a place for `w` if it has a width."""

    title: str
    outputs: Array
    w: float | None = None


@dataclass(frozen=True)
class Estimator:
    """A way to pool: its title, which score it takes (the first that `fits`), and whether its width is fitted."""

    title: str
    fits: Callable[[Score], bool]
    fitted: bool = False

    def put(self, problem: Problem, w: float | None = None) -> Problem:
        """Return the problem pooled in this way by a softmax, with its masks, without a sink."""
        name, score = next((name, score) for name, score in SCORES.items() if self.fits(score))
        params = score.defaults if w is None else {**score.defaults, score.kernel_width: w}
        usual, unset = next(iter(NORMALIZERS)), dict.fromkeys(("scale", "softcap", "temperature", "sink"))
        return problem.replace(score=name, score_params=params, normalize=usual, **unset)


def _is_kernel(score: Score) -> bool:
    return bool(score.kernel_width)


WAYS = (
    Estimator(N_("Pages", "Average pooling"), lambda score: not score.looks),
    Estimator(N_("Pages", "Nadaraya–Watson"), _is_kernel),
    Estimator(N_("Pages", "Fitted w = {w}"), _is_kernel, fitted=True),
    Estimator(N_("Pages", "Dot product q · k"), lambda score: score.dot),
)


def poolings(problem: Problem, batch: int, head: int, progress: Callable[[float], None]) -> list[PooledOutputs]:
    """Return the outputs of a head whose queries, keys and values are single numbers, pooled in each of the ways.

    A width is fitted where none is given, leaving every point out in turn; where there are too few or too many points
    for that, this way is left out. Source: Zhang et al., *Dive into Deep Learning*, "Attention pooling".
    """
    found = []
    for number, way in enumerate(WAYS):
        progress(number / len(WAYS))
        w = _fitted(way.put(problem)) if way.fitted else None
        if w is not None or not way.fitted:
            evaluation = DenseEvaluation(way.put(problem, w), keep=0)
            block = evaluation.block(evaluation.mixed, batch, head, slice(0, problem.n), slice(0, 1))
            found.append(PooledOutputs(way.title, np.array(block[:, 0], float), w))
    progress(1.0)
    return found


def _fitted(problem: Problem) -> float | None:
    try:
        points = each_from_the_others(DenseEvaluation(problem, keep=0))
    except ValueError:
        return None
    with np.errstate(all="ignore"):
        return fit_width(points).w


# --- the function behind the points --------------------------------------------------------------
def textbook_function(x: Array) -> Array:
    """Return 2 sin x + x^0.8, from which *Dive into Deep Learning* draws its points; NaN below 0."""
    return np.asarray(2 * np.sin(x) + np.where(x < 0, np.nan, x) ** 0.8)


def explained_share(x: Array, y: Array) -> float:
    """Return 1 − the mean of (y − f(x))² over the variance of y, f `textbook_function`; −∞ without a variance."""
    with np.errstate(all="ignore"):
        spread, missed = float(np.var(y)), float(np.mean((y - textbook_function(x)) ** 2))
    return 1 - missed / spread if spread > 0 and np.isfinite(missed) and np.isfinite(spread) else -np.inf
