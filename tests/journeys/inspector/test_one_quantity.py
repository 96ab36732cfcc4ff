"""Statements of the panel are true and mean one thing: ties, open keys, small numbers, columns, history, reach."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTableView

from attn_gui.engine import Problem, explain
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.formats import save

SMALL = "worked-example.npz"


@pytest.fixture
def tied(tmp_path):
    """Six keys that all score the same; the last two are closed to the query by a window in head 0 and 1 alike."""
    query, key = np.zeros((6, 4)), np.zeros((6, 4))
    value = np.arange(24.0).reshape(6, 4)
    save(Problem(query=query, key=key, value=value, num_heads=2), tmp_path / "tied.npz")
    return tmp_path / "tied.npz"


def sentence(person):
    return person.find("inspector.sentence").accessibleName()


def test_weights_that_are_all_the_same_are_not_the_largest(launch, tied):
    person = launch(tied)
    person.click_cell("weights", 2, 1)
    assert sentence(person) == "Query 2 gives key 1 a weight of 0.1667, as each of 6 keys."


def test_keys_that_share_the_largest_weight_say_so():
    key = np.array([[2.0], [2.0], [0.0], [-1.0], [-1.0]])
    evaluation = DenseEvaluation(Problem(query=[[1.0]], key=key, value=key))
    largest, small = (explain(evaluation, "weights", (0, 0, 0, j)) for j in (1, 3))
    assert (largest.rank, largest.equals, small.rank, small.equals) == (1, 2, 4, 2)


def test_a_zero_has_no_sign_in_a_formula_and_keeps_its_bit_in_the_text():
    key = np.array([[-0.0], [1.0], [2.0]])
    found = explain(DenseEvaluation(Problem(query=[[1.0]], key=key, value=key)), "weights", (0, 0, 0, 0))
    assert "-0" not in found.numbers_latex
    assert "-0.0" in found.text or "0.0" in found.text


def test_a_sum_behind_a_mask_is_that_of_the_open_keys():
    rng = np.random.default_rng(3)
    fields = {name: rng.normal(size=(6, 2)) for name in ("query", "key", "value")}
    evaluation = DenseEvaluation(Problem(**fields, mask=({"kind": "causal"},)))
    found = explain(evaluation, "head_output", (0, 0, 1, 0))
    assert len(found.terms) == 2
    assert r"\cdots" not in found.numbers_latex
    assert found.numbers_latex.count(r"\cdot") == 2
    assert found.expression.value == pytest.approx(found.value, rel=1e-15)
    wild = fields | {"value": np.where(np.arange(6)[:, None] > 1, np.nan, fields["value"])}
    behind = explain(DenseEvaluation(Problem(**wild, mask=({"kind": "causal"},))), "head_output", (0, 0, 1, 0))
    assert behind.expression.value == found.expression.value


def test_small_factors_of_a_term_are_written_as_powers_of_ten_and_steps_say_what_they_are(person, qtbot):
    person.type_into("query", 0, 1, "-2.5")
    assert person.steps()[-1] == "Q[0, 1]: 0 → −2.5"

    person.again("small factors of a term are written as powers of ten")
    person.type_into("query", 0, 0, "0.00002")
    person.show_stage("scores")
    person.click_cell("scores", 0, 0)
    QTest.qWait(50)
    terms = person.find("inspector.terms", QTableView).model()
    texts = {str(terms.index(row, column).data()) for row in range(terms.rowCount()) for column in range(1, 4)}
    assert "2.00e−5" in texts

    person.again("a new problem says what it is")
    from PySide6.QtWidgets import QDialog

    person.answering(QDialog, lambda _: person.press("Return"), lambda: person.do("new"))
    assert person.steps()[0].startswith("New problem, 4 × 5, heads: 2")


def test_a_column_a_dot_and_the_reach_say_one_thing(launch, qtbot):
    person = launch()
    person.show_stage("query")
    person.click_cell("query", 10, 1)
    assert "Column 97 (head 3, c = 1) of Q" in sentence(person)
    person.show_stage("scores")
    person.click_cell("scores", 10, 13)
    terms = person.find("inspector.terms", QTableView).model()
    tip = terms.index(0, 0).data(3)
    place = int(terms.index(0, 0).data().removeprefix("c = "))
    assert tip == f"c = {place}: column Q {96 + place}, K {96 + place}"

    person.again("a dot in a map is explained below it and the status says its number")
    QTest.qWait(50)
    bar = person.program.window.product.maps.bar("weights")
    heatmap = person.find("heatmap.weights")
    heatmap.grab()
    assert bar.dots_text() == "· < 0.005"
    row, column = next((i, j) for i in range(16) for j in range(16) if heatmap.cell_at(i, j)[0] < 0.004)
    QTest.mouseMove(heatmap, heatmap.cell_rect(row, column).center())
    qtbot.waitUntil(lambda: f"({row}, {column})" in person.status(), timeout=60_000)
    assert f"{heatmap.cell_at(row, column)[0]:.6f}" in person.status()

    person.again("going to all stages leaves the reach where it was asked for")
    person.click_cell("weights", 9, 2)
    person.press("Ctrl+Shift+R")
    person.press("Ctrl+2")
    QTest.qWait(50)
    relations = [label.text() for label in person.find("inspector").findChildren(QLabel) if label.isVisible()]
    assert not [text for text in relations if text.startswith("Q[")]
    assert person.program.late.reach._place is None


def test_no_gradient_reads_zero_beside_a_bar(launch, tmp_path):
    rng = np.random.default_rng(1)
    fields = {
        name: rng.normal(size=(40, 8)) * scale for name, scale in (("query", 1e-3), ("key", 1e-3), ("value", 1e-4))
    }
    save(Problem(**fields), tmp_path / "small.npz")
    person = launch(tmp_path / "small.npz")
    person.click_cell("weights", 3, 4)
    person.do("gradients")
    page = person.find("inspector.sensitivity")
    numbers = [label.text() for label in page.findChildren(QLabel) if label.isVisible() and "e−" in label.text()]
    assert len(numbers) == 12
