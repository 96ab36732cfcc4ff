"""Rows of plain Python floats against the engine, where numbers are no longer finite."""

from __future__ import annotations

import numpy as np

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.reference import rms_norm
from attn_gui.engine.analysis.verification import verify
from tests.failing import each

INF, NAN = np.inf, np.nan
WILD = ([1, INF, 2], [1, -INF, 2], [INF, -INF, 2], [NAN, INF, 2], [NAN, 1, 2], [1e200, 1e308, 2], [1e-200, 0, 2e-200])


@each("row", WILD)
def test_a_norm_of_the_heads_is_right_whatever_is_in_the_row(row: list[float]) -> None:
    for score in ("dot", "cosine"):
        problem = Problem(query=[row], key=np.eye(3), value=np.eye(3), query_norm=[1.0, 2.0, 3.0], score=score)
        assert verify(problem).ok


@each("row", WILD)
@each("norm", ["layer", "rms"])
def test_norms_of_a_layer_are_right_whatever_is_in_the_row(norm: str, row: list[float]) -> None:
    tables = dict.fromkeys(("norm1_weight", "norm2_weight"), np.ones(3)) | dict.fromkeys(("w_up", "w_down"), np.eye(3))
    weights = dict.fromkeys(("w_query", "w_key", "w_value", "w_output"), np.eye(3))
    problem = Problem(x=[row, [1.0, 2.0, 3.0]], **weights, block={"kind": "pre", "norm": norm, **tables})
    assert verify(problem).ok


def test_what_stands_beside_an_infinite_number_becomes_zero() -> None:
    by_hand = rms_norm([1.0, INF, 2.0], [1.0] * 3, [0.0] * 3, 1e-6)
    computed = compute(Problem(query=[[1.0, INF, 2.0]], key=np.eye(3), value=np.eye(3), query_norm=[1.0] * 3))
    np.testing.assert_array_equal(by_hand, [0.0, NAN, 0.0])
    np.testing.assert_array_equal(computed["normed_query"][0, 0], by_hand)
