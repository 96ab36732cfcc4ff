"""A layer of a model as a problem of the engine: its weights as tables, its interventions, its tokens."""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Any

from attn_gui.engine.arrays import Array
from attn_gui.engine.comparison import with_leaves
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.problem import Problem

from .layer_walk import Layer
from .sequence import Sequence

PROJECTIONS = ("query", "key", "value", "output")
TOP = (*(f"w_{part}" for part in PROJECTIONS), *(f"b_{part}" for part in PROJECTIONS), "query_norm", "key_norm")
"""The numbers of a layer that are fields of a problem; the others belong to its block."""


def layer_problem(layer: Layer, x: Array, sequence: Sequence, records: Many[Intervention]) -> Problem:
    """The problem that computes the layer from its x, in float32 as the model does."""
    sizes, weights = layer.sizes, layer.weights
    fields: dict[str, Any] = {name: weights[name] for name in TOP if name in weights}
    if sizes.frequencies is not None:
        fields["rotary_frequencies"] = sizes.frequencies
    if "query_norm" in weights:
        fields["qk_norm_eps"] = sizes.norm_eps
    if layer.scale != sizes.d_head**-0.5:
        fields["scale"] = layer.scale
    own = {name: array for name, array in weights.items() if name not in TOP}
    rules = {"kind": sizes.kind, "norm": sizes.norm, "norm_eps": sizes.norm_eps, "activation": sizes.activation}
    found = Problem.of(
        {
            **fields,
            "x": x,
            "block": own | rules,
            "num_heads": sizes.num_heads,
            "num_kv_heads": sizes.num_kv_heads,
            "mask": sequence.mask_layers(sizes, layer.window),
            "interventions": list(records),
            "query_tokens": sequence.texts,
            "dtype": "float32",
        }
    )
    return _over_opened(layer, found)


def weights_in(problem: Problem, layer: Layer) -> dict[str, Array]:
    """The numbers of the layer in a problem of it, by dotted name; what is no weight of the model is left out."""
    arrays, names = problem.arrays(), (name if name in TOP else f"block.{name}" for name in layer.weights)
    return {name: arrays[name] for name in names}


def _over_opened(layer: Layer, problem: Problem) -> Problem:
    """Problem over the weights of other problems of the layer: a history may hold many, one for each text."""
    shared = {
        leaf: layer.opened.setdefault(leaf, own if own.base is None else own.base)
        for leaf, own in weights_in(problem, layer).items()
    }
    return Problem.over(with_leaves(problem, shared))
