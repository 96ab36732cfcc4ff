"""The way back: targets are met and odds kept to rounding, or it is proved that they cannot be."""

import math
from collections import deque
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import FieldError, PlaceError, Problem, StageError, Trace, compute, solve
from attn_gui.engine.creation.create import new_fields
from tests.costs import taking
from tests.failing import each, share

SEEDS = 300


# --- random problems -----------------------------------------------------------------------
def random_problem(rng: np.random.Generator) -> Problem:
    """Heads, grouped heads, masks, batches, scales, temperatures, positions; also keys that are alike."""
    groups, share, batch = (int(k) for k in (rng.integers(1, 3), rng.integers(1, 3), rng.integers(1, 3)))
    n, m, d = (int(k) for k in (rng.integers(1, 5), rng.integers(2, 8), 2 * rng.integers(1, 5)))
    key = rng.normal(size=(batch, m, groups * d))
    if rng.random() < 0.2:
        key[:, rng.integers(m)] = key[:, rng.integers(m)]
    if rng.random() < 0.2:
        key = np.round(key)
    arrays = {"query": rng.normal(size=(batch, n, groups * share * d)), "key": key}
    masks: list[dict[str, Any]] = [
        {"kind": "causal", "align": "end"},
        {"kind": "window", "left": 3},
        {"kind": "alibi"},
        {"kind": "custom", "allowed": rng.random((n, m)) > 0.3},
        {"kind": "bias", "values": rng.normal(size=(n, m))},
        {"kind": "bias", "values": rng.normal(size=(batch, groups * share, n, m))},
    ]
    chosen = [mask for mask in masks if rng.random() < 0.2]
    gaussian = rng.random() < 0.2
    return Problem(
        **arrays,
        value=rng.normal(size=(batch, m, groups * 3)),
        num_heads=groups * share,
        num_kv_heads=groups,
        score="gaussian" if gaussian else "dot",
        score_params={"w": 0.7, "key_norm": 0.6} if gaussian else {},
        scale=[None, 1.0, -0.4][rng.integers(3)],
        temperature=[None, 0.7][rng.integers(2)],
        rotary_theta=[None, None, 50.0][rng.integers(3)],
        mask=chosen,
        batch_axis=True,
    )


_TRACES: deque[tuple[Problem, Trace]] = deque(maxlen=4)


def traced(problem: Problem) -> Trace:
    """The trace of a problem that several judges look at, computed once."""
    for known, trace in _TRACES:
        if known is problem:
            return trace
    _TRACES.append((problem, compute(problem)))
    return _TRACES[-1][1]


def vectors(problem: Problem, head: int, item: int) -> np.ndarray:
    """What the logits of a row grow by when a number of the query row grows, written out anew: (m, d_k)."""
    trace, d = traced(problem), problem.d_k
    g = head * problem.num_kv_heads // problem.num_heads
    name = "rotated_key" if problem.rotary_theta else "key"
    keys = trace[name][item][:, g * d : (g + 1) * d] * problem.effective_scale
    return keys * problem.score_params["w"] ** 2 if problem.score == "gaussian" else keys


def turn(problem: Problem, row: int) -> np.ndarray:
    """The rotary turn of a query row as a matrix: turned = turn @ row."""
    d = problem.d_k
    if not problem.rotary_theta:
        return np.eye(d)
    angle = row * problem.rotary_theta ** (-np.arange(0, d, 2) / d)
    cos, sin = np.diag(np.cos(angle)), np.diag(np.sin(angle))
    return np.block([[cos, -sin], [sin, cos]])


def logits_of(problem: Problem, item: int, head: int, row: int) -> np.ndarray:
    trace = traced(problem)
    return trace[trace.stages[trace.stages.index("weights") - 1]][item, head, row]


