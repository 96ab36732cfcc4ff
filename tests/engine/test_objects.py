"""Problems, traces and answers as objects: what a prompt prints, what a notebook asks for, calls that are crossed."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import fields

import numpy as np
import pytest

import attn_gui
from attn_gui.engine import (
    MASKS,
    FieldTypeError,
    PlaceError,
    Problem,
    compute,
    explain,
    sensitivity,
    solve,
    verify,
)


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
    assert repr(Problem(query=[[1]], key=[[1]], value=[[1]])) == (
        "Problem(query (1, 1), key (1, 1), value (1, 1), num_heads=1)"
    )


def test_every_field_that_differs_shows_in_the_print(makers):
    for make in makers.values():
        for name in make().fields():
            assert name in repr(make())


def test_a_trace_is_a_mapping_that_computes_nothing_but_what_is_read(problem, monkeypatch):
    trace = compute(problem)
    monkeypatch.setattr(type(trace.evaluation), "box", None)
    assert isinstance(trace, Mapping)
    assert list(trace) == list(trace.keys()) == trace._ipython_key_completions_() == list(trace.stages)
    assert len(trace) == len(trace.stages)
    assert "weights" in trace
    assert "sscores" not in trace
    assert trace.get("capped") is None
    assert trace.shape("weights") == (1, 2, 3, 5)
    assert trace == trace  # without comparing stages
    assert trace != compute(problem)
    assert "weights      batch 1 × head 2 × query 3 × key 5" in repr(trace)
    assert repr(trace).startswith(f"Trace of {problem!r}\n")


def test_answers_print_what_they_are(problem):
    trace = compute(problem)
    explanation = explain(trace, "weights", (0, 0, 1, 1))
    assert repr(explanation) == f"Explanation('weights', (0, 0, 1, 1), value={explanation.value!r}, 4 terms)"
    found = verify(problem)
    assert (found.ok, found.complaint) == (True, None)
    assert found.worst == max(check.difference for check in found.stages) < 1e-6
    assert repr(found).startswith("Report(ok=True, worst=")
    assert [line.split()[0] for line in str(found).splitlines()[1 : 1 + len(trace)]] == list(trace)


def test_a_notebook_shows_a_picture_and_shapes_and_no_tags_of_tokens(problem, qapp):
    for shown in (problem, compute(problem)):
        assert shown._repr_png_().startswith(b"\x89PNG")
        page = shown._repr_html_()
        assert "<img" in page
        assert "<b>c" not in page
    assert "a &lt;b&gt; c" in problem._repr_html_()
    assert "batch 1 × head 2 × query 3 × key 5" in compute(problem)._repr_html_()
    assert html.unescape(problem._repr_html_()).count("(5, 6)") == 1


def test_a_notebook_gets_shapes_where_nothing_can_be_drawn(problem, monkeypatch):
    def missing(*_: object, **__: object) -> None:
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr("attn_gui.figure.render.render", missing)
    assert problem._repr_png_() is None
    assert "(3, 4)" in problem._repr_html_()
    assert "<img" not in problem._repr_html_()


CROSSED = {
    "explain": (lambda p, t: explain(p, "weights", (0, 0, 0, 0)), "explain(compute(problem), stage, index)"),
    "sensitivity": (lambda p, t: sensitivity(p, "weights", (0,)), "sensitivity(compute(problem), stage, index)"),
    "explain fields": (lambda p, t: explain(p.fields(), "weights", (0,)), "explain(compute(Problem(**fields)), stage"),
    "solve": (lambda p, t: solve(t, "weights", (0, 0, 0, 0), 0.5), "solve(trace.problem, stage, index, target)"),
    "compute fields": (lambda p, t: compute({"query": 1}), "compute(Problem(**fields))"),
    "compute twice": (lambda p, t: compute(t), "compute(trace.problem)"),
    "verify fields": (lambda p, t: verify({}), "verify(Problem(**fields))"),
    "save a trace": (lambda p, t: attn_gui.save(t, "a.attn"), "save(trace.problem, path)"),
    "save, the other way": (lambda p, t: attn_gui.save("a.attn", p), "save(problem, path)"),
    "cells of a block": (lambda p, t: t.block("weights", 0, 1, 2, 3), "('weights', 0, 1, slice(2, 3), slice(3, 4))"),
    "steps of a block": (lambda p, t: t.block("weights", 0, 1, slice(0, 3, 2), slice(None)), "slices without a step"),
    "item of a block": (lambda p, t: t.block("weights", 0.5, 1, slice(3), slice(3)), "batch must be a whole number"),
}


@pytest.mark.parametrize("name", CROSSED)
def test_crossed_calls_are_refused_with_the_right_one(name, problem):
    call, words = CROSSED[name]
    with pytest.raises(FieldTypeError) as caught:
        call(problem, compute(problem))
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("index", [(0, 0, 1, 2.9), (0, 0, 1, 2.0), (0, 0, 1, True), 3, "0012", None, (0, 0, 1, "2")])
def test_an_index_is_whole_numbers(index, problem):
    trace = compute(problem)
    for call in (explain, sensitivity):
        if index is not None or call is explain:
            with pytest.raises(PlaceError, match=r"4 whole numbers \(batch, head, query, key\) within"):
                call(trace, "weights", index)
    assert explain(trace, "weights", np.array([0, 0, 1, 2])).index == (0, 0, 1, 2)


def test_help_names_every_field_and_every_mask_layer():
    text = Problem.__doc__
    parameters = {parameter.name for layer in MASKS.values() for parameter in layer.parameters}
    for name in (*(f.name for f in fields(Problem)), "batch_axis", *MASKS, *parameters):
        assert name in text
    assert "(n, h·d_k)" in text
