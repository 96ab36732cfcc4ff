"""A layer in float32, stage by stage under the engine's names: who walks it may change each stage, or stop there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.evaluation.threads import share
from attn_gui.models.families.architecture import Architecture

from .activations import ACTIVATION, NORM, rms_norm, softmax

Walk = Generator[tuple[str, Array], Array, Array]
"""Yields (stage, cells without the batch axis), is sent what is read instead, and returns the block's output."""
LARGE = 1 << 23  # multiplications of a product that threads share
MLP = "down"
"""The stage that an MLP adds to the residual stream."""
Change = Callable[[str, Array], Array]


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a model: its numbers under the engine's names, y = x @ w + b, and the rules of all layers.

    `opened` are those of its numbers that problems of it hold, for as long as one does.
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
        """The number of keys that a query sees, itself included; None for all behind it."""
        return self.sizes.windows[self.number]

    def linear(self, x: Array, part: str) -> Array:
        """Rows of x through a matrix of the layer."""
        found = product(x, self.weights[f"w_{part}"])
        if f"b_{part}" in self.weights:
            found += self.weights[f"b_{part}"]
        return found

    def norm(self, x: Array, part: str) -> Array:
        """Rows of x through a norm of the layer."""
        weight, bias = self.weights[f"{part}_weight"], self.weights.get(f"{part}_bias")
        return NORM[self.sizes.norm](x, weight, bias, self.sizes.norm_eps)

    def activation(self, x: Array) -> Array:
        return ACTIVATION[self.sizes.activation](x)


def walked(layer: Layer, x: Array, seen: Array | None, change: Change, until: str | None = None) -> Array:
    """The block's output, or the stage `until`; of every stage what `change` makes of it goes on."""
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


def layer_walk(layer: Layer, x: Array, seen: Array | None) -> Walk:
    """The stages of a layer: (row, column) before the scores, (head, query, key), then (query, column) again.

    `seen` is (query, key) booleans, None where every query sees every key.
    """
    early = layer.sizes.early
    read = (yield "normed_x", layer.norm(x, "norm1")) if early else x
    query = yield "query", layer.linear(read, "query")
    key = yield "key", layer.linear(read, "key")
    value = yield "value", layer.linear(read, "value")
    joined = yield from _attention(layer, query, key, value, seen)
    output = yield "output", layer.linear(joined, "output")
    residual = yield "residual", x + output
    normalized = yield "normalized", layer.norm(residual, "norm2" if early else "norm1")
    down = yield from _mlp(layer, normalized)
    if early:
        return (yield "block_output", residual + down)
    total = yield "block_residual", normalized + down
    return (yield "block_output", layer.norm(total, "norm2"))


def _attention(layer: Layer, query: Array, key: Array, value: Array, seen: Array | None) -> Walk:
    query, key = yield from _turned(layer, query, key)
    logits = yield "scores", _scores(layer, query, key)
    logits = yield "scaled", logits * np.float32(layer.scale)
    if seen is not None:
        logits = yield "masked", np.where(seen, logits, np.float32(-np.inf))
    weights = yield "weights", softmax(logits)
    mixed = yield "head_output", _mixed(layer, weights, value)
    return (yield "concat", mixed.transpose(1, 0, 2).reshape(mixed.shape[1], -1))


def _turned(layer: Layer, query: Array, key: Array) -> Generator[tuple[str, Array], Array, tuple[Array, Array]]:
    """Q and K as the scores read them."""
    if "query_norm" in layer.weights:
        query = yield "normed_query", _head_norm(layer, query, "query_norm")
        key = yield "normed_key", _head_norm(layer, key, "key_norm")
    if layer.sizes.frequencies is not None:
        query = yield "rotated_query", rotated(query, layer.sizes.frequencies)
        key = yield "rotated_key", rotated(key, layer.sizes.frequencies)
    return query, key


def _mlp(layer: Layer, x: Array) -> Walk:
    inner = yield "up", layer.linear(x, "up")
    if layer.sizes.gated:
        gate = yield "gate", layer.linear(x, "gate")
        inner = yield "activated", layer.activation(gate) * inner
    else:
        inner = yield "activated", layer.activation(inner)
    return (yield "down", layer.linear(inner, "down"))


def product(x: Array, w: Array) -> Array:
    """x @ w; of a large one each thread takes some rows, for those of BLAS wait for each other on a busy machine."""
    if len(x) * w.size < LARGE:
        return np.asarray(x @ w)
    found = np.empty((len(x), w.shape[1]), x.dtype)
    half = len(x) // 2

    def multiply(rows: slice) -> None:
        np.matmul(x[rows], w, out=found[rows])

    share([slice(0, half), slice(half, None)], multiply)
    return found


def by_heads(rows: Array, width: int) -> Array:
    """(row, heads side by side) as (head, row, column)."""
    return np.ascontiguousarray(rows.reshape(len(rows), -1, width).transpose(1, 0, 2))


def _scores(layer: Layer, query: Array, key: Array) -> Array:
    """(head, query, key); several heads read one head of K."""
    width, n = layer.sizes.d_head, len(query)
    keys = by_heads(key, width)
    queries = by_heads(query, width).reshape(len(keys), -1, width)
    found: Array = queries @ keys.transpose(0, 2, 1)
    return found.reshape(-1, n, len(key))


def _mixed(layer: Layer, weights: Array, value: Array) -> Array:
    """(head, query, column); several heads read one head of V."""
    values = by_heads(value, layer.sizes.d_head)
    found: Array = weights.reshape(len(values), -1, weights.shape[-1]) @ values
    found = found.reshape(len(weights), -1, values.shape[-1])
    wild = np.logical_not(np.isfinite(found).all(axis=-1))
    if wild.any():
        _gate(found, np.logical_and(wild, ~np.isnan(weights).any(axis=-1)), weights, values)
    return found


def _gate(found: Array, rows: Array, weights: Array, values: Array) -> None:
    """Sum some rows, (head, query) booleans, anew: in each a weight of zero wins over NaN and infinity."""
    readers = len(weights) // len(values)
    for head, row in np.argwhere(rows):
        seen = weights[head, row] != 0
        found[head, row] = weights[head, row, seen] @ values[head // readers, seen]


def _head_norm(layer: Layer, rows: Array, name: str) -> Array:
    heads = rows.reshape(len(rows), -1, layer.sizes.d_head)
    return rms_norm(heads, layer.weights[name], None, layer.sizes.norm_eps).reshape(rows.shape)


def rotated(rows: Array, frequencies: Array) -> Array:
    """Columns p and p + d/2 of every head turned by the angles of its row."""
    angles = np.outer(np.arange(len(rows), dtype=np.float32), frequencies.astype(np.float32))
    cosines, sines = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    first, second = np.split(rows.reshape(len(rows), -1, 2 * frequencies.size), 2, axis=-1)
    turned = (first * cosines - second * sines, second * cosines + first * sines)
    return np.concatenate(turned, axis=-1).reshape(rows.shape)
