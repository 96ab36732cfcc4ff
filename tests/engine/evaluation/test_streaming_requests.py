"""Requests of long problems: any window, parts, pictures, entropies; what is kept, computed, and how exact it is."""

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, FieldError, Plane, Problem, arrays, compute, verify
from attn_gui.engine.evaluation import streaming, streaming_pooling
from attn_gui.engine.evaluation.evaluation import row_entropy
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph import indices
from tests.costs import taking
from tests.failing import each

from .working import Working

N, M, HEADS, WIDTH = 311, 283, 4, 5
MASKS = {"open": (), "causal": ({"kind": "causal"},), "alibi": ({"kind": "alibi"}, {"kind": "causal"})}


def a_problem(rng, **more):
    arrays = {name: rng.normal(size=(rows, HEADS * WIDTH)) for name, rows in (("query", N), ("key", M), ("value", M))}
    return Problem(**arrays, num_heads=HEADS, **more)


@each(("mask", "stage"), [("open", "scores"), ("causal", "masked"), ("alibi", "weights")])
def test_any_window_is_the_part_of_the_whole(rng, mask, stage):
    evaluation = StreamingEvaluation(a_problem(rng, mask=MASKS[mask]))
    down, across = np.array([17, 18, 40, 41, 129]), np.array([3, 90, 91, 200])
    values, allowed = evaluation.pooled_at(stage, 0, 2, down, across)
    block, opened = Plane(evaluation, stage, 0, 2).block(slice(17, 129), slice(3, 200))
    for i, top in enumerate(down[:-1]):
        for j, left in enumerate(across[:-1]):
            cells = (slice(top - 17, down[i + 1] - 17), slice(left - 3, across[j + 1] - 3))
            seen = block[cells] if opened is None else block[cells][opened[cells]]
            assert allowed is None or allowed[i, j] == bool(seen.size)
            if seen.size:
                assert values[i, j] == pytest.approx(seen.flat[np.argmax(np.abs(seen))], abs=1e-12)


def test_entropies_beside_large_scores_keep_their_digits_in_float32(rng):
    """They are the rest of log Z and of the mean score, which are hundreds."""
    problem = a_problem(rng, dtype="float32", temperature=0.005, mask=MASKS["causal"])
    found = StreamingEvaluation(problem).entropies(0, 3, slice(0, N))
    doubled = {name: array.astype(float) for name, array in problem.arrays().items()}
    exact = DenseEvaluation(problem.replace(dtype="float64", **doubled)).block(
        "weights", 0, 3, slice(0, N), slice(0, M)
    )
    assert found == pytest.approx(row_entropy(exact), abs=1e-3)


@each(("dtype", "mask"), [("float32", "causal"), ("float64", "alibi")])
def test_pictures_at_rest_are_those_of_a_fresh_evaluation_bit_for_bit(rng, dtype, mask):
    working = Working(a_problem(rng, dtype=dtype, mask=MASKS[mask]), None, None)
    stages = [stage for stage in ("scores", "masked", "weights") if stage in working.evaluation.stages]
    for stage in stages:
        working.evaluation.pooled(stage, 0, 1, 20, 20)
    for field, rows in (("query", N), ("key", M), ("value", M)):
        for _ in range(6):
            cell = indices.cell((int(rng.integers(rows)), WIDTH + int(rng.integers(WIDTH))))
            working.write(field, cell, rng.normal())
            for stage in stages:
                working.evaluation.pooled(stage, 0, 1, 20, 20)
    assert not working.evaluation.settled
    assert working.evaluation.settle()
    assert working.evaluation.settled
    fresh = working.fresh()
    for stage in stages:
        expected, _ = fresh.pooled(stage, 0, 1, 20, 20)
        assert np.array_equal(working.evaluation.pooled(stage, 0, 1, 20, 20)[0], expected), stage
    box = indices.whole(fresh.shape("output"))
    assert np.array_equal(working.evaluation.fetch("output", box), fresh.fetch("output", box))


# --- long problems from Python --------------------------------------------------------------------
LONG = 65_536


@pytest.fixture(scope="module")
def trace():
    random = np.random.default_rng(1)
    arrays = {name: random.normal(size=(LONG, 8)).astype("f4") for name in ("query", "key", "value")}
    return compute(Problem(**arrays, num_heads=2, dtype="float32", mask=({"kind": "causal"},)))


def test_what_cannot_be_held_is_refused_with_the_way_out(trace):
    for asked in (lambda: trace["weights"], lambda: trace.allowed):
        with pytest.raises(FieldError, match=r"^\w+ would take \d+\.\d GB: read it in parts with trace\.block\.$"):
            asked()
    assert trace["query"].shape == (1, LONG, 8)


# --- long problems in float32 with large scores ---------------------------------------------------
ROWS, KEYS = 90, 110


def loud(rng, amplitude=1.0, **more):
    arrays = {
        "query": rng.normal(size=(ROWS, 8)),
        "key": rng.normal(size=(KEYS, 8)),
        "value": rng.normal(size=(KEYS, 6)),
    }
    scaled = {name: array * (1.0 if name == "value" else amplitude) for name, array in arrays.items()}
    return Problem(**scaled, num_heads=2, dtype="float32", **more)


