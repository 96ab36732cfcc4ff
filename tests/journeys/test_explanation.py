"""The explanation of a cell: sentence, formula in numbers, terms, links, copies; true, and of one quantity."""

import math
import re

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from attn_gui.engine.graph.printed_digits import short_number
from tests.failing import share

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


def copy(person, form):
    """Copy the equations in a form of the menu."""
    action = next(each for each in person.find("zone.explain").findChildren(QAction) if each.text() == form)
    assert action.parent().parent().isVisible()  # the button with the menu
    action.trigger()
    person.look()


def test_cells_are_explained_in_sentence_numbers_and_one_equation_and_links_lead_on(person, tmp_path, settled, qtbot):
    assert person.values("weights")[0] == [0.5, 0.5]
    assert person.values("weights")[1] == [pytest.approx(0.3595, abs=5e-5), pytest.approx(0.6405, abs=5e-5)]
    person.click_cell("weights", 1, 1)
    said = person.explanation().replace(" ", "")
    for part in ("e^1.15470", "e^0.57735+e^1.15470", "0.640"):
        assert part in said, (part, said)

    # the trail ends with its document
    person.program.first.explain.follow("scaled", (0, 0, 1, 1))
    person.look()
    assert trail(person) == ["A[1, 1]", "S′[1, 1]"]
    person.save_as(tmp_path / "kept.attn")
    person.open(tmp_path / "kept.attn")
    person.wait()
    assert trail(person) == ["S′[1, 1]"], "the cell comes back with the file, the way to it was another's"

    person.again("small factors of a term are written as powers of ten")
    person.type_into("query", 0, 0, "0.00002")
    person.choose_cell("scores", 0, 0)
    QTest.qWait(50)
    assert "2.00e−5" in {text for row in terms(person) for text in row[1:4]}

    person.again("behind a mask a closed cell reaches nothing", CAUSAL)
    person.choose_cell("scaled", 3, 9)
    assert "Reaches" not in person.explanation()
    person.click_cell("scaled", 9, 3)
    assert "Reaches" in person.explanation()
    assert link(person, "Sᵐ[9, 3]").isVisible()

    person.again("one equation is shown copied and right")
    one, text, latex = "As one equation", "As text", "As LaTeX"
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

    for example in share(("thinking-machines-64", "smollm2-layer10"), 2):
        person.again(example, f"{example}.npz")
        person.program.view.set(head=0)
        stages = person.window.spine.stages()
        for stage in stages:
            person.click(f"node.{'concat' if stage == 'output' and not person.has('node.output') else stage}")
            person.click_cell(stage, 1, 1)
            assert trail(person)[-1].endswith("1]"), stage
            assert short_number(person.value(stage, 1, 1)).replace("-", "−") in person.explanation(), stage
        assert len(stages) >= 7

    person.again(
        "a weight has its sentence and formula in numbers, links lead on and a dot is said", "minilm-layer2.npz"
    )
    person.program.view.set(head=3)
    person.click_cell("weights", 10, 13)
    said = person.explanation()
    assert "Query it gives key tired a weight of 0.6110, the largest of 16." in said
    assert "it → tired (10, 13) = 0.610984" in person.status()
    assert re.search(r"a₁₀,₁₃ = .* = e\^\(4\.8847 − 4\.8847\)/1\.6367 = 0\.6110", said)
    copy(person, "As text")
    assert repr(person.value("weights", 10, 13)) in person.clipboard()
    copy(person, "As LaTeX")
    assert "\\frac" in person.clipboard()

    # terms stand by size and add up to the cell
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

    # from a weight by its score to q and all the way back
    person.choose_cell("weights", 10, 13)
    settled(person)
    weight = person.explanation()
    person.click(link(person, "S′[10, 13]"))
    settled(person)
    assert person.find("heatmap.scaled").isVisible()
    assert person.status().startswith("Scaled scores · head 3")
    score = person.explanation()
    person.click(link(person, "Q[10"))
    assert person.find("heatmap.query").isVisible()
    assert person.status().startswith("Query · head 3 · (10, 97)")  # where the largest product is
    assert trail(person) == ["A[10, 13]", "S′[10, 13]", "Q[10, 97]"]
    person.press("Alt+Left")
    settled(person)
    assert person.explanation() == score
    assert "(10, 13)" in person.status()
    person.click(link(person, "A[10, 13]"))
    settled(person)
    assert person.find("heatmap.weights").isVisible()
    assert person.explanation() == weight

    # from a score on to what it reaches
    person.choose_cell("scaled", 10, 13)
    for words in ("A[10, ·]", "O[10, ·]", "concat[10, 96 … 127]"):
        assert link(person, words).isVisible()
    person.click(link(person, "O[10, ·]"))
    assert person.find("heatmap.head_output").isVisible()
    assert "(10, 0)" in person.status()
    assert trail(person) == ["S′[10, 13]", "O[10, 0]"]

    # a term of the table leads to its cell
    person.choose_cell("weights", 10, 13)
    second = terms(person)[1][0]
    table = table_of(person)
    place = table.visualRect(table.model().index(1, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert person.find("heatmap.scaled").isVisible()
    assert f"it → {second} (10, 0)" in person.status()

    # an output marks the row of weights and the column of values that made it
    person.choose_cell("head_output", 10, 5)
    left, top = person.find("operand.left"), person.find("operand.top")
    assert (left.shape, top.shape) == ((16, 16), (16, 32))  # O = A · V
    assert (left.overlay.marks.row, left.overlay.marks.column) == (10, None)
    assert (top.overlay.marks.row, top.overlay.marks.column) == (None, 5)
    assert len(terms(person)) == 16

    # a column and the reach say one thing
    person.choose_cell("query", 10, 1)
    assert "Column 97 (head 3, its column 1) of Q" in person.find("inspector.sentence").accessibleName()
    person.choose_cell("scores", 10, 13)
    shown = person.find("inspector.terms", QTableView).model()
    assert shown.headerData(1, Qt.Orientation.Horizontal) == "Q[10, c]"
    place = int(shown.index(0, 0).data().removeprefix("c = "))
    assert 96 <= place < 128
    assert numeric(shown.index(0, 1).data()) == pytest.approx(person.number("query", 10, place), abs=1e-3)

    person.again("a dot in a map is explained below it and the status says its number", "minilm-layer2.npz")
    person.program.view.set(head=3)
    QTest.qWait(50)
    bar = person.program.window.product.maps.bar("weights")
    heatmap = person.find("heatmap.weights")
    heatmap.grab()
    assert bar.dots_text() == "· < 0.005"
    row, column = next((i, j) for i in range(16) for j in range(16) if heatmap.cell_at(i, j)[0] < 0.004)
    QTest.mouseMove(heatmap, heatmap.cell_rect(row, column).center())
    qtbot.waitUntil(lambda: f"({row}, {column})" in person.status(), timeout=60_000)
    assert f"{heatmap.cell_at(row, column)[0]:.6f}" in person.status()
