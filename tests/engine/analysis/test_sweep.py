"""Sweeps of one number, of the scale and of d_k, against whole computations and plain formulas of their rows."""

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.sweep import (
    POINTS,
    ROW_READINGS,
    SATURATED,
    WIDTHS,
    MapRow,
    at_scales,
    can_repeat,
    entropies_at_scales,
    quantities_of,
    quantity_of_cell,
    read_d_k,
    repeated,
    score_variance,
    seeded_variances,
    sweep,
    two_states,
    values_between,
)
from attn_gui.engine.analysis.sweep import d_k_entropies as d_k_entropies
from tests.failing import each

N, M, HEADS, GROUPS, D_K, D_V = 5, 7, 4, 2, 3, 2
ROW = MapRow(batch=1, head=2, query=3, key=4)


@pytest.fixture
def problem():
    rng = np.random.default_rng(11)
    return Problem(
        query=rng.normal(size=(2, N, HEADS * D_K)),
        key=rng.normal(size=(2, M, GROUPS * D_K)),
        value=rng.normal(size=(2, M, GROUPS * D_V)),
        num_heads=HEADS,
        num_kv_heads=GROUPS,
        mask=[{"kind": "window", "left": 3, "right": 2}],
        softcap=4.0,
    )


def plain(changed):
    """The readings of the row by formulas, from scores that plain loops add up."""
    row = ROW
    q = changed.query[row.batch, row.query, row.head * D_K : (row.head + 1) * D_K]
    group = row.head * GROUPS // HEADS
    keys = changed.key[row.batch, :, group * D_K : (group + 1) * D_K]
    values = changed.value[row.batch, :, group * D_V : (group + 1) * D_V]
    layer = changed.mask[0]
    open_keys = [j for j in range(M) if row.query - j <= layer.left and j - row.query <= layer.right]
    scores = np.array([sum(q[c] * keys[j, c] for c in range(D_K)) for j in open_keys])
    logits = scores * (changed.scale if changed.scale is not None else D_K**-0.5)
    logits = changed.softcap * np.tanh(logits / changed.softcap)
    powers = np.exp(logits / (changed.temperature or 1.0))
    a = powers / powers.sum()
    whole = np.zeros(M)
    whole[open_keys] = a
    slopes = (1 - (logits / changed.softcap) ** 2) / (changed.temperature or 1.0)
    slopes = slopes * (changed.scale if changed.scale is not None else D_K**-0.5)
    moved = slopes[:, None] * keys[open_keys]  # of what the softmax takes, with the query
    place = open_keys.index(row.key) if row.key in open_keys else None
    return {
        "gradient": 0.0 if place is None else np.linalg.norm(a[place] * (moved[place] - a @ moved)),
        "entropy": -(a * np.log2(a)).sum(),
        "weight": whole[row.key],
        "largest": a.max(),
        "norm": np.linalg.norm(whole @ values),
        "score_variance": np.mean((scores - scores.mean()) ** 2),
        "logit_variance": np.mean((logits - logits.mean()) ** 2),
        "saturation": np.linalg.norm(np.diag(whole) - np.outer(whole, whole)),
    }


@each(
    ("key", "changes"),
    [
        ("scale", lambda problem, value: {"scale": value}),
        ("temperature", lambda problem, value: {"temperature": value}),
        ("softcap", lambda problem, value: {"softcap": value}),
        ("mask.0.left", lambda problem, value: {"mask": [{"kind": "window", "left": int(value), "right": 2}]}),
    ],
)
@each("reading", ROW_READINGS)
def test_every_reading_of_every_quantity_is_that_of_the_plain_formula(problem, key, changes, reading):
    quantity = quantities_of(problem)[key]
    values = values_between(quantity, *((1, 4) if quantity.whole else (0.5, 3.0)), 4)
    found = sweep(problem, quantity, values, ROW, ROW_READINGS[reading].read)
    wanted = [plain(problem.replace(**changes(problem, value)))[reading] for value in values]
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-14)
    assert len(set(np.round(found, 9))) > 1 or reading in ("score_variance", "logit_variance", "weight")


