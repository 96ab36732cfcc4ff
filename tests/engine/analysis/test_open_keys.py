"""Keys that a query sees: behind masks, at scores of −∞, and where numbers were put by hand."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Explanation, Problem, compute, explain
from attn_gui.engine.evaluation.streaming import StreamingEvaluation

CAUSAL = {"kind": "causal"}
INF = np.inf


def problem(rng: np.random.Generator, *by_hand: dict[str, object], mask: tuple[object, ...] = (CAUSAL,)) -> Problem:
    """n = 4, m = 5, d_k = 3, d_v = 2."""
    shapes = {"query": (4, 3), "key": (5, 3), "value": (5, 2)}
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()}, mask=mask, interventions=by_hand)


def put(stage: str, value: float, query: int = 0, key: int = 2) -> dict[str, object]:
    return {"kind": "set", "stage": stage, "at": {"query": query, "key": key}, "values": value}


def biased(row: int, *keys: int) -> dict[str, object]:
    """A bias of −∞ at keys of a row."""
    values = np.zeros((4, 5))
    values[row, list(keys)] = -INF
    return {"kind": "bias", "values": values}


def keys_of(found: Explanation) -> list[int]:
    return [term.cells[0].index[-1] for term in found.terms]


# --- numbers put by hand -------------------------------------------------------------------------
def test_a_score_put_by_hand_opens_its_key(rng: np.random.Generator) -> None:
    trace = compute(problem(rng, put("masked", 3.0)))
    found = explain(trace, "weights", (0, 0, 0, 2))
    assert found.closed_by is None
    assert "closed" not in found.text
    assert keys_of(found) == [0, 2]
    assert explain(trace, "weights", (0, 0, 0, 1)).closed_by == 0


def test_a_weight_put_by_hand_leaves_the_score_before_it_closed(rng: np.random.Generator) -> None:
    trace = compute(problem(rng, put("weights", 0.25)))
    assert explain(trace, "masked", (0, 0, 0, 2)).closed_by == 0
    found = explain(trace, "weights", (0, 0, 0, 2))
    assert found.closed_by is None
    assert found.computed is not None
    assert found.computed.closed_by == 0
    assert keys_of(explain(trace, "head_output", (0, 0, 0, 1))) == [0, 2]


@pytest.mark.parametrize("stage", ["masked", "weights"])
def test_a_closed_cell_that_is_multiplied_stays_closed(stage: str, rng: np.random.Generator) -> None:
    trace = compute(problem(rng, {"kind": "scale", "stage": stage, "at": {"query": 0}, "factor": 2.0}))
    for behind in ("masked", "weights"):
        found = explain(trace, behind, (0, 0, 0, 2))
        assert found.closed_by == 0
        assert "closed by mask 0 (causal)" in found.text
        assert explain(trace, behind, (0, 0, 0, 0)).closed_by is None


# --- scores of −∞ --------------------------------------------------------------------------------
@pytest.mark.parametrize("mask", [(), ({"kind": "padding", "lengths": 4},)], ids=["alone", "beside a mask"])
def test_keys_at_minus_infinity_are_not_seen(mask: tuple[object, ...], rng: np.random.Generator) -> None:
    one = problem(rng, mask=(*mask, biased(1, 0, 2, 4)))
    for evaluation in (compute(one), StreamingEvaluation(one)):
        for stage in ("weights", "head_output"):
            found = explain(evaluation, stage, (0, 0, 1, 1))
            assert keys_of(found) == [1, 3]
            assert found.expression.value == pytest.approx(found.value)
        assert explain(evaluation, "weights", (0, 0, 1, 0)).equals == 0
        assert explain(evaluation, "weights", (0, 0, 1, 0)).closed_by is None


def test_a_weight_put_at_a_score_of_minus_infinity_counts(rng: np.random.Generator) -> None:
    trace = compute(problem(rng, put("weights", 0.5, query=1, key=2), mask=(biased(1, 0, 2, 4),)))
    found = explain(trace, "head_output", (0, 0, 1, 1))
    assert keys_of(found) == [1, 2, 3]
    assert found.expression.value == pytest.approx(found.value)
