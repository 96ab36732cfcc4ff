"""Attention as regression and as a relation of tokens: fitted kernels, mixtures, poolings, cosines, largest weights."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.analysis.head_readings import cosines, largest_weights, mean_of_others
from attn_gui.engine.analysis.regression import (
    AT_ONCE,
    EXPLAINED,
    each_from_the_others,
    explained_share,
    fit_width,
    mixture,
    poolings,
)
from attn_gui.engine.evaluation.trace import evaluation_of
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


@each("noise", [0.0, 0.5], one_of=2)
def test_no_other_width_predicts_the_points_better(noise: float) -> None:
    problem, told = regression(47, noise), []
    fitted = fit_width(points_of(problem), told.append)
    assert told == sorted(told)
    assert max(np.diff([0.0, *told, 1.0])) < 0.05  # so often it can be stopped
    assert fitted.error == pytest.approx(plain_error(problem.key, problem.value, fitted.w), rel=1e-9)
    assert fitted.before == pytest.approx(plain_error(problem.key, problem.value, 1.0), rel=1e-9)
    widths = np.geomspace(fitted.w / 50, min(fitted.w * 50, 30), 600)  # narrower ones leave points without neighbors
    assert fitted.error <= min(error_at(problem.key, problem.value, w) for w in widths) * (1 + 1e-9)


def test_what_cannot_be_fitted_is_said() -> None:
    with pytest.raises(ValueError, match="Gaussian"):
        fit_width(points_of(regression(5, 0.5).replace(score="dot", score_params={})))
    one = np.ones((1, 1))
    with pytest.raises(ValueError, match="two points"):
        fit_width(points_of(Problem(query=one, key=one, value=one, score="gaussian")))


# --- the mixture of one query ---------------------------------------------------------------------
EPS = np.finfo(float).eps


@each("most", [1, 4])
def test_the_parts_of_a_mixture_are_weights_times_values(most):
    random = np.random.default_rng(3).standard_normal
    value = random((9, 6))
    value[8] = math.inf  # behind the mask
    problem = Problem(query=random((5, 6)), key=random((9, 6)), value=value, num_heads=3, mask=({"kind": "causal"},))
    trace = compute(problem)
    for head in range(3):
        weights, value = trace["weights"][0, head, 4], trace["value"][0][:, 2 * head : 2 * head + 2].copy()
        value[8] = 0.0  # adds nothing
        found = mixture(DenseEvaluation(problem), 0, head, 4, most)
        order = sorted(range(9), key=lambda key, weights=weights: (-weights[key], key))
        assert found.keys == tuple(order[:most])
        assert found.weights.tolist() == [weights[key] for key in found.keys]
        assert found.scores.tolist() == [trace["masked"][0, head, 4, key] for key in found.keys]
        assert found.parts.tolist() == [(weights[key] * value[key]).tolist() for key in found.keys]
        rest = sum((weights[key] * value[key] for key in sorted(order[most:])), np.zeros(2))
        assert np.abs(found.rest - rest).max() <= 9 * EPS
        assert found.others == max(9 - most, 0)
        assert found.others_weight == pytest.approx(sum(weights[key] for key in order[most:]), abs=9 * EPS)
        assert found.output.tolist() == trace["head_output"][0, head, 4].tolist()
        assert found.difference <= 9 * EPS * np.abs(weights[:, None] * value).sum(axis=0).max()


def test_of_a_long_problem_the_others_are_summed_in_blocks():
    random = np.random.default_rng(3).standard_normal
    problem = Problem(query=random((500, 8)), key=random((2 * AT_ONCE + 7, 8)), value=random((2 * AT_ONCE + 7, 3)))
    found = mixture(evaluation_of(problem), 0, 0, 321, 5)
    scores = problem.key @ problem.query[321] / math.sqrt(8)
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    named = list(np.argsort(-weights)[:5])
    assert list(found.keys) == named
    others = np.delete(np.arange(problem.m), named)
    assert np.abs(found.rest - weights[others] @ problem.value[others]).max() < 1e-12
    assert found.difference < 1e-12


# --- ways to pool --------------------------------------------------------------------------------
@pytest.fixture
def points():
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 5, 40))
    y = 2 * np.sin(x) + x**0.8 + random.normal(scale=0.5, size=40)
    return Problem(query=np.linspace(0, 5, 21)[:, None], key=x[:, None], value=y[:, None], score="gaussian")


def soft(scores, values):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers @ values / powers.sum(axis=1)


def test_the_ways_are_those_of_the_textbook(points):
    x, y, q = points.key[:, 0], points.value[:, 0], points.query[:, 0]
    average, kernel, fitted, dot = poolings(points.replace(scale=3.0, temperature=2.0), 0, 0, lambda _share: None)
    apart = q[:, None] - x
    assert average.outputs == pytest.approx(np.full(21, y.mean()), abs=1e-14)
    assert kernel.outputs == pytest.approx(soft(-(apart**2) / 2, y), abs=1e-13)
    assert fitted.outputs == pytest.approx(soft(-((fitted.w * apart) ** 2) / 2, y), abs=1e-13)
    assert dot.outputs == pytest.approx(soft(q[:, None] * x, y), abs=1e-13)
    assert (average.w, kernel.w, dot.w) == (None, None, None)


def test_the_function_behind_points_is_told_by_what_it_explains(points):
    x, y = points.key[:, 0], points.value[:, 0]
    share = 1 - np.mean((y - 2 * np.sin(x) - x**0.8) ** 2) / np.mean((y - y.mean()) ** 2)
    assert explained_share(x, y) == pytest.approx(share, rel=1e-12)
    assert share > EXPLAINED > explained_share(x, -y)
    assert explained_share(x, np.full(40, np.nan)) == -np.inf


# --- cosines between tokens -----------------------------------------------------------------------
def plain_cosine(a, b):
    lengths = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(x * x for x in b))
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


@given(arrays(float, (5, 4), elements=st.integers(-9, 9).map(float)))
def test_a_cosine_is_the_product_over_the_lengths(rows):
    expected = [[plain_cosine(a, b) for b in rows] for a in rows]
    assert np.abs(cosines(rows) - expected).max() <= 8 * 4 * EPS


@each("unit", [1e-310, 1e307])
def test_a_cosine_does_not_depend_on_the_unit(unit):
    rows = np.random.default_rng(2).integers(-9, 10, (6, 5)).astype(float)
    assert np.abs(cosines(rows * unit) - cosines(rows)).max() <= (1e-12 if unit > 1e-300 else 1e-2)


def test_the_mean_leaves_out_a_token_with_itself():
    found = cosines(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]))
    assert mean_of_others(found) == pytest.approx((0 + 2 * math.sqrt(0.5)) / 3, rel=4 * EPS)
    assert math.isnan(mean_of_others(np.ones((1, 1))))
    wild = cosines(np.array([[1.0, math.nan], [1.0, 1.0]]))
    assert np.isnan(wild[0]).all()
    assert wild[1, 1] == pytest.approx(1.0, rel=4 * EPS)


@each(("least", "most"), [(0.0, 50), (0.1, 3), (0.5, 1)])
def test_the_largest_weights_are_those_that_sorting_gives(least, most):
    random = np.random.default_rng(1).standard_normal
    problem = Problem(
        query=random((7, 6)), key=random((9, 6)), value=random((9, 6)), num_heads=3, mask=({"kind": "causal"},)
    )
    evaluation, told = DenseEvaluation(problem), []
    found, mean = largest_weights(evaluation, 0, (0, 2), range(2, 6), least, most, told.append)
    expected = []
    for head in (0, 2):
        for query in range(2, 6):
            row = [
                (
                    float(
                        evaluation.box("weights", np.s_[0:1, head : head + 1, query : query + 1, key : key + 1]).item()
                    ),
                    key,
                )
                for key in range(9)
            ]
            row = sorted((one for one in row if one[0] > 0 and one[0] >= least), key=lambda one: (-one[0], one[1]))
            expected += [(head, query, key, weight) for weight, key in row[:most]]
    assert [(one.head, one.query, one.key, one.weight) for one in found] == expected
    assert mean == pytest.approx(1 / 9, rel=4 * EPS)  # every row adds up to 1
    assert told[-1] == 1.0