@each(
    ("amplitude", "more"), [(16.0, {}), (4.0, {"sink": (0.5, 30.0), "temperature": 2.0, "mask": [{"kind": "causal"}]})]
)
def test_weights_are_those_of_the_short_evaluation(amplitude, more, rng):
    given = loud(rng, amplitude, **more)
    long, short = StreamingEvaluation(given), DenseEvaluation(given)
    everything = indices.whole(short.shape("weights"))
    expected = short.box("weights", everything)
    eps = float(np.finfo(np.float32).eps)
    for box in (everything, (*everything[:2], slice(3, 40), slice(5, 6)), indices.cell((0, 1, 50, 7))):
        found = long.box("weights", box)
        np.testing.assert_allclose(found, expected[box], rtol=eps, atol=eps / 1e3)
        assert found.max() <= 1
    assert verify(long).ok


@each(("few", "dtype", "mask"), [(64, "float32", ()), (1, "float64", ({"kind": "causal"},))])
def test_pictures_beside_a_large_bias_show_its_rows(few, dtype, mask, rng, monkeypatch):
    monkeypatch.setattr(streaming_pooling, "MOST_ROWS_APART", few)
    values = np.zeros((ROWS, KEYS))
    values[[7, 8, 30]] = -1e9
    given = loud(rng, mask=({"kind": "bias", "values": values}, *mask)).replace(dtype=dtype)
    long, short = StreamingEvaluation(given), DenseEvaluation(given)
    for size in ((ROWS, KEYS), (13, 17)):
        assert_pictured(short, long.pooled("weights", 0, 1, *size), size)
        assert_pictured(short, long.pooled_once("weights", 0, 1, *size, slice(0, size[0])), size)
    calm = given.replace(mask=mask)
    assert_pictured(DenseEvaluation(calm), StreamingEvaluation(calm).pooled("weights", 0, 1, 13, 17), (13, 17))


def assert_pictured(short, found, size):
    whole = slice(0, ROWS), slice(0, KEYS)
    expected, allowed = pool(short.block("weights", 0, 1, *whole), short.allowed(0, 1, *whole), *size)
    shown = True if allowed is None else allowed
    np.testing.assert_array_equal(found[1], allowed)
    np.testing.assert_allclose(np.where(shown, found[0], 0), np.where(shown, expected, 0), rtol=1e-4, atol=1e-6)


# --- problems of few tokens and wide heads --------------------------------------------------------
FEW, FEW_KEYS, WIDE = 9, 7, 640


def few_tokens(rng, *, d_k=2, d_v=3, n=FEW, m=FEW_KEYS):
    return Problem(query=rng.normal(size=(n, d_k)), key=rng.normal(size=(m, d_k)), value=rng.normal(size=(m, d_v)))


@each("wide", ["d_k", "d_v"])
def test_width_chooses_the_evaluation_as_length_does(rng, wide):
    assert not is_long(few_tokens(rng, **{wide: 30_000}, n=16, m=16))
    assert is_long(few_tokens(rng, **{wide: 40_000}, n=16, m=3))


def test_a_layer_of_a_large_model_is_kept_whole_for_a_short_text(rng):
    """It is explained, worked out and computed in float64 as any other."""
    d_model, heads = 2048, 32
    weights = rng.standard_normal((d_model, d_model))
    problem = Problem(x=weights[:200], w_query=weights, w_key=weights, w_value=weights, num_heads=heads)
    assert not is_long(problem)
    assert is_long(problem.replace(x=weights[:300]))  # whose maps are too many


def many_sequences(rng, items, width):
    """Small matrices that project to large ones: (items, n, d_k) of query and key."""
    weights = {"w_query": rng.normal(size=(2, width)), "w_key": rng.normal(size=(2, width))}
    return Problem(x=rng.normal(size=(items, FEW, 2)), **weights, w_value=rng.normal(size=(2, 3)))


def test_what_projections_make_is_weighed_before_it_is_computed(rng, monkeypatch):
    """700 sequences of 30,000 columns a head took 24 GB and killed the process: only what was typed was weighed."""
    problem = many_sequences(rng, 13, 701)
    made = 8 * 13 * FEW * (3 * 701 + 3 * 3) + 26 * 13 * FEW  # Q, K, V, the last two again, numerators, the rest of rows
    monkeypatch.setattr(arrays, "available", lambda: arrays.SHARE * made)
    StreamingEvaluation(problem)
    monkeypatch.setattr(arrays, "available", lambda: arrays.SHARE * (made - 1))
    with pytest.raises(FieldError, match="of new numbers; at most"):
        StreamingEvaluation(problem)


def test_exact_angles_are_weighed_as_float64(rng, monkeypatch):
    sizes = []
    monkeypatch.setattr(streaming, "check", sizes.append)
    plain = many_sequences(rng, 3, 70).replace(dtype="float32")
    for problem in (plain, plain.replace(rotary_theta=10_000.0)):
        StreamingEvaluation(problem)
    angles, turned = FEW * 70, 2 * 3 * FEW * 70  # of queries and keys, for a pair of columns each; Q and K
    assert sizes[1] - sizes[0] == 8 * angles + 4 * turned


def test_projections_are_computed_a_few_sequences_at_a_time(rng, monkeypatch):
    problem = many_sequences(rng, 41, 3001).replace(dtype="float32")
    kept = 4 * 41 * FEW * 3 * 3001  # Q, and K twice
    monkeypatch.setattr(streaming, "PROJECTED_CELLS", 2 * FEW * 3001)
    with taking(1.2 * kept):  # all sequences at once are twice that, in float64
        found = StreamingEvaluation(problem)
    for item in (0, 1, 40):
        np.testing.assert_allclose(
            found.box("query", (*indices.cell((item,)), slice(0, FEW), slice(0, 3001)))[0],
            problem.x[item] @ problem.w_query,
            rtol=0,
            atol=8 * np.finfo(np.float32).eps * np.abs(problem.x[item]).max() * np.abs(problem.w_query).max(),
        )
