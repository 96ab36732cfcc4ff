"""What is shown and what is computed agree where a dtype ends: beyond it a number is ±∞ to whatever reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Evaluation, Problem, compute, explain, sensitivity, verify
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph.indices import whole
from tests.failing import each

from .streaming.working import Working

N, M, H = 3, 5, 2
LOWEST = float(np.finfo(np.float32).min)


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Problems whose scores, biases or results may lie beyond float32."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    sizes = [10.0 ** draw(st.sampled_from([0, 0, 10, 19, 25, 37])) for _ in range(3)]
    shapes = {"query": (N, 2 * H), "key": (M, 2 * H), "value": (M, H)}
    fields: dict[str, Any] = {
        name: rng.normal(size=shape) * size for (name, shape), size in zip(shapes.items(), sizes, strict=True)
    }
    mask: list[dict[str, Any]] = draw(st.sampled_from([[], [{"kind": "causal"}]]))
    for _ in range(draw(st.integers(0, 3))):
        numbers = draw(st.sampled_from([[LOWEST, 0.0], [LOWEST], [-LOWEST, 0.0, LOWEST], [-1e38, 1.0]]))
        mask = [*mask, {"kind": "bias", "values": rng.choice(numbers, (N, M))}]
    fields |= {
        "mask": mask,
        "num_heads": H,
        "scale": draw(st.sampled_from([None, 1.0, 1e-30, -1e-38, 1e30, 0.0])),
        "softcap": draw(st.sampled_from([None, None, 30.0])),
        "temperature": draw(st.sampled_from([None, 0.1, 100.0])),
        "sink": draw(st.sampled_from([None, [0.0, LOWEST]])),
        "dtype": draw(st.sampled_from(["float32", "float32", "float64"])),
    }
    if draw(st.booleans()):
        fields |= {"w_output": rng.normal(size=(H, 3)) * 1e3}
    return fields


def all_of(evaluation: Evaluation, stage: str) -> np.ndarray:
    return np.asarray(evaluation.box(stage, whole(evaluation.shape(stage))), float)


@given(problems())
def test_every_evaluator_has_the_weights_of_the_scores_shown(fields: dict[str, Any]) -> None:
    problem = Problem(**fields)
    dense = DenseEvaluation(problem)
    shown, weights = all_of(dense, dense.logits), all_of(dense, "weights")
    sinks = np.full(H, -np.inf) if problem.sink is None else problem.sink
    for place in np.ndindex(shown.shape[:3]):
        row, found = shown[place], weights[place]
        assert (found[np.isneginf(row)] == 0).all()
        wild = np.isnan(row).any() or np.isposinf(row).any() or np.isnan(sinks[place[1]])
        assert np.isnan(found[~np.isneginf(row)]).all() if wild else np.isfinite(found).all()
    for kind in (StreamingEvaluation, RowwiseEvaluation):
        other = kind(problem)
        for stage in dense.stages:
            loose = (
                1e-12 if problem.dtype == "float64" else 2e-5 if stage in ("head_output", "concat", "output") else 1e-6
            )
            expected, largest = all_of(dense, stage), np.abs(all_of(dense, stage))
            size = np.max(largest, initial=0.0, where=np.isfinite(largest))
            np.testing.assert_allclose(all_of(other, stage), expected, rtol=loose, atol=loose * size, err_msg=stage)


@given(problems())
def test_the_reference_and_the_explanations_say_the_same(fields: dict[str, Any]) -> None:
    problem = Problem(**fields)
    report, trace = verify(problem), compute(problem)
    assert report.ok, report.complaint
    for stage in ("scaled", trace.evaluation.logits, "weights", "head_output"):
        for head, (i, j) in enumerate([(0, 0), (N - 1, 0)]):
            explained = explain(trace, stage, (0, head, i, j))
            for cell in explained.expression.cells():
                if cell.name in trace.stages:
                    own = trace[cell.name][cell.index]
                    assert np.isinf(cell.value) == np.isinf(own)  # no number that no cell shows
                    assert np.isclose(np.array(cell.value, own.dtype), own, equal_nan=True)


@each("dtype", ["float32", "float64"])
@each("by_mask", [False, True])
def test_a_row_of_masks_that_add_up_to_minus_infinity_is_closed(dtype: str, by_mask: bool) -> None:
    """As Hugging Face adds them: causal and padding, each of them the lowest number."""
    bias = np.zeros((2, 2))
    bias[1] = np.finfo(dtype).min
    layer = {"kind": "bias", "values": bias}
    mask = [layer, layer, *([{"kind": "causal"}] if by_mask else [])]
    problem = Problem(query=np.eye(2), key=np.eye(2), value=[[1.0], [2.0]], dtype=dtype, mask=mask)
    trace = compute(problem)
    assert np.isneginf(trace["biased"][0, 0, 1]).all()
    assert (trace["weights"][0, 0, 1] == 0).all()
    assert (trace["output"][0, 1] == 0).all()
    assert explain(trace, "weights", (0, 0, 1, 0)).text == "A[0, 0, 1, 0] = 0.0\n= 0.0"
    gradients = sensitivity(trace, "output", (0, 1, 0))
    assert all((gradient == 0).all() for gradient in gradients.values())
    assert verify(problem).ok
    streaming = StreamingEvaluation(problem)
    assert (all_of(streaming, "weights") == trace["weights"]).all()
    assert (all_of(streaming, "output") == trace["output"]).all()


@pytest.mark.parametrize("field", ["query", "key", "mask.0.values"])
def test_an_edit_brings_an_overflow_and_takes_it_away(field: str) -> None:
    """Beside a small scale the fast kernel alone would not see it."""
    layer = {"kind": "bias", "values": np.full((N, M), LOWEST / 2)}
    problem = Problem(query=np.eye(N, 2), key=np.eye(M, 2), value=np.ones((M, 1)), dtype="float32", scale=1e-30)
    live = Working(problem.replace(mask=[layer] * (1 + ("mask" in field))))
    dense, box = DenseEvaluation(live.problem()), (slice(0, 1), slice(0, 2))
    calm, before = {stage: live.stage(stage) for stage in dense.stages}, np.array(live.arrays[field][box])
    for numbers in ((3e38, 3e38), (-3e38, -3e38), before):
        live.write("key" if field == "query" else "query", (slice(0, 1), slice(0, 2)), 10.0)
        live.write(field, box, numbers)
        fresh = DenseEvaluation(live.problem())
        for stage in fresh.stages:
            np.testing.assert_allclose(live.stage(stage), all_of(fresh, stage), rtol=1e-6, err_msg=stage)
    live.write("key" if field == "query" else "query", (slice(0, 1), slice(0, 2)), [1.0, 0.0])
    assert live.evaluation.settle()
    for stage, cells in calm.items():
        np.testing.assert_array_equal(live.stage(stage), cells)
