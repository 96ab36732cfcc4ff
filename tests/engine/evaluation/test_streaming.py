"""Streaming equals dense: fresh and after edits, under every mask, with interventions, sinks and wild numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Evaluation, FieldError, Plane, Problem
from attn_gui.engine.evaluation import streaming
from attn_gui.engine.evaluation.choice import evaluation_of, is_long
from attn_gui.engine.evaluation.evaluation import BLIND, row_entropy
from attn_gui.engine.evaluation.pooling import block_edges as edges
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.streaming_kernels import StageKernel
from attn_gui.engine.graph import indices
from tests.failing import each

from .working import Working, apart, random_box, random_values, whole

CLOSE = 1e-12


@pytest.mark.family(8)
@pytest.mark.parametrize(("tile", "chunk"), [(1, 1), (2, 11), (7, 5), (None, None)])
def test_tiles_of_any_size(makers, computed_name, tile, chunk):
    problem = makers[computed_name]()
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=tile, chunk=chunk)
    assert streaming.stages == dense.stages
    assert apart(dense, streaming) < CLOSE
    for stage in dense.stages:
        assert (streaming.shape(stage), streaming.axes(stage)) == (dense.shape(stage), dense.axes(stage))


def test_blocks_in_any_order(makers, computed_name, rng):
    problem = makers[computed_name]()
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    for _ in range(40):
        stage = dense.stages[int(rng.integers(len(dense.stages)))]
        box = random_box(dense.shape(stage), rng, most=5)
        np.testing.assert_allclose(streaming.box(stage, box), dense.box(stage, box), rtol=1e-11, atol=1e-12)


@pytest.mark.family(4)
@pytest.mark.parametrize("complete", [True, False], ids=["complete", "on demand"])
def test_edits_of_every_field(makers, computed_name, rng, complete):
    working = Working(makers[computed_name]())
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


def test_what_is_reported_holds_every_change(makers, computed_name):
    working = Working(makers[computed_name]())
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


@pytest.mark.family(4)
def test_pictures(makers, computed_name, rng):
    working = Working(makers[computed_name]())
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
    with pytest.raises(FieldError, match=r"^The score additive takes too long for 8 heads of 65,536 × 65,536 cells"):
        evaluation_of(problem)


# --- interventions in long problems ---------------------------------------------------------------
N, M, HEADS, GROUPS, WIDTH, D_V = 37, 41, 4, 2, 5, 3
MASKS: dict[str, Any] = {
    "open": (),
    "causal": ({"kind": "causal", "align": "end"},),
    "padded": ({"kind": "padding", "lengths": 30}, {"kind": "custom", "allowed": np.arange(M) % 3 > 0}),
    "by head": ({"kind": "custom", "allowed": np.random.default_rng(6).random((HEADS, N, M)) < 0.5},),
    "biased": ({"kind": "bias", "values": np.linspace(-1, 1, M)[None]}, {"kind": "window", "left": 9, "right": 4}),
}


def records(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Interventions on stages of every sort: few rows and whole heads, numbers, factors and copies."""
    return [
        {"kind": "set", "stage": "weights", "at": {"head": 1, "query": 7, "key": 3}, "values": np.array(0.9)},
        {"kind": "set", "stage": "weights", "at": {"head": 0, "query": (3, 6)}, "values": rng.random(M)},
        {"kind": "scale", "stage": "weights", "at": {"head": 2}, "factor": -0.5},
        {"kind": "copy", "stage": "weights", "at": {"head": 3, "query": (5, 9)}, "source": {"head": 0}},
        {"kind": "set", "stage": "scaled", "at": {"head": 1, "query": 9, "key": (2, 8)}, "values": rng.normal(size=6)},
        {"kind": "scale", "stage": "scores", "at": {"head": 3, "key": 4}, "factor": 1.5},
        {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0},
        {"kind": "copy", "stage": "head_output", "at": {"head": 1}, "source": {"query": 2}},
        {"kind": "set", "stage": "query", "at": {"row": 5}, "values": rng.normal(size=HEADS * WIDTH)},
        {"kind": "scale", "stage": "key", "at": {"row": (2, 5), "column": (0, 3)}, "factor": 2.0},
        {"kind": "copy", "stage": "value", "at": {"row": 6}, "source": {"row": 0}},
        {"kind": "set", "stage": "concat", "at": {"query": 3}, "values": np.array(1.5)},
    ]


