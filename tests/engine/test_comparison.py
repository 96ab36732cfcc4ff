"""Two problems side by side: differences are exact, boxes hold what moved, blame finds the change."""

import numpy as np
import pytest

from attn_gui.engine import (
    DenseEvaluation,
    FieldTypeError,
    Plane,
    Problem,
    ShapeError,
    StageError,
    compare,
    compute,
    explain,
)
from attn_gui.engine.analysis.sensitivity import sensitivity
from attn_gui.engine.comparison import READY, alike
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.proxies import MAPS, Difference
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from tests.engine.conftest import COMPUTED
from tests.failing import each

H, N, M, D, V = 3, 13, 17, 5, 7


def small(rng, **more):
    arrays = {"query": rng.normal(size=(N, H * D)), "key": rng.normal(size=(M, H * D))}
    return Problem(**arrays, value=rng.normal(size=(M, H * V)), num_heads=H, **more)


def stirred(problem, rng):
    """The same problem with a few cells of every matrix moved."""
    found = {}
    for name, array in problem.arrays().items():
        if "." not in name:
            other = array.copy()
            other.reshape(-1)[rng.integers(0, other.size, 3)] += rng.normal(size=3)
            found[name] = other
    return problem.replace(**found)


def held(boxes, shape):
    flags = np.zeros(shape, int)
    for box in boxes:
        flags[box] += 1
    assert flags.max(initial=0) <= 1, "a cell is told twice"
    return flags.astype(bool)


@each("name", COMPUTED, one_of=4)
def test_a_difference_is_after_less_before_at_every_stage(name, makers, rng):
    before = makers[name]()
    after = stirred(before, rng)
    comparison, one, other = compare(before, after), compute(before), compute(after)
    assert comparison.stages == one.stages
    for stage in one.stages:
        with np.errstate(invalid="ignore"):
            expected = other[stage] - one[stage]
        assert np.array_equal(comparison[stage], expected, equal_nan=True), stage
        assert not comparison[stage].flags.writeable


def test_boxes_hold_exactly_what_moved(rng):
    before = small(rng, mask=[{"kind": "causal"}])
    query, value = before.query.copy(), before.value.copy()
    query[4, D + 2] += 1  # head 1
    value[3, 2 * V] += 1  # head 2
    after = before.replace(query=query, value=value)
    comparison, one, other = compare(before, after), compute(before), compute(after)
    for stage in one.stages:
        flags = (one[stage] != other[stage]) & ~(np.isnan(one[stage]) & np.isnan(other[stage]))
        assert np.array_equal(held(comparison.moved(stage), flags.shape), flags), stage
    assert comparison.moved("key") == []
    assert comparison.moved("weights") == [tuple(map(slice, (0, 1, 4, 0), (1, 2, 5, 5)))]


def test_other_shapes_are_refused_by_the_names_of_their_axes(rng):
    before = small(rng)
    comparison = compare(before, before.replace(key=before.key[:-2], value=before.value[:-2]))
    assert "weights" not in comparison
    assert "output" in comparison
    for read in (comparison.__getitem__, comparison.moved):
        with pytest.raises(ShapeError, match=r"^weights cannot be compared: .* other in key\.$") as clash:
            read("weights")
        assert clash.value.axes == ("key",)
    with pytest.raises(StageError, match="'residual' is not a stage"):
        comparison["residual"]
    with pytest.raises(TypeError, match="compare takes a problem"):
        compare(before, compute(before))


