"""Layers, activations, normalizations against loops and formulas written out, finite differences, planted faults."""

import math
from decimal import Decimal, getcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import FieldError, Problem, ShapeError, compute, verify
from attn_gui.engine.blocks import ACTIVATIONS, BLOCKS, NORMS, Activation, LayerNorm, RMSNorm
from attn_gui.engine.normalizers import NORMALIZERS, Softmax
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


@each(("kind", "norm", "activation"), product(KINDS, NORMS, ACTIVATIONS), one_of=3)
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


@each("fault", FAULTS)
def test_verification_sees_a_planted_fault(monkeypatch, fault):
    owner, name, change = FAULTS[fault]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, change(getattr(owner, name)))
        report = verify(layer("post" if owner is LayerNorm else "pre", temperature=1.5))
    assert not report.ok
    assert report.complaint


# --- what does not fit -----------------------------------------------------------------------------
@each(
    ("field", "shape", "words"),
    [
        ("query_norm", (D + 1,), "one number for each column of a head of w_query: expected 4, got 5"),
        ("rotary_frequencies", (D,), "one number for each pair of columns of a head of w_query: expected 2, got 4"),
        ("sink", (G,), "one number for each head: expected 6, got 3"),
        (
            "block.norm1_weight",
            (F,),
            "block.norm1_weight must have one number for each column of x: expected 11, got 13",
        ),
        ("block.w_up", (F, F), "block.w_up must have as many rows as x has columns: expected 11, got 13"),
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


@each(
    ("change", "words"),
    [
        ({"kind": "sandwich"}, "block.kind must be one of linear, post, pre, got 'sandwich'."),
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
    with pytest.raises(ShapeError, match="context must have as many columns as x: expected 11, got 13"):
        problem.replace(context=np.ones((M, F)), w_key=np.ones((F, G * D)), w_value=np.ones((F, G * DV)))


# --- activations ----------------------------------------------------------------------------------
EPS = np.finfo(float).eps


def exact_gelu(x: float) -> Decimal:
    """x Φ(x) by the series of erf in 60 digits."""
    getcontext().prec = 60
    z = Decimal(x) / Decimal(2).sqrt()
    term = total = z
    for k in range(1, 400):
        term = -term * z * z / k
        total += term / (2 * k + 1)
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
    return Decimal(x) * (1 + 2 * total / pi.sqrt()) / 2


@each("x", [-6.5, -2.25, -0.46875, 0.0, 1e-8, 1.0, 6.0])
def test_gelu_keeps_its_digits_far_below_zero(x):
    found, expected = float(ACTIVATIONS["gelu"].apply(np.array([x]))[0]), float(exact_gelu(x))
    assert abs(found - expected) <= (4 + 2 * x * x) * EPS * abs(expected)


@given(st.floats(-30, 30))
def test_slopes_are_those_of_finite_differences(x):
    h = 1e-6
    for activation in ACTIVATIONS.values():
        if activation.key == "relu" and abs(x) < 2 * h:
            continue
        ends = activation.apply(np.array([x + h, x - h]))
        assert activation.slope(np.array([x]))[0] == pytest.approx((ends[0] - ends[1]) / 2 / h, rel=1e-5, abs=1e-8)
        assert abs(activation.slope(np.array([x]))[0]) <= activation.steepest


@each("key", ACTIVATIONS)
def test_large_numbers_neither_overflow_nor_turn_into_nan(key):
    activation = ACTIVATIONS[key]
    with np.errstate(all="ignore"):
        found = activation.apply(np.array([1e200, 1e5, -1e5, -1e200]))
        slopes = activation.slope(np.array([1e200, 1e5, -1e5, -1e200]))
    assert found.tolist() == [1e200, 1e5, 0.0, 0.0]
    assert slopes.tolist() == [1, 1, 0, 0]
    assert math.isnan(activation.apply(np.array([np.nan]))[0])


# --- the four normalizations against NumPy written out once more ----------------------------------
OTHERS = [key for key in NORMALIZERS if key != "softmax"]


@each("key", OTHERS)
def test_a_temperature_and_sinks_are_refused_where_no_formula_reads_them(key):
    arrays = {"query": [[1, 0]], "key": [[1, 1]], "value": [[2, 3]]}
    with pytest.raises(FieldError, match="sink has no part in the weights where normalize is"):
        Problem(**arrays, normalize=key, sink=[0.5])
    if "temperature" not in NORMALIZERS[key].reads:
        with pytest.raises(FieldError, match=r"temperature has no part .*: choose softmax, sigmoid, or leave it out"):
            Problem(**arrays, normalize=key, temperature=2)
