"""Least squares with a numerical rank: the linear systems behind solving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.powers import length

EPS = float(np.finfo(float).eps)
SURELY_OUTSIDE = 1e-3  # of the right-hand side: so much is no rounding, whatever the condition number


@dataclass(frozen=True)
class Solved:
    """The shortest `x` among those with the smallest ‖A x − b‖; `met` if that is 0 but for rounding."""

    x: Array
    rank: int
    condition: float
    met: bool


def shortest(matrix: Array, right: Array, demands: int, size: float) -> Solved:
    """Least squares by singular values (Golub, Van Loan, "Matrix Computations", 2013, §5.5).

    `matrix` (equations, unknowns), of which `demands` can be independent; `size` is the norm of the numbers that its
    entries are differences of. b lies in the range of A if adding it as a column does not raise the rank.
    """
    left, values, across = np.linalg.svd(matrix, full_matrices=False)
    size = max(size, float(values[0]))
    rank = int((values > max(matrix.shape) * EPS * size).sum())
    along = left[:, :rank].T @ right
    outside = length(right - left[:, :rank] @ along)
    slack = 8 * max(matrix.shape) * EPS * size / float(values[rank - 1]) if rank else 0.0
    met = rank == demands or outside <= min(SURELY_OUTSIDE, slack) * length(right)
    condition = float(values[0] / values[rank - 1]) if rank else 1.0
    return Solved(across[:rank].T @ (along / values[:rank]), rank, condition, met)


def centered(matrix: Array) -> Array:
    """Rows less their mean: what is left of equations to which a common number may be added, none of none."""
    return np.asarray(matrix - matrix.mean(axis=0)) if len(matrix) else matrix
