"""Streaming equals dense: fresh and after edits, as numbers and as pictures, beside sinks and wild numbers."""

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, FieldError, Plane, Problem
from attn_gui.engine.evaluation.evaluation import BLIND, row_entropy
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.trace import evaluation_of, is_long
from attn_gui.engine.graph import indices
from tests.engine.conftest import COMPUTED
from tests.failing import each, examples, share

from .working import Working, apart, random_box, random_values, whole

CLOSE = 1e-12


@each(("number", "kind"), enumerate(COMPUTED), one_of=3)
def test_tiles_of_any_size(makers, number, kind):
    problem = makers[kind]()
    tile, chunk = [(1, 1), (2, 11), (7, 5), (None, None)][number % 4]
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=tile, chunk=chunk)
    assert streaming.stages == dense.stages
    assert apart(dense, streaming) < CLOSE
    for stage in dense.stages:
        assert (streaming.shape(stage), streaming.axes(stage)) == (dense.shape(stage), dense.axes(stage))


@each(("number", "kind"), enumerate(COMPUTED), one_of=4)
def test_edits_of_every_field(makers, number, kind, rng):
    working = Working(makers[kind]())
    if number % 2:
        working.evaluation.complete()
    names = list(working.arrays)
    for step in range(examples(20)):
        name = names[int(rng.integers(len(names)))]
        box = random_box(working.arrays[name].shape, rng)
        working.write(name, box, random_values(working.arrays[name], box, rng))
        if step % 7 == 0:
            working.evaluation.fetch("head_output", random_box(working.evaluation.shape("head_output"), rng))
        if step % 5 == 4:
            assert working.worst() < 1e-11
    for name, value in (("scale", -0.3), ("softcap", 0.9), ("temperature", 2.0), ("rotary_theta", 7.0)):
        if working.rest.get(name) is not None:
            working.rest[name] = value
            working.evaluation.update(working.problem(), {name: [()]})
    assert working.worst() < 1e-11


@each("kind", COMPUTED, one_of=4)
def test_what_is_reported_holds_every_change(makers, kind):
    working = Working(makers[kind]())
    rng = np.random.default_rng(4)
    for name, array in share(working.arrays.items(), 2):
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


@each("kind", COMPUTED, one_of=4)
def test_pictures(makers, kind, rng):
    working = Working(makers[kind]())
    names = list(working.arrays)
    item, head = working.problem().batch_size - 1, 1
    for step in range(8):
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


def test_size_chooses_the_evaluation():
    small, large = np.ones((1000, 8)), np.ones((1001, 8))
    assert not is_long(Problem(query=small, key=small, value=small, num_heads=2))
    assert type(evaluation_of(Problem(query=small, key=small, value=small, num_heads=2))) is DenseEvaluation
    assert isinstance(evaluation_of(Problem(query=large, key=large, value=large, num_heads=2)), StreamingEvaluation)


def test_a_score_that_takes_too_long_is_refused_in_one_sentence():
    tall = np.zeros((65536, 8))
    params = {"w_score_query": np.ones((1, 32)), "w_score_key": np.ones((1, 32)), "w_score": np.ones(32)}
    problem = Problem(query=tall, key=tall, value=tall, num_heads=8, score="additive", score_params=params)
    with pytest.raises(FieldError, match=r"^The score additive takes too long for 8 heads of 65,536 × 65,536 cells"):
        evaluation_of(problem)


# --- sinks of long sequences ----------------------------------------------------------------------
H, ROWS, KEYS = 3, 7, 11


def made(sink, dtype="float64", **more):
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(rows, H * 2)) for name, rows in (("query", ROWS), ("key", KEYS), ("value", KEYS))}
    return Problem(**arrays, num_heads=H, sink=sink, dtype=dtype, **more)


WILD = {"far below": -1e4, "far above": 1e4, "beyond": 1e308, "none": -np.inf, "inf": np.inf, "nan": np.nan}