def test_the_value_of_now_gives_the_reading_of_now(problem):
    weights = compute(problem)["weights"][ROW.batch, ROW.head, ROW.query]
    for key, quantity in quantities_of(problem, quantity_of_cell(problem, "query", (1, 3, 7), 0.0)).items():
        now = quantity.now
        if now is not None:
            low, high = quantity.span
            assert low <= high
            found = sweep(problem, quantity, [now], ROW, ROW_READINGS["weight"].read)
            assert found == pytest.approx([weights[ROW.key]], rel=1e-13), key


@each("changes", [{"rotary_theta": 100.0}, {"score": "gaussian"}])
def test_the_gradient_of_a_weight_is_its_difference_over_a_small_step_of_the_query(problem, changes):
    rng = np.random.default_rng(2)
    matrices = {name: rng.normal(size=(4, 4)) for name in ("query", "key", "value")}
    problem, row = Problem(**matrices, num_heads=2, **changes), MapRow(head=1, query=2, key=3)
    step, found = 1e-6, []
    for column in (2, 3):
        ends = []
        for sign in (-1, 1):
            query = matrices["query"].copy()
            query[2, column] += sign * step
            ends.append(compute(problem.replace(query=query))["weights"][0, 1, 2, 3])
        found.append((ends[1] - ends[0]) / (2 * step))
    quantity = quantities_of(problem)["temperature"]
    read = sweep(problem, quantity, [1.0], row, ROW_READINGS["gradient"].read)
    assert read == pytest.approx([np.linalg.norm(found)], rel=1e-7)


@each(("stage", "reading"), [("weights", "norm"), ("scores", "entropy")])
def test_a_computed_cell_is_set_by_hand_and_what_follows_is_read(problem, stage, reading):
    place = (ROW.batch, ROW.head, ROW.query, 2)
    trace = compute(problem)
    quantity = quantity_of_cell(problem, stage, place, float(trace[stage][place]))
    low, high = quantity.span
    assert low <= quantity.now <= high
    found = sweep(problem, quantity, [quantity.now, 0.75], ROW, ROW_READINGS[reading].read)
    assert found[0] == pytest.approx(plain(problem)[reading], rel=1e-12)
    if stage == "weights":
        row = np.array(trace[stage][place[:3]])
        row[2] = 0.75
        group = ROW.head * GROUPS // HEADS
        wanted = np.linalg.norm(row @ problem.value[ROW.batch, :, group * D_V : (group + 1) * D_V])
    else:
        logits = np.array(trace["scores"][place[:3]])
        logits[2] = 0.75
        powers = np.where(trace.allowed[place[:3]], np.exp(4 * np.tanh(logits * D_K**-0.5 / 4)), 0)
        a = powers[powers > 0] / powers.sum()
        wanted = -(a * np.log2(a)).sum()
    assert found[1] == pytest.approx(wanted, rel=1e-12)


def test_whole_numbers_are_taken_once_and_a_sweep_can_be_stopped(problem):
    quantity = quantities_of(problem)["mask.0.left"]
    assert values_between(quantity, 0, 3, 25).tolist() == [0, 1, 2, 3]
    assert values_between(quantity, 3, 0, 25).tolist() == [3, 2, 1, 0]
    told = []

    def tell(share):
        told.append(share)
        if share >= 0.5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        sweep(problem, quantity, [0, 1, 2, 3], ROW, ROW_READINGS["weight"].read, tell)
    assert told == [0.0, 0.25, 0.5]


# --- scaling of dot products against plain formulas -----------------------------------------------
QUERIES, KEYS, WIDTH = 6, 5, 4


@pytest.fixture
def causal():
    rng = np.random.default_rng(4)
    return Problem(
        query=rng.normal(size=(QUERIES, 2 * WIDTH)),
        key=rng.normal(size=(KEYS, 2 * WIDTH)),
        value=rng.normal(size=(KEYS, 6)),
        num_heads=2,
        mask=[{"kind": "causal"}],
    )


def softmax(numbers):
    powers = np.exp(numbers - numbers.max())
    return powers / powers.sum()


def test_the_variance_of_seeded_products_comes_near_d_k():
    found = seeded_variances()
    for width, variance in zip(WIDTHS, found, strict=True):
        assert variance == pytest.approx(width, rel=5 * np.sqrt(2 / (128 * width)) + 0.05)  # ‖q‖² varies by √(2/d_k)
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((128, 256)), rng.standard_normal((128, 256))
    products = [float(query[i, :64] @ key[j, :64]) for i in range(128) for j in range(128)]
    assert found[WIDTHS.index(64)] == pytest.approx(np.mean((np.array(products) - np.mean(products)) ** 2), rel=1e-12)


