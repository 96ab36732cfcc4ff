"""Changes that need much memory, wide tables too: refused before anything is taken, or made beside the window."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox, QToolButton

from attn_gui.app.editing import edit_runner
from attn_gui.document.edits import Label
from attn_gui.engine import DenseEvaluation, Plane, Problem, compute, memory
from attn_gui.formats import load, save
from attn_gui.paths import resource
from attn_gui.pictures.planes import FieldPlane
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.dialogs.progress import WorkLine
from tests.failing import each
from tests.journeys.gate import Gate

WIDE = 40_000
LARGE = 16 * WIDE // 4
"""Cells that are more than what is in sight or what one edited row or column reaches."""


@pytest.fixture
def threads():
    """Threads on which something was made while the gate is in the way."""
    return set()


@pytest.fixture
def gate(monkeypatch, threads):
    """What is large is held up after its first array."""
    found, made = Gate(), memory._Reporter.made
    monkeypatch.setattr(edit_runner, "LARGE", 1000)
    monkeypatch.setattr(
        memory._Reporter, "made", found.after(lambda *given: (threads.add(threading.current_thread()), made(*given))[1])
    )
    yield found
    found.open()


@pytest.fixture
def projected(tmp_path):
    random = np.random.default_rng(3).normal
    path = tmp_path / "projected.attn"
    save(
        Problem(
            x=random(size=(6, 8)),
            w_query=random(size=(8, 8)),
            w_key=random(size=(8, 8)),
            w_value=random(size=(8, 8)),
            num_heads=2,
            mask=({"kind": "custom", "allowed": np.ones((6, 6), bool)},),
        ),
        path,
    )
    return path


def custom_fill(person):
    person.program.window.mask_panel.fillRequested.emit(0, "swap")


def add_layer(kind):
    return lambda person: person.program.window.mask_panel.add_layer(kind)


def new(person):
    person.answering(NewDialog, lambda dialog: dialog.accept(), lambda: person.do("new"))


def whole_table(action):
    def change(person):
        person.go_to("x", 0, 0)
        person.press("Ctrl+A")
        person.do(action)

    return change


CHANGES = {
    **{name: lambda person, name=name: person.size(name, 40) for name in ("n", "d_k", "d_v", "d_model", "batch_size")},
    "w_output": lambda person: person.do("output_projection"),
    "biases": lambda person: person.do("biases"),
    "second sequence": lambda person: person.do("second_sequence"),
    "block": lambda person: person.do("block"),
    "direct": lambda person: person.do("make_direct"),
    "additive": lambda person: person.program.first.variants.set_score("additive"),
    "precision": lambda person: person.pick("dtype", "float32"),
    "cells swapped": custom_fill,
    "custom layer": add_layer("custom"),
    "bias layer": add_layer("bias"),
    "new": new,
    **{
        action: whole_table(action)
        for action in ("fill_random", "fill_integers", "fill_identity", "clear", "fill_down")
    },
}


def sizes(person):
    shown = [person.find(f"control.{name}").value() for name in ("n", "d_k", "d_v", "d_model", "batch_size")]
    checks = [person.action(name).isChecked() for name in ("output_projection", "biases", "second_sequence", "block")]
    return shown, checks, person.find("control.dtype").currentData()


def test_what_is_made_beside_the_window_is_what_is_made_at_once_or_refused(launch, projected, monkeypatch):
    person = launch(projected)
    before = person.program.document.snapshot()
    for name in (name for name in CHANGES if name != "new"):
        with monkeypatch.context() as until_the_next:
            made_beside_is_made_at_once(person, name, before, until_the_next)

    person.again("what the memory does not hold is refused and nothing changes")
    # a fault of the test would not be found by the memory that is there
    monkeypatch.setattr(memory, "available", lambda: 100)
    problem, before = load(projected), sizes(person)
    for name, change in CHANGES.items():
        person.find("banner").hide()
        change(person)
        assert "of memory are free" in person.banner(), name
        assert person.program.document.problem == problem, name
        assert sizes(person) == before, name
        assert not person.window.isWindowModified(), name


def made_beside_is_made_at_once(person, name, before, monkeypatch):
    CHANGES[name](person)
    after = person.program.document.snapshot()
    assert after != before, name
    person.do("undo")
    assert person.program.document.problem == before, name
    monkeypatch.setattr(edit_runner, "LARGE", 0)
    CHANGES[name](person)
    person.until(lambda: not person.program.runner.busy)
    if not name.startswith("fill_"):  # whose seed is the place in the history
        assert person.program.document.problem == after, name
    assert len(person.steps()) == 2, name
    person.wait()
    person.do("undo")
    assert person.program.document.problem == before, name


def test_the_window_works_on_and_the_change_is_one_step(launch, gate, threads, monkeypatch):
    person = launch()
    before = person.program.document.snapshot()
    person.do("output_projection")
    gate.await_work()
    line = person.find("making.progress", WorkLine)
    person.until(line.isVisible)
    assert line.text().startswith("added W_O, 100 %")
    assert person.program.document.problem == before
    person.click_cell("weights", 3, 4)
    assert "A[3, 4]" in person.explanation()
    gate.open()
    person.until(lambda: not person.program.runner.busy)
    assert not line.isVisible()
    assert threading.main_thread() not in threads
    assert person.steps()[1:] == ["added W_O"]
    assert person.action("output_projection").isChecked()
    person.type_into("w_output", 2, 3, "7")
    assert person.number("w_output", 2, 3) == 7
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.program.document.problem == before

    person.again("what was made for another state is dropped and said")
    gate.close()
    person.do("output_projection")
    gate.await_work()
    person.type_into("query", 0, 0, "5")
    gate.open()
    person.program.runner.finish()
    QApplication.processEvents()
    assert [step.partition(":")[0] for step in person.steps()[1:]] == ["Q[0, 0]"]
    assert person.program.document.problem.w_output is None
    assert "“added W_O” was dropped: the problem was changed" in person.banner()

    person.again("a change that is refused takes no place")
    gate.close()
    person.do("output_projection")
    gate.await_work()
    with monkeypatch.context() as poorly:
        poorly.setattr(memory, "available", lambda: 100)
        person.size("n", 400)
    assert "of memory are free" in person.banner()
    gate.open()
    person.until(lambda: not person.program.runner.busy)
    assert person.steps()[1:] == ["added W_O"]

    person.again("nothing is said of it in another document")
    gate.close()
    person.do("output_projection")
    gate.await_work()
    person.program.take_in(resource("examples", "worked-example.npz"))
    gate.open()
    person.program.runner.finish()
    QApplication.processEvents()
    assert person.program.document.name == "worked-example"
    assert person.banner() == ""

    person.again("closing does not wait for it")
    gate.close()
    person.do("output_projection")
    gate.await_work()
    timer = threading.Timer(0.2, gate.open)
    timer.start()
    person.window.close()
    timer.join()
    assert not person.program.runner.busy
    assert not QApplication.activeModalWidget() or not isinstance(QApplication.activeModalWidget(), QDialog)


def test_a_snapshot_taken_while_a_new_problem_is_made_is_not_lost(launch, gate, monkeypatch):
    monkeypatch.setattr(edit_runner, "LARGE", 0)
    person = launch()
    new(person)
    gate.await_work()
    person.do("snapshot")
    gate.open()
    person.until(lambda: not person.program.runner.busy)
    assert person.banner() == "untitled was not opened: minilm-layer2 was changed while it was read."
    assert len(person.program.document.snapshots.all) == 1
    person.answering(
        QMessageBox,
        lambda box: box.button(QMessageBox.StandardButton.Discard).click(),
        lambda: person.button("Open it now", "banner").click(),
    )
    person.until(lambda: not person.program.runner.busy)
    assert person.program.document.name == "untitled"


@pytest.fixture
def person(launch):
    return launch()


@each("how", ["Esc", "button"])
def test_it_can_be_canceled(person, gate, how):
    person.again(how)
    gate.close()
    before = person.program.document.snapshot()
    person.size("n", 400)
    gate.await_work()
    if how == "Esc":
        person.window.setFocus()
        person.press("Esc")
    else:
        person.until(person.find("making.progress", WorkLine).isVisible)
        person.click(person.find("making.cancel", QToolButton))
    gate.open()
    person.program.runner.finish()
    QApplication.processEvents()
    assert person.program.document.problem == before
    assert person.find("control.n").value() == before.n
    assert len(person.steps()) == 1


OTHERS = {
    "a head switched off": lambda person: person.do("head_off"),
    "a layer of the mask": add_layer("causal"),
    "a number in a map": lambda person: person.program.late.cell_blocks._changes.set(
        "weights", (slice(0, 1), slice(0, 1), slice(0, 1), slice(0, 1)), np.array([[0.5]]), Label("set", {})
    ),
    "another one that takes a while": lambda person: person.size("n", 400),
}


@each("name", OTHERS)
def test_a_change_that_takes_its_place_says_so(person, gate, name):
    person.again(name)
    gate.close()
    person.do("output_projection")
    gate.await_work()
    OTHERS[name](person)
    gate.open()
    person.until(lambda: not person.program.runner.busy)
    assert len(person.steps()) == 2
    assert person.program.document.problem.w_output is None
    assert "“added W_O” was dropped" in person.banner()


@pytest.fixture
def read(monkeypatch):
    """The sizes of large blocks that were read or computed by the window's thread, by the names of their matrices."""
    found, window = [], threading.get_ident()

    def watch(kind, name, size):
        work = getattr(kind, name)

        def watched(self, *given, **more):
            result = work(self, *given, **more)
            if threading.get_ident() == window and size(result) > LARGE:
                found.append((kind.__name__, name, size(result)))
            return result

        monkeypatch.setattr(kind, name, watched)

    watch(Plane, "block", lambda block: block[0].size)
    watch(FieldPlane, "block", lambda block: block[0].size)
    watch(DenseEvaluation, "_compute", lambda count: count)
    return found


