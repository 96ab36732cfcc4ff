"""Exact gradients of any cell, or of any weighted sum of cells of a stage, by every stage's own `pull_back`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from . import indices, sentences
from .evaluation import Evaluation
from .explanation import checked_index
from .indices import Box
from .layout import Array
from .sentences import FieldError, ShapeError
from .trace import Trace, evaluation_in


def sensitivity(
    source: Trace | Evaluation, stage: str, index: Sequence[int] | None = None, *, cotangent: Array | None = None
) -> dict[str, Array]:
    """{field: gradient} of one cell, or of Σ cotangent · stage, with respect to every number of the problem.

    Each gradient is float64 and has the field's own shape, numbers give 0-d arrays; zeros where nothing depends on
    the field. Tables of booleans have no gradient. `cotangent` has the stage's shape, batch included. A cell reads one
    row of the maps, so that a long problem's gradients need no map; those of a float32 one start from rounded Q, K, V.
    Raises StageError, PlaceError, ShapeError or ValueError.
    Source: reverse accumulation, Griewank, Walther, "Evaluating Derivatives" (2008), §3.2.
    """
    evaluation = evaluation_in(source, "sensitivity")
    if (index is None) == (cotangent is None):
        raise FieldError(sentences.ONE_OF, got="both" if index is not None else "neither")
    node = evaluation.node(stage)
    if index is not None:
        start: tuple[Box, Array] = indices.cell(checked_index(node, index)), np.ones((1,) * len(node.shape))
    else:
        weights = np.asarray(cotangent, np.float64)
        if weights.shape != node.shape:
            raise ShapeError(
                sentences.COTANGENT, matrices=("cotangent", stage), axes=(), expected=node.shape, got=weights.shape,
                stage=stage,
            )  # fmt: skip
        start = indices.whole(node.shape), weights
    with np.errstate(all="ignore"):
        return _by_field(evaluation, _pulled_back(evaluation, {stage: [start]}))


def strongest(gradients: Mapping[str, Array], count: int) -> list[tuple[str, tuple[int, ...], float]]:
    """The `count` largest gradients as (field, index, gradient), largest first; zeros are left out, NaN comes first."""
    found = []
    for field, gradient in gradients.items():
        size = np.nan_to_num(np.abs(gradient.ravel()), nan=np.inf, posinf=np.inf)
        kept = np.argpartition(-size, count - 1)[:count] if size.size > count else np.arange(size.size)
        for place in kept[size[kept] > 0]:
            index = tuple(int(k) for k in np.unravel_index(place, gradient.shape))
            found.append((float(size[place]), field, index, float(gradient.ravel()[place])))
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    return [(field, index, value) for _, field, index, value in found[:count]]


def _pulled_back(
    evaluation: Evaluation, pending: dict[str, list[tuple[Box, Array]]]
) -> Mapping[str, list[tuple[Box, Array]]]:
    """Gradients handed back from stage to stage; only the parts that the start can see are ever computed."""
    for node in reversed(evaluation.nodes):
        for box, grad in _gathered(pending.pop(node.name, [])):
            for name, part, piece in node.pull_back(box, grad, evaluation.fetch):
                pending.setdefault(name, []).append((part, piece))
    return pending


def _gathered(pieces: list[tuple[Box, Array]]) -> list[tuple[Box, Array]]:
    """Several pieces as one, so that a stage read twice is pulled back once."""
    if len(pieces) < 2:
        return pieces
    outer = indices.around([box for box, _ in pieces])
    total = np.zeros(indices.shape_of(outer))
    for box, piece in pieces:
        total[indices.within(box, outer)] += piece
    return [(outer, total)]


def _by_field(evaluation: Evaluation, pending: Mapping[str, list[tuple[Box, Array]]]) -> dict[str, Array]:
    problem = evaluation.problem
    found = {name: np.zeros(a.shape) for name, a in problem.arrays().items() if a.dtype != np.bool_}
    found |= {name: np.zeros(()) for name in problem.scalars()}
    for name, pieces in pending.items():
        field = evaluation.sources[name].field
        if field in found:
            for box, piece in pieces:
                found[field][box] += piece
    return found
