"""Mask layers: their definitions cell by cell, how they stack, what lint says of them, how a brush paints them."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_gui.engine import DenseEvaluation, Problem, compute, explain, verify
from attn_gui.engine.analysis import mask_lint as counting
from attn_gui.engine.analysis.mask_lint import lint, open_keys
from attn_gui.engine.creation import mask_cells
from attn_gui.engine.creation.mask_cells import SHAPES, Path, first_layer, line, paint_cells, with_booleans
from attn_gui.engine.masks import slopes
from tests.failing import each, examples

ALIGNS = st.sampled_from(["start", "end"])
LIMITS = st.one_of(st.none(), st.integers(-4, 8))
LENGTHS = st.one_of(st.integers(-1, 9), st.tuples(*[st.integers(0, 9)] * 2))
LAYERS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("causal"), "align": ALIGNS}),
    st.fixed_dictionaries({"kind": st.just("window"), "left": LIMITS, "right": LIMITS, "align": ALIGNS}),
    st.fixed_dictionaries({"kind": st.just("prefix"), "length": st.integers(-1, 9), "align": ALIGNS}),
    st.fixed_dictionaries({"kind": st.just("padding"), "lengths": LENGTHS}),
)


def rule(layer, b, i, j, n, m):
    """The contract's sentence, for one cell."""
    o = m - n if layer.get("align") == "end" else 0
    if layer["kind"] == "causal":
        return j <= i + o
    if layer["kind"] == "prefix":
        return j < layer["length"] or j <= i + o
    if layer["kind"] == "padding":
        lengths = layer["lengths"]
        return j < (lengths if isinstance(lengths, int) else lengths[b])
    left, right = layer["left"], layer["right"]
    return (left is None or i + o - j <= left) and (right is None or j - i - o <= right)


def problem(rng, n, m, mask, heads=3):
    return Problem(
        query=rng.normal(size=(2, n, heads * 5)),
        key=rng.normal(size=(2, m, heads * 5)),
        value=rng.normal(size=(2, m, heads * 7)),
        num_heads=heads,
        mask=mask,
    )


@settings(max_examples=examples(40), deadline=None)
@given(n=st.integers(1, 6), m=st.integers(1, 7), layers=st.lists(LAYERS, max_size=3), off=st.integers(0, 2))
def test_stacked_layers_mean_what_the_contract_says(n, m, layers, off):
    layers = [layer | {"enabled": k != off} for k, layer in enumerate(layers)]
    trace = compute(problem(np.random.default_rng(0), n, m, tuple(layers)))
    on = [layer for layer in layers if layer["enabled"]]
    expected = np.array(
        [
            [[[all(rule(layer, b, i, j, n, m) for layer in on) for j in range(m)] for i in range(n)]] * 3
            for b in range(2)
        ]
    )
    assert np.array_equal(trace.allowed, expected)
    assert ("masked" in trace) == bool(on)
    assert "biased" not in trace
    weights, output = trace["weights"], trace["head_output"]
    assert (weights[~expected] == 0).all()
    seeing = expected.any(axis=-1)
    np.testing.assert_allclose(weights.sum(axis=-1)[seeing], 1, atol=1e-14)
    assert (output[~seeing] == 0).all()
    if on:
        assert (np.isneginf(trace["masked"]) == ~expected).all()


def test_slopes_of_alibi():
    np.testing.assert_allclose(slopes(8), [2.0**-k for k in range(1, 9)], rtol=0)
    np.testing.assert_allclose(slopes(16)[:2], [2**-0.5, 2**-1], rtol=1e-15)
    np.testing.assert_allclose(
        slopes(12), [2.0**-k for k in range(1, 9)] + [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5], rtol=1e-15
    )
    assert slopes(3).tolist() == [2**-4, 2**-8, 2**-2]
    assert slopes(1).tolist() == [2**-8]