@each("made", [DenseEvaluation, StreamingEvaluation])
@each("mask", [(), ({"kind": "causal"},)])
def test_a_plane_of_a_difference_is_read_like_any_other(made, mask, rng):
    after = small(rng, mask=mask)
    before = stirred(after, rng).replace(mask=[{"kind": "window", "left": 3, "right": 2}])
    one, other = made(before), made(after)
    face = Difference(one, other)
    for stage, head in (("weights", 1), ("masked", 2), ("head_output", 0), ("output", None), ("key", 2)):
        plane = Plane(face, stage, 0, head)
        assert plane.signed
        rows, columns = slice(2, plane.shape[0] - 1), slice(1, plane.shape[1] - 2)
        names = face.pair(stage)
        sides = [side.block(name, 0, head, rows, columns) for side, name in zip((one, other), names, strict=True)]
        with np.errstate(invalid="ignore"):
            expected = sides[1] - sides[0]
        values, allowed = plane.block(rows, columns)
        assert np.array_equal(values, expected, equal_nan=True)
        if mask and STAGES_BEHIND[stage]:
            closed = [side.allowed(0, head, rows, columns) for side in (one, other)]
            assert np.array_equal(allowed, closed[0] | closed[1])
        if plane.draws_pictures:
            whole = plane.block(slice(0, plane.shape[0]), slice(0, plane.shape[1]))
            values, allowed = pool(*whole, 4, 3)
            found = plane.pooled(4, 3)
            opened = np.ones((4, 3), bool) if allowed is None else allowed
            assert np.array_equal(found[0][opened], values[opened], equal_nan=True)
            assert (found[1] is None) == (allowed is None)
            part = plane.pooled(4, 3, (slice(1, 3), slice(0, 2)))[0]
            assert np.array_equal(part, found[0][1:3, :2], equal_nan=True)


STAGES_BEHIND = {"weights": True, "masked": True, "head_output": False, "output": False, "key": False}


def test_numbers_masks_and_sizes_are_suspected_too(rng):
    before = small(rng)
    after = before.replace(scale=3.0, mask=[{"kind": "causal"}], query_tokens=[str(k) for k in range(N)])
    suspects = {suspect.field for suspect in compare(before, after).blame("weights", (0, 1, 4, 2))}
    assert suspects == {"scale", "mask"}, "tokens move no number"
    (fewer,) = compare(before, before.replace(num_heads=1)).blame("output", (0, 2, 3))
    assert (fewer.share, "num_heads" in fewer.field) == (1.0, True)


def test_a_vector_with_many_other_numbers_is_one_suspect(rng):
    wide = {f"w_{part}": rng.normal(size=(D, 200)) for part in ("query", "key", "value")}
    before = Problem(x=rng.normal(size=(N, D)), **wide, b_query=rng.normal(size=200))
    after = before.replace(b_query=before.b_query + np.arange(200) % 2)
    (suspect,) = compare(before, after).blame("scores", (0, 0, 4, 2))
    assert (suspect.field, suspect.box, suspect.share) == ("b_query", (slice(1, 200),), 1.0)


# --- ready made ----------------------------------------------------------------------------------
def test_boxes_of_a_large_random_change_are_looked_for_no_longer_than_they_count(rng, monkeypatch):
    """The first 65 of 4,096 × 4,096 cells took four seconds and 600 MB, since all of them were found."""
    flags, looked_at, nonzero = rng.random((2048, 2048)) < 0.5, [], np.nonzero
    monkeypatch.setattr(np, "nonzero", lambda cells: looked_at.append(cells.size) or nonzero(cells))
    assert len(indices.exact_parts(flags, indices.whole(flags.shape))) == 1
    assert sum(looked_at) < flags.size / 10


def test_ready_made_problems_lack_one_thing_and_copy_nothing(rng):
    problem = small(rng, mask=[{"kind": "causal"}])
    assert READY["with-scale"].made(problem) == problem.replace(scale=1.0)
    assert READY["with-mask"].made(problem) == problem.replace(mask=())
    assert READY["with-interventions"].made(problem) == problem
    for ready in READY.values():
        assert ready.applies(problem) == (ready.key != "with-interventions")
        assert np.shares_memory(ready.made(problem).query, problem.query)
    plain = problem.replace(scale=1.0, mask=[{"kind": "causal", "enabled": False}])
    assert [ready.key for ready in READY.values() if ready.applies(plain)] == ["with-head"]


