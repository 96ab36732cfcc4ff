"""The cells that solving may change: one array of a problem, written in place while an evaluation follows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph.powers import length
from attn_gui.engine.problem.errors import FieldError
from attn_gui.engine.problem.layers import Layer
from attn_gui.engine.problem.masks import Bias
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.scores import verdicts

LARGEST_BIAS = 1 << 24  # numbers of a bias layer that is made for one row


class Cells:
    """A copy of the array `field` of a problem; `problem()` is the problem with it."""

    def __init__(self, problem: Problem, field: str) -> None:
        self._problem, self.field = problem, field
        self.array = np.array(problem.arrays()[field])
        self._live = Problem.over(problem.fields() | self._changed())

    def _changed(self) -> dict[str, object]:
        position = Layer.position_of(self.field)
        if position is None:
            return {self.field: self.array}
        layers = list(self._problem.mask)
        layers[position] = Bias(enabled=True, values=self.array)
        return {"mask": tuple(layers)}

    def write(self, evaluation: Evaluation, box: Box, values: Array) -> None:
        """Put numbers into a box and let the evaluation follow."""
        with np.errstate(over="ignore"):
            self.array[box] = np.asarray(values).reshape(self.array[box].shape)
        evaluation.update(self._live, {self.field: [box]})

    def moved(self, box: Box, old: Array) -> float:
        """The norm of the change of a box."""
        change = np.asarray(self.array[box], float) - old
        return length(change[np.isfinite(change)])

    def problem(self) -> Problem:
        return self._problem.replace(**self._changed())


def with_own_bias(problem: Problem) -> tuple[Problem, str]:
    """The problem with a bias layer that has a number for every cell of the maps, and its field.

    A layer of zeros is added where every bias there is serves several rows. Raises ValueError if it would be too large.
    """
    sizes = problem.map_shape
    for position, layer in enumerate(problem.mask):
        if isinstance(layer, Bias) and layer.enabled and _own(layer.values.shape, sizes):
            return problem, layer.field(position)
    shared = next((k for k in range(2) if sizes[k] > 1), 2)
    if prod(sizes) > LARGEST_BIAS:
        raise FieldError(verdicts.BIAS_SIZE, count=prod(sizes), most=LARGEST_BIAS)
    layer = Bias(values=np.zeros(sizes[shared:], problem.dtype))
    return problem.replace(mask=(*problem.mask, layer)), layer.field(len(problem.mask))


def _own(shape: Sequence[int], sizes: Sequence[int]) -> bool:
    return tuple(sizes[: 4 - len(shape)]) == (1,) * (4 - len(shape)) and tuple(shape) == tuple(sizes[4 - len(shape) :])


def bias_box(shape: Sequence[int], place: tuple[slice, ...]) -> Box:
    """A box of the maps in the bias's own axes."""
    return tuple(place[4 - len(shape) :])
