"""Gradients where NaN and infinity stand behind a mask, or in rows that nothing is asked of."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute, sensitivity

N, M, D, WIDE, HEADS = 3, 5, 4, 7, 2
CLOSED = 3
"""Keys from here on are behind the mask."""

rng = np.random.default_rng(11)
ADDITIVE = {
    "w_score_query": rng.normal(size=(D, 3)),
    "w_score_key": rng.normal(size=(D, 3)),
    "w_score": rng.normal(size=3),
}
NORMS = {"query_norm": rng.normal(size=D), "key_norm": rng.normal(size=D)}
VARIANTS = {
    "dot": {},
    "cosine": {"score": "cosine"},
    "gaussian": {"score": "gaussian", "score_params": {"w": 0.7, "key_norm": 0.6}},
    "additive": {"score": "additive", "score_params": ADDITIVE},
    "softcap": {"softcap": 1.5, "temperature": 0.8, "sink": [0.3, -0.2]},
    "rotary": {"rotary_theta": 100.0},
    "frequencies": {"rotary_frequencies": [0.5, 0.1]},
    "norms": NORMS,
    "all": {**NORMS, "rotary_theta": 50.0, "softcap": 2.0, "temperature": 1.5, "w_output": rng.normal(size=(14, 6))},
}
MASKS = {
    "padding": {"kind": "padding", "lengths": CLOSED},
    "custom": {"kind": "custom", "allowed": np.arange(M) < CLOSED},
}
WILD = {"NaN": np.nan, "infinity": np.inf}
variants = pytest.mark.parametrize("variant", VARIANTS)
wild_numbers = pytest.mark.parametrize("wild", WILD)


def problem_of(variant, mask, **arrays):
    numbers = np.random.default_rng(7)
    shapes = {"query": (N, HEADS * D), "key": (M, HEADS * D), "value": (M, HEADS * WIDE)}
    made = {name: numbers.normal(size=shape) for name, shape in shapes.items()}
    for name, (rows, number) in arrays.items():
        made[name][rows] = number
    return Problem(**made, **VARIANTS[variant], num_heads=HEADS, mask=[MASKS[mask]])


def assert_alike(found, wanted):
    """Equal but for rounding: of sums of at most 50 products of numbers of size 10, after some ten steps."""
    assert found.keys() == wanted.keys()
    for name in wanted:
        assert found[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-10), name


@variants
@wild_numbers
@pytest.mark.parametrize("mask", MASKS)
def test_a_wild_key_behind_a_mask_leaves_every_gradient_as_with_any_other_key(variant, wild, mask):
    hidden = {name: (slice(CLOSED, None), WILD[wild]) for name in ("key", "value")}
    trace, tame = compute(problem_of(variant, mask, **hidden)), compute(problem_of(variant, mask))
    cotangent = np.random.default_rng(3).normal(size=trace["output"].shape)
    for asked in ({"index": (0, 1, 2)}, {"cotangent": cotangent}):
        found = sensitivity(trace, "output", **asked)
        assert not found["key"][CLOSED:].any()
        assert_alike(found, sensitivity(tame, "output", **asked))


@variants
@wild_numbers
def test_a_wild_query_of_which_nothing_is_asked_leaves_every_gradient_as_with_any_other_query(variant, wild):
    trace = compute(problem_of(variant, "padding", query=(slice(1, 2), WILD[wild])))
    cotangent = np.random.default_rng(3).normal(size=trace["output"].shape)
    cotangent[:, 1] = 0.0
    found = sensitivity(trace, "output", cotangent=cotangent)
    assert not found["query"][1].any()
    assert_alike(found, sensitivity(compute(problem_of(variant, "padding")), "output", cotangent=cotangent))
