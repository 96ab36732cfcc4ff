"""Targets with the odds free, by the row of X, by search, and quickly: nothing shorter or nearer is found otherwise."""

import math
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, Solution, compute, solve
from attn_gui.engine.analysis import shortest_change
from attn_gui.engine.analysis.shortest_change import EditedArray
from attn_gui.engine.analysis.target_solvers import CellObjective, quick_row
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.graph.indices import cell
from tests.costs import taking
from tests.failing import each, share

ANGLES = np.linspace(0, 2 * np.pi, 4001)[:-1]


def plane(seed: int, m: int = 6, **more: object) -> Problem:
    """Two columns a head, so that every direction of the query row can be tried."""
    rng = np.random.default_rng(seed)
    arrays = {"query": rng.normal(size=(3, 4)), "key": rng.normal(size=(m, 4)), "value": rng.normal(size=(m, 4))}
    return Problem(**arrays | {"num_heads": 2} | more)


class Rays:
    """The weight of a key along 4,000 directions in which the query row may be moved."""

    def __init__(self, problem: Problem, head: int, row: int, key: int) -> None:
        columns = slice(2 * head, 2 * head + 2)
        self._query, self._key = problem.query[row, columns], key
        self._keys = problem.key[:, columns] * problem.effective_scale
        self._temperature = problem.temperature or 1.0
        self._rays = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
        self._steps = np.linspace(0, 60, 241)
        self._known = np.stack([self.weight(np.full(len(self._rays), step)) for step in self._steps])

    def weight(self, lengths: np.ndarray) -> np.ndarray:
        logits = (self._query + self._rays * lengths[:, None]) @ self._keys.T / self._temperature
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers[:, self._key] / powers.sum(axis=1)

    def nearest(self, target: float) -> float:
        """The length of the shortest change with which the key has the weight `target`, by bisection; ∞ for none."""
        up = self._known[0, 0] < target
        crossed = (self._known >= target) == up
        first = np.argmax(crossed, axis=0)  # where each ray crosses the target first
        rays = np.flatnonzero(crossed.any(axis=0))
        if not rays.size:
            return math.inf
        low, high = np.zeros(len(self._rays)), np.zeros(len(self._rays))
        low[rays], high[rays] = self._steps[first[rays] - 1], self._steps[first[rays]]
        for _ in range(30):
            middle = (low + high) / 2
            over = (self.weight(middle) >= target) == up
            low, high = np.where(over, low, middle), np.where(over, middle, high)
        return float(high[rays].min())


LARGE = {"kind": "bias", "values": np.full((3, 6), 800.0)}  # e^800 is no number, and the weights are the same


@each(("seed", "more"), [(0, {}), (1, {"temperature": 0.6, "mask": [LARGE]}), (5, {"scale": -0.7})], one_of=3)
def test_no_change_of_the_row_is_shorter(seed, more):
    problem = plane(seed, **more)
    head, row, key = seed % 2, seed % 3, seed % 6
    now, rays = compute(problem)["weights"][0, head, row, key], Rays(problem, head, row, key)
    for target in (0.5 * now, now + 0.1 * (1 - now), 0.95):
        best = rays.nearest(target)
        solution = solve(problem, "weights", (0, head, row, key), target)
        assert solution.feasible == math.isfinite(best)
        if solution.feasible:
            assert compute(solution.problem)["weights"][0, head, row, key] == pytest.approx(target, abs=1e-9)
            assert solution.norm == pytest.approx(best, rel=1e-5)
            assert solution.odds == "free"


def test_a_key_among_the_others_has_a_largest_weight_and_it_is_proved():
    problem = plane(0, m=7)
    key = problem.key.copy()
    key[3] = key[[0, 1, 2, 4, 5, 6]].mean(axis=0)
    problem = problem.replace(key=key)
    side, most = np.linspace(-30, 30, 601), 0.0
    for across in side:  # a line of the grid at a time
        logits = np.stack([np.full_like(side, across), side], -1) @ problem.key[:, :2].T * problem.effective_scale
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        most = max(most, float((powers[:, 3] / powers.sum(axis=1)).max()))
    solution = solve(problem, "weights", (0, 0, 1, 3), 0.9)
    assert not solution.feasible
    assert "weighted mean of those of the other open keys" in solution.reason
    assert solution.reached == pytest.approx(most, abs=1e-4)
    assert solution.reason.values["most"] == pytest.approx(solution.reached, abs=1e-9)
    assert solve(problem, "weights", (0, 0, 1, 3), 0.98 * most).feasible
    assert not solve(problem, "weights", (0, 0, 1, 3), 1.02 * most).feasible