class Story:
    """A long problem that is edited, and given interventions and rid of them, step by step."""

    def __init__(self, seed: int, mask: str) -> None:
        self.rng = rng = np.random.default_rng(seed)
        sizes = {"query": (N, HEADS * WIDTH), "key": (M, GROUPS * WIDTH), "value": (M, GROUPS * D_V)}
        self.arrays = {name: rng.normal(size=shape) for name, shape in sizes.items()}
        heads = {"num_heads": HEADS, "num_kv_heads": GROUPS}
        self.fields = {**heads, "mask": Problem(**self.arrays, **heads, mask=MASKS[mask]).mask}
        if seed % 2:
            self.fields |= {"softcap": 3.0, "w_output": rng.normal(size=(HEADS * D_V, 5))}
        self.pool, self.chosen = records(rng), ()
        if mask != "open":
            values = np.where(rng.random(M) < 0.5, -np.inf, rng.normal(size=M))
            self.pool.append({"kind": "set", "stage": self.masked, "at": {"head": 2, "query": 4}, "values": values})
        self.evaluation = StreamingEvaluation(self.problem, tile=8, chunk=16)

    masked = "masked"

    @property
    def problem(self) -> Problem:
        return Problem.over({**self.arrays, **self.fields, "interventions": self.chosen})

    def step(self, add: bool) -> None:
        move, changed = int(self.rng.integers(6)), {}
        if add or move == 0:
            self.chosen = (*self.chosen, self.pool[int(self.rng.integers(len(self.pool)))])
        elif move == 1 and self.chosen:
            gone = int(self.rng.integers(len(self.chosen)))
            self.chosen = self.chosen[:gone] + self.chosen[gone + 1 :]
        elif move == 2 and self.chosen:  # switched off or on, and the others in another order
            first, *others = self.chosen
            self.chosen = (*others, {**first, "enabled": not first.get("enabled", True)})
        elif move == 3:
            asked = iter(range(int(self.rng.integers(3))))
            self.evaluation.settle(cancelled=lambda: next(asked, None) is None)
        else:
            field = ("query", "key", "value")[int(self.rng.integers(3))]
            place = tuple(int(self.rng.integers(length)) for length in self.arrays[field].shape)
            self.arrays[field][place] = self.rng.normal() * 2
            changed = {field: [indices.cell(place)]}
        self.evaluation.update(self.problem, changed)


def close(one: np.ndarray, other: np.ndarray) -> bool:
    return np.allclose(one, other, rtol=1e-8, atol=1e-10, equal_nan=True)


@pytest.mark.family(3)
@pytest.mark.parametrize(("mask", "seed"), [(mask, k % 2 + 1) for k, mask in enumerate((*MASKS, *list(MASKS)[:3]))])
@pytest.mark.parametrize("few", [64, 2])
def test_whatever_comes_and_goes_every_stage_is_that_of_the_dense_evaluation(seed, mask, few, monkeypatch):
    monkeypatch.setattr(streaming, "FEW", few)
    story = Story(seed, mask)
    for number in range(12):
        story.step(add=number < 2)
        dense = DenseEvaluation(story.problem)
        for stage in dense.stages:
            assert close(whole(story.evaluation, stage), whole(dense, stage)), stage
        for stage in (stage for stage in dense.stages if dense.node(stage).stage.per_head):
            for head in range(HEADS):
                assert_pictured(story.evaluation, dense, stage, head)
        for head in range(HEADS):
            assert_entropies(story.evaluation, dense, head)
    assert story.evaluation.complete()
    assert story.evaluation.settle()
    fresh = StreamingEvaluation(story.problem, tile=8, chunk=16)
    for stage in fresh.stages:
        assert np.array_equal(whole(story.evaluation, stage), whole(fresh, stage), equal_nan=True), stage