def test_a_stage_before_its_interventions_is_compared_as_it_was_computed(rng):
    plain = small(rng)
    double = plain.replace(interventions=[{"kind": "scale", "stage": "weights", "factor": 2.0}])
    for before, after in ((plain, double), (double, plain)):
        comparison = compare(before, after)
        assert comparison["weights"].any()
        assert not comparison.difference.computed("weights").any()
        assert np.array_equal(comparison.difference.computed("scores"), comparison["scores"])


def test_a_head_that_is_off_takes_its_share_of_the_output_along(rng):
    problem = small(rng, w_output=rng.normal(size=(H * V, 11)), mask=[{"kind": "causal"}])
    comparison = compare(READY["with-head"].made(problem, 1), problem)
    share = compute(problem)["head_output"][:, 1] @ problem.w_output[V : 2 * V]
    assert comparison["output"] == pytest.approx(share, abs=1e-13)
    assert not comparison["weights"].any()
    marked = problem.replace(interventions=[{"kind": "set", "stage": "weights", "at": {"query": 3}, "values": 0.5}])
    bare = READY["with-interventions"].made(marked)
    assert compare(bare, marked).moved("weights") == [tuple(map(slice, (0, 0, 3, 0), (1, H, 4, M)))]
    (suspect,) = compare(bare, marked).blame("output", (0, 3, 2))
    assert (suspect.field, suspect.share) == ("interventions", 1.0)


# --- blame ---------------------------------------------------------------------------------------
def edited(rng, before):
    """After six edits of which one alone can move the cell much; (after, where, the guilty field and box)."""
    row, column, head = (int(rng.integers(size)) for size in (N, M, H))
    arrays = {name: before.arrays()[name].copy() for name in ("query", "key", "value")}
    guilty = str(rng.choice(["query", "key"]))
    place = {"query": row, "key": column}[guilty], head * D + int(rng.integers(D))
    arrays[guilty][place] += 3.0 * rng.choice([-1, 1])
    for name, width, own in (("query", D, row), ("key", D, column), ("value", V, -1)):
        lines = [line for line in range(len(arrays[name])) if line != own]
        other = (head + 1) % H if rng.random() < 0.5 else head
        cell = int(rng.choice(lines)), other * width + int(rng.integers(width))
        arrays[name][cell] += 0.01 if other == head else 5.0
    return before.replace(**arrays), (0, head, row, column), guilty, place


@each("seed", range(25), one_of=3)
def test_blame_names_the_responsible_edit_first(seed):
    rng = np.random.default_rng(seed)
    before = small(rng)
    after, index, guilty, place = edited(rng, before)
    suspects = compare(before, after).blame("scores", index)
    assert suspects[0].field == guilty
    assert indices.contains(suspects[0].box, indices.cell(place))  # a neighbor that was edited too may be in it
    restored = after.arrays()[guilty].copy()
    restored[suspects[0].box] = before.arrays()[guilty][suspects[0].box]
    without = compute(after.replace(**{guilty: restored}))["scores"][index]
    assert suspects[0].moved == pytest.approx(compute(after)["scores"][index] - without, rel=1e-12)
    assert sum(suspect.share for suspect in suspects) == pytest.approx(1)
    assert suspects[0].share > 0.9


@each("seed", range(4))
def test_every_step_of_a_history_is_left_out_alone(seed):
    """Judged by doing all other steps again, one after the other."""
    rng = np.random.default_rng(seed)
    start, index = small(rng), (0, 1, 4, 6)
    edits = [(str(rng.choice(["query", "key"])), int(rng.integers(3, 7)), D + int(rng.integers(D))) for _ in range(5)]
    values = rng.normal(size=len(edits))

    def done(left_out=None):
        states = [start]
        for step, ((field, row, column), value) in enumerate(zip(edits, values, strict=True)):
            array = states[-1].arrays()[field].copy()
            if step != left_out:
                array[row, column] = value
            states.append(states[-1].replace(**{field: array}))
        return states

    states = done()
    suspects = compare(states[0], states[-1]).blame("scores", index, between=states[1:-1])
    now = compute(states[-1])["scores"][index]
    expected = {step: now - compute(done(step)[-1])["scores"][index] for step in range(len(edits))}
    assert {suspect.step: suspect.moved for suspect in suspects} == pytest.approx(expected, abs=1e-12)


