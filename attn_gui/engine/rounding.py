"""How far two honest computations of the same cell may lie apart: a running error analysis along the chain.

Every stage rounds its own result and hands on what its inputs have gathered (Wilkinson, 1963; Higham, "Accuracy and
Stability of Numerical Algorithms", 2002, §3). Bounds are first order, in units of 2^−52, for both computations at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from . import indices
from .evaluation import Evaluation
from .graph import Fetch, Node
from .indices import Box
from .layout import Array, align, contract
from .rowwise import heads_of
from .scoring.additive import Additive
from .scoring.average import Average
from .scoring.cosine import Cosine
from .scoring.gaussian import Gaussian
from .stage import Input, Linear
from .stages.layer_norm import LayerNorm
from .stages.mask import Mask
from .stages.rotary import Rotary
from .stages.softcap import Softcap
from .stages.softmax import Softmax

UNIT = 2.0**-52
ELEMENTARY = 4.0  # units by which exp, tanh, cos and powers may be off
STEEPEST = 700.0  # e to this is still a number


class Rounding:
    """Bounds for the cells of an evaluation, computed where they are asked for."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._nodes = {node.name: node for node in evaluation.nodes}
        self._whole: dict[str, Array] = {}
        self._last: dict[str, tuple[Box, Array]] = {}  # each stage reads those before it

    def bound(self, stage: str, box: Box) -> Array:
        """The largest difference that rounding explains for each cell of a box, the final one to the dtype included."""
        dtype = np.finfo(self._evaluation.problem.dtype)
        with np.errstate(all="ignore"):
            found = self.fetch(stage, box) * UNIT
            if dtype.bits < 64:
                found = found + np.abs(self._evaluation.fetch(stage, box)) * float(dtype.eps)
            return np.where(np.isnan(found), np.inf, found + 4 * float(dtype.smallest_subnormal))

    def fetch(self, name: str, box: Box) -> Array:
        """The bounds of a box in units; what is given is exact."""
        node = self._nodes.get(name)
        if node is None or node.stage.boolean or node.stage.hidden or self._given(node):
            return np.broadcast_to(0.0, indices.shape_of(box))
        if not node.left.startswith("bj"):
            if name not in self._last or self._last[name][0] != box:
                parts = [self._compute(node, one) for one in heads_of(node, box)]
                self._last[name] = box, np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
            return self._last[name][1]
        if name not in self._whole:  # every row reads all of K and V again
            self._whole[name] = self._compute(node, indices.whole(node.shape))
        return self._whole[name][box]

    def _given(self, node: Node) -> bool:
        return node.stage.alias and node.inputs[0].name in self._evaluation.sources

    def _compute(self, node: Node, box: Box) -> Array:
        outer, parts, lengths = node.needs(box)

        def read(fetch: Fetch) -> list[Input]:
            return [
                None if part is None else align(fetch(ref.name, part), ref.axes, node.order, lengths)
                for ref, part in zip(node.inputs, parts, strict=True)
            ]

        found = RULES[type(node.stage)](node.stage, read(self._evaluation.fetch), read(self.fetch))
        found = found.reshape(found.shape[: len(node.left)])
        full = np.broadcast_to(found, [lengths[letter] for letter in node.left]).reshape(indices.shape_of(outer))
        return full[indices.within(box, outer)]


Rule = Callable[[Any, Sequence[Input], Sequence[Input]], Array]