@each("align", ["start", "end"])
def test_alibi_and_bias_add_to_the_scores(rng, align):
    values = rng.normal(size=(3, 1, 7))
    mask = ({"kind": "alibi", "align": align}, {"kind": "bias", "values": values})
    trace = compute(problem(rng, 5, 7, mask))
    i, j = np.arange(5)[:, None] + (2 if align == "end" else 0), np.arange(7)
    expected = trace["scaled"] + values - np.array([2**-4, 2**-8, 2**-2])[:, None, None] * abs(i - j)
    np.testing.assert_allclose(trace["biased"], expected, atol=1e-15)
    assert "masked" not in trace
    assert trace.allowed.all()


def test_custom_broadcasts_over_batch_and_heads(rng):
    for shape in [(5, 7), (1, 7), (7,), (3, 5, 7), (2, 1, 5, 7), (2, 3, 1, 1)]:
        allowed = rng.random(shape) > 0.4
        trace = compute(problem(rng, 5, 7, ({"kind": "custom", "allowed": allowed},)))
        assert np.array_equal(trace.allowed, np.broadcast_to(allowed, (2, 3, 5, 7)))
        for head, expected in ((2, trace.allowed[1, 2]), (None, trace.allowed[1].any(axis=0))):
            assert np.array_equal(trace.evaluation.allowed(1, head, slice(0, 5), slice(0, 7)), expected)


def test_a_closed_cell_names_the_first_layer_that_closes_it(rng):
    allowed = np.ones((7, 7), bool)
    allowed[4, 1] = False
    mask = (
        {"kind": "bias", "values": np.zeros((7, 7))},
        {"kind": "causal", "enabled": False},
        {"kind": "custom", "allowed": allowed},
        {"kind": "window", "left": None, "right": 1},
        {"kind": "padding", "lengths": (7, 5)},
    )
    trace = compute(problem(rng, 7, 7, mask))
    for stage in ("masked", "weights"):
        assert explain(trace, stage, (0, 2, 4, 1)).closed_by == 2
        assert explain(trace, stage, (0, 0, 1, 6)).closed_by == 3
        assert explain(trace, stage, (1, 0, 5, 6)).closed_by == 4
        assert explain(trace, stage, (0, 0, 5, 6)).closed_by is None
        for index, said in (((0, 2, 4, 1), "closed by mask 2 (custom)"), ((1, 0, 5, 6), "closed by mask 4 (padding)")):
            assert explain(trace, stage, index).text.splitlines()[0].endswith(f"  # {said}")
            assert explain(trace, stage, index).latex.endswith(rf"\text{{{said}}}")
        assert "closed" not in explain(trace, stage, (0, 0, 5, 6)).text
    closed = explain(trace, "masked", (0, 2, 4, 1))
    assert closed.value == closed.expression.value == -np.inf
    assert [cell.name for cell in closed.sources] == ["mask.2.allowed"]
    assert len(explain(trace, "weights", (1, 0, 5, 2)).terms) == 5
    assert explain(trace, "scaled", (0, 2, 4, 1)).closed_by is None


# --- lint of the mask -----------------------------------------------------------------------------
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


LOW_OR_CLOSED = [
    {"kind": "alibi"},
    {"kind": "custom", "allowed": np.random.default_rng(1).random((H, 1, M)) > 0.3},
    {"kind": "custom", "allowed": np.random.default_rng(2).random((B, 1, N, 1)) > 0.3},
    {"kind": "bias", "values": np.random.default_rng(3).choice([0.0, -np.inf, FINFO], (H, N, M))},
    {"kind": "window", "left": -(10**30), "right": 10**30},
]


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(LAYERS | st.sampled_from(LOW_OR_CLOSED), max_size=4), st.booleans())
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
        ([added(FINFO)], "−3.4e38 is added to every open key of row 2: finite, so the weights are even and not 0."),
        ([added(-1e4)], "finite, so it closes none, and the scores decide."),
        ([added(LOW)], "−1e25 or less is added to every open key of row 2: finite, so it closes none."),
        ([added([FINFO, 0, *[FINFO] * (M - 2)], slice(None))], ""),  # closed as meant
        ([added([FINFO, 0, *[FINFO] * (M - 2)], slice(None)), SHUT], "row 0"),
    ],
)
def test_a_row_that_a_finite_number_is_to_close_is_told(mask: list[dict[str, Any]], words: str) -> None:
    found = said(problem_of(*mask, d=7)).get("sunk_rows", "")
    assert words in found
    assert bool(words) == bool(found)


