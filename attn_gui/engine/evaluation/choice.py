"""Choice of the evaluation: dense while every map can be kept, streaming for long sequences."""

from __future__ import annotations

from math import prod

from attn_gui.engine.problem.problem import Problem

from .dense import Evaluation
from .trace import Trace, problem_in

DENSE = 2_000_000  # cells of all heads' maps up to which every stage is kept


def is_long(problem: Problem) -> bool:
    """Whether the maps are too large to be kept."""
    return prod(problem.map_shape) > DENSE


def evaluation_of(problem: Problem) -> Evaluation:
    """The evaluation for a problem of this size.

    Raises FieldError (a ValueError) where none can hold it: a score that is no dot product at great length.
    """
    if not is_long(problem):
        return Evaluation(problem)
    from .streaming import StreamingEvaluation  # a small problem need not load it

    return StreamingEvaluation(problem)


def compute(problem: Problem) -> Trace:
    """Every stage of a problem, in the order scores → scale → softcap → bias → mask → softmax(· / temperature).

    Shapes have the batch axis first: `trace["weights"]` is (batch, head, query, key), `trace["output"]` (batch, query,
    column). Of a long problem rows are computed when they are read.
    Raises FieldError (a ValueError) where no evaluation can hold the problem, FieldTypeError for what is no problem.
    Source: Vaswani et al. (2017), in the order of ONNX's Attention operator; each step names its own.
    """
    return Trace(evaluation_of(problem_in(problem, "compute")))
