"""Finite differences against exact gradients, and gradients by steps against closed formulas."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute, memory, sensitivity
from attn_gui.engine.analysis.gradient_evaluation import finite_difference
from attn_gui.engine.analysis.sensitivity import gradients, step_gradients
from attn_gui.engine.graph import indices


@pytest.fixture
def problem():
    random = np.random.default_rng(6).standard_normal
    return Problem(
        x=random((4, 3)),
        **{name: random((3, 4)) for name in ("w_query", "w_key", "w_value")},
        b_query=random(4),
        w_output=random((4, 3)),
        num_heads=2,
        temperature=1.5,
        score="gaussian",
        mask=({"kind": "causal"}, {"kind": "bias", "values": random((4, 4))}),
        interventions=(
            {"kind": "set", "stage": "weights", "at": {"query": 1, "key": 0}, "values": 0.3},
            {"kind": "scale", "stage": "value", "at": {"row": 2}, "factor": 1.5},
            {"kind": "set", "stage": "scores", "at": {"query": 3}, "values": random(4)},
        ),
        block={"ln_weight": random(3), "ln_bias": random(3), "w_linear": random((3, 3)), "b_linear": random(3)},
    )


def test_where_there_is_no_room_for_another_problem_there_is_no_difference(problem, monkeypatch):
    box, weights = tuple(slice(0, 1) for _ in range(3)), np.ones((1, 1, 1))
    assert np.isfinite(finite_difference(problem, "output", box, weights, "x", (0, 0)))
    monkeypatch.setattr(memory, "available", lambda: 100)
    assert np.isnan(finite_difference(problem, "output", box, weights, "x", (0, 0)))


def test_the_difference_is_the_gradient_for_every_kind_of_number(problem):
    stage, place = "block_output", (0, 3, 1)
    exact = sensitivity(compute(problem), stage, place)
    random = np.random.default_rng(1)
    for field, gradient in exact.items():
        index = tuple(int(random.integers(length)) for length in gradient.shape)
        found = finite_difference(problem, stage, indices.cell(place), np.ones((1, 1, 1)), field, index)
        assert found == pytest.approx(float(gradient[index]), rel=1e-6, abs=1e-8), (field, index)


def test_a_float32_problem_is_computed_in_float64(problem):
    rounded = problem.replace(dtype="float32")
    exact = sensitivity(compute(rounded), "weights", (0, 1, 3, 2))["x"][3, 1]
    found = finite_difference(rounded, "weights", indices.cell((0, 1, 3, 2)), np.ones((1, 1, 1, 1)), "x", (3, 1))
    assert found == pytest.approx(exact, rel=1e-5)


def test_what_cannot_be_computed_on_both_sides_has_no_difference(problem):
    tiny = problem.replace(temperature=1e-9)
    found = finite_difference(tiny, "weights", indices.cell((0, 0, 1, 0)), np.ones((1, 1, 1, 1)), "temperature", ())
    assert np.isnan(found)


def test_gradients_by_the_steps_are_those_of_the_formulas():
    """∂a/∂s′ = diag(a) − a aᵀ; ∂o/∂a = v; times the scale before it; times k before that."""
    random = np.random.default_rng(6).standard_normal
    problem = Problem(query=random((3, 4)), key=random((5, 4)), value=random((5, 2)))
    evaluation, trace = DenseEvaluation(problem), compute(problem)
    a, v = trace["weights"][0, 0, 1], problem.value[:, 1]
    found = step_gradients(evaluation, "head_output", indices.cell((0, 0, 1, 1)), np.ones((1, 1, 1, 1)))
    assert list(found) == ["query", "key", "value", "scores", "scaled", "weights"]
    box, cells = found["weights"]
    assert box == (slice(0, 1), slice(0, 1), slice(1, 2), slice(0, 5))
    assert cells[0, 0, 0] == pytest.approx(v, abs=1e-15)
    before = (np.diag(a) - np.outer(a, a)) @ v
    assert found["scaled"][1][0, 0, 0] == pytest.approx(before, abs=1e-14)
    assert found["scores"][1][0, 0, 0] == pytest.approx(before / 2, abs=1e-14)
    assert found["query"][1][0, 0] == pytest.approx(before / 2 @ problem.key, abs=1e-14)
    assert found["key"][1][0] == pytest.approx(np.outer(before / 2, problem.query[1]), abs=1e-14)
    assert found["value"][1][0, :, 0] == pytest.approx(a, abs=1e-15)


def test_gradients_of_a_box_are_those_of_the_whole_stage(problem):
    weights = np.random.default_rng(3).standard_normal((1, 1, 1, 4))
    box = slice(0, 1), slice(1, 2), slice(2, 3), slice(0, 4)
    cotangent = np.zeros((1, 2, 4, 4))
    cotangent[box] = weights
    whole = sensitivity(compute(problem), "weights", cotangent=cotangent)
    for field, found in gradients(DenseEvaluation(problem), "weights", box, weights).items():
        assert found == pytest.approx(whole[field], abs=1e-13), field
