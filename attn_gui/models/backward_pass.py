"""Gradients of a logit through the layers of a model."""

from __future__ import annotations

import math

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradient, step_gradients
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import ACTIVATIONS
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Problem
from attn_gui.models.changed_layers import AnyLayer, EditedLayer, LayerEdit, Records, problem_of
from attn_gui.models.families import Architecture, EndWeights
from attn_gui.models.forward_pass import (
    F,
    ModelLayer,
    X,
    by_heads,
    erf,
    final_states,
    product,
    root_mean_square,
    rotate_columns,
    run_block,
)
from attn_gui.models.tokenizer import TokenSequence

GRADIENT_MAPS = 7  # of one layer, that `layer_slopes` holds at a time
SCORES = ("scores", "scaled", "masked")


def head_gradient(ends: EndWeights, sizes: Architecture, state: Array, signs: dict[int, float]) -> Array:
    """Return (d_model,): the gradient of Σ sign · logit by the last layer's output at its position, float64."""
    assert ends.head is not None
    state, head = state.astype(np.float64), ends.head
    finished = final_states(ends, sizes, state)
    columns = [sign * head.decoder.matrix[:, number].astype(np.float64) for number, sign in signs.items()]
    found = np.asarray(sum(columns))
    if head.transform is not None:
        assert head.norm is not None
        inner = finished @ head.transform.matrix + head.transform.bias
        activation = ACTIVATIONS[head.activation]
        found = _through_norm(activation.apply(inner), head.norm.weight, sizes, found)
        found = head.transform.matrix @ (found * activation.slope(inner))
    return found if ends.final_norm is None else _through_norm(state, ends.final_norm.weight, sizes, found)


def layer_gradients(
    layer: AnyLayer, x: Array, sequence: TokenSequence, records: Records, stage: str, cotangent: Array
) -> dict[str, Array]:
    """Return the gradients of Σ cotangent · the layer's output by its x and by one of its stages, without batch axis.

    `cotangent` is (token, d_model). There is no gradient of a stage that the layer does not have.
    """
    with one_blas_thread():
        found = _fast_gradients(layer, x, sequence, records, cotangent)
        return found or _engine_gradients(layer, problem_of(layer, x, sequence, records), stage, cotangent)


def _fast_gradients(
    layer: AnyLayer, x: Array, sequence: TokenSequence, records: Records, cotangent: Array
) -> dict[str, Array] | None:
    """Return gradients by a layer's x and all stages in float32; None for an edited layer, or past float32."""
    if isinstance(layer, EditedLayer) or records:
        return None
    found = layer_slopes(layer, x, sequence.seen(layer.sizes, layer.window), cotangent)
    return found if np.isfinite(found[X]).all() else None


def _engine_gradients(layer: AnyLayer, problem: Problem, stage: str, cotangent: Array) -> dict[str, Array]:
    """Return gradients by a layer's x and by one stage, if it has that, computed by the engine."""
    evaluation = evaluation_of(problem)
    last, edit = evaluation.stages[-1], layer.edit if isinstance(layer, EditedLayer) else LayerEdit()
    start = last, indices.whole(evaluation.shape(last)), cotangent[None].astype(np.float64)
    found = {last: start[-1][0]}
    if stage in evaluation.stages and stage != last:
        found[stage] = np.zeros(evaluation.shape(stage)[1:])
        if stage in (steps := step_gradients(evaluation, *start)):
            (_, *box), cells = steps[stage]
            found[stage][tuple(box)] = cells[0]
    if X in edit.fields:  # given as a whole, or not at all: nothing of it comes from below
        return found | {X: np.zeros(cotangent.shape)}
    below = gradient(evaluation, *start, X)
    return found | {X: edit.passed_down(X, below.reshape(below.shape[-2:]))}


# --- activations and norms ------------------------------------------------------------------------
def gelu_slope(x: Array) -> Array:
    found = np.exp(x * x * F(-0.5))
    found *= x
    found *= F(1 / math.sqrt(2 * math.pi))
    found += (erf(x * F(math.sqrt(0.5))) + F(1)) * F(0.5)
    return found


def gelu_tanh_slope(x: Array) -> Array:
    squares = x * x
    bent = np.tanh(x * (F(1) + squares * F(0.044715)) * F(math.sqrt(2 / math.pi)))
    inner: Array = (F(1) - bent * bent) * (F(1) + squares * F(3 * 0.044715)) * x
    inner *= F(math.sqrt(2 / math.pi))
    inner += bent + F(1)
    inner *= F(0.5)
    return inner


def silu_slope(x: Array) -> Array:
    share = F(1) / (F(1) + np.exp(-x))
    found: Array = share + x * share * (F(1) - share)
    return found


def relu_slope(x: Array) -> Array:
    return (x > 0).astype(x.dtype)


SLOPE = {"gelu": gelu_slope, "gelu_tanh": gelu_tanh_slope, "silu": silu_slope, "relu": relu_slope}
"""Derivatives of the activations."""


