"""The mixture of one query, and the ways to pool the same points, against plain NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.analysis.regression import AT_ONCE, TRUE_FUNCTIONS, function_behind, mixture, poolings
from attn_gui.engine.evaluation.choice import evaluation_of

EPS = np.finfo(float).eps


def silent(share):
    pass


@pytest.mark.parametrize("most", [1, 4, 30])
def test_the_parts_of_a_mixture_are_weights_times_values(most):
    random = np.random.default_rng(3).standard_normal
    problem = Problem(
        query=random((5, 6)), key=random((9, 6)), value=random((9, 6)), num_heads=3, mask=({"kind": "causal"},)
    )
    trace = compute(problem)
    for head in range(3):
        weights, value = trace["weights"][0, head, 4], trace["value"][0][:, 2 * head : 2 * head + 2]
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


def test_what_stands_behind_a_mask_adds_nothing():
    problem = Problem(query=[[1.0], [1.0]], key=[[1.0], [2.0]], value=[[3.0], [math.inf]], mask=({"kind": "causal"},))
    found = mixture(DenseEvaluation(problem), 0, 0, 0, 2)
    assert found.parts.tolist() == [[3.0], [0.0]]
    assert found.difference == 0


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
    average, kernel, fitted, dot = poolings(points.replace(scale=3.0, temperature=2.0), 0, 0, silent)
    apart = q[:, None] - x
    assert average.outputs == pytest.approx(np.full(21, y.mean()), abs=1e-14)
    assert kernel.outputs == pytest.approx(soft(-(apart**2) / 2, y), abs=1e-13)
    assert fitted.outputs == pytest.approx(soft(-((fitted.w * apart) ** 2) / 2, y), abs=1e-13)
    assert dot.outputs == pytest.approx(soft(q[:, None] * x, y), abs=1e-13)
    assert (average.w, kernel.w, dot.w) == (None, None, None)


def test_a_way_that_cannot_be_fitted_is_left_out(points):
    one = points.replace(key=points.key[:1], value=points.value[:1])
    assert [way.w for way in poolings(one, 0, 0, silent)] == [None, None, None]


def test_the_function_behind_points_is_told_by_what_it_explains(points):
    x, y = points.key[:, 0], points.value[:, 0]
    assert function_behind(x, y) == "d2l"
    share = 1 - np.mean((y - 2 * np.sin(x) - x**0.8) ** 2) / np.mean((y - y.mean()) ** 2)
    assert TRUE_FUNCTIONS["d2l"].explained(x, y) == pytest.approx(share, rel=1e-12)
    assert function_behind(x, -y) is None
    assert function_behind(x - 2, y) is None
    assert function_behind(x, np.full(40, np.nan)) is None
    assert function_behind(x, np.ones(40)) is None


def test_average_pooling_is_the_mean_also_beside_a_sink():
    random = np.random.default_rng(3).standard_normal
    problem = Problem(query=random((3, 1)), key=random((4, 1)), value=random((4, 1)), sink=[2.0])
    average = poolings(problem, 0, 0, silent)[0]
    assert average.outputs == pytest.approx(np.full(3, problem.value.mean()), rel=8 * EPS)
