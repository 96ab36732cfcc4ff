"""Derivatives of a weighted sum of cells: one by finite difference, all by the chain rule, read as an evaluation is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_gui.engine.analysis.sensitivity import all_gradients
from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.pooling import Picture
from attn_gui.engine.evaluation.proxies import EvaluationProxy, reading
from attn_gui.engine.graph import indices
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import fields_with

STEP = float(np.finfo(float).eps ** (1 / 3))
"""Of a number of magnitude 1: where the error of the difference and that of rounding are about equal."""


# --- finite difference ----------------------------------------------------------------------------
def finite_difference(
    problem: Problem, stage: str, box: Box, weights: Array, field: str, index: tuple[int, ...]
) -> float:
    """Return (f(x + h) − f(x − h)) / 2h of f = Σ weights · stage over a box, in float64, x one number of a field.

    h is ε^(1/3) · max(1, |x|); NaN where the problem cannot be computed on both sides. Rows that are not read are not
    computed. Source: Nocedal, Wright, *Numerical Optimization* (2006), §8.1.
    """
    here = _number(problem, field, index)
    ends = here + (step := STEP * max(1.0, abs(here))), here - step
    try:
        with np.errstate(all="ignore"):
            above, below = (_read(_with(problem, field, index, end), stage, box, weights) for end in ends)
            return float((above - below) / (ends[0] - ends[1]))
    except ValueError:
        return float("nan")


def _number(problem: Problem, field: str, index: tuple[int, ...]) -> float:
    arrays = problem.arrays()  # one number that cells were set to is an array without axes
    return float(arrays[field][index] if field in arrays else problem.scalars()[field])


def _with(problem: Problem, field: str, index: tuple[int, ...], value: float) -> Problem:
    """Return the problem in float64 with one number changed. Raises FieldError where that would take too much
    memory."""
    check(sum(array.size * (1 if array.dtype == np.bool_ else 8) for array in problem.arrays().values()))
    new: object = value
    if field in (arrays := problem.arrays()):
        new = array = np.array(arrays[field], dtype=np.float64)
        array[index] = value
    return problem.replace(dtype="float64", **fields_with(problem, {field: new}))


def _read(problem: Problem, stage: str, box: Box, weights: Array) -> float:
    found = reading(DenseEvaluation(problem, keep=0), stage).fetch(stage, box)
    return float(np.where(weights == 0, 0.0, weights * found).sum())


class Gradient(EvaluationProxy):
    """∂ Σ weights · stage by every cell of every stage and matrix, for the evaluation as it was at that time.

    Later stages have zeros, since the sum does not depend on them. Of each stage only the box that the sum reads is
    kept, of a map one row. Source: reverse accumulation, as in `sensitivity`.
    """

    kind = "gradient"

    def __init__(self, of: Evaluation, stage: str, box: Box, weights: Array) -> None:
        super().__init__(of)
        self._parts, self._by_field = all_gradients(of, stage, box, weights)

    def fetch(self, name: str, box: Box) -> Array:
        """Return the gradient by a box of a stage, float64; for the mask booleans, the open cells."""
        if name == self.mask:
            return self.of.fetch(name, box)
        found = np.zeros(indices.shape_of(box))
        if name in self._parts:
            held, cells = self._parts[name]
            common = indices.intersection(held, box)
            if common is not None:
                found[indices.within(common, box)] = cells[indices.within(common, held)]
        return found

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64 for every problem: a gradient may be far smaller than the numbers."""
        return np.dtype(np.float64)

    @property
    def by_fields(self) -> Mapping[str, Array]:
        """{field: gradient} by every array and number of the problem."""
        return self._by_field

    def field(self, field: str) -> Array:
        """Return the gradient by a whole array of the problem, in its shape; NaN for booleans, which have none."""
        found = self._by_field.get(field)
        return np.broadcast_to(np.nan, self.problem.arrays()[field].shape) if found is None else found

    def _pooled(self, stage: str, batch: int, head: int | None, down: Array, across: Array) -> Picture:
        """Pool a map without a mask by reading the blocks of the held rows alone: all others are 0."""
        if stage not in self._parts or (self.closes and self.node(stage).stage.behind_mask):
            return super()._pooled(stage, batch, head, down, across)
        rows = self._parts[stage][0][-2]
        first = int(np.searchsorted(down, rows.start, "right")) - 1
        last = int(np.searchsorted(down, rows.stop, "left"))
        first, last = max(first, 0), min(last, len(down) - 1)
        values = np.zeros((len(down) - 1, len(across) - 1))
        if first < last:
            values[first:last] = super()._pooled(stage, batch, head, down[first : last + 1], across)[0]
        return values, None

    def lacking(self, stage: str, batch: int, head: int | None, rows: slice, columns: int) -> int:
        """Return 0: everything is computed when the gradient is taken."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Return True: any row can be read at once."""
        return True
