"""Lengths, shares and what is solved by them, for numbers of any size: a power of two in front changes no digit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem, solve
from attn_gui.engine.analysis.head_readings import READINGS, rows_of
from attn_gui.engine.analysis.regression import each_from_the_others, fit_width
from attn_gui.engine.analysis.sweep import ROW_READINGS, MapRow, jacobian_norm
from attn_gui.engine.graph.indices import length

BEYOND = (-660, 660)  # powers of two whose squares are no numbers any more
EPS = float(np.finfo(float).eps)


def problem(rng, **more):
    arrays = {name: rng.standard_normal((5, 3)) for name in ("query", "key", "value")}
    return Problem(**(arrays | more))


@given(st.lists(st.floats(-1e3, 1e3), max_size=9), st.integers(-900, 900))
def test_a_length_scales_with_its_numbers(numbers, power):
    plain = float(np.sqrt((np.array(numbers) ** 2).sum()))
    if plain > 1e-100:  # else the plain sum loses digits itself
        found = float(np.ldexp(length(np.ldexp(np.array(numbers), power)), -power))
        assert abs(found - plain) <= 4 * EPS * max(1, len(numbers)) * plain


@pytest.mark.parametrize("power", BEYOND)
def test_the_norm_of_an_output(rng, power):
    small = problem(rng)
    large = small.replace(value=np.ldexp(small.value, power))
    one, other = (ROW_READINGS["norm"].read(DenseEvaluation(each), MapRow()) for each in (small, large))
    assert other == np.ldexp(one, power) != 0


def test_the_variance_of_scores_that_are_all_huge(rng):
    flat = Problem(query=np.ones((2, 1)), key=np.full((7, 1), 1.7e308), value=np.ones((7, 1)), scale=1.0)
    assert ROW_READINGS["score_variance"].read(DenseEvaluation(flat), MapRow()) == 0


@pytest.mark.parametrize("power", BEYOND)
def test_the_stable_rank_of_weights_set_by_hand(rng, power):
    """It does not know the unit."""
    small = problem(rng)
    weights = np.ldexp(DenseEvaluation(small).block("weights", 0, 0, slice(0, 5), slice(0, 5)), power)
    large = small.replace(interventions=[{"kind": "set", "stage": "weights", "values": weights[None, None]}])
    found = []
    for each in (small, large):
        evaluation = DenseEvaluation(each)
        found.append(READINGS["rank"].measure(each, lambda: rows_of(evaluation, 0, 0)))  # noqa: B023
    assert abs(found[1] - found[0]) <= 100 * EPS * found[0]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any), st.integers(0, 60), st.integers(0, 400))
def test_the_saturation_of_any_weights(parts, steep, power):
    """Also of weights next to 0 and 1, where the plain formula is nothing but rounding, and of huge ones."""
    shares = np.ldexp(np.array(parts, float), [-(steep if k else 0) for k in range(len(parts))])
    shares = np.ldexp(shares / shares.sum(), power if power > 60 else 0)
    exact = [Fraction(float(share)) for share in shares]
    square = sum(a * a * (1 - a) ** 2 for a in exact) + sum(
        a * a * b * b for i, a in enumerate(exact) for j, b in enumerate(exact) if i != j
    )
    found = Fraction(jacobian_norm(shares)) ** 2
    assert abs(found - square) <= 64 * len(parts) * Fraction(EPS) * square


@pytest.mark.parametrize("power", BEYOND)
def test_an_output_is_solved_for(rng, power):
    small = problem(rng)
    large = small.replace(value=np.ldexp(small.value, power))
    target = float(DenseEvaluation(small).box("output", (slice(0, 1), slice(0, 1), slice(0, 1))).item()) * 0.9
    found = [solve(each, "output", (0, 0, 0), t) for each, t in ((small, target), (large, np.ldexp(target, power)))]
    assert found[0].feasible
    if power > 0:  # as near as 1e-9 of 1 is near enough
        assert found[1].feasible
        assert abs(found[1].reached / np.ldexp(target, power) - 1) < 1e-9
        assert abs(found[1].norm - found[0].norm) < 1e-3 * found[0].norm


@pytest.mark.parametrize("by", ["query", "key"])
def test_a_score_of_huge_keys_is_solved_for(rng, by):
    small = problem(rng)
    small = small.replace(key=small.key[:3], value=small.value[:3])
    large = small.replace(key=np.ldexp(small.key, 660), query=np.ldexp(small.query, -660))
    one, other = (solve(each, "scores", (0, 0, 1, 2), 0.25, by, odds="kept") for each in (small, large))
    assert one.feasible == other.feasible
    assert abs(other.reached - 0.25) < 1e-9
    assert abs(np.ldexp(other.norm, 660 if by == "query" else -660) / one.norm - 1) < 1e-9


def test_a_gaussian_score_of_far_points_is_solved_for():
    far = Problem(query=[[2.0**600, 0]], key=[[2.0**600, 1.0], [2.0**600, 3.0]], value=[[1.0], [2.0]], score="gaussian")
    found = solve(far, "scores", (0, 0, 0, 0), -2.0, "key")
    assert found.feasible
    assert abs(found.reached + 2.0) < 1e-9


@pytest.mark.parametrize("power", BEYOND)
def test_a_kernel_is_fitted_to_values_of_any_size(rng, power):
    x = np.sort(rng.uniform(0, 5, 30))[:, None]
    y = 2 * np.sin(x) + x**0.8 + rng.standard_normal(x.shape) / 2
    small = Problem(query=x, key=x, value=y, score="gaussian")
    one, other = (
        fit_width(each_from_the_others(DenseEvaluation(each)))
        for each in (small, small.replace(value=np.ldexp(y, power)))
    )
    assert one.w == other.w != 1
    assert one.error < one.before
