"""The explanation of a cell: sentence, formula in numbers, terms, links, copies; true, and of one quantity."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTableView, QWidget

from attn_gui.engine import Problem, explain
from attn_gui.engine.evaluation.dense import DenseEvaluation
from attn_gui.engine.graph.printing import short_number
from attn_gui.formats import save
from tests.failing import each

SMALL = "worked-example.npz"
CAUSAL = "smollm2-layer10.npz"


@pytest.fixture
def settled():
    """Let the window come to rest: what is explained follows an edit once the maps are painted."""

    def settle(person):
        person.window.repaint()
        for _ in range(5):
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            QApplication.processEvents()

    return settle


def link(person, beginning):
    """A visible link of the explanation whose words begin like this."""
    shown = [w for w in person.find("inspector").findChildren(QWidget) if w.isVisible() and hasattr(w, "click")]
    found = [w for w in shown if w.text().startswith(beginning)]
    assert found, f"no link {beginning!r} among {[w.text() for w in shown]}"
    return found[0]


def trail(person):
    """The places on the way to the explained cell, the explained one last."""
    inspector = person.find("inspector")
    names = [w.accessibleName() for w in inspector.findChildren(QWidget) if type(w).__name__ == "Breadcrumbs"]
    return names[0].split(" › ")


def table_of(person):
    return person.find("inspector.terms", QTableView)


def terms(person):
    """The table of terms as texts."""
    model = table_of(person).model()
    return [[str(model.index(i, j).data()) for j in range(model.columnCount())] for i in range(model.rowCount())]


def numeric(text):
    return float(text.replace("−", "-"))


def click_term(person, row, column=0):
    table = table_of(person)
    place = table.visualRect(table.model().index(row, column)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    person.look()


def copy(person, form):
    """Copy the equations in a form of the menu."""
    action = next(each for each in person.find("zone.explain").findChildren(QAction) if each.text() == form)
    assert action.parent().parent().isVisible()  # the button with the menu
    action.trigger()
    person.look()


# --- what is said ------------------------------------------------------------------------------------
def test_a_weight_has_its_sentence_and_its_formula_in_numbers_and_links_lead_on_and_back(launch, settled):
    person = launch()
    person.click_cell("weights", 10, 13)
    said = person.explanation()
    assert "Query it gives key tired a weight of 0.6110, the largest of 16." in said
    assert "it → tired (10, 13) = 0.610984" in person.status()
    assert re.search(r"a₁₀,₁₃ = .* = e\^\(4\.8847 − 4\.8847\)/1\.6367 = 0\.6110", said)
    copy(person, "As text")
    assert repr(person.value("weights", 10, 13)) in person.clipboard()
    copy(person, "As LaTeX")
    assert "\\frac" in person.clipboard()

    person.again("terms stand by size and add up to the cell")
    person.click_cell("weights", 10, 13)
    values = [numeric(row[-1]) for row in terms(person)]
    assert values == sorted(values, reverse=True)
    assert terms(person)[0][0] == "tired"
    assert len(values) == 16
    assert math.isclose(sum(values), 1, abs_tol=16 * 5e-5)
    person.choose_cell("scores", 10, 13)
    *own, tail = terms(person)
    sizes = [abs(numeric(row[-1])) for row in own]
    assert sizes == sorted(sizes, reverse=True)
    assert tail[0] == "22 more"
    total = sum(numeric(row[-1]) for row in [*own, tail])
    assert math.isclose(total, person.value("scores", 10, 13), abs_tol=11 * 5e-4)

    person.again("from a weight by its score to q and all the way back")
    person.click_cell("weights", 10, 13)
    settled(person)
    weight = person.explanation()
    person.click(link(person, "S′[10, 13]"))
    settled(person)
    assert person.find("heatmap.scaled").isVisible()
    assert person.status().startswith("Scaled scores · head 3")
    score = person.explanation()
    person.click(link(person, "Q[10"))
    assert person.find("heatmap.query").isVisible()
    assert person.status().startswith("Query · head 3 · (10, 1)")  # where the largest product is
    assert trail(person) == ["A[10, 13]", "S′[10, 13]", "Q[10, 97]"]
    person.press("Alt+Left")
    settled(person)
    assert person.explanation() == score
    assert "(10, 13)" in person.status()
    person.click(link(person, "A[10, 13]"))
    settled(person)
    assert person.find("heatmap.weights").isVisible()
    assert person.explanation() == weight

    person.again("from a score on to what it reaches")
    person.choose_cell("scaled", 10, 13)
    for words in ("A[10, ·]", "O[10, ·]", "concat[10, 96 … 127]"):
        assert link(person, words).isVisible()
    person.click(link(person, "O[10, ·]"))
    assert person.find("heatmap.head_output").isVisible()
    assert "(10, 0)" in person.status()
    assert trail(person) == ["S′[10, 13]", "O[10, 0]"]

    person.again("a term of the table leads to its cell")
    person.click_cell("weights", 10, 13)
    second = terms(person)[1][0]
    click_term(person, 1)
    assert person.find("heatmap.scaled").isVisible()
    assert f"it → {second} (10, 0)" in person.status()

    person.again("with the keyboard alone")
    person.find("heatmap.weights").setFocus(Qt.FocusReason.TabFocusReason)
    person.press("Down", "Right", "Down")
    place = trail(person)
    table_of(person).setFocus(Qt.FocusReason.TabFocusReason)
    person.press("Down", "Return")  # the second of the keys
    assert person.find("heatmap.scaled").isVisible()
    assert len(trail(person)) == 2
    settled(person)
    for _ in range(20):
        if getattr(person.focus(), "text", str)().startswith("K["):
            break
        person.press("Tab")
    person.press("Return")
    assert person.find("heatmap.key").isVisible()
    settled(person)
    assert person.find("inspector").isAncestorOf(person.focus())
    person.press("Alt+Left", "Alt+Left")
    assert trail(person) == place
    assert person.find("heatmap.weights").isVisible()

    person.again("an output marks the row of weights and the column of values that made it")
    person.choose_cell("head_output", 10, 5)
    left, top = person.find("operand.left"), person.find("operand.top")
    assert (left.shape, top.shape) == ((16, 16), (16, 32))  # O = A · V
    assert (left.overlay.marks.row, left.overlay.marks.column) == (10, None)
    assert (top.overlay.marks.row, top.overlay.marks.column) == (None, 5)
    assert len(terms(person)) == 16

    person.again("the trail goes back to the head that it was in")
    person.choose_cell("weights", 10, 13)
    heads = person.find("control.head")
    person.overwrite(heads, "3")
    assert len(trail(person)) == 1
    explain = person.program.first.explain
    explain.follow("scaled", (0, 3, 10, 13))
    person.look()
    assert trail(person) == ["A[10, 13]", "S′[10, 13]"]
    person.overwrite(heads, "5")
    assert trail(person) == ["S′[10, 13]"], "the weight was of another head"
    person.overwrite(heads, "3")
    explain.follow("scores", (0, 3, 10, 13))
    person.look()
    before = person.program.view.look
    person.do("previous_place")
    assert person.program.view.look.head == 3
    explain.follow("scores", (0, 3, 10, 13))
    person.look()
    assert person.program.view.look == before
    person.size("num_heads", 2)
    person.wait()
    assert len(trail(person)) <= 1
    person.press("Ctrl+Z")
    person.wait()

    person.again("the same in chinese")
    person.do("language_zh")
    person.click_cell("weights", 10, 13)
    assert "查询 it 给键 tired 的权重是 0.6110" in person.explanation()
    person.click(link(person, "S′[10, 13]"))
    assert link(person, "在图中显示影响").isVisible()

    person.again("the gradient of the scale does not flatten those of the cells")
    person.choose_cell("weights", 10, 13)
    person.do("gradients")
    person.wait()
    page = person.program.window.inspector.sensitivity
    names = [line.link.text() for line in page._lines if line.link.isVisible()]
    shares = [line.bar._share for line in page._lines if line.link.isVisible()]
    assert names[0] == "α"
    assert shares[0] == 0.0
    assert max(shares[1:]) == 1.0


def test_the_explanation_follows_an_edit_and_its_undo(person, settled, tmp_path):
    assert person.values("weights")[0] == [0.5, 0.5]
    assert person.values("weights")[1] == [pytest.approx(0.3595, abs=5e-5), pytest.approx(0.6405, abs=5e-5)]
    person.click_cell("weights", 1, 1)
    said = person.explanation().replace(" ", "")
    for part in ("e^1.15470", "e^0.57735+e^1.15470", "0.640"):
        assert part in said, (part, said)

    person.again("the explanation follows an edit and its undo")
    person.click_cell("weights", 1, 1)
    settled(person)
    before = person.explanation()
    person.type_into("query", 1, 1, "3")
    settled(person)
    assert person.explanation() != before
    assert f"weight of {person.value('weights', 1, 1):.4f}" in person.explanation()
    person.press("Ctrl+Z")
    settled(person)
    person.find("heatmap.weights").setFocus()  # in a table Space types: its key is not named there
    assert person.explanation() == before

    person.again("the trail ends with its document")
    person.choose_cell("weights", 1, 1)
    person.program.first.explain.follow("scaled", (0, 0, 1, 1))
    person.look()
    assert trail(person) == ["A[1, 1]", "S′[1, 1]"]
    person.save_as(tmp_path / "kept.attn")
    person.open(tmp_path / "kept.attn")
    person.wait()
    assert trail(person) == ["S′[1, 1]"], "the cell comes back with the file, the way to it was another's"

    person.again("small factors of a term are written as powers of ten and steps say what they are")
    person.type_into("query", 0, 1, "-2.5")
    assert person.steps()[-1] == "Q[0, 1]: 0 → −2.5"

    person.again("small factors of a term are written as powers of ten")
    person.type_into("query", 0, 0, "0.00002")
    person.choose_cell("scores", 0, 0)
    QTest.qWait(50)
    terms = person.find("inspector.terms", QTableView).model()
    texts = {str(terms.index(row, column).data()) for row in range(terms.rowCount()) for column in range(1, 4)}
    assert "2.00e−5" in texts

    person.again("a new problem says what it is")
    from PySide6.QtWidgets import QDialog

    person.answering(QDialog, lambda _: person.press("Return"), lambda: person.do("new"))
    assert person.steps()[0].startswith("New problem, 4 × 5, heads: 2")

    person.again("behind a mask a closed cell reaches nothing", CAUSAL)
    person.choose_cell("scaled", 3, 9)
    assert "Reaches" not in person.explanation()
    person.click_cell("scaled", 9, 3)
    assert "Reaches" in person.explanation()
    assert link(person, "Sᵐ[9, 3]").isVisible()


# --- along the links ---------------------------------------------------------------------------------


# --- following and copying ---------------------------------------------------------------------------
@each(
    ("lang", "one", "text", "latex"),
    [("en", "As one equation", "As text", "As LaTeX"), ("zh", "写成一个等式", "复制为文本", "复制为 LaTeX")],
)
def test_one_equation_is_shown_copied_and_right(person, lang, one, text, latex):
    person.again(lang)
    person.do(f"language_{lang}")
    person.click_cell("weights", 1, 1)
    person.click(person.button(one, "zone.explain"))
    assert "Z = ∑_j e^(q₁ · k_j / √3)" in person.explanation()
    copy(person, text)
    formula, number, _total_in_symbols, total = person.clipboard().splitlines()[1:5]
    known = {"exp": math.exp, "Z": eval(total.removeprefix("= "), {"exp": math.exp})}
    assert math.isclose(eval(formula.removeprefix("= "), known), person.value("weights", 1, 1), rel_tol=1e-14)
    assert float(number.removeprefix("= ")) == person.value("weights", 1, 1)
    copy(person, latex)
    assert person.clipboard().startswith(r"a_{1,1} = \frac{1}{Z}")
    person.click(person.button(one, "zone.explain"))
    assert "Z = ∑_j" not in person.explanation()


@each("example", ["worked-example", "thinking-machines", "thinking-machines-64", "smollm2-layer10"])
def test_every_stage_of_every_example_can_be_explained(person, example):
    person.again(example, f"{example}.npz")
    person.program.view.set(head=0)
    stages = person.window.spine.stages()
    for stage in stages:
        person.click(f"node.{'concat' if stage == 'output' and not person.has('node.output') else stage}")
        person.click_cell(stage, 1, 1)
        assert trail(person)[-1].endswith("1]"), stage
        assert short_number(person.value(stage, 1, 1)).replace("-", "−") in person.explanation(), stage
    assert len(stages) >= 7


@pytest.fixture
def tied(tmp_path):
    """Six keys that all score the same; the last two are closed to the query by a window in head 0 and 1 alike."""
    query, key = np.zeros((6, 4)), np.zeros((6, 4))
    save(Problem(query=query, key=key, value=np.arange(24.0).reshape(6, 4), num_heads=2), tmp_path / "tied.npz")
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
    found = explain(DenseEvaluation(Problem(**fields, mask=({"kind": "causal"},))), "head_output", (0, 0, 1, 0))
    assert len(found.terms) == 2
    assert r"\cdots" not in found.numbers_latex
    assert found.numbers_latex.count(r"\cdot") == 2
    assert found.expression.value == pytest.approx(found.value, rel=1e-15)
    wild = fields | {"value": np.where(np.arange(6)[:, None] > 1, np.nan, fields["value"])}
    behind = explain(DenseEvaluation(Problem(**wild, mask=({"kind": "causal"},))), "head_output", (0, 0, 1, 0))
    assert behind.expression.value == found.expression.value


def test_a_column_a_dot_and_the_reach_say_one_thing(launch, qtbot):
    person = launch()
    person.choose_cell("query", 10, 1)
    assert "Column 97 (head 3, c = 1) of Q" in sentence(person)
    person.choose_cell("scores", 10, 13)
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
