"""Every step computed in float32, bfloat16 or float16, each result rounded to the type."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from math import prod
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Box, check
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.trace import Trace, problem_in
from attn_gui.engine.graph.intervention_nodes import nodes_of
from attn_gui.engine.graph.nodes import Node
from attn_gui.engine.graph.sources import sources_of
from attn_gui.engine.problem import Problem
from attn_gui.engine.shape_errors import fields_with


# --- types ----------------------------------------------------------------------------------------
class FloatType(NamedTuple):
    """A binary floating-point type: its significant bits, the first one counted, and its range of exponents.

    Its normal numbers are ±f · 2^e with 1 ≤ f < 2 and `lowest` ≤ e ≤ `highest`.
    """

    name: str
    bits: int
    lowest: int
    highest: int

    @property
    def largest(self) -> float:
        """The largest finite number: 65,504 of float16."""
        return (2.0 - 2.0 ** (1 - self.bits)) * 2.0**self.highest

    def rounded(self, numbers: Array) -> Array:
        """Return float64 numbers rounded to the nearest number of the type, ties to even; ±∞ beyond the largest.

        NumPy has no bfloat16, so one rule serves all types; subnormal numbers are kept, as IEEE 754 has it.
        """
        with np.errstate(all="ignore"):
            exponents = np.maximum(np.frexp(numbers)[1], self.lowest + 1)  # frexp has 0.5 ≤ f < 1: one more than ours
            unit = np.ldexp(1.0, exponents - self.bits)
            found = np.rint(numbers / unit) * unit
            return np.asarray(np.where(np.abs(found) > self.largest, np.copysign(np.inf, found), found))


REFERENCE = FloatType("float64", 53, -1022, 1023)
"""The type that the others are compared with: the engine computes in it."""
NARROWER = (
    FloatType("float32", 24, -126, 127),
    FloatType("bfloat16", 8, -126, 127),
    FloatType("float16", 11, -14, 15),
)


# --- evaluation -----------------------------------------------------------------------------------
class RoundedEvaluation(DenseEvaluation):
    """Computes a problem as one that holds every number in a type: inputs and the result of each step are rounded.

    Within a step sums are made in float64 and rounded once, as processors do that add up products of a narrow type in
    a wider one. Single numbers, such as the scale, are not rounded. All numbers are held as float64.
    """

    def __init__(self, problem: Problem, float_type: FloatType) -> None:
        self.float_type = float_type
        numbers = {name: array for name, array in problem.arrays().items() if array.dtype != bool}
        rounded = {name: float_type.rounded(array.astype(np.float64)) for name, array in numbers.items()}
        super().__init__(problem.replace(dtype="float64", **fields_with(problem, rounded)), keep=sys.maxsize)

    def _compute(self, node: Node, box: Box) -> int:
        count = super()._compute(node, box)
        if not node.stage.boolean:
            self._arrays[node.name][box] = self.float_type.rounded(self._arrays[node.name][box])
        return count


def rounded_evaluations(problem: Problem) -> Iterator[RoundedEvaluation]:
    """Yield the evaluation in each type, float64 first, computed when it is asked for.

    Raises FieldError before the first one where all stages of all of them are more than a share of the free memory.
    """
    types, nodes = (REFERENCE, *NARROWER), nodes_of(problem, sources_of(problem))
    held = sum(prod(node.shape) * (1 if node.stage.boolean else 8) for node in nodes if not node.stage.alias)
    check(len(types) * held)
    for each in types:
        yield RoundedEvaluation(problem, each)


def compare_precisions(problem: Problem) -> Mapping[str, Trace]:
    """Return {"float64", "float32", "bfloat16", "float16": trace}, the steps of a problem computed in each type.

    Every trace holds float64 numbers, each of them one of its type. Raises FieldError (a ValueError) where all stages
    of four traces are more than a share of the free memory, FieldTypeError for what is no problem.
    """
    computed = rounded_evaluations(problem_in(problem, "compare_precisions"))
    return MappingProxyType({each.float_type.name: Trace(each) for each in computed})
