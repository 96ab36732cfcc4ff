"""Pages on √d_k, shapes and code, by hand: they follow edits, clicks choose, the script is copied and saved."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QSlider

from attn_gui.cli import main
from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.sweep import WIDTHS, seeded_problem
from attn_gui.figure.page_catalog import PAGES
from attn_gui.formats import save_session

SMALL = "worked-example.npz"


@pytest.fixture
def person(launch):
    return launch(SMALL).beginning(lambda person: person.click_cell("weights", 1, 0))


def opened(person, page, qtbot):
    person.do(page)
    settle(person, qtbot)
    return person.find(f"page.{page}")


def settle(person, qtbot):
    qtbot.waitUntil(lambda: not person.program.late.pages.busy, timeout=120_000)


def row(problem, scale, query=1):
    return compute(problem.replace(scale=scale))["weights"][0, 0, query]


# --- why √d_k ------------------------------------------------------------------------------------
def test_the_row_is_shown_scaled_unscaled_and_at_a_typed_scale(person, qtbot):
    page, problem = opened(person, "sqrt_d_k", qtbot), person.program.document.problem
    person.overwrite(person.find("page.sqrt_d_k.scale", QLineEdit), "20")
    settle(person, qtbot)
    assert [found.scale for found in page.content.rows] == [3**-0.5, 1.0, 20.0]
    for found in page.content.rows:
        assert found.weights == pytest.approx(row(problem, found.scale))
    assert [found.saturated for found in page.content.rows] == [False, False, True]
    assert "saturates at the scale 20" in page.canvas.drawing.said
    scores = problem.query @ problem.key.T
    assert page.content.here == (3.0, pytest.approx(np.var(scores)))
    assert len(person.steps()) == 1  # the document is as it was

    person.again("it follows an edit and the chosen row")
    page = opened(person, "sqrt_d_k", qtbot)
    person.type_into("query", 1, 0, "30")
    settle(person, qtbot)
    assert page.content.rows[0].saturated
    entropy = page.canvas.drawing.fields[1]
    left = entropy.rect(0, 0).center()
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=(page.canvas.place_of(1) * 0 + left).toPoint())
    settle(person, qtbot)
    assert page.content.row.query == 0
    assert not page.content.rows[0].saturated

    person.again("random numbers with the d k of the slider")
    page, problem = opened(person, "sqrt_d_k", qtbot), person.program.document.problem
    person.choose(person.find("page.sqrt_d_k.numbers", QComboBox), "random")
    person.find("page.sqrt_d_k.d_k", QSlider).setFocus()
    person.press("End")
    settle(person, qtbot)
    assert page.content.seeded == WIDTHS[-1] == 256
    drawn = seeded_problem(problem, 256)
    for found in page.content.rows:
        assert found.weights == pytest.approx(row(drawn, found.scale))


# --- shapes --------------------------------------------------------------------------------------
def test_shapes_follow_the_sizes_in_symbols_and_in_numbers(person, qtbot):
    page = opened(person, "dimensions", qtbot)
    lines = {step.stage: step.shape for step in page.content.steps}
    assert lines["scores"] == "n × d_k · d_k × m → n × m"
    person.size("m", 5)
    person.wait()
    person.choose(person.find("page.dimensions.shapes", QComboBox), "numbers")
    settle(person, qtbot)
    lines = {step.stage: step.shape for step in page.content.steps}
    assert lines["scores"] == "2 × 3 · 3 × 5 → 2 × 5"
    assert lines["head_output"] == "2 × 5 · 5 × 2 → 2 × 2"
    fields = page.canvas.drawing.fields
    names = [field.spot(0, 0).cell.stage for field in fields]
    assert names == ["query", "key", "value", "scores", "scaled", "weights", "head_output", "concat", "output"]
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.place_of(names.index("scaled")).toPoint())
    assert person.program.view.look.stage == "scaled"

    person.again("masks heads and what is changed by hand stand beside their steps")
    page = opened(person, "dimensions", qtbot)
    person.choose(person.find("page.dimensions.shapes", QComboBox), "symbols")
    numbers = np.arange(12.0).reshape(3, 4)
    by_hand = [{"kind": "scale", "stage": "head_output", "at": {"head": 1}, "factor": 0.0}]
    problem = Problem(
        query=numbers, key=numbers, value=numbers, num_heads=2, mask=[{"kind": "causal"}], interventions=by_hand
    )
    person.program.document.open(problem, name="heads")
    person.wait()
    settle(person, qtbot)
    steps = {step.stage: step for step in page.content.steps}
    assert steps["masked"].sides == (("Masks", "causal"),)
    assert [name for name, step in steps.items() if step.by_hand] == ["head_output"]
    assert {step.stage: step.heads for step in page.content.steps if step.heads} == dict.fromkeys(
        ("scores", "scaled", "masked", "weights", "head_output"), "h"
    )


# --- the code ------------------------------------------------------------------------------------


def test_the_code_follows_an_edit_is_copied_and_saved(person, qtbot, tmp_path):
    page = opened(person, "code", qtbot)
    names = [field.spot(0, 0).cell.stage for field in page.canvas.drawing.fields]
    assert names == ["query", "key", "value", "scores", "scaled", "weights", "head_output", "concat", "output"]
    page.canvas.setFocus()
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.place_of(names.index("scaled")).toPoint())
    assert person.program.view.look.stage == "scaled"

    person.again("a saved script prints the numbers of the window")
    opened(person, "code", qtbot)
    (tmp_path / "mine.py").write_text("kept")
    save = partial(person.click, "button.save_code")
    assert "mine.py" in person.refuse_to_replace(tmp_path / "mine", save)
    assert (tmp_path / "mine.py").read_text() == "kept"
    (tmp_path / "mine.py").unlink()
    person.choose_file(tmp_path / "mine", save)
    assert "mine.py" in person.banner()
    done = subprocess.run([sys.executable, str(tmp_path / "mine.py")], capture_output=True, text=True, check=True)
    assert "weights 2 2\n[[0.5    0.5   ]\n [0.3595 0.6405]]\n" in done.stdout

    person.again("a script is called after the problem")
    opened(person, "code", qtbot)
    proposed = []

    def answer(dialog):
        proposed.append(dialog.findChild(QLineEdit, "fileNameEdit").text())
        person.press("Esc")

    person.answering(QFileDialog, answer, lambda: person.click("button.save_code"))
    assert proposed == ["worked-example-numpy.py"]

    person.again("what no script is written for is said in place of it")
    page = opened(person, "code", qtbot)
    person.type_into("value", 0, 0, "inf")
    settle(person, qtbot)
    assert page.content is None
    assert not page.canvas.isVisible()
    QGuiApplication.clipboard().setText("before")
    person.click("button.copy_code")
    assert QGuiApplication.clipboard().text() == "before"

    person.again("the code follows an edit and the whole script is copied")
    page = opened(person, "code", qtbot)
    assert "[0.0, 1.0, 1.0]" in page.content.text
    person.type_into("query", 1, 2, "-2.5")
    settle(person, qtbot)
    assert "[0.0, 1.0, -2.5]" in page.content.text
    person.click("button.copy_code")
    assert QGuiApplication.clipboard().text() == page.content.text
    assert "on the clipboard" in person.banner()
    person.choose(person.find("page.code.language", QComboBox), "pytorch")
    settle(person, qtbot)
    assert "import torch" in page.content.text


def test_the_command_line_writes_scripts_and_pages(person, tmp_path, capsys):
    save_session(person.program.document.snapshot(), tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path / "out")]
    assert main([*call, "--format", "numpy", "pytorch"]) == 0
    names = [line.rpartition("/")[2] for line in capsys.readouterr().out.split()]
    assert names == ["a-numpy.py", "a-pytorch.py"]
    done = subprocess.run(
        [sys.executable, str(tmp_path / "out" / "a-numpy.py")], capture_output=True, text=True, check=True
    )
    assert "scaled 2 2\n[[0.5774 0.5774]\n [0.5774 1.1547]]\n" in done.stdout
    assert main([*call, "--format", "numpy", "--compare", "with-scale"]) == 2
    assert "leave out --compare" in capsys.readouterr().err
    assert main([*call, "--page", "sqrt_d_k", "--set", "numbers=random", "d_k=3", "--format", "svg"]) == 0
    assert "dₖ = 8" in (tmp_path / "out" / "a-sqrt_d_k-h0.svg").read_text("utf-8")
    assert main([*call, "--page", "dimensions", "--set", "shapes=numbers", "--format", "svg", "pdf"]) == 0
    assert "2 × 3 · 3 × 2 → 2 × 2" in (tmp_path / "out" / "a-dimensions-h0.svg").read_text("utf-8")
    assert main([*call, "--page", "code", "--set", "language=pytorch", "--format", "svg", "--lang", "zh"]) == 0
    assert "import torch" in (tmp_path / "out" / "a-code-h0.svg").read_text("utf-8")


def test_another_zoom_plans_a_page_once_for_a_width(person, qtbot, monkeypatch):
    opened(person, "dimensions", qtbot)
    kind, planned = type(PAGES["dimensions"]), []
    plan = kind.plan

    def counted(*of):
        planned.append(of[-2:])
        return plan(*of)

    monkeypatch.setattr(kind, "plan", counted)
    person.do("zoom_in")
    settle(person, qtbot)
    assert planned
    assert len(planned) < 20, planned
