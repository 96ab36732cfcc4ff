"""Formulas as they are read: with names, with the actual numbers, and the terms behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Explanation, PlaceError, Problem, StageError, compute, explain
from attn_gui.engine.evaluation.streaming import StreamingEvaluation

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def encoder():
    with np.load(ROOT / "resources" / "examples" / "minilm-layer2.npz") as file:
        return compute(
            Problem(**{name: file[name] for name in ("query", "key", "value")}, num_heads=12, dtype="float32")
        )


def chain(found):
    return " = ".join(side for side in (found.symbols_latex, found.numbers_latex, found.value_latex) if side)


def test_a_weight_reads_like_the_picture(encoder):
    found = explain(encoder, "weights", (0, 3, 10, 13))
    sides = r"\frac{e^{s'_{10,13} - \max}}{Z} = \frac{e^{4.8847 - 4.8847}}{1.6367} = 0.6110"
    assert chain(found) == rf"a_{{10,13}} = {sides}"
    assert found.parts_latex == (r"Z = \sum_j e^{s'_{10,j} - \max} = 1.6367", r"\max = 4.8847")
    assert list(found.parts) == ["Z", "max"]
    assert found.parts["Z"].value == pytest.approx(1.6367, abs=5e-5)
    assert found.rank == 1
    assert len(found.terms) == 16
    assert found.terms[13].cells[0].name == "scaled"
    assert found.terms[13].cells[0].index == (0, 3, 10, 13)
    assert found.terms[13].value == pytest.approx(0.611, abs=1e-3)
    assert found.reaches == (("head_output", (slice(0, 1), slice(3, 4), slice(10, 11), slice(0, 32))),)
    assert found.latex.startswith("a_{10,13} = ")
    assert found.latex.endswith(r"\quad \max = 4.8847")


def test_terms_expand_hop_by_hop_to_the_fields(evaluations):
    found, trail = explain(evaluations["block"], "block_output", (1, 5, 3)), []
    while found is not None:
        trail.append(found.stage)
        found = found.expand(found.terms[0].cells[0])
    assert trail[:4] == ["block_output", "normalized", "residual", "output"]
    assert trail[-2:] == ["rotated_query", "query"]


def test_bad_places_are_refused_in_one_sentence(encoder):
    with pytest.raises(StageError, match=r"'masked' is not a stage of this problem; it has query, key"):
        explain(encoder, "masked", (0, 0, 0, 0))
    for index in [(0, 3, 10), (0, 3, 10, 16), (0, 3, -1, 0)]:
        with pytest.raises(PlaceError, match="weights takes an index of 4 whole numbers"):
            explain(encoder, "weights", index)


def formulas(evaluations):
    """Every way of writing a formula, once for each stage of each problem."""
    for evaluation in evaluations.values():
        for stage in evaluation.stages:
            last = tuple(length - 1 for length in evaluation.shape(stage))
            for index in {last, (0,) * len(last), (0, *last[1:-1], 1)}:
                found = explain(evaluation, stage, index)
                yield chain(found)
                yield from found.parts_latex
                yield from filter(None, found.query_latex.split(r", \quad "))


def test_every_formula_can_be_typeset(evaluations, typeset):
    assert typeset(formulas(evaluations)) > 40


def test_a_streaming_evaluation_is_explained_as_the_dense_one(evaluations, makers, problem_name, rng):
    dense, streaming = evaluations[problem_name], StreamingEvaluation(makers[problem_name](), tile=3, chunk=5)
    for stage in dense.stages:
        index = [int(rng.integers(length)) for length in streaming.shape(stage)]
        found, right = explain(streaming, stage, index), explain(dense, stage, index)
        assert found.value == pytest.approx(right.value, rel=1e-12, abs=1e-12)
        assert chain(found) == chain(right)
        assert found.closed_by == right.closed_by
        assert stage != "weights" or found.rank == right.rank
        assert found.sources == right.sources
        assert found.reaches == right.reaches


@pytest.mark.parametrize("mask", [(), ({"kind": "causal"},)])
@pytest.mark.parametrize(
    ("stage", "index"),
    [
        ("weights", (0, 1, 80, 33)),
        ("head_output", (0, 1, 80, 2)),
        ("scores", (0, 1, 80, 33)),
        ("weights", (0, 1, 80, 90)),
    ],
)
def test_a_few_sources_of_many_name_the_same_matrices_and_running_indices(mask, stage, index):
    random = np.random.default_rng(0)
    arrays = {name: random.normal(size=(97, 6)) for name in ("query", "key", "value")}
    explanation = explain(compute(Problem(**arrays, num_heads=2, mask=mask)), stage, index)
    few, every = explanation.some_sources(5), explanation.sources
    assert set(few) <= set(every)
    assert len(few) < 12
    if stage == "weights":  # the score of its own key says most
        assert (index in [cell.index for cell in few]) == (index in [cell.index for cell in every])
    for name in {cell.name for cell in every}:
        places = [[cell.index for cell in cells if cell.name == name] for cells in (few, every)]
        running = [[len(set(axis)) > 1 for axis in zip(*indices, strict=True)] for indices in places]
        assert running[0] == running[1], name


def test_a_square_too_large_for_a_number_is_written_as_python_can_evaluate_it():
    """** of plain numbers raises OverflowError there, where * gives infinity."""
    wild = Problem(query=[[1e200, 1]], key=[[-1e200, 2]], value=[[1]], score="gaussian")
    found = explain(compute(wild), "scores", (0, 0, 0, 0))
    distance = found.text.rpartition("distance = ")[2]
    assert eval(distance) == np.inf
    assert found.value == -np.inf


# --- keys that a query sees ----------------------------------------------------------------------
CAUSAL = {"kind": "causal"}
INF = np.inf


def problem(rng: np.random.Generator, *by_hand: dict[str, object], mask: tuple[object, ...] = (CAUSAL,)) -> Problem:
    """n = 4, m = 5, d_k = 3, d_v = 2."""
    shapes = {"query": (4, 3), "key": (5, 3), "value": (5, 2)}
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()}, mask=mask, interventions=by_hand)


def put(stage: str, value: float, query: int = 0, key: int = 2) -> dict[str, object]:
    return {"kind": "set", "stage": stage, "at": {"query": query, "key": key}, "values": value}


def biased(row: int, *keys: int) -> dict[str, object]:
    """A bias of −∞ at keys of a row."""
    values = np.zeros((4, 5))
    values[row, list(keys)] = -INF
    return {"kind": "bias", "values": values}


def keys_of(found: Explanation) -> list[int]:
    return [term.cells[0].index[-1] for term in found.terms]


# --- numbers put by hand -------------------------------------------------------------------------
def test_a_score_put_by_hand_opens_its_key(rng: np.random.Generator) -> None:
    trace = compute(problem(rng, put("masked", 3.0)))
    found = explain(trace, "weights", (0, 0, 0, 2))
    assert found.closed_by is None
    assert "closed" not in found.text
    assert keys_of(found) == [0, 2]
    assert explain(trace, "weights", (0, 0, 0, 1)).closed_by == 0


def test_a_weight_put_by_hand_leaves_the_score_before_it_closed(rng: np.random.Generator) -> None:
    trace = compute(problem(rng, put("weights", 0.25)))
    assert explain(trace, "masked", (0, 0, 0, 2)).closed_by == 0
    found = explain(trace, "weights", (0, 0, 0, 2))
    assert found.closed_by is None
    assert found.computed is not None
    assert found.computed.closed_by == 0
    assert keys_of(explain(trace, "head_output", (0, 0, 0, 1))) == [0, 2]


# --- scores of −∞ --------------------------------------------------------------------------------
@pytest.mark.parametrize("mask", [(), ({"kind": "padding", "lengths": 4},)], ids=["alone", "beside a mask"])
def test_keys_at_minus_infinity_are_not_seen(mask: tuple[object, ...], rng: np.random.Generator) -> None:
    one = problem(rng, mask=(*mask, biased(1, 0, 2, 4)))
    for evaluation in (compute(one), StreamingEvaluation(one)):
        for stage in ("weights", "head_output"):
            found = explain(evaluation, stage, (0, 0, 1, 1))
            assert keys_of(found) == [1, 3]
            assert found.expression.value == pytest.approx(found.value)
        assert explain(evaluation, "weights", (0, 0, 1, 0)).equals == 0
        assert explain(evaluation, "weights", (0, 0, 1, 0)).closed_by is None
