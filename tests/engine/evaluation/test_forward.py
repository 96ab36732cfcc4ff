"""The forward direction against poison: a NaN in a cell spreads to exactly the cells that read it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, PlaceError, Problem, compute, layer_from_mapping, new_problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices


def poisoned(problem: Problem, name: str, index: tuple[int, ...], value: float = np.nan) -> Problem:
    head, *tail = name.split(".")
    array = np.array(problem.arrays()[name])
    array[index] = value
    if head == "mask":
        layers = list(problem.mask)
        layers[int(tail[0])] = layer_from_mapping(layers[int(tail[0])].to_mapping() | {tail[1]: array})
        return problem.replace(mask=tuple(layers))
    return problem.replace(**{head: {**getattr(problem, head), tail[0]: array} if tail else array})


def everything(forward, evaluation, stage):
    """All reached cells of a stage as one array of booleans."""
    shape = evaluation.shape(stage)
    found = np.zeros(shape, bool)
    for place in np.ndindex(shape[:-2]):
        head = place[1] if len(place) == 2 else None
        found[place] = forward.cells(stage, place[0], head, slice(None), slice(None))
    return found


@pytest.mark.family(6)
@pytest.mark.parametrize("streaming", [False, True], ids=["dense", "streaming"])
def test_poison_reaches_exactly_what_is_told(makers, problem_name, streaming, rng):
    problem = makers[problem_name]()
    evaluation = StreamingEvaluation(problem, tile=3, chunk=5) if streaming else DenseEvaluation(problem)
    for name, array in problem.arrays().items():
        if array.dtype == bool:
            continue
        index = tuple(int(rng.integers(length)) for length in array.shape)
        forward, trace = evaluation.forward({name: [indices.cell(index)]}), compute(poisoned(problem, name, index))
        for stage in evaluation.stages:
            told, seen = everything(forward, evaluation, stage), np.isnan(trace[stage])
            np.testing.assert_array_equal(told, seen, err_msg=f"{name}{index} → {stage}")
            assert seen.any() == (stage in forward.stages and told.any())
            inside = np.zeros(told.shape, bool)
            for box in forward.boxes(stage):
                inside[box] = True
            assert (inside | ~told).all()


def test_a_cell_of_a_mask_reaches_its_map_cell_and_the_open_ones_of_its_row(rng):
    allowed = rng.random((7, 11)) > 0.4
    allowed[2, 5] = False
    layer = {"kind": "custom", "allowed": allowed}
    problem = new_problem("direct", n=7, m=11, num_heads=2, d_k=3).replace(mask=(layer,))
    evaluation = DenseEvaluation(problem)
    forward = evaluation.forward({"mask.0.allowed": [indices.cell((2, 5))]})
    opened = allowed.copy()
    opened[2, 5] = True
    rows = np.arange(7)[:, None] == 2
    for head in range(2):
        masked = forward.cells("masked", 0, head, slice(None), slice(None))
        assert np.argwhere(masked).tolist() == [[2, 5]]
        weights = forward.cells("weights", 0, head, slice(None), slice(None))
        np.testing.assert_array_equal(weights, opened & rows)
    assert "scores" not in forward.stages
    moved = compute(poisoned(problem, "mask.0.allowed", (2, 5), 1))["weights"] != compute(problem)["weights"]
    np.testing.assert_array_equal(moved[0, 1], opened & rows)


def test_what_is_asked_at_4096_tokens_costs_its_part_only():
    """A row of X in self-attention and a cell of W_K, which reaches everything: a screen of cells is told at once."""
    problem = new_problem("self", n=4096, num_heads=8, d_k=4, d_v=4).replace(mask=({"kind": "causal"},))
    evaluation = StreamingEvaluation(problem)
    rows, keys = slice(3000, 3100), slice(2950, 3150)
    i, j = np.ogrid[rows, keys]
    tracemalloc.start()
    row = evaluation.forward({"x": [(slice(3050, 3051), slice(0, 32))]})
    cells = row.cells("masked", 0, 5, rows, keys)
    np.testing.assert_array_equal(cells, ((i == 3050) | (j == 3050)) & (j <= i))
    np.testing.assert_array_equal(row.cells("weights", 0, 5, rows, keys), (i >= 3050) & (j <= i))
    np.testing.assert_array_equal(row.cells("output", 0, None, slice(None), slice(0, 1))[:, 0], np.arange(4096) >= 3050)
    weight = evaluation.forward({"w_key": [indices.cell((3, 9))]})
    np.testing.assert_array_equal(weight.cells("weights", 0, 2, rows, keys), j <= i)
    assert not weight.cells("weights", 0, 3, rows, keys).any()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4096**2 / 8  # a byte for each cell of one head is eight times that


def test_a_box_outside_is_refused(makers):
    evaluation = DenseEvaluation(makers["plain"]())
    with pytest.raises(PlaceError):
        evaluation.forward({"query": [indices.cell((0, 99, 0))]})
    with pytest.raises(KeyError):
        evaluation.forward({"query": [indices.cell((0, 0, 0))]}).cells("masked", 0, 0, slice(None), slice(None))
