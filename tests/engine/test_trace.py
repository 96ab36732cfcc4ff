"""The faces of the engine: traces, planes, blocks, prints, and calls that are refused with the right one."""

import html
from collections.abc import Mapping

import numpy as np
import pytest

import attn_gui
from attn_gui.engine import (
    DenseEvaluation,
    FieldError,
    FieldTypeError,
    PlaceError,
    Plane,
    Problem,
    StageError,
    compute,
    explain,
    sensitivity,
    solve,
    verify,
)
from attn_gui.engine.graph import indices
from tests.failing import each


def test_a_trace_has_every_stage_with_its_batch_axis(makers):
    trace = compute(makers["all"]())
    assert trace.axes("query") == ("batch", "row", "column")
    assert trace.axes("weights") == ("batch", "head", "query", "key")
    assert trace.axes("head_output") == ("batch", "head", "query", "column")
    assert trace.axes("output") == ("batch", "query", "column")
    assert trace["query"].shape == (3, 7, 40)
    assert np.array_equal(trace["output"], trace["concat"])
    assert trace.problem == makers["all"]()
    assert "residual" not in trace
    with pytest.raises(ValueError, match="read-only"):
        trace["weights"][0, 0, 0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        trace.allowed[0, 0, 0, 0] = True
    with pytest.raises(StageError, match="'residual' is not a stage"):
        trace["residual"]


@pytest.mark.long
def test_past_two_gigabytes_a_trace_gives_blocks_only():
    zeros = np.zeros((16500, 1))
    zeros[3] = 1
    trace = compute(Problem(query=zeros, key=zeros, value=zeros))
    with pytest.raises(FieldError, match=r"^scores would take 2.0 GB: read it in parts with trace.block\.$"):
        trace["scores"]
    assert trace.block("scores", 0, 0, slice(2, 5), slice(3, 5)).tolist() == [[0, 0], [1, 0], [0, 0]]
    assert trace["output"][0, 0, 0] == pytest.approx(1 / 16500)


def test_blocks_and_head_columns(makers):
    evaluation = DenseEvaluation(makers["all"]())
    assert evaluation.head_columns("query", 7) == slice(28, 32)
    assert evaluation.head_columns("rotated_key", 7) == slice(4, 8)
    assert evaluation.head_columns("value", 4) == slice(0, 17)
    assert evaluation.head_columns("concat", 7) == slice(119, 136)
    assert evaluation.head_columns("weights", 7) == slice(0, 11)
    key = evaluation.box("key", indices.whole(evaluation.shape("key")))
    assert np.array_equal(evaluation.block("key", 1, None, slice(2, 4), slice(None)), key[1, 2:4])
    assert np.array_equal(evaluation.block("key", 1, 7, slice(2, 4), slice(1, 3)), key[1, 2:4, 5:7])
    weights = evaluation.box("weights", indices.whole(evaluation.shape("weights")))
    assert np.array_equal(evaluation.block("weights", 1, 7, slice(2, 4), slice(0, 99)), weights[1, 7, 2:4])
    with pytest.raises(FieldError, match="weights has a map for every head"):
        evaluation.block("weights", 0, None, slice(None), slice(None))
    assert evaluation.allowed(1, 7, slice(2, 4), slice(0, 5)).shape == (2, 5)
    assert DenseEvaluation(makers["plain"]()).allowed(0, 0, slice(None), slice(None)) is None


@each("transposed", [False, True])
@each(("stage", "head"), [("weights", 7), ("key", 7), ("key", None), ("head_output", 3)])
def test_a_plane_shows_one_head_of_one_item(makers, stage, head, transposed):
    evaluation = DenseEvaluation(makers["all"]())
    plane = Plane(evaluation, stage, batch=2, head=head, transposed=transposed)
    rows, columns = plane.shape
    values, allowed = plane.block(slice(0, rows), slice(0, columns))
    assert values.shape == (rows, columns)
    assert (allowed is not None) == (stage == "weights")
    for row, column in [(0, 0), (rows - 1, columns - 1), (1, 2)]:
        assert values[row, column] == evaluation.box(stage, indices.cell(plane.index(row, column))).item()
        assert plane.cells(indices.cell(plane.index(row, column))) == (slice(row, row + 1), slice(column, column + 1))
    assert plane.cells(indices.whole(evaluation.shape(stage))) == (slice(0, rows), slice(0, columns))
    assert plane.cells((slice(0, 2), *indices.whole(evaluation.shape(stage))[1:])) is None
    assert plane.signed == (stage != "weights")


@pytest.mark.parametrize(
    ("record", "signed"),
    [
        ({"kind": "set", "values": 0.9}, False),
        ({"kind": "set", "values": 1.5}, True),
        ({"kind": "set", "values": -0.5}, True),
        ({"kind": "set", "values": np.nan}, True),
        ({"kind": "scale", "factor": 0}, False),
        ({"kind": "scale", "factor": 2.0}, True),
        ({"kind": "copy", "source": {"query": 1}}, False),
    ],
)
def test_weights_set_by_hand_are_weights_as_long_as_they_lie_between_0_and_1(record, signed):
    record = {"stage": "weights", "at": {"query": 0, "key": 0}, **record}
    evaluation = DenseEvaluation(Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2), interventions=[record]))
    assert Plane(evaluation, "weights").signed == signed


