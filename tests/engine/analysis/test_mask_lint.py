"""Lint of the mask: every rule says what plain loops find, and says nothing where nothing is the matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem, verify
from attn_gui.engine.analysis import open_keys as counting
from attn_gui.engine.analysis.mask_lint import lint
from attn_gui.engine.analysis.open_keys import open_keys
from attn_gui.engine.creation.mask_cells import with_booleans
from tests.failing import each

B, H, N, M, D = 2, 3, 5, 7, 4
FINFO = float(np.finfo(np.float32).min)


def problem_of(*mask: dict[str, Any], n: int = N, m: int = M, d: int = D, **more: Any) -> Problem:
    rng = np.random.default_rng(3)
    shapes = {"query": (B, n, H * d), "key": (B, m, H * d), "value": (B, m, H * 2)}
    return Problem(**{k: rng.normal(size=s) for k, s in shapes.items()} | {"num_heads": H, "mask": mask} | more)


def said(problem: Problem) -> dict[str, str]:
    found = lint(problem)
    assert found is not None
    return {finding.rule: str(finding.note) for finding in found}


numbers = st.integers(-9, 9) | st.sampled_from([-(10**30), 10**30])
layers = st.one_of(
    st.fixed_dictionaries({"kind": st.just("causal"), "align": st.sampled_from(["start", "end"])}),
    st.fixed_dictionaries(
        {"kind": st.just("window"), "left": st.none() | numbers, "right": st.none() | numbers, "align": st.just("end")}
    ),
    st.fixed_dictionaries({"kind": st.just("prefix"), "length": numbers, "align": st.sampled_from(["start", "end"])}),
    st.fixed_dictionaries({"kind": st.just("padding"), "lengths": st.tuples(st.integers(0, 9), st.integers(0, 9))}),
    st.fixed_dictionaries({"kind": st.just("alibi")}),
    st.builds(
        lambda seed, shape: {"kind": "custom", "allowed": np.random.default_rng(seed).random(shape) > 0.3},
        st.integers(0, 99),
        st.sampled_from([(N, M), (H, 1, M), (B, 1, N, 1), (B, H, N, M)]),
    ),
    st.builds(
        lambda seed: {"kind": "bias", "values": np.random.default_rng(seed).choice([0.0, -np.inf, FINFO], (H, N, M))},
        st.integers(0, 99),
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(layers, max_size=4), st.booleans())
def test_counts_are_those_of_the_weights(mask: list[dict[str, Any]], by_parts: bool) -> None:
    problem = problem_of(*mask)
    with pytest.MonkeyPatch.context() as patch:
        if by_parts:
            patch.setattr(counting, "AT_ONCE", 2 * M)
        found = open_keys(problem)
    assert found is not None
    evaluation = DenseEvaluation(problem)
    name = next(stage for stage in ("masked", "biased", "scaled") if stage in evaluation.stages)
    scores = evaluation.box(name, tuple(slice(0, k) for k in evaluation.shape(name)))
    counts = np.broadcast_to(found.counts, scores.shape[:3])
    for place in np.ndindex(*scores.shape[:3]):
        assert counts[place] == sum(score > -np.inf for score in scores[place])


def test_nothing_is_said_where_nothing_is_the_matter() -> None:
    assert said(problem_of({"kind": "causal"}, n=5, m=5)) == {}
    assert said(problem_of(n=5, m=5)) == {}


def test_a_closed_row_is_named_and_its_weights_are_zero() -> None:
    allowed = np.ones((B, 1, N, M), bool)
    allowed[1, 0, 3] = False
    problem = problem_of({"kind": "custom", "allowed": allowed}, d=7)
    found = lint(problem)
    assert found is not None
    assert [(finding.rule, finding.place) for finding in found] == [("closed_rows", (1, 0, 3))]
    assert str(found[0].note) == "Row 3 has no open key: its weights and its output are 0."
    assert not DenseEvaluation(problem).block("weights", 1, 2, slice(3, 4), slice(0, M)).any()


def added(row: Any, at: Any = 2, others: float = 0.0) -> dict[str, Any]:
    values = np.full((N, M), others)
    values[at] = row
    return {"kind": "bias", "values": values}


LOW = np.linspace(-1e30, -1e25, M)
SHUT = {"kind": "custom", "allowed": np.arange(M) != 1}


@each(
    ("mask", "words"),
    [
        ([added(FINFO)], "−3.4e+38 is added to every open key of row 2: finite, so the weights are even and not 0."),
        ([added(-1e4)], "finite, so it closes none, and the scores decide."),
        ([added(LOW)], "−1e+25 or less is added to every open key of row 2: finite, so it closes none."),
        ([added([FINFO, 0, *[FINFO] * (M - 2)], slice(None))], ""),  # closed as meant
        ([added([FINFO, 0, *[FINFO] * (M - 2)], slice(None)), SHUT], "row 0"),
    ],
)
def test_a_row_that_a_finite_number_is_to_close_is_told(mask: list[dict[str, Any]], words: str) -> None:
    found = said(problem_of(*mask, d=7)).get("sunk_rows", "")
    assert words in found
    assert bool(words) == bool(found)


def test_the_weights_of_a_row_beside_a_finite_number_are_as_they_are_said_to_be() -> None:
    def row(*mask: dict[str, Any]) -> np.ndarray:
        return DenseEvaluation(problem_of(*mask, d=7)).block("weights", 0, 1, slice(2, 3), slice(0, M))

    np.testing.assert_array_equal(row(added(FINFO)), np.full((1, M), 1 / M))
    np.testing.assert_allclose(row(added(-1e4)), row(), rtol=1e-11)  # 1e4 takes four of sixteen digits


def test_layers_that_are_low_only_together_are_no_ones_fault() -> None:
    half = added(-6e3, slice(None))
    (finding,) = (one for one in lint(problem_of(half, half, d=7)) or () if one.rule == "sunk_rows")
    assert (finding.layer, finding.remedy) == (None, "")


@pytest.mark.parametrize(
    ("align", "words"), [("start", "query 0 belongs to key 0"), ("end", "query 4 belongs to key 6")]
)
def test_the_alignment_is_stated_where_lengths_differ_and_can_be_changed(align: str, words: str) -> None:
    problem = problem_of({"kind": "alibi", "enabled": False}, {"kind": "causal", "align": align}, d=7)
    found = lint(problem)
    assert found is not None
    (one,) = found
    assert (one.rule, one.layer) == ("alignment", 1)
    assert words in str(one.note)
    assert one.layer is not None
    assert one.change is not None
    turned = problem.mask[one.layer].changed(**one.change)
    assert {getattr(turned, "align", ""), align} == {"start", "end"}


def test_more_open_keys_than_a_target_can_keep() -> None:
    assert "crowded" not in said(problem_of(d=M - 1))
    assert "at most 6" in said(problem_of(d=M - 2))["crowded"]
    assert "crowded" not in said(problem_of({"kind": "window", "left": 2, "right": 2}, d=M - 3))
    assert "crowded" not in said(problem_of(d=2, score="cosine"))


def test_it_can_be_cancelled() -> None:
    assert lint(problem_of({"kind": "causal"}), lambda: True) is None


def test_a_long_mask_of_rules_takes_no_memory_of_its_cells() -> None:
    rng = np.random.default_rng(0)
    length = 65_536
    arrays = {name: rng.normal(size=(length, 1)).astype(np.float32) for name in ("query", "key", "value")}
    mask = ({"kind": "causal"}, {"kind": "window", "left": 9, "right": None}, {"kind": "padding", "lengths": length})
    found = open_keys(Problem(**arrays, mask=mask, dtype="float32"))
    assert found is not None
    assert found.counts.tolist()[0][0][:12] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]
    assert int(found.counts.sum()) == 10 * length - 45


def test_a_bias_of_0_and_1_looks_like_booleans_and_becomes_them() -> None:
    open_ = np.tri(N, M, dtype=bool)
    problem = problem_of({"kind": "padding", "lengths": M}, {"kind": "bias", "values": open_.astype(float)})
    note = "Layer 1 (bias) looks like a boolean mask: its 0 and 1 are added to scores and close no key."
    assert said(problem)["added_switches"] == note
    assert note in str(verify(problem))
    assert verify(problem).ok
    (layer,) = with_booleans(problem.mask[1], -1e4)
    assert layer == problem_of({"kind": "custom", "allowed": open_}).mask[0]
    for values in (np.zeros((N, M)), np.ones((N, M)), np.where(open_, 0.5, 0), np.where(open_, 1.0, -np.inf)):
        assert "added_switches" not in said(problem_of({"kind": "bias", "values": values}))
    assert "added_switches" not in said(problem_of({"kind": "bias", "values": open_ * 1.0, "enabled": False}))


def test_biases_that_overflow_together_close_a_row() -> None:
    layer = added(FINFO, 3)
    problem = problem_of(layer, layer, dtype="float32")
    assert said(problem)["closed_rows"] == "Row 3 has no open key: its weights and its output are 0."
    assert "sunk_rows" not in said(problem)
    assert (DenseEvaluation(problem).block("weights", 0, 0, slice(3, 4), slice(0, M)) == 0).all()
    assert "sunk_rows" in said(problem_of(layer, dtype="float32"))
