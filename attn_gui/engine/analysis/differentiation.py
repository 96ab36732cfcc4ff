"""Derivatives of a weighted sum of cells: one by finite difference, all by the chain rule, read as an evaluation is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attn_gui.engine.analysis.sensitivity import all_gradients
from attn_gui.engine.arrays import Array, Box, item_of
from attn_gui.engine.checks import as_box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.pooling import Picture, Pooling
from attn_gui.engine.evaluation.proxies import Face, reading
from attn_gui.engine.evaluation.strips import PooledByStrips
from attn_gui.engine.graph import indices
from attn_gui.engine.memory import check
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import fields_with

# --- finite difference ----------------------------------------------------------------------------
# The finite difference of a weighted sum of cells by one number of the problem.


STEP = float(np.finfo(float).eps ** (1 / 3))
"""Of a number of magnitude 1: where the error of the difference and that of rounding are about equal."""


def finite_difference(
    problem: Problem, stage: str, box: Box, weights: Array, field: str, index: tuple[int, ...]
) -> float:
    """(f(x + h) − f(x − h)) / 2h of f = Σ weights · stage over a box, in float64, x one number of a field.

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
    """The problem in float64 with another number in one place. Raises FieldError where that would take too much."""
    check(sum(array.size * (1 if array.dtype == np.bool_ else 8) for array in problem.arrays().values()))
    new: object = value
    if field in (arrays := problem.arrays()):
        new = array = np.array(arrays[field], dtype=np.float64)
        array[index] = value
    return problem.replace(dtype="float64", **fields_with(problem, {field: new}))


def _read(problem: Problem, stage: str, box: Box, weights: Array) -> float:
    found = reading(Evaluation(problem, keep=0), stage).fetch(stage, box)
    return float(np.where(weights == 0, 0.0, weights * found).sum())


# --- gradient evaluation --------------------------------------------------------------------------


class Gradient(Face):
    """∂ Σ weights · stage by every cell of every stage and matrix of an evaluation, as that was when it was taken.

    A later stage has zeros: the sum does not read it. Of each stage only the box that the sum reads is kept, which of a
    map is a row. Source: reverse accumulation, as in `sensitivity`.
    """

    kind = "gradient"

    def __init__(self, of: Evaluation, stage: str, box: Box, weights: Array) -> None:
        super().__init__(of)
        self._parts, self._by_field = all_gradients(of, stage, box, weights)

    def fetch(self, name: str, box: Box) -> Array:
        """The gradient by a box of a stage, float64; of the mask, which cells are open."""
        if name == self.mask:
            return self.of.fetch(name, box)
        found = np.zeros(indices.shape_of(box))
        if name in self._parts:
            held, cells = self._parts[name]
            common = indices.meet(held, box)
            if common is not None:
                found[indices.within(common, box)] = cells[indices.within(common, held)]
        return found

    def box(self, stage: str, box: Box) -> Array:
        """The gradient by a box of a stage, read-only, float64 for every problem."""
        found = self.fetch(stage, as_box(stage, self.shape(stage), box))
        found.flags.writeable = False
        return found

    def field_block(self, field: str, batch: int, rows: slice, columns: slice) -> Array:
        """The gradient by a block of a matrix of the problem; NaN for switches, which have none."""
        array = self.by_field(field)
        return np.asarray(item_of(array, batch)[rows, columns])

    @property
    def by_fields(self) -> Mapping[str, Array]:
        """{field: gradient} by every array and number of the problem."""
        return self._by_field

    def by_field(self, field: str) -> Array:
        """The gradient by a whole array of the problem, in its own shape; NaN for switches, which have none."""
        found = self._by_field.get(field)
        return np.broadcast_to(np.nan, self.problem.arrays()[field].shape) if found is None else found


class PooledGradient(PooledByStrips, Gradient):
    """Gradient of a long problem: a block's largest gradient is found from its cells."""

    def _pooled(self, stage: str, batch: int, head: int | None, down: Array, across: Array) -> Picture:
        """Of a map without a mask the blocks of the held rows alone are read: all others are 0."""
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
        """Nothing has to be computed."""
        return 0

    def ready(self, stage: str, batch: int, head: int | None, rows: slice) -> bool:
        """Whether rows can be read at once: always."""
        return True

    def entropies(self, batch: int, head: int, rows: slice) -> Array:
        """The entropies of the weights themselves."""
        assert isinstance(self.of, Pooling)
        return self.of.entropies(batch, head, rows)


def gradient_of(of: Evaluation, stage: str, box: Box, weights: Array) -> Gradient:
    """The gradient of Σ weights · stage over a box, which pools its pictures where the evaluation does."""
    return (PooledGradient if isinstance(of, Pooling) else Gradient)(of, stage, box, weights)
