"""Five steps as a student and a teacher take them for the first time, in Chinese, with mouse and keyboard: few clicks.

1 a problem of six words with two heads and a causal mask · 2 Q typed, one cell of it changed · 3 from a number of the
output back to Q and K · 4 with and without ÷ √d_k · 5 an SVG with the words.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QListWidget, QTableView, QWidget

from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.text_views import SentenceView

LEFT = Qt.MouseButton.LeftButton
WORDS = "我 爱 吃 红 苹果 派"
Q = ("1 0 1 0", "0 1 0 1", "1 1 0 0", "0 0 1 1", "1 0 0 1", "0 1 1 0")
MOST_CLICKS = 18


class Newcomer:
    """Looks for words and clicks on them, and counts."""

    def __init__(self, person, qtbot) -> None:
        self.person, self.clicks = person, 0
        self.until = qtbot.waitUntil

    def click(self, widget, place=None) -> None:
        self.clicks += 1
        assert widget.isVisible(), f"{widget.objectName()} cannot be seen"
        assert widget.isEnabled(), f"{widget.objectName()} is grey"
        QTest.mouseClick(widget, LEFT, pos=place or widget.rect().center())

    def click_words(self, words, inside) -> None:
        shown = [one for one in inside.findChildren(QAbstractButton) if one.isVisible() and words in one.text()]
        assert shown, f"nothing says {words}"
        self.click(shown[0])

    def click_cell(self, name, row, column) -> None:
        heatmap = self.person.find(name)
        self.click(heatmap, heatmap.cell_rect(row, column).center())

    def choose(self, box, words) -> None:
        """Open a list and take an entry: two clicks, the second by keys, as a list that has just opened takes none."""
        place = box.findText(words, Qt.MatchFlag.MatchContains)
        assert place >= 0, f"{words} is none of {[box.itemText(k) for k in range(box.count())]}"
        self.person.choose(box, box.itemData(place))
        self.clicks += 2

    def read(self) -> str:
        return self.person.explanation()

    def look(self, name, widget=None) -> None:
        """Keep a picture for whoever wants to see it."""
        folder = os.environ.get("CONTEST_PICTURES")
        if folder:
            QTest.qWait(300)
            (widget or self.person.window).grab().save(str(Path(folder) / f"{name}.png"))


@pytest.fixture
def newcomer(launch, qtbot):
    return Newcomer(launch(lang="zh"), qtbot)


def new_problem(newcomer):
    person = newcomer.person

    def fill_in(dialog):
        person.type(WORDS)  # the keyboard is in its line already
        newcomer.click(dialog.findChild(QWidget, "new.d_model"))
        person.press("Ctrl+A")
        person.type("4")
        newcomer.click_words("因果", dialog)
        assert "Q 6 × 4" in dialog.findChild(SentenceView, "new.shapes").text()  # before it is made
        newcomer.look("1-dialog", dialog)
        newcomer.click_words("创建", dialog)

    person.answering(NewDialog, fill_in, lambda: newcomer.click_words("新建", person.window))
    problem = person.program.document.problem
    assert problem.query.shape == problem.key.shape == problem.value.shape == (6, 4)
    assert (problem.num_heads, [layer.kind for layer in problem.mask]) == (2, ["causal"])
    assert problem.query_tokens == tuple(WORDS.split()) == problem.names_of_keys


def type_q(newcomer):
    person = newcomer.person
    table = person.table("query")
    newcomer.click(table.viewport(), table.visualRect(table.model().index(0, 0)).center())
    for row in Q:
        *first, last = row.split()
        for number in first:
            person.type(number)
            person.press("Tab")
        person.type(last)
        person.press("Return")
    assert person.numbers("query") == [row.split() for row in Q]
    assert table.visualRect(table.model().index(5, 3)).bottom() <= table.viewport().height()  # all in sight
    newcomer.click(table.viewport(), table.visualRect(table.model().index(1, 1)).center())
    person.type("2")
    person.press("Return")
    assert person.number("query", 1, 1) == 2.0
    assert person.steps()[-1].endswith("1 → 2")  # the old number is said
    newcomer.look("2-typed")


def why(newcomer):
    """From a number of the output to the weight, to the score, to Q and K: at most one click a hop."""
    person = newcomer.person
    newcomer.click_cell("operand.result", 4, 1)
    assert "O[4, 1]" in newcomer.read()
    newcomer.look("3-output")
    met = ["O"]
    while met[-1] != "scaled":
        terms = person.find("inspector.terms", QTableView)
        if terms.isVisible():
            newcomer.click(terms.viewport(), terms.visualRect(terms.model().index(0, 1)).center())
        else:
            newcomer.click_words("S′[", person.find("inspector"))
        met.append(person.program.view.look.cell.stage)
        assert person.find("inspector").isAncestorOf(person.focus()), "the keyboard left the explanation"
    assert met == ["O", "weights", "masked", "scaled"]
    terms = person.find("inspector.terms", QTableView).model()
    products = [[str(terms.index(row, column).data()) for column in (1, 2)] for row in range(terms.rowCount())]
    assert [str(terms.headerData(k, Qt.Orientation.Horizontal))[0] for k in (1, 2)] == ["Q", "K"]
    assert sorted(float(row[0]) for row in products) == sorted(person.number("query", 4, k) for k in (0, 1))
    newcomer.look("3-score")


def scale_or_not(newcomer):
    person = newcomer.person
    newcomer.click(person.find("node.weights"))
    newcomer.choose(person.find("control.scale", QComboBox), "并排")
    newcomer.until(lambda: person.has("heatmap.before") and person.find("heatmap.before").isVisible())
    plain, scaled = (
        [person.find(name).cell_at(2, column)[0] for column in range(3)]
        for name in ("heatmap.before", "heatmap.weights")
    )
    assert sum(plain) == pytest.approx(1) == sum(scaled)  # each row is a whole softmax
    assert max(plain) > max(scaled)  # which grows sharper without the scale
    newcomer.look("4-side-by-side")


def export(newcomer, folder):
    person = newcomer.person

    def save(dialog):
        stages = dialog.findChild(QListWidget, "export.stages")
        assert [
            row.text()
            for row in stages.findItems("*", Qt.MatchFlag.MatchWildcard)
            if row.checkState() == Qt.CheckState.Checked
        ] == ["注意力权重"]
        newcomer.choose(dialog.findChild(QComboBox, "export.format"), "SVG")
        folder_line = dialog.findChild(QWidget, "export.target").findChild(QLineEdit)
        newcomer.click(folder_line)
        person.press("Ctrl+A")
        person.type(str(folder))
        newcomer.look("5-dialog", dialog)
        newcomer.click_words("导出", dialog)

    person.answering(ExportDialog, save, lambda: newcomer.click_words("导出图片", person.window))
    newcomer.until(lambda: bool(list(folder.glob("*.svg"))))


def test_a_newcomer_takes_five_steps_in_few_clicks(newcomer, tmp_path):
    counted = []
    for step in (new_problem, type_q, why, scale_or_not, partial(export, folder=tmp_path)):
        before = newcomer.clicks
        step(newcomer)
        counted.append(newcomer.clicks - before)
    (file,) = tmp_path.glob("*.svg")
    text = file.read_text(encoding="utf-8")
    assert all(f">{word}<" in text for word in WORDS.split())
    assert newcomer.clicks <= MOST_CLICKS, counted
