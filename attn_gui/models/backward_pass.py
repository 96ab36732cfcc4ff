"""Exact gradients through the parts of a model: through its head, and through one layer."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.analysis.sensitivity import gradient, step_gradients
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import ACTIVATIONS
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Problem
from attn_gui.models.changed_layers import AnyLayer, EditedLayer, LayerEdit, Records, problem_of
from attn_gui.models.families import Architecture, EndWeights, NormWeights
from attn_gui.models.forward_pass import NORM, X, layer_slopes, norm_gradient
from attn_gui.models.sequence import TokenSequence


def head_gradient(ends: EndWeights, sizes: Architecture, state: Array, signs: dict[int, float]) -> Array:
    """Return (d_model,): the gradient of Σ sign · logit by the last layer's output at its position, float64."""
    assert ends.head is not None
    state, head = state.astype(np.float64), ends.head
    finished = state if ends.final_norm is None else _normed(state, ends.final_norm, sizes)
    columns = [sign * head.decoder.matrix[:, number].astype(np.float64) for number, sign in signs.items()]
    found = np.asarray(sum(columns))
    if head.transform is not None:
        assert head.norm is not None
        inner = finished @ head.transform.matrix + head.transform.bias
        activation = ACTIVATIONS[head.activation]
        found = _norm_pulled(activation.apply(inner), head.norm, sizes, found)
        found = head.transform.matrix @ (found * activation.slope(inner))
    return found if ends.final_norm is None else _norm_pulled(state, ends.final_norm, sizes, found)


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


def _normed(x: Array, norm: NormWeights, sizes: Architecture) -> Array:
    return NORM[sizes.norm](x, norm.weight, norm.bias, sizes.norm_eps)


def _norm_pulled(x: Array, norm: NormWeights, sizes: Architecture, grad: Array) -> Array:
    return norm_gradient(x, norm.weight, sizes.norm_eps, grad, centered=sizes.centered)
