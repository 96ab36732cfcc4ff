"""Scaling of dot products against plain formulas, and against what is known of independent normal numbers."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.sweep import (
    AT_ONCE,
    SATURATED,
    WIDTHS,
    MapRow,
    at_scales,
    entropies,
    read_rows,
    score_variance,
    seeded_variances,
)
from tests.failing import each

N, M, D_K = 6, 5, 4


@pytest.fixture
def problem():
    rng = np.random.default_rng(4)
    return Problem(
        query=rng.normal(size=(N, 2 * D_K)),
        key=rng.normal(size=(M, 2 * D_K)),
        value=rng.normal(size=(M, 6)),
        num_heads=2,
        mask=[{"kind": "causal"}],
    )


def softmax(numbers):
    powers = np.exp(numbers - numbers.max())
    return powers / powers.sum()


def test_the_variance_of_seeded_products_comes_near_d_k():
    found = seeded_variances()
    for width, variance in zip(WIDTHS, found, strict=True):
        assert variance == pytest.approx(width, rel=5 * np.sqrt(2 / (128 * width)) + 0.05)  # ‖q‖² varies by √(2/d_k)
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((128, 256)), rng.standard_normal((128, 256))
    products = [float(query[i, :64] @ key[j, :64]) for i in range(128) for j in range(128)]
    assert found[WIDTHS.index(64)] == pytest.approx(np.mean((np.array(products) - np.mean(products)) ** 2), rel=1e-12)


def test_a_row_at_several_scales_is_the_softmax_of_its_products(problem):
    row, scales = MapRow(head=1, query=3, key=2), (D_K**-0.5, 1.0, 7.5)
    query, keys = problem.query[3, D_K:], problem.key[:4, D_K:]
    for found, scale in zip(at_scales(problem, scales, row), scales, strict=True):
        a = softmax(keys @ query * scale)
        assert found.weights == pytest.approx([*a, 0.0], rel=1e-12)
        assert found.entropy == pytest.approx(-(a * np.log2(a)).sum(), rel=1e-10)
        assert found.ceiling == pytest.approx(np.log2(4))
        assert found.jacobian == pytest.approx(np.linalg.norm(np.diag(a) - np.outer(a, a)), rel=1e-9)
        assert found.gradient == pytest.approx(np.linalg.norm(scale * a[2] * (keys[2] - a @ keys)), rel=1e-9)
        assert found.saturated == (a.max() > SATURATED)


def test_entropies_are_those_of_every_row_and_the_ceiling_is_the_log_of_its_open_keys(problem):
    found = entropies(problem, (0.5, 3.0), MapRow(head=1))
    for number, scale in enumerate((0.5, 3.0)):
        weights = compute(problem.replace(scale=scale))["weights"][0, 1]
        wanted = [-sum(a * np.log2(a) for a in row if a > 0) for row in weights]
        assert found.values[number] == pytest.approx(wanted, abs=1e-14)
    assert found.ceilings == pytest.approx(np.log2([1, 2, 3, 4, 5, 5]))
    assert found.queries.tolist() == [*range(N)]


def test_the_variance_of_the_present_scores_is_that_of_the_open_cells(problem):
    scores = problem.query[:, D_K:] @ problem.key[:, D_K:].T
    seen = scores[np.tril(np.ones((N, M), bool))]
    assert score_variance(problem, 0, 1) == pytest.approx(np.var(seen), rel=1e-12)


def test_of_a_long_problem_rows_at_even_distances_are_read():
    rng = np.random.default_rng(0)
    long = Problem(**{name: rng.normal(size=(2000, 1)) for name in ("query", "key", "value")})
    rows = read_rows(long)
    assert rows[0] == 0
    assert rows[-1] == 1999
    assert len(rows) * 2000 <= AT_ONCE
    assert np.ptp(np.diff(rows)) <= 1


def test_a_row_with_no_open_key_has_no_entropy_and_no_gradient():
    problem = Problem(
        query=np.ones((2, 2)), key=np.ones((2, 2)), value=np.ones((2, 1)), mask=[{"kind": "window", "left": -1}]
    )
    (found,) = at_scales(problem, (1.0,), MapRow(query=1))
    assert (found.entropy, found.ceiling, found.jacobian, found.gradient) == (0.0, 0.0, 0.0, 0.0)
    assert not found.saturated
    (single,) = at_scales(problem, (1.0,), MapRow(query=0))
    assert single.weights.tolist() == [0.0, 1.0]
    assert not single.saturated  # there is nothing to choose from


def largest_sum(count, steps=2000):
    """The largest of S log(count / S) over a grid of totals S to 1: what so many equal weights give."""
    return max(-total * np.log2(total / count) for total in np.arange(1, steps + 1) / steps)


@each("sink", [-3.0, 0.0, 0.5, 3.0])
def test_beside_a_sink_no_entropy_is_above_what_is_called_the_most(sink):
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=(5, 3)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, sink=[sink], mask=[{"kind": "causal"}])
    scales = (0.0, 0.1, 1.0, 5.0)
    found = entropies(problem, scales, MapRow())
    assert (found.values <= found.ceilings + 1e-15).all()
    assert found.ceilings == pytest.approx([largest_sum(count) for count in range(1, 6)], abs=1e-6)
    (first,) = at_scales(problem.replace(sink=[-9.0]), (1.0,), MapRow(query=0))
    assert first.ceiling == found.ceilings[0]
    assert first.saturated  # the one key takes nearly all from the sink


@pytest.mark.parametrize("at", [{"query": 2}, {"query": (1, 4), "key": 1}, {"key": (3, 5)}, {}], ids=str)
@pytest.mark.parametrize("change", [{"kind": "set", "values": 0.37}, {"kind": "scale", "factor": 0.4}])
def test_weights_by_hand_are_not_said_to_have_less_entropy_than_they_have(problem, at, change):
    by_hand = change | {"stage": "weights", "at": {"head": 1} | at}
    plain = entropies(problem, (0.0, 0.5, 3.0), MapRow(head=1)).ceilings
    changed = problem.replace(interventions=[by_hand])
    found = entropies(changed, (0.0, 0.5, 3.0), MapRow(head=1))
    assert (found.values <= found.ceilings + 1e-15).all()
    rows = np.arange(N)
    low, high = np.atleast_1d(at.get("query", (0, N)))[[0, -1]]
    touched = rows == low if low == high else (rows >= low) & (rows < high)
    assert found.ceilings[~touched].tolist() == plain[~touched].tolist()
    assert entropies(changed, (0.5,), MapRow(head=0)).ceilings.tolist() == plain.tolist()


def test_equal_scores_have_no_variance_at_all():
    problem = Problem(query=np.full((3, 2), 0.1), key=np.full((7, 2), 0.7), value=np.ones((7, 1)))
    assert score_variance(problem, 0, 0) == 0.0
