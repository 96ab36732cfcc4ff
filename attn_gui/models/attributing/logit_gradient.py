"""Exact gradients of one logit through a whole model: through its head, then through its layers by the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradient, step_gradients
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks.block import ACTIVATIONS
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.errors import StageError
from attn_gui.engine.problem.problem import Problem
from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.end_weights import EndWeights, NormWeights
from attn_gui.models.passes.edited_layer import AnyLayer, EditedLayer
from attn_gui.models.studies.layer_edit import LayerEdit

X = "x"


def head_gradient(ends: EndWeights, sizes: Architecture, state: Array, number: int) -> Array:
    """(d_model,): the gradient of a logit with respect to the last layer's output at its position, float64."""
    assert ends.head is not None
    state, head = state.astype(np.float64), ends.head
    finished = state if ends.final_norm is None else _normed(state, ends.final_norm, sizes)
    found = head.decoder.matrix[:, number].astype(np.float64)
    if head.transform is not None:
        assert head.norm is not None
        inner = finished @ head.transform.matrix + head.transform.bias
        activation = ACTIVATIONS[head.activation]
        found = _norm_pulled(activation.bend(inner), head.norm, sizes, found)
        found = head.transform.matrix @ (found * activation.slope(inner))
    return found if ends.final_norm is None else _norm_pulled(state, ends.final_norm, sizes, found)


def stage_gradient(
    problem: Callable[[int], Problem], layers: Sequence[AnyLayer], layer: int, stage: str, cotangent: Array
) -> Array:
    """The gradient of Σ cotangent · the last layer's output with respect to a stage of a layer, in the stage's shape.

    `problem` gives that of each of the model's `layers`; `cotangent` is (token, d_model). Raises StageError.
    Source: reverse accumulation, Griewank, Walther, "Evaluating Derivatives" (2008), §3.2.
    """
    for number in range(len(layers) - 1, layer, -1):
        above = layers[number]
        edit = above.edit if isinstance(above, EditedLayer) else LayerEdit()
        if X in edit.fields:  # given as a whole, or not at all: nothing of it comes from below
            cotangent = np.zeros_like(cotangent)
            continue
        evaluation = evaluation_of(problem(number))
        last = evaluation.stages[-1]
        cotangent = gradient(evaluation, last, indices.whole(evaluation.shape(last)), cotangent[None], X)
        cotangent = edit.passed_down(X, cotangent.reshape(cotangent.shape[-2:]))
    evaluation = evaluation_of(problem(layer))
    last = evaluation.stages[-1]
    if stage not in evaluation.stages:
        raise StageError(sentences.NO_STAGE, stage=stage, choices=evaluation.stages)
    if stage == last:
        return cotangent[None]
    found = np.zeros(evaluation.shape(stage))
    steps = step_gradients(evaluation, last, indices.whole(evaluation.shape(last)), cotangent[None])
    if stage in steps:
        box, cells = steps[stage]
        found[box] = cells
    return found


def _normed(x: Array, norm: NormWeights, sizes: Architecture) -> Array:
    unit, _ = _unit(x, sizes)
    return unit * norm.weight + (0.0 if norm.bias is None else norm.bias)


def _norm_pulled(x: Array, norm: NormWeights, sizes: Architecture, grad: Array) -> Array:
    """The gradient by what goes into a norm, from the one by what comes out."""
    unit, divisor = _unit(x, sizes)
    grad = grad * norm.weight
    if sizes.centered:
        grad = grad - grad.mean()
    return np.asarray((grad - unit * (grad * unit).mean()) / divisor)


def _unit(x: Array, sizes: Architecture) -> tuple[Array, float]:
    """A vector after a norm but for its weights, and what it is divided by."""
    centered = x - x.mean() if sizes.centered else x
    divisor = float(np.sqrt((centered**2).mean() + sizes.norm_eps))
    return centered / divisor, divisor
