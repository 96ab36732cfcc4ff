"""Cosines between tokens, and the largest weights of queries, against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis.relations import cosines, largest_weights, mean_of_others
from tests.failing import each

EPS = np.finfo(float).eps


def plain_cosine(a, b):
    lengths = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(x * x for x in b))
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


@given(arrays(float, (5, 4), elements=st.integers(-9, 9).map(float)))
def test_a_cosine_is_the_product_over_the_lengths(rows):
    expected = [[plain_cosine(a, b) for b in rows] for a in rows]
    assert np.abs(cosines(rows) - expected).max() <= 8 * 4 * EPS


@each("unit", [1e-310, 1e-200, 1e200, 1e307])
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


@each("least", [0.0, 0.1, 0.5])
@each("most", [1, 3, 50])
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


def test_of_equal_weights_the_first_are_taken():
    random = np.random.default_rng(1).standard_normal
    problem = Problem(query=np.zeros((2, 3)), key=random((50, 3)), value=random((50, 2)))
    found, _ = largest_weights(DenseEvaluation(problem), 0, (0,), range(2), 0.0, 3, lambda share: None)
    assert [(one.query, one.key) for one in found] == [(query, key) for query in range(2) for key in range(3)]