def assert_pictured(evaluation: StreamingEvaluation, dense: Evaluation, stage: str, head: int) -> None:
    """Every block shows the number of largest magnitude among its open cells."""
    width = dense.shape(stage)[-1]
    values, allowed = evaluation.pooled(stage, 0, head, 6, 7)
    cells = dense.block(stage, 0, head, slice(0, N), slice(0, width))
    flags = dense.allowed(0, head, slice(0, N), slice(0, M)) if dense.node(stage).stage.behind_mask else None
    flags = np.ones(cells.shape, bool) if flags is None else flags
    down, across = edges(N, 6), edges(width, 7)
    for i, j in np.ndindex(6, len(across) - 1):
        place = slice(down[i], down[i + 1]), slice(across[j], across[j + 1])
        inside = cells[place][flags[place]]
        assert allowed is None or allowed[i, j] == bool(inside.size)
        if inside.size:
            assert close(np.abs(values[i, j]), np.abs(inside).max()), (stage, head, i, j)


def assert_entropies(evaluation: StreamingEvaluation, dense: Evaluation, head: int) -> None:
    weights = dense.block("weights", 0, head, slice(0, N), slice(0, M))
    with np.errstate(all="ignore"):
        expected = np.where((weights == 0).all(axis=1), -1.0, row_entropy(weights))
        assert close(evaluation.entropies(0, head, slice(0, N)), expected)


@pytest.mark.parametrize(("stage", "at"), [("weights", {"head": 3, "query": 10}), ("head_output", {"head": 3})])
def test_one_row_costs_no_more_than_that_row_and_a_head_switched_off_costs_nothing(stage, at):
    rng = np.random.default_rng(7)
    arrays = {name: rng.normal(size=(211, HEADS * WIDTH)) for name in ("query", "key", "value")}
    evaluation = StreamingEvaluation(Problem(**arrays, num_heads=HEADS), tile=16)
    evaluation.complete()
    record = {"kind": "scale", "stage": stage, "at": at, "factor": 0.0}
    found = evaluation.update(Problem(**arrays, num_heads=HEADS, interventions=[record]), {})
    assert sum(found.cells.values()) <= 5 * 211 + 211
    assert all(evaluation.known(0, head).all() for head in range(HEADS)), "nothing is left to be computed later"
    assert close(whole(evaluation, "output"), whole(DenseEvaluation(evaluation.problem), "output"))


def test_a_bound_that_grows_touches_rows_that_the_edited_key_does_not_reach():
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(size=(N, WIDTH)) for name in ("query", "key", "value")}
    make = {"mask": ({"kind": "causal"},)}
    evaluation = StreamingEvaluation(Problem(**arrays, **make), tile=8, chunk=16)
    evaluation.complete()
    arrays["key"][N - 1] *= 4
    evaluation.update(Problem(**arrays, **make), {"key": [(slice(N - 1, N), slice(0, WIDTH))]})
    assert evaluation.settle()
    fresh = StreamingEvaluation(Problem(**arrays, **make), tile=8, chunk=16)
    for stage in fresh.stages:
        assert np.array_equal(whole(evaluation, stage), whole(fresh, stage)), stage


