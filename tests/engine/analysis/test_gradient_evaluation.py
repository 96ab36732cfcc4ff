"""The gradient as an evaluation: by every cell of every stage and table, also of a long problem's maps."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, compute, sensitivity
from attn_gui.engine.analysis.gradient_evaluation import Gradient
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices


@pytest.fixture
def problem():
    random = np.random.default_rng(3).standard_normal
    return Problem(
        query=random((2, 3, 4)),
        key=random((2, 5, 4)),
        value=random((2, 5, 6)),
        num_heads=2,
        batch_axis=True,
        mask=[{"kind": "causal", "align": "end"}],
    )


def test_every_table_and_every_step_has_its_gradient(problem):
    evaluation, place = DenseEvaluation(problem), (1, 2, 4)
    found = Gradient(evaluation, "output", indices.cell(place), np.ones((1, 1, 1)))
    exact = sensitivity(compute(problem), "output", place)
    for field in ("query", "key", "value"):
        assert np.array_equal(found.field(field), exact[field])
        assert np.array_equal(found.box(field, indices.whole(found.shape(field))), exact[field])
        assert np.array_equal(found.field_block(field, 1, slice(1, 3), slice(0, 2)), exact[field][1, 1:3, :2])
    step, by = 1e-6, found.box("weights", indices.whole(found.shape("weights")))
    for head in range(2):
        for key in range(5):
            ends = []
            for sign in (1, -1):
                weights = compute(problem)["weights"][1, head, 2].copy()
                weights[key] += sign * step
                told = {"kind": "set", "stage": "weights", "at": {"batch": 1, "head": head, "query": 2},
                        "values": weights}  # fmt: skip
                ends.append(compute(problem.replace(interventions=[told]))["output"][place])
            assert by[1, head, 2, key] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-8)
    assert np.count_nonzero(by[0]) == np.count_nonzero(by[1, :, :2]) == 0


def test_a_later_step_and_a_closed_key_change_nothing(problem):
    found = Gradient(DenseEvaluation(problem), "weights", indices.cell((0, 0, 0, 1)), np.ones((1, 1, 1, 1)))
    assert not found.box("output", indices.whole(found.shape("output"))).any()
    assert found.box("weights", indices.whole(found.shape("weights"))).sum() == 1
    assert not found.box("scores", (slice(0, 1), slice(0, 1), slice(0, 1), slice(3, 5))).any()
    assert found.signed
    assert found.kind == "gradient"


def test_switches_have_none():
    problem = Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2),
                      mask=[{"kind": "custom", "allowed": [[1, 0], [1, 1]]}])  # fmt: skip
    found = Gradient(DenseEvaluation(problem), "output", indices.cell((0, 1, 1)), np.ones((1, 1, 1)))
    assert np.isnan(found.field("mask.0.allowed")).all()


@pytest.mark.parametrize("mask", [(), ({"kind": "causal"},)])
def test_the_pictures_of_a_long_problem_have_the_largest_of_every_block(mask):
    random = np.random.default_rng(4).standard_normal
    fields = {name: random((70, 6)) for name in ("query", "key", "value")}
    evaluation = StreamingEvaluation(Problem(**fields, num_heads=2, mask=mask))
    found = Gradient(evaluation, "head_output", indices.cell((0, 1, 33, 2)), np.ones((1, 1, 1, 1)))
    for stage in ("scores", "weights", "head_output"):
        whole = found.box(stage, indices.whole(found.shape(stage)))[0, 1].copy()
        if mask and stage == "weights":
            whole = np.tril(whole)  # of open cells
        blocks = min(5, whole.shape[1])
        values, _ = found.pooled(stage, 0, 1, 7, blocks)
        across = np.arange(blocks + 1) * whole.shape[1] // blocks
        for row in range(7):
            for column in range(blocks):
                part = whole[row * 10 : row * 10 + 10, across[column] : across[column + 1]].ravel()
                assert values[row, column] == part[np.argmax(np.abs(part))]
    zeros, _ = found.pooled("weights", 0, 0, 7, 5)
    assert not zeros.any()
