"""Relations between tokens as lines, and their meaning before and after, in the window and in files."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit

from attn_gui import render
from attn_gui.cli import main
from attn_gui.engine import Problem, compute

MINILM, PROJECTED = "minilm-layer2.npz", "thinking-machines.npz"


def content(person, name):
    person.wait()
    QTest.qWait(1)  # the edit is painted first
    return person.find(f"page.{name}").content


def cosine(a, b):
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


# --- relations -----------------------------------------------------------------------------------
def brute(person, heads, least, most):
    """Every line that there should be."""
    weights = compute(person.program.document.snapshot())["weights"][0]
    found = set()
    for head in heads:
        for query, row in enumerate(weights[head]):
            order = sorted(range(len(row)), key=lambda key, row=row: -row[key])[:most]
            found |= {(head, query, key) for key in order if row[key] >= least}
    return found


def lines(person):
    return {(line.head, line.query, line.key) for line in content(person, "relations").lines}


def test_the_lines_are_the_largest_weights_and_follow_edits_and_knobs(launch):
    person = launch(MINILM)
    person.do("relations")
    assert lines(person) == brute(person, range(12), 0.1, 3)
    person.type_into("query", 10, 97, "-2.5")
    assert lines(person) == brute(person, range(12), 0.1, 3)
    person.overwrite(person.find("page.relations.least", QLineEdit), "0.3")
    person.overwrite(person.find("page.relations.most", QLineEdit), "1")
    assert lines(person) == brute(person, range(12), 0.3, 1)
    person.choose(person.find("page.relations.heads", QComboBox), "shown")
    assert lines(person) == brute(person, [person.program.view.look.head], 0.3, 1)
    person.press("Ctrl+Z")
    assert lines(person) == brute(person, [person.program.view.look.head], 0.3, 1)


def test_a_click_on_a_token_chooses_its_largest_weight_and_one_on_a_head_shows_it(launch):
    person = launch(MINILM)
    person.do("relations")
    best = max((line for line in content(person, "relations").lines if line.query == 8), key=lambda line: line.weight)
    canvas = person.find("page.relations").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 8).toPoint())
    look = person.program.view.look
    assert (look.cell[:3], look.head) == (("weights", 8, best.key), best.head)
    assert content(person, "relations").chosen == (8, best.key)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(2 + 5).toPoint())
    assert person.program.view.look.head == 5
    assert person.program.view.look.cell[:3] == ("weights", 8, best.key)


def test_of_a_long_problem_the_rows_round_the_chosen_one_are_shown_and_it_is_said(tmp_path):
    random = np.random.default_rng(4).standard_normal
    problem = Problem(query=random((3000, 8)), key=random((3000, 8)), value=random((3000, 2)))
    render(problem, tmp_path / "a.svg", picture="relations", cell=(1500, 3), set={"least": 0.0})
    texts = ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")
    told = " ".join(element.text for element in texts)
    assert "Queries 1480 to 1519 of 3000." in told
    assert "Of 3000 keys the 40 that these lines lead to most." in told


# --- meaning -------------------------------------------------------------------------------------
def test_meaning_is_the_cosine_of_x_and_of_the_output(launch):
    person = launch(PROJECTED, lang="zh")
    person.do("meaning")
    for value in (None, "3"):
        if value is not None:
            person.type_into("x", 0, 1, value)
        shown, problem = content(person, "meaning"), person.program.document.snapshot()
        output = compute(problem)["output"][0]
        assert shown.before[0, 1] == pytest.approx(cosine(problem.x[0], problem.x[1]), abs=1e-14)
        assert shown.after[0, 1] == pytest.approx(cosine(output[0], output[1]), abs=1e-14)
    person.choose(person.find("page.meaning.of", QComboBox), "head")
    shown, trace = content(person, "meaning"), compute(person.program.document.snapshot())
    value = trace["value"][0]
    assert shown.before[0, 1] == pytest.approx(cosine(value[0], value[1]), abs=1e-14)
    canvas = person.find("page.meaning").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(1, 1, 0).toPoint())
    assert person.program.view.look.cell[:3] == ("head_output", 1, 0)
    assert content(person, "meaning").chosen == 1


def test_meaning_needs_the_same_tokens_on_both_sides(person, tmp_path, capsys):
    person.do("meaning")
    person.size("m", 3)
    person.wait()
    QTest.qWait(1)
    assert not person.action("meaning").isEnabled()
    assert "Needs self-attention" in person.explanation()
    person.save_as(tmp_path / "a.attn")
    assert main(["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--page", "meaning"]) == 2
    assert "Needs self-attention" in capsys.readouterr().err
