"""Readings of a head against plain loops, on both evaluations, and the cells that they say they count."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Evaluation, FieldTypeError, PlaceError, Problem, compute
from attn_gui.engine.analysis import head_readings
from attn_gui.engine.analysis.head_readings import READINGS, rows_of
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from tests.failing import each

TOKENS = ("a", "b", "c", "a", "b", "d", "c", "a", "a", "b", "e")
N, H = len(TOKENS), 3


def problem_of(n: int = N, m: int = N, tokens: tuple[str, ...] | None = TOKENS, **more: Any) -> Problem:
    rng = np.random.default_rng(5)
    shapes = {"query": (2, n, H * 5), "key": (2, m, H * 5), "value": (2, m, H * 2)}
    fields: dict[str, Any] = {name: 2 * rng.normal(size=shape) for name, shape in shapes.items()}
    return Problem(**fields | {"num_heads": H, "query_tokens": tokens, "key_tokens": tokens} | more)


def weights_of(problem: Problem, batch: int, head: int) -> list[list[float]]:
    block = DenseEvaluation(problem).block("weights", batch, head, slice(0, problem.n), slice(0, problem.m))
    return [[float(weight) for weight in row] for row in block]


def share(weights: list[list[float]], counts: Callable[[int, int], bool]) -> float:
    cells = [(i, j, weight) for i, row in enumerate(weights) for j, weight in enumerate(row)]
    return sum(weight for i, j, weight in cells if counts(i, j)) / sum(weight for _, _, weight in cells)


LOOPS: dict[str, Callable[[list[list[float]]], float]] = {
    "entropy": lambda rows: sum(-sum(a * math.log(a) for a in row if a) for row in rows) / len(rows),
    "rank": lambda rows: float(np.linalg.norm(rows) ** 2 / np.linalg.norm(rows, 2) ** 2),
    "largest": lambda rows: max(map(max, rows)),
    "sink": lambda rows: share(rows, lambda i, j: j == 0),
    "previous_token": lambda rows: share(rows, lambda i, j: j == i - 1),
    "duplicate_token": lambda rows: share(rows, lambda i, j: j < i and TOKENS[j] == TOKENS[i]),
    # as TransformerLens builds it: the map of duplicates, moved right by one, its lower triangle
    "induction": lambda rows: share(rows, lambda i, j: 0 < j <= i and TOKENS[j - 1] == TOKENS[i]),
}


def measured(key: str, evaluation: Evaluation, batch: int = 1, head: int = 2) -> float:
    return READINGS[key].measure(evaluation.problem, partial(rows_of, evaluation, batch, head))


@each(("make", "mask"), [(DenseEvaluation, ()), (StreamingEvaluation, ({"kind": "causal"},))])
@each("key", READINGS)
def test_a_reading_is_that_of_plain_loops(key, make, mask, monkeypatch):
    monkeypatch.setattr(head_readings, "AT_ONCE", 3 * N)  # parts of three rows
    problem = problem_of(mask=mask)
    expected = LOOPS[key](weights_of(problem, 1, 2))
    assert measured(key, make(problem)) == pytest.approx(expected, rel=1e-9)


@each("key", [key for key in READINGS if key not in ("entropy", "rank")])
def test_the_counted_cells_hold_what_is_counted(key):
    problem = problem_of(mask=({"kind": "causal"},))
    evaluation = DenseEvaluation(problem)
    cells = READINGS[key].cells(problem, partial(rows_of, evaluation, 0, 1))
    weights = np.array(weights_of(problem, 0, 1))
    total = sum(weights[cut].sum() for cut in cells)
    if key != "largest":
        total /= weights.sum()
    assert total == pytest.approx(measured(key, evaluation, 0, 1), rel=1e-12)


def test_readings_of_tokens_need_one_sequence_with_tokens():
    of_tokens = {"previous_token", "duplicate_token", "induction"}
    assert {key for key, reading in READINGS.items() if reading.fits(problem_of())} == set(READINGS)
    without = problem_of(tokens=None)
    assert {key for key, reading in READINGS.items() if not reading.fits(without)} == of_tokens
    other = problem_of(m=N + 2, key_tokens=(*TOKENS, "x", "y"))
    assert {key for key, reading in READINGS.items() if not reading.fits(other)} == of_tokens


def test_rows_that_see_no_key_do_not_count():
    allowed = np.ones((N, N), bool)
    allowed[[2, 5]] = False
    problem = problem_of(mask=({"kind": "custom", "allowed": allowed},))
    rows = [row for row in weights_of(problem, 1, 2) if any(row)]
    assert measured("entropy", DenseEvaluation(problem)) == pytest.approx(LOOPS["entropy"](rows), rel=1e-12)
    assert measured("sink", DenseEvaluation(problem)) == pytest.approx(LOOPS["sink"](rows), rel=1e-12)
    shut = problem_of(mask=({"kind": "padding", "lengths": 0},))
    assert [measured(key, DenseEvaluation(shut)) for key in READINGS] == [0.0] * len(READINGS)


@each("key", READINGS)
def test_nan_is_said_and_not_hidden(key):
    query = np.array(problem_of().query)
    query[1, 4, 11] = np.nan
    assert math.isnan(measured(key, DenseEvaluation(problem_of(query=query))))


@each("key", READINGS)
def test_no_reading_is_larger_than_the_largest_that_it_names(key):
    for scores in (np.eye(N) * 900, np.zeros((N, N))):
        problem = Problem(query=scores, key=np.eye(N), value=np.eye(N), query_tokens=TOKENS, key_tokens=TOKENS)
        value, most = measured(key, DenseEvaluation(problem), 0, 0), READINGS[key].most(problem)
        assert -1e-12 <= value <= most * (1 + 1e-12)
        assert READINGS[key].written(value) != READINGS[key].written(math.nan) == "NaN"


def test_a_trace_has_them_by_name():
    problem = problem_of()
    trace = compute(problem)
    found = trace.readings()
    assert found.keys() == READINGS.keys()
    for key, values in found.items():
        assert values.shape == (2, H)
        for batch in range(2):
            for head in range(H):
                rows = partial(rows_of, trace.evaluation, batch, head)
                assert values[batch, head] == READINGS[key].measure(problem, rows)
        np.testing.assert_array_equal(trace.readings(head=1)[key], values[:, 1])
    assert "induction" not in compute(problem_of(tokens=None)).readings()
    with pytest.raises(PlaceError, match="There is no head 3; there are 3"):
        trace.readings(head=3)
    with pytest.raises(FieldTypeError, match="head"):
        trace.readings(head=1.0)