def test_what_others_are_named_by_moves_with_their_place():
    """Numbers of an intervention are read by its place among all: one in front may go though no cell changes."""
    records = [
        {"kind": "set", "stage": "head_output", "at": {"query": 5}, "values": np.arange(WIDTH), "enabled": False},
        {"kind": "set", "stage": "weights", "at": {"query": 2}, "values": np.linspace(0, 1, N)},
    ]
    rng = np.random.default_rng(7)
    arrays = {name: rng.normal(size=(N, WIDTH)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, mask=MASKS["causal"], interventions=records)
    evaluation = StreamingEvaluation(problem)
    evaluation.complete()
    for chosen in (records[1:], records, records[::-1]):
        problem = problem.replace(interventions=chosen)
        evaluation.update(problem, {})
        problem = problem.replace(query=-problem.query)
        evaluation.update(problem, {"query": [indices.whole(problem.query.shape)]})
        dense = DenseEvaluation(problem)
        assert all(close(whole(evaluation, stage), whole(dense, stage)) for stage in dense.stages)


# --- sinks of long sequences ----------------------------------------------------------------------
H, ROWS, KEYS = 3, 7, 11


def made(sink, dtype="float64", **more):
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(rows, H * 2)) for name, rows in (("query", ROWS), ("key", KEYS), ("value", KEYS))}
    return Problem(**arrays, num_heads=H, sink=sink, dtype=dtype, **more)


WILD = {"far below": -1e4, "far above": 1e4, "beyond": 1e308, "none": -np.inf, "inf": np.inf, "nan": np.nan}


@each("wild", WILD)
@each("layer", [{}, {"mask": ({"kind": "causal"},)}, {"mask": ({"kind": "padding", "lengths": 0},)}])
def test_a_wild_sink_gives_what_a_short_sequence_has(wild, layer):
    problem = made([WILD[wild], 0.5, -0.5], **layer)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    for stage in ("weights", "head_output", "output"):
        np.testing.assert_allclose(whole(streaming, stage), whole(dense, stage), rtol=1e-12, atol=1e-300)


@each("wild", WILD)
def test_a_picture_beside_a_wild_sink_is_that_of_a_short_sequence(wild):
    problem = made([WILD[wild], 0.5, -0.5])
    found, _ = StreamingEvaluation(problem, tile=3, chunk=4).pooled("weights", 0, 0, ROWS, KEYS)
    expected = DenseEvaluation(problem).block("weights", 0, 0, slice(0, ROWS), slice(0, KEYS))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


@each("dtype", ["float64", "float32"])
@each("value", [np.inf, np.nan])
def test_a_sink_that_takes_all_weight_keeps_a_wild_value_out(value, dtype):
    problem = made([1e4, 60.0, np.inf], dtype, scale=40.0)
    values = np.array(problem.value)
    values[3] = value
    problem = problem.replace(value=values)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem, tile=3, chunk=4)
    found, expected = (whole(one, "head_output") for one in (streaming, dense))
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-30)


def test_the_entropy_is_that_of_the_weights_of_keys_alone():
    problem = made([0.3, -1.0, 2.0], mask=({"kind": "causal"}, {"kind": "window", "left": 3, "right": -1}))
    streaming = StreamingEvaluation(problem, tile=3, chunk=4)
    for head in range(H):
        weights = whole(streaming, "weights")[0, head]
        found = streaming.entropies(0, head, slice(0, ROWS))
        expected = np.where((weights != 0).any(axis=1), row_entropy(weights), BLIND)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


# --- A NaN or infinity in a key or value costs no more than a number ------------------------------
LONG, WIDE_KEYS, EIGHT = 300, 320, 2
TILE, CHUNK = 64, 100
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal"},)},
    "causal, ends with the last": {"mask": ({"kind": "causal", "align": "end"}, {"kind": "alibi"})},
    "softcap": {"softcap": 3.0},
    "shared heads": {"num_kv_heads": 1},
    "float32": {"dtype": "float32"},
    "large": {"scale": 40.0},
    "so large that weights vanish": {"scale": 300.0},
    "temperature": {"temperature": 0.3},
    "rotary": {"rotary_theta": 100.0},
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


