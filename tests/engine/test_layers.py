"""Whole layers against plain loops written for these tests, against finite differences, and against planted faults."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, FieldError, Problem, ShapeError, compute, explain, verify
from attn_gui.engine.blocks import ACTIVATIONS, BLOCKS, NORMS, Activation, LayerNorm, RMSNorm
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.normalizers import Softmax
from tests.failing import each

N, M, H, G, D, DV, E, F = 5, 7, 6, 3, 4, 2, 11, 13  # another length on every axis; two heads share a K/V head
KINDS = [kind for kind, block in BLOCKS.items() if "w_up" in block.tables]


def tables(rng, kind, *, gated, biased):
    sizes = {"o": E, "f": F}
    chosen = {
        name: tuple(sizes[letter] for letter in table.letters)
        for name, table in BLOCKS[kind].tables.items()
        if (gated or "gate" not in name) and (biased or not table.optional or name == "w_gate")
    }
    return {name: rng.normal(size=shape) / 2 for name, shape in chosen.items()}


def layer(kind, *, gated=False, biased=True, norm="layer", activation="gelu", seed=0, heads=True, **more):
    rng = np.random.default_rng(seed)
    shapes = {"x": (N, E), "w_query": (E, H * D), "w_key": (E, G * D), "w_value": (E, G * DV), "w_output": (H * DV, E)}
    arrays = {name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}
    if heads:
        shapes = {"query_norm": (D,), "key_norm": (D,), "rotary_frequencies": (D // 2,), "sink": (H,)}
        arrays |= {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"qk_norm_eps": 0.01}
    block = tables(rng, kind, gated=gated, biased=biased)
    block |= {"kind": kind, "norm": norm, "activation": activation, "norm_eps": 0.03}
    return Problem(**arrays, num_heads=H, num_kv_heads=G, block=block, **more)


@each(("kind", "norm", "activation"), product(KINDS, NORMS, ACTIVATIONS))
@each("gated", [False, True])
def test_every_stage_is_what_plain_loops_give(kind, norm, activation, gated):
    """The reference of the program, which is held against PyTorch and published models elsewhere."""
    problem = layer(kind, gated=gated, norm=norm, activation=activation)
    report, stages = verify(problem), compute(problem).stages
    assert report.ok, str(report)
    assert [check.stage for check in report.stages] == list(stages)
    assert {"gate": gated, "normed_x": kind == "pre", "block_residual": kind == "post"} == {
        stage: stage in stages for stage in ("gate", "normed_x", "block_residual")
    }


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS), gated=st.booleans(), biased=st.booleans())
def test_long_and_short_sequences_are_computed_alike(seed, kind, gated, biased):
    norm, activation = list(NORMS)[seed % 2], list(ACTIVATIONS)[seed % 4]
    problem = layer(kind, gated=gated, biased=biased, norm=norm, activation=activation, seed=seed)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=2, chunk=3)
    assert dense.stages == streaming.stages
    for stage in dense.stages:
        box = tuple(slice(0, length) for length in dense.shape(stage))
        np.testing.assert_allclose(streaming.fetch(stage, box), dense.fetch(stage, box), rtol=1e-10, atol=1e-12)


# --- gradients -------------------------------------------------------------------------------------


def test_a_sink_takes_a_share_and_shifts_no_other_odds():
    problem = layer("pre")
    without, within = compute(problem.replace(sink=None))["weights"], compute(problem)["weights"]
    left = within.sum(axis=-1)
    assert (left < 1).all()
    np.testing.assert_allclose(within / left[..., None], without, rtol=1e-12)
    np.testing.assert_allclose(compute(problem.replace(sink=np.full(H, -np.inf)))["weights"], without, rtol=1e-14)
    large = compute(problem.replace(sink=np.full(H, 800.0)))
    assert (large["weights"] < 1e-300).all()
    assert np.isfinite(large["block_output"]).all()
    text = explain(compute(problem), "weights", (0, 4, 2, 1))
    assert text.expression.value == pytest.approx(text.value, rel=1e-12)
    assert "sink" in text.query_text.split("\n")[3]
    assert text.per_query.expression.value == pytest.approx(text.value, rel=1e-12)
    assert "sink" in text.query_latex


# --- planted faults --------------------------------------------------------------------------------
FAULTS = {
    "the epsilon is left out": (RMSNorm, "_standard", lambda old: lambda self, x, eps: old(self, x, eps * 0)),
    "the mean stays": (LayerNorm, "_centered", lambda old: lambda self, x: x),
    "the activation is left out": (
        Activation,
        "forward",
        lambda old: lambda self, up, gate: up if gate is None else gate * up,
    ),
    "the sink is forgotten": (Softmax, "forward", lambda old: lambda self, s, t, sink: old(self, s, t, None)),
    "the sink is not over T": (Softmax, "forward", lambda old: lambda self, s, t, sink: old(self, s, t, sink * t)),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", KINDS)
def test_verification_sees_a_planted_fault(monkeypatch, fault, kind):
    owner, name, change = FAULTS[fault]
    problem = layer(kind, temperature=1.5)
    assert verify(problem).ok
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    report = verify(problem)
    assert not report.ok
    assert report.complaint


# --- what does not fit -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("field", "shape", "words"),
    [
        ("query_norm", (D + 1,), "one number for each column of a head of w_query: expected 4, got 5"),
        ("key_norm", (D + 1,), "one number for each column of a head of w_key: expected 4, got 5"),
        ("rotary_frequencies", (D,), "one number for each pair of columns of a head of w_query: expected 2, got 4"),
        ("sink", (G,), "one number for each head: expected 6, got 3"),
        (
            "block.norm1_weight",
            (F,),
            "block.norm1_weight must have one number for each column of x: expected 11, got 13",
        ),
        ("block.w_up", (F, F), "block.w_up must have as many rows as x has columns: expected 11, got 13"),
        ("block.w_down", (E, E), "block.w_down must have as many rows as block.w_up has columns: expected 13, got 11"),
        ("block.b_gate", (E,), "block.b_gate must have one number for each column of block.w_up: expected 13, got 11"),
    ],
)
def test_what_does_not_fit_is_said_with_both_sides(field, shape, words):
    problem = layer("pre", gated=True)
    record, _, part = field.rpartition(".")
    change = {record: {**problem.block, part: np.ones(shape)}} if record else {field: np.ones(shape)}
    with pytest.raises(ShapeError) as clash:
        problem.replace(**change)
    assert words in str(clash.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "sandwich"}, "block.kind must be one of linear, post, pre, got 'sandwich'."),
        ({"norm": "batch"}, "block.norm must be one of layer, rms, got 'batch'."),
        ({"activation": "elu"}, "block.activation must be one of gelu, gelu_tanh, silu, relu, got 'elu'."),
        ({"w_down": None}, "block needs w_down."),
        ({"w_gate": None}, "block.b_gate needs block.w_gate."),
        ({"norm_eps": 0.0}, "block.norm_eps must be greater than 0, got 0."),
        ({"ln_weight": np.ones(E)}, "block does not have the parameter ln_weight"),
    ],
)
def test_a_block_that_cannot_be_is_refused_in_a_sentence(change, words):
    problem = layer("pre", gated=True)
    with pytest.raises(FieldError) as refused:
        problem.replace(block={**problem.block, **change})
    assert words in str(refused.value)


def test_both_sequences_pass_one_norm():
    context = np.random.default_rng(3).normal(size=(M, E))
    problem = layer("pre", norm="rms", context=context)
    trace = compute(problem)
    weight, bias = problem.block["norm1_weight"], problem.block["norm1_bias"]
    size = np.sqrt((context**2).mean(axis=1, keepdims=True) + problem.block["norm_eps"])
    np.testing.assert_allclose(trace["normed_context"][0], context / size * weight + bias, rtol=1e-12)
    np.testing.assert_allclose(trace["key"][0], trace["normed_context"][0] @ problem.w_key, rtol=1e-12)
    with pytest.raises(ShapeError, match="context must have as many columns as x: expected 11, got 13"):
        problem.replace(context=np.ones((M, F)), w_key=np.ones((F, G * D)), w_value=np.ones((F, G * DV)))
