"""Requests of maps of long sequences: missing parts, any window, the entropy of rows, rest after edits."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Plane, Problem
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

from .working import Working

N, M, HEADS, WIDTH = 311, 283, 4, 5
MASKS = {"open": (), "causal": ({"kind": "causal"},), "alibi": ({"kind": "alibi"}, {"kind": "causal"})}


def a_problem(rng, **more):
    arrays = {name: rng.normal(size=(rows, HEADS * WIDTH)) for name, rows in (("query", N), ("key", M), ("value", M))}
    return Problem(**arrays, num_heads=HEADS, **more)


STAGES = ("scores", "scaled", "masked", "weights")


@pytest.mark.parametrize(
    ("mask", "stage"), [(mask, stage) for mask in MASKS for stage in STAGES if MASKS[mask] or stage != "masked"]
)
def test_any_window_is_the_part_of_the_whole(rng, mask, stage):
    evaluation = StreamingEvaluation(a_problem(rng, mask=MASKS[mask]))
    down, across = np.array([17, 18, 40, 41, 129]), np.array([3, 90, 91, 200])
    values, allowed = evaluation.pooled_at(stage, 0, 2, down, across)
    block, opened = Plane(evaluation, stage, 0, 2).block(slice(17, 129), slice(3, 200))
    for i, top in enumerate(down[:-1]):
        for j, left in enumerate(across[:-1]):
            cells = (slice(top - 17, down[i + 1] - 17), slice(left - 3, across[j + 1] - 3))
            seen = block[cells] if opened is None else block[cells][opened[cells]]
            assert allowed is None or allowed[i, j] == bool(seen.size)
            if seen.size:
                assert values[i, j] == pytest.approx(seen.flat[np.argmax(np.abs(seen))], abs=1e-12)


def test_windows_leave_very_large_scores_to_exact_blocks(rng):
    problem = a_problem(rng)
    large = Problem(**{**problem.fields(), "query": problem.query * 1e5})
    assert StreamingEvaluation(large).pooled_at("weights", 0, 0, np.array([0, 9]), np.array([0, 9])) is None
    assert StreamingEvaluation(problem).pooled_at("query", 0, 0, np.array([0, 9]), np.array([0, 5])) is None


def test_what_is_missing_is_told_and_shrinks(rng):
    working = Working(a_problem(rng), None, None)
    evaluation, rows = working.evaluation, slice(0, N)
    assert evaluation.lacking("query", 0, 0, rows, 5) == 0
    assert evaluation.lacking("head_output", 0, 1, rows, 5) == N * M
    assert evaluation.lacking("weights", 0, 1, rows, 20) == 2 * N * M
    assert evaluation.lacking("output", 0, None, rows, 5) == HEADS * N * M
    assert not evaluation.ready("weights", 0, 1, rows)
    evaluation.pooled("weights", 0, 1, 20, 20)
    assert evaluation.lacking("weights", 0, 1, rows, 20) == 0
    assert evaluation.ready("weights", 0, 1, rows)
    working.write("query", indices.cell((7, WIDTH)), 2.0)
    assert evaluation.lacking("weights", 0, 1, rows, 20) == M  # one row of scores for the picture
    working.write("query", (slice(0, N), slice(WIDTH, 2 * WIDTH)), 1.0)
    assert evaluation.lacking("weights", 0, 1, rows, 20) >= 2 * N * M


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("more", [{}, {"temperature": 0.6}, {"softcap": 2.0}, {"dtype": "float32"}], ids=str)
def test_entropies_are_those_of_the_rows(rng, mask, more):
    evaluation = StreamingEvaluation(a_problem(rng, mask=MASKS[mask], **more))
    found = evaluation.entropies(0, 3, slice(20, 300))
    weights = evaluation.block("weights", 0, 3, slice(20, 300), slice(0, M))
    assert found == pytest.approx(row_entropy(weights), abs=1e-4 if more.get("dtype") else 1e-9)


def test_entropies_beside_large_scores_keep_their_digits_in_float32(rng):
    """They are the rest of log Z and of the mean score, which are hundreds."""
    problem = a_problem(rng, dtype="float32", temperature=0.005, mask=MASKS["causal"])
    found = StreamingEvaluation(problem).entropies(0, 3, slice(0, N))
    doubled = {name: array.astype(float) for name, array in problem.arrays().items()}
    exact = DenseEvaluation(problem.replace(dtype="float64", **doubled)).block(
        "weights", 0, 3, slice(0, N), slice(0, M)
    )
    assert found == pytest.approx(row_entropy(exact), abs=1e-3)


def test_entropies_of_rows_that_see_nothing_or_no_number(rng):
    problem = a_problem(rng, mask=({"kind": "causal"}, {"kind": "padding", "lengths": np.array([100])}))
    fields = problem.fields() | {"query": np.array(problem.query)}
    fields["query"][30, 0] = np.nan
    fields["query"][40, :WIDTH] *= 1e6
    evaluation = StreamingEvaluation(Problem(**fields))
    found = evaluation.entropies(0, 0, slice(0, N))
    weights = evaluation.block("weights", 0, 0, slice(0, N), slice(0, M))
    blind = ~(weights != 0).any(axis=-1)
    assert np.isnan(found[30])
    assert (found[blind] == -1).all()
    other = ~blind & (np.arange(N) != 30)
    assert found[other] == pytest.approx(row_entropy(weights)[other], abs=1e-9)


def test_the_blocks_of_several_maps_are_kept_and_old_ones_make_room(rng):
    working = Working(a_problem(rng), None, None)
    pictures = working.evaluation._pictures
    one = 2 * N * 20 * 8
    pictures._room = 2 * one
    for head in (0, 1, 2, 3):
        working.evaluation.pooled("scores", 0, head, 20, 20)
    kept = [head for head in range(HEADS) if working.evaluation.lacking("scores", 0, head, slice(0, N), 20) == 0]
    assert kept == [1, 2, 3]
    working.evaluation.pooled("scores", 0, 1, 20, 20)
    working.evaluation.pooled("scores", 0, 0, 20, 20)
    kept = [head for head in range(HEADS) if working.evaluation.lacking("scores", 0, head, slice(0, N), 20) == 0]
    assert kept == [0, 1, 3]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mask", MASKS)
def test_pictures_at_rest_are_those_of_a_fresh_evaluation_bit_for_bit(rng, dtype, mask):
    working = Working(a_problem(rng, dtype=dtype, mask=MASKS[mask]), None, None)
    stages = [stage for stage in ("scores", "masked", "weights") if stage in working.evaluation.stages]
    for stage in stages:
        working.evaluation.pooled(stage, 0, 1, 20, 20)
    for field, rows in (("query", N), ("key", M), ("value", M)):
        for _ in range(6):
            cell = indices.cell((int(rng.integers(rows)), WIDTH + int(rng.integers(WIDTH))))
            working.write(field, cell, rng.normal())
            for stage in stages:
                working.evaluation.pooled(stage, 0, 1, 20, 20)
    assert not working.evaluation.settled
    assert working.evaluation.settle()
    assert working.evaluation.settled
    fresh = working.fresh()
    for stage in stages:
        expected, _ = fresh.pooled(stage, 0, 1, 20, 20)
        assert np.array_equal(working.evaluation.pooled(stage, 0, 1, 20, 20)[0], expected), stage
    box = indices.whole(fresh.shape("output"))
    assert np.array_equal(working.evaluation.fetch("output", box), fresh.fetch("output", box))


def test_pointing_at_a_cell_of_a_long_row_computes_that_row_alone(rng):
    shapes = {"query": (200, 8), "key": (16_400, 8), "value": (16_400, 8)}
    problem = Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()}, num_heads=2)
    evaluation = StreamingEvaluation(problem)
    found = evaluation.block("weights", 0, 1, slice(70, 71), slice(5, 6))
    assert np.flatnonzero(evaluation.known(0, 1)).tolist() == [70]
    evaluation.complete([(0, 1)])
    assert evaluation.known(0, 1).all()
    assert evaluation.settled  # the whole tile was computed anew with the others
    assert evaluation.block("weights", 0, 1, slice(70, 71), slice(5, 6)) == pytest.approx(found, rel=1e-12)