@each(("name", "field"), [("d_v", "value"), ("d_k", "key")])
def test_a_wide_table_is_typed_edited_and_undone_with_no_large_read_on_the_windows_thread(person, read, name, field):
    numbers = np.random.default_rng(1).standard_normal((3, 16, 4))
    person.again(name, Problem(query=numbers[0], key=numbers[1], value=numbers[2]))
    read.clear()
    person.size(name, WIDE)
    person.wait()
    assert person.program.document.problem.arrays()[field].shape == (16, WIDE)
    for edited in ("query", "key", "value"):
        person.type_into(edited, 3, 1, "1.25")
        person.wait()
    person.table(field).horizontalScrollBar().setValue(WIDE // 2)
    person.wait()
    for _ in range(4):
        person.press("Ctrl+Z")
        person.wait()
    person.press("Ctrl+Y")
    person.wait()
    assert person.program.document.problem.arrays()[field].shape == (16, WIDE)
    assert read == []


def test_wide_heads_of_few_numbers_are_wide_all_the_same(launch):
    """X of two columns and its weights are 160,000 numbers, the keys that come of them 640,000."""
    person = launch()
    x, query, key, value = np.random.default_rng(2).standard_normal((4, 16, 2))
    problem = Problem(x=x, w_query=query[:2], w_key=key[:2], w_value=value[:2])
    person.program.document.open(problem, name="narrow")
    person.wait()
    person.size("d_k", WIDE)
    person.wait()
    assert person.program.document.problem.d_k == WIDE
    for stage in ("key", "scores"):
        person.program.view.set(stage=stage)
        person.wait()
    weights = person.find("heatmap.weights").cells.values
    assert weights == pytest.approx(compute(person.program.document.problem)["weights"][0, 0], rel=1e-9)
