"""Matrices that a computation on paper begins with, and its numbers that are not the usual ones. Imports engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, item_of
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import is_counted
from attn_gui.engine.masks import Layer
from attn_gui.engine.problem import Problem


class Given(NamedTuple):
    """A matrix by its field; `head` where every head has its own, else None."""

    name: str
    head: int | None
    values: Array


def given_matrices(evaluation: Evaluation, item: int) -> Iterator[Given]:
    """The matrices of one item: those of the problem, its score and its block, then what its mask adds to scores."""
    for name, array in evaluation.problem.arrays().items():
        if name == GIVEN:
            yield from _by_head(name, array, item)
        elif not is_counted(name):
            yield Given(name, None, np.atleast_2d(item_of(array, item)))
    for node in evaluation.nodes:
        for ref, field in zip(node.inputs, node.fields, strict=True):
            if Layer.position_of(field) is not None and not node.stage.boolean:
                shape = evaluation.sources[ref.name].shape
                yield from _by_head(field, evaluation.fetch(ref.name, indices.whole(shape)), item)


def _by_head(name: str, values: Array, item: int) -> Iterator[Given]:
    """The numbers that a layer adds; its axes are batch, head, query and key, the first ones often missing."""
    heads = values[min(item, len(values) - 1)] if values.ndim == 4 else values
    for head, matrix in enumerate(heads.reshape(-1, *heads.shape[-2:])):
        yield Given(name, head if heads.ndim > 2 and len(heads) > 1 else None, matrix)


def given_numbers(problem: Problem) -> dict[str, float]:
    """The numbers by their fields: of the score, a scale other than 1/√d_k, softcap, temperature and the like."""
    found = {name: value for name, value in problem.scalars().items() if not is_counted(name)}
    if problem.scale is None:
        found.pop("scale", None)
    return found