RECORDS = {
    "a": {"kind": "set", "stage": "weights", "at": {"query": 4}, "values": 0.5},
    "b": {"kind": "set", "stage": "scaled", "at": {"query": 4, "key": 1}, "values": 2.5},
    "c": {"kind": "scale", "stage": "query", "at": {"row": 4}, "factor": 1.5},
    "d": {"kind": "scale", "stage": "scores", "at": {"query": 4}, "factor": 0.75},
}


@each(
    ("history", "without"),  # the records that are left if one step had not been made, step by step
    [
        (("", "c", "cd", "d"), ("d", "", "cd")),
        (("cd", "d", "db"), ("cdb", "d")),
        (("c", "d", "b"), ("b", "d")),
        (("bcd", "bd", "bdc", "dc"), ("dc", "d", "bdc")),
    ],
)
def test_a_step_of_records_takes_its_own_back_alone(rng, history, without):
    bare = small(rng)
    made = {text: bare.replace(interventions=[RECORDS[key] for key in text]) for text in (*history, *without)}
    first, *between, last = (made[text] for text in history)
    suspects = compare(first, last).blame("output", (0, 4, 2), between=between)
    now = compute(last)["output"][0, 4, 2]
    expected = {step: now - compute(made[text])["output"][0, 4, 2] for step, text in enumerate(without)}
    assert {suspect.step: suspect.moved for suspect in suspects} == pytest.approx(expected, abs=1e-12)


def test_a_change_that_leaves_infinity_where_it_was_has_moved_nothing(rng):
    before = small(rng)
    key, query = before.key.copy(), before.query.copy()
    key[0, 0], query[3, 0] = np.inf, 5.0
    suspects = compare(before, before.replace(key=key, query=query)).blame("scores", (0, 0, 0, 0))
    assert [suspect.field for suspect in suspects] == ["key", "query"]
    assert suspects[1].moved == 0.0
    assert alike(np.nan, np.nan)
    assert not alike(np.nan, 1.0)


# --- derived maps of two problems side by side ----------------------------------------------------


def pair(rng, **more):
    before = Problem(
        query=rng.normal(size=(3, 6)),
        key=rng.normal(size=(5, 6)),
        value=rng.normal(size=(5, 4)),
        w_output=rng.normal(size=(4, 7)),
        num_heads=2,
        **more,
    )
    return before, before.replace(query=2 * before.query, w_output=before.w_output[:, ::-1])


@each("stage", MAPS)
def test_a_derived_map_is_compared_with_itself(stage, rng):
    before, after = pair(rng)
    comparison, expected = compare(before, after), compute(after)[stage] - compute(before)[stage]
    assert expected.any()
    np.testing.assert_array_equal(comparison[stage], expected)
    place = (0, 1) if "head" in compute(after).axes(stage) else (0,)
    part = comparison.difference.block(stage, 0, 1 if len(place) > 1 else None, slice(0, 2), slice(1, 4))
    np.testing.assert_array_equal(part, expected[*place, :2, 1:4])
    told = np.zeros(expected.shape, bool)
    for box in comparison.moved(stage):
        told[box] = True
    assert told[expected != 0].all()
    assert list(comparison) == list(compute(after))  # it is no step of the computation


def test_a_difference_is_not_explained_as_if_it_were_a_state(rng):
    comparison = compare(*pair(rng))
    for ask in (explain, sensitivity):
        with pytest.raises(FieldTypeError, match=r"take comparison\.before or comparison\.after\.$"):
            ask(comparison.difference, "scores", (0, 0, 1, 2))
        ask(comparison.after, "scores", (0, 0, 1, 2))
