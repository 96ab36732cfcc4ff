"""Sinks of long sequences: wild ones, edits of them and beside them, entropies, targets."""

from __future__ import annotations

import numpy as np

from attn_gui.engine import Problem
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import BLIND, row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from tests.failing import each

from .working import whole

H, N, M = 3, 7, 11


def made(sink, dtype="float64", **more):
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(rows, H * 2)) for name, rows in (("query", N), ("key", M), ("value", M))}
    return Problem(**arrays, num_heads=H, sink=sink, dtype=dtype, **more)


WILD = {"far below": -1e4, "far above": 1e4, "beyond": 1e308, "none": -np.inf, "inf": np.inf, "nan": np.nan}


@each("wild", WILD)
@each("layer", [{}, {"mask": ({"kind": "causal"},)}, {"mask": ({"kind": "padding", "lengths": 0},)}])
def test_a_wild_sink_gives_what_a_short_sequence_has(wild, layer):
    problem = made([WILD[wild], 0.5, -0.5], **layer)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    for stage in ("weights", "head_output", "output"):
        np.testing.assert_allclose(whole(streaming, stage), whole(dense, stage), rtol=1e-12, atol=1e-300)


@each("wild", WILD)
def test_a_picture_beside_a_wild_sink_is_that_of_a_short_sequence(wild):
    problem = made([WILD[wild], 0.5, -0.5])
    found, _ = StreamingEvaluation(problem, tile=3, chunk=4).pooled("weights", 0, 0, N, M)
    expected = DenseEvaluation(problem).block("weights", 0, 0, slice(0, N), slice(0, M))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


@each("dtype", ["float64", "float32"])
@each("value", [np.inf, np.nan])
def test_a_sink_that_takes_all_weight_keeps_a_wild_value_out(value, dtype):
    problem = made([1e4, 60.0, np.inf], dtype, scale=40.0)
    values = np.array(problem.value)
    values[3] = value
    problem = problem.replace(value=values)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    found, expected = (whole(one, "head_output") for one in (streaming, dense))
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-30)


def test_the_entropy_is_that_of_the_weights_of_keys_alone():
    problem = made([0.3, -1.0, 2.0], mask=({"kind": "causal"}, {"kind": "window", "left": 3, "right": -1}))
    streaming = StreamingEvaluation(problem, tile=3, chunk=4)
    for head in range(H):
        weights = whole(streaming, "weights")[0, head]
        found = streaming.entropies(0, head, slice(0, N))
        expected = np.where((weights != 0).any(axis=1), row_entropy(weights), BLIND)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
