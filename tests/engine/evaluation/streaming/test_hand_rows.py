"""Interventions in long problems: carried out as the dense evaluation does, whatever is edited, comes or goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation import streaming
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.pooling import block_edges as edges
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

N, M, HEADS, GROUPS, WIDTH, D_V = 37, 41, 4, 2, 5, 3
MASKS: dict[str, Any] = {
    "open": (),
    "causal": ({"kind": "causal", "align": "end"},),
    "padded": ({"kind": "padding", "lengths": 30}, {"kind": "custom", "allowed": np.arange(M) % 3 > 0}),
    "by head": ({"kind": "custom", "allowed": np.random.default_rng(6).random((HEADS, N, M)) < 0.5},),
    "biased": ({"kind": "bias", "values": np.linspace(-1, 1, M)[None]}, {"kind": "window", "left": 9, "right": 4}),
}


def pool(rng: np.random.Generator) -> list[dict[str, Any]]:
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
        self.pool, self.chosen = pool(rng), ()
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


def whole(evaluation: Evaluation, stage: str) -> np.ndarray:
    return evaluation.box(stage, indices.whole(evaluation.shape(stage)))


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
    dense = DenseEvaluation(evaluation.problem)
    assert close(whole(evaluation, "output"), whole(dense, "output"))


def test_a_bound_that_grows_touches_rows_that_the_edited_key_does_not_reach():
    rng = np.random.default_rng(3)
    arrays = {name: rng.normal(size=(N, WIDTH)) for name in ("query", "key", "value")}
    make = {"mask": ({"kind": "causal"},)}
    evaluation = StreamingEvaluation(Problem(**arrays, **make), tile=8, chunk=16)
    evaluation.complete()
    arrays["key"][N - 1] *= 4
    box = (slice(N - 1, N), slice(0, WIDTH))
    evaluation.update(Problem(**arrays, **make), {"key": [box]})
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
