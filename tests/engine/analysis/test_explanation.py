"""Formulas as they are read: names, actual numbers, the terms behind them; a calculator finds each printed one true."""

import math
import re
from operator import truediv
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, PlaceError, Problem, StageError, compute, explain
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph.printed_digits import PrintedNumbers, printed_operands, read_number, short_number
from attn_gui.engine.normalizers import NORMALIZERS
from tests.engine.conftest import MAKERS
from tests.failing import each
from tests.printed import disagreement, is_checked

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


@each(
    ("stage", "index", "more", "written"),
    [
        ("concat", (0, 1, 1), {}, r"c_{1,1} = o^{(0)}_{1,1} = 3.281"),
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
    ],
)
def test_the_worked_example_is_written_out(stage, index, more, written):
    worked = Problem(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]], **more)
    assert chain(explain(compute(worked), stage, index)) == written


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
            found = explain(evaluation, stage, (0, *last[1:-1], 1))
            yield chain(found)
            yield from found.parts_latex
            yield from filter(None, found.query_latex.split(r", \quad "))


def test_every_formula_can_be_typeset(evaluations, typeset):
    assert typeset(formulas(evaluations)) > 40


@each("name", ["all", "pre", "pre, cross", "additive", "normalize sum"], one_of=3)
def test_a_streaming_evaluation_is_explained_as_the_dense_one(evaluations, makers, name, rng):
    dense, streaming = evaluations[name], StreamingEvaluation(makers[name](), tile=3, chunk=5)
    for stage in dense.stages:
        index = [int(rng.integers(length)) for length in streaming.shape(stage)]
        found, right = explain(streaming, stage, index), explain(dense, stage, index)
        assert found.value == pytest.approx(right.value, rel=1e-12, abs=1e-12)
        assert chain(found) == chain(right)
        assert found.closed_by == right.closed_by
        if len(found.terms) > 1 and not stage.startswith(("scaled", "weights", "norm")):  # a sum, by its parts
            assert found.terms.values.sum() == pytest.approx(found.value)
        assert stage != "weights" or found.rank == right.rank
        assert found.sources == right.sources
        assert found.reaches == right.reaches


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


# --- scores of −∞ --------------------------------------------------------------------------------
@each("mask", [(), ({"kind": "padding", "lengths": 4},)])
def test_keys_at_minus_infinity_are_not_seen(mask: tuple[object, ...], rng: np.random.Generator) -> None:
    one = problem(rng, mask=(*mask, biased(1, 0, 2, 4)))
    for evaluation in (compute(one), StreamingEvaluation(one)):
        for stage in ("weights", "head_output"):
            found = explain(evaluation, stage, (0, 0, 1, 1))
            assert [term.cells[0].index[-1] for term in found.terms] == [1, 3]
            assert found.expression.value == pytest.approx(found.value)
        assert explain(evaluation, "weights", (0, 0, 1, 0)).equals == 0
        assert explain(evaluation, "weights", (0, 0, 1, 0)).closed_by is None


# --- the equation with Z --------------------------------------------------------------------------
STAGES = ("weights", "head_output", "concat", "output")


def evaluated(text: str) -> tuple[float, float]:
    """(the cell, Z) from the numbers in the text."""
    lines = text.splitlines()
    if len(lines) == 1:
        return float(lines[0].split(" = ")[1]), 0.0
    names = {"exp": np.exp, "nan": np.nan, "inf": np.inf}
    total = eval(lines[4].removeprefix("= "), {}, names)
    return eval(lines[1].removeprefix("= "), {}, names | {"Z": total}), total


@each("name", MAKERS, one_of=4)
def test_the_numbers_of_the_text_give_the_cell(evaluations, name, rng):
    evaluation = evaluations[name]
    problem = evaluation.problem
    for stage in [stage for stage in STAGES if stage in evaluation.stages and problem.compares]:
        for _ in range(2):
            found = explain(evaluation, stage, [int(rng.integers(length)) for length in evaluation.shape(stage)])
            softmax = NORMALIZERS[problem.normalize].elementary
            if not softmax or (stage == "output" and problem.w_output is not None):
                assert found.query_text == found.query_latex == ""
                continue
            cell, total = evaluated(found.query_text)
            assert cell == pytest.approx(found.value, rel=1e-11, abs=1e-11)
            assert found.per_query.expression.value == pytest.approx(found.value, rel=1e-11, abs=1e-11)
            if total:
                numbers = found.query_text.splitlines()
                keys = numbers[4].count("exp(") - (problem.sink is not None)
                assert numbers[1].count("exp(") == (1 if stage == "weights" else keys)


