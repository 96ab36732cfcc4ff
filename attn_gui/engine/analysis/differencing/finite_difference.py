"""The finite difference of a weighted sum of cells by one number of the problem."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.arrays import Array, Box
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.derived.derived_maps import reading
from attn_gui.engine.memory import check
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.shapes.drafts import fields_with

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
