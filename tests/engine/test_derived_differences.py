"""Derived maps of two problems side by side: the difference of the maps, not the map of the differences."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui import load, save
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, FieldTypeError, Problem, ShapeError, StageError, compare, compute, explain
from attn_gui.engine.analysis.sensitivity import sensitivity
from attn_gui.engine.evaluation.proxies import MAPS, Difference, reading, with_derived
from attn_gui.engine.evaluation.streaming import StreamingEvaluation


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


@pytest.mark.parametrize("stage", MAPS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_derived_map_is_compared_with_itself(stage, dtype, rng):
    before, after = pair(rng, dtype=dtype)
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


def test_a_derived_map_of_long_problems_is_compared_with_itself(rng):
    sides = pair(rng)
    long = Difference(*(with_derived(StreamingEvaluation(problem)) for problem in sides))
    values, _ = long.pooled("value_weighted", 0, 1, 3, 5)
    expected = compute(sides[1])["value_weighted"] - compute(sides[0])["value_weighted"]
    np.testing.assert_allclose(values, expected[0, 1], atol=1e-13)


def test_what_has_no_derived_map_says_so(rng):
    before, after = pair(rng)
    with pytest.raises(StageError, match="is not a stage of this problem"):
        reading(Difference(DenseEvaluation(before), DenseEvaluation(after)), "value_weighted").box("value_weighted", ())
    with pytest.raises(ShapeError, match="moved_value cannot be compared"):
        compare(before, after.replace(w_output=np.ones((4, 9))))["moved_value"]


def test_a_difference_is_not_explained_as_if_it_were_a_state(rng):
    comparison = compare(*pair(rng))
    for ask in (explain, sensitivity):
        with pytest.raises(FieldTypeError, match=r"take comparison\.before or comparison\.after\.$"):
            ask(comparison.difference, "scores", (0, 0, 1, 2))
        ask(comparison.after, "scores", (0, 0, 1, 2))


@pytest.mark.parametrize("show", ["difference", "before", "now"])
def test_the_command_line_compares_derived_maps(show, tmp_path, rng, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sides = pair(rng)
    for name, problem in zip("ab", sides, strict=True):
        save(problem, f"{name}.attn")
    asked = ["export", "b.attn", "-o", "out", "--stage", "value_weighted", "--format", "npz"]
    assert main([*asked, "--compare", "a.attn", "--show", show]) == 0
    (path,) = (tmp_path / "out").iterdir()
    found = dict(
        zip(("before", "now"), (compute(load(f"{name}.attn"))["value_weighted"] for name in "ab"), strict=True)
    )
    found["difference"] = found["now"] - found["before"]
    with np.load(path) as held:
        np.testing.assert_array_equal(np.squeeze(held["value_weighted"]), found[show][0])