def test_the_worked_example_reads_as_in_the_lesson():
    problem = Problem(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]])
    found = explain(DenseEvaluation(problem), "head_output", (0, 0, 1, 1))
    assert found.query_latex == (
        r"o_{1,1} = \frac{1}{Z} \sum_{j} e^{q_{1} \cdot k_{j} / \sqrt{3}}\,v_{j,1} = "
        r"\frac{1}{4.954} \cdot \left(e^{0.5774} \cdot 2 + e^{1.1547} \cdot 4\right) = 3.281, \quad "
        r"Z = \sum_{j} e^{q_{1} \cdot k_{j} / \sqrt{3}} = e^{0.5774} + e^{1.1547} = 4.954"
    )
    first, _, third, fourth, *_ = found.query_text.splitlines()
    assert first == "O[0, 0, 1, 1] = 1/Z · Σ_j e^(Q[1]·K[j] / √3) · V[j, 1]"
    assert float(third.removeprefix("= ")) == found.value
    assert fourth == "Z = Σ_j e^(Q[1]·K[j] / √3)"
    assert explain(DenseEvaluation(problem), "scaled", (0, 0, 1, 1)).query_text == ""


def exponent(**more) -> tuple[str, str]:
    """The exponent in LaTeX and in plain text."""
    problem = Problem.over(new_fields("direct", n=3, m=5, d_k=4)).replace(**more)
    found = explain(DenseEvaluation(problem), "weights", (0, 0, 2, 1))
    latex = re.search(r"\\frac\{1\}\{Z\}\\,e\^\{(.*)\} = ", found.query_latex.split(r", \quad")[0])
    return latex[1].split(r"} = \frac")[0], found.query_text.splitlines()[0].split("e^(")[1][:-1]


EXPONENTS = [
    ({}, r"q_{2} \cdot k_{1} / \sqrt{4}", "Q[2]·K[1] / √4"),
    ({"scale": 0.3}, r"0.3\,\left(q_{2} \cdot k_{1}\right)", "0.3 (Q[2]·K[1])"),
    ({"temperature": 0.5}, r"q_{2} \cdot k_{1} / \sqrt{4} / 0.5", "Q[2]·K[1] / √4 / 0.5"),
    ({"rotary_theta": 10}, r"q'_{2} \cdot k'_{1} / \sqrt{4}", "Q′[2]·K′[1] / √4"),
    ({"softcap": 3}, r"3 \tanh\left(q_{2} \cdot k_{1} / \sqrt{4} / 3\right)", "3 tanh(Q[2]·K[1] / √4 / 3)"),
    (
        {"mask": ({"kind": "causal"}, {"kind": "alibi"}), "temperature": 2},
        r"\left(q_{2} \cdot k_{1} / \sqrt{4} + b^{(1)}_{2,1}\right) / 2",
        "(Q[2]·K[1] / √4 + B1[2, 1]) / 2",
    ),
    ({"score": "gaussian"}, r"-\|q_{2} - k_{1}\|^{2} / 2", "−‖Q[2] − K[1]‖² / 2"),
    (
        {"score": "gaussian", "score_params": {"w": -0.5, "key_norm": 0}},
        r"-\left(-0.5\right)^{2}\,\left(\|q_{2} - k_{1}\|^{2} + \left(0 - 1\right)\,\|k_{1}\|^{2}\right) / 2",
        "−(-0.5)² (‖Q[2] − K[1]‖² + (0 − 1) ‖K[1]‖²) / 2",
    ),
    (
        {"score": "cosine", "scale": 2},
        r"2\,\left(q_{2} \cdot k_{1} / \left(\|q_{2}\|\,\|k_{1}\|\right)\right)",
        "2 (Q[2]·K[1] / (‖Q[2]‖ ‖K[1]‖))",
    ),
    ({"score": "average"}, "0", "0"),
]


