"""Layer that was changed by hand: computed by the engine, as the problem that it is; all others by the fast pass."""

from __future__ import annotations

from collections.abc import Sequence as Many
from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell, silent
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, shape_text
from attn_gui.models.passes.layer_changes import LayerHand
from attn_gui.models.passes.layer_problem import layer_problem
from attn_gui.models.passes.layer_walk import Layer, by_heads, walked
from attn_gui.models.passes.sequence import Sequence
from attn_gui.models.studies.layer_edit import LayerEdit

_HEADS = QT_TRANSLATE_NOOP(
    "Sentences",
    "Layer {layer} as it was changed has {got} heads; every layer of the model has {expected}.",
)
_SHAPE = QT_TRANSLATE_NOOP(
    "Sentences",
    "Layer {layer} as it was changed gives an output of {got}; the model goes on from {expected} only.",
)

Records = Many[tuple[int, Intervention]]
"""Interventions, each with its place among all of a run."""


@dataclass(frozen=True, eq=False)
class EditedLayer:
    """A layer of the model, and what is other in it."""

    plain: Layer
    edit: LayerEdit

    @property
    def number(self) -> int:
        return self.plain.number


AnyLayer = Layer | EditedLayer


def edited(layer: AnyLayer, edit: LayerEdit | None) -> AnyLayer:
    """A layer with other changes; the same object where they are the same."""
    plain = plain_layer(layer)
    if not edit:
        return plain
    return layer if isinstance(layer, EditedLayer) and layer.edit.is_like(edit) else EditedLayer(plain, edit)


def plain_layer(layer: AnyLayer) -> Layer:
    """A layer as the model has it."""
    return layer.plain if isinstance(layer, EditedLayer) else layer


def problem_of(layer: AnyLayer, x: Array, sequence: Sequence, records: Records) -> Problem:
    """A layer as a problem of the engine. Raises ValueError where its changes do not fit its x any more."""
    if not isinstance(layer, EditedLayer):
        return layer_problem(layer, x, sequence, [record for _, record in records])
    found = layer.edit.of(layer_problem(layer.plain, x, sequence, ()))
    mine = tuple(record for _, record in records)
    return found.replace(interventions=(*found.interventions, *mine)) if mine else found


def stage_cells(
    layer: AnyLayer, x: Array, sequence: Sequence, records: Records, until: str | None = None, tell: Tell = silent
) -> Array:
    """A stage of a layer without the batch axis, or the block's output.

    Raises FieldError for a stage that is not there, and where the model cannot go on from the output.
    """
    if isinstance(layer, EditedLayer):
        problem = problem_of(layer, x, sequence, records)
        return _output(layer, problem, x, tell) if until is None else _whole(evaluation_of(problem), until)
    hand = LayerHand(records)
    found = walked(layer, x, sequence.seen(layer.sizes, layer.window), hand, until)
    if until is None:
        hand.check()
    else:
        hand.check_stage(until)
    return found


def read_as(layer: EditedLayer, x: Array, sequence: Sequence, records: Records, side: str) -> Array:
    """Q, K or V of an edited layer as its scores and results read them, (head, row, column)."""
    problem = problem_of(layer, x, sequence, records)
    evaluation = evaluation_of(problem)
    cells = _whole(evaluation, evaluation.latest(side))
    heads = problem.num_heads if side == "query" else problem.kv_heads
    return by_heads(cells, cells.shape[-1] // heads)


def _output(layer: EditedLayer, problem: Problem, x: Array, tell: Tell) -> Array:
    _check_goes_on(layer, problem, x)
    evaluation = evaluation_of(problem)
    evaluation.complete(progress=lambda done, count: tell(done / count))  # of a long one part by part, until stopped
    return _whole(evaluation, evaluation.stages[-1])


def _check_goes_on(layer: EditedLayer, problem: Problem, x: Array) -> None:
    """Raise FieldError where the next layer would not read this one's output, before any of it is computed."""
    if "num_heads" in layer.edit.fields:  # pages go head by head
        expected = layer.plain.sizes.num_heads
        raise FieldError(_HEADS, layer=layer.number, got=problem.num_heads, expected=expected)
    laid_out = Evaluation(problem, keep=0)
    items, *got = laid_out.shape(laid_out.stages[-1])
    if items > 1 or tuple(got) != x.shape:
        shown = (items, *got) if items > 1 else tuple(got)
        raise FieldError(_SHAPE, layer=layer.number, got=shape_text(shown), expected=shape_text(x.shape))


def _whole(evaluation: Evaluation, stage: str) -> Array:
    box = tuple(slice(0, length) for length in evaluation.shape(stage))
    with np.errstate(over="ignore"):  # it may have been computed in float64
        return np.asarray(evaluation.box(stage, box)[0], np.float32)
