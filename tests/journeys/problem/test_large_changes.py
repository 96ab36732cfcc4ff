"""Changes that need much memory: refused before anything is taken, or made beside the window."""

import threading

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QToolButton

from attn_gui.app.editing import edit_runner
from attn_gui.engine import Problem, arrays
from attn_gui.formats import load, save
from attn_gui.views.dialogs.dialog_base import WorkLine
from attn_gui.views.dialogs.new_dialog import NewDialog
from tests.failing import share
from tests.journeys.gate import Gate


@pytest.fixture
def threads():
    """Threads on which something was made while the gate is in the way."""
    return set()


@pytest.fixture
def gate(monkeypatch, threads):
    """What is large is held up after its first array."""
    found, made = Gate(), arrays._Reporter.made
    monkeypatch.setattr(edit_runner, "LARGE", 1000)
    monkeypatch.setattr(
        arrays._Reporter, "made", found.after(lambda *given: (threads.add(threading.current_thread()), made(*given))[1])
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
    **{name: lambda person, name=name: person.size(name, 40) for name in ("n", "d_model", "batch_size")},
    "w_output": lambda person: person.do("output_projection"),
    "biases": lambda person: person.do("biases"),
    "second sequence": lambda person: person.do("second_sequence"),
    "block": lambda person: person.do("block"),
    "direct": lambda person: person.do("make_direct"),
    "precision": lambda person: person.pick("dtype", "float32"),
    "custom layer": add_layer("custom"),
    "new": new,
    **{action: whole_table(action) for action in ("fill_random", "clear")},
}


def sizes(person):
    shown = [person.find(f"control.{name}").value() for name in ("n", "d_k", "d_v", "d_model", "batch_size")]
    checks = [person.action(name).isChecked() for name in ("output_projection", "biases", "second_sequence", "block")]
    return shown, checks, person.find("control.dtype").currentData()


def test_what_is_made_beside_the_window_is_what_is_made_at_once_or_refused(launch, projected, monkeypatch):
    person = launch(projected)
    before = person.program.document.snapshot()
    for name in share([name for name in CHANGES if name != "new"], 3):
        with monkeypatch.context() as until_the_next:
            made_beside_is_made_at_once(person, name, before, until_the_next)

    person.again("what the memory does not hold is refused and nothing changes")
    # a fault of the test would not be found by the memory that is there
    monkeypatch.setattr(arrays, "available", lambda: 100)
    problem, before = load(projected), sizes(person)
    for name in share(CHANGES, 3):
        person.find("banner").hide()
        CHANGES[name](person)
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


def test_the_window_works_on_and_the_change_is_one_step_or_canceled(launch, gate, threads):
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

    gate.close()
    person.again("it can be canceled")
    before = person.program.document.snapshot()
    person.size("n", 400)
    gate.await_work()
    person.until(person.find("making.progress", WorkLine).isVisible)
    person.click(person.find("making.cancel", QToolButton))
    gate.open()
    person.program.runner.finish()
    QApplication.processEvents()
    assert person.program.document.problem == before
    assert person.find("control.n").value() == before.n
    assert len(person.steps()) == 1
