"""Whole pieces of work: a teacher's five minutes, and a long file edited and all of it undone."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QWidget,
)

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.formats import load, save

LEFT = Qt.MouseButton.LeftButton
OK, SAVE = QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Save
FIELDS = ("query", "key", "value")
N, HEADS, WIDTH, PASTED = 2048, 4, 16, 100


def sentence(person):
    """What the explanation says of the chosen cell."""
    return person.find("inspector.sentence").accessibleName()


def new_integers(person, **sizes):
    """File › New: small integers, every size typed."""

    def answer(dialog: QDialog) -> None:
        person.click(dialog.findChild(QWidget, "new.direct"))
        for name, size in sizes.items():
            person.overwrite(dialog.findChild(QWidget, f"new.{name}"), str(size), end="Tab")
        person.choose(dialog.findChild(QWidget, "new.fill"), "integers")
        person.click(dialog.findChild(QDialogButtonBox).button(OK))

    person.answering(QDialog, answer, lambda: person.press("Ctrl+N"))


def export(person, folder, kind):
    def answer(dialog: QDialog) -> None:
        person.overwrite(dialog.findChild(QWidget, "export.target").findChild(QLineEdit), str(folder), end="")
        formats = dialog.findChild(QComboBox, "export.format")
        formats.setFocus()
        person.press("Home", *["Down"] * formats.findData(kind))
        person.click(dialog.findChild(QDialogButtonBox).button(SAVE))

    person.answering(QDialog, answer, lambda: person.press("Ctrl+E"))


def add_causal(person):
    person.click("control.mask")
    panel = person.window.mask_panel
    menu = panel.kinds
    menu.popup(panel.mapToGlobal(panel.rect().center()))
    action = next(action for action in menu.actions() if action.data() == "causal")
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    person.press("Esc")
    person.window.activateWindow()  # as a window manager does
    assert QTest.qWaitForWindowActive(person.window, 120_000)


def seen(person):
    """The document, byte by byte, and the numbers of the maps."""
    stages = ("scores", "weights", "head_output")
    return person.program.document.snapshot(), [person.values(stage) for stage in stages]


def test_a_teachers_five_minutes(launch, tmp_path):
    person = launch("worked-example.npz")
    new_integers(person, n=3, m=5, num_heads=2, d_k=2, d_v=4)
    add_causal(person)
    person.type_into("query", 2, 1, "-3")
    person.choose_cell("weights", 2, 1)
    said = sentence(person)
    assert said.startswith("Query 2 gives key 1 a weight of ")
    weights = np.array(person.values("weights"))
    assert np.allclose(weights.sum(axis=1), 1)
    assert not np.triu(weights, 1).any()
    assert f"{weights[2, 1]:.4f}" in said
    for kind in ("svg", "pdf"):
        export(person, tmp_path, kind)
    drawn = {path.suffix: path.read_bytes() for path in tmp_path.iterdir()}
    assert drawn[".pdf"].startswith(b"%PDF")
    assert b"<svg" in drawn[".svg"]
    assert person.find("heatmap.weights").cell_at(2, 1)[1].name().encode() in drawn[".svg"].lower()
    before = seen(person)
    person.save_as(tmp_path / "lesson.attn")
    person.size("n", 4)
    person.press("Ctrl+Z")
    again = launch(tmp_path / "lesson.attn")
    assert seen(again) == before
    assert sentence(again) == said
    assert again.find("control.mask").text().strip() == "causal"
    assert not again.window.isWindowModified()


@pytest.fixture
def long_file(tmp_path):
    random = np.random.default_rng(7)
    arrays = {field: random.normal(size=(N, HEADS * WIDTH)).astype(np.float32) for field in FIELDS}
    path = tmp_path / "long.npz"
    save(Problem(**arrays, num_heads=HEADS, dtype="float32"), path)
    return path


def sampled(person):
    """Cells of every map at places that the edits reach and at some that they do not."""
    person.wait()
    found = {}
    for stage in person.program.computation.evaluation.stages:
        rows, columns = person.find(f"heatmap.{stage}").shape
        places = {(row % rows, column % columns) for row in (0, 5, 900, 2047) for column in (0, 3, 900, 2047)}
        found |= {(stage, *place): person.value(stage, *place) for place in places}
    return found


def anew(person):
    """The same cells of a computation that never saw an edit, and keeps nothing."""
    evaluation, head = DenseEvaluation(person.program.document.snapshot(), keep=0), person.find("control.head").value()
    return {
        (stage, row, column): float(
            evaluation.block(
                stage,
                0,
                head if stage not in ("concat", "output") else None,
                slice(row, row + 1),
                slice(column, column + 1),
            )[0, 0]
        )
        for stage, row, column in sampled(person)
    }


def test_a_long_file_is_edited_and_everything_undone(launch, long_file):
    person = launch(long_file)
    original, start = load(long_file), sampled(person)
    person.press("Ctrl+]")
    for field, row, text in (("query", 5, "3"), ("key", 900, "-2"), ("value", 2047, "7")):
        person.type_into(field, row, WIDTH + 3, text)
    person.clipboard("\n".join("\t".join(["0.5", "-0.25", "1"]) for _ in range(PASTED)))
    person.go_to("key", 850, WIDTH)
    person.press("Ctrl+V")
    assert person.number("key", 949, WIDTH + 2) == 1
    assert len(person.steps()) == 5
    edited = sampled(person)
    assert edited == pytest.approx(anew(person), rel=2e-4, abs=2e-6)
    person.press("Ctrl+[")
    assert sampled(person) == pytest.approx(start, rel=2e-4, abs=2e-6)  # the edits were those of another head
    person.press("Ctrl+]")
    while person.action("undo").isEnabled():
        person.press("Ctrl+Z")
    assert person.program.document.snapshot() == original
    person.press("Ctrl+[")
    assert sampled(person) == pytest.approx(start, rel=2e-4, abs=2e-6)
    while person.action("redo").isEnabled():
        person.press("Ctrl+Y")
    person.press("Ctrl+]")
    assert sampled(person) == pytest.approx(edited, rel=2e-4, abs=2e-6)
