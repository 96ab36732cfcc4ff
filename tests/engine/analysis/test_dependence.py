"""Reach of a recurrent layer, of convolutions and of attention against finite differences, and their costs by count."""

from itertools import pairwise, product

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.dependence import (
    Convolutions,
    Recurrent,
    affordable,
    attention_cost,
    convolution_cost,
    dependence,
    projection_multiplications,
    recurrent_cost,
    sequence,
)
from tests.failing import each

STEP = 1e-6


def by_differences(forward, x):
    """‖∂y_i/∂x_j‖ by central differences, one number of x after the other."""
    squares = np.zeros((len(x), len(x)))
    for j, column in np.ndindex(x.shape):
        ends = []
        for side in (STEP, -STEP):
            moved = x.copy()
            moved[j, column] += side
            ends.append(forward(moved))
        squares[:, j] += (((ends[0] - ends[1]) / (2 * STEP)) ** 2).sum(axis=1)
    return np.sqrt(squares)


@pytest.fixture
def x():
    return np.random.default_rng(1).standard_normal((7, 5))


@each("channels", [3, 8])
def test_the_recurrent_layer_reaches_back_and_never_forward(x, channels):
    layer = Recurrent.seeded(5, channels, 4)
    found = layer.dependence(x)
    assert found == pytest.approx(by_differences(layer.forward, x), abs=1e-8)
    assert (found[np.triu_indices(7, 1)] == 0).all()
    assert (found[np.tril_indices(7)] > 0).all()


@each(("layers", "channels"), [(1, 6), (2, 1), (3, 6)])
def test_convolutions_reach_as_far_as_they_are_many(x, layers, channels):
    layer = Convolutions.seeded(5, channels, layers, 4)
    found = layer.dependence(x)
    assert found == pytest.approx(by_differences(layer.forward, x), abs=1e-8)
    assert ((found > 0) == (np.abs(np.arange(7)[:, None] - np.arange(7)) <= layers)).all()


def problems():
    random = np.random.default_rng(2).standard_normal
    weights = {name: random((4, 6)) for name in ("w_query", "w_key", "w_value")}
    yield Problem(x=random((5, 4)), **weights, w_output=random((6, 4)), num_heads=3)
    yield Problem(x=random((5, 4)), **weights, num_heads=3, rotary_theta=100.0, mask=({"kind": "causal"},))
    given = {name: random((5, 4)) for name in ("query", "key", "value")}
    yield Problem(**given, num_heads=2, softcap=2.0, mask=({"kind": "alibi"},))
    yield Problem(**given, score="gaussian")
    by_hand = {"kind": "set", "stage": "weights", "at": {"batch": 0, "head": 0, "query": 2, "key": 1}, "values": 0.5}
    yield Problem(**given, interventions=(by_hand,))


BY_HAND = (
    {"kind": "scale", "stage": "concat", "at": {"query": (1, 4)}, "factor": 0.0},
    {"kind": "set", "stage": "output", "at": {"query": 1, "column": 2}, "values": 0.5},
    {"kind": "copy", "stage": "value", "at": {"row": 1}, "source": {"row": 0}},
    {"kind": "copy", "stage": "key", "at": {"column": 5}, "source": {"column": 0}},
    {"kind": "set", "stage": "query", "at": {"row": 2}, "values": 0.5},
    {"kind": "copy", "stage": "scores", "at": {"head": 0}, "source": {"head": 2}},
    {"kind": "copy", "stage": "head_output", "at": {"query": 0}, "source": {"query": 3}},
)


def changed_by_hand():
    """A projected problem and a given one by turns, changed in every way, and rows of the normed X."""
    random = np.random.default_rng(6).standard_normal
    weights = {name: random((4, 6)) for name in ("w_query", "w_key", "w_value")}
    plain = Problem(x=random((5, 4)), **weights, w_output=random((6, 4)), num_heads=3)
    given = Problem(**{name: random((5, 6)) for name in ("query", "key", "value")}, num_heads=3)
    for number, record in enumerate(BY_HAND):
        yield (plain, given)[number % 2].replace(interventions=[record])
    block = {"kind": "pre", "norm1_weight": random(4), "norm2_weight": random(4)}
    block |= {"w_up": random((4, 9)), "w_down": random((9, 4))}
    copied = {"kind": "copy", "stage": "normed_x", "at": {"row": 1}, "source": {"row": 0}}
    yield plain.replace(block=block, interventions=[copied])


