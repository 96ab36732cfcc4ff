"""Ways to pool the same points: average, Nadaraya–Watson, the same with a fitted width, and the dot product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from attn_gui.engine.analysis.fitting import each_from_the_others, fit_width
from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores import SCORES, Score

EXPLAINED = 0.6
"""Share of the variance of the values from which on a function is the one behind them; noise takes the rest."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """Outputs (n,) of one way to pool; `title` in the context "Pages", with a place for `w` if it has a width."""

    title: str
    outputs: Array
    w: float | None = None


@dataclass(frozen=True)
class Way:
    """A way to pool: its title, which score it takes (the first that `fits`), and whether its width is fitted."""

    title: str
    fits: Callable[[Score], bool]
    fitted: bool = False

    def put(self, problem: Problem, w: float | None = None) -> Problem:
        """The problem pooled in this way, its masks kept, with no sink; all else about the scores is as it is unless
        given."""
        name, score = next((name, score) for name, score in SCORES.items() if self.fits(score))
        params = score.defaults if w is None else {**score.defaults, score.kernel_width: w}
        return problem.replace(score=name, score_params=params, scale=None, softcap=None, temperature=None, sink=None)


def _is_kernel(score: Score) -> bool:
    return bool(score.kernel_width)


WAYS = (
    Way(QT_TRANSLATE_NOOP("Pages", "Average pooling"), lambda score: not score.looks),
    Way(QT_TRANSLATE_NOOP("Pages", "Nadaraya–Watson"), _is_kernel),
    Way(QT_TRANSLATE_NOOP("Pages", "Fitted w = {w}"), _is_kernel, fitted=True),
    Way(QT_TRANSLATE_NOOP("Pages", "Dot product q · k"), lambda score: score.dot),
)


def poolings(problem: Problem, batch: int, head: int, tell: Callable[[float], None]) -> list[Pooled]:
    """The outputs of a head whose queries, keys and values are single numbers, pooled in each of the ways.

    A width is fitted where none is given, leaving every point out in turn; where there are too few or too many points
    for that, this way is left out. Source: Zhang et al., *Dive into Deep Learning*, "Attention pooling".
    """
    found = []
    for number, way in enumerate(WAYS):
        tell(number / len(WAYS))
        w = _fitted(way.put(problem)) if way.fitted else None
        if w is not None or not way.fitted:
            evaluation = Evaluation(way.put(problem, w), keep=0)
            block = evaluation.block(evaluation.mixed, batch, head, slice(0, problem.n), slice(0, 1))
            found.append(Pooled(way.title, np.array(block[:, 0], float), w))
    tell(1.0)
    return found


def _fitted(problem: Problem) -> float | None:
    try:
        points = each_from_the_others(Evaluation(problem, keep=0))
    except ValueError:
        return None
    with np.errstate(all="ignore"):
        return fit_width(points).w


@dataclass(frozen=True)
class TrueFunction:
    """A function that points were drawn from, and how it is written."""

    text: str
    at: Callable[[Array], Array]

    def explained(self, x: Array, y: Array) -> float:
        """1 − the mean of (y − f(x))² over the variance of y; −∞ where there is nothing to explain."""
        with np.errstate(all="ignore"):
            spread, missed = float(np.var(y)), float(np.mean((y - self.at(x)) ** 2))
        return 1 - missed / spread if spread > 0 and np.isfinite(missed) and np.isfinite(spread) else -np.inf


TRUE_FUNCTIONS: Mapping[str, TrueFunction] = MappingProxyType(
    {"d2l": TrueFunction("2 sin x + x⁰·⁸", lambda x: 2 * np.sin(x) + np.where(x < 0, np.nan, x) ** 0.8)}
)
"""Functions of data that are in use for teaching: that of *Dive into Deep Learning*."""


def function_behind(x: Array, y: Array) -> str | None:
    """The function that explains most of points, if it explains enough of their variance."""
    shares = {key: function.explained(x, y) for key, function in TRUE_FUNCTIONS.items()}
    best = max(shares, key=lambda key: shares[key])
    return best if shares[best] >= EXPLAINED else None
