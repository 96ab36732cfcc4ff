"""A model's layers in float32, apart from the engine: norms, rotary positions, softmax, MLP; slopes of a layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.threads import share
from attn_gui.models.families import Architecture, EndWeights, NormWeights
from attn_gui.models.sequence import TokenSequence

F = np.float32
_ERF = tuple(map(F, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_SLOPE = F(0.3275911)

Walk = Generator[tuple[str, Array], Array, Array]
"""Yields (stage, cells without the batch axis), is sent what is read instead, and returns the block's output."""
LARGE = 1 << 23  # multiplications of a product that threads share
MLP = "down"  # the stage that an MLP adds to the residual stream
Change = Callable[[str, Array], Array]

X = "x"
GRADIENT_MAPS = 7  # of one layer, that `layer_slopes` holds at a time
SCORES = ("scores", "scaled", "masked")


# --- activations and norms ------------------------------------------------------------------------
def erf(x: Array) -> Array:
    """Return the error function to 2e-7. Source: Abramowitz, Stegun, formula 7.1.26."""
    size = np.abs(x)
    t = F(1) / (F(1) + _SLOPE * size)
    total = t * _ERF[0]
    for factor in _ERF[1:]:
        total += factor
        total *= t
    total *= np.exp(-size * size)
    return np.asarray(np.copysign(F(1) - total, x))


def gelu(x: Array) -> Array:
    found = erf(x * F(math.sqrt(0.5)))
    found += F(1)
    found *= x
    found *= F(0.5)
    return found


def gelu_tanh(x: Array) -> Array:
    found = x * x
    found *= x
    found *= F(0.044715)
    found += x
    found *= F(math.sqrt(2 / math.pi))
    np.tanh(found, out=found)
    found += F(1)
    found *= x
    found *= F(0.5)
    return found


def silu(x: Array) -> Array:
    return x / (F(1) + np.exp(-x))


def relu(x: Array) -> Array:
    return np.maximum(x, F(0))


