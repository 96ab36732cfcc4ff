"""Sweeps against problems that are computed as a whole, one for each value, and plain formulas of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.sweep import ROW_READINGS, MapRow, quantities_of, quantity_of_cell, sweep, values_between

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


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("scale", lambda problem, value: {"scale": value}),
        ("temperature", lambda problem, value: {"temperature": value}),
        ("softcap", lambda problem, value: {"softcap": value}),
        ("mask.0.left", lambda problem, value: {"mask": [{"kind": "window", "left": int(value), "right": 2}]}),
    ],
)
@pytest.mark.parametrize("reading", ROW_READINGS)
def test_every_reading_of_every_quantity_is_that_of_the_plain_formula(problem, key, changes, reading):
    quantity = quantities_of(problem)[key]
    values = values_between(quantity, *((1, 4) if quantity.whole else (0.5, 3.0)), 4)
    found = sweep(problem, quantity, values, ROW, ROW_READINGS[reading].read)
    wanted = [plain(problem.replace(**changes(problem, value)))[reading] for value in values]
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-14)
    assert len(set(np.round(found, 9))) > 1 or reading in ("score_variance", "logit_variance", "weight")


def test_the_value_of_now_gives_the_reading_of_now(problem):
    trace = compute(problem)
    weights = trace["weights"][ROW.batch, ROW.head, ROW.query]
    for key, quantity in quantities_of(problem, quantity_of_cell(problem, "query", (1, 3, 7), 0.0)).items():
        now = quantity.now(problem)
        if now is not None:
            low, high = quantity.span(problem)
            assert low <= high
            found = sweep(problem, quantity, [now], ROW, ROW_READINGS["weight"].read)
            assert found == pytest.approx([weights[ROW.key]], rel=1e-13), key


@pytest.mark.parametrize("changes", [{}, {"rotary_theta": 100.0}, {"score": "cosine"}, {"score": "gaussian"}])
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


def test_the_base_of_rotary_positions_runs_where_there_is_one(problem):
    assert "rotary_theta" not in quantities_of(problem)
    rng = np.random.default_rng(3)
    turned = Problem(**{name: rng.normal(size=(5, 4)) for name in ("query", "key", "value")}, rotary_theta=50.0)
    found = sweep(
        turned, quantities_of(turned)["rotary_theta"], [7.0], MapRow(query=3, key=1), ROW_READINGS["weight"].read
    )
    assert found == pytest.approx([compute(turned.replace(rotary_theta=7.0))["weights"][0, 0, 3, 1]])


def test_a_cell_of_a_table_moves_alone(problem):
    quantity = quantity_of_cell(problem, "key", (1, 4, 3), 0.0)
    query = np.array(problem.key)
    query[1, 4, 3] = 2.5
    moved = compute(problem.replace(key=query))["weights"][1, 2, 3]
    assert sweep(problem, quantity, [2.5], ROW, ROW_READINGS["largest"].read) == pytest.approx([moved.max()])


@pytest.mark.parametrize(("stage", "reading"), [("weights", "norm"), ("scores", "entropy")])
def test_a_computed_cell_is_set_by_hand_and_what_follows_is_read(problem, stage, reading):
    place = (ROW.batch, ROW.head, ROW.query, 2)
    trace = compute(problem)
    quantity = quantity_of_cell(problem, stage, place, float(trace[stage][place]))
    low, high = quantity.span(problem)
    assert low <= quantity.now(problem) <= high
    found = sweep(problem, quantity, [quantity.now(problem), 0.75], ROW, ROW_READINGS[reading].read)
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
