"""Printed operands give the printed result: whoever types a formula into a calculator gets what stands behind it."""

from __future__ import annotations

import math
from operator import truediv

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem, explain
from attn_gui.engine.graph.printing import PrintedNumbers, printed_operands, read_number, short_number
from tests.printed import disagreement, is_checked


def equations(evaluation, stage, index):
    """The equations of a cell: one step back, and from the scores on."""
    found = explain(evaluation, stage, index)
    query = found.per_query
    both = () if query is None else (query.sides_latex, query.total_sides_latex)
    return [sides for sides in (found.sides_latex, *both) if sides]


def test_every_stage_of_every_kind_agrees_with_a_calculator(evaluations, rng):
    checked = []
    for name, evaluation in evaluations.items():
        for stage in evaluation.stages:
            for _ in range(4):
                index = [int(rng.integers(length)) for length in evaluation.shape(stage)]
                for sides in equations(evaluation, stage, index):
                    assert not disagreement(sides), (name, stage, index, sides)
                    checked.append(is_checked(sides))
    assert sum(checked) > 300


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.sampled_from([1e-4, 0.1, 1.0, 3.0, 40.0, 1e3]))
def test_small_problems_agree_with_a_calculator(seed, n, d, size):
    random = np.random.default_rng(seed)
    shapes = {"query": (n, d), "key": (n, d), "value": (n, d)}
    problem = Problem(**{name: random.normal(size=shape) * size for name, shape in shapes.items()})
    evaluation = DenseEvaluation(problem)
    for stage in evaluation.stages:
        for index in np.ndindex(*evaluation.shape(stage)):
            for sides in equations(evaluation, stage, index):
                assert not disagreement(sides), sides


def test_the_smallest_number_is_printed():
    assert read_number(short_number(5e-324)) == 5e-324


def test_digits_are_added_where_they_are_needed_alone():
    assert printed_operands([0.14023, 1.39488], truediv, 0.14023 / 1.39488) == ["0.1402", "1.395"]
    assert printed_operands([5.0, math.sqrt(2)], truediv, 5 / math.sqrt(2)) == ["5", "1.414"]
    assert printed_operands([2.0, math.sqrt(3)], truediv, 2 / math.sqrt(3), places=2) == ["2", "1.732"]


def test_a_number_has_the_same_digits_wherever_it_stands_and_those_of_a_kind_the_same_decimals():
    printed, scores = PrintedNumbers(), [1 / math.sqrt(3), 2 / math.sqrt(3)]
    powers = [math.exp(score) for score in scores]
    for score, power in zip(scores, powers, strict=True):
        printed.add(power, lambda numbers: math.exp(numbers[0]), [score])
    printed.add(sum(powers), math.fsum, powers)
    printed.add(powers[1] / sum(powers), lambda pair: pair[0] / pair[1], [powers[1], sum(powers)])
    printed.alike(scores, "scores")
    printed.settle()
    said = [printed.text(number) for number in (*scores, *powers, sum(powers), powers[1] / sum(powers))]
    assert said == ["0.5774", "1.1547", "1.781", "3.173", "4.954", "0.6405"]
    assert [short_number(size) for size in (3.77034e-4, 3.77034e-5, 2.0000000000004, 0.5)] == [
        "0.0003770",
        "3.770e-5",
        "2",
        "0.5",
    ]


def test_numbers_that_do_not_give_the_result_say_so():
    other = 1e5 / 3 / math.exp(0.1)  # e^0.1 of it is what the other key takes away
    almost = Problem(query=[[0.1]], key=[[1.0], [2.0]], value=[[1e5 / 3 + 1e-6], [-other]], scale=1.0)
    assert r"\approx" in explain(DenseEvaluation(almost), "head_output", (0, 0, 0, 0)).latex