ACTIVATION: dict[str, Callable[[Array], Array]] = {"gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu, "relu": relu}
"""By the engine's names."""


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


def layer_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    found: Array = x - x.mean(-1, keepdims=True, dtype=np.float64).astype(x.dtype)
    found /= _root_mean_square(found, eps)
    found *= weight
    return found if bias is None else found + bias


def rms_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    found: Array = x / _root_mean_square(x, eps)
    found *= weight
    return found if bias is None else found + bias


NORM: dict[str, Callable[[Array, Array, Array | None, float], Array]] = {"layer": layer_norm, "rms": rms_norm}
"""By the engine's names."""


def norm_gradient(x: Array, weight: Array, eps: float, grad: Array, *, centered: bool) -> Array:
    """Return the gradient by the input of a norm, rows of x, given that by its output; in their precision."""
    unit = x - x.mean(-1, keepdims=True, dtype=np.float64).astype(x.dtype) if centered else x
    divisor = _root_mean_square(unit, eps)
    unit = unit / divisor
    grad = grad * weight
    if centered:
        grad -= grad.mean(-1, keepdims=True)
    grad -= unit * np.einsum("...i,...i->...", grad, unit)[..., None] / x.shape[-1]
    grad /= divisor
    return grad


def _root_mean_square(x: Array, eps: float) -> Array:
    """Return √(mean of squares + eps) over the last axis, kept; in float64, which holds every square."""
    squares: Array = np.einsum("...i,...i->...", x, x, dtype=np.float64)[..., None] / x.shape[-1]
    return np.sqrt(squares + eps).astype(x.dtype)


def softmax(logits: Array) -> Array:
    """Return the softmax of every row, in place: 0 where all is closed, NaN at open keys beside NaN or an open ∞."""
    top = logits.max(-1, keepdims=True)
    wild = ~(top[..., 0] < np.inf)
    spoiled = np.where(logits[wild] == -np.inf, F(0), F(np.nan))
    top[~np.isfinite(top)] = F(0)
    with np.errstate(all="ignore"):
        logits -= top
        np.exp(logits, out=logits)
        total = logits.sum(-1, keepdims=True)
        total[total == 0] = F(1)
        logits /= total
    logits[wild] = spoiled
    return logits


# --- a layer --------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class ModelLayer:
    """One layer of a model: its weights under the engine's names, y = x @ w + b, and the rules of all layers.

    `opened` are the weights that problems of the layer hold, for as long as one exists.
    """

    sizes: Architecture
    number: int
    weights: Mapping[str, Array]
    opened: WeakValueDictionary[str, Array] = field(default_factory=WeakValueDictionary, repr=False)

    @property
    def scale(self) -> float:
        return self.sizes.scales[self.number]

    @property
    def window(self) -> int | None:
        """How many keys a query sees, itself included; None for all earlier ones."""
        return self.sizes.windows[self.number]

    def linear(self, x: Array, part: str) -> Array:
        """Return rows of x times a matrix of the layer, with its bias."""
        found = product(x, self.weights[f"w_{part}"])
        if f"b_{part}" in self.weights:
            found += self.weights[f"b_{part}"]
        return found

    def norm(self, x: Array, part: str) -> Array:
        """Return rows of x after a norm of the layer."""
        weight, bias = self.weights[f"{part}_weight"], self.weights.get(f"{part}_bias")
        return NORM[self.sizes.norm](x, weight, bias, self.sizes.norm_eps)

    def activation(self, x: Array) -> Array:
        return ACTIVATION[self.sizes.activation](x)


def run_block(layer: ModelLayer, x: Array, seen: Array | None, change: Change, until: str | None = None) -> Array:
    """Return the block's output, or the stage `until`; `change` may replace each stage before the next one reads it."""
    walk = layer_walk(layer, x, seen)
    with np.errstate(all="ignore"):
        try:
            stage, cells = next(walk)
            while True:
                cells = change(stage, cells)
                if stage == until:
                    return cells
                stage, cells = walk.send(cells)
        except StopIteration as end:
            return np.asarray(end.value)


def layer_walk(layer: ModelLayer, x: Array, seen: Array | None) -> Walk:
    """Yield the stages of a layer: (row, column) up to Q, K, V, then (head, query, key), then (query, column).

    `seen` is (query, key) booleans, None where every query sees every key. Each stage is read by later ones as it is
    sent back.
    """
    pre_norm = layer.sizes.pre_norm
    read = (yield "normed_x", layer.norm(x, "norm1")) if pre_norm else x
    query = yield "query", layer.linear(read, "query")
    key = yield "key", layer.linear(read, "key")
    value = yield "value", layer.linear(read, "value")
    joined = yield from _attention(layer, query, key, value, seen)
    output = yield "output", layer.linear(joined, "output")
    residual = yield "residual", x + output
    normalized = yield "normalized", layer.norm(residual, "norm2" if pre_norm else "norm1")
    down = yield from _mlp(layer, normalized)
    if pre_norm:
        return (yield "block_output", residual + down)
    total = yield "block_residual", normalized + down
    return (yield "block_output", layer.norm(total, "norm2"))


def _attention(layer: ModelLayer, query: Array, key: Array, value: Array, seen: Array | None) -> Walk:
    query, key = yield from _turned(layer, query, key)
    logits = yield "scores", _scores(layer, query, key)
    logits = yield "scaled", logits * np.float32(layer.scale)
    if seen is not None:
        logits = yield "masked", np.where(seen, logits, np.float32(-np.inf))
    weights = yield "weights", softmax(logits)
    mixed = yield "head_output", _mixed(layer, weights, value)
    return (yield "concat", mixed.transpose(1, 0, 2).reshape(mixed.shape[1], -1))


def _turned(layer: ModelLayer, query: Array, key: Array) -> Generator[tuple[str, Array], Array, tuple[Array, Array]]:
    """Return Q and K as the scores read them."""
    if "query_norm" in layer.weights:
        query = yield "normed_query", _head_norm(layer, query, "query_norm")
        key = yield "normed_key", _head_norm(layer, key, "key_norm")
    if layer.sizes.frequencies is not None:
        query = yield "rotated_query", rotate_columns(query, layer.sizes.frequencies)
        key = yield "rotated_key", rotate_columns(key, layer.sizes.frequencies)
    return query, key


def _mlp(layer: ModelLayer, x: Array) -> Walk:
    inner = yield "up", layer.linear(x, "up")
    if layer.sizes.gated:
        gate = yield "gate", layer.linear(x, "gate")
        inner = yield "activated", layer.activation(gate) * inner
    else:
        inner = yield "activated", layer.activation(inner)
    return (yield "down", layer.linear(inner, "down"))


def product(x: Array, w: Array) -> Array:
    """Return x @ w; each thread computes some rows of a large one: threads of BLAS wait for each other."""
    if len(x) * w.size < LARGE:
        return np.asarray(x @ w)
    found = np.empty((len(x), w.shape[1]), x.dtype)
    half = len(x) // 2

    def multiply(rows: slice) -> None:
        np.matmul(x[rows], w, out=found[rows])

    share([slice(0, half), slice(half, None)], multiply)
    return found


def by_heads(rows: Array, width: int) -> Array:
    """Return (row, heads side by side) as (head, row, column)."""
    return np.ascontiguousarray(rows.reshape(len(rows), -1, width).transpose(1, 0, 2))


def _scores(layer: ModelLayer, query: Array, key: Array) -> Array:
    """Return (head, query, key); several heads may read one head of K."""
    width, n = layer.sizes.d_head, len(query)
    keys = by_heads(key, width)
    queries = by_heads(query, width).reshape(len(keys), -1, width)
    found: Array = queries @ keys.transpose(0, 2, 1)
    return found.reshape(-1, n, len(key))


def _mixed(layer: ModelLayer, weights: Array, value: Array) -> Array:
    """Return (head, query, column); several heads may read one head of V."""
    values = by_heads(value, layer.sizes.d_head)
    found: Array = weights.reshape(len(values), -1, weights.shape[-1]) @ values
    found = found.reshape(len(weights), -1, values.shape[-1])
    wild = np.logical_not(np.isfinite(found).all(axis=-1))
    if wild.any():
        _gate(found, np.logical_and(wild, ~np.isnan(weights).any(axis=-1)), weights, values)
    return found


def _gate(found: Array, rows: Array, weights: Array, values: Array) -> None:
    """Compute some rows, (head, query) booleans, again: there a weight of 0 wins over NaN and infinity."""
    readers = len(weights) // len(values)
    for head, row in np.argwhere(rows):
        seen = weights[head, row] != 0
        found[head, row] = weights[head, row, seen] @ values[head // readers, seen]


def _head_norm(layer: ModelLayer, rows: Array, name: str) -> Array:
    heads = rows.reshape(len(rows), -1, layer.sizes.d_head)
    return rms_norm(heads, layer.weights[name], None, layer.sizes.norm_eps).reshape(rows.shape)


def rotate_columns(rows: Array, frequencies: Array) -> Array:
    """Return rows with columns p and p + d/2 of every head turned by the angles of the row."""
    angles = np.outer(np.arange(len(rows), dtype=np.float32), frequencies.astype(np.float32))
    cosines, sines = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    first, second = np.split(rows.reshape(len(rows), -1, 2 * frequencies.size), 2, axis=-1)
    turned = (first * cosines - second * sines, second * cosines + first * sines)
    return np.concatenate(turned, axis=-1).reshape(rows.shape)


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
    found = {"block_output": cotangent}
    if pre_norm := layer.sizes.pre_norm:
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
    if pre_norm:
        found["normed_x"] = read
        read = _norm(layer, x, "norm1", read)
    found[X] = found["residual"] + read
    return found


def _mlp_pulled(layer: ModelLayer, cells: dict[str, Array], down: Array, found: dict[str, Array]) -> Array:
    """Return the gradient by the MLP's input that comes through the MLP."""
    found["down"] = down
    inner = found["activated"] = _linear(layer, "down", down)
    slope = SLOPE[layer.sizes.activation]
    if not layer.sizes.gated:
        found["up"] = inner * slope(cells["up"])
        return _linear(layer, "up", found["up"])
    found["up"] = inner * layer.activation(cells["gate"])
    found["gate"] = inner * cells["up"] * slope(cells["gate"])
    return _linear(layer, "up", found["up"]) + _linear(layer, "gate", found["gate"])


def _attention_pulled(layer: ModelLayer, cells: dict[str, Array], found: dict[str, Array], masked: str | None) -> None:
    """Add gradients of Q, K and V from those of the heads' results; heads may share one of K and V."""
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
    """Add gradients by the stages of Q or K, from that by what the scores read."""
    for name in _names(layer, side):
        found[name] = grad
        if name.startswith("rotated_"):
            assert layer.sizes.frequencies is not None
            grad = rotate_columns(grad, -layer.sizes.frequencies)
        elif name.startswith("normed_"):
            heads, pulled = (rows.reshape(len(rows), -1, layer.sizes.d_head) for rows in (cells[side], grad))
            weight = layer.weights[f"{side}_norm"]
            grad = norm_gradient(heads, weight, layer.sizes.norm_eps, pulled, centered=False).reshape(grad.shape)


def _linear(layer: ModelLayer, part: str, grad: Array) -> Array:
    return product(grad, layer.weights[f"w_{part}"].T)


def _norm(layer: ModelLayer, x: Array, part: str, grad: Array) -> Array:
    weight, sizes = layer.weights[f"{part}_weight"], layer.sizes
    return norm_gradient(x, weight, sizes.norm_eps, grad, centered=sizes.centered)


def _side_by_side(heads: Array) -> Array:
    """Return (head, row, column) as (row, heads side by side)."""
    return np.ascontiguousarray(heads.transpose(1, 0, 2)).reshape(heads.shape[1], -1)


# --- both ends ------------------------------------------------------------------------------------
def embed_tokens(ends: EndWeights, sizes: Architecture, sequence: TokenSequence) -> Array:
    """Return (token, d_model): the first layer's x."""
    tables = ends.embedding
    found = tables.words[np.asarray(sequence.ids)]
    if tables.positions is not None:
        found = found + tables.positions[sequence.positions(sizes)]
    if tables.types is not None:
        found = found + tables.types[np.asarray(sequence.types)]
    return found if tables.norm is None else _normed(found, tables.norm, sizes)


def final_states(ends: EndWeights, sizes: Architecture, last: Array) -> Array:
    """Return the last layer's output after the final norm, where there is one."""
    return last if ends.final_norm is None else _normed(last, ends.final_norm, sizes)


def logits_of(ends: EndWeights, sizes: Architecture, hidden: Array) -> Array:
    """Return the logits of final hidden states. The model must have a head."""
    assert ends.head is not None
    with np.errstate(all="ignore"):
        if ends.head.transform is not None:
            hidden = hidden @ ends.head.transform.matrix + ends.head.transform.bias
            hidden = ACTIVATION[ends.head.activation](hidden)
        if ends.head.norm is not None:
            hidden = _normed(hidden, ends.head.norm, sizes)
        found: Array = hidden @ ends.head.decoder.matrix
        return found if ends.head.decoder.bias is None else found + ends.head.decoder.bias


def _normed(x: Array, norm: NormWeights, sizes: Architecture) -> Array:
    with np.errstate(all="ignore"):
        return NORM[sizes.norm](x, norm.weight, norm.bias, sizes.norm_eps)
