"""Problems of few tokens and wide heads: which evaluation they get, and which of their edits wait for a pass."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, memory
from attn_gui.engine.evaluation import streaming, streaming_edits, streaming_rows
from attn_gui.engine.evaluation.choice import is_long
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

from .working import Working, apart, rounding

N, M, WIDE = 9, 7, 640


def a_problem(rng, *, d_k=2, d_v=3, n=N, m=M):
    return Problem(query=rng.normal(size=(n, d_k)), key=rng.normal(size=(m, d_k)), value=rng.normal(size=(m, d_v)))


@pytest.mark.parametrize("wide", ["d_k", "d_v"])
def test_width_chooses_the_evaluation_as_length_does(rng, wide):
    assert not is_long(a_problem(rng, **{wide: 30_000}, n=16, m=16))
    assert is_long(a_problem(rng, **{wide: 40_000}, n=16, m=16))
    assert is_long(a_problem(rng, **{wide: 40_000}, n=16, m=3))


def test_wide_projections_and_layers_count_too(rng):
    x, weights = rng.normal(size=(4, 2)), rng.normal(size=(2, 1_100_000))
    wide = Problem(x=x, w_query=weights, w_key=weights, w_value=rng.normal(size=(2, 2)))
    assert is_long(wide)
    narrow = {name: rng.normal(size=(2, 2)) for name in ("w_query", "w_key", "w_value")}
    up = rng.normal(size=(2, 600_000))
    norms = {name: np.ones(2) for name in ("norm1_weight", "norm2_weight")}
    block = {"kind": "pre", "norm": "rms", **norms, "norm_eps": 1e-5, "activation": "relu", "w_up": up, "w_down": up.T}
    layer = Problem(x=x, **narrow, block=block)
    assert is_long(layer)
    assert not is_long(layer.replace(x=x[:3]))


def test_a_layer_of_a_large_model_is_kept_whole_for_a_short_text(rng):
    """It is explained, worked out and computed in float64 as any other."""
    d_model, heads = 2048, 32
    weights = rng.standard_normal((d_model, d_model))
    problem = Problem(x=weights[:200], w_query=weights, w_key=weights, w_value=weights, num_heads=heads)
    assert not is_long(problem)
    assert is_long(problem.replace(x=weights[:300]))  # whose maps are too many


@pytest.mark.parametrize(("field", "waits"), [("key", True), ("value", False), ("query", False)])
def test_a_key_that_reaches_all_of_a_wide_output_waits_for_the_next_pass(rng, monkeypatch, field, waits):
    monkeypatch.setattr(streaming_edits, "AT_ONCE", N * WIDE - 1)
    working = Working(a_problem(rng, d_v=WIDE), None, None)
    assert working.evaluation.complete()
    found = working.write(field, indices.cell((2, 1)), 1.5)
    assert working.evaluation.known(0, 0).any() != waits
    assert found.boxes["head_output"]  # it is told all the same
    assert working.worst() < rounding("float64", M, 8.0)
    assert working.evaluation.settle()
    assert apart(working.fresh(), working.evaluation) == 0


def test_of_many_keys_one_is_exchanged_however_wide_the_output_is(rng, monkeypatch):
    monkeypatch.setattr(streaming_edits, "AT_ONCE", N * WIDE - 1)
    monkeypatch.setattr(streaming_edits, "AGAIN", N * M * (WIDE // streaming_rows.USUAL) - 1)
    working = Working(a_problem(rng, d_v=WIDE), None, None)
    assert working.evaluation.complete()
    working.write("key", indices.cell((2, 1)), 1.5)
    assert working.evaluation.known(0, 0).any()
    assert working.worst() < rounding("float64", M, 8.0)


@pytest.mark.parametrize("wide", ["d_k", "d_v"])
def test_cells_of_wide_heads_cost_more(rng, wide):
    def lacking(width):
        return Working(a_problem(rng, **{wide: width}), None, None).evaluation.lacking("weights", 0, 0, slice(0, N), 4)

    assert lacking(streaming_rows.USUAL * 5) == 5 * lacking(2)


def test_a_wide_row_that_is_pointed_at_is_computed_without_its_tile(rng, monkeypatch):
    monkeypatch.setattr(streaming_rows, "LONG_ROW", M * (WIDE // streaming_rows.USUAL))
    evaluation = Working(a_problem(rng, d_v=WIDE), None, None).evaluation
    evaluation.box("weights", (*indices.cell((0, 0, 4)), slice(0, M)))
    assert np.flatnonzero(evaluation.known(0, 0)).tolist() == [4]


def test_pictures_of_a_short_map_are_kept_side_by_side(rng):
    """Two sizes of one map, as its large picture and its thumbnail are: each was computed again after the other."""
    evaluation = Working(a_problem(rng, d_k=WIDE), None, None).evaluation
    for columns in (M, 2):
        evaluation.pooled("scores", 0, 0, N, columns)
    assert [evaluation.lacking("scores", 0, 0, slice(0, N), columns) for columns in (M, 2)] == [0, 0]


def many_sequences(rng, items, width):
    """Small matrices that project to large ones: (items, n, d_k) of query and key."""
    weights = {"w_query": rng.normal(size=(2, width)), "w_key": rng.normal(size=(2, width))}
    return Problem(x=rng.normal(size=(items, N, 2)), **weights, w_value=rng.normal(size=(2, 3)))


def test_what_projections_make_is_weighed_before_it_is_computed(rng, monkeypatch):
    """700 sequences of 30,000 columns a head took 24 GB and killed the process: only what was typed was weighed."""
    problem = many_sequences(rng, 13, 701)
    made = 8 * 13 * N * (3 * 701 + 3 * 3) + 26 * 13 * N  # Q, K, V, the last two again, numerators, the rest of rows
    monkeypatch.setattr(memory, "available", lambda: memory.SHARE * made)
    StreamingEvaluation(problem)
    monkeypatch.setattr(memory, "available", lambda: memory.SHARE * (made - 1))
    with pytest.raises(FieldError, match="of new numbers; at most"):
        StreamingEvaluation(problem)


def test_projections_are_computed_a_few_sequences_at_a_time(rng, monkeypatch):
    problem = many_sequences(rng, 41, 3001).replace(dtype="float32")
    kept = 4 * 41 * N * 3 * 3001  # Q, and K twice
    monkeypatch.setattr(streaming, "PROJECTED", 2 * N * 3001)
    tracemalloc.start()
    found = StreamingEvaluation(problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * kept  # all sequences at once are twice that, in float64
    for item in (0, 1, 40):
        np.testing.assert_allclose(
            found.box("query", (*indices.cell((item,)), slice(0, N), slice(0, 3001)))[0],
            problem.x[item] @ problem.w_query,
            rtol=0,
            atol=8 * np.finfo(np.float32).eps * np.abs(problem.x[item]).max() * np.abs(problem.w_query).max(),
        )
