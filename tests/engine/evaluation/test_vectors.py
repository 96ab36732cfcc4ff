"""Vectors of PyTorch, gradients of autograd, weights of real models; and the pooling of maps to pictures."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attn_gui.engine import Problem, compute, sensitivity
from attn_gui.engine.evaluation.pooling import block_edges, pool, pool_blocks
from tests.failing import each

ROOT = Path(__file__).parents[3]
VECTORS = sorted((ROOT / "tests" / "data" / "vectors").glob("*.npz"))
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


@each(("name", "dtype"), [("minilm-layer2", "float32"), ("smollm2-layer10", "float64")])
def test_real_models_agree_within_2e_6(name, dtype):
    data, meta = read(ROOT / "resources" / "examples" / f"{name}.npz")
    trace = compute(problem_of(data, meta).replace(dtype=dtype))
    assert trace["weights"].dtype == dtype
    assert np.abs(trace["weights"][0] - data["weights"]).max() < 2e-6
    assert np.abs(trace["concat"][0] - data["concat"]).max() < 2e-6


WILD = st.floats(-100, 100, width=32) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0])


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 13), st.integers(1, 11)), elements=WILD),
    st.integers(1, 13),
    st.integers(1, 11),
    st.data(),
)
def test_a_block_shows_its_largest_magnitude(values: np.ndarray, rows: int, columns: int, data: st.DataObject) -> None:
    values = np.asarray(values, order=data.draw(st.sampled_from("CF")))  # rows or columns one behind the other
    allowed = data.draw(st.none() | hnp.arrays(np.bool_, values.shape))
    pooled, opened = pool(values, allowed, rows, columns)
    down, across = block_edges(values.shape[0], rows), block_edges(values.shape[1], columns)
    assert pooled.shape == (len(down) - 1, len(across) - 1)
    assert (opened is None) == (allowed is None)
    for i, j in np.ndindex(pooled.shape):
        block = np.s_[down[i] : down[i + 1], across[j] : across[j + 1]]
        cells = values[block].ravel() if allowed is None else values[block][allowed[block]]
        if opened is not None:
            assert opened[i, j] == bool(cells.size)
        if not cells.size:
            continue
        if np.isnan(cells).any():
            assert np.isnan(pooled[i, j])
        else:
            assert abs(pooled[i, j]) == np.abs(cells).max()
            assert pooled[i, j] in cells


def test_a_part_of_a_picture_can_be_redone_alone() -> None:
    values = np.random.default_rng(7).standard_normal((103, 97))
    down, across = block_edges(103, 10), block_edges(97, 13)
    whole, _ = pool(values, None, 10, 13)
    part, _ = pool_blocks(values, None, down[3:8], across[5:12])
    assert (part == whole[3:7, 5:11]).all()
