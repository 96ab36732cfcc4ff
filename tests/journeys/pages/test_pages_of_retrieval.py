"""One query's ranking and mixture, ways to pool beside one another, and the reach of three layers, in the window."""

from __future__ import annotations

import time
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit

from attn_gui import render
from attn_gui.cli import main
from attn_gui.engine import Problem, compute, sensitivity
from attn_gui.paths import resource


def settled(person, name):
    """What the page shows once it is there."""
    person.wait()
    end = time.monotonic() + 120
    QTest.qWait(1)  # the edit is painted first
    while person.program.late.pages.busy:
        assert time.monotonic() < end, "it does not come"
        QApplication.processEvents()
    return person.find(f"page.{name}").content


# --- retrieval -----------------------------------------------------------------------------------
def expected(person, head, query, keys):
    trace = compute(person.program.document.snapshot())
    weights = np.array(trace["weights"][0, head, query], float)
    width = trace["head_output"].shape[-1]
    value = np.array(trace["value"][0][:, head * width : (head + 1) * width], float)
    order = np.argsort(-weights, kind="stable")[:keys]
    return order.tolist(), weights[order, None] * value[order]


def test_a_head_that_is_off_is_said_to_be_off_and_its_bars_have_their_own_numbers(tmp_path):
    random = np.random.default_rng(4).standard_normal
    problem = Problem(**{name: random((4, 3)) for name in ("query", "key", "value")})
    off = problem.replace(interventions=[{"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}])
    render(off, tmp_path / "a.svg", picture="retrieval", cell=(1, 0))
    texts = [each.text for each in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "the head is off" in " ".join(texts)
    mixed = compute(problem)["head_output"][0, 0, 1]
    assert all(f"{number:.3f}".replace("-", "−") in texts for number in mixed)


def test_the_ranking_and_the_parts_follow_the_chosen_query_edits_and_the_knob(launch):
    person = launch("minilm-layer2.npz", lang="zh")
    person.do("retrieval")
    head = person.program.view.look.head
    for query in (10, 4):
        person.click_cell("weights", query, 2)
        person.find("inspector").turn_to(person.find("panel.pages"))
        shown = settled(person, "retrieval")
        keys, parts = expected(person, head, query, 8)
        assert (shown.query, list(shown.found.keys)) == (query, keys)
        assert shown.found.parts == pytest.approx(parts, abs=1e-12)
    person.overwrite(person.find("page.retrieval.keys", QLineEdit), "3")
    person.type_into("query", 4, head * 32, "9")
    shown = settled(person, "retrieval")
    keys, parts = expected(person, head, 4, 3)
    assert list(shown.found.keys) == keys
    assert shown.found.parts == pytest.approx(parts, abs=1e-12)
    assert shown.found.others == 13


def test_a_click_on_a_key_chooses_its_weight_and_one_on_a_bar_the_output(person):
    person.do("retrieval")
    canvas = person.find("page.retrieval").canvas
    best = settled(person, "retrieval").found.keys[1]
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 1).toPoint())
    assert person.program.view.look.cell[:3] == ("weights", 0, best)
    settled(person, "retrieval")
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(1, 1).toPoint())
    assert person.program.view.look.cell[:3] == ("head_output", 0, 1)


# --- ways to pool --------------------------------------------------------------------------------
def test_the_ways_follow_an_edit_and_the_true_function_can_be_left_out(launch):
    person = launch("nadaraya-watson.npz")
    person.do("poolings")
    shown = settled(person, "poolings")
    assert [len(way.outputs) for way in shown.pooled] == [50] * 4
    assert shown.pooled[1].outputs == pytest.approx(
        [person.value("head_output", row, 0) for row in range(50)], abs=1e-12
    )
    assert shown.function == "d2l"
    q = shown.queries
    missed = np.mean((shown.pooled[1].outputs - 2 * np.sin(q) - q**0.8) ** 2)
    assert f"MSE {missed:.3g}" in person.find("page.poolings").canvas.accessibleDescription()
    person.type_into("value", 4, 0, "9")
    after = settled(person, "poolings")
    assert after.pooled[0].outputs == pytest.approx(
        np.full(50, person.program.document.problem.value.mean()), abs=1e-12
    )
    person.choose(person.find("page.poolings.function", QComboBox), "none")
    assert settled(person, "poolings").pooled == after.pooled  # nothing is computed for it
    assert "MSE" not in person.find("page.poolings").canvas.accessibleDescription()


def test_the_pages_are_written_by_the_command_line(tmp_path, capsys):
    path = resource("examples", "nadaraya-watson.npz")
    for name in ("poolings", "retrieval"):
        call = ["export", str(path), "-o", str(tmp_path), "--page", name, "--cell", "20,3"]
        assert main([*call, "--format", "svg", "pdf", "--lang", "zh"]) == 0
        assert len(capsys.readouterr().out.split()) == 2
    assert "平均汇聚" in (tmp_path / "nadaraya-watson-poolings-h0.svg").read_text("utf-8")


# --- RNN, CNN and attention ----------------------------------------------------------------------
def test_the_reach_of_attention_follows_edits_and_that_of_convolutions_the_knob(launch):
    person = launch("thinking-machines.npz", lang="zh")
    person.do("dependence")

    def expected():
        """‖∂y_i/∂x_j‖ from the gradients of one cell after the other."""
        trace = compute(person.program.document.snapshot())
        squares = np.zeros((2, 2))
        for i, column in np.ndindex(trace["output"].shape[1:]):
            squares[i] += (sensitivity(trace, "output", (0, i, column))["x"] ** 2).sum(axis=1)
        return np.sqrt(squares)

    before = settled(person, "dependence")
    assert before.maps[2] == pytest.approx(expected(), rel=1e-10)
    person.type_into("x", 0, 1, "3")
    after = settled(person, "dependence")
    assert after.maps[2] == pytest.approx(expected(), rel=1e-10)
    assert (after.maps[2] != before.maps[2]).any()
    person.overwrite(person.find("page.dependence.layers", QLineEdit), "1")
    turned = person.find("page.dependence").content  # nothing of attention is computed for it
    assert turned.maps[2] is after.maps[2]
    assert turned.costs[1].sequential == 1
    canvas = person.find("page.dependence").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(2, 1, 0).toPoint())
    assert person.program.view.look.cell[:3] == ("weights", 1, 0)
    assert settled(person, "dependence").chosen == (1, 0)


def test_of_many_tokens_the_first_are_taken_and_it_is_said(tmp_path):
    random = np.random.default_rng(4).standard_normal
    problem = Problem(**{name: random((3000, 4)) for name in ("query", "key", "value")}, mask=({"kind": "causal"},))
    render(problem, tmp_path / "a.svg", picture="dependence")
    texts = ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")
    assert "The first 32 of 3000 tokens, as a sequence of their own." in " ".join(element.text for element in texts)
