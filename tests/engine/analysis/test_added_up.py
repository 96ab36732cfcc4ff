"""Contributions of the heads, against sums over the columns of each head, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.sensitivity import contributions, part_block
from attn_gui.engine.evaluation.streaming import StreamingEvaluation

N, M, HEADS, D_K, D_V, OUT = 5, 7, 3, 2, 4, 11


def made(rng, dtype="float64", **more):
    return Problem(
        query=rng.normal(size=(2, N, HEADS * D_K)),
        key=rng.normal(size=(2, M, HEADS * D_K)),
        value=rng.normal(size=(2, M, HEADS * D_V)),
        num_heads=HEADS,
        dtype=dtype,
        **more,
    )


@pytest.fixture
def rng():
    return np.random.default_rng(2)


@pytest.mark.parametrize("kind", ["dense", "streaming"])
@pytest.mark.parametrize("bias", [True, False])
def test_each_head_adds_its_columns_times_its_rows_of_w_o(rng, kind, bias):
    more = {"b_output": rng.normal(size=OUT)} if bias else {}
    problem = made(rng, w_output=rng.normal(size=(HEADS * D_V, OUT)), **more)
    trace = compute(problem)
    evaluation = trace.evaluation if kind == "dense" else StreamingEvaluation(problem)
    found = contributions(evaluation, 1, slice(2, 4))
    for head in range(HEADS):
        for row in (2, 3):
            wanted = np.zeros(OUT)
            for c in range(D_V):
                wanted += trace["head_output"][1, head, row, c] * problem.w_output[head * D_V + c]
            assert found.parts[head, row - 2] == pytest.approx(wanted, rel=1e-12, abs=1e-14)
            assert part_block(evaluation, 1, head, slice(row, row + 1), slice(3, 9))[0] == pytest.approx(wanted[3:9])
    assert found.total == pytest.approx(trace["output"][1, 2:4], rel=1e-12, abs=1e-13)
    assert found.difference == np.abs(found.total - found.output).max() < 1e-13
    assert found.shares().sum(axis=0) == pytest.approx([1.0, 1.0])
    assert len(found.norms()) == HEADS + bias
    assert found.norms()[1] == pytest.approx(np.linalg.norm(found.parts[1], axis=-1))


@pytest.mark.parametrize("out", [OUT, HEADS * D_V, HEADS * D_V + 5])
def test_of_an_output_set_by_hand_the_heads_add_what_they_would_have(rng, out):
    plain = made(rng, w_output=rng.normal(size=(HEADS * D_V, out)))
    wanted = contributions(compute(plain).evaluation, 0, slice(0, N))
    by_hand = {"kind": "set", "stage": "output", "at": {"query": 1}, "values": 0.5}
    evaluation = compute(plain.replace(interventions=(by_hand,))).evaluation
    found = contributions(evaluation, 0, slice(0, N))
    assert np.array_equal(found.parts, wanted.parts)
    assert (found.output[1] == 0.5).all()
    assert np.abs(found.total - found.output)[[0, 2, 3, 4]].max() < 1e-13
    for head in range(HEADS):
        block = part_block(evaluation, 0, head, slice(0, N), slice(0, out))
        assert block == pytest.approx(wanted.parts[head], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_norms_and_shares_of_numbers_of_any_size(rng, size):
    problem = made(rng, w_output=rng.normal(size=(HEADS * D_V, OUT)))
    found = contributions(compute(problem.replace(value=problem.value * size)).evaluation, 0, slice(0, N))
    plain = found.parts / size  # by hand, where nothing overflows or vanishes
    whole, enough = plain.sum(axis=0), 100 * np.finfo(float).eps
    assert np.allclose(found.norms() / size, np.sqrt((plain**2).sum(axis=-1)), rtol=enough, atol=0)
    by_hand = (plain * whole).sum(axis=-1) / (whole**2).sum(axis=-1)
    assert np.allclose(found.shares(), by_hand, rtol=0, atol=enough * np.abs(by_hand).max())
    assert np.allclose(found.shares().sum(axis=0), 1, rtol=0, atol=enough * np.abs(by_hand).max())


def test_what_is_no_number_stays_one_and_an_output_of_zeros_has_no_shares(rng):
    problem = made(rng, w_output=rng.normal(size=(HEADS * D_V, OUT)))
    value = problem.value.copy()
    value[0, 0, 0], value[0, 1, D_V], value[0, :, 2 * D_V :] = np.inf, np.nan, 0
    norms = contributions(compute(problem.replace(value=value)).evaluation, 0, slice(0, N)).norms()
    assert np.isinf(norms[0]).all()
    assert np.isnan(norms[1]).all()
    assert (norms[2] == 0).all()
    none = contributions(compute(problem.replace(value=np.zeros_like(value))).evaluation, 0, slice(0, N))
    assert np.isnan(none.shares()).all()


def test_without_w_o_each_head_fills_columns_of_its_own_exactly(rng):
    problem = made(rng)
    found = contributions(compute(problem).evaluation, 0, slice(0, N))
    assert found.difference == 0.0
    for head in range(HEADS):
        outside = np.ones(HEADS * D_V, bool)
        outside[head * D_V : (head + 1) * D_V] = False
        assert not found.parts[head][:, outside].any()
        assert found.parts[head][:, ~outside].any()
