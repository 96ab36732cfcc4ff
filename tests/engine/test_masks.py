"""Mask layers: their definitions cell by cell, how they stack, and what stands behind them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import Problem, compute, explain
from attn_gui.engine.masks import slopes

ALIGNS = st.sampled_from(["start", "end"])
LIMITS = st.one_of(st.none(), st.integers(-4, 8))
LENGTHS = st.one_of(st.integers(-1, 9), st.tuples(*[st.integers(0, 9)] * 2))
LAYERS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("causal"), "align": ALIGNS}),
    st.fixed_dictionaries({"kind": st.just("window"), "left": LIMITS, "right": LIMITS, "align": ALIGNS}),
    st.fixed_dictionaries({"kind": st.just("prefix"), "length": st.integers(-1, 9), "align": ALIGNS}),
    st.fixed_dictionaries({"kind": st.just("padding"), "lengths": LENGTHS}),
)


def rule(layer, b, i, j, n, m):
    """The contract's sentence, for one cell."""
    o = m - n if layer.get("align") == "end" else 0
    if layer["kind"] == "causal":
        return j <= i + o
    if layer["kind"] == "prefix":
        return j < layer["length"] or j <= i + o
    if layer["kind"] == "padding":
        lengths = layer["lengths"]
        return j < (lengths if isinstance(lengths, int) else lengths[b])
    left, right = layer["left"], layer["right"]
    return (left is None or i + o - j <= left) and (right is None or j - i - o <= right)


def problem(rng, n, m, mask, heads=3):
    return Problem(
        query=rng.normal(size=(2, n, heads * 5)),
        key=rng.normal(size=(2, m, heads * 5)),
        value=rng.normal(size=(2, m, heads * 7)),
        num_heads=heads,
        mask=mask,
    )


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 6), m=st.integers(1, 7), layers=st.lists(LAYERS, max_size=3), off=st.integers(0, 2))
def test_stacked_layers_mean_what_the_contract_says(n, m, layers, off):
    layers = [layer | {"enabled": k != off} for k, layer in enumerate(layers)]
    trace = compute(problem(np.random.default_rng(0), n, m, tuple(layers)))
    on = [layer for layer in layers if layer["enabled"]]
    expected = np.array(
        [
            [[[all(rule(layer, b, i, j, n, m) for layer in on) for j in range(m)] for i in range(n)]] * 3
            for b in range(2)
        ]
    )
    assert np.array_equal(trace.allowed, expected)
    assert ("masked" in trace) == bool(on)
    assert "biased" not in trace
    weights, output = trace["weights"], trace["head_output"]
    assert (weights[~expected] == 0).all()
    seeing = expected.any(axis=-1)
    np.testing.assert_allclose(weights.sum(axis=-1)[seeing], 1, atol=1e-14)
    assert (output[~seeing] == 0).all()
    if on:
        assert (np.isneginf(trace["masked"]) == ~expected).all()


def test_slopes_of_alibi():
    np.testing.assert_allclose(slopes(8), [2.0**-k for k in range(1, 9)], rtol=0)
    np.testing.assert_allclose(slopes(16)[:2], [2**-0.5, 2**-1], rtol=1e-15)
    np.testing.assert_allclose(
        slopes(12), [2.0**-k for k in range(1, 9)] + [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5], rtol=1e-15
    )
    assert slopes(3).tolist() == [2**-4, 2**-8, 2**-2]
    assert slopes(1).tolist() == [2**-8]


@pytest.mark.parametrize("align", ["start", "end"])
def test_alibi_and_bias_add_to_the_scores(rng, align):
    values = rng.normal(size=(3, 1, 7))
    mask = ({"kind": "alibi", "align": align}, {"kind": "bias", "values": values})
    trace = compute(problem(rng, 5, 7, mask))
    i, j = np.arange(5)[:, None] + (2 if align == "end" else 0), np.arange(7)
    expected = trace["scaled"] + values - np.array([2**-4, 2**-8, 2**-2])[:, None, None] * abs(i - j)
    np.testing.assert_allclose(trace["biased"], expected, atol=1e-15)
    assert "masked" not in trace
    assert trace.allowed.all()


def test_custom_broadcasts_over_batch_and_heads(rng):
    for shape in [(5, 7), (1, 7), (7,), (3, 5, 7), (2, 1, 5, 7), (2, 3, 1, 1)]:
        allowed = rng.random(shape) > 0.4
        trace = compute(problem(rng, 5, 7, ({"kind": "custom", "allowed": allowed},)))
        assert np.array_equal(trace.allowed, np.broadcast_to(allowed, (2, 3, 5, 7)))


def test_a_closed_cell_names_the_first_layer_that_closes_it(rng):
    allowed = np.ones((7, 7), bool)
    allowed[4, 1] = False
    mask = (
        {"kind": "bias", "values": np.zeros((7, 7))},
        {"kind": "causal", "enabled": False},
        {"kind": "custom", "allowed": allowed},
        {"kind": "window", "left": None, "right": 1},
        {"kind": "padding", "lengths": (7, 5)},
    )
    trace = compute(problem(rng, 7, 7, mask))
    for stage in ("masked", "weights"):
        assert explain(trace, stage, (0, 2, 4, 1)).closed_by == 2
        assert explain(trace, stage, (0, 0, 1, 6)).closed_by == 3
        assert explain(trace, stage, (1, 0, 5, 6)).closed_by == 4
        assert explain(trace, stage, (0, 0, 5, 6)).closed_by is None
        for index, said in (((0, 2, 4, 1), "closed by mask 2 (custom)"), ((1, 0, 5, 6), "closed by mask 4 (padding)")):
            assert explain(trace, stage, index).text.splitlines()[0].endswith(f"  # {said}")
            assert explain(trace, stage, index).latex.endswith(rf"\text{{{said}}}")
        assert "closed" not in explain(trace, stage, (0, 0, 5, 6)).text
    closed = explain(trace, "masked", (0, 2, 4, 1))
    assert closed.value == closed.expression.value == -np.inf
    assert [cell.name for cell in closed.sources] == ["mask.2.allowed"]
    assert len(explain(trace, "weights", (1, 0, 5, 2)).terms) == 5
    assert explain(trace, "scaled", (0, 2, 4, 1)).closed_by is None
