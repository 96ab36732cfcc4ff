"""Random combinations of everything in the catalogs: every stage keeps its promises in any company."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import MASKS, SCORES, DenseEvaluation, Evaluation, Problem, compute, explain
from attn_gui.engine.analysis.reference import reference
from attn_gui.engine.creation.create import with_score
from attn_gui.engine.creation.layer_parts import with_block
from attn_gui.engine.graph import indices

PRIMES = (3, 5, 7, 11)
WIDTHS = (13, 17)  # of x and of the second sequence
H = 1e-5


def layer(kind: str, rng: np.random.Generator, batch: int, heads: int, n: int, m: int) -> dict[str, Any]:
    """A mask layer of a kind that leaves something open."""
    given_ = {
        "window": {"left": 4, "right": 1, "align": "end"},
        "prefix": {"length": 2, "align": "end"},
        "padding": {"lengths": rng.integers(1, m + 1, size=batch)},
        "causal": {"align": "end"},
        "custom": {"allowed": rng.random((heads, n, m)) > 0.3},
        "bias": {"values": rng.normal(size=(batch, 1, n, m))},
    }
    return {"kind": kind, **given_.get(kind, {})}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Another prime on every axis, and whatever the catalogs hold switched on or off."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m, d, c = draw(st.permutations(PRIMES))
    batch, groups, share = (draw(st.integers(1, k)) for k in (2, 2, 3))
    kind = draw(st.sampled_from(("direct", "self", "cross")))
    d, heads, e = 2 * d if draw(st.booleans()) else d, groups * share, WIDTHS[0]
    m = n if kind == "self" else m
    f = WIDTHS[1] if kind == "cross" else e

    def numbers(*shape: int) -> np.ndarray:
        return rng.normal(size=shape) * 0.4

    fields: dict[str, Any] = {"num_heads": heads, "num_kv_heads": groups}
    if kind == "direct":
        fields |= {
            "query": numbers(batch, n, heads * d),
            "key": numbers(batch, m, groups * d),
            "value": numbers(batch, m, groups * c),
        }
    else:
        fields |= {
            "x": numbers(batch, n, e),
            "w_query": numbers(e, heads * d),
            "w_key": numbers(f, groups * d),
            "w_value": numbers(f, groups * c),
            "b_key": numbers(groups * d),
        }
        fields |= {"context": numbers(batch, m, f)} if kind == "cross" else {}
    if draw(st.booleans()):
        fields |= {"w_output": numbers(heads * c, e), "b_output": numbers(e)}
    fields["softcap"], fields["temperature"] = (draw(st.sampled_from((None, k))) for k in (1.5, 0.7))
    fields["rotary_theta"] = draw(st.sampled_from((None, 20.0))) if d % 2 == 0 else None
    kinds = draw(st.lists(st.sampled_from(sorted(MASKS)), max_size=3, unique=True))
    problem = Problem(**fields, mask=tuple(layer(k, rng, batch, heads, n, m) for k in kinds), batch_axis=True)
    problem = problem.replace(**with_score(problem, draw(st.sampled_from(sorted(SCORES)))))
    if problem.projected and problem.d_out == e and draw(st.booleans()):
        problem = problem.replace(**with_block(problem, "linear"))
    return problem


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_pull_back_is_the_derivative_along_any_direction(problem, seed):
    rng, evaluation = np.random.default_rng(seed), DenseEvaluation(problem)
    for node in evaluation.nodes:
        inputs = {ref.name: whole(evaluation, ref.name) for ref in node.inputs if not ref.optional}
        result = run(node, inputs)
        finite = np.isfinite(result)
        start, known = np.where(finite, rng.normal(size=node.shape), 0.0), inputs | {node.name: result}
        with np.errstate(all="ignore"):
            pulled = node.pull_back(indices.whole(node.shape), start, lambda name, box, known=known: known[name][box])
        for name, _, gradient in pulled:
            if name.endswith(("position", "exponent")) or not np.isfinite(inputs[name]).all():
                continue
            way = rng.normal(size=gradient.shape)
            up, down = (run(node, inputs | {name: inputs[name] + h * way}) for h in (H, -H))
            with np.errstate(invalid="ignore"):
                slope = np.where(finite, (up - down) * start, 0.0).sum() / 2 / H
            size = np.abs(gradient * way).sum()
            assert (gradient * way).sum() == pytest.approx(slope, rel=1e-6, abs=1e-7 * (1 + size)), (node.name, name)


@settings(max_examples=25, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_explanations_and_plain_loops_agree_with_every_cell(problem, seed):
    rng, trace = np.random.default_rng(seed), compute(problem)
    for item in range(problem.batch_size):
        for stage, cells in reference(problem, item).items():
            if stage in trace.stages:
                right = np.asarray(cells, float).reshape(trace[stage][item].shape)
                np.testing.assert_allclose(trace[stage][item], right, rtol=1e-11, atol=1e-11, err_msg=stage)
    for stage in trace.stages:
        found = explain(trace, stage, [int(rng.integers(length)) for length in trace[stage].shape])
        size = max(np.abs(found.terms.values).sum(), abs(found.value)) if np.isfinite(found.value) else 0.0
        off = 0.0 if found.expression.value == found.value else abs(found.expression.value - found.value)
        assert off <= 8 * np.finfo(float).eps * size, stage


def test_every_score_is_in_some_problem_of_the_contract_tests(makers):
    assert set(SCORES) == {make().score for make in makers.values()}


def test_every_mask_layer_is_in_some_problem_of_the_contract_tests(makers):
    assert {layer.kind for make in makers.values() for layer in make().mask} == set(MASKS)


def whole(evaluation: Evaluation, name: str) -> np.ndarray:
    nodes = {node.name: node for node in evaluation.nodes}
    shape = evaluation.sources[name].shape if name in evaluation.sources else nodes[name].shape
    return np.array(evaluation.fetch(name, indices.whole(shape)))


def run(node: Any, inputs: dict[str, np.ndarray]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array(node.compute(indices.whole(node.shape), lambda name, box: inputs[name][box])[1])
