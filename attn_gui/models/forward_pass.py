"""A model's layers in float32, apart from the engine: norms, rotary positions, softmax, MLP."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.threads import share
from attn_gui.models.families import Architecture, EndWeights, NormWeights
from attn_gui.models.tokenizer import TokenSequence

F = np.float32
_ERF = tuple(map(F, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_SLOPE = F(0.3275911)

Walk = Generator[tuple[str, Array], Array, Array]
"""Yields (stage, cells without the batch axis), is sent what is read instead, and returns the block's output."""
LARGE = 1 << 23  # multiplications of a product that threads share
MLP = "down"  # the stage that an MLP adds to the residual stream
Change = Callable[[str, Array], Array]

X = "x"


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


def layer_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    return rms_norm(x - x.mean(-1, keepdims=True, dtype=np.float64).astype(x.dtype), weight, bias, eps)


def rms_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    found: Array = x / root_mean_square(x, eps)
    found *= weight
    return found if bias is None else found + bias


NORM: dict[str, Callable[[Array, Array, Array | None, float], Array]] = {"layer": layer_norm, "rms": rms_norm}
"""By the engine's names."""


def root_mean_square(x: Array, eps: float) -> Array:
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
    angles = np.outer(np.arange(len(rows)), frequencies.astype(np.float64))  # in float32 far ones are off by 0.0005
    cosines, sines = (turned.astype(np.float32)[:, None, :] for turned in (np.cos(angles), np.sin(angles)))
    first, second = np.split(rows.reshape(len(rows), -1, 2 * frequencies.size), 2, axis=-1)
    turned = (first * cosines - second * sines, second * cosines + first * sines)
    return np.concatenate(turned, axis=-1).reshape(rows.shape)


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
