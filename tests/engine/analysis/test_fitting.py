"""The fitted width of a Gaussian kernel: the least error, found by other means and known from theory."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis.regression import each_from_the_others, error_of_others, fit_width
from tests.failing import each


def regression(points: int, noise: float, seed: int = 3, w: float = 1.0) -> Problem:
    """The data of the tutorial: 2 sin x + x^0.8 with noise."""
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(0, 5, points))[:, None]
    y = 2 * np.sin(x) + x**0.8 + noise * random.standard_normal(x.shape)
    grid = np.arange(0, 5, 0.25)[:, None]
    return Problem(query=grid, key=x, value=y, score="gaussian", score_params={"w": w})


def points_of(problem: Problem) -> Problem:
    return each_from_the_others(DenseEvaluation(problem))


def plain_error(x: np.ndarray, y: np.ndarray, w: float) -> float:
    """By loops: every point from the others."""
    missed = []
    for j in range(len(x)):
        weights = [np.exp(-(((x[j, 0] - x[i, 0]) * w) ** 2) / 2) if i != j else 0.0 for i in range(len(x))]
        missed.append(sum(a * v for a, v in zip(weights, y[:, 0], strict=True)) / sum(weights) - y[j, 0])
    return float(np.mean(np.square(missed)))


def error_at(x: np.ndarray, y: np.ndarray, w: float) -> float:
    """The same of all points at once, for many widths."""
    weights = np.exp(-(((x - x.T) * w) ** 2) / 2) * (1 - np.eye(len(x)))
    return float(np.mean((weights @ y[:, 0] / weights.sum(axis=1) - y[:, 0]) ** 2))


@pytest.mark.parametrize("noise", [0.0, 0.5, 2.0])
def test_no_other_width_predicts_the_points_better(noise: float) -> None:
    problem = regression(47, noise)
    fitted = fit_width(points_of(problem))
    assert fitted.error == pytest.approx(plain_error(problem.key, problem.value, fitted.w), rel=1e-9)
    assert fitted.before == pytest.approx(plain_error(problem.key, problem.value, 1.0), rel=1e-9)
    widths = np.geomspace(fitted.w / 50, min(fitted.w * 50, 30), 600)  # narrower ones leave points without neighbors
    assert fitted.error <= min(error_at(problem.key, problem.value, w) for w in widths) * (1 + 1e-9)


def test_values_that_are_all_the_same_leave_w_alone() -> None:
    problem = regression(23, 0.5).replace(value=np.full((23, 1), 2.5))
    assert fit_width(points_of(problem)).w == 1.0


def test_heads_and_items_are_fitted_together() -> None:
    """Two heads, three items, columns of different lengths: the error is the mean over all of them."""
    random = np.random.default_rng(1)
    key, value = random.standard_normal((3, 13, 4)), random.standard_normal((3, 13, 10))
    problem = Problem(query=key[:, :5], key=key, value=value, num_heads=2, score="gaussian", scale=0.7, temperature=2.0)
    missed = []
    for item in range(3):
        for head in range(2):
            k, v = key[item, :, 2 * head : 2 * head + 2], value[item, :, 5 * head : 5 * head + 5]
            squares = ((k[:, None] - k[None]) ** 2).sum(-1)
            weights = np.exp(-squares / 2 * 0.7 / 2.0) * ~np.eye(13, dtype=bool)
            missed.append(weights @ v / weights.sum(1, keepdims=True) - v)
    assert error_of_others(points_of(problem)) == pytest.approx(float(np.mean(np.square(missed))), rel=1e-12)


def test_what_cannot_be_fitted_is_said() -> None:
    with pytest.raises(ValueError, match="Gaussian"):
        fit_width(points_of(regression(5, 0.5).replace(score="dot", score_params={})))
    one = np.ones((1, 1))
    with pytest.raises(ValueError, match="two points"):
        fit_width(points_of(Problem(query=one, key=one, value=one, score="gaussian")))


@each("unit", [1e-320, 1e-200, 1e200, 1e308])
def test_points_as_far_apart_as_numbers_can_be_are_fitted_or_left_alone(unit: float) -> None:
    problem = regression(7, 0.5)
    found = fit_width(points_of(problem.replace(key=np.linspace(-1, 1, 7)[:, None] * unit)))
    assert np.isfinite(found.w)
    assert found.w > 0
