"""Exact gradients of one logit through a whole model: through its head, then through its layers, one walk down."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from attn_gui.engine import sentences
from attn_gui.engine.analysis.sensitivity import gradient, step_gradients
from attn_gui.engine.arrays import Array
from attn_gui.engine.blocks import ACTIVATIONS
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.threads import one_blas_thread
from attn_gui.engine.graph import indices
from attn_gui.engine.memory import check
from attn_gui.models.changed_layers import EditedLayer, LayerEdit
from attn_gui.models.families import Architecture, EndWeights, NormWeights
from attn_gui.models.forward_pass import MAPS, NORM, X, layer_slopes, norm_gradient

if TYPE_CHECKING:
    from attn_gui.models.model import Run


def head_gradient(ends: EndWeights, sizes: Architecture, state: Array, signs: dict[int, float]) -> Array:
    """Return (d_model,): the gradient of Σ sign · logit with respect to the last layer's output at its position,
    float64."""
    assert ends.head is not None
    state, head = state.astype(np.float64), ends.head
    finished = state if ends.final_norm is None else _normed(state, ends.final_norm, sizes)
    columns = [sign * head.decoder.matrix[:, number].astype(np.float64) for number, sign in signs.items()]
    found = np.asarray(sum(columns))
    if head.transform is not None:
        assert head.norm is not None
        inner = finished @ head.transform.matrix + head.transform.bias
        activation = ACTIVATIONS[head.activation]
        found = _norm_pulled(activation.bend(inner), head.norm, sizes, found)
        found = head.transform.matrix @ (found * activation.slope(inner))
    return found if ends.final_norm is None else _norm_pulled(state, ends.final_norm, sizes, found)


def stage_gradients(run: Run, stage: str, cotangent: Array, layers: Collection[int]) -> Iterator[tuple[int, Array]]:
    """Yield (layer, gradient of Σ cotangent · the last layer's output by a stage of it): one walk from the last layer
    down.

    Gradients are in the stage's shape, batch axis first, float64; `cotangent` is (token, d_model). Raises StageError,
    and FieldError where a layer's maps need too much memory.
    Source: reverse accumulation, Griewank, Walther, "Evaluating Derivatives" (2008), §3.2.
    """
    check(4 * MAPS * run.model.num_heads * len(run.ids) ** 2)
    for number in range(run.model.num_layers - 1, min(layers, default=run.model.num_layers) - 1, -1):
        with one_blas_thread():
            slopes = _fast_slopes(run, number, cotangent) or _engine_slopes(run, number, stage, cotangent)
        if number in layers and (stage not in slopes or stage == X):
            stages = evaluation_of(run.problem(number)).stages
            raise StageError(sentences.NO_STAGE, stage=stage, choices=stages)
        if number in layers:
            yield number, slopes[stage][None].astype(np.float64)
        cotangent = slopes[X]


def _fast_slopes(run: Run, number: int, cotangent: Array) -> dict[str, Array] | None:
    """Return gradients by a layer's x and every stage in float32; None where it is changed by hand, or not all are
    finite."""
    layer = run.model.layers[number]
    if isinstance(layer, EditedLayer) or any(change.layer == number for change in run.interventions):
        return None
    found = layer_slopes(layer, run.states[number], run.sequence.seen(layer.sizes, layer.window), cotangent)
    return found if np.isfinite(found[X]).all() else None


def _engine_slopes(run: Run, number: int, stage: str, cotangent: Array) -> dict[str, Array]:
    """Return gradients by a layer's x and by one stage, where there is one of that name, as the engine computes
    them."""
    layer, evaluation = run.model.layers[number], evaluation_of(run.problem(number))
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
