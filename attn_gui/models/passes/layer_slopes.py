"""Gradients through a layer in float32: the stages of `layer_walk` pulled back in reverse order."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array

from .activations import SLOPE, norm_pulled
from .layer_walk import Layer, by_heads, product, rotated, walked

X = "x"
MAPS = 7  # of one layer, that `layer_slopes` holds at a time
SCORES = ("scores", "scaled", "masked")


def layer_slopes(layer: Layer, x: Array, seen: Array | None, cotangent: Array) -> dict[str, Array]:
    """{stage: gradient of Σ cotangent · block_output}, and that by the layer's `x`; without the batch axis.

    Only where all are finite are they right: a weight of 0 does not win over NaN or ∞ here.
    Source: Griewank, Walther, "Evaluating Derivatives" (2008), §3.2.
    """
    cells: dict[str, Array] = {}

    def keep(stage: str, computed: Array) -> Array:
        cells.update({} if stage in SCORES else {stage: computed})
        return computed

    walked(layer, x, seen, keep)
    with np.errstate(all="ignore"):
        return _pulled(layer, x, cells, cotangent.astype(np.float32), "masked" if seen is not None else None)


def _pulled(layer: Layer, x: Array, cells: dict[str, Array], cotangent: Array, masked: str | None) -> dict[str, Array]:
    found = {"block_output": cotangent}
    if early := layer.sizes.early:
        found["normalized"] = _mlp_pulled(layer, cells, cotangent, found)
        found["residual"] = cotangent + _norm(layer, cells["residual"], "norm2", found["normalized"])
    else:
        total = found["block_residual"] = _norm(layer, cells["block_residual"], "norm2", cotangent)
        found["normalized"] = total + _mlp_pulled(layer, cells, total, found)
        found["residual"] = _norm(layer, cells["residual"], "norm1", found["normalized"])
    found["output"] = found["residual"]
    found["concat"] = _linear(layer, "output", found["output"])
    _attention_pulled(layer, cells, found, masked)
    read = _linear(layer, "query", found["query"])
    for part in ("key", "value"):
        read += _linear(layer, part, found[part])
    if early:
        found["normed_x"] = read
        read = _norm(layer, x, "norm1", read)
    found[X] = found["residual"] + read
    return found


def _mlp_pulled(layer: Layer, cells: dict[str, Array], down: Array, found: dict[str, Array]) -> Array:
    """The part of the gradient by what the MLP reads that comes through it."""
    found["down"] = down
    inner = found["activated"] = _linear(layer, "down", down)
    slope = SLOPE[layer.sizes.activation]
    if not layer.sizes.gated:
        found["up"] = inner * slope(cells["up"])
        return _linear(layer, "up", found["up"])
    found["up"] = inner * layer.activation(cells["gate"])
    found["gate"] = inner * cells["up"] * slope(cells["gate"])
    return _linear(layer, "up", found["up"]) + _linear(layer, "gate", found["gate"])


def _attention_pulled(layer: Layer, cells: dict[str, Array], found: dict[str, Array], masked: str | None) -> None:
    """Gradients from a head's result down to Q, K and V as projected; several heads read one head of K and V."""
    width, weights = layer.sizes.d_head, cells["weights"]
    mixed = found["head_output"] = by_heads(found["concat"], width)
    last = {side: next(cells[name] for name in _names(layer, side)) for side in ("query", "key")}
    query, key, value = (by_heads(rows, width) for rows in (last["query"], last["key"], cells["value"]))
    shared = len(key), -1, weights.shape[-1]
    mixed, query = (rows.reshape(len(key), -1, width) for rows in (mixed, query))
    slope: Array = (mixed @ value.transpose(0, 2, 1)).reshape(weights.shape)
    found["weights"] = slope
    found["value"] = _side_by_side(weights.reshape(shared).transpose(0, 2, 1) @ mixed)
    scaled = slope - np.einsum("...j,...j->...", slope, weights)[..., None]
    scaled *= weights
    found.update({"scaled": scaled} if masked is None else {"scaled": scaled, masked: scaled})
    found["scores"] = scaled * np.float32(layer.scale)
    scores = found["scores"].reshape(shared)
    turned = _side_by_side((scores @ key).reshape(len(weights), -1, width))
    _turned_back(layer, "query", turned, cells, found)
    _turned_back(layer, "key", _side_by_side(scores.transpose(0, 2, 1) @ query), cells, found)


def _names(layer: Layer, side: str) -> list[str]:
    """The stages that Q or K goes through, the last one, which the scores read, first."""
    turned = [f"rotated_{side}"] if layer.sizes.frequencies is not None else []
    return [*turned, *([f"normed_{side}"] if f"{side}_norm" in layer.weights else []), side]


def _turned_back(layer: Layer, side: str, grad: Array, cells: dict[str, Array], found: dict[str, Array]) -> None:
    """Gradients by the stages of Q or K, from the one by what the scores read."""
    for name in _names(layer, side):
        found[name] = grad
        if name.startswith("rotated_"):
            assert layer.sizes.frequencies is not None
            grad = rotated(grad, -layer.sizes.frequencies)
        elif name.startswith("normed_"):
            heads, pulled = (rows.reshape(len(rows), -1, layer.sizes.d_head) for rows in (cells[side], grad))
            weight = layer.weights[f"{side}_norm"]
            grad = norm_pulled(heads, weight, layer.sizes.norm_eps, pulled, centered=False).reshape(grad.shape)


def _linear(layer: Layer, part: str, grad: Array) -> Array:
    return product(grad, layer.weights[f"w_{part}"].T)


def _norm(layer: Layer, x: Array, part: str, grad: Array) -> Array:
    weight, sizes = layer.weights[f"{part}_weight"], layer.sizes
    return norm_pulled(x, weight, sizes.norm_eps, grad, centered=sizes.centered)


def _side_by_side(heads: Array) -> Array:
    """(head, row, column) as (row, heads side by side)."""
    return np.ascontiguousarray(heads.transpose(1, 0, 2)).reshape(heads.shape[1], -1)
