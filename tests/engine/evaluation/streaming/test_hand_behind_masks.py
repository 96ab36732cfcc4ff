"""Numbers behind masks, changed by hand in long problems: they reach nothing, yet their rows are kept by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

from .working import Working, apart, whole

B, H, G, N, M, D = 2, 4, 2, 9, 11, 3
CLOSE = 1e-12
RNG = np.random.default_rng(6)
ARRAYS = {"query": (B, N, H * D), "key": (B, M, G * D), "value": (B, M, G * D)}
LAYERS: dict[str, dict[str, Any]] = {
    "causal": {"kind": "causal"},
    "window": {"kind": "window", "left": 2, "right": 1},
    "padding": {"kind": "padding", "lengths": (3, 0)},
    "by head": {"kind": "custom", "allowed": RNG.random((1, H, N, M)) < 0.5},
    "by key": {"kind": "custom", "allowed": np.arange(M)[None] > 2},
}
EVERYTHING = {"softcap": 3.0, "temperature": 0.7, "sink": RNG.normal(size=H), "w_output": RNG.normal(size=(H * D, 5))}
BIAS = {"kind": "bias", "values": RNG.normal(size=(H, 1, M))}


def a_problem(*layers: str, **fields: Any) -> Problem:
    arrays = {name: np.random.default_rng(7).normal(size=shape) for name, shape in ARRAYS.items()}
    mask = (*(LAYERS[layer] for layer in layers), BIAS)
    return Problem(**arrays, num_heads=H, num_kv_heads=G, mask=mask, **fields)


# --- one change ----------------------------------------------------------------------------------
CLOSED = {
    "one closed cell": {"batch": 1, "head": 2, "query": 2, "key": 7},
    "the whole column of a key": {"key": 7},
    "closed cells of a few rows": {"head": (1, 3), "query": (0, 4), "key": (5, 9)},
}
CHANGES: dict[str, dict[str, Any]] = {
    "set": {"values": -1e9},
    "scale": {"factor": 0.0},
    "copy": {"source": {"key": 0}},
}


@pytest.mark.family(6)
@pytest.mark.parametrize("at", CLOSED)
@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("stage", ["scores", "scaled", "capped", "biased", "masked"])
@pytest.mark.parametrize("switched", [False, True], ids=["put in and taken away", "switched on and off"])
def test_rows_before_a_key_are_right_when_it_is_knocked_out_and_when_it_comes_back(stage, kind, at, switched):
    record = {"kind": kind, "stage": stage, "at": CLOSED[at], **CHANGES[kind]}
    plain = a_problem("causal", **EVERYTHING)
    off = plain.replace(interventions=[record | {"enabled": False}]) if switched else plain
    evaluation = StreamingEvaluation(off, tile=4, chunk=8)
    evaluation.complete()
    for problem in (plain.replace(interventions=[record]), off):
        evaluation.update(problem, {})
        assert apart(DenseEvaluation(problem), evaluation) < CLOSE


def test_what_others_are_named_by_moves_with_their_place():
    """Numbers of an intervention are read by its place among all: one in front may go though no cell changes."""
    records = [
        {"kind": "set", "stage": "head_output", "at": {"query": 5}, "values": np.arange(D), "enabled": False},
        {"kind": "set", "stage": "weights", "at": {"query": 2}, "values": np.linspace(0, 1, M)},
    ]
    problem = a_problem("causal", interventions=records)
    evaluation = StreamingEvaluation(problem)
    evaluation.complete()
    for chosen in (records[1:], records, records[::-1]):
        problem = problem.replace(interventions=chosen)
        evaluation.update(problem, {})
        problem = problem.replace(query=-problem.query)
        evaluation.update(problem, {"query": [indices.whole(problem.query.shape)]})
        assert apart(DenseEvaluation(problem), evaluation) < CLOSE


# --- any story -----------------------------------------------------------------------------------
def places(length: int) -> st.SearchStrategy[Any]:
    first = st.integers(0, length - 1)
    return st.none() | first | first.map(lambda low: (low, min(low + 3, length)))


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    stage = draw(st.sampled_from(["scores", "scaled", "capped", "biased", "masked", "weights", "head_output", "key"]))
    last = {"key": ("batch", "row", "column"), "head_output": ("batch", "head", "query", "column")}
    axes = last.get(stage, ("batch", "head", "query", "key"))
    sizes = {"batch": B, "head": H, "query": N, "key": M, "row": M, "column": D}
    at = {axis: place for axis in axes if (place := draw(places(sizes[axis]))) is not None}
    kind = draw(st.sampled_from(list(CHANGES)))
    own = {"source": {axes[-1]: 0}} if kind == "copy" else CHANGES[kind]
    return {"kind": kind, "stage": stage, "at": at, "enabled": draw(st.integers(0, 5)) > 0, **own}


MOVES = st.one_of(
    st.tuples(st.just("put"), records()),
    st.tuples(st.sampled_from(["take", "switch", "turn round"]), st.integers(0, 3)),
    st.tuples(st.sampled_from(["query", "key", "value"]), st.integers(0, N - 1)),
    st.tuples(st.sampled_from(["read", "cancel"]), st.integers(0, 3)),
)


class Story:
    """A long problem whose cells are edited, and that interventions come to and leave, with nothing settled between."""

    def __init__(self, problem: Problem) -> None:
        self.working, self.chosen = Working(problem, 4, 8), []
        self.evaluation = self.working.evaluation
        self.evaluation.complete()

    def move(self, name: str, what: Any) -> None:
        place = what % len(self.chosen) if self.chosen and isinstance(what, int) else None
        if name in ARRAYS:
            self.working.write(name, (slice(0, B), slice(what, what + 1), slice(1, 2)), what - 3.5)
        elif name == "read":
            self.evaluation.pooled("weights", 0, what, 3, 4)
        elif name == "cancel":
            asked = iter(range(what))
            self.evaluation.settle(cancelled=lambda: next(asked, None) is None)
        elif name == "put":
            self.choose([*self.chosen, what])
        elif place is not None:
            one = self.chosen[place]
            others = {"take": [], "switch": [one | {"enabled": not one["enabled"]}], "turn round": [one]}[name]
            rest = self.chosen[:place] + others + self.chosen[place + 1 :]
            self.choose(rest[::-1] if name == "turn round" else rest)

    def choose(self, chosen: list[dict[str, Any]]) -> None:
        self.chosen = chosen
        self.working.rest["interventions"] = self.working.problem().replace(interventions=chosen).interventions
        self.working.arrays = {name: self.working.arrays[name] for name in self.working.arrays if "interv" not in name}
        self.evaluation.update(self.working.problem(), {})

    def rests_like_a_fresh_one(self) -> bool:
        assert self.evaluation.complete()
        assert self.evaluation.settle()
        fresh = self.working.fresh()
        pictures = (
            [one.pooled(name, 0, head, 3, 4)[0] for name in ("scores", "weights") for head in range(H)]
            for one in (self.evaluation, fresh)
        )
        stages = ([whole(one, name) for name in fresh.stages] for one in (self.evaluation, fresh))
        pairs = [*zip(*pictures, strict=True), *zip(*stages, strict=True)]
        return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(list(LAYERS)), min_size=1, max_size=2, unique=True),
    st.sampled_from([{}, EVERYTHING, EVERYTHING | {"dtype": "float32"}]),
    st.lists(MOVES, min_size=3, max_size=9),
)
def test_whatever_comes_and_goes_behind_masks_is_as_fresh(layers, fields, moves):
    story = Story(a_problem(*layers, **{"softcap": 3.0} | fields))
    close = CLOSE if fields.get("dtype") is None else 1e-5
    for move in moves:
        story.move(*move)
        assert story.working.worst() < close
    assert story.rests_like_a_fresh_one()
