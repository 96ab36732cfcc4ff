"""Interventions: carried out as the reference does, explained, pulled back, made cell by cell, refused in words."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Evaluation, Problem, ShapeError, compute, explain, sensitivity, verify
from attn_gui.engine.creation.interventions import (
    for_all_heads,
    rescale_row,
    with_cells_free,
    with_cells_replaced,
    with_cells_scaled,
)
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.interventions import Copy, Set
from attn_gui.engine.stages import STAGE
from tests.failing import each

from .conftest import EVALUATIONS, MAKERS
from .evaluation.working import whole

CASES = [
    (name, stage, kind) for name in ("all", "block", "cross") for stage in EVALUATIONS[name].stages for kind in range(3)
]


def made(name, stage, kind):
    return with_record(MAKERS[name](), list(records(EVALUATIONS[name], stage))[kind])


@each(("name", "stage", "kind"), CASES[::4], one_of=4)
def test_every_kind_on_every_stage_is_what_the_reference_makes_of_it(name, stage, kind):
    trace = compute(made(name, stage, kind))
    report = verify(trace)
    assert report.ok, str(report)
    assert not np.array_equal(trace[stage], trace.computed(stage), equal_nan=True)


@each("factor", [0.0, -2.5])
@each("evaluate", [DenseEvaluation, StreamingEvaluation])
def test_what_a_mask_has_closed_stays_closed_when_it_is_multiplied(factor, evaluate):
    """−∞ × 0 would make whole rows NaN, −∞ × −1 would give all weight to what nobody may see."""
    arrays = {name: np.random.default_rng(5).normal(size=(5, 6)) for name in ("query", "key", "value")}
    scaled = {"kind": "scale", "stage": "masked", "at": {"head": 1}, "factor": factor}
    problem = Problem(**arrays, num_heads=2, mask=[{"kind": "causal"}], interventions=[scaled])
    trace, evaluation = compute(problem), evaluate(problem)
    closed, before = ~np.tri(5, dtype=bool), compute(problem.replace(interventions=()))
    assert np.array_equal(trace["masked"][0, 1], np.where(closed, -np.inf, before["scaled"][0, 1] * factor))
    assert np.array_equal(trace["masked"][0, 0], before["masked"][0, 0])
    assert np.array_equal(trace.allowed, before.allowed)
    weights = evaluation.box("weights", tuple(slice(0, length) for length in evaluation.shape("weights")))
    assert np.all(weights[0, :, closed] == 0)
    assert np.abs(weights.sum(axis=-1) - 1).max() <= 8 * np.finfo(float).eps
    assert verify(trace).ok, str(verify(trace))
    assert explain(trace, "masked", (0, 1, 0, 3)).value == -np.inf
    cotangent = np.random.default_rng(6).normal(size=trace["output"].shape)
    for name, gradient in sensitivity(trace, "output", cotangent=cotangent).items():
        assert np.isfinite(gradient).all(), name


# --- explained -----------------------------------------------------------------------------------
@each(("name", "stage", "kind"), CASES[1::5], one_of=4)
def test_a_changed_cell_says_what_was_done_and_what_it_would_be(name, stage, kind):
    trace = compute(made(name, stage, kind))
    changed = trace[stage] != trace.computed(stage)
    for place in np.argwhere(changed)[:: max(1, int(changed.sum()) // 3)]:
        found = explain(trace, stage, place)
        assert found.by_hand == (0,)
        assert found.expression.value == found.value
        assert found.computed.value == trace.computed(stage)[tuple(place)]
        assert f"computed = {found.computed.value!r}" in found.text
        assert found.computed.symbols_latex
        assert found.latex.startswith(found.symbols_latex)
        assert found.computed.expression.value == pytest.approx(found.computed.value, rel=1e-9, nan_ok=True)
    assert explain(trace, stage, np.argwhere(~changed)[0]).computed is None


def test_a_cell_may_be_changed_several_times_and_a_number_behind_a_mask_counts():
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(size=(5, 6)) for name in ("query", "key", "value")}
    at = {"head": 1, "query": 1, "key": 4}
    problem = Problem(
        **arrays,
        num_heads=2,
        mask=({"kind": "causal"},),
        interventions=(
            {"kind": "set", "stage": "weights", "at": at, "values": 0.5},
            {"kind": "scale", "stage": "weights", "at": {"query": 1}, "factor": 3.0},
            {"kind": "scale", "stage": "weights", "at": at, "factor": 9.0, "enabled": False},
        ),
    )
    trace = compute(problem)
    assert trace["weights"][0, 1, 1, 4] == 1.5
    assert trace.computed("weights")[0, 1, 1, 4] == 0
    assert trace.allowed[0, 1, 1, 4], "it is drawn as a number"
    assert not trace.allowed[0, 0, 1, 4]
    found = explain(trace, "weights", (0, 1, 1, 4))
    assert found.by_hand == (0, 1)
    assert found.text.startswith("A[0, 1, 1, 4] = 0.5*3.0\n= 1.5\ncomputed = 0.0")
    assert [term.cells[0].name for term in explain(trace, "head_output", (0, 1, 1, 0)).terms].count("weights") == 3
    assert verify(trace).ok


# --- pulled back ---------------------------------------------------------------------------------
def moved(problem: Problem, field: str, index: tuple[int, ...], step: float) -> Problem:
    """The problem with one number moved."""
    *outer, last = field.split(".")
    array = problem.arrays().get(field)
    number = problem.scalars()[field] + step if array is None else np.array(array)
    if array is not None:
        number[index] += step
    if not outer:
        return problem.replace(**{field: number})
    place = int(outer[1])
    records = list(problem.interventions)
    records[place] = records[place].changed(**{last: number})
    return problem.replace(interventions=tuple(records))


@each(("name", "stage", "kind"), CASES[::5], one_of=4)
def test_gradients_are_those_that_small_steps_find(name, stage, kind):
    problem, rng = made(name, stage, kind), np.random.default_rng(7)
    trace = compute(problem)
    last = trace.stages[-1]
    cotangent = rng.normal(size=trace[last].shape)
    gradients = sensitivity(trace, last, cotangent=cotangent)
    fields = [field for field in gradients if field in problem.arrays() or field.startswith("interventions")]
    for field in [f for f in fields if f.startswith("interventions")] + [fields[int(rng.integers(3))]]:
        index = tuple(int(rng.integers(length)) for length in gradients[field].shape)
        step = 1e-6
        ahead, behind = (compute(moved(problem, field, index, way * step))[last] for way in (1, -1))
        expected = float(((ahead - behind) * cotangent).sum() / (2 * step))
        assert gradients[field][index] == pytest.approx(expected, rel=2e-5, abs=2e-6), field


# --- followed ------------------------------------------------------------------------------------
@each("name", ["all", "block"])
def test_interventions_come_go_and_change_their_numbers_as_edits_do(name):
    base, rng = MAKERS[name](), np.random.default_rng(5)
    pool = [record for stage in EVALUATIONS[name].stages for record in records(EVALUATIONS[name], stage)]
    chosen: list = []
    evaluation = DenseEvaluation(base)
    for number in range(10):
        if number % 4 == 3:
            chosen.pop(int(rng.integers(len(chosen))))
        else:
            chosen.insert(int(rng.integers(len(chosen) + 1)), pool[int(rng.integers(len(pool)))])
        problem = base.replace(interventions=tuple(chosen))
        found = evaluation.update(problem, {})
        fresh = DenseEvaluation(problem)
        for stage in fresh.stages:
            box = tuple(slice(0, length) for length in fresh.shape(stage))
            assert np.array_equal(evaluation.box(stage, box), fresh.box(stage, box), equal_nan=True), stage
        assert all(set(boxes) <= set(fresh.stages) for boxes in (found.boxes, found.cells))


def test_what_is_replaced_stops_the_reach_and_a_copy_carries_it_on():
    rng = np.random.default_rng(5)
    arrays = {name: rng.normal(size=(7, 6)) for name in ("query", "key", "value")}
    records = (
        {"kind": "set", "stage": "weights", "at": {"head": 0}, "values": 1 / 7},
        {"kind": "copy", "stage": "weights", "at": {"head": 1, "query": 6}, "source": {"query": 2}},
    )
    evaluation = DenseEvaluation(Problem(**arrays, num_heads=2, interventions=records))
    found = evaluation.reach({"query": [(slice(2, 3), slice(0, 6))]})
    rows = {(box[1].start, box[2].start) for box in found["head_output"]}
    assert rows == {(1, 2), (1, 6)}
    assert evaluation.forward({"query": [(slice(6, 7), slice(0, 6))]}).boxes("head_output") == []
    back = evaluation.backward({"weights": [tuple(slice(k, k + 1) for k in (0, 1, 6, 3))]})
    assert {(box[2].start, box[2].stop) for box in back.boxes("scaled")} == {(2, 3)}


# --- refused -------------------------------------------------------------------------------------
BAD = [
    ({"kind": "set", "stage": "capped", "values": 1}, ValueError, "one of query, key"),
    ({"kind": "set", "stage": "weights", "at": {"row": 1}, "values": 1}, ValueError, "weights has no axis row"),
    (
        {"kind": "set", "stage": "weights", "at": {"key": (3, 12)}, "values": 1},
        ShapeError,
        "7 cells along its axis key",
    ),
    ({"kind": "set", "stage": "weights", "at": {"key": -1}, "values": 1}, ShapeError, "axis key, got −1"),
    ({"kind": "set", "stage": "weights", "at": {"key": (3, 5)}, "values": [1, 2, 3]}, ShapeError, r"\(1, 2, 7, 2\)"),
    ({"kind": "copy", "stage": "weights", "source": {"head": 2}}, ShapeError, "2 cells along its axis head, got 2"),
    ({"kind": "copy", "stage": "weights", "source": {}}, ValueError, "copy needs source"),  # each verb broke off at it
    ({"kind": "scale", "stage": "weights", "at": {"key": (4, 4)}, "factor": 1}, ValueError, "start < stop"),
    ({"kind": "scale", "stage": "weights", "at": {"key": 1.5}, "factor": 1}, TypeError, "a whole number"),
    ({"kind": "scale", "stage": "weights"}, ValueError, "needs factor"),
    ({"kind": "melt", "stage": "weights"}, ValueError, "one of the interventions set, scale, copy"),
    ({"kind": "scale", "stage": "weights", "factor": 1, "by": 2}, ValueError, "does not have the parameter by"),
]


@each(("record", "error", "words"), BAD)
def test_what_does_not_fit_is_refused_in_a_sentence(record, error, words):
    arrays = {name: np.ones((7, 6)) for name in ("query", "key", "value")}
    with pytest.raises(error, match=words) as refusal:
        Problem(**arrays, num_heads=2, interventions=[record])
    if isinstance(refusal.value, ShapeError):
        assert refusal.value.fixes == ()
        assert refusal.value.matrices[0].startswith("interventions.0.")


def test_untrusted_lists_are_weighed_before_they_are_read():
    arrays = {name: np.ones((7, 6)) for name in ("query", "key", "value")}
    many = [{"kind": "scale", "stage": "weights", "factor": 1}] * 257
    with pytest.raises(ValueError, match="257 entries; at most 256"):
        Problem(**arrays, interventions=many)
    large = {"kind": "set", "stage": "weights", "values": np.zeros((1, 1, 2049, 2048))}
    with pytest.raises(ValueError, match="at most 4"):
        Problem(**arrays, interventions=[large])


# --- long problems -------------------------------------------------------------------------------
def long_problem():
    rng = np.random.default_rng(9)
    sizes = {"query": (37, 20), "key": (41, 10), "value": (41, 6), "w_output": (12, 5)}
    arrays = {name: rng.normal(size=shape) for name, shape in sizes.items()}
    mask = ({"kind": "alibi"}, {"kind": "window", "left": 9, "right": 4})
    return Problem(**arrays, num_heads=4, num_kv_heads=2, softcap=3.0, temperature=1.5, mask=mask)


@each(("kind", "stage"), [(k % 3, stage) for k, stage in enumerate(DenseEvaluation(long_problem()).stages)], one_of=4)
def test_every_kind_on_every_stage_of_a_long_problem_comes_and_goes_as_in_a_short_one(stage, kind):
    problem = long_problem()
    long, plain = StreamingEvaluation(problem, tile=8, chunk=16), DenseEvaluation(problem)
    long.complete()
    changed = with_record(problem, list(records(plain, stage))[kind])
    key, edit = np.array(problem.key), {"key": [(slice(3, 4), slice(2, 3))]}
    key[3, 2] += 1.0
    for now, edits in ((changed, {}), (changed.replace(key=key), edit), (problem, edit)):
        long.update(now, edits)
        short = DenseEvaluation(now)
        for other in short.stages:
            assert np.allclose(whole(long, other), whole(short, other), rtol=1e-8, atol=1e-10, equal_nan=True), other
    assert not np.array_equal(whole(DenseEvaluation(changed), stage), whole(plain, stage), equal_nan=True)


# --- interventions on every stage -----------------------------------------------------------------
def boxes(evaluation: Evaluation, stage: str) -> dict[str, Any]:
    """A box inside the stage: one place on the first axis, stretches on the others, the last axis but one whole."""
    axes = dict(zip(evaluation.axes(stage), evaluation.shape(stage), strict=True))
    first, *others = axes
    found: dict[str, Any] = {first: axes[first] - 1}
    for axis in others:
        if axis != list(axes)[-2] and axes[axis] > 2:
            found[axis] = (1, axes[axis] - 1)
    return found


def records(evaluation: Evaluation, stage: str, seed: int = 5) -> Iterator[dict[str, Any]]:
    """One intervention of every kind."""
    rng = np.random.default_rng(seed)
    at = boxes(evaluation, stage)
    stretch = at.get(evaluation.axes(stage)[-1], (0, evaluation.shape(stage)[-1]))
    yield {"kind": "set", "stage": stage, "at": at, "values": rng.normal(size=(stretch[1] - stretch[0],))}
    yield {"kind": "scale", "stage": stage, "at": at, "factor": -0.75 if stage != "masked" else 0.75}
    yield {"kind": "copy", "stage": stage, "at": at, "source": {evaluation.axes(stage)[1]: 0}}


def with_record(problem: Problem, record: Mapping[str, Any], *more: Mapping[str, Any]) -> Problem:
    return problem.replace(interventions=(record, *more))


# --- interventions made cell by cell --------------------------------------------------------------
SHAPE, AXES = (2, 3, 5, 7), STAGE["scores"].axes
RNG = np.random.default_rng(1)
PROBLEM = Problem(
    query=RNG.normal(size=(2, 5, 6)), key=RNG.normal(size=(2, 7, 6)), value=RNG.normal(size=(2, 7, 6)), num_heads=3
)
PLAIN = compute(PROBLEM)["scores"]


@st.composite
def drawn_boxes(draw):
    cuts = []
    for length in SHAPE:
        start = draw(st.integers(0, length - 1))
        cuts.append(slice(start, draw(st.integers(start + 1, length))))
    return tuple(cuts)


@st.composite
def changes(draw):
    box, kind = draw(drawn_boxes()), draw(st.sampled_from(["set", "row", "scale", "take"]))
    if kind == "scale":
        return lambda known: with_cells_scaled(known, "scores", AXES, box, 0.5)
    if kind == "take":
        return lambda known: with_cells_replaced(known, "scores", AXES, box, Copy, source={"query": 4})
    values = np.arange(box[-1].stop - box[-1].start, dtype=float) if kind == "row" else np.asarray(3.0)
    return lambda known: with_cells_replaced(known, "scores", AXES, box, Set, values=values)


def scores(records):
    return compute(PROBLEM.replace(interventions=records))["scores"]


@settings(deadline=None, max_examples=30, database=None)
@given(made=st.lists(changes(), min_size=1, max_size=4), hole=drawn_boxes())
def test_freed_cells_are_as_computed_and_all_others_stay(made, hole):
    records = ()
    for change in made:
        records = change(records)
    before, after = scores(records), scores(with_cells_free(records, "scores", AXES, SHAPE, hole))
    expected = before.copy()
    expected[hole] = PLAIN[hole]
    np.testing.assert_array_equal(after, expected)


def test_the_last_number_and_the_product_of_factors_count():
    box = tuple(slice(0, 1) for _ in SHAPE)
    once = with_cells_replaced((), "scores", AXES, box, Set, values=np.asarray(1.0))
    twice = with_cells_replaced(once, "scores", AXES, box, Set, values=np.asarray(2.0))
    assert scores(twice)[0, 0, 0, 0] == 2
    (halved,) = with_cells_scaled(with_cells_scaled((), "scores", AXES, box, 0.5), "scores", AXES, box, -3.0)
    assert halved.factor == -1.5
    off = halved.changed(enabled=False)
    assert with_cells_free((off, halved), "scores", AXES, SHAPE, box) == (off,)  # what is switched off is not lost


@each(
    ("record", "expected"),
    [
        ({"kind": "set", "at": {"head": 1, "query": 2}, "values": np.arange(7.0)}, lambda plain: np.arange(7.0)),
        (
            {"kind": "set", "at": {"head": (1, 3), "query": 2}, "values": np.ones((2, 1, 1)) * [[[4]], [[5]]]},
            lambda plain: 4,
        ),
        ({"kind": "scale", "at": {"head": 0, "query": 2}, "factor": 2.0}, lambda plain: plain[:, :, 2] * 2),
        ({"kind": "copy", "at": {"head": 0, "query": 2}, "source": {"head": 1}}, lambda plain: plain[:, 1:2, 2]),
    ],
)
def test_one_is_done_to_all_heads(record, expected):
    problem = PROBLEM.replace(interventions=[{"stage": "scores", **record}])
    found = compute(problem.replace(**for_all_heads(problem, 0)))["scores"]
    np.testing.assert_array_equal(found[:, :, 2], np.broadcast_to(expected(PLAIN), found[:, :, 2].shape))
    np.testing.assert_array_equal(np.delete(found, 2, 2), np.delete(PLAIN, 2, 2))


# --- rows of shares with one of them set by hand --------------------------------------------------
ROW = np.array([0.5, 0.0, 0.3, 0.2])


@each("dtype", ["float32", "float64"])
@each("share", [0.1, 1.0, -2.0, 1e200, np.inf, np.nan])
def test_what_had_no_share_has_none_whatever_is_set(share, dtype):
    """A closed key became NaN with an infinite weight beside it; a warning of NumPy is an error here."""
    found = rescale_row(ROW.astype(dtype), 2, share)
    assert found[1] == 0
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found[2], np.dtype(dtype).type(share))
    if abs(share) <= 2:
        assert found.sum() == pytest.approx(1, abs=float(16 * np.finfo(dtype).eps) * max(1.0, abs(share)))
        assert found[0] == pytest.approx(2.5 * found[3])


# --- entropy of rows ------------------------------------------------------------------------------
def test_known_rows() -> None:
    rows = [[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0] * 4, [np.nan, 0.5, 0.5, 0]]
    np.testing.assert_allclose(row_entropy(rows), [0, math.log(4), math.log(2), 0, np.nan], atol=1e-15)
    assert not np.isfinite(row_entropy([[1e308, 1e308], [np.inf, 0.0]])).any()