# --- problems -------------------------------------------------------------------------------------


@pytest.fixture
def problem(rng):
    return Problem(
        query=rng.normal(size=(3, 4)),
        key=rng.normal(size=(5, 4)),
        value=rng.normal(size=(5, 6)),
        num_heads=2,
        mask=({"kind": "causal", "align": "end"}, {"kind": "bias", "values": np.zeros((3, 5)), "enabled": False}),
        score="gaussian",
        scale=0.5,
        query_tokens=["a", "<b>", "c"],
        dtype="float32",
    )


def test_a_problem_prints_all_that_is_not_default(problem):
    assert repr(problem) == (
        "Problem(query (3, 4), key (5, 4), value (5, 6), num_heads=2, score='gaussian', "
        "score_params={w=1.0, key_norm=1.0}, scale=0.5, "
        "mask=(causal(align='end'), bias(enabled=False, values (3, 5))), query_tokens=3 texts, dtype='float32')"
    )
    assert repr(problem.score_params) == "Record(w=1.0, key_norm=1.0)"
    found = verify(problem)
    assert found.worst == max(check.difference for check in found.stages) < 1e-6
    assert repr(found).startswith("Report(ok=True, worst=")
    assert [line.split()[0] for line in str(found).splitlines()[1:] if line][: len(found.stages)] == [
        check.stage for check in found.stages
    ]


def test_a_trace_is_a_mapping_that_computes_nothing_but_what_is_read(problem, monkeypatch):
    trace = compute(problem)
    monkeypatch.setattr(type(trace.evaluation), "box", None)
    assert isinstance(trace, Mapping)
    assert list(trace) == trace._ipython_key_completions_() == list(trace.stages)
    assert trace.get("capped") is None
    assert trace.shape("weights") == (1, 2, 3, 5)
    assert trace == trace  # without comparing stages
    assert trace != compute(problem)
    assert "weights      batch 1 × head 2 × query 3 × key 5" in repr(trace)
    assert repr(trace).startswith(f"Trace of {problem!r}\n")


def test_a_notebook_shows_a_picture_and_shapes_and_no_tags_of_tokens(problem, qapp):
    for shown in (problem, compute(problem)):
        assert shown._repr_png_().startswith(b"\x89PNG")
        page = shown._repr_html_()
        assert "<img" in page
        assert "<b>c" not in page
    assert "a &lt;b&gt; c" in problem._repr_html_()
    assert "batch 1 × head 2 × query 3 × key 5" in compute(problem)._repr_html_()
    assert html.unescape(problem._repr_html_()).count("(5, 6)") == 1


CROSSED = {
    "explain": (lambda p, t: explain(p, "weights", (0, 0, 0, 0)), "explain(compute(problem), stage, index)"),
    "sensitivity": (lambda p, t: sensitivity(p, "weights", (0,)), "sensitivity(compute(problem), stage, index)"),
    "solve": (lambda p, t: solve(t, "weights", (0, 0, 0, 0), 0.5), "solve(trace.problem, stage, index, target)"),
    "compute fields": (lambda p, t: compute({"query": 1}), "compute(Problem(**fields))"),
    "compute twice": (lambda p, t: compute(t), "compute(trace.problem)"),
    "verify fields": (lambda p, t: verify({}), "verify(Problem(**fields))"),
    "save, the other way": (lambda p, t: attn_gui.save("a.attn", p), "save(problem, path)"),
    "cells of a block": (lambda p, t: t.block("weights", 0, 1, 2, 3), "('weights', 0, 1, slice(2, 3), slice(3, 4))"),
    "steps of a block": (lambda p, t: t.block("weights", 0, 1, slice(0, 3, 2), slice(None)), "slices without a step"),
    "item of a block": (lambda p, t: t.block("weights", 0.5, 1, slice(3), slice(3)), "batch must be a whole number"),
}


@each("name", CROSSED)
def test_crossed_calls_are_refused_with_the_right_one(name, problem):
    call, words = CROSSED[name]
    with pytest.raises(FieldTypeError) as caught:
        call(problem, compute(problem))
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")


@each("index", [(0, 0, 1, 2.9), (0, 0, 1, True), 3, "0012", None])
def test_an_index_is_whole_numbers(index, problem):
    trace = compute(problem)
    for call in (explain, sensitivity):
        if index is not None or call is explain:
            with pytest.raises(PlaceError, match=r"4 whole numbers \(batch, head, query, key\) within"):
                call(trace, "weights", index)
    assert explain(trace, "weights", np.array([0, 0, 1, 2])).index == (0, 0, 1, 2)