@each("n", [66, 512], one_of=2)
def test_weights_among_many_keys_are_reached_and_straight_along_the_gradient(n):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem = Problem(**{name: rng.normal(size=(n, 64)) for name in ("query", "key", "value")})
        place, target = (0, 0, int(rng.integers(n)), int(rng.integers(n))), 0.5
        solution = solve(problem, "weights", place, target)
        assert solution.feasible
        assert compute(solution.problem)["weights"][place] == pytest.approx(target, abs=1e-9)
        changed = solution.problem.query - problem.query
        assert np.flatnonzero(changed.any(axis=1)).tolist() == [place[2]]
        shares = compute(solution.problem)["weights"][0, 0, place[2]].copy()
        shares[place[3]] = 0
        slope = problem.key[place[3]] - shares / shares.sum() @ problem.key
        move = changed[place[2]]
        assert move @ slope / np.linalg.norm(move) / np.linalg.norm(slope) == pytest.approx(1, abs=1e-10)
        assert f"with {n} open keys and d_k = 64" in solution.reason


def test_free_and_kept_are_chosen_by_what_can_be_kept():
    few, many = plane(0, m=3), plane(0, m=4)
    assert [solve(p, "weights", (0, 0, 1, 1), 0.6).odds for p in (few, many)] == ["kept", "free"]
    closed = many.replace(mask=({"kind": "padding", "lengths": 3},))
    assert solve(closed, "weights", (0, 0, 1, 1), 0.6).odds == "kept"
    asked = solve(few, "weights", (0, 0, 1, 1), 0.6, odds="free")
    assert asked.norm <= solve(few, "weights", (0, 0, 1, 1), 0.6).norm
    assert "d_k" not in asked.reason
    assert not solve(many, "weights", (0, 0, 1, 1), 0.6, odds="kept").feasible
    assert solve(few, "weights", (0, 0, 1, 1), 0.6, by="key").odds == "kept"
    assert solve(few, "output", (0, 1, 1), 0.0).odds is None


# --- by the row of X -----------------------------------------------------------------------------
def projected(rng, n=5, context=None, **more):
    shapes = {"x": (n, 8), "w_query": (8, 12), "w_key": (8, 12), "w_value": (8, 6)}
    shapes |= {} if context is None else {"context": (context, 8)}
    return Problem(**{name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}, num_heads=2, **more)


@each(
    ("context", "more"), [(6, {"rotary_theta": 9.0}), (None, {"mask": ({"kind": "causal"},)}), (None, {"softcap": 3})]
)
def test_a_row_of_x_keeps_the_odds(context, more, rng):
    problem = projected(rng, context=context, **more)
    place, target = (0, 1, 3, 2), 0.4
    solution = solve(problem, "weights", place, target, by="x")
    assert (solution.feasible, solution.odds) == (True, "kept")
    assert np.flatnonzero((solution.problem.x != problem.x).any(axis=-1)).tolist() == [3]
    assert solution.problem.replace(x=problem.x) == problem
    before, after = (compute(p)["weights"][0, 1, 3] for p in (problem, solution.problem))
    assert after[2] == pytest.approx(target, abs=1e-9)
    rest = np.flatnonzero((before > 0) & (np.arange(len(before)) != 2))
    assert after[rest] / after[rest].sum() == pytest.approx(before[rest] / before[rest].sum(), abs=1e-8)


