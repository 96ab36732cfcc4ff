"""Q and K at any d_k: what is drawn, repeated and read of them, against arithmetic written out here."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.d_k_sweep import (
    POINTS,
    can_repeat,
    entropies,
    read_d_k,
    repeated,
    seeded,
    seeded_entropies,
    two_states,
)
from attn_gui.engine.analysis.sweep import MapRow
from tests.failing import each


def test_seeded_numbers_are_those_of_the_mock_up():
    before, now = (read_d_k(state, MapRow(query=10)) for state in two_states(seeded(64)))
    assert [round(number, 2) for number in before] == [64.34, 0.72, 0.03]
    assert [round(number, 2) for number in now] == [1.01, 3.38, 0.33]
    weights = compute(seeded(64))["weights"][0, 0]
    jacobian = np.diag(weights[10]) - np.outer(weights[10], weights[10])
    assert now.gradient == pytest.approx(np.linalg.norm(jacobian))
    assert now.entropy == pytest.approx(-(weights * np.log2(weights)).sum(axis=1).mean())


def test_the_curve_of_seeded_numbers_is_read_off_whole_evaluations():
    without, with_scale = seeded_entropies()
    assert len(POINTS) == len(without) == len(with_scale) == 33
    for place in (0, 7, 20, 32):
        states = two_states(seeded(POINTS[place]))
        found = [read_d_k(state, MapRow()).entropy for state in states]
        assert found == pytest.approx([without[place], with_scale[place]], abs=1e-12)


@each("more", [{}, {"temperature": 2.0}, {"mask": "causal"}, {"scale": 0.25}, {"num_kv_heads": 1}])
def test_columns_of_each_head_are_repeated_and_cut(more):
    rng = np.random.default_rng(4)
    kv = more.get("num_kv_heads", 2)
    arrays = {
        "query": rng.normal(size=(5, 6)),
        "key": rng.normal(size=(7, 3 * kv)),
        "value": rng.normal(size=(7, 2 * kv)),
    }
    problem = Problem(**arrays, num_heads=2, **more)
    assert can_repeat(problem)
    assert np.array_equal(repeated(problem, 3).query, problem.query)
    wide = repeated(problem, 8)
    scores = problem.query.reshape(5, 2, 3)[:, 1][:, [0, 1, 2, 0, 1, 2, 0, 1]]
    keys = problem.key.reshape(7, kv, 3)[:, kv - 1][:, [0, 1, 2, 0, 1, 2, 0, 1]]
    assert compute(wide)["scores"][0, 1] == pytest.approx(scores @ keys.T)
    curves = entropies(problem, 0, 1)
    for place in (0, 9, 32):
        states = two_states(repeated(problem, POINTS[place]))
        found = [read_d_k(state, MapRow(head=1)).entropy for state in states]
        assert found == pytest.approx([curve[place] for curve in curves], abs=1e-12)


def test_what_depends_on_the_width_in_other_ways_is_not_repeated():
    ones = {"query": np.ones((2, 4)), "key": np.ones((3, 4)), "value": np.ones((3, 1))}
    assert not can_repeat(Problem(**ones, rotary_theta=100.0))
    assert not can_repeat(Problem(**ones, softcap=3.0))
    assert not can_repeat(Problem(**ones, score="cosine"))
    assert not can_repeat(Problem(**ones, mask=[{"kind": "alibi"}]))
