"""Contributions of the heads: they add up, and their norms and shares stand for numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis.sensitivity import contributions

SIZES = (1e-200, 1.0, 1e200)
HEADS, N, D_MODEL = 3, 5, 7


def found(rng, size, **more):
    arrays = {name: rng.standard_normal((N, HEADS * width)) for name, width in (("query", 2), ("key", 2), ("value", 4))}
    arrays["value"] *= size
    problem = Problem(**arrays, w_output=rng.standard_normal((12, D_MODEL)), num_heads=HEADS, **more)
    return problem, contributions(DenseEvaluation(problem), 0, slice(0, N))


@pytest.mark.parametrize("size", SIZES)
def test_norms_and_shares_of_numbers_of_any_size(rng, size):
    _, parts = found(rng, size)
    plain = parts.parts / size  # by hand, where nothing overflows or vanishes
    whole = plain.sum(axis=0)
    enough = 100 * np.finfo(float).eps
    assert np.allclose(parts.norms() / size, np.sqrt((plain**2).sum(axis=-1)), rtol=enough, atol=0)
    by_hand = (plain * whole).sum(axis=-1) / (whole**2).sum(axis=-1)
    assert np.allclose(parts.shares(), by_hand, rtol=0, atol=enough * np.abs(by_hand).max())
    assert np.allclose(parts.shares().sum(axis=0), 1, rtol=0, atol=enough * np.abs(by_hand).max())


def test_what_is_no_number_stays_one_and_an_output_of_zeros_has_no_shares(rng):
    problem, _ = found(rng, 1.0)
    value = problem.value.copy()
    value[0, 0], value[1, 4], value[:, 8:] = np.inf, np.nan, 0
    parts = contributions(DenseEvaluation(problem.replace(value=value)), 0, slice(0, N))
    assert np.isinf(parts.norms()[0]).all()
    assert np.isnan(parts.norms()[1]).all()
    assert (parts.norms()[2] == 0).all()
    none = contributions(DenseEvaluation(problem.replace(value=np.zeros_like(value))), 0, slice(0, N))
    assert np.isnan(none.shares()).all()
