"""Finite differences against exact gradients, and gradients by steps against closed formulas."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute, memory, sensitivity
from attn_gui.engine.analysis.gradient_evaluation import finite_difference
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


def test_what_cannot_be_computed_on_both_sides_has_no_difference(problem):
    tiny = problem.replace(temperature=1e-9)
    found = finite_difference(tiny, "weights", indices.cell((0, 0, 1, 0)), np.ones((1, 1, 1, 1)), "temperature", ())
    assert np.isnan(found)
