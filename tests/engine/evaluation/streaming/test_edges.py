"""Edits that lose digits by taking terms out: wild values and their undo, drift, rest, float32, other threads."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from tests.failing import each

from .working import WILD, Working, random_box, random_values, rounding, whole

WILD_PROBLEMS = ("plain", "all", "block", "window", "cross", "gaussian", "cosine")


@pytest.mark.family(3)
@pytest.mark.parametrize("name", WILD_PROBLEMS)
def test_wild_values_set_and_undone_leave_no_trace(makers, name, rng):
    working = Working(makers[name]())
    working.evaluation.complete()
    names = [field for field in working.arrays if working.arrays[field].dtype != bool]
    for step in range(25):
        steps = []
        for _ in range(int(rng.integers(1, 4))):
            field = names[int(rng.integers(len(names)))]
            box = random_box(working.arrays[field].shape, rng, most=1)
            steps.append((field, box, working.arrays[field][box].copy()))
            working.write(field, box, rng.choice(WILD))
            if step % 5 == 0:
                assert working.worst() < 1e-10, steps
        for field, box, old in reversed(steps):
            working.write(field, box, old)
        assert working.worst() < 1e-11, steps


@each("field", ["query", "key", "value"])
@each("dtype", ["float32", "float64"])
@each("value", [1e17, -1e308, np.inf, np.nan])
def test_each_wild_value_alone(field, dtype, value, rng):
    working = long(rng, dtype)
    before = np.array(whole(working.evaluation, "output"))
    box = indices.cell((37, 19))
    old = working.arrays[field][box].copy()
    working.write(field, box, value)
    working.write(field, box, old)
    np.testing.assert_allclose(
        whole(working.evaluation, "output"), before, rtol=0, atol=1e-6 if dtype == "float32" else 1e-15
    )


def long(rng, dtype="float64", n=131, m=149, amplitude=1.0, **more):
    shapes = {"query": (n, 96), "key": (m, 32), "value": (m, 22)}
    arrays = {name: rng.normal(size=shape).astype(dtype) for name, shape in shapes.items()}
    arrays["query"] *= amplitude
    working = Working(Problem(**arrays, num_heads=6, num_kv_heads=2, dtype=dtype, **more), 32, 64)
    working.evaluation.complete()
    return working


def test_two_wild_columns_do_not_hide_each_other(rng):
    """Where one column of V is loud, what is lost in another must be seen all the same."""
    working = long(rng)
    working.write("value", indices.cell((3, 0)), 1e17)
    working.write("value", indices.cell((9, 1)), 1e12)
    working.write("value", (slice(9, 10), slice(0, 2)), 0.5)
    assert np.abs(working.stage("head_output")[0, 0, :, 1] - dense(working, "head_output")[0, 0, :, 1]).max() < 1e-13


@each(
    ("field", "wild", "masked"),
    [("query", np.nan, True), ("value", np.inf, False), ("key", np.nan, True), ("key", -np.inf, False)],
)
def test_edits_beside_a_value_that_is_no_number(field, wild, masked, rng):
    """What it has spoilt stays so, is not computed anew at every edit, and is mended when it goes."""
    working = long(rng, mask=layers(rng) if masked else ())
    cell = indices.cell((70, 5))
    old = working.arrays[field][cell].copy()
    working.write(field, cell, wild)
    working.stage("head_output")
    for _ in range(8):
        other = ("query", "key", "value")[int(rng.integers(3))]
        box = random_box(working.arrays[other].shape, rng, most=2)
        if not np.isfinite(working.arrays[other][box]).all():
            continue
        working.write(other, box, rng.normal())
        if other == "key" and np.isnan(wild):
            assert all_known(working.evaluation)
        assert working.worst(("weights", "output")) < 1e-12
    working.write(field, cell, old)
    assert working.worst(("weights", "output")) < 1e-12


def dense(working, stage):
    return whole(DenseEvaluation(working.problem()), stage)


def layers(rng, n=131, m=149):
    return (
        {"kind": "causal", "align": "end"},
        {"kind": "window", "left": 90},
        {"kind": "padding", "lengths": 140},
        {"kind": "custom", "allowed": rng.random((n, m)) > 0.1},
    )


@pytest.mark.family(4)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("masked", [False, True], ids=["open", "masked"])
@pytest.mark.parametrize("amplitude", [1.0, 10.0])
def test_drift_stays_small_and_settling_removes_it(dtype, masked, amplitude, rng):
    """An edit takes terms out of a row's sums and puts others in: each is rounded once, at the largest value so far."""
    working, edits = long(rng, dtype, mask=layers(rng) if masked else ()), 600
    largest = np.abs(working.arrays["value"]).max()
    for _ in range(edits):
        field = ("query", "key", "value")[int(rng.integers(3))]
        box = random_box(working.arrays[field].shape, rng, most=1)
        working.write(field, box, random_values(working.arrays[field], box, rng, amplitude))
        largest = max(largest, np.abs(working.arrays["value"]).max())
    exact = whole(DenseEvaluation(double(working.problem())), "output")
    fresh = working.fresh()
    error = np.abs(whole(fresh, "output") - exact).max()
    summed = rounding(dtype, working.problem().m + edits, largest)
    assert np.abs(working.stage("output") - exact).max() <= 2 * error + summed  # scores go in and are taken out
    assert working.evaluation.settle()
    assert working.evaluation.settled
    for stage in working.evaluation.stages:
        assert np.array_equal(working.stage(stage), whole(fresh, stage)), stage