@each(("align", "words"), [("start", "query 0 belongs to key 0"), ("end", "query 4 belongs to key 6")])
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
    assert said(problem_of({"kind": "causal"}, n=5, m=5)) == {}


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
    mixed = problem_of({"kind": "bias", "values": np.where(open_, 0.5, -1e4)})
    closed, left = with_booleans(mixed.mask[0], -1e4)
    assert closed == layer
    assert np.array_equal(left.values, np.where(open_, 0.5, 0))
    for values in (np.zeros((N, M)), np.ones((N, M)), np.where(open_, 0.5, 0), np.where(open_, 1.0, -np.inf)):
        assert "added_switches" not in said(problem_of({"kind": "bias", "values": values}))


# --- shapes of the brush --------------------------------------------------------------------------
ROWS, COLUMNS = 11, 7
DEFINITIONS: dict[str, Callable[[int, int, Path], bool]] = {
    "cell": lambda i, j, path: (i, j) in path,
    "rectangle": lambda i, j, path: between(i, path, 0) and between(j, path, 1),
    "row": lambda i, j, path: between(i, path, 0),
    "column": lambda i, j, path: between(j, path, 1),
    "band": lambda i, j, path: between(j - i, [(b - a,) for a, b in path], 0),
}


def between(number: int, path: list[tuple[int, ...]] | Path, axis: int) -> bool:
    ends = path[0][axis], path[-1][axis]
    return min(ends) <= number <= max(ends)


cells = st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1))


@given(st.sampled_from([*SHAPES]), st.lists(cells, min_size=1, max_size=4), st.integers(1, 3 * COLUMNS))
def test_a_shape_covers_what_its_definition_says(key: str, path: Path, at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mask_cells, "AT_ONCE", at_once)
        layer = first_layer(SHAPES[key], path, ROWS, COLUMNS)
    expected = [[not DEFINITIONS[key](i, j, path) for j in range(COLUMNS)] for i in range(ROWS)]
    np.testing.assert_array_equal(layer.cells, expected)
    outlined = np.zeros((ROWS, COLUMNS), bool)
    for part in SHAPES[key].areas(path, ROWS, COLUMNS):
        outlined[part] = True
    np.testing.assert_array_equal(outlined, ~layer.cells)
    area = SHAPES[key].area(path, ROWS, COLUMNS)  # the same gesture opens what it has closed
    assert paint_cells(layer.cells[area], SHAPES[key], path, area, opens=True).all()


def test_a_layer_that_does_not_tell_rows_apart_takes_the_columns():
    row = np.ones((3, 1, COLUMNS), bool)
    area = slice(2, 5), slice(1, 4)
    found = paint_cells(row[1:2, :, area[1]], SHAPES["rectangle"], [(2, 1), (4, 3)], area, opens=False)
    assert found.tolist() == [[[False] * 3]]
    column = np.ones((ROWS, 1), bool)
    found = paint_cells(column[area[0]], SHAPES["cell"], [(2, 1), (3, 3)], area, opens=False)
    assert found.tolist() == [[False], [False], [True]]


@given(cells, cells)
def test_a_line_has_no_gaps_and_no_detours(first, last):
    found = line(first, last)
    assert (found[0], found[-1]) == (first, last)
    assert all(max(abs(a - c), abs(b - d)) <= 1 for (a, b), (c, d) in pairwise(found))
    assert len(found) == max(abs(first[0] - last[0]), abs(first[1] - last[1]), 1) + 1
