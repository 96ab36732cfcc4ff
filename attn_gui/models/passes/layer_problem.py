"""A layer of a model as a problem of the engine: Q, K, V as its scores read them, its mask, tokens, interventions."""

from __future__ import annotations

from collections.abc import Sequence as Many

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem.interventions import Intervention
from attn_gui.engine.problem.problem import Problem

from .layer_walk import Layer
from .sequence import Sequence

BEFORE = ("query", "key", "value")


def layer_problem(
    layer: Layer, heads: tuple[Array, Array, Array], sequence: Sequence, records: Many[Intervention]
) -> Problem:
    """The attention of a layer from Q, K, V as (head, row, column)."""
    sizes = layer.sizes
    return Problem.from_heads(
        *heads,
        scale=layer.scale,
        mask=sequence.mask_layers(sizes, layer.window),
        interventions=[record for record in records if not record.stage.endswith(BEFORE)],
        query_tokens=sequence.tokens,
        key_tokens=sequence.tokens,
        dtype="float32",
    )
