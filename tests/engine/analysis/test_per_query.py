"""The equation with Z: in symbols that are true, and in numbers that give the cell."""

from __future__ import annotations

import re
from math import isnan

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Problem, explain, new_problem
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.normalizers import NORMALIZERS

STAGES = ("weights", "head_output", "concat", "output")


def evaluated(text: str) -> tuple[float, float]:
    """(the cell, Z) from the numbers in the text."""
    lines = text.splitlines()
    if len(lines) == 1:
        return float(lines[0].split(" = ")[1]), 0.0
    names = {"exp": np.exp, "nan": np.nan, "inf": np.inf}
    total = eval(lines[4].removeprefix("= "), {}, names)
    return eval(lines[1].removeprefix("= "), {}, names | {"Z": total}), total


@pytest.mark.parametrize("streaming", [False, True], ids=["dense", "streaming"])
def test_the_numbers_of_the_text_give_the_cell(makers, problem_name, streaming, rng):
    problem = makers[problem_name]()
    evaluation = StreamingEvaluation(problem, tile=3, chunk=5) if streaming else DenseEvaluation(problem)
    for stage in STAGES:
        for _ in range(4):
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
    problem = new_problem("direct", n=3, m=5, d_k=4).replace(**more)
    found = explain(DenseEvaluation(problem), "weights", (0, 0, 2, 1))
    latex = re.search(r"\\frac\{1\}\{Z\}\\,e\^\{(.*)\} = ", found.query_latex.split(r", \quad")[0])
    return latex[1].split(r"} = \frac")[0], found.query_text.splitlines()[0].split("e^(")[1][:-1]


EXPONENTS = [
    ({}, r"q_{2} \cdot k_{1} / \sqrt{4}", "Q[2]·K[1] / √4"),
    ({"scale": 1}, r"q_{2} \cdot k_{1}", "Q[2]·K[1]"),
    ({"scale": 0.3}, r"0.3\,\left(q_{2} \cdot k_{1}\right)", "0.3 (Q[2]·K[1])"),
    ({"temperature": 0.5}, r"q_{2} \cdot k_{1} / \sqrt{4} / 0.5", "Q[2]·K[1] / √4 / 0.5"),
    ({"rotary_theta": 10}, r"q'_{2} \cdot k'_{1} / \sqrt{4}", "Q′[2]·K′[1] / √4"),
    (
        {"softcap": 3},
        r"3 \tanh\left(q_{2} \cdot k_{1} / \sqrt{4} / 3\right)",
        "3 tanh(Q[2]·K[1] / √4 / 3)",
    ),
    (
        {"mask": ({"kind": "causal"}, {"kind": "alibi"}), "temperature": 2},
        r"\left(q_{2} \cdot k_{1} / \sqrt{4} + b^{(1)}_{2,1}\right) / 2",
        "(Q[2]·K[1] / √4 + B1[2, 1]) / 2",
    ),
    ({"mask": ({"kind": "alibi", "enabled": False},)}, r"q_{2} \cdot k_{1} / \sqrt{4}", "Q[2]·K[1] / √4"),
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


@pytest.mark.parametrize(("more", "latex", "text"), EXPONENTS)
def test_the_exponent_says_all_that_is_in_force(more, latex, text):
    assert exponent(**more) == (latex, text)


def test_closed_keys_are_left_out_and_an_empty_row_is_zero():
    allowed = np.array([[1, 0, 1, 0, 1], [0, 0, 0, 0, 0]], bool)
    problem = new_problem("direct", n=2, m=5, d_k=3).replace(mask=({"kind": "custom", "allowed": allowed},))
    evaluation = DenseEvaluation(problem)
    found = explain(evaluation, "head_output", (0, 0, 0, 2))
    assert found.query_text.splitlines()[1].count("exp(") == 3
    assert r"\sum_{j\,:\,m_{0,j} = 1}" in found.query_latex
    assert "Σ_{j: M[0, j] = 1}" in found.query_text
    closed = explain(evaluation, "weights", (0, 0, 0, 3))
    assert (closed.query_text, closed.query_latex) == ("A[0, 0, 0, 3] = 0", "a_{0,3} = 0")
    empty = explain(evaluation, "head_output", (0, 0, 1, 2))
    assert (empty.query_text, empty.query_latex) == ("O[0, 0, 1, 2] = 0", "o_{1,2} = 0")


@pytest.mark.parametrize("score", [1e4, -1e4])
def test_a_total_out_of_range_stays_unevaluated(score):
    problem = Problem(query=[[score]], key=[[1.0], [1.0], [0.999]], value=[[2.0], [4.0], [5.0]])
    found = explain(DenseEvaluation(problem), "head_output", (0, 0, 0, 0))
    assert r"\frac{1}{Z} \cdot \left(" in found.query_latex.split(" = ", 2)[2]
    assert "infty" not in found.query_latex
    assert found.query_latex.endswith("e^{9990}" if score > 0 else "e^{{-9990}}")
    assert "inf" not in found.query_text
    assert found.query_text.splitlines()[-1].startswith("= exp(")


def test_a_zero_weight_holds_back_what_is_not_a_number():
    problem = Problem(query=[[1e3]], key=[[1.0], [-1.0]], value=[[2.0], [np.nan]])
    found = explain(DenseEvaluation(problem), "head_output", (0, 0, 0, 0))
    assert found.value == 2.0
    assert "nan" not in found.query_text
    wild = explain(DenseEvaluation(problem.replace(query=[[0.1]])), "head_output", (0, 0, 0, 0))
    assert isnan(evaluated(wild.query_text)[0])


def test_long_rows_are_shortened_in_latex_and_whole_in_text():
    evaluation = StreamingEvaluation(new_problem("direct", n=3, m=1031, d_k=4))
    found = explain(evaluation, "output", (0, 2, 3))
    assert found.query_latex.count(r"+ \cdots +") == 2
    assert len(found.query_latex) < 600
    assert found.query_text.count("exp(") == 2 * 1031
    assert evaluated(found.query_text)[0] == pytest.approx(found.value, rel=1e-11)


def test_the_sink_is_over_the_same_temperature_as_the_keys():
    problem = Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]], temperature=1234567.0, sink=[1.0])
    text = explain(DenseEvaluation(problem), "weights", (0, 0, 0, 0)).query_text
    assert text.splitlines()[3] == "Z = Σ_j e^(Q[0]·K[j] / √1 / 1234567.0) + e^(sink[0] / 1234567.0)"


def test_a_derived_map_has_no_such_equation():
    assert explain(DenseEvaluation(new_problem(n=3, d_k=4)), "value_weighted", (0, 0, 0, 0)).query_text == ""
