"""Streaming equals dense: every stage, block and picture, fresh and after edits, for every problem and mask layer."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, FieldError, Plane, Problem
from attn_gui.engine.evaluation.choice import evaluation_of, is_long
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

from .working import Working, apart, random_box, random_values, whole

CLOSE = 1e-12


@pytest.mark.family(8)
@pytest.mark.parametrize(("tile", "chunk"), [(1, 1), (2, 11), (7, 5), (None, None)])
def test_tiles_of_any_size(makers, problem_name, tile, chunk):
    problem = makers[problem_name]()
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=tile, chunk=chunk)
    assert streaming.stages == dense.stages
    assert apart(dense, streaming) < CLOSE
    for stage in dense.stages:
        assert (streaming.shape(stage), streaming.axes(stage)) == (dense.shape(stage), dense.axes(stage))


def test_blocks_in_any_order(makers, problem_name, rng):
    problem = makers[problem_name]()
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    for _ in range(40):
        stage = dense.stages[int(rng.integers(len(dense.stages)))]
        box = random_box(dense.shape(stage), rng, most=5)
        np.testing.assert_allclose(streaming.box(stage, box), dense.box(stage, box), rtol=1e-11, atol=1e-12)


@pytest.mark.family(4)
@pytest.mark.parametrize("complete", [True, False], ids=["complete", "on demand"])
def test_edits_of_every_field(makers, problem_name, rng, complete):
    working = Working(makers[problem_name]())
    if complete:
        working.evaluation.complete()
    names = list(working.arrays)
    for step in range(60):
        name = names[int(rng.integers(len(names)))]
        box = random_box(working.arrays[name].shape, rng)
        working.write(name, box, random_values(working.arrays[name], box, rng))
        if step % 7 == 0:
            working.evaluation.fetch("head_output", random_box(working.evaluation.shape("head_output"), rng))
        if step % 10 == 9:
            assert working.worst() < 1e-11
    assert working.worst() < 1e-11


@pytest.mark.parametrize(
    ("name", "value"), [("scale", 0.3), ("scale", -0.3), ("softcap", 0.9), ("temperature", 2.0), ("rotary_theta", 7.0)]
)
def test_edits_of_numbers(makers, name, value):
    working = Working(makers["all"]())
    working.evaluation.complete()
    working.rest[name] = value
    working.evaluation.update(working.problem(), {name: [()]})
    assert working.worst() < CLOSE


def test_another_structure_is_built_anew(makers):
    working = Working(makers["all"]())
    working.rest |= {"softcap": None, "mask": ()}
    working.arrays = {name: array for name, array in working.arrays.items() if not name.startswith("mask")}
    done = working.evaluation.update(working.problem(), {"softcap": [()]})
    assert set(done.boxes) == set(working.evaluation.stages)
    assert "masked" not in working.evaluation.stages
    assert working.worst() < CLOSE


def test_what_is_reported_holds_every_change(makers, problem_name):
    working = Working(makers[problem_name]())
    rng = np.random.default_rng(4)
    for name, array in working.arrays.items():
        box = indices.cell([int(rng.integers(length)) for length in array.shape])
        dense = DenseEvaluation(working.problem())
        before = {stage: np.array(whole(dense, stage)) for stage in dense.stages}
        reported = working.write(name, box, ~array[box] if array.dtype == bool else array[box] + 0.25).boxes
        dense = DenseEvaluation(working.problem())
        for stage, old in before.items():
            claimed = np.zeros(old.shape, bool)
            for found in reported.get(stage, ()):
                claimed[found] = True
            assert not ((whole(dense, stage) != old) & ~claimed).any(), (stage, name)


def test_a_large_output_in_float32(rng):
    shapes = {"query": (130, 96), "key": (90, 48), "value": (90, 128), "w_output": (256, 530), "b_output": (530,)}
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    problem = Problem(**arrays, num_heads=4, num_kv_heads=2, dtype="float32")
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem)
    box = (slice(0, 1), slice(1, 130), slice(3, 530))
    np.testing.assert_allclose(streaming.box("output", box), dense.box("output", box), rtol=0, atol=3e-5)
    arrays["w_output"][5, 5] = np.inf
    problem = Problem(**arrays, num_heads=4, num_kv_heads=2, dtype="float32")
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem)
    assert np.array_equal(np.isfinite(streaming.box("output", box)), np.isfinite(dense.box("output", box)))


def test_one_key_costs_one_column_and_one_query_one_row(rng):
    arrays = {name: rng.normal(size=(64, 128)) for name in ("query", "key", "value")}
    working = Working(Problem(**arrays, num_heads=8), None, None)
    working.evaluation.complete()
    assert working.write("query", indices.cell((10, 53)), 0.5).cells["weights"] == 64
    assert working.write("key", indices.cell((10, 53)), 0.5).cells["weights"] == 2 * 64
    done = working.write("value", indices.cell((10, 53)), 0.5)
    assert (done.cells["weights"], done.cells["head_output"]) == (64, 64)


@pytest.mark.family(2)
def test_pictures(makers, problem_name, rng):
    working = Working(makers[problem_name]())
    names = list(working.arrays)
    item, head = working.problem().batch_size - 1, 1
    for step in range(24):
        name = names[int(rng.integers(len(names)))]
        box = random_box(working.arrays[name].shape, rng)
        working.write(name, box, random_values(working.arrays[name], box, rng))
        if step % 4 == 0:
            size = int(rng.integers(2, 9)), int(rng.integers(2, 13))
        if step % 2 == 0:
            check_pictures(working, item, head, size)


def check_pictures(working, item, head, size):
    dense = DenseEvaluation(working.problem())
    for stage in dense.stages:
        plane = Plane(dense, stage, item, head)
        values, allowed = plane.block(slice(0, plane.shape[0]), slice(0, plane.shape[1]))
        expected, expected_allowed = pool(values, allowed, *size)
        found, found_allowed = working.evaluation.pooled(stage, item, head, *size)
        shown = np.ones(expected.shape, bool) if allowed is None else expected_allowed
        assert found_allowed is None if allowed is None else np.array_equal(found_allowed, expected_allowed)
        np.testing.assert_allclose(found[shown], expected[shown], rtol=1e-10, atol=1e-12, err_msg=stage)
        part, _ = working.evaluation.pooled(stage, item, head, *size, (slice(1, 2), slice(0, 2)))
        np.testing.assert_allclose(part, found[1:2, 0:2], rtol=1e-12)
        rows, columns = found.shape
        once, once_allowed = working.evaluation.pooled_once(stage, item, head, rows, columns, slice(1, rows))
        np.testing.assert_allclose(once, found[1:], rtol=1e-12, err_msg=stage)
        assert once_allowed is None if allowed is None else np.array_equal(once_allowed, found_allowed[1:])


def test_nan_and_infinity_are_seen_in_pictures():
    arrays = {name: np.ones((9, 4)) for name in ("query", "key", "value")}
    working = Working(Problem(**arrays, mask=({"kind": "causal"},)))
    working.write("key", indices.cell((4, 0)), np.nan)
    check_pictures(working, 0, 0, (3, 3))
    working.write("key", indices.cell((4, 0)), -np.inf)
    check_pictures(working, 0, 0, (3, 3))


def test_size_chooses_the_evaluation():
    small, large = np.ones((1000, 8)), np.ones((1001, 8))
    assert not is_long(Problem(query=small, key=small, value=small, num_heads=2))
    assert type(evaluation_of(Problem(query=small, key=small, value=small, num_heads=2))) is DenseEvaluation
    assert isinstance(evaluation_of(Problem(query=large, key=large, value=large, num_heads=2)), StreamingEvaluation)


def test_a_score_that_takes_too_long_is_refused_in_one_sentence():
    tall = np.zeros((65536, 8))
    params = {"w_score_query": np.ones((1, 32)), "w_score_key": np.ones((1, 32)), "w_score": np.ones(32)}
    problem = Problem(query=tall, key=tall, value=tall, num_heads=8, score="additive", score_params=params)
    with pytest.raises(FieldError, match=r"^The score additive takes too long for 8 heads of 65536 × 65536 cells"):
        evaluation_of(problem)