def _linear(stage: Linear, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    """A sum of n products is off by n units of the sum of their sizes, and by what each factor is off."""
    groups, slips = stage.products(values), stage.products(errors)
    axes = range(len("".join(stage.target.axes)), groups[0][0].ndim)
    total = np.zeros((1,) * groups[0][0].ndim)
    for group, slip in zip(groups, slips, strict=True):
        sizes = [np.abs(factor) for factor in group]
        count = prod(max(size.shape[axis] for size in sizes) for axis in axes) + len(group) + len(groups) - 3
        factors = [[*sizes[:k], slip[k], *sizes[k + 1 :]] for k in range(len(group)) if slip[k].any()]
        total = total + sum(contract(*changed, axes=axes, zero_wins=True) for changed in factors)
        if count:
            total = total + count * contract(*sizes, axes=axes, zero_wins=True)
    return total


def _rotary(stage: Rotary, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    x, angle = _there(values)
    pair = 3  # the axis of the two columns that are turned together
    turned = np.abs(x).sum(axis=pair, keepdims=True) * (2 + ELEMENTARY * (1 + np.abs(angle)))
    return np.asarray(_there(errors)[0].sum(axis=pair, keepdims=True) + turned)


def _additive(stage: Additive, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    query, key, w_query, w_key, w = (np.abs(array) for array in _there(values))
    off_query, off_key, *_ = _there(errors)
    inner = contract(off_query + (query.shape[5] + 1) * query, w_query, axes=(5,)), contract(
        off_key + (key.shape[6] + 1) * key, w_key, axes=(6,)
    )
    own = (w.shape[7] + 2 * ELEMENTARY) * w.sum()
    return np.asarray(contract(inner[0], w, axes=(7,)) + contract(inner[1], w, axes=(7,)) + own)


def _cosine(stage: Cosine, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    sizes, slips = ([_norm(array) for array in _there(arrays)] for arrays in (values, errors))
    tilts = [slip / np.where(size == 0, 1.0, size) for size, slip in zip(sizes, slips, strict=True)]
    return np.asarray(2 * (tilts[0] + tilts[1]) + 2 * (_there(values)[0].shape[5] + ELEMENTARY))


def _gaussian(stage: Gaussian, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    query, key, w, norm = _there(values)
    slip = _norm(_there(errors)[0]) + _norm(_there(errors)[1])
    extra = w**2 * np.abs(norm - 1)
    terms = np.abs(stage.forward(*values))[..., None] + extra * (key**2).sum(axis=5, keepdims=True)
    moved = np.abs(w) * slip * (np.sqrt(2 * terms) + np.abs(w) * slip * UNIT) + extra * _norm(key) * slip
    return np.asarray((query.shape[5] + 6) * terms + moved)


def _average(stage: Average, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    return np.zeros((1, 1, 1, 1))


def _softcap(stage: Softcap, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    cap = _there(values)[1]
    return np.fmin(_there(errors)[0], 2 * cap / UNIT) + 2 * ELEMENTARY * np.abs(stage.forward(*values))


def _mask(stage: Mask, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    return np.where(_there(values)[1], _there(errors)[0], 0.0)


def _softmax(stage: Softmax, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    """A slip of a score is a relative one of its weight, and through the sum of every weight in the row."""
    logits, temperature = values
    assert logits is not None
    heat = 1.0 if temperature is None else temperature
    weights = stage.forward(*values)
    steps = np.where(np.isneginf(logits), 0.0, (logits.max(axis=-1, keepdims=True) - logits) / heat)
    slips = _there(errors)[0] / heat + 2 * steps
    shared = np.where(weights == 0, 0.0, weights * slips).sum(axis=-1, keepdims=True)
    relative = np.fmin((slips + shared + logits.shape[-1] + 2 * ELEMENTARY) * UNIT, STEEPEST)
    return np.where(weights == 0, 0.0, np.fmin(weights * np.expm1(relative), 1.0) / UNIT)


def _layer_norm(stage: LayerNorm, values: Sequence[Input], errors: Sequence[Input]) -> Array:
    x, weight, bias, eps = _there(values)
    off, count = _there(errors)[0], x.shape[-1]
    top = np.maximum(np.abs(x).max(axis=-1, keepdims=True), 1.0)  # squares of what is divided by it do not overflow
    x, off = x / top, off / top
    centered = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps / top / top)
    unit = np.abs(centered / deviation)
    off = off + (off + count * np.abs(x)).mean(axis=-1, keepdims=True) + np.abs(centered)
    spread = np.sqrt((off**2).mean(axis=-1, keepdims=True)) + (count + 4) * deviation
    return np.asarray(np.abs(weight) * ((off + unit * spread) / deviation + 5 * unit) + 3 * np.abs(bias))


RULES: dict[type, Rule] = {
    Linear: _linear, Rotary: _rotary, Additive: _additive, Cosine: _cosine, Gaussian: _gaussian, Average: _average,
    Softcap: _softcap, Mask: _mask, Softmax: _softmax, LayerNorm: _layer_norm,
}  # fmt: skip


def _there(arrays: Sequence[Input]) -> list[Array]:
    return [array for array in arrays if array is not None]


def _norm(array: Array) -> Array:
    """The lengths of the rows of a head, however large or small their numbers are."""
    top = np.abs(array).max(axis=5, keepdims=True)
    level = array / np.where(top == 0, 1.0, top)
    return np.asarray(top * np.sqrt((level**2).sum(axis=5, keepdims=True)))
