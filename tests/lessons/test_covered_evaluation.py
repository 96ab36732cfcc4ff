"""Cells left out of an evaluation, and the same numbers under other names."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.graph import indices
from attn_gui.lessons.exercises import Blank, CoveredEvaluation


@pytest.fixture
def evaluation():
    random = np.random.default_rng(0).standard_normal
    fields = {name: random((4, 6)) for name in ("query", "key", "value")}
    return DenseEvaluation(Problem(**fields, num_heads=2, mask=[{"kind": "causal"}]))


def left_out(covered):
    found = {}
    for stage in covered.stages:
        values = covered.box(stage, indices.whole(covered.shape(stage)))
        if places := [tuple(map(int, at)) for at in np.argwhere(np.isnan(values))]:
            found[stage] = places
    return found


def test_a_copy_is_left_out_with_its_original(evaluation):
    covered = CoveredEvaluation(evaluation, {Blank("head_output", (0, 1, 2, 0))})
    assert left_out(covered) == {"head_output": [(0, 1, 2, 0)], "concat": [(0, 2, 3)], "output": [(0, 2, 3)]}
    covered = CoveredEvaluation(evaluation, {Blank("output", (0, 2, 3))})
    assert left_out(covered) == {"head_output": [(0, 1, 2, 0)], "concat": [(0, 2, 3)], "output": [(0, 2, 3)]}
    assert covered.left_out_as("concat", (0, 2, 3)) == ("output", (0, 2, 3))
    covered = CoveredEvaluation(evaluation, {Blank("scaled", (0, 0, 2, 1))})
    assert left_out(covered) == {"scaled": [(0, 0, 2, 1)], "masked": [(0, 0, 2, 1)]}


def test_what_is_computed_from_it_alone_but_differs_stays(evaluation):
    assert left_out(CoveredEvaluation(evaluation, {Blank("scores", (0, 1, 3, 0))})) == {"scores": [(0, 1, 3, 0)]}
    same = DenseEvaluation(evaluation.problem.replace(scale=1.0))
    assert set(left_out(CoveredEvaluation(same, {Blank("scores", (0, 1, 3, 0))}))) == {"scores", "scaled", "masked"}


def test_an_explanation_that_names_it_is_told(evaluation):
    covered = CoveredEvaluation(evaluation, {Blank("weights", (0, 0, 2, 1))})
    assert covered.gives_away("weights", (0, 0, 2, 1))
    assert covered.gives_away("weights", (0, 0, 2, 0))  # its row is listed
    assert covered.gives_away("head_output", (0, 0, 2, 2))
    assert not covered.gives_away("head_output", (0, 0, 1, 2))
    assert not covered.gives_away("weights", (0, 1, 2, 1))
    assert not covered.gives_away("scaled", (0, 0, 2, 1))


def test_the_numbers_themselves_stay_and_the_mask_is_theirs(evaluation):
    covered = CoveredEvaluation(evaluation, {Blank("weights", (0, 0, 2, 1))})
    assert not covered.signed
    assert np.isfinite(evaluation.box("weights", indices.whole(evaluation.shape("weights")))).all()
    assert np.array_equal(covered.allowed(0, 0, slice(0, 4), slice(0, 4)), np.tril(np.ones((4, 4), bool)))


def test_what_is_given_in_a_table_is_no_copy_though_it_is_equal():
    """With one key the result is its value: the table keeps it, since nobody could answer from nothing."""
    problem = Problem(query=[[1.0]], key=[[1.0]], value=[[3.0]])
    covered = CoveredEvaluation(DenseEvaluation(problem), {Blank("head_output", (0, 0, 0, 0))})
    assert set(left_out(covered)) == {"head_output", "concat", "output"}
