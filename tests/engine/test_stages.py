"""The promises of a stage, for every stage of every problem and of random combinations of all in the catalogs."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import STAGE, Problem, compute, explain
from attn_gui.engine.analysis.reference import reference
from attn_gui.engine.blocks import ACTIVATIONS
from attn_gui.engine.creation.create import with_score
from attn_gui.engine.creation.layer_parts import with_block
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Cell
from attn_gui.engine.masks import MASKS
from attn_gui.engine.scores import SCORES
from tests.failing import each, failing, share

CONTRACT = [
    *("normed_x", "normed_context", "query", "key", "value", "normed_query", "normed_key"),
    *("rotated_query", "rotated_key", "scores", "scaled", "capped", "biased", "masked", "weights", "head_output"),
    *("concat", "output", "residual", "normalized", "up", "gate", "activated", "down"),
    *("block_residual", "block_output"),
]
HELPERS = ("position", "exponent", "angle")  # never edited cell by cell


def test_every_stage_score_and_mask_layer_is_in_some_problem(evaluations):
    assert list(STAGE) == CONTRACT
    for evaluation in evaluations.values():
        assert list(evaluation.stages) == [name for name in CONTRACT if name in evaluation.stages]
    problems = [evaluation.problem for evaluation in evaluations.values()]
    assert {name for evaluation in evaluations.values() for name in evaluation.stages} == set(CONTRACT)
    assert {problem.score for problem in problems} == set(SCORES)
    assert {layer.kind for problem in problems for layer in problem.mask} == set(MASKS)


def whole(evaluation, name):
    shape = evaluation.sources[name].shape if name in evaluation.sources else evaluation._by_name[name].shape
    return np.array(evaluation.fetch(name, indices.whole(shape)))


def of_every_node(evaluations, check):
    """Which nodes of which problem, a share of them, `check` fails of, and why."""
    nodes = [(name, evaluation, node) for name, evaluation in evaluations.items() for node in evaluation.nodes]
    return failing(share(nodes, 3), lambda one: check(one[1], one[2]), lambda one: f"{one[0]} {one[2].name}")


def inputs_of(evaluation, node):
    """All inputs of a node as plain arrays."""
    return {ref.name: whole(evaluation, ref.name) for ref in node.inputs if not ref.optional}


def run(node, inputs):
    with np.errstate(all="ignore"):
        return np.array(node.compute(indices.whole(node.shape), lambda name, box: inputs[name][box])[1])


def some(shape, count, rng):
    return [tuple(int(k) for k in rng.integers(shape)) for _ in range(count)]


def nudged(array, index, step):
    array = array.copy()
    array[index] = ~array[index] if array.dtype == bool else array[index] + step
    return array


def test_pull_back_is_the_derivative(evaluations, rng):
    def check(evaluation, node):
        inputs, seed, h = inputs_of(evaluation, node), rng.normal(size=node.shape), 1e-5
        known = inputs | {node.name: run(node, inputs)}
        finite = np.isfinite(known[node.name])
        with np.errstate(all="ignore"):
            pulled = node.pull_back(
                indices.whole(node.shape), np.where(finite, seed, 0.0), lambda name, box: known[name][box]
            )
        for name, _, gradient in pulled:
            assert gradient.shape == inputs[name].shape
            if name.endswith(HELPERS[:2]):
                continue
            for index in some(gradient.shape, 1, rng):
                if not np.isfinite(inputs[name][index]):
                    assert gradient[index] == 0
                    continue
                up, down = (run(node, inputs | {name: nudged(inputs[name], index, s)}) for s in (h, -h))
                with np.errstate(invalid="ignore"):
                    slope = np.where(finite, (up - down) * seed, 0.0).sum() / 2 / h
                assert gradient[index] == pytest.approx(slope, rel=2e-6, abs=2e-7), (name, index)

    assert not of_every_node(evaluations, check)


def test_affected_is_exactly_what_changes(evaluations, rng):
    """No changed cell outside; none inside that stayed, cells closed by a mask aside."""

    def check(evaluation, node):
        inputs = inputs_of(evaluation, node)
        before = run(node, inputs)
        for position, ref in enumerate(node.inputs):
            if ref.optional or not ref.axes or ref.name.endswith(HELPERS) or node.name.endswith(HELPERS):
                continue
            for index in some(inputs[ref.name].shape, 1, rng):
                if inputs[ref.name].dtype != bool and not np.isfinite(inputs[ref.name][index]):
                    continue
                after = run(node, inputs | {ref.name: nudged(inputs[ref.name], index, 1.0)})
                changed = (before != after) & ~(np.isnan(before) & np.isnan(after))
                claimed = np.zeros(node.shape, bool)
                for box in node.affected(position, indices.cell(index), evaluation.fetch):
                    claimed[box] = True
                assert not (changed & ~claimed).any(), (ref.name, index)
                assert not (claimed & ~changed & ~closed(evaluation, node)).any(), (ref.name, index)

    assert not of_every_node(evaluations, check)


def closed(evaluation, node):
    """Cells that may stay although they are claimed."""
    if node.name == "allowed":  # another layer closes the cell
        return np.ones(node.shape, bool)
    if node.name in ("masked", "weights") and "masked" in evaluation.stages:
        allowed = evaluation.fetch("allowed", indices.whole(node.shape))
        return ~allowed | (allowed.sum(axis=-1, keepdims=True) == 1)  # a single key has the weight 1 whatever its score
    if node.name.startswith("rotated"):  # position 0 is not turned
        return np.broadcast_to(np.arange(node.shape[1])[:, None] == 0, node.shape)
    return np.zeros(node.shape, bool)


def test_any_block_has_the_bits_of_the_whole(evaluations, rng):
    def check(evaluation, node):
        full = whole(evaluation, node.name)
        for _ in range(2):
            low = rng.integers(full.shape)
            box = tuple(slice(int(a), int(rng.integers(a, k)) + 1) for a, k in zip(low, full.shape, strict=True))
            with np.errstate(all="ignore"):
                outer, array = node.compute(box, evaluation.fetch)
            assert np.array_equal(array, full[outer], equal_nan=True) or not node.stage.ordered
            np.testing.assert_allclose(array, full[outer], rtol=1e-13, atol=1e-13)

    assert not of_every_node(evaluations, check)


def test_explanation_evaluates_to_the_cell(evaluations, rng):
    def check(evaluation, node):
        for index in some(evaluation.shape(node.name), 2, rng) if node.name in evaluation.stages else ():
            found = explain(evaluation, node.name, index)
            size = max(np.abs(found.terms.values).sum(), abs(found.value)) if np.isfinite(found.value) else 0.0
            assert found.expression.value == found.value or (
                abs(found.expression.value - found.value) <= 8 * np.finfo(float).eps * size
            )
            for cell in found.sources:
                if cell.name in evaluation.stages:
                    assert cell.value == evaluation.fetch(cell.name, indices.cell(cell.index)).item()
                else:
                    known = evaluation.problem.arrays() | evaluation.problem.scalars()
                    assert cell.value == np.asarray(known[cell.name])[cell.index]
            evaluated(found)

    assert not of_every_node(evaluations, check)


@each("activation", ACTIVATIONS.values())
def test_the_formula_of_an_activation_gives_the_cell_however_large_it_is(activation):
    for number in (1e110, -1e110, 1e200, -1e200, 1e-200):
        written = activation.expression(Cell("up", (0,), number, "u")).value
        with np.errstate(all="ignore"):
            assert written == float(activation.apply(np.array([number]))[0])


def evaluated(found):
    """The plain text is enough to recompute the cell."""
    names = {
        "exp": np.exp,
        "tanh": np.tanh,
        "sqrt": np.sqrt,
        "cos": np.cos,
        "sin": np.sin,
        "erfc": math.erfc,
        "inf": np.inf,
        "nan": np.nan,
    }
    first, second, *rest = found.text.split("\n")
    assert float(second.removeprefix("= ")) == found.value or np.isnan(found.value)
    for line in reversed(rest):
        name, formula = line.split(" = ", 1)
        names[name] = eval(formula, {"__builtins__": {}}, names)  # our own text, digits and functions only
    value = eval(first.split(" = ", 1)[1], {"__builtins__": {}}, names)
    assert value == pytest.approx(found.value, rel=1e-12, abs=1e-13, nan_ok=True)
    assert found.latex.count("{") == found.latex.count("}")


# --- random combinations of everything in the catalogs --------------------------------------------
PRIMES = (3, 5, 7, 11)
WIDTHS = (13, 17)  # of x and of the second sequence


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


@settings(max_examples=12, deadline=None)
@given(problems())
def test_plain_loops_agree_with_every_cell(problem):
    trace = compute(problem)
    for item in range(problem.batch_size):
        for stage, cells in reference(problem, item).items():
            if stage in trace.stages:
                right = np.asarray(cells, float).reshape(trace[stage][item].shape)
                np.testing.assert_allclose(trace[stage][item], right, rtol=1e-11, atol=1e-11, err_msg=stage)