@pytest.mark.family(10)
@pytest.mark.parametrize("field", ["key", "value"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_wild_number_says_what_the_dense_evaluation_says_and_is_undone(name, field):
    working = Working(problem_of(**VARIANTS[name]), TILE, CHUNK)
    tolerance = 1e-4 if name == "float32" else 1e-10
    working.evaluation.complete()
    for place, wild in (((7, 2), np.nan), ((WIDE_KEYS - 1, 1), np.inf), ((7, 3), -np.inf)):
        for number in (wild, -wild, working.arrays[field][place]):
            working.write(field, indices.cell(place), number)
            working.evaluation.complete()
            same(working.evaluation, working.problem(), tolerance)
    working.evaluation.settle()
    for stage in ("weights", "head_output"):
        np.testing.assert_array_equal(working.stage(stage), whole(working.fresh(), stage))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(("field", "name"), [("key", "plain"), ("value", "plain"), ("value", "causal")])
def test_a_wild_number_needs_no_slow_pass(monkeypatch, field, name, value):
    """Neither when it is typed, nor when what was updated is settled, nor when it is undone."""
    working = Working(problem_of(**VARIANTS[name]), TILE, None)
    working.evaluation.complete()

    def slow(*_):
        raise AssertionError("rows go through the stages one by one")

    monkeypatch.setattr(StageKernel, "tile", slow)
    if field == "key":
        monkeypatch.setattr(StreamingEvaluation, "block", slow)
        working.write("key", indices.cell((7, 2)), value)
        assert working.evaluation.complete()
        lost = np.isnan(working.evaluation.entropies(0, 0, slice(0, LONG)))
        assert lost.all() if np.isnan(value) else 0 < lost.sum() < LONG
        return
    for number in (value, working.arrays["value"][7, 2]):
        working.write("value", indices.cell((7, 2)), number)
        if number is value:
            assert working.evaluation.known(0, 0).all()  # no row is left to be computed again
        assert working.evaluation.complete()
        assert working.evaluation.settle()
        lost = ~np.isfinite(working.stage("head_output")[0, 0, :, 2])
        assert lost.tolist() == [number is value and (name == "plain" or row >= 7) for row in range(LONG)]


def test_wild_values_of_many_keys_are_right(rng):
    working = Working(problem_of(**VARIANTS["causal"]), TILE, CHUNK)
    working.arrays["value"][rng.integers(0, WIDE_KEYS, 40), rng.integers(0, 8, 40)] = np.nan
    working.arrays["value"][rng.integers(0, WIDE_KEYS, 4), rng.integers(0, 8, 4)] = np.inf
    expected = whole(DenseEvaluation(working.problem()), "head_output")
    np.testing.assert_allclose(whole(working.fresh(), "head_output"), expected)


@each("value", [np.inf, np.nan, 1.7e308, 1.0])
@each("added", [-1e4, -3e38])
def test_a_picture_of_weights_beside_a_wild_value_shows_them(value, added):
    """Z must not be lost in the maximum that is taken off, which is so large that log Z is no digit of it."""
    working = Working(problem_of(mask=({"kind": "bias", "values": np.full((1, WIDE_KEYS), added)},)), TILE, CHUNK)
    working.arrays["value"][7, 2] = value
    evaluation = working.fresh()
    evaluation.complete()
    picture, _ = evaluation.pooled("weights", 0, 0, LONG, WIDE_KEYS)
    np.testing.assert_allclose(
        picture, working.fresh().block("weights", 0, 0, slice(0, LONG), slice(0, WIDE_KEYS)), rtol=1e-10
    )
    np.testing.assert_allclose(picture.sum(axis=1), 1.0)


@pytest.mark.parametrize(("dtype", "huge"), [("float64", 1e308), ("float32", 2e38)])
def test_a_mean_stays_a_number_where_an_edit_makes_the_sum_too_large_for_one(dtype, huge):
    problem = problem_of(dtype=dtype)
    working = Working(problem.replace(query=np.ones_like(problem.query)), TILE, CHUNK)
    working.evaluation.complete()
    working.write("key", (slice(0, 1), slice(0, problem.key.shape[1])), 5.0)  # far above what was taken off before
    working.write("value", (slice(0, 1), slice(2, 3)), huge)
    found, dense = working.stage("head_output"), whole(DenseEvaluation(working.problem()), "head_output")
    assert np.isfinite(dense).all()
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, dense, rtol=tolerance, atol=tolerance)