def test_a_row_of_x_moves_no_further_than_it_must_where_keys_stand_apart(rng):
    problem = projected(rng, context=6)
    solution = solve(problem, "weights", (0, 1, 3, 2), 0.4, by="x")
    logits = compute(problem)["scaled"][0, 1, 3]
    keys = (problem.context @ problem.w_key)[:, 6:] @ problem.w_query[:, 6:].T * problem.effective_scale
    rest = np.delete(np.arange(6), 2)
    step = math.log(0.4 / 0.6) - logits[2] + np.logaddexp.reduce(logits[rest])
    expected = np.linalg.pinv(keys[[2, *rest[1:]]] - keys[rest[0]]) @ (np.eye(5)[0] * step)
    assert solution.problem.x[3] - problem.x[3] == pytest.approx(expected, abs=1e-9)


# --- long sequences ------------------------------------------------------------------------------
@pytest.mark.long
def test_half_of_the_attention_at_1100_tokens_is_reached_without_a_map():
    problem = Problem.over(new_fields("self", n=1100, num_heads=2, d_k=64, d_v=2))
    place = (0, 1, 1000, 500)
    with taking(2 * 1100 * 1100 * 8):
        solution = solve(problem, "weights", place, 0.5, "x")
    assert (solution.feasible, solution.odds) == (True, "free")
    row = compute(solution.problem).block("weights", 0, 1, slice(1000, 1001), slice(500, 501))
    assert row.item() == pytest.approx(0.5, abs=1e-9)


# --- targets without a closed formula -------------------------------------------------------------
QUESTIONS, TRIED = 30, 200
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


def test_no_random_search_comes_nearer_and_the_work_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    gap, slope = CellObjective.gap, CellObjective.slope
    monkeypatch.setattr(CellObjective, "gap", lambda self, change: (looks.append(1), gap(self, change))[1])
    monkeypatch.setattr(CellObjective, "slope", lambda self, change: (looks.append(1), slope(self, change))[1])
    for seed in share(range(QUESTIONS), 10):
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
    beyond = solve(problem, "weights", (0, 0, 0, 0), 0.01, odds="free")
    assert not beyond.feasible
    assert "That nothing comes nearer is not proved." in beyond.reason
    solution = solve(problem, "weights", (0, 0, 0, 0), weight, odds="free")
    assert solution.feasible
    assert solution.reached == pytest.approx(weight)
    assert solution.problem.query[0, 0] < 0


# --- quick answers to a moving target -------------------------------------------------------------
PLACE = (0, 1, 4, 17)
MORE = {
    "plain": {},
    "causal": {"mask": ({"kind": "causal", "align": "end"},)},
    "biased": {"mask": ({"kind": "alibi"},), "temperature": 0.7, "scale": 0.4},
    "turned": {"rotary_theta": 100.0},
    "gaussian": {"score": "gaussian", "score_params": {"w": 0.5}},
    "shared": {"num_kv_heads": 1},
}


def problem_of(name):
    rng = np.random.default_rng(11)
    kv = 1 if name == "shared" else 2
    arrays = {"query": (9, 8), "key": (23, 4 * kv), "value": (23, 3 * kv)}
    return Problem(**{field: rng.normal(size=shape) for field, shape in arrays.items()}, num_heads=2, **MORE[name])


def moved(problem, quick, target):
    numbers, reached = quick.at(target)
    query = np.array(problem.query)
    query[quick.box] = numbers
    return problem.replace(query=query), reached


@each("name", MORE, one_of=3)
@each(("stage", "target"), [("weights", 0.3), ("weights", 1e-3), ("scores", 2.5)])
def test_the_target_is_reached_and_told(name, stage, target):
    problem = problem_of(name)
    quick = quick_row(problem, stage, PLACE)
    if name == "gaussian" and stage != "weights":
        assert quick is None
        return
    after, reached = moved(problem, quick, target)
    assert compute(after)[stage][PLACE] == pytest.approx(reached, rel=1e-9, abs=1e-12)
    shortest = solve(problem, stage, PLACE, target, odds="free")
    wanted, tolerance = (target, 1e-7) if shortest.feasible else (shortest.reached, 0.15)  # near the largest there is
    assert reached == pytest.approx(wanted, rel=tolerance, abs=1e-9)
    assert np.argwhere((after.query != problem.query).any(axis=1)).tolist() == [[PLACE[2]]]