def question(seed: int) -> tuple[Problem, str, tuple[int, ...], float, str]:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    place = tuple(int(rng.integers(size)) for size in problem.map_shape)
    by = ["query", "query", "key", "bias"][rng.integers(4)]
    stage = ["weights", "scores", "scaled"][rng.integers(3)]
    stage = "weights" if by == "bias" or problem.score == "gaussian" else stage
    return problem, stage, place, float(rng.uniform(0.05, 0.95)), by


def kept(problem, stage, place, target, by="query"):
    return solve(problem, stage, place, target, by, odds="kept")


def test_targets_and_odds_are_met_or_shown_to_be_out_of_reach():
    found = {True: 0, False: 0}
    for seed in share(range(SEEDS), 4):
        asked = question(seed)
        solution = kept(*asked)
        found[solution.feasible] += 1
        if solution.residual == math.inf:
            assert_blocked(*asked[:3], solution)
        elif asked[-1] == "query":
            assert_solved_by_query(*asked[:4], solution)
        elif solution.feasible or asked[-1] == "bias" or asked[0].score != "gaussian":  # else beyond any key
            assert_met(*asked[:4], solution, condition=1.0)
            assert solution.feasible
    assert min(found.values()) > sum(found.values()) / 20


def assert_blocked(problem, stage, place, solution):
    item, head, row, key = place
    open_ = np.isfinite(logits_of(problem, item, head, row))
    assert stage == "weights"
    assert not solution.feasible
    assert not open_[key] or open_.sum() == 1
    assert solution.problem == problem


def assert_met(problem, stage, place, target, solution, condition):
    """The target, and the differences between the logits of the other open keys, to 1e-10 × the condition number."""
    item, head, row, key = place
    before, after = (logits_of(p, item, head, row) for p in (problem, solution.problem))
    others = np.isfinite(before) & (np.arange(len(before)) != key)
    enough = 1e-10 * condition
    assert abs(traced(solution.problem)[stage][place] - target) <= enough
    assert solution.reached == traced(solution.problem)[stage][place]
    assert not others.any() or np.ptp(after[others] - before[others]) <= enough
    assert solution.residual <= 10 * enough
    assert np.array_equal(np.isfinite(before), np.isfinite(after))


def assert_solved_by_query(problem, stage, place, target, solution):
    """Against differences to one key instead of the mean, by other routines."""
    item, head, row, key = place
    trace, keys = traced(problem), vectors(problem, head, item) @ turn(problem, row)
    temperature = problem.temperature or 1.0
    logits = logits_of(problem, item, head, row) / temperature
    open_ = np.isfinite(logits)
    rest = np.flatnonzero(open_ & (np.arange(len(open_)) != key))
    if stage == "weights":
        step = temperature * (math.log(target / (1 - target)) - logits[key] + np.logaddexp.reduce(logits[rest]))
        matrix = keys[[key, *rest[1:]]] - keys[rest[0]]
    else:
        step = (target - trace[stage][place]) * (problem.effective_scale if stage == "scores" else 1.0)
        matrix = np.concatenate([keys[[key]], keys[rest[1:]] - keys[rest[:1]]])
    right = np.eye(len(matrix))[0] * step
    values = np.linalg.svd(matrix, compute_uv=False)
    rank = np.linalg.matrix_rank(matrix)
    condition = values[0] / values[rank - 1] if rank else 1.0
    grows = np.linalg.matrix_rank(np.column_stack([matrix, right / abs(step) * (values[0] or 1.0)])) > rank
    assert solution.feasible == (not grows)
    assert_only_that_row_changed(problem, solution, place)
    if solution.feasible:
        assert_met(problem, stage, place, target, solution, condition)
        shortest = np.linalg.pinv(matrix) @ right
        assert np.linalg.norm(shortest) == pytest.approx(solution.norm, rel=1e-9 * condition, abs=1e-12)
    elif stage == "weights":
        assert solution.residual <= nearest(keys[open_], np.flatnonzero(np.flatnonzero(open_) == key)[0], step) + 1e-9
        assert solution.reason.values["rank"] == rank


