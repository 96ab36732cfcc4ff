"""Targets without a closed formula: no random search comes nearer, and none takes long."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, Solution, compute, solve
from attn_gui.engine.analysis import shortest_change
from attn_gui.engine.analysis.shortest_change import EditedArray
from attn_gui.engine.analysis.target_solvers import CellObjective, SolvingStopped
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.graph.indices import cell

SHARES, EACH, TRIED = 20, 15, 400
SCORES = "dot", "additive", "cosine", "gaussian", "average"


def question_of(seed: int) -> tuple[Problem, str, tuple[int, ...], float, str, str | None]:
    """A tiny problem of any score, and a target for one of its cells, by any way and with any odds."""
    random = np.random.default_rng(seed)
    n, m, heads, d_k, d_v = (int(random.integers(low, high)) for low, high in ((1, 5), (2, 6), (1, 3), (1, 4), (1, 3)))
    fields: dict[str, Any] = {"num_heads": heads, "score": SCORES[seed % len(SCORES)]}
    if fields["score"] == "additive":
        tables = {"w_score_query": (d_k, 2), "w_score_key": (d_k, 2), "w_score": (2,)}
        fields["score_params"] = {name: random.normal(size=shape) for name, shape in tables.items()}
    extras: dict[str, Any] = {
        "softcap": random.uniform(1, 5),
        "temperature": random.uniform(0.3, 3),
        "sink": random.normal(size=heads),
        "query_norm": random.normal(size=d_k),
        "mask": [{"kind": "bias", "values": random.normal(size=(n, m))}],
        "w_output": random.normal(size=(heads * d_v, 2)),
        "dtype": "float32",
    }
    fields |= {name: value for name, value in extras.items() if random.random() < 0.2}
    if projected := random.random() < 0.35:
        shapes = {"x": (n, 3), "context": (m, 3), "w_query": (3, heads * d_k), "w_key": (3, heads * d_k)}
        shapes["w_value"] = (3, heads * d_v)
    else:
        shapes = {"query": (n, heads * d_k), "key": (m, heads * d_k), "value": (m, heads * d_v)}
    problem = Problem(**fields, **{name: random.normal(size=shape) for name, shape in shapes.items()})
    trace = compute(problem)
    stage = str(random.choice(["weights", "weights", "scores", "head_output", "output"]))
    index = tuple(int(random.integers(length)) for length in trace.shape(stage))
    shares = stage == "weights"
    target = float(random.uniform(0.02, 0.98) if shares else trace[stage][index] + random.normal())
    by = str(random.choice(["x", "bias"] if projected else ["query", "key", "bias"]))
    odds = [None, "free"][int(random.integers(2))] if shares else None
    return problem, stage, index, target, by, odds


def nearest(solution: Solution, problem: Problem, stage: str, index: tuple[int, ...], target: float) -> float:
    """How near to the target random changes of the same cells come."""
    own_bias = solution.field not in problem.arrays()
    cells = EditedArray(solution.problem if own_bias else problem, solution.field)
    evaluation, random = RowwiseEvaluation(cells.problem()), np.random.default_rng(1)
    old = np.zeros(cells.array[solution.box].shape) if own_bias else np.array(cells.array[solution.box], float)
    size, best = max(1.0, float(np.linalg.norm(old))), math.inf
    for _ in range(TRIED):
        cells.write(
            evaluation, solution.box, old + random.normal(size=old.shape) * size * 10 ** random.uniform(-1.5, 1.2)
        )
        best = min(best, abs(float(evaluation.box(stage, cell(index)).item()) - target))
    return best


@pytest.mark.parametrize("share", [pytest.param(k, marks=pytest.mark.family(SHARES)) for k in range(SHARES)])
def test_no_random_search_comes_nearer_and_the_work_has_a_limit(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    gap, slope = CellObjective.gap, CellObjective.slope
    monkeypatch.setattr(CellObjective, "gap", lambda self, change: (looks.append(1), gap(self, change))[1])
    monkeypatch.setattr(CellObjective, "slope", lambda self, change: (looks.append(1), slope(self, change))[1])
    for seed in range(share, share + SHARES * EACH, SHARES):
        question = question_of(seed)
        looks.clear()
        try:
            solution = solve(*question)
        except FieldError:
            continue
        most = shortest_change.FIRST + shortest_change.PROBES + shortest_change.STARTS * shortest_change.FURTHER
        assert len(looks) <= most + 2 * (shortest_change.STARTS + 1) + 1  # what is begun is finished
        if solution.feasible or solution.odds == "kept" or not np.isfinite(solution.residual):
            continue
        left = abs(solution.reached - question[3])
        assert left <= 1.02 * nearest(solution, *question[:4]) + 1e-6, (seed, solution)


def test_a_target_behind_a_ridge_is_reached_from_another_start() -> None:
    """One column a head: by the cosine only the sign of the query counts, and no slope leads to the other one."""
    problem = Problem(query=[[1.0]], key=[[1.0], [-1.0]], value=[[1.0], [3.0]], score="cosine")
    weight = 1 / (1 + math.exp(2))
    solution = solve(problem, "weights", (0, 0, 0, 0), weight, odds="free")
    assert solution.feasible
    assert solution.reached == pytest.approx(weight)
    assert solution.problem.query[0, 0] < 0


def test_what_was_not_proved_is_called_found() -> None:
    problem = Problem(query=[[1.0]], key=[[1.0], [-1.0]], value=[[1.0], [3.0]], score="cosine")
    solution = solve(problem, "weights", (0, 0, 0, 0), 0.5, odds="free")
    assert not solution.feasible
    assert "found step by step" in solution.reason
    assert "That nothing comes nearer is not proved." in solution.reason


def test_a_search_that_is_not_wanted_any_more_stops() -> None:
    problem = Problem(query=[[1.0]], key=[[1.0], [-1.0]], value=[[1.0], [3.0]], score="cosine")
    asked = []
    with pytest.raises(SolvingStopped):
        solve(problem, "weights", (0, 0, 0, 0), 0.5, odds="free", cancelled=lambda: asked.append(1) or len(asked) > 9)
    assert len(asked) == 10
