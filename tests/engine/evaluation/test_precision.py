"""Precision: float32 against the plain formula, numbers beyond a dtype, and results that know no unit."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Evaluation, Problem, compute, explain, sensitivity, solve, verify
from attn_gui.engine.analysis.sweep import ROW_READINGS, MapRow, jacobian_norm
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph.indices import length, whole
from tests.failing import each, examples

STAGES = ("scores", "weights", "output")


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Small sizes and every option now and then; arrays hold float32 numbers."""
    batch, kv_heads, share, n, m, d_k, d_v = (int(rng.integers(1, high)) for high in (3, 4, 4, 8, 10, 9, 7))
    heads = kv_heads * share

    def numbers(*shape: int) -> np.ndarray:
        return rng.normal(scale=rng.choice([0.3, 1.0, 3.0]), size=shape).astype(np.float32)

    fields = {
        "query": numbers(batch, n, heads * d_k),
        "key": numbers(batch, m, kv_heads * d_k),
        "value": numbers(batch, m, kv_heads * d_v),
        "num_heads": heads,
        "num_kv_heads": kv_heads,
    }
    options = {
        "scale": float(np.float32(rng.uniform(0.1, 2))),
        "softcap": float(np.float32(rng.uniform(1, 20))),
        "temperature": float(np.float32(rng.uniform(0.3, 3))),
        "w_output": numbers(heads * d_v, 5),
    }
    fields |= {name: value for name, value in options.items() if rng.random() < 0.3}
    layers = (
        {"kind": "causal"},
        {"kind": "custom", "allowed": rng.random((batch, heads, n, m)) < 0.7},
        {"kind": "bias", "values": numbers(heads, n, m)},
    )
    return fields | {"mask": tuple(layer for layer in layers if rng.random() < 0.4)}


@np.errstate(invalid="ignore")  # some kernels of BLAS read beside a small array, and complain of what they then drop
def plain(fields: dict[str, Any], dtype: type) -> dict[str, np.ndarray]:
    """Attention as a paper writes it, every step in one precision."""
    heads, groups = fields["num_heads"], fields["num_heads"] // fields["num_kv_heads"]

    def split(name: str, count: int) -> np.ndarray:
        array = fields[name].astype(dtype)
        return array.reshape(*array.shape[:2], count, -1).swapaxes(1, 2)

    query, key, value = split("query", heads), split("key", heads // groups), split("value", heads // groups)
    key, value = np.repeat(key, groups, axis=1), np.repeat(value, groups, axis=1)
    scores = query @ key.swapaxes(2, 3)
    logits = scores * dtype(fields.get("scale", query.shape[3] ** -0.5))
    if "softcap" in fields:
        logits = dtype(fields["softcap"]) * np.tanh(logits / dtype(fields["softcap"]))
    for layer in fields["mask"]:
        if layer["kind"] == "bias":
            logits = logits + layer["values"].astype(dtype)
        else:
            allowed = layer.get("allowed", np.tri(*logits.shape[2:], dtype=bool))
            logits = np.where(allowed, logits, dtype(-np.inf))
    top = logits.max(axis=3, keepdims=True)
    shares = np.exp((logits - np.where(np.isneginf(top), dtype(0), top)) / dtype(fields.get("temperature", 1)))
    total = shares.sum(axis=3, keepdims=True)
    weights = shares / np.where(total == 0, dtype(1), total)
    output = (weights @ value).swapaxes(1, 2).reshape(*fields["query"].shape[:2], -1)
    output = output @ fields["w_output"].astype(dtype) if "w_output" in fields else output
    assert output.dtype == dtype
    return {"scores": scores, "weights": weights, "output": output}


def test_never_further_off_than_the_plain_formula_in_float32():
    """And rounded once: nearly every cell is the float32 number next to the float64 result."""
    rng, exact = np.random.default_rng(20261121), []
    errors: dict[str, list[Any]] = {stage: [] for stage in STAGES}
    for _ in range(examples(200)):
        fields = draw(rng)
        trace = compute(Problem(**fields, dtype="float32", batch_axis=True))
        judge, naive = plain(fields, np.float64), plain(fields, np.float32)
        for stage in STAGES:
            errors[stage].append([float(np.abs(x - judge[stage]).max()) for x in (trace[stage], naive[stage])])
            exact.append(np.mean(trace[stage] == judge[stage].astype(np.float32)))
    for stage in STAGES:
        ours, others = np.array(errors[stage]).T
        assert (ours <= others).all()
        assert np.median(ours) < np.median(others)
    assert np.mean(exact) > 0.9999


# --- what is shown and what is computed agree where a dtype ends ----------------------------------
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


@settings(max_examples=examples(25))
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


@settings(max_examples=examples(15))
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


# --- lengths --------------------------------------------------------------------------------------
BEYOND = (-660, 660)  # powers of two whose squares are no numbers any more
EPS = float(np.finfo(float).eps)


def problem(rng, **more):
    arrays = {name: rng.standard_normal((5, 3)) for name in ("query", "key", "value")}
    return Problem(**(arrays | more))


@given(st.lists(st.floats(-1e3, 1e3), max_size=9), st.integers(-900, 900))
def test_a_length_scales_with_its_numbers(numbers, power):
    plain = float(np.sqrt((np.array(numbers) ** 2).sum()))
    if plain > 1e-100:  # else the plain sum loses digits itself
        found = float(np.ldexp(length(np.ldexp(np.array(numbers), power)), -power))
        assert abs(found - plain) <= 4 * EPS * max(1, len(numbers)) * plain


@each("power", BEYOND)
def test_the_norm_of_an_output(rng, power):
    small = problem(rng)
    large = small.replace(value=np.ldexp(small.value, power))
    one, other = (ROW_READINGS["norm"].read(DenseEvaluation(each), MapRow()) for each in (small, large))
    assert other == np.ldexp(one, power) != 0


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any), st.integers(0, 60), st.integers(0, 400))
def test_the_saturation_of_any_weights(parts, steep, power):
    """Also of weights next to 0 and 1, where the plain formula is nothing but rounding, and of huge ones."""
    shares = np.ldexp(np.array(parts, float), [-(steep if k else 0) for k in range(len(parts))])
    shares = np.ldexp(shares / shares.sum(), power if power > 60 else 0)
    exact = [Fraction(float(share)) for share in shares]
    square = sum(a * a * (1 - a) ** 2 for a in exact) + sum(
        a * a * b * b for i, a in enumerate(exact) for j, b in enumerate(exact) if i != j
    )
    found = Fraction(jacobian_norm(shares)) ** 2
    assert abs(found - square) <= 64 * len(parts) * Fraction(EPS) * square


@each("power", BEYOND)
def test_an_output_is_solved_for(rng, power):
    small = problem(rng)
    large = small.replace(value=np.ldexp(small.value, power))
    target = float(DenseEvaluation(small).box("output", (slice(0, 1), slice(0, 1), slice(0, 1))).item()) * 0.9
    found = [solve(each, "output", (0, 0, 0), t) for each, t in ((small, target), (large, np.ldexp(target, power)))]
    assert found[0].feasible
    if power > 0:  # as near as 1e-9 of 1 is near enough
        assert found[1].feasible
        assert abs(found[1].reached / np.ldexp(target, power) - 1) < 1e-9
        assert abs(found[1].norm - found[0].norm) < 1e-3 * found[0].norm
