"""How each kind of stage looks in a walk: one entry a kind, by what the stage says of itself (`wording`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import Cell
from attn_gui.engine.graph.symbols_and_titles import computed_name
from attn_gui.engine.normalizers import Normalizer
from attn_gui.figure.walk.beat import Beat
from attn_gui.figure.walk.cell_beats import (
    CLOSED,
    CONSTANT,
    COPIED,
    GIVEN,
    OF_HEAD,
    SET,
    CurveBeat,
    GivenBeat,
    MaskBeat,
    ScaleBeat,
    formula_beats,
    named_beats,
)
from attn_gui.figure.walk.equations import main_sum, with_number
from attn_gui.figure.walk.softmax_beats import softmax_beats
from attn_gui.figure.walk.sum_beats import PourBeat, sum_beats
from attn_gui.figure.walk.walk_context import Index, WalkContext
from attn_gui.languages import N_

Look = Callable[[WalkContext, str, Index], list[Beat]]


def beats_of(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats that lead to a cell: of a map those of all maps before it, else its own step.

    Numbers that were set in place of computed ones follow the beats of the computed ones.
    """
    explanation = context.explain(stage, index)
    if explanation.by_hand and explanation.computed is not None:
        made = beats_of(context, computed_name(stage), index)
        computed = Cell(computed_name(stage), index, explanation.computed.value, "")
        return [*made, GivenBeat(context, stage, index, *SET, computed)]
    look = LOOKS.get(explanation.entry.wording, formula)
    before = context.map_before(stage)
    earlier = beats_of(context, before, index) if before is not None else []
    return [*earlier, *look(context, stage, index)]


# --- looks ----------------------------------------------------------------------------------------
def products(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of a row times a column, or of a sum of a few numbers, then of what else is done to it."""
    explanation = context.explain(stage, index)
    expression, value = explanation.expression, explanation.value
    total = main_sum(expression)
    if total is None:
        return formula(context, stage, index)
    if total is expression:
        return sum_beats(context, stage, index, total, value, lands=True)
    inner = sum_beats(context, stage, index, total, total.value, lands=False)
    rest = formula_beats(context, stage, index, with_number(expression, total), value)
    return [*named_beats(context, stage, index, total), *inner, *rest]


def formula(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of the cell's formula, part by part; a number that is given or copied says so."""
    explanation = context.explain(stage, index)
    cells = tuple(explanation.expression.cells())
    if context.evaluation.node_at(stage, index).stage.alias:
        given = not len(explanation.terms)
        return [GivenBeat(context, stage, index, *(GIVEN if given else COPIED), None if given else cells[0])]
    if not cells:
        return [GivenBeat(context, stage, index, *CONSTANT)]
    if isinstance(explanation.expression, Cell):
        return [GivenBeat(context, stage, index, *COPIED, explanation.expression)]
    return formula_beats(context, stage, index, explanation.expression, explanation.value)


def scale(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat of the division by √d_k; none where scores are not scaled."""
    before = context.map_before(stage)
    if before is None or context.evaluation.problem.effective_scale == 1:
        return []
    return [ScaleBeat(context, stage, index, before)]


def cap(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat of the curve that bends scores below a bound."""
    limit = context.evaluation.problem.softcap or 1.0
    title = context.words(N_("Walk", "Cap"))
    return [CurveBeat(context, stage, index, lambda x: limit * np.tanh(x / limit), title)]


def activation(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat of the curve of an activation; of a gated one those of its formula."""
    entry = context.evaluation.node(stage).stage
    if len(context.explain(stage, index).terms[0].cells) > 1:
        return formula(context, stage, index)

    def bend(x: Array) -> Array:
        return entry.forward(x, None)

    return [CurveBeat(context, stage, index, bend, entry.function or context.cell(stage, index))]


def mask(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beat in which the layers of the mask open or close the cell."""
    before = context.map_before(stage)
    return [] if before is None else [MaskBeat(context, stage, index, before)]


def weight(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of the softmax of the row; of any other weight those of its formula."""
    before = context.map_before(stage)
    assert before is not None, "weights are made of scores"
    entry = context.evaluation.node(stage).stage
    if entry.elementary and (beats := softmax_beats(context, stage, index, before, index[-1])):
        return [*beats]
    score = context.value(before, index)
    if np.isneginf(score):
        return [GivenBeat(context, stage, index, *CLOSED, Cell(before, index, score, "", index[-2:]))]
    found = formula(context, stage, index)
    if isinstance(entry, Normalizer):
        name = context.style.translate("Normalizers", entry.label)
        found[-1].heading = context.words(N_("Walk", "Normalize: {name}"), name=name)
    return found


def mix(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats in which the weights of the row come about, then the one in which they pour into the values."""
    return [*row_beats(context, index), PourBeat(context, stage, index)]


def row_beats(context: WalkContext, index: Index) -> list[Beat]:
    """Return the beats of a whole row of weights: its mask and its softmax; none where they are no softmax."""
    evaluation = context.evaluation
    at, name = (*index[:3], 0), evaluation.computed(evaluation.weights)
    before = context.map_before(name)
    if before is None or not evaluation.node(name).stage.elementary:
        return []
    found: list[Beat] = []
    if (closed := context.mask_before(name)) is not None:
        found.append(MaskBeat(context, closed, at, context.map_before(closed) or closed, row=True))
    return [*found, *softmax_beats(context, name, at, before, None)]


def joint(context: WalkContext, stage: str, index: Index) -> list[Beat]:
    """Return the beats of a head's result, then of its place beside those of the others."""
    cell = context.explain(stage, index).terms[0].cells[0]
    here = context.at_head(cell.index[1]) if len(cell.index) > 3 else context
    earlier = beats_of(here, cell.name, cell.index)
    said = OF_HEAD if context.head_name(stage, index) else COPIED
    return [*earlier, GivenBeat(context, stage, index, *said, cell)]


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "projection": products,
        "product": products,
        "linear": products,
        "addition": products,
        "score": products,
        "scale": scale,
        "cap": cap,
        "bias": products,
        "mask": mask,
        "weight": weight,
        "mix": mix,
        "joint": joint,
        "activation": activation,
    }
)
"""The look of each kind; of any other the formula."""