def nearest(keys: np.ndarray, key: int, step: float) -> float:
    """The least residual of the logits with the common number as an unknown of its own, by another solver."""
    matrix = np.column_stack([keys, -np.ones(len(keys))])
    right = np.eye(len(keys))[key] * step
    x = np.linalg.lstsq(matrix.T @ matrix, matrix.T @ right, rcond=1e-12)[0]
    for _ in range(3):  # and from there by steepest descent, as far as it goes
        slope = matrix.T @ (matrix @ x - right)
        x = x - slope * (slope @ slope) / max(float((matrix @ slope) @ (matrix @ slope)), 1e-300)
    return float(np.linalg.norm(matrix @ x - right))


def assert_only_that_row_changed(problem, solution, place):
    item, head, row, _ = place
    changed = np.argwhere(solution.problem.query != problem.query)
    d = problem.d_k
    assert all((b, i, c // d) == (item, row, head) for b, i, c in changed)
    assert solution.problem.replace(query=problem.query) == problem


STRETCHED = {
    "far from 0": lambda rng, key: key + 1e3 * rng.normal(size=key.shape[-1]),
    "in line": lambda rng, key: 1e-7 * key + rng.normal(size=(*key.shape[:2], 1)) * rng.normal(size=key.shape[-1]),
    "large": lambda rng, key: 1e4 * key,
    "small": lambda rng, key: 1e-6 * key,
}


@each("name", STRETCHED, one_of=2)
def test_badly_conditioned_keys_are_met_to_their_condition_number(name):
    for seed in share(range(30), 3):
        problem, stage, place, target, by = question(seed)
        if problem.score == "dot" and by == "query":
            problem = problem.replace(key=STRETCHED[name](np.random.default_rng(seed), problem.key))
            solution = kept(problem, stage, place, target)
            if solution.residual < math.inf:
                assert_solved_by_query(problem, stage, place, target, solution)


# --- by key --------------------------------------------------------------------------------------
def simple(rng, **more):
    arrays = {"query": rng.normal(size=(3, 8)), "key": rng.normal(size=(5, 4)), "value": rng.normal(size=(5, 6))}
    return Problem(**arrays | {"num_heads": 2, "num_kv_heads": 1} | more)


@each("stage", ["weights", "scores", "scaled"])
def test_a_key_row_moves_along_the_query_and_touches_one_logit_of_the_row(stage, rng):
    problem = simple(rng, softcap=3.0)
    solution = solve(problem, stage, (0, 1, 2, 3), 0.4, by="key")
    moved = solution.problem.key - problem.key
    assert solution.reached == pytest.approx(0.4, abs=1e-13)
    assert np.flatnonzero(moved.any(axis=1)).tolist() == [3]
    query = problem.query[2, 4:]
    assert abs(abs(moved[3] @ query) / np.linalg.norm(moved[3]) / np.linalg.norm(query) - 1) < 1e-14
    before, after = compute(problem)["capped"][0, 1, 2], compute(solution.problem)["capped"][0, 1, 2]
    assert np.flatnonzero(before != after).tolist() == [3]


def test_a_softcap_is_the_limit_of_a_key_row(rng):
    problem = simple(rng, softcap=0.5)
    solution = solve(problem, "weights", (0, 0, 0, 1), 0.9, by="key")
    assert not solution.feasible
    assert compute(solution.problem)["capped"][0, 0, 0, 1] == 0.5
    assert solution.reason.values["cap"] == 0.5
    assert solve(problem, "weights", (0, 0, 0, 1), 0.9, by="bias").reached == pytest.approx(0.9, abs=1e-14)


# --- by bias -------------------------------------------------------------------------------------
def test_a_bias_of_its_own_is_made_where_the_others_are_shared(rng):
    problem = simple(rng, mask=({"kind": "bias", "values": rng.normal(size=(1, 5))},))
    solution = solve(problem, "weights", (0, 1, 2, 3), 0.6, by="bias")
    assert (solution.field, len(solution.problem.mask)) == ("mask.1.values", 2)
    values = solution.problem.mask[1].values
    assert values.shape == (2, 3, 5)
    assert np.argwhere(values.any(axis=2)).tolist() == [[1, 2]]
    assert np.array_equal(values[1, 2][[0, 1, 2, 4]], np.full(4, values[1, 2, 0]))
    assert abs(values.sum()) < 1e-14  # the smallest change has no common part
    assert np.array_equal(values[solution.box].reshape(-1), values[1, 2])


# --- outputs -------------------------------------------------------------------------------------


def test_nearby_solutions_are_judged_by_their_residual():
    reached = 0
    for seed in (0, 1, 2, 7):  # all but the second can be reached
        problem = random_problem(np.random.default_rng(seed)).replace(mask=())
        index = (0, problem.n - 1, 1)
        target = float(np.random.default_rng(seed).normal())
        solution = solve(problem, "output", index, target)
        reached += solution.feasible
        column = traced(problem)["value"][0, :, 1]
        assert solution.feasible == (solution.residual < 1e-9)
        assert solution.residual <= abs(traced(problem)["output"][index] - target)
        if not column.min() < target < column.max():
            assert not solution.feasible
            assert solution.reason.values["low"] == column.min()
    assert reached > 1


@each("stage", ["normalized", "block_output"], one_of=2)
def test_the_end_of_a_block_is_reached_by_a_bias(stage, makers):
    problem = makers["block"]()
    index = (1, 4, 3)
    target = compute(problem)[stage][index] + 0.01
    assert solve(problem, stage, index, target, by="bias").reached == pytest.approx(target, abs=1e-9)


# --- kinds of problems ---------------------------------------------------------------------------


def test_closed_keys_and_keys_without_company_stay(rng):
    problem = simple(rng, mask=({"kind": "causal"},))
    problem = problem.replace(key=np.where(np.arange(5)[:, None] == 4, np.nan, problem.key))  # no obstacle behind it
    closed, alone = (solve(problem, "weights", (0, 0, 0, key), 0.5) for key in (3, 0))
    assert (closed.feasible, closed.reached, closed.residual) == (False, 0.0, math.inf)
    assert (alone.feasible, alone.reached, alone.residual) == (False, 1.0, math.inf)
    assert closed.reason == "Key 3 is closed to this query by a mask or by a bias of −∞: its weight stays 0."
    assert closed.problem == alone.problem == problem
    assert solve(problem, "scores", (0, 0, 0, 3), 0.5).reached == pytest.approx(0.5)


REFUSED = {
    "target 1": ({}, ("weights", (0, 0, 0, 0), 1.0), FieldError, "between 0 and 1"),
    "target nan": ({}, ("weights", (0, 0, 0, 0), math.nan), FieldError, "finite"),
    "by": ({}, ("weights", (0, 0, 0, 0), 0.5, "value"), FieldError, "by must be one of query, key, bias, x"),
    "stage": ({}, ("query", (0, 0, 0), 0.5), FieldError, "query cannot be solved for"),
    "no stage": ({}, ("masked", (0, 0, 0, 0), 0.5), StageError, "'masked' is not a stage"),
    "index": ({}, ("weights", (0, 0, 0, 9), 0.5), PlaceError, "4 whole numbers"),
    "output by key": ({}, ("output", (0, 0, 0), 0.5, "key"), FieldError, "every key"),
    "scores by bias": ({}, ("scores", (0, 0, 0, 0), 0.5, "bias"), FieldError, "comes before the bias"),
    "softcap": ({"softcap": 2.0}, ("weights", (0, 0, 0, 0), 0.5, "query", "kept"), FieldError, "softcap"),
    "cosine": ({"score": "cosine"}, ("weights", (0, 0, 0, 0), 0.5, "query", "kept"), FieldError, "cosine score is not"),
    "gaussian": ({"score": "gaussian"}, ("scores", (0, 0, 0, 0), 0.5, "query", "kept"), FieldError, "Gaussian score"),
    "odds": ({}, ("weights", (0, 0, 0, 0), 0.5, "query", "even"), FieldError, "odds must be one of kept, free"),
    "no x": ({}, ("weights", (0, 0, 0, 0), 0.5, "x"), FieldError, "There is no X here"),
    "average": ({"score": "average"}, ("weights", (0, 0, 0, 0), 0.5, "key"), FieldError, "neither queries nor keys"),
    "infinite": ({"value": np.full((5, 6), np.inf)}, ("output", (0, 0, 0), 0.5), FieldError, "NaN or infinity"),
    "nan": ({"key": np.full((5, 4), np.nan)}, ("weights", (0, 0, 0, 0), 0.5), FieldError, "NaN or infinity"),
}


@each("case", REFUSED)
def test_what_makes_no_sense_is_refused_with_a_sentence(case, rng):
    fields, asked, error, words = REFUSED[case]
    with pytest.raises(error, match=words) as caught:
        solve(simple(rng, **fields), *asked)
    assert caught.value.template.count("{") == len(caught.value.values) or case == "target nan"


def test_projected_problems_offer_another_way(makers):
    with pytest.raises(FieldError, match="work on Q, K, V directly"):
        solve(makers["cross"](), "weights", (0, 0, 0, 0), 0.5, "key")


# --- long sequences ------------------------------------------------------------------------------
def test_a_target_at_2000_tokens_is_reached_without_a_map():
    stage, index, target, by = "output", (0, 1500, 3), 0.1, "query"
    problem = Problem.over(new_fields("direct", n=2000, num_heads=2, d_k=4, d_v=2)).replace(mask=({"kind": "causal"},))
    with taking(2000 * 2000 * 8):  # not even one map of one head in float64
        solution = solve(problem, stage, index, target, by)
    assert solution.feasible
    assert solution.reached == pytest.approx(target, rel=1e-9)
    cell = compute(solution.problem).block(stage, 0, None, slice(1500, 1501), slice(3, 4))
    assert cell.item() == pytest.approx(target, rel=1e-9)


ONE = {"query": [[1.0, 2]], "key": [[1.0, 0]], "value": [[1.0]]}
TWO = {"query": [[1.0, 2]], "key": [[1.0, 0], [0, 1]], "value": [[1.0], [2]]}
FIRST = ({"kind": "padding", "lengths": 1},)


def test_beside_a_sink_one_key_can_have_less_than_1():
    found = solve(Problem(**ONE, sink=[0.0]), "weights", (0, 0, 0, 0), 0.5)
    assert found.feasible
    assert found.reached == pytest.approx(0.5)
    closed = solve(Problem(**TWO, sink=[0.0], mask=FIRST), "weights", (0, 0, 0, 1), 0.5)
    assert closed.reason.startswith("Key 1 is closed")
    with pytest.raises(FieldError, match="comes before the bias"):
        solve(Problem(**TWO, sink=[0.0]), "scaled", (0, 0, 0, 1), 0.5, by="bias")


# --- weights changed by hand: what the softmax gives is not what stands there --------------------
PLACE = (0, 0, 1, 2)
NUMBERS = np.random.default_rng(3).normal
ARRAYS = {"query": NUMBERS(size=(3, 5)), "key": NUMBERS(size=(4, 5)), "value": NUMBERS(size=(4, 2))}


def changed(**record):
    return Problem(**ARRAYS, interventions=[{"stage": "weights", "at": {"query": 1}, **record}])


@each("by", ["query", "key", "bias"], one_of=3)
def test_a_weight_that_is_scaled_reaches_its_target_as_it_stands_there(by):
    problem = changed(kind="scale", factor=0.5)
    found = solve(problem, "weights", PLACE, 0.3, by=by)
    assert (found.feasible, found.odds) == (True, "free")
    assert not solve(problem, "weights", PLACE, 0.7, by=by).feasible  # no more than its factor
    assert found.reached == compute(found.problem)["weights"][PLACE]
    assert found.reached == pytest.approx(0.3, abs=1e-9)
