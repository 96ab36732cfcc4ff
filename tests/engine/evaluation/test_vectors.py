"""The engine against arrays that PyTorch computed (tests/data/vectors), and against two real models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from attn_gui.engine import Problem, compute, sensitivity
from tests.failing import each

ROOT = Path(__file__).parents[3]
VECTORS = sorted((ROOT / "tests" / "data" / "vectors").glob("*.npz"))
EXAMPLES = sorted((ROOT / "resources" / "examples").glob("*.npz"))
MATRICES = [
    *("query", "key", "value", "x", "context", "w_query", "w_key", "w_value", "w_output"),
    *("b_query", "b_key", "b_value", "b_output"),
]
CHECKED = ["scores", "weights", "concat", "output", "residual", "normalized", "block_output"]


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with np.load(path) as file:
        data = dict(file)
    return data, json.loads(str(data["meta"]))


def problem_of(data: dict[str, Any], meta: dict[str, Any]) -> Problem:
    params = {name: data[name] for name in ("w_score_query", "w_score_key", "w_score") if name in data}
    params |= {"w": meta["width"]} if "width" in meta else {}
    block = {name: data[name] for name in ("ln_weight", "ln_bias", "w_linear", "b_linear") if name in data}
    layers = [{"kind": "custom"}] if meta.get("kind") == "gradients" else meta.get("mask", [])
    return Problem(
        **{name: data[name] for name in MATRICES if name in data},
        num_heads=meta.get("num_heads", 1),
        num_kv_heads=meta.get("num_kv_heads"),
        scale=meta.get("scale"),
        softcap=meta.get("softcap"),
        score=meta.get("score", "dot"),
        score_params=params,
        rotary_theta=meta.get("rotary"),
        mask=tuple(layer_of(layer, data) for layer in layers),
        block=block | {"ln_eps": meta["ln_eps"]} if block else None,
        batch_axis=True,
    )


def layer_of(layer: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    cells = {"custom": {"allowed": data.get("allowed")}, "bias": {"values": data.get("bias")}}
    return {name: value for name, value in layer.items() if name != "drop"} | cells.get(layer["kind"], {})


def test_the_vectors_are_there():
    assert len(VECTORS) == 31
    assert len(EXAMPLES) >= 2


@each("path", VECTORS)
def test_every_vector_within_1e_12(path):
    data, meta = read(path)
    trace = compute(problem_of(data, meta))
    found = {name: trace[name].reshape(data[name].shape) for name in CHECKED if name in data}
    assert found
    for name, array in found.items():
        assert np.abs(array - data[name]).max() < 1e-12, name


def test_gradients_equal_autograd_within_1e_10():
    data, meta = read(ROOT / "tests" / "data" / "vectors" / "gradients.npz")
    trace = compute(problem_of(data, meta))
    for stage, names in (("weights", ("query", "key")), ("concat", ("query", "key", "value"))):
        found = sensitivity(trace, stage, meta[f"cell_{stage}"])
        for name in names:
            assert np.abs(found[name] - data[f"d{stage}_d{name}"]).max() < 1e-10
        assert ("value" in names) == bool(found["value"].any())


@each("name", ["minilm-layer2", "smollm2-layer10"])
@each("dtype", ["float32", "float64"])
def test_real_models_agree_within_2e_6(name, dtype):
    data, meta = read(ROOT / "resources" / "examples" / f"{name}.npz")
    trace = compute(problem_of(data, meta).replace(dtype=dtype))
    assert trace["weights"].dtype == dtype
    assert np.abs(trace["weights"][0] - data["weights"]).max() < 2e-6
    assert np.abs(trace["concat"][0] - data["concat"]).max() < 2e-6