def norm_gradient(x: Array, weight: Array, eps: float, grad: Array, *, centered: bool) -> Array:
    """Return the gradient by the input of a norm, rows of x, given that by its output; in their precision."""
    unit = x - x.mean(-1, keepdims=True, dtype=np.float64).astype(x.dtype) if centered else x
    divisor = root_mean_square(unit, eps)
    unit = unit / divisor
    grad = grad * weight
    if centered:
        grad -= grad.mean(-1, keepdims=True)
    grad -= unit * np.einsum("...i,...i->...", grad, unit)[..., None] / x.shape[-1]
    grad /= divisor
    return grad


def _through_norm(x: Array, weight: Array, sizes: Architecture, grad: Array) -> Array:
    return norm_gradient(x, weight, sizes.norm_eps, grad, centered=sizes.centered)


# --- gradients through a layer --------------------------------------------------------------------
def layer_slopes(layer: ModelLayer, x: Array, seen: Array | None, cotangent: Array) -> dict[str, Array]:
    """Return {stage: gradient of Σ cotangent · block_output}, `x` included; without the batch axis.

    They are right only where all are finite, since a weight of 0 does not win over NaN or ∞ here. Source: Griewank,
    Walther, "Evaluating Derivatives" (2008), §3.2.
    """
    cells: dict[str, Array] = {}

    def keep(stage: str, computed: Array) -> Array:
        cells.update({} if stage in SCORES else {stage: computed})
        return computed

    run_block(layer, x, seen, keep)
    with np.errstate(all="ignore"):
        return _pulled(layer, x, cells, cotangent.astype(np.float32), "masked" if seen is not None else None)


def _pulled(
    layer: ModelLayer, x: Array, cells: dict[str, Array], cotangent: Array, masked: str | None
) -> dict[str, Array]:
    """Return the gradient by every stage and by x, given the stages' `cells`, in the reverse order of `layer_walk`."""
    found = {"block_output": cotangent}
    if pre_norm := layer.sizes.pre_norm:
        found["normalized"] = _mlp_pulled(layer, cells, cotangent, found)
        found["residual"] = cotangent + _norm(layer, cells["residual"], "norm2", found["normalized"])
    else:
        total = found["block_residual"] = _norm(layer, cells["block_residual"], "norm2", cotangent)
        found["normalized"] = total + _mlp_pulled(layer, cells, total, found)
        found["residual"] = _norm(layer, cells["residual"], "norm1", found["normalized"])
    found["output"] = found["residual"]
    found["concat"] = _through_linear(layer, "output", found["output"])
    _attention_pulled(layer, cells, found, masked)
    read = _through_linear(layer, "query", found["query"])
    for part in ("key", "value"):
        read += _through_linear(layer, part, found[part])
    if pre_norm:
        found["normed_x"] = read
        read = _norm(layer, x, "norm1", read)
    found[X] = found["residual"] + read
    return found


def _mlp_pulled(layer: ModelLayer, cells: dict[str, Array], down: Array, found: dict[str, Array]) -> Array:
    """Return the gradient by the MLP's input, given that by its output (`down`); add those by its stages to `found`."""
    found["down"] = down
    inner = found["activated"] = _through_linear(layer, "down", down)
    slope = SLOPE[layer.sizes.activation]
    if not layer.sizes.gated:
        found["up"] = inner * slope(cells["up"])
        return _through_linear(layer, "up", found["up"])
    found["up"] = inner * layer.activation(cells["gate"])
    found["gate"] = inner * cells["up"] * slope(cells["gate"])
    return _through_linear(layer, "up", found["up"]) + _through_linear(layer, "gate", found["gate"])


def _attention_pulled(layer: ModelLayer, cells: dict[str, Array], found: dict[str, Array], masked: str | None) -> None:
    """Add the gradients from the heads' results back to Q, K and V, which several heads may share."""
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


def _names(layer: ModelLayer, side: str) -> list[str]:
    """Return the stages of Q or K, from the last one, which the scores read, back to the first."""
    turned = [f"rotated_{side}"] if layer.sizes.frequencies is not None else []
    return [*turned, *([f"normed_{side}"] if f"{side}_norm" in layer.weights else []), side]


def _turned_back(layer: ModelLayer, side: str, grad: Array, cells: dict[str, Array], found: dict[str, Array]) -> None:
    """Add the gradients by the stages of Q or K, given that by the last one, which the scores read."""
    for name in _names(layer, side):
        found[name] = grad
        if name.startswith("rotated_"):
            assert layer.sizes.frequencies is not None
            grad = rotate_columns(grad, -layer.sizes.frequencies)
        elif name.startswith("normed_"):
            heads, pulled = (rows.reshape(len(rows), -1, layer.sizes.d_head) for rows in (cells[side], grad))
            weight = layer.weights[f"{side}_norm"]
            grad = norm_gradient(heads, weight, layer.sizes.norm_eps, pulled, centered=False).reshape(grad.shape)


def _through_linear(layer: ModelLayer, part: str, grad: Array) -> Array:
    return product(grad, layer.weights[f"w_{part}"].T)


def _norm(layer: ModelLayer, x: Array, part: str, grad: Array) -> Array:
    return _through_norm(x, layer.weights[f"{part}_weight"], layer.sizes, grad)


def _side_by_side(heads: Array) -> Array:
    """Return (head, row, column) as (row, heads side by side)."""
    return np.ascontiguousarray(heads.transpose(1, 0, 2)).reshape(heads.shape[1], -1)