def test_a_row_at_several_scales_is_the_softmax_of_its_products(causal):
    row, scales = MapRow(head=1, query=3, key=2), (WIDTH**-0.5, 1.0, 7.5)
    query, keys = causal.query[3, WIDTH:], causal.key[:4, WIDTH:]
    for found, scale in zip(at_scales(causal, scales, row), scales, strict=True):
        a = softmax(keys @ query * scale)
        assert found.weights == pytest.approx([*a, 0.0], rel=1e-12)
        assert found.entropy == pytest.approx(-(a * np.log2(a)).sum(), rel=1e-10)
        assert found.ceiling == pytest.approx(np.log2(4))
        assert found.jacobian == pytest.approx(np.linalg.norm(np.diag(a) - np.outer(a, a)), rel=1e-9)
        assert found.gradient == pytest.approx(np.linalg.norm(scale * a[2] * (keys[2] - a @ keys)), rel=1e-9)
        assert found.saturated == (a.max() > SATURATED)


def test_entropies_are_those_of_every_row_and_the_ceiling_is_the_log_of_its_open_keys(causal):
    found = entropies_at_scales(causal, (0.5, 3.0), MapRow(head=1))
    for number, scale in enumerate((0.5, 3.0)):
        weights = compute(causal.replace(scale=scale))["weights"][0, 1]
        wanted = [-sum(a * np.log2(a) for a in row if a > 0) for row in weights]
        assert found.values[number] == pytest.approx(wanted, abs=1e-14)
    assert found.ceilings == pytest.approx(np.log2([1, 2, 3, 4, 5, 5]))
    assert found.queries.tolist() == [*range(QUERIES)]


def test_the_variance_of_the_present_scores_is_that_of_the_open_cells(causal):
    seen = (causal.query[:, WIDTH:] @ causal.key[:, WIDTH:].T)[np.tril(np.ones((QUERIES, KEYS), bool))]
    assert score_variance(causal, 0, 1) == pytest.approx(np.var(seen), rel=1e-12)


# --- Q and K at any d_k ---------------------------------------------------------------------------


@each("more", [{"temperature": 2.0, "mask": "causal"}, {"scale": 0.25, "num_kv_heads": 1}])
def test_columns_of_each_head_are_repeated_and_cut(more):
    rng = np.random.default_rng(4)
    kv = more.get("num_kv_heads", 2)
    arrays = {
        "query": rng.normal(size=(5, 6)),
        "key": rng.normal(size=(7, 3 * kv)),
        "value": rng.normal(size=(7, 2 * kv)),
    }
    problem = Problem(**arrays, num_heads=2, **more)
    assert can_repeat(problem)
    assert np.array_equal(repeated(problem, 3).query, problem.query)
    wide = repeated(problem, 8)
    scores = problem.query.reshape(5, 2, 3)[:, 1][:, [0, 1, 2, 0, 1, 2, 0, 1]]
    keys = problem.key.reshape(7, kv, 3)[:, kv - 1][:, [0, 1, 2, 0, 1, 2, 0, 1]]
    assert compute(wide)["scores"][0, 1] == pytest.approx(scores @ keys.T)
    curves = d_k_entropies(problem, 0, 1)
    for place in (0, 9):
        states = two_states(repeated(problem, POINTS[place]))
        found = [read_d_k(state, MapRow(head=1)).entropy for state in states]
        assert found == pytest.approx([curve[place] for curve in curves], abs=1e-12)


def test_what_depends_on_the_width_in_other_ways_is_not_repeated():
    ones = {"query": np.ones((2, 4)), "key": np.ones((3, 4)), "value": np.ones((3, 1))}
    assert not can_repeat(Problem(**ones, rotary_theta=100.0))
    assert not can_repeat(Problem(**ones, softcap=3.0))
    assert not can_repeat(Problem(**ones, score="cosine"))
    assert not can_repeat(Problem(**ones, mask=[{"kind": "alibi"}]))
