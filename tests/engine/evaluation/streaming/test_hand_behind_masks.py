"""Numbers behind masks, changed by hand in long problems: they reach nothing, yet their rows are kept by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices

from .working import apart

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