@each("problem", [*problems(), *changed_by_hand()], one_of=6)
def test_attention_reaches_what_its_mask_leaves_open(problem):
    x = sequence(problem)
    widths = np.cumsum(
        [0, *(getattr(problem, name).shape[-1] for name in ("query", "key", "value") if not problem.projected)]
    )

    def forward(moved):
        if problem.projected:
            return compute(problem.replace(x=moved))["output"][0]
        cut = (moved[:, low:high] for low, high in pairwise(widths))
        return compute(problem.replace(**dict(zip(("query", "key", "value"), cut, strict=True))))["output"][0]

    told = []
    found = dependence(problem, told.append)
    assert found == pytest.approx(by_differences(forward, x), abs=1e-7)
    assert told == sorted(told)
    assert told[-1] == 1.0
    allowed = compute(problem).allowed
    if allowed is not None:
        assert ((found > 0) <= (allowed[0, 0] | np.eye(5, dtype=bool))).all()


def test_tokens_are_fewer_where_they_are_wide():
    random = np.random.default_rng(2).standard_normal
    weights = {name: random((512, 512)) for name in ("w_query", "w_key", "w_value", "w_output")}
    assert affordable(Problem(x=random((60, 512)), **weights), 32) < 32
    assert affordable(next(problems()), 32) == 5


# --- costs ---------------------------------------------------------------------------------------
@each(("n", "width", "layers"), [(1, 2, 1), (5, 3, 4), (6, 2, 3)])
def test_multiplications_are_those_of_plain_loops(n, width, layers):
    recurrent = sum(1 for _ in product(range(n), range(width), range(2 * width)))
    assert recurrent_cost(n, width).multiplications == recurrent
    stacked = 0
    for _, t, shift in product(range(layers), range(n), (-1, 0, 1)):
        if 0 <= t + shift < n:
            stacked += width * width
    cost = convolution_cost(n, width, layers)
    assert (cost.multiplications, cost.sequential) == (stacked, layers)
    assert (cost.path, cost.needed) == (layers if layers >= n - 1 else None, max(n - 1, 1))  # a place a layer


def test_attention_counts_scores_and_mixture_and_its_projections_apart():
    problem = next(problems())
    n, heads, d_k, d_v = problem.n, 3, 2, 2
    assert attention_cost(problem).multiplications == heads * n * n * d_k + heads * n * n * d_v
    assert (attention_cost(problem).sequential, attention_cost(problem).path) == (1, 1)
    assert projection_multiplications(problem) == 3 * n * 4 * 6 + n * 6 * 4
    assert projection_multiplications(list(problems())[2]) == 0


@each(
    ("layer", "path", "needed"),
    [
        ({"kind": "causal"}, 1, 1),
        ({"kind": "window", "left": 1}, None, 5),
        ({"kind": "window", "left": 2}, None, 3),
        ({"kind": "custom", "allowed": np.eye(6, dtype=bool)}, None, 0),
        ({"kind": "custom", "allowed": np.stack([np.eye(6, dtype=bool), np.ones((6, 6), dtype=bool)])}, 1, 1),
    ],
)
def test_the_path_of_attention_is_as_long_as_its_mask_makes_it(layer, path, needed):
    random = np.random.default_rng(2).standard_normal
    problem = Problem(**{name: random((6, 4)) for name in ("query", "key", "value")}, num_heads=2, mask=[layer])
    found = attention_cost(problem)
    assert (found.path, found.needed) == (path, needed)
    weights, reached = compute(problem)["weights"][0], np.eye(6)[5]
    for _ in range(needed or 9):
        assert reached[0] == 0
        reached = (reached @ weights).max(axis=0)
    assert (reached[0] > 0) == (needed > 0)


def test_the_multiplications_of_a_score_are_its_own():
    random = np.random.default_rng(2).standard_normal
    given = {name: random((4, 2)) for name in ("query", "key", "value")}
    assert attention_cost(Problem(**given)).multiplications == 4 * 4 * (2 + 2)
    assert attention_cost(Problem(**given, score="average")).multiplications == 4 * 4 * 2
    tables = {"w_score_query": random((2, 7)), "w_score_key": random((2, 7)), "w_score": random(7)}
    additive = Problem(**given, score="additive", score_params=tables)
    assert attention_cost(additive).multiplications == 4 * 4 * (7 + 2)
    assert projection_multiplications(additive) == 2 * 4 * 2 * 7