def double(problem):
    arrays = {name: np.asarray(array, float) for name, array in problem.arrays().items() if "." not in name}
    return problem.replace(dtype="float64", **arrays)


@pytest.mark.parametrize("amplitude", [1.0, 4.0])
def test_float32_is_as_exact_as_the_plain_formula(amplitude, rng):
    working = long(rng, "float32", amplitude=amplitude)
    problem = working.problem()
    exact = whole(DenseEvaluation(double(problem)), "head_output")[0]
    q, k, v = (
        np.repeat(a.reshape(len(a), h, -1).swapaxes(0, 1), 6 // h, axis=0)
        for a, h in ((problem.query, 6), (problem.key, 2), (problem.value, 2))
    )
    s = q @ k.swapaxes(1, 2) * np.float32(problem.effective_scale)
    e = np.exp(s - s.max(-1, keepdims=True))
    naive = e / e.sum(-1, keepdims=True) @ v
    assert naive.dtype == np.float32
    ours = np.abs(working.stage("head_output")[0] - exact)
    assert ours.max() <= 2 * np.abs(naive - exact).max()


def all_known(evaluation):
    batch, heads, _, _ = evaluation.problem.map_shape
    return all(evaluation.known(item, head).all() for item in range(batch) for head in range(heads))


def test_a_pass_can_be_followed_and_cancelled(rng):
    working = long(rng)
    evaluation = working.fresh()
    seen: list[tuple[int, int]] = []
    assert not evaluation.complete(progress=lambda *at: seen.append(at), cancelled=lambda: len(seen) >= 3)
    assert not all_known(evaluation)
    assert 3 <= len(seen) < seen[0][1]
    assert evaluation.complete([(0, 5)])
    assert evaluation.known(0, 5).all()
    assert evaluation.complete()
    assert all_known(evaluation)


def test_rows_are_computed_when_they_are_read(rng):
    evaluation = long(rng).fresh()
    assert not evaluation.known(0, 2).any()
    evaluation.block("weights", 0, 2, slice(40, 41), slice(0, 5))
    assert evaluation.known(0, 2).nonzero()[0].tolist() == list(range(32, 64))
    assert not evaluation.known(0, 3).any()


def test_nothing_with_two_long_axes_is_kept(rng):
    evaluation = StreamingEvaluation(Problem(**{k: rng.normal(size=(701, 4)) for k in ("query", "key", "value")}))
    evaluation.complete()
    assert evaluation.settled
    for array in evaluation._arrays.values():
        assert array.size < 701 * 701