@each("wild", WILD)
@each("layer", [{"mask": ({"kind": "causal"},)}, {"mask": ({"kind": "padding", "lengths": 0},)}])
def test_a_wild_sink_gives_what_a_short_sequence_has(wild, layer):
    problem = made([WILD[wild], 0.5, -0.5], **layer)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    for stage in ("weights", "head_output", "output"):
        np.testing.assert_allclose(whole(streaming, stage), whole(dense, stage), rtol=1e-12, atol=1e-300)


def test_far_positions_turn_by_the_angles_of_a_short_sequence():
    """An angle of 10,001 was rounded to float32, by 0.0004: as of position 8,000, whose weights were off by 4e-5."""
    problem = made(None, "float32", rotary_frequencies=[1000.1])
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    for stage in ("rotated_query", "rotated_key", "weights", "output"):
        np.testing.assert_allclose(whole(streaming, stage), whole(dense, stage), atol=1e-6)
    working = Working(problem)
    working.write("rotary_frequencies", indices.cell((0,)), 1000.2)
    assert working.evaluation.settle()  # computes them anew
    assert working.worst(("rotated_query", "weights")) < 1e-6


def test_the_entropy_is_that_of_the_weights_of_keys_alone():
    problem = made([0.3, -1.0, 2.0], mask=({"kind": "causal"}, {"kind": "window", "left": 3, "right": -1}))
    streaming = StreamingEvaluation(problem, tile=3, chunk=4)
    for head in range(H):
        weights = whole(streaming, "weights")[0, head]
        found = streaming.entropies(0, head, slice(0, ROWS))
        expected = np.where((weights != 0).any(axis=1), row_entropy(weights), BLIND)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


# --- A NaN or infinity in a key or value costs no more than a number ------------------------------
LONG, WIDE_KEYS, EIGHT = 100, 120, 2
TILE, CHUNK = 24, 40
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal"},)},
    "causal, ends with the last": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"}), "softcap": 3.0},
    "float32": {"dtype": "float32", "num_kv_heads": 1},
    "so large that weights vanish": {"scale": 300.0},
    "rotary": {"rotary_theta": 100.0, "temperature": 0.3},
}


def problem_of(**more: Any) -> Problem:
    random = np.random.default_rng(5).normal
    kv_heads = more.get("num_kv_heads", EIGHT)
    return Problem(
        query=random(size=(LONG, 6 * EIGHT)),
        key=random(size=(WIDE_KEYS, 6 * kv_heads)),
        value=random(size=(WIDE_KEYS, 4 * kv_heads)),
        **{"num_heads": EIGHT, **more},
    )


def same(evaluation, problem, tolerance):
    dense = DenseEvaluation(problem)
    for stage in ("weights", "head_output", "output"):
        np.testing.assert_allclose(whole(evaluation, stage), whole(dense, stage), rtol=tolerance, atol=tolerance)
    weights = whole(dense, "weights")[0]
    for head in range(EIGHT):
        expected = np.where((weights[head] != 0).any(axis=-1), row_entropy(weights[head]), -1.0)
        found = evaluation.entropies(0, head, slice(0, LONG))
        np.testing.assert_allclose(found, expected, rtol=100 * tolerance, atol=100 * tolerance)


@each("field", ["key", "value"])
@each("name", VARIANTS, one_of=4)
def test_a_wild_number_says_what_the_dense_evaluation_says_and_is_undone(name, field):
    working = Working(problem_of(**VARIANTS[name]), TILE, CHUNK)
    tolerance = 1e-4 if name == "float32" else 1e-10
    working.evaluation.complete()
    for place, wild in (((7, 2), np.nan), ((WIDE_KEYS - 1, 1), np.inf)):
        for number in (wild, -wild, working.arrays[field][place]):
            working.write(field, indices.cell(place), number)
            working.evaluation.complete()
            same(working.evaluation, working.problem(), tolerance)
    working.evaluation.settle()
    for stage in ("weights", "head_output"):
        np.testing.assert_array_equal(working.stage(stage), whole(working.fresh(), stage))
