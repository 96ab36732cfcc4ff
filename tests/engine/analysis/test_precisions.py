"""Steps in float32, bfloat16 and float16: rounded as NumPy and IEEE 754 round, each step once, overflow included."""

import numpy as np
import pytest

from attn_gui import compare_precisions
from attn_gui.engine import FieldError, Problem, compute
from attn_gui.engine.analysis.precisions import NARROWER, REFERENCE
from tests.failing import each

TYPES = {one.name: one for one in (REFERENCE, *NARROWER)}
KNOWN = {"float64": np.float64, "float32": np.float32, "float16": np.float16}


def hard_numbers():
    """Return numbers of all magnitudes, every float16 and what lies halfway between two of them."""
    rng = np.random.default_rng(0)
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
    finite = np.sort(halves[np.isfinite(halves)])
    wide = rng.standard_normal(10_000) * 10.0 ** rng.integers(-320, 308, 10_000)
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 65519.99, 65520.0, 2.0**-149, 2.0**-150, 3.4028236e38, 3.4028235e38]
    return np.concatenate([halves, (finite[1:] + finite[:-1]) / 2, wide, edges])


def as_bfloat16(numbers):
    """Round numbers of float32 by their bits: the upper 16 are a bfloat16."""
    bits = np.asarray(numbers, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32).astype(np.float64)


@each("name", KNOWN)
def test_numbers_are_rounded_as_numpy_rounds_them(name):
    numbers, found_type = hard_numbers(), TYPES[name]
    with np.errstate(all="ignore"):
        expected = numbers.astype(KNOWN[name]).astype(np.float64)
    found = found_type.rounded(numbers)
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(expected))
    assert found_type.largest == np.finfo(KNOWN[name]).max


def test_bfloat16_is_the_upper_half_of_a_float32():
    with np.errstate(all="ignore"):
        numbers = hard_numbers().astype(np.float32)
    numbers = numbers[np.isfinite(numbers)]
    found = TYPES["bfloat16"].rounded(numbers.astype(np.float64))
    assert np.array_equal(found, as_bfloat16(numbers))


def problem_of(size, **more):
    random = np.random.default_rng(4).standard_normal
    return Problem(**{name: size * random((5, 8)) for name in ("query", "key", "value")}, num_heads=2, **more)


def test_every_step_is_rounded_once_from_what_the_step_before_holds():
    """Written out for two heads of four columns."""
    problem, found = problem_of(1.0), compare_precisions(problem_of(1.0))
    assert list(found) == ["float64", "float32", "bfloat16", "float16"]
    for name, trace in found.items():
        held = TYPES[name].rounded
        q, k, v = (held(getattr(problem, part)) for part in ("query", "key", "value"))
        for head in range(2):
            mine = slice(4 * head, 4 * head + 4)
            scores = held(q[:, mine] @ k[:, mine].T)
            scaled = held(scores / 2.0)
            powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
            weights = held(powers / powers.sum(axis=1, keepdims=True))
            mixed = held(weights @ v[:, mine])
            steps = {"scores": scores, "scaled": scaled, "weights": weights, "head_output": mixed}
            # products are added up in another order here: one unit in the last place of the type at most
            unit = 2.0 ** (1 - TYPES[name].bits)
            for stage, expected in steps.items():
                assert trace[stage][0, head] == pytest.approx(expected, rel=2 * unit, abs=1e-15), (name, stage)
        assert np.array_equal(trace["query"][0], q)
        assert all(np.array_equal(held(trace[stage]), trace[stage]) for stage in trace)


def test_the_widest_type_is_what_the_engine_computes():
    problem = problem_of(1.0, mask=[{"kind": "causal"}])
    exact, found = compute(problem), compare_precisions(problem)["float64"]
    assert all(np.array_equal(found[stage], exact[stage]) for stage in exact)


def test_scores_beyond_the_largest_float16_overflow_there_alone():
    found = compare_precisions(problem_of(400.0))
    exact = found["float64"]["scores"]
    beyond = np.abs(exact) > 65520
    assert beyond.any()
    assert not beyond.all()
    assert np.array_equal(np.isinf(found["float16"]["scores"]), beyond)
    assert np.isnan(found["float16"]["weights"]).any()  # ∞ − ∞ in the softmax
    for name in ("float32", "bfloat16"):
        assert np.isfinite(found[name]["output"]).all()


def test_four_traces_that_would_not_fit_are_refused_before_any_is_made():
    tall = np.zeros((1 << 17, 2))
    with pytest.raises(FieldError, match="memory"):
        compare_precisions(Problem(query=tall, key=tall, value=tall))