@each(("more", "latex", "text"), EXPONENTS)
def test_the_exponent_says_all_that_is_in_force(more, latex, text):
    assert exponent(**more) == (latex, text)


def test_closed_keys_are_left_out_and_an_empty_row_is_zero():
    allowed = np.array([[1, 0, 1, 0, 1], [0, 0, 0, 0, 0]], bool)
    problem = Problem.over(new_fields("direct", n=2, m=5, d_k=3)).replace(
        mask=({"kind": "custom", "allowed": allowed},)
    )
    evaluation = DenseEvaluation(problem)
    found = explain(evaluation, "head_output", (0, 0, 0, 2))
    assert found.query_text.splitlines()[1].count("exp(") == 3
    assert r"\sum_{j\,:\,m_{0,j} = 1}" in found.query_latex
    assert "Σ_{j: M[0, j] = 1}" in found.query_text
    closed = explain(evaluation, "weights", (0, 0, 0, 3))
    assert (closed.query_text, closed.query_latex) == ("A[0, 0, 0, 3] = 0", "a_{0,3} = 0")
    empty = explain(evaluation, "head_output", (0, 0, 1, 2))
    assert (empty.query_text, empty.query_latex) == ("O[0, 0, 1, 2] = 0", "o_{1,2} = 0")


# --- printed operands give the printed result -----------------------------------------------------


def equations(evaluation, stage, index):
    """The equations of a cell: one step back, and from the scores on."""
    found = explain(evaluation, stage, index)
    query = found.per_query
    both = () if query is None else (query.sides_latex, query.total_sides_latex)
    return [sides for sides in (found.sides_latex, *both) if sides]


def test_every_stage_of_every_kind_agrees_with_a_calculator(evaluations, rng):
    checked = []
    for name, evaluation in evaluations.items():
        for stage in evaluation.stages:
            index = [int(rng.integers(length)) for length in evaluation.shape(stage)]
            for sides in equations(evaluation, stage, index):
                assert not disagreement(sides), (name, stage, index, sides)
                checked.append(is_checked(sides))
    assert sum(checked) > 100


def test_digits_are_added_where_they_are_needed_alone():
    assert printed_operands([0.14023, 1.39488], truediv, 0.14023 / 1.39488) == ["0.1402", "1.395"]
    assert printed_operands([5.0, math.sqrt(2)], truediv, 5 / math.sqrt(2)) == ["5", "1.414"]
    assert printed_operands([2.0, math.sqrt(3)], truediv, 2 / math.sqrt(3), places=2) == ["2", "1.732"]


def test_a_number_has_the_same_digits_wherever_it_stands_and_those_of_a_kind_the_same_decimals():
    printed, scores = PrintedNumbers(), [1 / math.sqrt(3), 2 / math.sqrt(3)]
    powers = [math.exp(score) for score in scores]
    for score, power in zip(scores, powers, strict=True):
        printed.add(power, lambda numbers: math.exp(numbers[0]), [score])
    printed.add(sum(powers), math.fsum, powers)
    printed.add(powers[1] / sum(powers), lambda pair: pair[0] / pair[1], [powers[1], sum(powers)])
    printed.alike(scores, "scores")
    printed.settle()
    said = [printed.text(number) for number in (*scores, *powers, sum(powers), powers[1] / sum(powers))]
    assert said == ["0.5774", "1.1547", "1.781", "3.173", "4.954", "0.6405"]
    assert read_number(short_number(5e-324)) == 5e-324
    assert [short_number(size) for size in (3.77034e-4, 3.77034e-5, 2.0000000000004, 0.5)] == [
        "0.0003770",
        "3.770e-5",
        "2",
        "0.5",
    ]


def test_numbers_that_do_not_give_the_result_say_so():
    other = 1e5 / 3 / math.exp(0.1)  # e^0.1 of it is what the other key takes away
    almost = Problem(query=[[0.1]], key=[[1.0], [2.0]], value=[[1e5 / 3 + 1e-6], [-other]], scale=1.0)
    assert r"\approx" in explain(DenseEvaluation(almost), "head_output", (0, 0, 0, 0)).latex
