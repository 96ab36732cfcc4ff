"""Long problems in float32 with large scores: weights and their pictures are those of the short evaluation."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, verify
from attn_gui.engine.evaluation import streaming
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

N, M = 90, 110


def problem(rng, amplitude=1.0, **more):
    arrays = {"query": rng.normal(size=(N, 8)), "key": rng.normal(size=(M, 8)), "value": rng.normal(size=(M, 6))}
    scaled = {name: array * (1.0 if name == "value" else amplitude) for name, array in arrays.items()}
    return Problem(**scaled, num_heads=2, dtype="float32", **more)


@pytest.mark.parametrize("amplitude", [1.0, 4.0, 16.0])
@pytest.mark.parametrize("more", [{}, {"sink": (0.5, 30.0), "temperature": 2.0, "mask": [{"kind": "causal"}]}])
def test_weights_are_those_of_the_short_evaluation(amplitude, more, rng):
    given = problem(rng, amplitude, **more)
    long, short = StreamingEvaluation(given), DenseEvaluation(given)
    everything = indices.whole(short.shape("weights"))
    expected = short.box("weights", everything)
    eps = float(np.finfo(np.float32).eps)
    for box in (everything, (*everything[:2], slice(3, 40), slice(5, 6)), indices.cell((0, 1, 50, 7))):
        found = long.box("weights", box)
        np.testing.assert_allclose(found, expected[box], rtol=eps, atol=eps / 1e3)
        assert found.max() <= 1
    assert verify(long).ok


def test_one_cell_costs_one_row(rng, monkeypatch):
    """Of many rows a small part is read from what is kept of them."""
    long, rows = StreamingEvaluation(problem(rng)), []
    monkeypatch.setattr("attn_gui.engine.evaluation.streaming.AT_ONCE", 2 * M)
    whole = long._passes.whole_weights
    monkeypatch.setattr(long._passes, "whole_weights", lambda box: rows.append(box[2]) or whole(box))
    long.fetch("weights", indices.cell((0, 0, 4, 5)))
    long.fetch("weights", (*indices.cell((0, 0)), slice(0, N), slice(0, 2)))
    long.fetch("weights", (*indices.cell((0, 0)), slice(0, N), slice(0, M)))
    assert rows == [slice(4, 5), slice(0, N)]


@pytest.mark.parametrize("few", [64, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mask", [(), ({"kind": "causal"},)])
def test_pictures_beside_a_large_bias_show_its_rows(few, dtype, mask, rng, monkeypatch):
    monkeypatch.setattr(streaming, "FEW", few)
    values = np.zeros((N, M))
    values[[7, 8, 30]] = -1e9
    given = problem(rng, mask=({"kind": "bias", "values": values}, *mask)).replace(dtype=dtype)
    long, short = StreamingEvaluation(given), DenseEvaluation(given)
    for size in ((N, M), (13, 17)):
        assert_pictured(short, long.pooled("weights", 0, 1, *size), size)
        assert_pictured(short, long.pooled_once("weights", 0, 1, *size, slice(0, size[0])), size)
    calm = given.replace(mask=mask)
    assert_pictured(DenseEvaluation(calm), StreamingEvaluation(calm).pooled("weights", 0, 1, 13, 17), (13, 17))


def assert_pictured(short, found, size):
    whole = slice(0, N), slice(0, M)
    expected, allowed = pool(short.block("weights", 0, 1, *whole), short.allowed(0, 1, *whole), *size)
    shown = True if allowed is None else allowed
    np.testing.assert_array_equal(found[1], allowed)
    np.testing.assert_allclose(np.where(shown, found[0], 0), np.where(shown, expected, 0), rtol=1e-4, atol=1e-6)
