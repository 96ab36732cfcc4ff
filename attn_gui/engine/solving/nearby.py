"""Targets of output cells: steps along the gradient, each as long as a straight line would ask (Gauss–Newton)."""

from __future__ import annotations

import numpy as np

from attn_gui.engine.evaluation import Evaluation
from attn_gui.engine.indices import Box, cell
from attn_gui.engine.sensitivity import sensitivity

from .cells import Cells

MOST_STEPS = 200
HALVINGS = 40
CLOSE = {"float64": 1e-9, "float32": 1e-5}  # a residual over max(1, |target|) that counts as reached


def approach(
    evaluation: Evaluation, cells: Cells, box: Box, stage: str, index: tuple[int, ...], target: float
) -> tuple[int, float]:
    """Change the cells of a box until one cell of a stage is as near the target as steps bring it.

    (steps, residual); Gauss–Newton of one equation with damped steps (Nocedal, Wright, "Numerical Optimization",
    2006, §10.3). A step is never longer than the row itself, or 1.
    """
    enough = 16 * float(np.finfo(evaluation.problem.dtype).eps) * max(1.0, abs(target))
    left = target - _value(evaluation, stage, index)
    for count in range(MOST_STEPS):
        slope = sensitivity(evaluation, stage, index)[cells.field][box]
        steepness = float((slope**2).sum())
        if abs(left) <= enough or not np.isfinite(left) or not 0 < steepness < np.inf:
            return count, abs(left)
        start = np.array(cells.array[box], float)
        step = slope * (left / steepness)
        length = float(np.linalg.norm(step))
        step *= min(1.0, max(1.0, float(np.linalg.norm(start[np.isfinite(start)]))) / length)
        for _ in range(HALVINGS):
            cells.write(evaluation, box, start + step)
            now = target - _value(evaluation, stage, index)
            if abs(now) < abs(left):
                break
            step /= 2
        else:
            cells.write(evaluation, box, start)
            return count, abs(left)
        left = now
    return MOST_STEPS, abs(left)


def _value(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> float:
    with np.errstate(all="ignore"):
        return float(evaluation.fetch(stage, cell(index)).item())
