"""From which size on a problem is long, so that no map of it is kept."""

from __future__ import annotations

from math import prod

from attn_gui.engine import errors
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.dense import DenseEvaluation, GivenEvaluation
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.fields import DIRECT
from attn_gui.engine.problem import Problem

DENSE = 2_000_000  # cells of all heads' maps, or of a table with a row for each token, up to which all stages are kept
HEAD = 1 << 19  # and of such a table of one head: an edit of one key makes all of its output anew
PROJECTION = 1 << 24  # and of a matrix that projects, as large as those of the layers that people open


def is_long(problem: Problem) -> bool:
    """Return whether the maps, or the tables beside them, are too large to be kept and to be read within a frame."""
    rows, arrays = problem.batch_size * max(problem.n, problem.m), problem.arrays()
    tables = [arrays[name].size for name in (*DIRECT, "x", "context") if name in arrays]
    if max(prod(problem.map_shape), rows * problem.d_ff, *tables) > DENSE:
        return True
    return rows * max(problem.d_k, problem.d_v) > HEAD or any(array.size > PROJECTION for array in arrays.values())


def evaluation_of(problem: Problem) -> Evaluation:
    """Return the evaluation for a problem of this size.

    Raises FieldError (a ValueError) where none can hold it: a score that is no dot product at great length, or too
    little memory.
    """
    try:
        if not is_long(problem):
            return DenseEvaluation(problem)
        if not problem.compares:
            return GivenEvaluation(problem)
        from .streaming import StreamingEvaluation  # a small problem need not load it

        return StreamingEvaluation(problem)
    except MemoryError as error:
        raise FieldError(errors.NO_MEMORY_TO_COMPUTE) from error
