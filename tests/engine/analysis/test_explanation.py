"""Formulas as they are read: with names, with the actual numbers, and the terms behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Explanation, PlaceError, Problem, StageError, compute, explain
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from tests.failing import each

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


def test_long_sums_are_shortened_in_latex_and_whole_in_text(encoder):
    found = explain(encoder, "head_output", (0, 3, 10, 2))
    assert found.symbols_latex == r"o_{10,2} = \sum_j a_{10,j}\,v_{j,98}"
    assert r"\cdots" in found.numbers_latex
    assert found.numbers_latex.count(r"\cdot ") == 3
    assert found.text.count("*") == 16
    assert "…" not in found.text


def test_numbers_of_the_problem_are_sources_too(evaluations):
    names = {
        stage: [cell.name for cell in explain(evaluations["all"], stage, (0, 3, 6, 2)).sources if not cell.index]
        for stage in ("scores", "scaled", "capped", "weights")
    }
    assert names == {"scores": [], "scaled": ["scale"], "capped": ["softcap"], "weights": ["temperature"]}


@each(
    ("stage", "index", "more", "written"),
    [
        ("query", (0, 1, 1), {}, "q_{1,1} = 1"),
        ("concat", (0, 1, 1), {}, r"c_{1,1} = o^{(0)}_{1,1} = 3.281"),
        ("output", (0, 1, 1), {}, r"y_{1,1} = c_{1,1} = 3.281"),
        (
            *("weights", (0, 0, 1, 1), {}),
            r"a_{1,1} = \frac{e^{s'_{1,1}}}{e^{s'_{1,0}} + e^{s'_{1,1}}} = "
            r"\frac{e^{1.15470}}{e^{0.57735} + e^{1.15470}} = 0.6405",  # of 1.155 and 0.577 it would be 0.6406
        ),
        (
            *("head_output", (0, 0, 1, 1), {}),
            r"o_{1,1} = a_{1,0}\,v_{0,1} + a_{1,1}\,v_{1,1} = 0.3595 \cdot 2 + 0.6405 \cdot 4 = 3.281",
        ),
        ("scaled", (0, 0, 1, 1), {}, r"s'_{1,1} = \frac{q_{1} \cdot k_{1}}{\sqrt{3}} = \frac{2}{1.732} = 1.155"),
        (
            *("scaled", (0, 0, 1, 1), {"scale": 0.5}),
            r"s'_{1,1} = 0.5\,\left(q_{1} \cdot k_{1}\right) = 0.5 \cdot 2 = 1",
        ),
        ("scaled", (0, 0, 1, 1), {"scale": 1}, r"s'_{1,1} = q_{1} \cdot k_{1} = 2"),
        ("scaled", (0, 0, 1, 1), {"score": "cosine"}, r"s'_{1,1} = s_{1,1} = 1"),
    ],
)
def test_the_worked_example_is_written_out(stage, index, more, written):
    worked = Problem(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]], **more)
    assert chain(explain(compute(worked), stage, index)) == written


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


def test_a_weight_put_at_a_score_of_minus_infinity_counts(rng: np.random.Generator) -> None:
    trace = compute(problem(rng, put("weights", 0.5, query=1, key=2), mask=(biased(1, 0, 2, 4),)))
    found = explain(trace, "head_output", (0, 0, 1, 1))
    assert keys_of(found) == [1, 2, 3]
    assert found.expression.value == pytest.approx(found.value)


@pytest.mark.parametrize("stage", ["masked", "weights"])
def test_a_closed_cell_that_is_multiplied_stays_closed(stage: str, rng: np.random.Generator) -> None:
    trace = compute(problem(rng, {"kind": "scale", "stage": stage, "at": {"query": 0}, "factor": 2.0}))
    for behind in ("masked", "weights"):
        found = explain(trace, behind, (0, 0, 0, 2))
        assert found.closed_by == 0
        assert "closed by mask 0 (causal)" in found.text
        assert explain(trace, behind, (0, 0, 0, 0)).closed_by is None
