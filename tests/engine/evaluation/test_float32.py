"""float32 results against the same formula written plainly, once in float64 as the judge and once in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import Problem, compute

PROBLEMS = 2000  # with --long, else a quarter of them
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


@pytest.fixture(scope="module")
def errors(request: pytest.FixtureRequest) -> dict[str, np.ndarray]:
    """{stage: (problem, [ours, naive]) largest errors}, and under "exact" the share of cells rounded correctly."""
    rng = np.random.default_rng(20261121)
    found: dict[str, list[Any]] = {stage: [] for stage in (*STAGES, "exact")}
    for _ in range(PROBLEMS if request.config.getoption("long") else PROBLEMS // 4):
        fields = draw(rng)
        trace = compute(Problem(**fields, dtype="float32", batch_axis=True))
        judge, naive = plain(fields, np.float64), plain(fields, np.float32)
        for stage in STAGES:
            assert trace[stage].dtype == np.float32
            found[stage].append([float(np.abs(x - judge[stage]).max()) for x in (trace[stage], naive[stage])])
            found["exact"].append(np.mean(trace[stage] == judge[stage].astype(np.float32)))
    return {name: np.array(rows) for name, rows in found.items()}


@pytest.mark.parametrize("stage", STAGES)
def test_never_further_off_than_the_plain_formula_in_float32(stage, errors):
    ours, naive = errors[stage].T
    print(
        f"{stage}: largest error {ours.max():.2g}, naive {naive.max():.2g}; median {np.median(ours):.2g}, "
        f"{np.median(naive):.2g}; worst ratio {np.max(ours / np.where(naive == 0, 1, naive)):.3f}"
    )
    assert (ours <= naive).all()
    assert np.median(ours) < np.median(naive)


def test_cells_are_rounded_once(errors):
    """All but a few lie at the float32 number next to the float64 result: those few are halfway between two."""
    assert errors["exact"].mean() > 0.9999
